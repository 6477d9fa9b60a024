//! Writes into a buffer that grows.

use super::Layout;
use std::collections::BTreeMap;

/// Room is asked for where a size is known only then: before a block, before each item of a list or map, and
/// around each step back. Beyond what was asked for there are always `SLACK` bytes, for the numbers and counts
/// up to the next such place.
#[derive(Default)]
pub struct Writer<const SLACK: usize> {
    buffer: Vec<u8>,
    used: usize,
    /// Up to where bytes may be used, with the slack beyond.
    limit: usize,
}

impl<const SLACK: usize> Writer<SLACK> {
    pub fn write<T: Layout>(&mut self, root: &T) -> &[u8] {
        self.used = 0;
        if self.buffer.capacity() < SLACK {
            self.grow(0);
        }
        root.put(self);
        // SAFETY: so many were written.
        unsafe { self.buffer.set_len(self.used) };
        &self.buffer
    }

    /// Sees to it that there is room for so many bytes, and the slack beyond.
    #[inline]
    pub fn room(&mut self, size: usize) {
        if self.limit < self.used + size {
            self.grow(size);
        }
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, size: usize) {
        // SAFETY: so many were written.
        unsafe { self.buffer.set_len(self.used) };
        self.buffer.reserve(size + SLACK);
        self.limit = self.buffer.capacity() - SLACK;
    }

    /// Writes values as they lie in memory, without padding.
    #[inline]
    pub fn block<T>(&mut self, values: &[T]) {
        // SAFETY: room was asked for them, or they are within the slack.
        unsafe {
            let to = self.buffer.as_mut_ptr().add(self.used);
            std::ptr::copy_nonoverlapping(values.as_ptr().cast(), to, size_of_val(values));
        }
        self.used += size_of_val(values);
    }

    #[inline]
    pub fn count(&mut self, count: usize) {
        self.block(&[count as u64]);
    }

    /// Writes the alternative that a union has.
    #[inline]
    pub fn index(&mut self, index: u32) {
        self.block(&[index]);
    }

    /// Writes what a type leads back to.
    pub fn step<T: Layout>(&mut self, value: &T) {
        self.room(0);
        value.put(self);
        self.room(0);
    }

    /// Writes a list, each item by a function.
    pub fn list<T>(&mut self, list: &[T], mut item: impl FnMut(&mut Self, &T)) {
        self.count(list.len());
        for each in list {
            self.room(0);
            item(self, each);
        }
    }

    /// Writes a map, each value by a function.
    pub fn map<K: Layout, V>(&mut self, map: &BTreeMap<K, V>, mut item: impl FnMut(&mut Self, &V)) {
        self.count(map.len());
        for (key, value) in map {
            self.room(0);
            key.put(self);
            item(self, value);
        }
    }

    /// Writes what may be absent, by a function.
    pub fn optional<T>(&mut self, optional: &Option<T>, item: impl FnOnce(&mut Self, &T)) {
        self.block(&[optional.is_some()]);
        if let Some(value) = optional {
            item(self, value);
        }
    }

    /// Writes items one after the other, each by a function.
    pub fn array<T>(&mut self, array: &[T], mut item: impl FnMut(&mut Self, &T)) {
        array.iter().for_each(|each| item(self, each));
    }
}
