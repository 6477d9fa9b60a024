//! BSON by a derived codec.

use crate::domain::Root;
use serbench::{Derived, Result};

serbench::nothing_is_null!();

pub struct Bson;

impl Derived for Bson {
    type Root = Root;

    fn write(root: &Root, buffer: &mut Vec<u8>) -> Result<()> {
        Ok(bson::serialize_to_buffer(root, buffer)?)
    }

    fn read(bytes: &[u8]) -> Result<Root> {
        Ok(bson::deserialize_from_slice(bytes)?)
    }
}
