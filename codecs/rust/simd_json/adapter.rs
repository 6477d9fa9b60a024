//! JSON by a derived codec, over a parser that writes to its input.

use crate::domain::Root;
use serbench::{Adapter, Decoder, Encoder, Result};
use simd_json::Buffers;

pub struct SimdJson;

impl Adapter for SimdJson {
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
        simd_json::serde::to_writer(&mut self.buffer, root)?;
        Ok(&self.buffer)
    }
}

#[derive(Default)]
pub struct Reader {
    copy: Vec<u8>,
    buffers: Buffers,
}

impl Decoder<Root> for Reader {
    fn decode(&mut self, bytes: &[u8], root: &mut Root) -> Result<()> {
        self.copy.clear();
        self.copy.extend_from_slice(bytes);
        *root = simd_json::serde::from_slice_with_buffers(&mut self.copy, &mut self.buffers)?;
        Ok(())
    }
}
