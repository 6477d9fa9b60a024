//! postcard by a derived codec.

use crate::domain::Root;
use serbench::{Adapter, Appending, Borrower, Borrowing, Derived, Fill, Filling, Lent, Result, Whole};
use serde::Deserialize;
use std::marker::PhantomData;

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

/// Reads objects that borrow texts and bytes from the message.
pub struct Borrowed<B>(PhantomData<B>);

impl<B: Deserialize<'static> + Lent<Root> + 'static> Adapter for Borrowed<B> {
    type Encoder = Appending<Postcard>;
    type Decoder = Borrower<Self>;
}

impl<B: Deserialize<'static> + Lent<Root> + 'static> Borrowing for Borrowed<B> {
    type Root = Root;
    type Object = B;
    type Kept = ();

    fn read(_: &mut (), bytes: &'static [u8]) -> Result<B> {
        Ok(postcard::from_bytes(bytes)?)
    }
}
