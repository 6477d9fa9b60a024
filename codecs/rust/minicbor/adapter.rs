//! CBOR by minicbor's own derived traits.

use crate::domain::Root;
use serbench::{Adapter, Derived, Fill, Filling, Lends, Result, Whole};

pub struct Minicbor;

impl Derived for Minicbor {
    type Root = Root;

    fn write(root: &Root, buffer: &mut Vec<u8>) -> Result<()> {
        Ok(minicbor::encode(root, buffer)?)
    }

    fn read(bytes: &[u8]) -> Result<Root> {
        Ok(minicbor::decode(bytes)?)
    }
}

/// Writes into a slice.
pub struct Slice;

impl Adapter for Slice {
    type Encoder = Filling<Slice>;
    type Decoder = Whole<Minicbor>;
}

impl Fill for Slice {
    type Root = Root;

    fn fill(root: &Root, memory: &mut [u8]) -> Result<Option<usize>> {
        let room = memory.len();
        let mut rest = memory;
        match minicbor::encode(root, &mut rest) {
            Ok(()) => Ok(Some(room - rest.len())),
            Err(error) if error.is_write() => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}

impl<B: minicbor::Decode<'static, ()>> Lends<B> for Minicbor {
    type Kept = ();

    fn lend(_: &mut (), bytes: &'static [u8]) -> Result<B> {
        Ok(minicbor::decode(bytes)?)
    }
}
