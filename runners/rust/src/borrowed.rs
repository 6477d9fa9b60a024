//! Objects of an application whose texts and bytes are those of the message: a library reads them without
//! copying, and a program may use them for as long as it keeps the message. Generated code has their types.

use crate::{octets_sum, Adapter, Result, Viewer};
use std::collections::BTreeMap;
use std::marker::PhantomData;

/// A value that borrows from a message what `T` would own.
pub trait Lent<T> {
    fn owned(&self) -> T;
    /// As [`crate::Value::sum`] tells.
    fn sum(&self) -> u64;
}

/// A way of using a library that also reads objects which borrow from the bytes.
pub trait Lends<B>: Adapter {
    /// The memory that it keeps between messages.
    type Kept: Default;

    fn lend(kept: &mut Self::Kept, bytes: &'static [u8]) -> Result<B>;
}

/// Such a way, with these objects as the library's own.
pub struct Borrowed<A, B>(PhantomData<(A, B)>);

impl<A: Lends<B>, B> Adapter for Borrowed<A, B> {
    type Encoder = A::Encoder;
    type Decoder = Borrower<A, B>;
}

/// Reads them.
pub struct Borrower<A: Lends<B>, B> {
    kept: A::Kept,
}

impl<A: Lends<B>, B> Default for Borrower<A, B> {
    fn default() -> Self {
        Self { kept: A::Kept::default() }
    }
}

impl<A: Lends<B>, B: Lent<Root> + 'static, Root> Viewer<Root> for Borrower<A, B> {
    type View = Option<B>;
    const TRAVERSES: bool = true;

    fn decode(&mut self, bytes: &'static [u8], view: &mut Self::View) -> Result<()> {
        *view = Some(A::lend(&mut self.kept, bytes)?);
        Ok(())
    }

    fn extract(&mut self, view: &Self::View, root: &mut Root) -> Result<()> {
        *root = view.as_ref().ok_or("nothing was decoded")?.owned();
        Ok(())
    }

    fn traverse(&mut self, view: &Self::View) -> u64 {
        view.as_ref().map_or(0, Lent::sum)
    }
}

/// Says of types of the domain that they have nothing to borrow.
#[macro_export]
macro_rules! nothing_to_lend {
    ($($type:ty),*) => {$(
        impl $crate::Lent<$type> for $type {
            fn owned(&self) -> $type {
                self.clone()
            }

            fn sum(&self) -> u64 {
                $crate::Value::sum(self)
            }
        }
    )*};
}

nothing_to_lend!(bool, i8, i16, i32, i64, u8, u16, u32, u64, f32, f64);

impl Lent<String> for &str {
    fn owned(&self) -> String {
        (*self).to_owned()
    }

    fn sum(&self) -> u64 {
        octets_sum(self.as_bytes())
    }
}

impl Lent<Vec<u8>> for &[u8] {
    fn owned(&self) -> Vec<u8> {
        self.to_vec()
    }

    fn sum(&self) -> u64 {
        octets_sum(self)
    }
}

impl<L: Lent<T>, T> Lent<Vec<T>> for Vec<L> {
    fn owned(&self) -> Vec<T> {
        self.iter().map(Lent::owned).collect()
    }

    fn sum(&self) -> u64 {
        self.iter().fold(self.len() as u64, |sum, each| sum.wrapping_add(each.sum()))
    }
}

impl<L: Lent<T>, T, const N: usize> Lent<[T; N]> for [L; N] {
    fn owned(&self) -> [T; N] {
        std::array::from_fn(|n| self[n].owned())
    }

    fn sum(&self) -> u64 {
        self.iter().fold(0, |sum, each| sum.wrapping_add(each.sum()))
    }
}

impl<LK: Lent<K>, LV: Lent<V>, K: Ord, V> Lent<BTreeMap<K, V>> for BTreeMap<LK, LV> {
    fn owned(&self) -> BTreeMap<K, V> {
        self.iter().map(|(key, value)| (key.owned(), value.owned())).collect()
    }

    fn sum(&self) -> u64 {
        self.iter().fold(self.len() as u64, |sum, (key, value)| {
            sum.wrapping_add(key.sum()).wrapping_add(value.sum())
        })
    }
}

impl<L: Lent<T>, T> Lent<Option<T>> for Option<L> {
    fn owned(&self) -> Option<T> {
        self.as_ref().map(Lent::owned)
    }

    fn sum(&self) -> u64 {
        self.as_ref().map_or(0, |value| value.sum().wrapping_add(1))
    }
}

impl<L: Lent<T>, T> Lent<Box<T>> for Box<L> {
    fn owned(&self) -> Box<T> {
        Box::new((**self).owned())
    }

    fn sum(&self) -> u64 {
        (**self).sum()
    }
}
