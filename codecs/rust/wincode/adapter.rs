//! wincode by its own derived traits.

use crate::domain::Root;
use serbench::{Adapter, Derived, Fill, Filling, Lends, Result, Whole};
use wincode::config::{self, Configuration};
use wincode::io;
use wincode::{SchemaRead, WriteError};

pub struct Wincode;

/// It makes room for 64 MiB of items at once, in place of 4, which a mesh of some 90,000 triangles exceeds.
type Settings = Configuration<true, { 64 << 20 }>;

const fn configuration() -> Settings {
    Configuration::default().with_preallocation_size_limit::<{ 64 << 20 }>()
}

impl Derived for Wincode {
    type Root = Root;

    fn write(root: &Root, buffer: &mut Vec<u8>) -> Result<()> {
        Ok(config::serialize_into(buffer, root, configuration())?)
    }

    fn read(bytes: &[u8]) -> Result<Root> {
        Ok(config::deserialize(bytes, configuration())?)
    }
}

/// Writes into a slice.
pub struct Slice;

impl Adapter for Slice {
    type Encoder = Filling<Slice>;
    type Decoder = Whole<Wincode>;
}

impl Fill for Slice {
    type Root = Root;

    fn fill(root: &Root, memory: &mut [u8]) -> Result<Option<usize>> {
        let whole = memory.len();
        let mut rest = memory;
        match config::serialize_into(&mut rest, root, configuration()) {
            Ok(()) => Ok(Some(whole - rest.len())),
            Err(WriteError::Io(io::WriteError::WriteSizeLimit(_))) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}

impl<B: SchemaRead<'static, Settings, Dst = B>> Lends<B> for Wincode {
    type Kept = ();

    fn lend(_: &mut (), bytes: &'static [u8]) -> Result<B> {
        Ok(config::deserialize(bytes, configuration())?)
    }
}
