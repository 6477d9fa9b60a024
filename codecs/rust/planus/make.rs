//! What values of the domain are before planus writes them: structs, enums, and where tables are.

pub use planus::{Builder as To, Offset, UnionOffset};
pub use std::collections::BTreeMap;

/// What becomes an `N` of planus.
pub trait Make<N> {
    fn make(&self, to: &mut To) -> N;
}

impl<N, T: Make<N>> Make<N> for Box<T> {
    fn make(&self, to: &mut To) -> N {
        (**self).make(to)
    }
}

impl<N, T: Make<N>> Make<Option<N>> for Option<T> {
    fn make(&self, to: &mut To) -> Option<N> {
        self.as_ref().map(|value| value.make(to))
    }
}

impl<N, T: Make<N>> Make<Vec<N>> for Vec<T> {
    fn make(&self, to: &mut To) -> Vec<N> {
        self.iter().map(|item| item.make(to)).collect()
    }
}

impl<N, T: Make<N>, const COUNT: usize> Make<Vec<N>> for [T; COUNT] {
    fn make(&self, to: &mut To) -> Vec<N> {
        self.iter().map(|item| item.make(to)).collect()
    }
}

impl<N, K, V> Make<Vec<N>> for BTreeMap<K, V>
where
    for<'a> (&'a K, &'a V): Make<N>,
{
    fn make(&self, to: &mut To) -> Vec<N> {
        self.iter().map(|entry| entry.make(to)).collect()
    }
}

/// An enum, by the members that it has in the schema.
macro_rules! named {
    (
        $type:ident as $native:ident { $($member:ident: $variant:ident,)* }
        $(gone { $gone:ident, })?
    ) => {
        impl Make<fbs::$native> for domain::$type {
            fn make(&self, _to: &mut planus::Builder) -> fbs::$native {
                match self {
                    $(domain::$type::$member => fbs::$native::$variant,)*
                }
            }
        }

        impl Read<fbs::$native> for domain::$type {
            fn read(from: fbs::$native) -> serbench::Result<Self> {
                Ok(match from {
                    $(fbs::$native::$variant => domain::$type::$member,)*
                    $(fbs::$native::$gone => return Err("an enum has the value 0, which is gone".into()),)?
                })
            }
            fn sum(from: fbs::$native) -> serbench::Result<u64> {
                Self::read(from).map(|member| serbench::Value::sum(&member))
            }
        }
    };
}
pub(crate) use named;

/// An enum whose numbers need no name, which planus would not read.
macro_rules! open {
    ($type:path: $number:ty) => {
        impl Make<$number> for $type {
            fn make(&self, _to: &mut planus::Builder) -> $number {
                self.0
            }
        }

        impl Read<$number> for $type {
            fn read(from: $number) -> serbench::Result<Self> {
                Ok($type(from))
            }
            fn sum(from: $number) -> serbench::Result<u64> {
                Ok(serbench::Value::sum(&from))
            }
        }
    };
}
pub(crate) use open;
