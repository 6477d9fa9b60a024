//! Protocol Buffers by prost: domain objects are turned into its messages, and back.

use crate::domain::Root;
use crate::glue::{self, Message};
use prost::Message as _;
pub use serbench::{all, array};
use serbench::{Adapter, Builder, Result, Value, Viewer};
use std::collections::BTreeMap;

pub struct Prost;

impl Adapter for Prost {
    type Encoder = Writer;
    type Decoder = Reader;
}

#[derive(Default)]
pub struct Writer {
    buffer: Vec<u8>,
}

impl Builder<Root> for Writer {
    type Native = Message;

    fn build(&mut self, root: &Root, message: &mut Message) -> Result<()> {
        *message = Message::from(root);
        Ok(())
    }

    fn encode(&mut self, message: &Message) -> Result<&[u8]> {
        self.buffer.clear();
        message.encode(&mut self.buffer)?;
        Ok(&self.buffer)
    }
}

#[derive(Default)]
pub struct Reader;

impl Viewer<Root> for Reader {
    type View = Message;
    const TAKES: bool = glue::TAKES;
    const TRAVERSES: bool = true;
    const WALKS: bool = glue::WALKS;

    fn decode(&mut self, bytes: &'static [u8], message: &mut Message) -> Result<()> {
        message.clear();
        Ok(message.merge(bytes)?)
    }

    fn extract(&mut self, message: &Message, root: &mut Root) -> Result<()> {
        *root = message.extract()?;
        Ok(())
    }

    fn take(&mut self, message: &mut Message, root: &mut Root) -> Result<()> {
        *root = std::mem::take(message).into_domain()?;
        Ok(())
    }

    fn traverse(&mut self, message: &Message) -> u64 {
        message.traverse()
    }

    fn walk(&mut self, message: &Message) -> u64 {
        glue::walk(message)
    }
}

/// A number that messages have in a wider type.
pub fn narrow<T: TryFrom<N, Error: std::error::Error + Send + Sync + 'static>, N>(number: N) -> Result<T> {
    Ok(T::try_from(number)?)
}

/// The member of an enum whose numbers are of type `U`.
pub fn member<U, E, N>(number: N) -> Result<E>
where
    U: TryFrom<N, Error: std::error::Error + Send + Sync + 'static>,
    E: TryFrom<U, Error: std::fmt::Display>,
{
    E::try_from(narrow(number)?).map_err(|number| format!("an enum has the value {number}").into())
}

pub fn bytes<const N: usize>(bytes: &[u8]) -> Result<[u8; N]> {
    <[u8; N]>::try_from(bytes).map_err(|_| format!("there are {} bytes, expected {N}", bytes.len()).into())
}

/// The result of `of` for a message that is always there; for an empty one where it was left out.
pub fn held<M: Default, T>(message: Option<&M>, of: impl Fn(&M) -> T) -> T {
    message.map_or_else(|| of(&M::default()), &of)
}

/// The sum of a list.
pub fn items<T>(items: &[T], sum: impl Fn(&T) -> u64) -> u64 {
    items.iter().fold(items.len() as u64, |all, item| all.wrapping_add(sum(item)))
}

/// The sum of a map.
pub fn entries<K: Value, V>(map: &BTreeMap<K, V>, sum: impl Fn(&V) -> u64) -> u64 {
    map.iter()
        .fold(map.len() as u64, |all, (key, value)| all.wrapping_add(key.sum()).wrapping_add(sum(value)))
}
