//! The fields of tables, by markers of when they are there.

use super::{place, BTreeMap, Checked, Chosen, Holds, Made, Number, Plain, Raw, Table, To};
use flatbuffers::{InvalidFlatbuffer, TableVerifier};
use serbench::Result;
use std::marker::PhantomData;

/// How the field of a table has a `T`.
pub trait Field<T> {
    /// What is written before the table.
    type Made: Copy;

    fn make(value: &T, to: &mut To) -> Self::Made;
    fn put(value: &T, made: Self::Made, slot: u16, to: &mut To);
    fn check<'v, 'o, 'b>(
        table: Checking<'v, 'o, 'b>,
        slot: u16,
        name: &'static str,
    ) -> Checked<Checking<'v, 'o, 'b>>;
    fn get(table: &Table, slot: u16) -> Result<T>;
    fn sum(table: &Table, slot: u16) -> u64;
}

/// A table that is being verified.
pub type Checking<'v, 'o, 'b> = TableVerifier<'v, 'o, 'b>;

fn check<'v, 'o, 'b, T, H: Holds<T>>(
    mut table: Checking<'v, 'o, 'b>,
    slot: u16,
) -> Checked<(Checking<'v, 'o, 'b>, bool)> {
    let at = table.deref(slot)?;
    if let Some(at) = at {
        H::check(table.verifier(), at)?;
    }
    Ok((table, at.is_some()))
}

fn absent<T>() -> Result<T> {
    Err("a field is absent that is required".into())
}

/// A number or an enum, which is absent where it is the default.
pub struct Plainly;

impl<T: Number> Field<T> for Plainly {
    type Made = ();

    fn make(_value: &T, _to: &mut To) {}
    fn put(value: &T, _made: (), slot: u16, to: &mut To) {
        if !value.is_start() {
            to.push_slot_always(slot, Raw::of(value));
        }
    }
    fn check<'v, 'o, 'b>(
        table: Checking<'v, 'o, 'b>,
        slot: u16,
        _name: &'static str,
    ) -> Checked<Checking<'v, 'o, 'b>> {
        Ok(check::<T, super::Fixed>(table, slot)?.0)
    }
    fn get(table: &Table, slot: u16) -> Result<T> {
        place(table, slot).map_or_else(T::start, |at| T::get(&table.buf()[at..at + T::SIZE]))
    }
    fn sum(table: &Table, slot: u16) -> u64 {
        match place(table, slot) {
            Some(at) => T::sum(&table.buf()[at..at + T::SIZE]),
            None => T::start().map_or(0, |start| sum_of(&start)),
        }
    }
}

fn sum_of<T: Plain>(value: &T) -> u64 {
    let mut bytes = [0; 8]; // no number has more
    value.put(&mut bytes[..T::SIZE]);
    T::sum(&bytes[..T::SIZE])
}

/// What is always there.
pub struct Always<H>(PhantomData<H>);

impl<T, H: Holds<T>> Field<T> for Always<H> {
    type Made = H::Made;

    fn make(value: &T, to: &mut To) -> H::Made {
        H::make(value, to)
    }
    fn put(value: &T, made: H::Made, slot: u16, to: &mut To) {
        H::put(value, made, slot, to);
    }
    fn check<'v, 'o, 'b>(
        table: Checking<'v, 'o, 'b>,
        slot: u16,
        name: &'static str,
    ) -> Checked<Checking<'v, 'o, 'b>> {
        match check::<T, H>(table, slot)? {
            (table, true) => Ok(table),
            _ => InvalidFlatbuffer::new_missing_required(name),
        }
    }
    fn get(table: &Table, slot: u16) -> Result<T> {
        place(table, slot).map_or_else(absent, |at| H::get(table.buf(), at))
    }
    fn sum(table: &Table, slot: u16) -> u64 {
        place(table, slot).map_or(0, |at| H::sum(table.buf(), at))
    }
}

/// Text, bytes, a list or a map: absent where it is empty.
pub struct NotEmpty<H>(PhantomData<H>);

/// What can be empty.
pub trait Empty: Sized {
    fn is_none(&self) -> bool;
    fn none() -> Result<Self>;
}

impl Empty for String {
    fn is_none(&self) -> bool {
        self.is_empty()
    }
    fn none() -> Result<Self> {
        Ok(Self::new())
    }
}

impl<T> Empty for Vec<T> {
    fn is_none(&self) -> bool {
        self.is_empty()
    }
    fn none() -> Result<Self> {
        Ok(Self::new())
    }
}

impl<K, V> Empty for BTreeMap<K, V> {
    fn is_none(&self) -> bool {
        self.is_empty()
    }
    fn none() -> Result<Self> {
        Ok(Self::new())
    }
}

impl<T, const N: usize> Empty for [T; N] {
    fn is_none(&self) -> bool {
        N == 0
    }
    fn none() -> Result<Self> {
        Vec::new().try_into().map_err(|_| format!("there are no items, expected {N}").into())
    }
}

impl<T: Empty, H: Holds<T>> Field<T> for NotEmpty<H> {
    type Made = Option<H::Made>;

    fn make(value: &T, to: &mut To) -> Option<H::Made> {
        (!value.is_none()).then(|| H::make(value, to))
    }
    fn put(value: &T, made: Option<H::Made>, slot: u16, to: &mut To) {
        if let Some(made) = made {
            H::put(value, made, slot, to);
        }
    }
    fn check<'v, 'o, 'b>(
        table: Checking<'v, 'o, 'b>,
        slot: u16,
        _name: &'static str,
    ) -> Checked<Checking<'v, 'o, 'b>> {
        Ok(check::<T, H>(table, slot)?.0)
    }
    fn get(table: &Table, slot: u16) -> Result<T> {
        place(table, slot).map_or_else(T::none, |at| H::get(table.buf(), at))
    }
    fn sum(table: &Table, slot: u16) -> u64 {
        place(table, slot).map_or(0, |at| H::sum(table.buf(), at))
    }
}

/// What may be absent.
pub struct Maybe<H>(PhantomData<H>);

impl<T, H: Holds<T>> Field<Option<T>> for Maybe<H> {
    type Made = Option<H::Made>;

    fn make(value: &Option<T>, to: &mut To) -> Option<H::Made> {
        value.as_ref().map(|value| H::make(value, to))
    }
    fn put(value: &Option<T>, made: Option<H::Made>, slot: u16, to: &mut To) {
        if let (Some(value), Some(made)) = (value, made) {
            H::put(value, made, slot, to);
        }
    }
    fn check<'v, 'o, 'b>(
        table: Checking<'v, 'o, 'b>,
        slot: u16,
        _name: &'static str,
    ) -> Checked<Checking<'v, 'o, 'b>> {
        Ok(check::<T, H>(table, slot)?.0)
    }
    fn get(table: &Table, slot: u16) -> Result<Option<T>> {
        place(table, slot).map(|at| H::get(table.buf(), at)).transpose()
    }
    fn sum(table: &Table, slot: u16) -> u64 {
        place(table, slot).map_or(0, |at| H::sum(table.buf(), at).wrapping_add(1))
    }
}

/// A union: a field with its tag, and one with its table.
pub struct Choice;

/// A union that may be absent.
pub struct MaybeChoice;

fn check_choice<'v, 'o, 'b, T: Chosen>(
    mut table: Checking<'v, 'o, 'b>,
    slot: u16,
) -> Checked<(Checking<'v, 'o, 'b>, bool)> {
    let (tag, value) = (table.deref(slot)?, table.deref(slot + 2)?);
    match (tag, value) {
        (Some(tag), Some(value)) => {
            let verifier = table.verifier();
            let (tag, at) = (verifier.get_u8(tag)?, super::forward(verifier, value)?);
            T::check(tag, verifier, at)?;
            Ok((table, true))
        }
        (None, None) => Ok((table, false)),
        _ => InvalidFlatbuffer::new_inconsistent_union("tag", "value"),
    }
}

/// The tag and the table.
fn chosen<'a>(table: &Table<'a>, slot: u16) -> Option<(u8, Table<'a>)> {
    let (tag, value) = (place(table, slot)?, place(table, slot + 2)?);
    Some((table.buf()[tag], super::table_at(table.buf(), value)))
}

fn put_choice(tag: u8, made: Made, slot: u16, to: &mut To) {
    to.push_slot_always(slot + 2, made);
    to.push_slot_always(slot, tag);
}

impl<T: Chosen> Field<T> for Choice {
    type Made = Made;

    fn make(value: &T, to: &mut To) -> Made {
        value.make(to)
    }
    fn put(value: &T, made: Made, slot: u16, to: &mut To) {
        put_choice(value.tag(), made, slot, to);
    }
    fn check<'v, 'o, 'b>(
        table: Checking<'v, 'o, 'b>,
        slot: u16,
        name: &'static str,
    ) -> Checked<Checking<'v, 'o, 'b>> {
        match check_choice::<T>(table, slot)? {
            (table, true) => Ok(table),
            _ => InvalidFlatbuffer::new_missing_required(name),
        }
    }
    fn get(table: &Table, slot: u16) -> Result<T> {
        chosen(table, slot).map_or_else(absent, |(tag, table)| T::get(tag, &table))
    }
    fn sum(table: &Table, slot: u16) -> u64 {
        chosen(table, slot).map_or(0, |(tag, table)| T::sum(tag, &table))
    }
}

impl<T: Chosen> Field<Option<T>> for MaybeChoice {
    type Made = Option<Made>;

    fn make(value: &Option<T>, to: &mut To) -> Option<Made> {
        value.as_ref().map(|value| value.make(to))
    }
    fn put(value: &Option<T>, made: Option<Made>, slot: u16, to: &mut To) {
        if let (Some(value), Some(made)) = (value, made) {
            put_choice(value.tag(), made, slot, to);
        }
    }
    fn check<'v, 'o, 'b>(
        table: Checking<'v, 'o, 'b>,
        slot: u16,
        _name: &'static str,
    ) -> Checked<Checking<'v, 'o, 'b>> {
        Ok(check_choice::<T>(table, slot)?.0)
    }
    fn get(table: &Table, slot: u16) -> Result<Option<T>> {
        chosen(table, slot).map(|(tag, table)| T::get(tag, &table)).transpose()
    }
    fn sum(table: &Table, slot: u16) -> u64 {
        chosen(table, slot).map_or(0, |(tag, table)| T::sum(tag, &table).wrapping_add(1))
    }
}
