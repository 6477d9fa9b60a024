//! CBOR by a derived codec.

use crate::domain::Root;
use serbench::{Derived, Lends, Result};
use serde::Deserialize;

serbench::nothing_is_null!();

pub struct Cbor4ii;

impl Derived for Cbor4ii {
    type Root = Root;

    fn write(root: &Root, buffer: &mut Vec<u8>) -> Result<()> {
        Ok(cbor4ii::serde::to_writer(buffer, root)?)
    }

    fn read(bytes: &[u8]) -> Result<Root> {
        Ok(cbor4ii::serde::from_slice(bytes)?)
    }
}

impl<B: Deserialize<'static>> Lends<B> for Cbor4ii {
    type Kept = ();

    fn lend(_: &mut (), bytes: &'static [u8]) -> Result<B> {
        Ok(cbor4ii::serde::from_slice(bytes)?)
    }
}
