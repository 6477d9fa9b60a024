//! Tables and unions, which are behind an offset.

#![allow(unused_imports, unused_macros)] // a schema need not have all that there is

use super::{Field, To};
pub use flatbuffers::{
    InvalidFlatbuffer, Table, TableFinishedWIPOffset, UnionWIPOffset, Verifier, WIPOffset,
};
use serbench::Result;

/// What the verifier says.
pub type Checked<T> = std::result::Result<T, InvalidFlatbuffer>;

/// Where a table has been written.
pub type Made = WIPOffset<TableFinishedWIPOffset>;

/// What the offset at `at` leads to.
pub fn forward(verifier: &mut Verifier, at: usize) -> Checked<usize> {
    Ok(at.saturating_add(verifier.get_uoffset(at)? as usize))
}

/// A number of 32 bits, which is there once the verifier has seen it.
pub fn offset(bytes: &[u8], at: usize) -> usize {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("4 bytes")) as usize
}

/// The table that the offset at `at` leads to.
pub fn table_at(bytes: &[u8], at: usize) -> Table<'_> {
    // SAFETY: the verifier has seen it, or who chose not to check gave the word.
    unsafe { Table::new(bytes, at + offset(bytes, at)) }
}

/// Where the field of a table is, if it is there.
pub fn place(table: &Table, slot: u16) -> Option<usize> {
    match table.vtable().get(slot) {
        0 => None,
        at => Some(table.loc() + at as usize),
    }
}

/// A domain type that is a table.
pub trait Tabled: Sized {
    fn make(&self, to: &mut To) -> Made;
    fn check(verifier: &mut Verifier, at: usize) -> Checked<()>;
    fn get(table: &Table) -> Result<Self>;
    fn sum(table: &Table) -> u64;
}

impl<T: Tabled> Tabled for Box<T> {
    fn make(&self, to: &mut To) -> Made {
        (**self).make(to)
    }
    fn check(verifier: &mut Verifier, at: usize) -> Checked<()> {
        T::check(verifier, at)
    }
    fn get(table: &Table) -> Result<Self> {
        T::get(table).map(Box::new)
    }
    fn sum(table: &Table) -> u64 {
        T::sum(table)
    }
}

/// A table, by the markers of its fields.
macro_rules! table {
    ($type:ty { $($slot:literal: $field:ident: $held:ty = $marker:ty,)* }) => {
        impl Tabled for $type {
            fn make(&self, to: &mut To) -> Made {
                $(let $field = <$marker as Field<$held>>::make(&self.$field, to);)*
                let table = to.start_table();
                $(<$marker as Field<$held>>::put(&self.$field, $field, $slot, to);)*
                to.end_table(table)
            }
            fn check(verifier: &mut Verifier, at: usize) -> Checked<()> {
                let table = verifier.visit_table(at)?;
                $(let table = <$marker as Field<$held>>::check(table, $slot, stringify!($field))?;)*
                table.finish();
                Ok(())
            }
            fn get(_table: &Table) -> serbench::Result<Self> {
                Ok(Self { $($field: <$marker as Field<$held>>::get(_table, $slot)?,)* })
            }
            fn sum(_table: &Table) -> u64 {
                0u64$(.wrapping_add(<$marker as Field<$held>>::sum(_table, $slot)))*
            }
        }
    };
}
pub(crate) use table;

/// A marker of what makes a table of a value.
pub trait Tables<T> {
    fn make(value: &T, to: &mut To) -> Made;
    fn check(verifier: &mut Verifier, at: usize) -> Checked<()>;
    fn get(table: &Table) -> Result<T>;
    fn sum(table: &Table) -> u64;
}

/// A record.
pub struct Sub;

impl<T: Tabled> Tables<T> for Sub {
    fn make(value: &T, to: &mut To) -> Made {
        value.make(to)
    }
    fn check(verifier: &mut Verifier, at: usize) -> Checked<()> {
        T::check(verifier, at)
    }
    fn get(table: &Table) -> Result<T> {
        T::get(table)
    }
    fn sum(table: &Table) -> u64 {
        T::sum(table)
    }
}

/// A table that holds what can be no item, or no alternative, itself.
pub struct Held<F>(F);

const FIRST: u16 = 4;

impl<T, F: Field<T>> Tables<T> for Held<F> {
    fn make(value: &T, to: &mut To) -> Made {
        let made = F::make(value, to);
        let table = to.start_table();
        F::put(value, made, FIRST, to);
        to.end_table(table)
    }
    fn check(verifier: &mut Verifier, at: usize) -> Checked<()> {
        let table = verifier.visit_table(at)?;
        F::check(table, FIRST, "value")?.finish();
        Ok(())
    }
    fn get(table: &Table) -> Result<T> {
        F::get(table, FIRST)
    }
    fn sum(table: &Table) -> u64 {
        F::sum(table, FIRST)
    }
}

/// The table of an alternative without a value.
pub fn make_nothing(to: &mut To) -> Made {
    let table = to.start_table();
    to.end_table(table)
}

pub fn check_nothing(verifier: &mut Verifier, at: usize) -> Checked<()> {
    verifier.visit_table(at)?.finish();
    Ok(())
}

/// A domain type that is a union.
pub trait Chosen: Sized {
    /// The number of the alternative.
    fn tag(&self) -> u8;
    fn make(&self, to: &mut To) -> Made;
    fn check(tag: u8, verifier: &mut Verifier, at: usize) -> Checked<()>;
    fn get(tag: u8, table: &Table) -> Result<Self>;
    fn sum(tag: u8, table: &Table) -> u64;
}

impl<T: Chosen> Chosen for Box<T> {
    fn tag(&self) -> u8 {
        (**self).tag()
    }
    fn make(&self, to: &mut To) -> Made {
        (**self).make(to)
    }
    fn check(tag: u8, verifier: &mut Verifier, at: usize) -> Checked<()> {
        T::check(tag, verifier, at)
    }
    fn get(tag: u8, table: &Table) -> Result<Self> {
        T::get(tag, table).map(Box::new)
    }
    fn sum(tag: u8, table: &Table) -> u64 {
        T::sum(tag, table)
    }
}
