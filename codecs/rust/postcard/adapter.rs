//! postcard by a derived codec.

use crate::domain::Root;
use serbench::{Adapter, Derived, Fill, Filling, Lends, Result, Whole};
use serde::Deserialize;

pub struct Postcard;

impl Derived for Postcard {
    type Root = Root;

    fn write(root: &Root, buffer: &mut Vec<u8>) -> Result<()> {
        *buffer = postcard::to_extend(root, std::mem::take(buffer))?;
        Ok(())
    }

    fn read(bytes: &[u8]) -> Result<Root> {
        Ok(postcard::from_bytes(bytes)?)
    }
}

/// Writes into a slice.
pub struct Slice;

impl Adapter for Slice {
    type Encoder = Filling<Slice>;
    type Decoder = Whole<Postcard>;
}

impl Fill for Slice {
    type Root = Root;

    fn fill(root: &Root, memory: &mut [u8]) -> Result<Option<usize>> {
        match postcard::to_slice(root, memory) {
            Ok(written) => Ok(Some(written.len())),
            Err(postcard::Error::SerializeBufferFull) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}

impl<B: Deserialize<'static>> Lends<B> for Postcard {
    type Kept = ();

    fn lend(_: &mut (), bytes: &'static [u8]) -> Result<B> {
        Ok(postcard::from_bytes(bytes)?)
    }
}
