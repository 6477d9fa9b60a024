//! Values of the domain by what planus has of them in a buffer.

use super::BTreeMap;
use planus::{Vector, VectorRead};
use serbench::{all, array, octets_sum, Result, Value};

/// What is read of an `N` of planus, or summed there.
pub trait Read<N>: Sized {
    fn read(from: N) -> Result<Self>;
    fn sum(from: N) -> Result<u64>;
}

/// What an item of a vector is once it is looked at: some are there or an error.
pub trait Item {
    type Held;

    fn held(self) -> Result<Self::Held>;
}

impl<N, E: std::error::Error + Send + Sync + 'static> Item for std::result::Result<N, E> {
    type Held = N;

    fn held(self) -> Result<N> {
        Ok(self?)
    }
}

/// What is there as it is.
macro_rules! held {
    ($($type:ty),*) => {$(
        impl Item for $type {
            type Held = Self;

            fn held(self) -> serbench::Result<Self> {
                Ok(self)
            }
        }
    )*};
}
pub(crate) use held;

macro_rules! numbers {
    ($($type:ty),*) => {$(
        held!($type);

        impl Read<$type> for $type {
            fn read(from: $type) -> Result<Self> {
                Ok(from)
            }
            fn sum(from: $type) -> Result<u64> {
                Ok(Value::sum(&from))
            }
        }
    )*};
}

numbers!(bool, i8, i16, i32, i64, u8, u16, u32, u64, f32, f64);

impl Read<&str> for String {
    fn read(from: &str) -> Result<Self> {
        Ok(from.to_owned())
    }
    fn sum(from: &str) -> Result<u64> {
        Ok(octets_sum(from.as_bytes()))
    }
}

impl<T: Copy + Read<T>> Read<&[T]> for Vec<T> {
    fn read(from: &[T]) -> Result<Self> {
        Ok(from.to_vec())
    }
    fn sum(from: &[T]) -> Result<u64> {
        from.iter().try_fold(from.len() as u64, |sum, item| Ok(sum.wrapping_add(T::sum(*item)?)))
    }
}

impl<'a, N: VectorRead<'a> + Item, T: Read<N::Held>> Read<Vector<'a, N>> for Vec<T> {
    fn read(from: Vector<'a, N>) -> Result<Self> {
        all(from, |item| T::read(item.held()?))
    }
    fn sum(from: Vector<'a, N>) -> Result<u64> {
        from.iter().try_fold(from.len() as u64, |sum, item| Ok(sum.wrapping_add(T::sum(item.held()?)?)))
    }
}

impl<N, T, const COUNT: usize> Read<N> for [T; COUNT]
where
    Vec<T>: Read<N>,
{
    fn read(from: N) -> Result<Self> {
        array(<Vec<T> as Read<N>>::read(from)?)
    }
    fn sum(from: N) -> Result<u64> {
        Ok(<Vec<T> as Read<N>>::sum(from)?.wrapping_sub(COUNT as u64))
    }
}

impl<'a, N: VectorRead<'a> + Item, K: Ord, V> Read<Vector<'a, N>> for BTreeMap<K, V>
where
    (K, V): Read<N::Held>,
{
    fn read(from: Vector<'a, N>) -> Result<Self> {
        from.iter().map(|entry| Read::read(entry.held()?)).collect()
    }
    fn sum(from: Vector<'a, N>) -> Result<u64> {
        from.iter()
            .try_fold(from.len() as u64, |sum, entry| Ok(sum.wrapping_add(<(K, V)>::sum(entry.held()?)?)))
    }
}

impl<N, T: Read<N>> Read<Option<N>> for Option<T> {
    fn read(from: Option<N>) -> Result<Self> {
        from.map(T::read).transpose()
    }
    fn sum(from: Option<N>) -> Result<u64> {
        from.map_or(Ok(0), |value| Ok(T::sum(value)?.wrapping_add(1)))
    }
}

impl<N, T: Read<N>> Read<N> for Box<T> {
    fn read(from: N) -> Result<Self> {
        T::read(from).map(Box::new)
    }
    fn sum(from: N) -> Result<u64> {
        T::sum(from)
    }
}
