//! The domain value of what lies in the bytes of a message of which a program reads a part; `glue.rs` has it
//! for records, enums and unions. A program that reads all of it has `rkyv::deserialize` for that.

use rkyv::boxed::ArchivedBox;
use rkyv::collections::btree_map::ArchivedBTreeMap;
use rkyv::option::ArchivedOption;
use rkyv::rend::{f32_le, f64_le, i16_le, i32_le, i64_le, u16_le, u32_le, u64_le};
use rkyv::string::ArchivedString;
use rkyv::vec::ArchivedVec;
use std::collections::BTreeMap;

pub trait Part<T> {
    fn part(&self) -> T;
}

macro_rules! numbers {
    ($($archived:ident $type:ident)*) => {$(
        impl Part<$type> for $archived {
            fn part(&self) -> $type {
                self.to_native()
            }
        }
    )*};
}

numbers!(i16_le i16 i32_le i32 i64_le i64 u16_le u16 u32_le u32 u64_le u64 f32_le f32 f64_le f64);

macro_rules! octets {
    ($($type:ident)*) => {$(
        impl Part<$type> for $type {
            fn part(&self) -> $type {
                *self
            }
        }
    )*};
}

octets!(bool i8 u8);

impl Part<String> for ArchivedString {
    fn part(&self) -> String {
        self.as_str().to_owned()
    }
}

impl<A: Part<T>, T> Part<Vec<T>> for ArchivedVec<A> {
    fn part(&self) -> Vec<T> {
        self.iter().map(Part::part).collect()
    }
}

impl<A: Part<T>, T, const N: usize> Part<[T; N]> for [A; N] {
    fn part(&self) -> [T; N] {
        std::array::from_fn(|n| self[n].part())
    }
}

impl<AK: Part<K>, AV: Part<V>, K: Ord, V> Part<BTreeMap<K, V>> for ArchivedBTreeMap<AK, AV> {
    fn part(&self) -> BTreeMap<K, V> {
        self.iter().map(|(key, value)| (key.part(), value.part())).collect()
    }
}

impl<A: Part<T>, T> Part<Option<T>> for ArchivedOption<A> {
    fn part(&self) -> Option<T> {
        self.as_ref().map(Part::part)
    }
}

impl<A: Part<T>, T> Part<Box<T>> for ArchivedBox<A> {
    fn part(&self) -> Box<T> {
        Box::new((**self).part())
    }
}
