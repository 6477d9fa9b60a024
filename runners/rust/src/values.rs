//! The values that domain types are made of, in the canonical encoding.

use crate::canonical::{octets_sum, Reader, Value, Writer};
use crate::Result;
use std::collections::BTreeMap;

macro_rules! number {
    ($type:ident, $sum:expr) => {
        impl Value for $type {
            fn empty() -> Self {
                Default::default()
            }
            fn read(&mut self, from: &mut Reader) -> Result<()> {
                let bytes = from.take(size_of::<$type>())?;
                *self = $type::from_le_bytes(bytes.try_into()?);
                Ok(())
            }
            fn write(&self, to: &mut Writer) {
                to.put(&self.to_le_bytes());
            }
            #[inline] // into adapters, which are other crates: else each number is a call
            fn sum(&self) -> u64 {
                let sum: fn($type) -> u64 = $sum;
                sum(*self)
            }
            fn read_items(items: &mut Vec<Self>, count: usize, from: &mut Reader) -> Result<()> {
                let bytes = from.take(count * size_of::<$type>())?.chunks_exact(size_of::<$type>());
                items.clear();
                items.extend(bytes.map(|each| $type::from_le_bytes(each.try_into().expect("its width"))));
                Ok(())
            }
        }
    };
}

number!(i8, |number| number as u64);
number!(i16, |number| number as u64);
number!(i32, |number| number as u64);
number!(i64, |number| number as u64);
number!(u8, u64::from);
number!(u16, u64::from);
number!(u32, u64::from);
number!(u64, u64::from);
number!(f32, |number| u64::from(number.to_bits()));
number!(f64, f64::to_bits);

impl Value for bool {
    fn empty() -> Self {
        Self::default()
    }
    fn read(&mut self, from: &mut Reader) -> Result<()> {
        *self = match from.number::<u8>()? {
            0 => false,
            1 => true,
            other => return Err(format!("a bool or presence byte is {other}").into()),
        };
        Ok(())
    }
    fn write(&self, to: &mut Writer) {
        to.put(&[u8::from(*self)]);
    }
    #[inline]
    fn sum(&self) -> u64 {
        u64::from(*self)
    }
}

impl Value for String {
    fn empty() -> Self {
        Self::default()
    }
    fn read(&mut self, from: &mut Reader) -> Result<()> {
        let size = from.number::<u32>()? as usize;
        let text = std::str::from_utf8(from.take(size)?)?;
        self.clear();
        self.push_str(text);
        Ok(())
    }
    fn write(&self, to: &mut Writer) {
        to.count(self.len());
        to.put(self.as_bytes());
    }
    fn sum(&self) -> u64 {
        octets_sum(self.as_bytes())
    }
}

/// Bytes too: their sum is that of a list of numbers.
impl<T: Value> Value for Vec<T> {
    fn empty() -> Self {
        Self::default()
    }
    fn read(&mut self, from: &mut Reader) -> Result<()> {
        let count = from.count_of::<T>()?;
        T::read_items(self, count, from)
    }
    fn write(&self, to: &mut Writer) {
        to.count(self.len());
        T::write_items(self, to);
    }
    fn sum(&self) -> u64 {
        self.iter().fold(self.len() as u64, |sum, each| sum.wrapping_add(each.sum()))
    }
}

impl<K: Value + Ord, V: Value> Value for BTreeMap<K, V> {
    fn empty() -> Self {
        Self::default()
    }
    fn read(&mut self, from: &mut Reader) -> Result<()> {
        from.map(self, |from, value| value.read(from))
    }
    fn write(&self, to: &mut Writer) {
        to.map(self, |to, value| value.write(to));
    }
    fn sum(&self) -> u64 {
        self.iter().fold(self.len() as u64, |sum, (key, value)| {
            sum.wrapping_add(key.sum()).wrapping_add(value.sum())
        })
    }
}

impl<T: Value> Value for Option<T> {
    fn empty() -> Self {
        None
    }
    fn read(&mut self, from: &mut Reader) -> Result<()> {
        from.optional(self, |from, value| value.read(from))
    }
    fn write(&self, to: &mut Writer) {
        to.optional(self, |to, value| value.write(to));
    }
    fn sum(&self) -> u64 {
        self.as_ref().map_or(0, |value| value.sum().wrapping_add(1))
    }
}

impl<T: Value> Value for Box<T> {
    fn empty() -> Self {
        Box::new(T::empty())
    }
    fn read(&mut self, from: &mut Reader) -> Result<()> {
        (**self).read(from)
    }
    fn write(&self, to: &mut Writer) {
        (**self).write(to);
    }
    fn sum(&self) -> u64 {
        (**self).sum()
    }
}

/// Arrays, and bytes of a fixed length.
impl<T: Value, const N: usize> Value for [T; N] {
    fn empty() -> Self {
        std::array::from_fn(|_| T::empty())
    }
    fn read(&mut self, from: &mut Reader) -> Result<()> {
        self.iter_mut().try_for_each(|item| item.read(from))
    }
    fn write(&self, to: &mut Writer) {
        self.iter().for_each(|item| item.write(to));
    }
    fn sum(&self) -> u64 {
        self.iter().fold(0, |sum, each| sum.wrapping_add(each.sum()))
    }
}
