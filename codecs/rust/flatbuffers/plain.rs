//! What has a fixed size, and lies in tables, structs and vectors as it is.

#![allow(unused_imports, unused_macros)] // a schema need not have all that there is

use flatbuffers::{Push, PushAlignment};
use serbench::Result;

/// A number, an enum, a struct, or an array of these.
pub trait Plain: Sized + 'static {
    const SIZE: usize;
    const ALIGN: usize;

    /// Writes over bytes that are zero.
    fn put(&self, to: &mut [u8]);
    fn get(from: &[u8]) -> Result<Self>;
    fn sum(from: &[u8]) -> u64;

    fn get_all(from: &[u8]) -> Result<Vec<Self>> {
        let mut all = Vec::with_capacity(from.len() / Self::SIZE);
        for each in from.chunks_exact(Self::SIZE) {
            all.push(Self::get(each)?);
        }
        Ok(all)
    }
}

/// What a table leaves out where it is the default.
pub trait Number: Plain {
    fn start() -> Result<Self>;
    fn is_start(&self) -> bool;
}

/// The next place from `at` on that is a multiple of `align`.
pub const fn aligned(at: usize, align: usize) -> usize {
    at.next_multiple_of(align)
}

/// How a builder takes it.
#[repr(transparent)]
pub struct Raw<T>(T);

impl<T> Raw<T> {
    pub fn of(value: &T) -> &Self {
        // SAFETY: it is laid out as the value is.
        unsafe { &*std::ptr::from_ref(value).cast() }
    }

    pub fn all(values: &[T]) -> &[Self] {
        // SAFETY: likewise.
        unsafe { std::slice::from_raw_parts(values.as_ptr().cast(), values.len()) }
    }
}

impl<T: Plain> Push for Raw<T> {
    type Output = Self;

    unsafe fn push(&self, to: &mut [u8], _written: usize) {
        self.0.put(&mut to[..T::SIZE]);
    }

    fn size() -> usize {
        T::SIZE
    }

    fn alignment() -> PushAlignment {
        PushAlignment::new(T::ALIGN)
    }
}

macro_rules! numbers {
    ($($type:ty),*) => {$(
        impl Plain for $type {
            const SIZE: usize = size_of::<$type>();
            const ALIGN: usize = size_of::<$type>();

            fn put(&self, to: &mut [u8]) {
                to.copy_from_slice(&self.to_le_bytes());
            }
            fn get(from: &[u8]) -> Result<Self> {
                Ok(<$type>::from_le_bytes(from.try_into().expect("its size")))
            }
            fn sum(from: &[u8]) -> u64 {
                serbench::Value::sum(&<$type>::from_le_bytes(from.try_into().expect("its size")))
            }
            fn get_all(from: &[u8]) -> Result<Vec<Self>> {
                let all = from.chunks_exact(Self::SIZE);
                Ok(all.map(|each| <$type>::from_le_bytes(each.try_into().expect("its size"))).collect())
            }
        }

        impl Number for $type {
            fn start() -> Result<Self> {
                Ok(Self::default())
            }
            fn is_start(&self) -> bool {
                // -0.0 is equal to the default, and another value.
                self.to_le_bytes() == Self::default().to_le_bytes()
            }
        }
    )*};
}

numbers!(i8, i16, i32, i64, u8, u16, u32, u64, f32, f64);

impl Plain for bool {
    const SIZE: usize = 1;
    const ALIGN: usize = 1;

    fn put(&self, to: &mut [u8]) {
        to[0] = u8::from(*self);
    }
    fn get(from: &[u8]) -> Result<Self> {
        Ok(from[0] != 0)
    }
    fn sum(from: &[u8]) -> u64 {
        u64::from(from[0] != 0)
    }
}

impl Number for bool {
    fn start() -> Result<Self> {
        Ok(false)
    }
    fn is_start(&self) -> bool {
        !self
    }
}

/// Bytes of a fixed length too, which are in a struct of their own.
impl<T: Plain, const N: usize> Plain for [T; N] {
    const SIZE: usize = N * T::SIZE;
    const ALIGN: usize = T::ALIGN;

    fn put(&self, to: &mut [u8]) {
        self.iter().zip(to.chunks_exact_mut(T::SIZE)).for_each(|(item, to)| item.put(to));
    }
    fn get(from: &[u8]) -> Result<Self> {
        serbench::array(serbench::all(from.chunks_exact(T::SIZE), T::get)?)
    }
    fn sum(from: &[u8]) -> u64 {
        from.chunks_exact(T::SIZE).fold(0, |all, item| all.wrapping_add(T::sum(item)))
    }
}

/// An enum, whose numbers are of some type, and its default, if the member of that number is not gone.
macro_rules! closed {
    ($type:ty: $number:ty = $start:expr) => {
        closed!(in $type, $number);

        impl Number for $type {
            fn start() -> serbench::Result<Self> {
                Ok($start)
            }
            fn is_start(&self) -> bool {
                *self == $start
            }
        }
    };
    ($type:ty: $number:ty) => {
        closed!(in $type, $number);

        impl Number for $type {
            fn start() -> serbench::Result<Self> {
                Err("an enum has the value 0, whose member is gone".into())
            }
            fn is_start(&self) -> bool {
                false
            }
        }
    };
    (in $type:ty, $number:ty) => {
        impl Plain for $type {
            const SIZE: usize = <$number as Plain>::SIZE;
            const ALIGN: usize = <$number as Plain>::ALIGN;

            fn put(&self, to: &mut [u8]) {
                (*self as $number).put(to);
            }
            fn get(from: &[u8]) -> serbench::Result<Self> {
                <$type>::try_from(<$number as Plain>::get(from)?)
                    .map_err(|number| format!("an enum has the value {number}").into())
            }
            fn sum(from: &[u8]) -> u64 {
                <$number as Plain>::sum(from)
            }
        }
    };
}
pub(crate) use closed;

/// The same for an open one.
macro_rules! open {
    ($type:path: $number:ty = $start:expr) => {
        impl Plain for $type {
            const SIZE: usize = <$number as Plain>::SIZE;
            const ALIGN: usize = <$number as Plain>::ALIGN;

            fn put(&self, to: &mut [u8]) {
                self.0.put(to);
            }
            fn get(from: &[u8]) -> serbench::Result<Self> {
                <$number as Plain>::get(from).map($type)
            }
            fn sum(from: &[u8]) -> u64 {
                <$number as Plain>::sum(from)
            }
        }

        impl Number for $type {
            fn start() -> serbench::Result<Self> {
                Ok($type($start))
            }
            fn is_start(&self) -> bool {
                self.0 == $start
            }
        }
    };
}
pub(crate) use open;

/// A struct: its members one after the other, each at a multiple of its alignment.
macro_rules! structure {
    ($type:ty { $($field:ident: $held:ty,)* }) => {
        impl Plain for $type {
            const ALIGN: usize = {
                let mut most = 1;
                $(if <$held as Plain>::ALIGN > most {
                    most = <$held as Plain>::ALIGN;
                })*
                most
            };
            const SIZE: usize = {
                let mut at = 0;
                $(at = aligned(at, <$held as Plain>::ALIGN) + <$held as Plain>::SIZE;)*
                aligned(at, Self::ALIGN)
            };

            fn put(&self, to: &mut [u8]) {
                to.fill(0);
                let mut at = 0;
                $(
                    at = aligned(at, <$held as Plain>::ALIGN);
                    self.$field.put(&mut to[at..at + <$held as Plain>::SIZE]);
                    at += <$held as Plain>::SIZE;
                )*
                let _ = at;
            }
            fn get(from: &[u8]) -> serbench::Result<Self> {
                let mut at = 0;
                $(
                    at = aligned(at, <$held as Plain>::ALIGN);
                    let $field = <$held as Plain>::get(&from[at..at + <$held as Plain>::SIZE])?;
                    at += <$held as Plain>::SIZE;
                )*
                let _ = at;
                Ok(Self { $($field,)* })
            }
            fn sum(from: &[u8]) -> u64 {
                let (mut at, mut sum) = (0, 0u64);
                $(
                    at = aligned(at, <$held as Plain>::ALIGN);
                    sum = sum.wrapping_add(<$held as Plain>::sum(&from[at..at + <$held as Plain>::SIZE]));
                    at += <$held as Plain>::SIZE;
                )*
                let _ = at;
                sum
            }
        }
    };
}
pub(crate) use structure;

/// A struct with some of the members of a whole one, and where they lie in that.
macro_rules! part {
    ($type:ty = $whole:ty { $($field:ident: $held:ty = $at:expr,)* }) => {
        impl Plain for $type {
            const SIZE: usize = <$whole as Plain>::SIZE;
            const ALIGN: usize = <$whole as Plain>::ALIGN;

            fn put(&self, to: &mut [u8]) {
                to.fill(0);
                $(self.$field.put(&mut to[$at..$at + <$held as Plain>::SIZE]);)*
            }
            fn get(from: &[u8]) -> serbench::Result<Self> {
                Ok(Self { $($field: <$held as Plain>::get(&from[$at..$at + <$held as Plain>::SIZE])?,)* })
            }
            fn sum(from: &[u8]) -> u64 {
                0u64$(.wrapping_add(<$held as Plain>::sum(&from[$at..$at + <$held as Plain>::SIZE])))*
            }
        }
    };
}
pub(crate) use part;

/// Where the last of a struct's first members lies.
macro_rules! member {
    ($($held:ty),*) => {{
        let mut place = (0, 0);
        $(
            let at = aligned(place.1, <$held as Plain>::ALIGN);
            place = (at, at + <$held as Plain>::SIZE);
        )*
        place.0
    }};
}
pub(crate) use member;
