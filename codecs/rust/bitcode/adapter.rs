//! bitcode by its own derived traits.

use crate::domain::Root;
use bitcode::Buffer;
use serbench::{Adapter, Decoder, Encoder, Lends, Result};

pub struct Bitcode;

impl Adapter for Bitcode {
    type Encoder = Kept;
    type Decoder = Kept;
}

/// The library's buffer that one side keeps between messages.
#[derive(Default)]
pub struct Kept {
    buffer: Buffer,
}

impl Encoder<Root> for Kept {
    fn encode(&mut self, root: &Root) -> Result<&[u8]> {
        Ok(self.buffer.encode(root))
    }
}

impl Decoder<Root> for Kept {
    fn decode(&mut self, bytes: &[u8], root: &mut Root) -> Result<()> {
        *root = self.buffer.decode(bytes)?;
        Ok(())
    }
}

impl<B: bitcode::Decode<'static>> Lends<B> for Bitcode {
    type Kept = Buffer;

    fn lend(buffer: &mut Buffer, bytes: &'static [u8]) -> Result<B> {
        Ok(buffer.decode(bytes)?)
    }
}
