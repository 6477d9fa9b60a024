//! JSON by a derived codec.

use crate::domain::Root;
use serbench::{Decoder, Encoder, Result};

pub struct SerdeJson;

impl serbench::Adapter for SerdeJson {
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
        serde_json::to_writer(&mut self.buffer, root)?;
        Ok(&self.buffer)
    }
}

#[derive(Default)]
pub struct Reader;

impl Decoder<Root> for Reader {
    fn decode(&mut self, bytes: &[u8], root: &mut Root) -> Result<()> {
        *root = serde_json::from_slice(bytes)?;
        Ok(())
    }
}
