//! MessagePack by a derived codec.

use crate::domain::Root;
use serbench::{Derived, Result};

serbench::nothing_is_null!();

pub struct Arrays;

impl Derived for Arrays {
    type Root = Root;

    fn write(root: &Root, buffer: &mut Vec<u8>) -> Result<()> {
        Ok(rmp_serde::encode::write(buffer, root)?)
    }

    fn read(bytes: &[u8]) -> Result<Root> {
        Ok(rmp_serde::from_slice(bytes)?)
    }
}

pub struct Maps;

impl Derived for Maps {
    type Root = Root;

    fn write(root: &Root, buffer: &mut Vec<u8>) -> Result<()> {
        Ok(rmp_serde::encode::write_named(buffer, root)?)
    }

    fn read(bytes: &[u8]) -> Result<Root> {
        Ok(rmp_serde::from_slice(bytes)?)
    }
}
