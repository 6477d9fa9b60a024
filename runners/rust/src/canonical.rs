//! The canonical encoding of domain values (docs/canonical-encoding.md), with every check that it asks for,
//! and the sums of `traverse`.

use crate::Result;
use std::collections::BTreeMap;

/// Steps back that a value has inside each other at most; beyond, a reader has an error and not a crash.
pub const MAX_DEPTH: u32 = 1000;

/// The most values inside each other, for libraries that count those: a step is at most eight of them.
pub const MAX_VALUES: usize = 8 * MAX_DEPTH as usize;

const MAX_EMPTY_ITEMS: usize = 1 << 16;

/// A value of the domain. Generated code implements it for records, enums and unions.
pub trait Value: Sized {
    /// A value with as little in it as can be, to be read into.
    fn empty() -> Self;
    /// Reads canonical bytes over what there was, in the memory that it has.
    fn read(&mut self, from: &mut Reader) -> Result<()>;
    fn write(&self, to: &mut Writer);
    /// The sum of every field, by which an optimiser has to read them all: numbers as their value (floats:
    /// their bits), strings and bytes as their length and the sum of their bytes, lists and maps as their
    /// count and their items, optionals as their presence and their value, unions as the index of their
    /// alternative and its value. It wraps.
    fn sum(&self) -> u64;

    /// Reads `count` values one after the other; at least one byte is left for each.
    fn read_items(items: &mut Vec<Self>, count: usize, from: &mut Reader) -> Result<()> {
        from.items(items, count, |from, item| item.read(from))
    }
    /// Writes values one after the other.
    fn write_items(items: &[Self], to: &mut Writer) {
        items.iter().for_each(|item| item.write(to));
    }
}

/// Makes `value` what canonical bytes say.
pub fn read<T: Value>(bytes: &[u8], value: &mut T) -> Result<()> {
    let mut reader = Reader { rest: bytes, depth: 0 };
    value.read(&mut reader)?;
    match reader.rest.len() {
        0 => Ok(()),
        left => Err(format!("{left} bytes are left over").into()),
    }
}

/// Appends the canonical bytes of a value.
pub fn write<T: Value>(value: &T, out: &mut Vec<u8>) -> Result<()> {
    let mut writer = Writer { out, depth: 0, is_too_deep: false };
    value.write(&mut writer);
    if writer.is_too_deep {
        return Err(too_deep().into());
    }
    Ok(())
}

/// The sum of a string's or of bytes.
pub fn octets_sum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(bytes.len() as u64, |sum, &byte| sum + u64::from(byte))
}

fn too_deep() -> String {
    format!("more than {MAX_DEPTH} steps of recursion")
}

/// Canonical bytes that are read from front to back.
pub struct Reader<'a> {
    rest: &'a [u8],
    depth: u32,
}

impl<'a> Reader<'a> {
    pub fn take(&mut self, size: usize) -> Result<&'a [u8]> {
        let (taken, rest) = self
            .rest
            .split_at_checked(size)
            .ok_or_else(|| format!("truncated: {size} bytes are needed, {} are left", self.rest.len()))?;
        self.rest = rest;
        Ok(taken)
    }

    pub fn number<T: Value>(&mut self) -> Result<T> {
        let mut number = T::empty();
        number.read(self)?;
        Ok(number)
    }

    /// Reads a value of a type that leads back, and counts that step.
    pub fn step<T: Value>(&mut self, value: &mut T) -> Result<()> {
        if self.depth == MAX_DEPTH {
            return Err(too_deep().into());
        }
        self.depth += 1;
        value.read(self)?;
        self.depth -= 1;
        Ok(())
    }

    /// Reads a list, each item by a function.
    pub fn list<T: Value>(
        &mut self,
        list: &mut Vec<T>,
        item: impl FnMut(&mut Self, &mut T) -> Result<()>,
    ) -> Result<()> {
        let count = self.count_of::<T>()?;
        self.items(list, count, item)
    }

    /// Reads a map, each value by a function; its keys ascend.
    pub fn map<K: Value + Ord, V: Value>(
        &mut self,
        map: &mut BTreeMap<K, V>,
        mut item: impl FnMut(&mut Self, &mut V) -> Result<()>,
    ) -> Result<()> {
        map.clear();
        for _ in 0..self.count_of::<(K, V)>()? {
            let key: K = self.number()?;
            if map.last_key_value().is_some_and(|(last, _)| *last >= key) {
                return Err("the keys of a map do not ascend".into());
            }
            let mut value = V::empty();
            item(self, &mut value)?;
            map.insert(key, value);
        }
        Ok(())
    }

    /// Reads what may be absent, by a function.
    pub fn optional<T: Value>(
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

    fn items<T: Value>(
        &mut self,
        list: &mut Vec<T>,
        count: usize,
        mut item: impl FnMut(&mut Self, &mut T) -> Result<()>,
    ) -> Result<()> {
        list.resize_with(count, T::empty);
        list.iter_mut().try_for_each(|each| item(self, each))
    }

    /// The count of a list or map. Items take at least one byte each, so that a wrong count cannot ask for
    /// more memory than the message has bytes; where they take none, there is a limit.
    pub(crate) fn count_of<T>(&mut self) -> Result<usize> {
        let count = self.number::<u32>()? as usize;
        let most = if size_of::<T>() == 0 { MAX_EMPTY_ITEMS } else { self.rest.len() };
        if count > most {
            return Err(format!("a count of {count}, expected at most {most}").into());
        }
        Ok(count)
    }
}

/// Writes canonical bytes.
pub struct Writer<'a> {
    out: &'a mut Vec<u8>,
    depth: u32,
    is_too_deep: bool,
}

impl Writer<'_> {
    pub fn put(&mut self, bytes: &[u8]) {
        self.out.extend_from_slice(bytes);
    }

    pub fn count(&mut self, count: usize) {
        u32::try_from(count).expect("more than 2^32 - 1 items").write(self);
    }

    /// Writes a value of a type that leads back, and counts that step.
    pub fn step<T: Value>(&mut self, value: &T) {
        if self.depth == MAX_DEPTH {
            self.is_too_deep = true;
            return;
        }
        self.depth += 1;
        value.write(self);
        self.depth -= 1;
    }

    /// Writes a list, each item by a function.
    pub fn list<T>(&mut self, list: &[T], mut item: impl FnMut(&mut Self, &T)) {
        self.count(list.len());
        list.iter().for_each(|each| item(self, each));
    }

    /// Writes a map, each value by a function.
    pub fn map<K: Value, V>(&mut self, map: &BTreeMap<K, V>, mut item: impl FnMut(&mut Self, &V)) {
        self.count(map.len());
        for (key, value) in map {
            key.write(self);
            item(self, value);
        }
    }

    /// Writes what may be absent, by a function.
    pub fn optional<T>(&mut self, optional: &Option<T>, item: impl FnOnce(&mut Self, &T)) {
        optional.is_some().write(self);
        if let Some(value) = optional {
            item(self, value);
        }
    }

    /// Writes items one after the other, each by a function.
    pub fn array<T>(&mut self, array: &[T], mut item: impl FnMut(&mut Self, &T)) {
        array.iter().for_each(|each| item(self, each));
    }
}

impl Reader<'_> {
    /// Reads as many items as there are, each by a function.
    pub fn array<T>(
        &mut self,
        array: &mut [T],
        mut item: impl FnMut(&mut Self, &mut T) -> Result<()>,
    ) -> Result<()> {
        array.iter_mut().try_for_each(|each| item(self, each))
    }
}
