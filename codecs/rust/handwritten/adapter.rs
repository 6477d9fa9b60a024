//! The code that a careful programmer writes without a library: numbers as they lie in memory, 8-byte counts,
//! blocks copied whole.

mod layout;
mod reader;
mod writer;

pub use layout::Layout;
pub use reader::Reader;
pub use writer::Writer;

use crate::domain::Root;
use crate::glue::SLACK;
use serbench::{Adapter, Decoder, Encoder, Result};

pub struct Checked;

impl Adapter for Checked {
    type Encoder = Buffer;
    type Decoder = Bytes<true>;
}

pub struct Unsafe;

impl Adapter for Unsafe {
    type Encoder = Buffer;
    type Decoder = Bytes<false>;
}

#[derive(Default)]
pub struct Buffer {
    writer: Writer<SLACK>,
}

impl Encoder<Root> for Buffer {
    fn encode(&mut self, root: &Root) -> Result<&[u8]> {
        Ok(self.writer.write(root))
    }
}

#[derive(Default)]
pub struct Bytes<const CHECKED: bool>;

impl<const CHECKED: bool> Decoder<Root> for Bytes<CHECKED> {
    fn decode(&mut self, bytes: &[u8], root: &mut Root) -> Result<()> {
        root.fill(&mut Reader::<CHECKED>::new(bytes))
    }
}
