//! Apache Thrift: domain objects are turned into structs as Thrift's compiler writes them, and back.

mod convert;
mod message;

pub use convert::*;
pub use message::*;

use crate::domain::Root;
use crate::glue;
use serbench::{Adapter, Builder, Error, Result, Viewer};
use thrift::protocol::{
    TBinaryInputProtocol, TBinaryOutputProtocol, TCompactInputProtocol, TCompactOutputProtocol,
};
use thrift::TConfiguration;

type Message = glue::Message;

/// Which of Thrift's protocols.
pub trait Protocol: Default {
    fn write(message: &Message, to: &mut Vec<u8>) -> thrift::Result<()>;
    fn read(from: &mut &[u8], limits: TConfiguration) -> thrift::Result<Message>;
}

/// Integers at their width, big-endian.
#[derive(Default)]
pub struct Binary;

impl Protocol for Binary {
    fn write(message: &Message, to: &mut Vec<u8>) -> thrift::Result<()> {
        written(message, &mut TBinaryOutputProtocol::with_config(to, true, limits(usize::MAX)?))
    }

    fn read(from: &mut &[u8], limits: TConfiguration) -> thrift::Result<Message> {
        read(&mut TBinaryInputProtocol::with_config(from, true, limits))
    }
}

/// Integers as zigzag varints.
#[derive(Default)]
pub struct Compact;

impl Protocol for Compact {
    fn write(message: &Message, to: &mut Vec<u8>) -> thrift::Result<()> {
        written(message, &mut TCompactOutputProtocol::with_config(to, limits(usize::MAX)?))
    }

    fn read(from: &mut &[u8], limits: TConfiguration) -> thrift::Result<Message> {
        read(&mut TCompactInputProtocol::with_config(from, limits))
    }
}

fn written(message: &Message, to: &mut dyn TOutputProtocol) -> thrift::Result<()> {
    message.write(to)
}

fn read(from: &mut dyn TInputProtocol) -> thrift::Result<Message> {
    Message::read(from)
}

/// No message has strings of more bytes, or containers of more items, than it has bytes: wrong counts must
/// not ask for memory.
fn limits(bytes: usize) -> thrift::Result<TConfiguration> {
    TConfiguration::builder()
        .max_message_size(None)
        .max_frame_size(None)
        .max_string_size(Some(bytes))
        .max_container_size(Some(bytes))
        .max_recursion_depth(Some(glue::DEEPEST))
        .build()
}

impl Adapter for Binary {
    type Encoder = Writer<Binary>;
    type Decoder = Reader<Binary>;
}

impl Adapter for Compact {
    type Encoder = Writer<Compact>;
    type Decoder = Reader<Compact>;
}

#[derive(Default)]
pub struct Writer<P> {
    buffer: Vec<u8>,
    protocol: P,
}

impl<P: Protocol> Builder<Root> for Writer<P> {
    type Native = Option<Message>;

    fn build(&mut self, root: &Root, message: &mut Option<Message>) -> Result<()> {
        *message = Some(root.build());
        Ok(())
    }

    fn encode(&mut self, message: &Option<Message>) -> Result<&[u8]> {
        self.buffer.clear();
        P::write(message.as_ref().ok_or("nothing was built")?, &mut self.buffer)?;
        Ok(&self.buffer)
    }
}

/// Why reading failed. The library makes errors of applications of texts alone, which are those of
/// `message.rs`; others are its own.
fn refusal(error: thrift::Error) -> Error {
    match error {
        thrift::Error::Application(ours) => ours.message.into(),
        own => own.into(),
    }
}

#[derive(Default)]
pub struct Reader<P>(P);

impl<P: Protocol> Viewer<Root> for Reader<P> {
    /// Nothing before the first message.
    type View = Option<Message>;
    const TAKES: bool = glue::TAKES;
    const TRAVERSES: bool = true;
    const WALKS: bool = glue::WALKS;

    fn decode(&mut self, bytes: &'static [u8], message: &mut Option<Message>) -> Result<()> {
        let mut left = bytes;
        *message = Some(P::read(&mut left, limits(bytes.len())?).map_err(refusal)?);
        match left.len() {
            0 => Ok(()),
            left => Err(format!("{left} bytes are left over").into()),
        }
    }

    fn extract(&mut self, message: &Option<Message>, root: &mut Root) -> Result<()> {
        *root = Root::extract(message.as_ref().ok_or("nothing was decoded")?)?;
        Ok(())
    }

    fn take(&mut self, message: &mut Option<Message>, root: &mut Root) -> Result<()> {
        *root = Root::take(message.take().ok_or("nothing was decoded")?)?;
        Ok(())
    }

    fn traverse(&mut self, message: &Option<Message>) -> u64 {
        message.as_ref().map_or(0, |message| <Root as Convert<Message>>::sum(message))
    }

    fn walk(&mut self, message: &Option<Message>) -> u64 {
        message.as_ref().map_or(0, glue::walk)
    }
}
