//! postcard by a derived codec.

use crate::domain::Root;
use serbench::{Decoder, Encoder, Result};

pub struct Postcard;

impl serbench::Adapter for Postcard {
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
        self.buffer = postcard::to_extend(root, std::mem::take(&mut self.buffer))?;
        Ok(&self.buffer)
    }
}

#[derive(Default)]
pub struct Reader;

impl Decoder<Root> for Reader {
    fn decode(&mut self, bytes: &[u8], root: &mut Root) -> Result<()> {
        *root = postcard::from_bytes(bytes)?;
        Ok(())
    }
}
