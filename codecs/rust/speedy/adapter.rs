//! speedy by its own derived traits.

use crate::domain::Root;
use serbench::{Derived, Result};
use speedy::{LittleEndian, Readable, Writable};

pub struct Speedy;

impl Derived for Speedy {
    type Root = Root;

    fn write(root: &Root, buffer: &mut Vec<u8>) -> Result<()> {
        buffer.resize(Writable::<LittleEndian>::bytes_needed(root)?, 0);
        Ok(root.write_to_buffer(buffer)?)
    }

    fn read(bytes: &[u8]) -> Result<Root> {
        Ok(Root::read_from_buffer(bytes)?)
    }
}
