//! CBOR by a derived codec.

use crate::domain::Root;
use serbench::{Decoder, Encoder, Result};

pub struct Ciborium;

impl serbench::Adapter for Ciborium {
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
        ciborium::into_writer(root, &mut self.buffer)?;
        Ok(&self.buffer)
    }
}

#[derive(Default)]
pub struct Reader;

impl Decoder<Root> for Reader {
    fn decode(&mut self, bytes: &[u8], root: &mut Root) -> Result<()> {
        *root = ciborium::from_reader(bytes)?;
        Ok(())
    }
}
