//! Changes of values where they lie in the bytes of a message, as `serbench::Update` makes them of domain
//! values; `glue.rs` has those of records and unions.

use rkyv::boxed::ArchivedBox;
use rkyv::collections::btree_map::ArchivedBTreeMap;
use rkyv::option::ArchivedOption;
use rkyv::rend::{f32_le, f64_le, i16_le, i32_le, i64_le, u16_le, u32_le, u64_le};
use rkyv::seal::Seal;
use rkyv::vec::ArchivedVec;
use serbench::Update;

pub trait Change {
    fn change(this: Seal<'_, Self>);
}

macro_rules! numbers {
    ($($type:ident)*) => {$(
        impl Change for $type {
            fn change(mut this: Seal<'_, Self>) {
                let mut value = this.to_native();
                value.update();
                *this = value.into();
            }
        }
    )*};
}

numbers!(i16_le i32_le i64_le u16_le u32_le u64_le f32_le f64_le);

macro_rules! octets {
    ($($type:ident)*) => {$(
        impl Change for $type {
            fn change(mut this: Seal<'_, Self>) {
                (*this).update();
            }
        }
    )*};
}

octets!(bool i8 u8);

impl<T: Change> Change for [T] {
    fn change(mut this: Seal<'_, Self>) {
        for n in 0..this.len() {
            T::change(this.as_mut().index(n));
        }
    }
}

impl<T: Change> Change for ArchivedVec<T> {
    fn change(this: Seal<'_, Self>) {
        Change::change(Self::as_slice_seal(this));
    }
}

impl<T: Change, const N: usize> Change for [T; N] {
    fn change(this: Seal<'_, Self>) {
        // SAFETY: items are sealed again, one by one.
        let items: &mut [T] = unsafe { this.unseal_unchecked() };
        Change::change(Seal::new(items));
    }
}

impl<K, V: Change, const E: usize> Change for ArchivedBTreeMap<K, V, E> {
    fn change(this: Seal<'_, Self>) {
        Self::values_seal(this).for_each(V::change);
    }
}

impl<T: Change> Change for ArchivedOption<T> {
    fn change(this: Seal<'_, Self>) {
        if let Some(value) = Self::as_seal(this) {
            T::change(value);
        }
    }
}

impl<T: Change> Change for ArchivedBox<T> {
    fn change(this: Seal<'_, Self>) {
        T::change(Self::get_seal(this));
    }
}
