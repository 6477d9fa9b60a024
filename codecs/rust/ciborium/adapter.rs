//! CBOR by a derived codec.

use crate::domain::Root;
use serbench::{Derived, Result};

serbench::nothing_is_null!();

pub struct Ciborium;

impl Derived for Ciborium {
    type Root = Root;

    fn write(root: &Root, buffer: &mut Vec<u8>) -> Result<()> {
        Ok(ciborium::into_writer(root, buffer)?)
    }

    fn read(bytes: &[u8]) -> Result<Root> {
        Ok(ciborium::from_reader(bytes)?)
    }
}
