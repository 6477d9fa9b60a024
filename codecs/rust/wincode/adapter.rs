//! wincode by its own derived traits.

use crate::domain::Root;
use serbench::{Derived, Result};

pub struct Wincode;

impl Derived for Wincode {
    type Root = Root;

    fn write(root: &Root, buffer: &mut Vec<u8>) -> Result<()> {
        Ok(wincode::serialize_into(buffer, root)?)
    }

    fn read(bytes: &[u8]) -> Result<Root> {
        Ok(wincode::deserialize(bytes)?)
    }
}
