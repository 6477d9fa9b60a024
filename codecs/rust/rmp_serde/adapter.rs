//! MessagePack by a derived codec.

use crate::domain::Root;
use serbench::{Decoder, Encoder, Result};

pub struct Arrays;

impl serbench::Adapter for Arrays {
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
        rmp_serde::encode::write(&mut self.buffer, root)?;
        Ok(&self.buffer)
    }
}

#[derive(Default)]
pub struct Reader;

impl Decoder<Root> for Reader {
    fn decode(&mut self, bytes: &[u8], root: &mut Root) -> Result<()> {
        *root = rmp_serde::from_slice(bytes)?;
        Ok(())
    }
}

pub struct Maps;

impl serbench::Adapter for Maps {
    type Encoder = NamedWriter;
    type Decoder = Reader;
}

#[derive(Default)]
pub struct NamedWriter {
    buffer: Vec<u8>,
}

impl Encoder<Root> for NamedWriter {
    fn encode(&mut self, root: &Root) -> Result<&[u8]> {
        self.buffer.clear();
        rmp_serde::encode::write_named(&mut self.buffer, root)?;
        Ok(&self.buffer)
    }
}
