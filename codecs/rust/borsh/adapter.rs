//! borsh by its own derived traits.

use crate::domain::Root;
use serbench::{Decoder, Encoder, Result};

pub struct Borsh;

impl serbench::Adapter for Borsh {
    type Encoder = Writer;
    type Decoder = Reader;
}

#[derive(Default)]
pub struct Writer {
    buffer: Vec<u8>,
}

impl Encoder<Root> for Writer {
    fn encode(&mut self, root: &Root) -> Result<&[u8]> {
        self.buffer.clear();
        borsh::to_writer(&mut self.buffer, root)?;
        Ok(&self.buffer)
    }
}

#[derive(Default)]
pub struct Reader;

impl Decoder<Root> for Reader {
    fn decode(&mut self, bytes: &[u8], root: &mut Root) -> Result<()> {
        *root = borsh::from_slice(bytes)?;
        Ok(())
    }
}
