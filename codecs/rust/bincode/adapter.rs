//! bincode by its own derived traits, which are generic in the configuration.

use crate::domain::Root;
use bincode::config::{self, Config};
use serbench::{Adapter, Decoder, Encoder, Result};
use std::marker::PhantomData;

pub struct Standard;

impl Adapter for Standard {
    type Encoder = Writer<Variable>;
    type Decoder = Reader<Variable>;
}

pub struct Legacy;

impl Adapter for Legacy {
    type Encoder = Writer<Fixed>;
    type Decoder = Reader<Fixed>;
}

/// A configuration, which bincode has as a value.
pub trait Configured: Default {
    fn config() -> impl Config;
}

#[derive(Default)]
pub struct Variable;

impl Configured for Variable {
    fn config() -> impl Config {
        config::standard()
    }
}

#[derive(Default)]
pub struct Fixed;

impl Configured for Fixed {
    fn config() -> impl Config {
        config::legacy()
    }
}

#[derive(Default)]
pub struct Writer<C> {
    buffer: Vec<u8>,
    config: PhantomData<C>,
}

impl<C: Configured> Encoder<Root> for Writer<C> {
    fn encode(&mut self, root: &Root) -> Result<&[u8]> {
        self.buffer.clear();
        bincode::encode_into_std_write(root, &mut self.buffer, C::config())?;
        Ok(&self.buffer)
    }
}

#[derive(Default)]
pub struct Reader<C> {
    config: PhantomData<C>,
}

impl<C: Configured> Decoder<Root> for Reader<C> {
    fn decode(&mut self, bytes: &[u8], root: &mut Root) -> Result<()> {
        (*root, _) = bincode::decode_from_slice(bytes, C::config())?;
        Ok(())
    }
}
