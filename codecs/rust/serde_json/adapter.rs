//! JSON by a derived codec.

use crate::domain::Root;
use serbench::{Derived, Result};

pub struct SerdeJson;

impl Derived for SerdeJson {
    type Root = Root;

    fn write(root: &Root, buffer: &mut Vec<u8>) -> Result<()> {
        Ok(serde_json::to_writer(buffer, root)?)
    }

    fn read(bytes: &[u8]) -> Result<Root> {
        Ok(serde_json::from_slice(bytes)?)
    }
}
