//! Avro's types where they differ from what serde's own code makes: it has no unsigned numbers of 64 bits,
//! octets are bytes, keys of maps are strings, and items that may be absent and alternatives are in records.

#![allow(unused_imports, unused_macros)] // a schema need not have all that there is

use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_bytes::{ByteBuf, Bytes};
use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

/// A value as Avro has it.
pub trait Datum: Sized {
    fn write<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error>;
    fn read<'de, D: Deserializer<'de>>(from: D) -> Result<Self, D::Error>;

    /// As an item of a list or the value of a map.
    fn write_item<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.write(to)
    }
    fn read_item<'de, D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Self::read(from)
    }

    fn write_items<S: Serializer>(items: &[Self], to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(items.iter().map(Item))
    }
    fn read_items<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Self>, D::Error> {
        from.deserialize_seq(Items(PhantomData))
    }
}

/// A key of a map, which is a list of entries unless keys are strings.
pub trait Key: Datum + Ord {
    fn write_map<V: Datum, S: Serializer>(map: &BTreeMap<Self, V>, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(map.iter().map(|(key, value)| Entry { key: Field(key), value: Item(value) }))
    }
    fn read_map<'de, V: Datum, D: Deserializer<'de>>(from: D) -> Result<BTreeMap<Self, V>, D::Error> {
        from.deserialize_seq(Entries(PhantomData))
    }
}

struct Field<T>(T);
struct Item<T>(T);

#[derive(Serialize, Deserialize)]
struct Entry<K, V> {
    key: K,
    value: V,
}

/// The record around what is no record in an alternative or an item; it adds no byte.
#[derive(Serialize, Deserialize)]
struct Around<T> {
    value: T,
}

macro_rules! by_serde {
    ($wrapper:ident, $write:ident, $read:ident) => {
        impl<T: Datum> Serialize for $wrapper<&T> {
            fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                self.0.$write(to)
            }
        }

        impl<'de, T: Datum> Deserialize<'de> for $wrapper<T> {
            fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                T::$read(from).map(Self)
            }
        }
    };
}

by_serde!(Field, write, read);
by_serde!(Item, write_item, read_item);

struct Items<T>(PhantomData<T>);

impl<'de, T: Datum> Visitor<'de> for Items<T> {
    type Value = Vec<T>;

    fn expecting(&self, to: &mut fmt::Formatter) -> fmt::Result {
        to.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut from: A) -> Result<Vec<T>, A::Error> {
        let mut items = Vec::new();
        while let Some(Item(item)) = from.next_element()? {
            items.push(item);
        }
        Ok(items)
    }
}

struct Entries<K, V>(PhantomData<(K, V)>);

impl<'de, K: Key, V: Datum> Visitor<'de> for Entries<K, V> {
    type Value = BTreeMap<K, V>;

    fn expecting(&self, to: &mut fmt::Formatter) -> fmt::Result {
        to.write_str("a map or its entries")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut from: A) -> Result<BTreeMap<K, V>, A::Error> {
        let mut map = BTreeMap::new();
        while let Some((Field(key), Item(value))) = from.next_entry()? {
            map.insert(key, value);
        }
        Ok(map)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut from: A) -> Result<BTreeMap<K, V>, A::Error> {
        let mut map = BTreeMap::new();
        while let Some(Entry { key: Field(key), value: Item(value) }) = from.next_element()? {
            map.insert(key, value);
        }
        Ok(map)
    }
}

/// Types that serde's own code suits.
macro_rules! plain {
    ($($type:ty),* $(,)?) => {$(
        impl $crate::adapter::Datum for $type {
            fn write<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                serde::Serialize::serialize(self, to)
            }
            fn read<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                serde::Deserialize::deserialize(from)
            }
        }
    )*};
}
pub(crate) use plain;

/// Open enums: their numbers.
macro_rules! number {
    ($($type:path),* $(,)?) => {$(
        impl $crate::adapter::Datum for $type {
            fn write<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                self.0.write(to)
            }
            fn read<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                $crate::adapter::Datum::read(from).map($type)
            }
        }
    )*};
}
pub(crate) use number;

/// Unions: in records, since Avro's cannot be inside each other.
macro_rules! union {
    ($($type:ty),* $(,)?) => {$(
        impl $crate::adapter::Datum for $type {
            fn write<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                $crate::adapter::write_around(self, to)
            }
            fn read<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                $crate::adapter::read_around(from)
            }
        }
    )*};
}
pub(crate) use union;

pub fn write_around<T: Serialize, S: Serializer>(value: T, to: S) -> Result<S::Ok, S::Error> {
    Around { value }.serialize(to)
}

pub fn read_around<'de, T: Deserialize<'de>, D: Deserializer<'de>>(from: D) -> Result<T, D::Error> {
    Around::deserialize(from).map(|around| around.value)
}

/// For `#[serde(with)]` before a field.
pub mod field {
    use super::*;

    pub fn serialize<T: Datum, S: Serializer>(value: &T, to: S) -> Result<S::Ok, S::Error> {
        value.write(to)
    }

    pub fn deserialize<'de, T: Datum, D: Deserializer<'de>>(from: D) -> Result<T, D::Error> {
        T::read(from)
    }
}

/// For `#[serde(with)]` before the value of an alternative.
pub mod alternative {
    use super::*;

    pub fn serialize<T: Datum, S: Serializer>(value: &T, to: S) -> Result<S::Ok, S::Error> {
        write_around(Field(value), to)
    }

    pub fn deserialize<'de, T: Datum, D: Deserializer<'de>>(from: D) -> Result<T, D::Error> {
        read_around(from).map(|value: Field<T>| value.0)
    }
}

/// For `#[serde(with)]` before an alternative without a value: an empty record.
pub mod nothing {
    use super::*;

    #[derive(Serialize, Deserialize)]
    struct Nothing {}

    pub fn serialize<S: Serializer>(to: S) -> Result<S::Ok, S::Error> {
        Nothing {}.serialize(to)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<(), D::Error> {
        Nothing::deserialize(from).map(|_| ())
    }
}

plain!(bool, i8, i16, i32, i64, u16, u32, f32, f64, String);

impl Datum for u8 {
    fn write<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.serialize(to)
    }
    fn read<'de, D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Self::deserialize(from)
    }
    fn write_items<S: Serializer>(items: &[u8], to: S) -> Result<S::Ok, S::Error> {
        Bytes::new(items).serialize(to)
    }
    fn read_items<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<u8>, D::Error> {
        ByteBuf::deserialize(from).map(ByteBuf::into_vec)
    }
}

/// The same bits in a signed number.
impl Datum for u64 {
    fn write<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        (*self as i64).serialize(to)
    }
    fn read<'de, D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        i64::deserialize(from).map(|number| number as u64)
    }
}

impl<T: Datum> Datum for Vec<T> {
    fn write<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        T::write_items(self, to)
    }
    fn read<'de, D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        T::read_items(from)
    }
}

/// Bytes of a fixed length too, as the schema has it.
impl<T: Datum, const N: usize> Datum for [T; N] {
    fn write<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        T::write_items(self, to)
    }
    fn read<'de, D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        T::read_items(from)?.try_into().map_err(|items: Vec<T>| {
            serde::de::Error::custom(format_args!("there are {} items, expected {N}", items.len()))
        })
    }
}

impl<T: Datum> Datum for Option<T> {
    fn write<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.as_ref().map(Field).serialize(to)
    }
    fn read<'de, D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Ok(Option::<Field<T>>::deserialize(from)?.map(|value| value.0))
    }
    fn write_item<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        write_around(Field(self), to)
    }
    fn read_item<'de, D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        read_around(from).map(|value: Field<Self>| value.0)
    }
}

impl<T: Datum> Datum for Box<T> {
    fn write<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        (**self).write(to)
    }
    fn read<'de, D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        T::read(from).map(Box::new)
    }
}

impl<K: Key, V: Datum> Datum for BTreeMap<K, V> {
    fn write<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        K::write_map(self, to)
    }
    fn read<'de, D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        K::read_map(from)
    }
}

impl Key for String {
    fn write_map<V: Datum, S: Serializer>(map: &BTreeMap<Self, V>, to: S) -> Result<S::Ok, S::Error> {
        to.collect_map(map.iter().map(|(key, value)| (key, Item(value))))
    }
    fn read_map<'de, V: Datum, D: Deserializer<'de>>(from: D) -> Result<BTreeMap<Self, V>, D::Error> {
        from.deserialize_map(Entries(PhantomData))
    }
}

macro_rules! key {
    ($($type:ty),* $(,)?) => {$(impl $crate::adapter::Key for $type {})*};
}
pub(crate) use key;

key!(bool, i8, i16, i32, i64, u8, u16, u32, u64);
