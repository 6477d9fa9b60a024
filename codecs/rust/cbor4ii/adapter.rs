//! CBOR by a derived codec.

use crate::domain::Root;
use serbench::{Adapter, Appending, Borrower, Borrowing, Derived, Lent, Result};
use serde::Deserialize;
use std::marker::PhantomData;

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

/// Reads objects that borrow texts and bytes from the message.
pub struct Borrowed<B>(PhantomData<B>);

impl<B: Deserialize<'static> + Lent<Root> + 'static> Adapter for Borrowed<B> {
    type Encoder = Appending<Cbor4ii>;
    type Decoder = Borrower<Self>;
}

impl<B: Deserialize<'static> + Lent<Root> + 'static> Borrowing for Borrowed<B> {
    type Root = Root;
    type Object = B;
    type Kept = ();

    fn read(_: &mut (), bytes: &'static [u8]) -> Result<B> {
        Ok(cbor4ii::serde::from_slice(bytes)?)
    }
}
