//! JSON by a derived codec, over a parser that uses SIMD.

use crate::domain::Root;
use serbench::{Derived, Result};

pub struct SonicRs;

impl Derived for SonicRs {
    type Root = Root;

    fn write(root: &Root, buffer: &mut Vec<u8>) -> Result<()> {
        Ok(sonic_rs::to_writer(buffer, root)?)
    }

    fn read(bytes: &[u8]) -> Result<Root> {
        Ok(sonic_rs::from_slice(bytes)?)
    }
}
