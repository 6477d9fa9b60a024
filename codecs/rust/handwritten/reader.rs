//! Reads from front to back; where it is `CHECKED`, it refuses what does not fit the bytes that are left, and
//! what is no value.

use super::Layout;
use serbench::{Result, MAX_DEPTH};
use std::collections::BTreeMap;
use std::hint::unreachable_unchecked;

const MAX_EMPTY_ITEMS: usize = 1 << 16;

pub struct Reader<'a, const CHECKED: bool> {
    rest: &'a [u8],
    depth: u32,
}

impl<'a, const CHECKED: bool> Reader<'a, CHECKED> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes, depth: 0 }
    }

    #[inline]
    pub fn take(&mut self, size: usize) -> Result<&'a [u8]> {
        if CHECKED && size > self.rest.len() {
            return Err("the bytes end early".into());
        }
        // SAFETY: there are so many, by what was just seen or by the word of who chose not to check.
        let (taken, rest) = unsafe { self.rest.split_at_unchecked(size) };
        self.rest = rest;
        Ok(taken)
    }

    /// Copies a block over values that any bytes are values of.
    #[inline]
    pub fn block<T: Layout>(&mut self, values: &mut [T]) -> Result<()> {
        debug_assert!(T::IS_BLOCK);
        let from = self.take(size_of_val(values))?;
        // SAFETY: so many bytes are there, and any bytes are values of a block.
        unsafe { std::ptr::copy_nonoverlapping(from.as_ptr(), values.as_mut_ptr().cast(), from.len()) };
        Ok(())
    }

    #[inline]
    pub fn number<T: Layout>(&mut self) -> Result<T> {
        let mut number = T::empty();
        number.fill(self)?;
        Ok(number)
    }

    /// The count of items that take at least so many bytes each.
    #[inline]
    pub fn count(&mut self, least: usize) -> Result<usize> {
        let count = self.number::<u64>()? as usize;
        let most = self.rest.len().checked_div(least).unwrap_or(MAX_EMPTY_ITEMS);
        if CHECKED && count > most {
            return Err("a count exceeds the bytes left".into());
        }
        Ok(count)
    }

    /// Text out of bytes.
    #[inline]
    pub fn text(&mut self, size: usize) -> Result<&'a str> {
        let bytes = self.take(size)?;
        if CHECKED {
            return Ok(std::str::from_utf8(bytes)?);
        }
        // SAFETY: by the word of who chose not to check.
        Ok(unsafe { std::str::from_utf8_unchecked(bytes) })
    }

    /// What a number stands for that may stand for nothing.
    #[inline]
    pub fn known<T, N>(&self, value: std::result::Result<T, N>) -> Result<T> {
        match value {
            Ok(value) => Ok(value),
            Err(_) => self.unknown(),
        }
    }

    /// A number that stands for nothing.
    #[inline]
    pub fn unknown<T>(&self) -> Result<T> {
        if CHECKED {
            return Err("an enum or union has no such value".into());
        }
        // SAFETY: by the word of who chose not to check.
        unsafe { unreachable_unchecked() }
    }

    /// Reads what a type leads back to.
    pub fn step<T: Layout>(&mut self, value: &mut T) -> Result<()> {
        if self.depth == MAX_DEPTH {
            return Err(format!("more than {MAX_DEPTH} steps of recursion").into());
        }
        self.depth += 1;
        value.fill(self)?;
        self.depth -= 1;
        Ok(())
    }

    /// Reads a list, each item by a function.
    pub fn list<T: Layout>(
        &mut self,
        list: &mut Vec<T>,
        item: impl FnMut(&mut Self, &mut T) -> Result<()>,
    ) -> Result<()> {
        let count = self.count(if size_of::<T>() == 0 { 0 } else { 1 })?;
        list.resize_with(count, T::empty);
        self.array(list, item)
    }

    /// Reads a map, each value by a function.
    pub fn map<K: Layout + Ord, V: Layout>(
        &mut self,
        map: &mut BTreeMap<K, V>,
        mut item: impl FnMut(&mut Self, &mut V) -> Result<()>,
    ) -> Result<()> {
        map.clear();
        for _ in 0..self.count(1)? {
            let key = self.number()?;
            let mut value = V::empty();
            item(self, &mut value)?;
            map.insert(key, value);
        }
        Ok(())
    }

    /// Reads what may be absent, by a function.
    pub fn optional<T: Layout>(
        &mut self,
        optional: &mut Option<T>,
        item: impl FnOnce(&mut Self, &mut T) -> Result<()>,
    ) -> Result<()> {
        if self.number()? {
            return item(self, optional.get_or_insert_with(T::empty));
        }
        *optional = None;
        Ok(())
    }

    /// Reads as many items as there are, each by a function.
    pub fn array<T>(
        &mut self,
        array: &mut [T],
        mut item: impl FnMut(&mut Self, &mut T) -> Result<()>,
    ) -> Result<()> {
        array.iter_mut().try_for_each(|each| item(self, each))
    }
}
