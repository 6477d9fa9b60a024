//! Domain values to and from what Thrift has for them.

#![allow(unused_imports, unused_macros)] // a schema need not have all that there is

use serbench::{all, array, octets_sum, Result, Value as _};
use std::collections::BTreeMap;
use thrift::OrderedFloat;

/// A domain type that is an `L` in Thrift.
pub trait Convert<L>: Sized {
    fn build(&self) -> L;
    fn extract(low: &L) -> Result<Self>;
    /// As `extract`, of what nobody needs any more.
    fn take(low: L) -> Result<Self> {
        Self::extract(&low)
    }
    /// The sum that `traverse` gives.
    fn sum(low: &L) -> u64;
}

macro_rules! same {
    ($($type:ty),*) => {$(
        impl Convert<$type> for $type {
            fn build(&self) -> $type {
                self.clone()
            }
            fn extract(low: &$type) -> Result<Self> {
                Ok(low.clone())
            }
            fn take(low: $type) -> Result<Self> {
                Ok(low)
            }
            fn sum(low: &$type) -> u64 {
                serbench::Value::sum(low)
            }
        }
    )*};
}

same!(bool, i8, i16, i32, i64, String);

/// Numbers with the same bits.
macro_rules! bits {
    ($($type:ty as $low:ty),*) => {$(
        impl Convert<$low> for $type {
            fn build(&self) -> $low {
                *self as $low
            }
            fn extract(low: &$low) -> Result<Self> {
                Ok(*low as $type)
            }
            fn sum(low: &$low) -> u64 {
                serbench::Value::sum(&(*low as $type))
            }
        }
    )*};
}

bits!(u8 as i8, u64 as i64);

/// Numbers in a wider type.
macro_rules! wider {
    ($($type:ty as $low:ty),*) => {$(
        impl Convert<$low> for $type {
            fn build(&self) -> $low {
                <$low>::from(*self)
            }
            fn extract(low: &$low) -> Result<Self> {
                Ok(<$type>::try_from(*low)?)
            }
            fn sum(low: &$low) -> u64 {
                serbench::Value::sum(low)
            }
        }
    )*};
}

wider!(u16 as i32, u32 as i64);

macro_rules! floats {
    ($($type:ty),*) => {$(
        impl Convert<OrderedFloat<f64>> for $type {
            fn build(&self) -> OrderedFloat<f64> {
                OrderedFloat(f64::from(*self))
            }
            fn extract(low: &OrderedFloat<f64>) -> Result<Self> {
                Ok(low.0 as $type)
            }
            fn sum(low: &OrderedFloat<f64>) -> u64 {
                (low.0 as $type).sum()
            }
        }
    )*};
}

floats!(f32, f64);

impl Convert<Vec<u8>> for Vec<u8> {
    fn build(&self) -> Vec<u8> {
        self.clone()
    }
    fn extract(low: &Vec<u8>) -> Result<Self> {
        Ok(low.clone())
    }
    fn take(low: Vec<u8>) -> Result<Self> {
        Ok(low)
    }
    fn sum(low: &Vec<u8>) -> u64 {
        octets_sum(low)
    }
}

impl<const N: usize> Convert<Vec<u8>> for [u8; N] {
    fn build(&self) -> Vec<u8> {
        self.to_vec()
    }
    fn extract(low: &Vec<u8>) -> Result<Self> {
        <[u8; N]>::try_from(&low[..])
            .map_err(|_| format!("there are {} bytes, expected {N}", low.len()).into())
    }
    fn sum(low: &Vec<u8>) -> u64 {
        octets_sum(low) - low.len() as u64
    }
}

impl<L, T: Convert<L>> Convert<Vec<L>> for Vec<T> {
    fn build(&self) -> Vec<L> {
        self.iter().map(T::build).collect()
    }
    fn extract(low: &Vec<L>) -> Result<Self> {
        all(low, T::extract)
    }
    fn take(low: Vec<L>) -> Result<Self> {
        all(low, T::take)
    }
    fn sum(low: &Vec<L>) -> u64 {
        low.iter().fold(low.len() as u64, |all, item| all.wrapping_add(T::sum(item)))
    }
}

impl<L, T: Convert<L>, const N: usize> Convert<Vec<L>> for [T; N] {
    fn build(&self) -> Vec<L> {
        self.iter().map(T::build).collect()
    }
    fn extract(low: &Vec<L>) -> Result<Self> {
        array(all(low, T::extract)?)
    }
    fn take(low: Vec<L>) -> Result<Self> {
        array(all(low, T::take)?)
    }
    fn sum(low: &Vec<L>) -> u64 {
        low.iter().fold(0, |all, item| all.wrapping_add(T::sum(item)))
    }
}

impl<L, T: Convert<L>> Convert<Option<L>> for Option<T> {
    fn build(&self) -> Option<L> {
        self.as_ref().map(T::build)
    }
    fn extract(low: &Option<L>) -> Result<Self> {
        low.as_ref().map(T::extract).transpose()
    }
    fn take(low: Option<L>) -> Result<Self> {
        low.map(T::take).transpose()
    }
    fn sum(low: &Option<L>) -> u64 {
        low.as_ref().map_or(0, |value| T::sum(value).wrapping_add(1))
    }
}

impl<L, T: Convert<L>> Convert<Box<L>> for Box<T> {
    fn build(&self) -> Box<L> {
        Box::new((**self).build())
    }
    fn extract(low: &Box<L>) -> Result<Self> {
        T::extract(low).map(Box::new)
    }
    fn take(low: Box<L>) -> Result<Self> {
        T::take(*low).map(Box::new)
    }
    fn sum(low: &Box<L>) -> u64 {
        T::sum(low)
    }
}

impl<K: Ord + Convert<J>, V: Convert<W>, J: Ord, W> Convert<BTreeMap<J, W>> for BTreeMap<K, V> {
    fn build(&self) -> BTreeMap<J, W> {
        self.iter().map(|(key, value)| (key.build(), value.build())).collect()
    }
    fn extract(low: &BTreeMap<J, W>) -> Result<Self> {
        low.iter().map(|(key, value)| Ok((K::extract(key)?, V::extract(value)?))).collect()
    }
    fn take(low: BTreeMap<J, W>) -> Result<Self> {
        low.into_iter().map(|(key, value)| Ok((K::take(key)?, V::take(value)?))).collect()
    }
    fn sum(low: &BTreeMap<J, W>) -> u64 {
        low.iter().fold(low.len() as u64, |all, (key, value)| {
            all.wrapping_add(K::sum(key)).wrapping_add(V::sum(value))
        })
    }
}

/// A record and its struct.
macro_rules! record {
    ($type:ty as $low:ident { $($to:ident: $field:ident: $held:ty,)* }) => {
        impl Convert<native::$low> for $type {
            fn build(&self) -> native::$low {
                native::$low { $($to: self.$field.build(),)* }
            }
            fn extract(_low: &native::$low) -> serbench::Result<Self> {
                Ok(Self { $($field: Convert::extract(&_low.$to)?,)* })
            }
            fn take(_low: native::$low) -> serbench::Result<Self> {
                Ok(Self { $($field: Convert::take(_low.$to)?,)* })
            }
            fn sum(_low: &native::$low) -> u64 {
                0u64$(.wrapping_add(<$held as Convert<_>>::sum(&_low.$to)))*
            }
        }
    };
}
pub(crate) use record;

/// What a container cannot hold itself, and the struct around it.
macro_rules! around {
    ($type:ty as $low:ident) => {
        impl Convert<native::$low> for $type {
            fn build(&self) -> native::$low {
                native::$low { value: self.build() }
            }
            fn extract(low: &native::$low) -> serbench::Result<Self> {
                Convert::extract(&low.value)
            }
            fn take(low: native::$low) -> serbench::Result<Self> {
                Convert::take(low.value)
            }
            fn sum(low: &native::$low) -> u64 {
                <$type as Convert<_>>::sum(&low.value)
            }
        }
    };
}
pub(crate) use around;

/// What a struct points to, although the domain holds it in place.
macro_rules! behind {
    ($type:ty as $low:ident) => {
        impl Convert<Box<native::$low>> for $type {
            fn build(&self) -> Box<native::$low> {
                Box::new(self.build())
            }
            fn extract(low: &Box<native::$low>) -> serbench::Result<Self> {
                Convert::extract(&**low)
            }
            fn take(low: Box<native::$low>) -> serbench::Result<Self> {
                Convert::take(*low)
            }
            fn sum(low: &Box<native::$low>) -> u64 {
                <$type as Convert<_>>::sum(&**low)
            }
        }
    };
}
pub(crate) use behind;

/// What the domain points to, although a struct holds it in place.
macro_rules! held {
    ($type:ty as $low:ident) => {
        impl Convert<native::$low> for Box<$type> {
            fn build(&self) -> native::$low {
                (**self).build()
            }
            fn extract(low: &native::$low) -> serbench::Result<Self> {
                Convert::extract(low).map(Box::new)
            }
            fn take(low: native::$low) -> serbench::Result<Self> {
                Convert::take(low).map(Box::new)
            }
            fn sum(low: &native::$low) -> u64 {
                <$type as Convert<_>>::sum(low)
            }
        }
    };
}
pub(crate) use held;

/// An enum, whose numbers are of some type, and what it is in Thrift.
macro_rules! named {
    ($type:ty: $number:ident as $low:ident) => {
        impl Convert<native::$low> for $type {
            fn build(&self) -> native::$low {
                native::$low(*self as i32)
            }
            fn extract(low: &native::$low) -> serbench::Result<Self> {
                $number::try_from(low.0)
                    .ok()
                    .and_then(|number| <$type>::try_from(number).ok())
                    .ok_or_else(|| format!("an enum has the value {}", low.0).into())
            }
            fn sum(low: &native::$low) -> u64 {
                low.0 as u64
            }
        }
    };
}
pub(crate) use named;

/// The same for an enum of other numbers than Thrift's have.
macro_rules! unnamed {
    ($type:ty: $number:ident as $low:ident) => {
        impl Convert<$low> for $type {
            fn build(&self) -> $low {
                (*self as $number).build()
            }
            fn extract(low: &$low) -> serbench::Result<Self> {
                let number: $number = Convert::extract(low)?;
                <$type>::try_from(number).map_err(|number| format!("an enum has the value {number}").into())
            }
            fn sum(low: &$low) -> u64 {
                <$number as Convert<$low>>::sum(low)
            }
        }
    };
}
pub(crate) use unnamed;

/// The same for an open enum.
macro_rules! open {
    ($type:path: $number:ident as $low:ident) => {
        impl Convert<$low> for $type {
            fn build(&self) -> $low {
                self.0.build()
            }
            fn extract(low: &$low) -> serbench::Result<Self> {
                Convert::extract(low).map($type)
            }
            fn sum(low: &$low) -> u64 {
                <$number as Convert<$low>>::sum(low)
            }
        }
    };
}
pub(crate) use open;
