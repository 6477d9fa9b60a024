//! borsh by its own derived traits.

use crate::domain::Root;
use serbench::{Derived, Result};

pub struct Borsh;

impl Derived for Borsh {
    type Root = Root;

    fn write(root: &Root, buffer: &mut Vec<u8>) -> Result<()> {
        Ok(borsh::to_writer(buffer, root)?)
    }

    fn read(bytes: &[u8]) -> Result<Root> {
        Ok(borsh::from_slice(bytes)?)
    }
}
