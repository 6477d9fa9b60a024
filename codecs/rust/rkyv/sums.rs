//! The sum over what lies in the bytes, as `serbench::Value::sum` tells; `glue.rs` has it for records, enums
//! and unions.

use rkyv::boxed::ArchivedBox;
use rkyv::collections::btree_map::ArchivedBTreeMap;
use rkyv::option::ArchivedOption;
use rkyv::rend::{f32_le, f64_le, i16_le, i32_le, i64_le, u16_le, u32_le, u64_le};
use rkyv::string::ArchivedString;
use rkyv::vec::ArchivedVec;
use serbench::Value;

pub trait Sum {
    fn sum(&self) -> u64;
}

macro_rules! numbers {
    ($($type:ident)*) => {$(
        impl Sum for $type {
            fn sum(&self) -> u64 {
                Value::sum(&self.to_native())
            }
        }
    )*};
}

numbers!(i16_le i32_le i64_le u16_le u32_le u64_le f32_le f64_le);

macro_rules! octets {
    ($($type:ident)*) => {$(
        impl Sum for $type {
            fn sum(&self) -> u64 {
                Value::sum(self)
            }
        }
    )*};
}

octets!(bool i8 u8);

impl Sum for ArchivedString {
    fn sum(&self) -> u64 {
        serbench::octets_sum(self.as_bytes())
    }
}

impl<T: Sum> Sum for ArchivedVec<T> {
    fn sum(&self) -> u64 {
        self.iter().fold(self.len() as u64, |sum, each| sum.wrapping_add(each.sum()))
    }
}

impl<T: Sum, const N: usize> Sum for [T; N] {
    fn sum(&self) -> u64 {
        self.iter().fold(0, |sum, each| sum.wrapping_add(each.sum()))
    }
}

impl<K: Sum, V: Sum> Sum for ArchivedBTreeMap<K, V> {
    fn sum(&self) -> u64 {
        self.iter().fold(self.len() as u64, |sum, (key, value)| {
            sum.wrapping_add(key.sum()).wrapping_add(value.sum())
        })
    }
}

impl<T: Sum> Sum for ArchivedOption<T> {
    fn sum(&self) -> u64 {
        self.as_ref().map_or(0, |value| value.sum().wrapping_add(1))
    }
}

impl<T: Sum> Sum for ArchivedBox<T> {
    fn sum(&self) -> u64 {
        (**self).sum()
    }
}
