//! bincode by its own derived traits, which are generic in the configuration.

use crate::domain::Root;
use bincode::config;
use serbench::{Derived, Result};

pub struct Standard;

impl Derived for Standard {
    type Root = Root;

    fn write(root: &Root, buffer: &mut Vec<u8>) -> Result<()> {
        bincode::encode_into_std_write(root, buffer, config::standard())?;
        Ok(())
    }

    fn read(bytes: &[u8]) -> Result<Root> {
        Ok(bincode::decode_from_slice(bytes, config::standard())?.0)
    }
}

pub struct Legacy;

impl Derived for Legacy {
    type Root = Root;

    fn write(root: &Root, buffer: &mut Vec<u8>) -> Result<()> {
        bincode::encode_into_std_write(root, buffer, config::legacy())?;
        Ok(())
    }

    fn read(bytes: &[u8]) -> Result<Root> {
        Ok(bincode::decode_from_slice(bytes, config::legacy())?.0)
    }
}
