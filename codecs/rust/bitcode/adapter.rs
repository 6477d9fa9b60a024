//! bitcode by its own derived traits.

use crate::domain::Root;
use bitcode::Buffer;
use serbench::{Adapter, Borrower, Borrowing, Decoder, Encoder, Lent, Result};
use std::marker::PhantomData;

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

/// Reads objects that borrow texts and bytes from the message.
pub struct Borrowed<B>(PhantomData<B>);

impl<B: bitcode::Decode<'static> + Lent<Root> + 'static> Adapter for Borrowed<B> {
    type Encoder = Kept;
    type Decoder = Borrower<Self>;
}

impl<B: bitcode::Decode<'static> + Lent<Root> + 'static> Borrowing for Borrowed<B> {
    type Root = Root;
    type Object = B;
    type Kept = Buffer;

    fn read(buffer: &mut Buffer, bytes: &'static [u8]) -> Result<B> {
        Ok(buffer.decode(bytes)?)
    }
}
