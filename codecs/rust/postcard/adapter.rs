//! postcard by a derived codec.

use crate::domain::Root;
use serbench::{Derived, Result};

pub struct Postcard;

impl Derived for Postcard {
    type Root = Root;

    fn write(root: &Root, buffer: &mut Vec<u8>) -> Result<()> {
        *buffer = postcard::to_extend(root, std::mem::take(buffer))?;
        Ok(())
    }

    fn read(bytes: &[u8]) -> Result<Root> {
        Ok(postcard::from_bytes(bytes)?)
    }
}
