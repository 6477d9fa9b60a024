//! nanoserde by its own derived traits.

use crate::domain::Root;
use nanoserde::{DeBin, SerBin};
use serbench::{Derived, Result};

pub struct Nanoserde;

impl Derived for Nanoserde {
    type Root = Root;

    fn write(root: &Root, buffer: &mut Vec<u8>) -> Result<()> {
        root.ser_bin(buffer);
        Ok(())
    }

    fn read(bytes: &[u8]) -> Result<Root> {
        Ok(Root::deserialize_bin(bytes)?)
    }
}
