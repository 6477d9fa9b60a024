//! MessagePack by a derived codec.

use crate::domain::Root;
use serbench::{Derived, Lends, Result, MAX_VALUES};
use serde::Deserialize;

serbench::nothing_is_null!();

pub struct Arrays;

impl Derived for Arrays {
    type Root = Root;

    fn write(root: &Root, buffer: &mut Vec<u8>) -> Result<()> {
        Ok(rmp_serde::encode::write(buffer, root)?)
    }

    fn read(bytes: &[u8]) -> Result<Root> {
        read(bytes)
    }
}

pub struct Maps;

impl Derived for Maps {
    type Root = Root;

    fn write(root: &Root, buffer: &mut Vec<u8>) -> Result<()> {
        Ok(rmp_serde::encode::write_named(buffer, root)?)
    }

    fn read(bytes: &[u8]) -> Result<Root> {
        read(bytes)
    }
}

/// `from_slice`, as deep as the type model goes.
fn read<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> Result<T> {
    let mut from = rmp_serde::Deserializer::from_read_ref(bytes);
    from.set_max_depth(MAX_VALUES);
    Ok(T::deserialize(&mut from)?)
}

impl<B: Deserialize<'static>> Lends<B> for Arrays {
    type Kept = ();

    fn lend(_: &mut (), bytes: &'static [u8]) -> Result<B> {
        read(bytes)
    }
}
