//! The encoder of a library that writes into memory which is there already, and tells how much of it: for a
//! library that is quicker so than where each write may make a `Vec` grow.

use crate::{Encoder, Result};
use std::marker::PhantomData;

/// One way of using such a library, which asks its user for as much memory as a message takes at most.
pub trait Fill {
    type Root;

    /// How many bytes it wrote, from the first on; `None` where there is no room for all of them.
    fn fill(root: &Self::Root, memory: &mut [u8]) -> Result<Option<usize>>;
}

/// Keeps its memory, and has twice as much after a message that did not fit.
pub struct Filling<F> {
    memory: Vec<u8>,
    codec: PhantomData<F>,
}

const AT_FIRST: usize = 4096;

impl<F> Default for Filling<F> {
    fn default() -> Self {
        Self { memory: vec![0; AT_FIRST], codec: PhantomData }
    }
}

impl<F: Fill> Encoder<F::Root> for Filling<F> {
    fn encode(&mut self, root: &F::Root) -> Result<&[u8]> {
        let length = loop {
            match F::fill(root, &mut self.memory)? {
                Some(length) => break length,
                None => self.memory.resize(2 * self.memory.len(), 0),
            }
        };
        Ok(&self.memory[..length])
    }
}
