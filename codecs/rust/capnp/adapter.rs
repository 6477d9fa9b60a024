//! Cap'n Proto: segments behind the standard table of their sizes, as they are or packed.

mod lists;
mod message;

pub use lists::*;
pub use message::*;

use crate::domain::Root;
use crate::glue;
use capnp::message::SUGGESTED_FIRST_SEGMENT_WORDS;
use capnp::{serialize, serialize_packed};
pub use serbench::{octets_sum, Value};
use serbench::{Adapter, Builder, Result, Viewer};
use std::marker::PhantomData;

/// Read where it lies.
pub struct Unpacked;

impl Adapter for Unpacked {
    type Encoder = Writer<Self>;
    type Decoder = Reader<Lying>;
}

impl Framing for Unpacked {
    fn write(message: &Built, to: &mut Vec<u8>) -> capnp::Result<()> {
        serialize::write_message(to, message)
    }
}

/// Built in one segment, where its user gives the library that much memory.
pub struct Scratch;

impl Adapter for Scratch {
    type Encoder = Writer<Self>;
    type Decoder = Reader<Lying>;
}

impl Framing for Scratch {
    const FIRST_WORDS: u32 = 1 << 20;

    fn write(message: &Built, to: &mut Vec<u8>) -> capnp::Result<()> {
        Unpacked::write(message, to)
    }
}

/// Unpacked into memory that is used again.
pub struct Packed;

impl Adapter for Packed {
    type Encoder = Writer<Self>;
    type Decoder = Reader<Unpacking>;
}

impl Framing for Packed {
    fn write(message: &Built, to: &mut Vec<u8>) -> capnp::Result<()> {
        serialize_packed::write_message(to, message)
    }
}

/// How a message becomes bytes.
pub trait Framing {
    /// The words of its first segment.
    const FIRST_WORDS: u32 = SUGGESTED_FIRST_SEGMENT_WORDS;

    fn write(message: &Built, to: &mut Vec<u8>) -> capnp::Result<()>;
}

/// Keeps its buffer.
pub struct Writer<F> {
    buffer: Vec<u8>,
    framing: PhantomData<F>,
}

impl<F> Default for Writer<F> {
    fn default() -> Self {
        Self { buffer: Vec::new(), framing: PhantomData }
    }
}

impl<F: Framing> Builder<Root> for Writer<F> {
    type Native = Message;

    fn build(&mut self, root: &Root, native: &mut Message) -> Result<()> {
        Struct::<glue::Native>::put(root, native.start(F::FIRST_WORDS).init_root())
    }

    fn encode<'a>(&'a mut self, native: &'a Message) -> Result<&'a [u8]> {
        self.buffer.clear();
        F::write(native.built()?, &mut self.buffer)?;
        Ok(&self.buffer)
    }
}

#[derive(Default)]
pub struct Reader<V>(PhantomData<V>);

impl<V: View + 'static> Viewer<Root> for Reader<V> {
    type View = V;
    const TRAVERSES: bool = true;
    const WALKS: bool = glue::WALKS;

    fn decode(&mut self, bytes: &'static [u8], view: &mut V) -> Result<()> {
        view.open(bytes)
    }

    fn extract(&mut self, view: &V, root: &mut Root) -> Result<()> {
        *root = view.read(<Root as Struct<glue::Native>>::get)?;
        Ok(())
    }

    fn traverse(&mut self, view: &V) -> u64 {
        view.read(<Root as Struct<glue::Native>>::sum).unwrap_or_default()
    }

    fn walk(&mut self, view: &V) -> u64 {
        view.read(glue::walk).unwrap_or_default()
    }
}
