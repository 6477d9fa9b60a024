//! What fields of tables and items of vectors hold, by markers.

use super::{aligned, forward, offset, place, table_at, Field};
use super::{Checked, Made, Plain, Raw, Table, Tables, To, Verifier, WIPOffset};
use flatbuffers::{Follow, ForwardsUOffset, Push, PushAlignment, Verifiable};
use serbench::{octets_sum, Result};
pub use std::collections::BTreeMap;
use std::marker::PhantomData;

/// What a field holds that is there.
pub trait Holds<T> {
    type Made: Copy;

    fn make(value: &T, to: &mut To) -> Self::Made;
    fn put(value: &T, made: Self::Made, slot: u16, to: &mut To);
    fn check(verifier: &mut Verifier, at: usize) -> Checked<()>;
    fn get(bytes: &[u8], at: usize) -> Result<T>;
    fn sum(bytes: &[u8], at: usize) -> u64;
}

/// What can be an item of a vector too.
pub trait Item<T>: Holds<T> {
    const SIZE: usize;

    fn vector(items: &[T], to: &mut To) -> Place;

    /// Checks items that are in the buffer.
    fn check_all(verifier: &mut Verifier, at: usize, count: usize) -> Checked<()> {
        (0..count).try_for_each(|n| Self::check(verifier, at + n * Self::SIZE))
    }

    fn get_all(bytes: &[u8], at: usize, count: usize) -> Result<Vec<T>> {
        let mut all = Vec::with_capacity(count);
        for n in 0..count {
            all.push(Self::get(bytes, at + n * Self::SIZE)?);
        }
        Ok(all)
    }
}

/// Where a vector has been written.
pub type Place = WIPOffset<()>;

fn place_of<T>(made: WIPOffset<T>) -> Place {
    WIPOffset::new(made.value())
}

/// What lies there itself.
pub struct Fixed;

impl<T: Plain> Holds<T> for Fixed {
    type Made = ();

    fn make(_value: &T, _to: &mut To) {}
    fn put(value: &T, _made: (), slot: u16, to: &mut To) {
        to.push_slot_always(slot, Raw::of(value));
    }
    fn check(verifier: &mut Verifier, at: usize) -> Checked<()> {
        check_aligned(verifier, at, T::ALIGN)?;
        verifier.range_in_buffer(at, T::SIZE)
    }
    fn get(bytes: &[u8], at: usize) -> Result<T> {
        T::get(&bytes[at..at + T::SIZE])
    }
    fn sum(bytes: &[u8], at: usize) -> u64 {
        T::sum(&bytes[at..at + T::SIZE])
    }
}

impl<T: Plain> Item<T> for Fixed {
    const SIZE: usize = T::SIZE;

    fn vector(items: &[T], to: &mut To) -> Place {
        place_of(to.create_vector(Raw::all(items)))
    }
    fn check_all(verifier: &mut Verifier, at: usize, _count: usize) -> Checked<()> {
        check_aligned(verifier, at, T::ALIGN)
    }
    fn get_all(bytes: &[u8], at: usize, count: usize) -> Result<Vec<T>> {
        T::get_all(&bytes[at..at + count * T::SIZE])
    }
}

fn check_aligned(verifier: &mut Verifier, at: usize, align: usize) -> Checked<()> {
    match align {
        2 => verifier.is_aligned::<u16>(at),
        4 => verifier.is_aligned::<u32>(at),
        8 => verifier.is_aligned::<u64>(at),
        _ => Ok(()),
    }
}

pub struct Text;

impl Holds<String> for Text {
    type Made = WIPOffset<&'static str>;

    fn make(value: &String, to: &mut To) -> Self::Made {
        to.create_string(value)
    }
    fn put(_value: &String, made: Self::Made, slot: u16, to: &mut To) {
        to.push_slot_always(slot, made);
    }
    fn check(verifier: &mut Verifier, at: usize) -> Checked<()> {
        <ForwardsUOffset<&str>>::run_verifier(verifier, at)
    }
    fn get(bytes: &[u8], at: usize) -> Result<String> {
        // SAFETY: the verifier has seen it, or who chose not to check gave the word. Code of flatc does
        // not look for text that is no UTF-8 once more either.
        Ok(unsafe { <ForwardsUOffset<&str>>::follow(bytes, at) }.to_owned())
    }
    fn sum(bytes: &[u8], at: usize) -> u64 {
        octets_sum(octets(bytes, at))
    }
}

impl Item<String> for Text {
    const SIZE: usize = 4;

    fn vector(items: &[String], to: &mut To) -> Place {
        let made: Vec<_> = items.iter().map(|item| to.create_string(item)).collect();
        place_of(to.create_vector(&made))
    }
}

fn octets(bytes: &[u8], at: usize) -> &[u8] {
    let at = at + offset(bytes, at);
    &bytes[at + 4..at + 4 + offset(bytes, at)]
}

/// A table behind an offset.
pub struct Tab<M>(PhantomData<M>);

impl<T, M: Tables<T>> Holds<T> for Tab<M> {
    type Made = Made;

    fn make(value: &T, to: &mut To) -> Made {
        M::make(value, to)
    }
    fn put(_value: &T, made: Made, slot: u16, to: &mut To) {
        to.push_slot_always(slot, made);
    }
    fn check(verifier: &mut Verifier, at: usize) -> Checked<()> {
        let table = forward(verifier, at)?;
        M::check(verifier, table)
    }
    fn get(bytes: &[u8], at: usize) -> Result<T> {
        M::get(&table_at(bytes, at))
    }
    fn sum(bytes: &[u8], at: usize) -> u64 {
        M::sum(&table_at(bytes, at))
    }
}

impl<T, M: Tables<T>> Item<T> for Tab<M> {
    const SIZE: usize = 4;

    fn vector(items: &[T], to: &mut To) -> Place {
        let made: Vec<_> = items.iter().map(|item| M::make(item, to)).collect();
        place_of(to.create_vector(&made))
    }
}

/// A vector in a buffer: where its items begin, and how many there are.
pub struct Items<'a> {
    pub bytes: &'a [u8],
    pub at: usize,
    pub count: usize,
}

impl<'a> Items<'a> {
    pub fn of(bytes: &'a [u8], at: usize) -> Self {
        let at = at + offset(bytes, at);
        Self { bytes, at: at + 4, count: offset(bytes, at) }
    }

    /// None where the field of a table is absent.
    pub fn in_field(table: &Table<'a>, slot: u16) -> Self {
        place(table, slot).map_or(Self { bytes: &[], at: 0, count: 0 }, |at| Self::of(table.buf(), at))
    }

    fn places(&self, size: usize) -> impl Iterator<Item = usize> {
        let at = self.at;
        (0..self.count).map(move |n| at + n * size)
    }
}

/// A vector of what items hold.
pub struct Many<H>(PhantomData<H>);

impl<H> Many<H> {
    fn check<T>(verifier: &mut Verifier, at: usize) -> Checked<()>
    where
        H: Item<T>,
    {
        let (at, count) = check_vector(verifier, at, H::SIZE)?;
        H::check_all(verifier, at, count)
    }

    fn all<T>(bytes: &[u8], at: usize) -> Result<Vec<T>>
    where
        H: Item<T>,
    {
        let items = Items::of(bytes, at);
        H::get_all(bytes, items.at, items.count)
    }

    fn sum<T>(bytes: &[u8], at: usize) -> u64
    where
        H: Item<T>,
    {
        Items::of(bytes, at).places(H::SIZE).fold(0, |all, at| all.wrapping_add(H::sum(bytes, at)))
    }
}

/// Where the items begin, and how many there are, all of them in the buffer.
fn check_vector(verifier: &mut Verifier, at: usize, size: usize) -> Checked<(usize, usize)> {
    let at = forward(verifier, at)?;
    let count = verifier.get_uoffset(at)? as usize;
    verifier.range_in_buffer(at + 4, count.saturating_mul(size))?;
    Ok((at + 4, count))
}

impl<T, H: Item<T>> Holds<Vec<T>> for Many<H> {
    type Made = Place;

    fn make(value: &Vec<T>, to: &mut To) -> Place {
        H::vector(value, to)
    }
    fn put(_value: &Vec<T>, made: Place, slot: u16, to: &mut To) {
        to.push_slot_always(slot, made);
    }
    fn check(verifier: &mut Verifier, at: usize) -> Checked<()> {
        Self::check::<T>(verifier, at)
    }
    fn get(bytes: &[u8], at: usize) -> Result<Vec<T>> {
        Self::all(bytes, at)
    }
    fn sum(bytes: &[u8], at: usize) -> u64 {
        Self::sum::<T>(bytes, at).wrapping_add(Items::of(bytes, at).count as u64)
    }
}

impl<T, H: Item<T>, const N: usize> Holds<[T; N]> for Many<H> {
    type Made = Place;

    fn make(value: &[T; N], to: &mut To) -> Place {
        H::vector(value, to)
    }
    fn put(_value: &[T; N], made: Place, slot: u16, to: &mut To) {
        to.push_slot_always(slot, made);
    }
    fn check(verifier: &mut Verifier, at: usize) -> Checked<()> {
        Self::check::<T>(verifier, at)
    }
    fn get(bytes: &[u8], at: usize) -> Result<[T; N]> {
        Self::all(bytes, at)?
            .try_into()
            .map_err(|items: Vec<T>| format!("there are {} items, expected {N}", items.len()).into())
    }
    fn sum(bytes: &[u8], at: usize) -> u64 {
        Self::sum::<T>(bytes, at)
    }
}

/// A map whose entries are structs.
pub struct FixedMap;

/// Such an entry.
struct Entry<K, V>(PhantomData<(K, V)>);

impl<K: Plain, V: Plain> Entry<K, V> {
    const ALIGN: usize = if K::ALIGN > V::ALIGN { K::ALIGN } else { V::ALIGN };
    const VALUE: usize = aligned(K::SIZE, V::ALIGN);
    const SIZE: usize = aligned(Self::VALUE + V::SIZE, Self::ALIGN);
}

struct Pair<'a, K, V>(&'a K, &'a V);

impl<K: Plain, V: Plain> Push for Pair<'_, K, V> {
    type Output = ();

    unsafe fn push(&self, to: &mut [u8], _written: usize) {
        to[..Entry::<K, V>::SIZE].fill(0);
        self.0.put(&mut to[..K::SIZE]);
        self.1.put(&mut to[Entry::<K, V>::VALUE..Entry::<K, V>::VALUE + V::SIZE]);
    }
    fn size() -> usize {
        Entry::<K, V>::SIZE
    }
    fn alignment() -> PushAlignment {
        PushAlignment::new(Entry::<K, V>::ALIGN)
    }
}

impl<K: Plain + Ord, V: Plain> Holds<BTreeMap<K, V>> for FixedMap {
    type Made = Place;

    fn make(value: &BTreeMap<K, V>, to: &mut To) -> Place {
        let pairs: Vec<_> = value.iter().map(|(key, value)| Pair(key, value)).collect();
        place_of(to.create_vector(&pairs))
    }
    fn put(_value: &BTreeMap<K, V>, made: Place, slot: u16, to: &mut To) {
        to.push_slot_always(slot, made);
    }
    fn check(verifier: &mut Verifier, at: usize) -> Checked<()> {
        let (at, _) = check_vector(verifier, at, Entry::<K, V>::SIZE)?;
        check_aligned(verifier, at, Entry::<K, V>::ALIGN)
    }
    fn get(bytes: &[u8], at: usize) -> Result<BTreeMap<K, V>> {
        let mut map = BTreeMap::new();
        for at in Items::of(bytes, at).places(Entry::<K, V>::SIZE) {
            let value = at + Entry::<K, V>::VALUE;
            map.insert(K::get(&bytes[at..at + K::SIZE])?, V::get(&bytes[value..value + V::SIZE])?);
        }
        Ok(map)
    }
    fn sum(bytes: &[u8], at: usize) -> u64 {
        let items = Items::of(bytes, at);
        items.places(Entry::<K, V>::SIZE).fold(items.count as u64, |all, at| {
            let value = at + Entry::<K, V>::VALUE;
            all.wrapping_add(K::sum(&bytes[at..at + K::SIZE]))
                .wrapping_add(V::sum(&bytes[value..value + V::SIZE]))
        })
    }
}

/// A map whose entries are tables, by the markers of their two fields.
pub struct TableMap<F, G>(PhantomData<(F, G)>);

const KEY: u16 = 4;
const VALUE: u16 = 6;

impl<K: Ord, V, F: Field<K>, G: Field<V>> Holds<BTreeMap<K, V>> for TableMap<F, G> {
    type Made = Place;

    fn make(map: &BTreeMap<K, V>, to: &mut To) -> Place {
        let made: Vec<Made> = map
            .iter()
            .map(|(key, value)| {
                let (made_key, made_value) = (F::make(key, to), G::make(value, to));
                let table = to.start_table();
                G::put(value, made_value, VALUE, to);
                F::put(key, made_key, KEY, to);
                to.end_table(table)
            })
            .collect();
        place_of(to.create_vector(&made))
    }
    fn put(_value: &BTreeMap<K, V>, made: Place, slot: u16, to: &mut To) {
        to.push_slot_always(slot, made);
    }
    fn check(verifier: &mut Verifier, at: usize) -> Checked<()> {
        let (at, count) = check_vector(verifier, at, 4)?;
        (0..count).try_for_each(|n| {
            let entry = forward(verifier, at + 4 * n)?;
            let table = F::check(verifier.visit_table(entry)?, KEY, "key")?;
            G::check(table, VALUE, "value")?.finish();
            Ok(())
        })
    }
    fn get(bytes: &[u8], at: usize) -> Result<BTreeMap<K, V>> {
        let mut map = BTreeMap::new();
        for at in Items::of(bytes, at).places(4) {
            let entry = table_at(bytes, at);
            map.insert(F::get(&entry, KEY)?, G::get(&entry, VALUE)?);
        }
        Ok(map)
    }
    fn sum(bytes: &[u8], at: usize) -> u64 {
        let items = Items::of(bytes, at);
        items.places(4).fold(items.count as u64, |all, at| {
            let entry = table_at(bytes, at);
            all.wrapping_add(F::sum(&entry, KEY)).wrapping_add(G::sum(&entry, VALUE))
        })
    }
}
