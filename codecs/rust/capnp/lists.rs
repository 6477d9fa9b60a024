//! Lists, and what they are of: a trait for each way in which generated code has values.

#![allow(unused_imports, unused_macros)] // a schema need not have all that there is

use capnp::private::layout::PrimitiveElement;
use capnp::traits::{Owned, OwnedStruct};
use capnp::{data_list, enum_list, list_list, primitive_list, struct_list, text_list, NotInSchema};
use serbench::{octets_sum, Result, Value};
pub use std::collections::BTreeMap;

/// A number or a bool, as fields and lists have it.
pub trait Number: Copy {
    type Low: PrimitiveElement + capnp::introspect::Introspect + Copy + Value;

    fn low(&self) -> Self::Low;
    fn of(low: Self::Low) -> Self;
}

macro_rules! numbers {
    ($($type:ty),*) => {$(
        impl Number for $type {
            type Low = $type;

            fn low(&self) -> $type {
                *self
            }
            fn of(low: $type) -> $type {
                low
            }
        }
    )*};
}

numbers!(bool, i8, i16, i32, i64, u8, u16, u32, u64, f32, f64);

/// An open enum, which is a number.
macro_rules! open {
    ($type:path: $number:ty) => {
        impl Number for $type {
            type Low = $number;

            fn low(&self) -> $number {
                self.0
            }
            fn of(low: $number) -> Self {
                $type(low)
            }
        }
    };
}
pub(crate) use open;

/// An enum, which Cap'n Proto has by other numbers.
pub trait Named: Copy + Value {
    type Low: Copy + Into<u16> + TryFrom<u16, Error = NotInSchema> + capnp::introspect::Introspect;

    fn low(&self) -> Self::Low;
    fn of(low: Self::Low) -> std::result::Result<Self, NotInSchema>;
}

macro_rules! named {
    (
        $type:ident as $low:ident { $($member:ident: $enumerant:ident,)* }
        $(gone { $($gone:ident,)* })?
    ) => {
        impl Named for domain::$type {
            type Low = messages::$low;

            fn low(&self) -> messages::$low {
                match self {
                    $(domain::$type::$member => messages::$low::$enumerant,)*
                }
            }
            fn of(low: messages::$low) -> std::result::Result<Self, capnp::NotInSchema> {
                match low {
                    $(messages::$low::$enumerant => Ok(domain::$type::$member),)*
                    $($(messages::$low::$gone => Err(capnp::NotInSchema(low.into())),)*)?
                }
            }
        }
    };
}
pub(crate) use named;

/// What is there, since the default in its place could hold itself without end.
pub fn there<T>(is_there: bool, get: impl FnOnce() -> Result<T>) -> Result<T> {
    if is_there {
        get()
    } else {
        Err("a struct is not there".into())
    }
}

/// What a struct `S` holds.
pub trait Struct<S: OwnedStruct>: Sized {
    fn put(&self, to: S::Builder<'_>) -> Result<()>;
    fn get(from: S::Reader<'_>) -> Result<Self>;
    fn sum(from: S::Reader<'_>) -> Result<u64>;
}

impl<S: OwnedStruct, T: Struct<S>> Struct<S> for Box<T> {
    fn put(&self, to: S::Builder<'_>) -> Result<()> {
        (**self).put(to)
    }
    fn get(from: S::Reader<'_>) -> Result<Self> {
        T::get(from).map(Box::new)
    }
    fn sum(from: S::Reader<'_>) -> Result<u64> {
        T::sum(from)
    }
}

/// A key that is in a struct `S` with its value.
pub trait Entry<S: OwnedStruct, V>: Sized {
    fn put(&self, value: &V, to: S::Builder<'_>) -> Result<()>;
    fn get(from: S::Reader<'_>) -> Result<(Self, V)>;
    fn sum(from: S::Reader<'_>) -> Result<u64>;
}

/// What is a list `L`.
pub trait Many<L: Owned>: Sized {
    /// `init` makes a list of so many.
    fn put<'a>(&self, init: impl FnOnce(u32) -> L::Builder<'a>) -> Result<()>;
    fn get(from: L::Reader<'_>) -> Result<Self>;
    fn sum(from: L::Reader<'_>) -> Result<u64>;
}

/// How many items there are, of which a list has a number of 32 bits.
fn count_of(items: usize) -> u32 {
    u32::try_from(items).unwrap_or(u32::MAX)
}

/// What is an item of a list `L`.
pub trait Item<L: Owned>: Sized {
    fn put(items: &[Self], to: L::Builder<'_>) -> Result<()>;
    fn get(from: L::Reader<'_>) -> Result<Vec<Self>>;
    /// How many there are, and their sum.
    fn sum(from: L::Reader<'_>) -> Result<(u64, u64)>;
}

impl<L: Owned, T: Item<L>> Many<L> for Vec<T> {
    fn put<'a>(&self, init: impl FnOnce(u32) -> L::Builder<'a>) -> Result<()> {
        T::put(self, init(count_of(self.len())))
    }
    fn get(from: L::Reader<'_>) -> Result<Self> {
        T::get(from)
    }
    fn sum(from: L::Reader<'_>) -> Result<u64> {
        T::sum(from).map(|(count, sum)| sum.wrapping_add(count))
    }
}

impl<L: Owned, T: Item<L>, const N: usize> Many<L> for [T; N] {
    fn put<'a>(&self, init: impl FnOnce(u32) -> L::Builder<'a>) -> Result<()> {
        T::put(self, init(count_of(N)))
    }
    fn get(from: L::Reader<'_>) -> Result<Self> {
        let items = T::get(from)?;
        items
            .try_into()
            .map_err(|items: Vec<T>| format!("there are {} items, expected {N}", items.len()).into())
    }
    fn sum(from: L::Reader<'_>) -> Result<u64> {
        T::sum(from).map(|(_, sum)| sum)
    }
}

impl<S: OwnedStruct, K: Entry<S, V> + Ord, V> Many<struct_list::Owned<S>> for BTreeMap<K, V> {
    fn put<'a>(&self, init: impl FnOnce(u32) -> struct_list::Builder<'a, S>) -> Result<()> {
        let mut to = init(count_of(self.len()));
        (0..).zip(self).try_for_each(|(at, (key, value))| key.put(value, to.reborrow().get(at)))
    }
    fn get(from: struct_list::Reader<'_, S>) -> Result<Self> {
        from.iter().map(K::get).collect()
    }
    fn sum(from: struct_list::Reader<'_, S>) -> Result<u64> {
        from.iter().try_fold(u64::from(from.len()), |all, each| Ok(all.wrapping_add(K::sum(each)?)))
    }
}

/// How many items there are, and the sum of all, one by one.
fn summed<T>(items: impl ExactSizeIterator<Item = T>, each: impl Fn(T) -> Result<u64>) -> Result<(u64, u64)> {
    let (count, mut sum) = (items.len() as u64, 0u64);
    for item in items {
        sum = sum.wrapping_add(each(item)?);
    }
    Ok((count, sum))
}

impl<T: Number> Item<primitive_list::Owned<T::Low>> for T {
    fn put(items: &[Self], mut to: primitive_list::Builder<'_, T::Low>) -> Result<()> {
        // Bools have a bit each, and are in no slice.
        match to.as_slice() {
            Some(all) => all.iter_mut().zip(items).for_each(|(to, item)| *to = item.low()),
            None => (0..).zip(items).for_each(|(at, item)| to.set(at, item.low())),
        }
        Ok(())
    }
    fn get(from: primitive_list::Reader<'_, T::Low>) -> Result<Vec<Self>> {
        Ok(match from.as_slice() {
            Some(all) => all.iter().map(|each| T::of(*each)).collect(),
            None => from.iter().map(T::of).collect(),
        })
    }
    fn sum(from: primitive_list::Reader<'_, T::Low>) -> Result<(u64, u64)> {
        match from.as_slice() {
            Some(all) => summed(all.iter(), |each| Ok(each.sum())),
            None => summed(from.iter(), |each| Ok(each.sum())),
        }
    }
}

impl<T: Named> Item<enum_list::Owned<T::Low>> for T {
    fn put(items: &[Self], mut to: enum_list::Builder<'_, T::Low>) -> Result<()> {
        (0..).zip(items).for_each(|(at, item)| to.set(at, item.low()));
        Ok(())
    }
    fn get(from: enum_list::Reader<'_, T::Low>) -> Result<Vec<Self>> {
        from.iter().map(|each| Ok(T::of(each?)?)).collect()
    }
    fn sum(from: enum_list::Reader<'_, T::Low>) -> Result<(u64, u64)> {
        summed(from.iter(), |each| Ok(T::of(each?)?.sum()))
    }
}

impl<S: OwnedStruct, T: Struct<S>> Item<struct_list::Owned<S>> for T {
    fn put(items: &[Self], mut to: struct_list::Builder<'_, S>) -> Result<()> {
        (0..).zip(items).try_for_each(|(at, item)| item.put(to.reborrow().get(at)))
    }
    fn get(from: struct_list::Reader<'_, S>) -> Result<Vec<Self>> {
        from.iter().map(T::get).collect()
    }
    fn sum(from: struct_list::Reader<'_, S>) -> Result<(u64, u64)> {
        summed(from.iter(), T::sum)
    }
}

impl<L: Owned, T: Many<L>> Item<list_list::Owned<L>> for T {
    fn put(items: &[Self], mut to: list_list::Builder<'_, L>) -> Result<()> {
        (0..).zip(items).try_for_each(|(at, item)| item.put(|count| to.reborrow().init(at, count)))
    }
    fn get(from: list_list::Reader<'_, L>) -> Result<Vec<Self>> {
        from.iter().map(|each| T::get(each?)).collect()
    }
    fn sum(from: list_list::Reader<'_, L>) -> Result<(u64, u64)> {
        summed(from.iter(), |each| T::sum(each?))
    }
}

impl Item<text_list::Owned> for String {
    fn put(items: &[Self], mut to: text_list::Builder<'_>) -> Result<()> {
        (0..).zip(items).for_each(|(at, item)| to.set(at, item.as_str()));
        Ok(())
    }
    fn get(from: text_list::Reader<'_>) -> Result<Vec<Self>> {
        from.iter().map(|each| Ok(each?.to_string()?)).collect()
    }
    fn sum(from: text_list::Reader<'_>) -> Result<(u64, u64)> {
        summed(from.iter(), |each| Ok(octets_sum(each?.as_bytes())))
    }
}

/// Bytes of any or a fixed length.
pub trait Octets: Sized {
    fn octets(&self) -> &[u8];
    fn of(octets: &[u8]) -> Result<Self>;
    fn sum(octets: &[u8]) -> u64;
}

impl Octets for Vec<u8> {
    fn octets(&self) -> &[u8] {
        self
    }
    fn of(octets: &[u8]) -> Result<Self> {
        Ok(octets.to_vec())
    }
    fn sum(octets: &[u8]) -> u64 {
        octets_sum(octets)
    }
}

impl<const N: usize> Octets for [u8; N] {
    fn octets(&self) -> &[u8] {
        self
    }
    fn of(octets: &[u8]) -> Result<Self> {
        octets.try_into().map_err(|_| format!("there are {} bytes, expected {N}", octets.len()).into())
    }
    fn sum(octets: &[u8]) -> u64 {
        octets_sum(octets).wrapping_sub(N as u64)
    }
}

impl<T: Octets> Item<data_list::Owned> for T {
    fn put(items: &[Self], mut to: data_list::Builder<'_>) -> Result<()> {
        (0..).zip(items).for_each(|(at, item)| to.set(at, item.octets()));
        Ok(())
    }
    fn get(from: data_list::Reader<'_>) -> Result<Vec<Self>> {
        from.iter().map(|each| T::of(each?)).collect()
    }
    fn sum(from: data_list::Reader<'_>) -> Result<(u64, u64)> {
        summed(from.iter(), |each| Ok(T::sum(each?)))
    }
}
