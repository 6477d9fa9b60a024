//! The adapter of a library that appends to a `Vec` and reads whole values, as most libraries do that derive
//! code for types: only the two calls into the library are the codec's own.

use crate::{Adapter, Decoder, Encoder, Result};
use std::marker::PhantomData;

/// One way of using such a library.
pub trait Derived {
    type Root;

    /// Appends to a buffer that is empty, and has the memory of messages before.
    fn write(root: &Self::Root, buffer: &mut Vec<u8>) -> Result<()>;
    fn read(bytes: &[u8]) -> Result<Self::Root>;
}

impl<D: Derived> Adapter for D {
    type Encoder = Appending<D>;
    type Decoder = Whole<D>;
}

/// Keeps its buffer.
pub struct Appending<D> {
    buffer: Vec<u8>,
    codec: PhantomData<D>,
}

impl<D> Default for Appending<D> {
    fn default() -> Self {
        Self { buffer: Vec::new(), codec: PhantomData }
    }
}

impl<D: Derived> Encoder<D::Root> for Appending<D> {
    fn encode(&mut self, root: &D::Root) -> Result<&[u8]> {
        self.buffer.clear();
        D::write(root, &mut self.buffer)?;
        Ok(&self.buffer)
    }
}

/// Puts what was read in the place of what there was.
pub struct Whole<D>(PhantomData<D>);

impl<D> Default for Whole<D> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

impl<D: Derived> Decoder<D::Root> for Whole<D> {
    fn decode(&mut self, bytes: &[u8], root: &mut D::Root) -> Result<()> {
        *root = D::read(bytes)?;
        Ok(())
    }
}
