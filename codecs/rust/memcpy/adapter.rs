//! The floor: copies the canonical bytes, which no codec can undercut by doing its work better.

use serbench::{Builder, Result, Value, Viewer};

pub struct Memcpy;

impl serbench::Adapter for Memcpy {
    type Encoder = Writer;
    type Decoder = Reader;
    const IS_FLOOR: bool = true;
}

#[derive(Default)]
pub struct Writer {
    buffer: Vec<u8>,
}

impl<Root: Value> Builder<Root> for Writer {
    type Native = Vec<u8>;

    fn build(&mut self, root: &Root, native: &mut Vec<u8>) -> Result<()> {
        native.clear();
        serbench::write(root, native)
    }

    fn encode(&mut self, native: &Vec<u8>) -> Result<&[u8]> {
        self.buffer.clear();
        self.buffer.extend_from_slice(native);
        Ok(&self.buffer)
    }
}

#[derive(Default)]
pub struct Reader;

impl<Root: Value> Viewer<Root> for Reader {
    type View = Vec<u8>;

    fn decode(&mut self, bytes: &'static [u8], view: &mut Vec<u8>) -> Result<()> {
        view.clear();
        view.extend_from_slice(bytes);
        Ok(())
    }

    fn extract(&mut self, view: &Vec<u8>, root: &mut Root) -> Result<()> {
        serbench::read(view, root)
    }
}
