//! How the types that domain types are made of lie in the bytes.

use super::{Reader, Writer};
use serbench::{Result, Value};
use std::collections::BTreeMap;

/// What is written and read; `glue.rs` has it for records, enums and unions.
///
/// # Safety
///
/// Where it is a block, it has no padding, and any bytes are a value of it. `put` asks for room as
/// [`Writer`] tells.
pub unsafe trait Layout: Value {
    /// Its bytes are those that it has in memory, so that many of it are copied at once.
    const IS_BLOCK: bool = false;

    fn put<const SLACK: usize>(&self, to: &mut Writer<SLACK>);
    /// Overwrites what there was, in the memory that it has.
    fn fill<const CHECKED: bool>(&mut self, from: &mut Reader<CHECKED>) -> Result<()>;
}

macro_rules! numbers {
    ($($type:ident)*) => {$(
        unsafe impl Layout for $type {
            const IS_BLOCK: bool = true;

            #[inline]
            fn put<const SLACK: usize>(&self, to: &mut Writer<SLACK>) {
                to.block(&[*self]);
            }
            #[inline]
            fn fill<const CHECKED: bool>(&mut self, from: &mut Reader<CHECKED>) -> Result<()> {
                from.block(std::slice::from_mut(self))
            }
        }
    )*};
}

numbers!(i8 i16 i32 i64 u8 u16 u32 u64 f32 f64);

unsafe impl Layout for bool {
    #[inline]
    fn put<const SLACK: usize>(&self, to: &mut Writer<SLACK>) {
        to.block(&[*self]);
    }
    #[inline]
    fn fill<const CHECKED: bool>(&mut self, from: &mut Reader<CHECKED>) -> Result<()> {
        *self = from.number::<u8>()? != 0;
        Ok(())
    }
}

unsafe impl Layout for String {
    fn put<const SLACK: usize>(&self, to: &mut Writer<SLACK>) {
        to.count(self.len());
        to.room(self.len());
        to.block(self.as_bytes());
    }
    fn fill<const CHECKED: bool>(&mut self, from: &mut Reader<CHECKED>) -> Result<()> {
        let size = from.count(1)?;
        self.clear();
        self.push_str(from.text(size)?);
        Ok(())
    }
}

unsafe impl<T: Layout> Layout for Vec<T> {
    fn put<const SLACK: usize>(&self, to: &mut Writer<SLACK>) {
        if T::IS_BLOCK {
            to.count(self.len());
            to.room(size_of_val(self.as_slice()));
            return to.block(self);
        }
        to.list(self, |to, item| item.put(to));
    }
    fn fill<const CHECKED: bool>(&mut self, from: &mut Reader<CHECKED>) -> Result<()> {
        if !T::IS_BLOCK || size_of::<T>() == 0 {
            return from.list(self, |from, item| item.fill(from));
        }
        let count = from.count(size_of::<T>())?;
        let bytes = from.take(count * size_of::<T>())?;
        self.clear();
        self.reserve(count);
        // SAFETY: so many bytes are there, and any bytes are values of a block.
        unsafe {
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), self.as_mut_ptr().cast(), bytes.len());
            self.set_len(count);
        }
        Ok(())
    }
}

unsafe impl<K: Layout + Ord, V: Layout> Layout for BTreeMap<K, V> {
    fn put<const SLACK: usize>(&self, to: &mut Writer<SLACK>) {
        to.map(self, |to, value| value.put(to));
    }
    fn fill<const CHECKED: bool>(&mut self, from: &mut Reader<CHECKED>) -> Result<()> {
        from.map(self, |from, value| value.fill(from))
    }
}

unsafe impl<T: Layout> Layout for Option<T> {
    fn put<const SLACK: usize>(&self, to: &mut Writer<SLACK>) {
        to.optional(self, |to, value| value.put(to));
    }
    fn fill<const CHECKED: bool>(&mut self, from: &mut Reader<CHECKED>) -> Result<()> {
        from.optional(self, |from, value| value.fill(from))
    }
}

unsafe impl<T: Layout> Layout for Box<T> {
    fn put<const SLACK: usize>(&self, to: &mut Writer<SLACK>) {
        (**self).put(to);
    }
    fn fill<const CHECKED: bool>(&mut self, from: &mut Reader<CHECKED>) -> Result<()> {
        (**self).fill(from)
    }
}

/// Arrays, and bytes of a fixed length.
unsafe impl<T: Layout, const N: usize> Layout for [T; N] {
    const IS_BLOCK: bool = T::IS_BLOCK;

    fn put<const SLACK: usize>(&self, to: &mut Writer<SLACK>) {
        if T::IS_BLOCK {
            return to.block(self);
        }
        to.array(self, |to, item| item.put(to));
    }
    fn fill<const CHECKED: bool>(&mut self, from: &mut Reader<CHECKED>) -> Result<()> {
        if T::IS_BLOCK {
            return from.block(self);
        }
        from.array(self, |from, item| item.fill(from))
    }
}
