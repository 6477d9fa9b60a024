//! CBOR by minicbor's own derived traits.

use crate::domain::Root;
use serbench::{Derived, Result};

pub struct Minicbor;

impl Derived for Minicbor {
    type Root = Root;

    fn write(root: &Root, buffer: &mut Vec<u8>) -> Result<()> {
        Ok(minicbor::encode(root, buffer)?)
    }

    fn read(bytes: &[u8]) -> Result<Root> {
        Ok(minicbor::decode(bytes)?)
    }
}
