//! Structs, unions and enums as Thrift's compiler writes them, by macros.

#![allow(unused_imports, unused_macros)] // a schema need not have all that there is

pub use std::collections::BTreeMap;
pub use thrift::protocol::{field_id, TInputProtocol, TOutputProtocol, TStructIdentifier, TType};
pub use thrift::OrderedFloat;

use thrift::protocol::{TFieldIdentifier, TListIdentifier, TMapIdentifier};

/// A value on the wire.
pub trait Value: Sized {
    const TYPE: TType;

    fn read(from: &mut dyn TInputProtocol) -> thrift::Result<Self>;
    fn write(&self, to: &mut dyn TOutputProtocol) -> thrift::Result<()>;

    /// The value of a field that is missing: what Thrift's compiler writes for one that is neither required nor
    /// optional. It is none for structs, unions and enums, which domain objects always have.
    fn missing() -> Option<Self> {
        None
    }
}

/// A field of a struct: a value, or one in an `Option`.
pub trait Member: Sized {
    type Held: Value;

    fn made(found: Option<Self::Held>, name: &str) -> thrift::Result<Self>;
    fn write_member(
        &self,
        name: &'static str,
        number: i16,
        to: &mut dyn TOutputProtocol,
    ) -> thrift::Result<()>;
}

impl<T: Value> Member for T {
    type Held = T;

    fn made(found: Option<T>, name: &str) -> thrift::Result<T> {
        found.or_else(T::missing).ok_or_else(|| format!("no field {name}").into())
    }

    fn write_member(
        &self,
        name: &'static str,
        number: i16,
        to: &mut dyn TOutputProtocol,
    ) -> thrift::Result<()> {
        to.write_field_begin(&TFieldIdentifier::new(name, T::TYPE, number))?;
        self.write(to)?;
        to.write_field_end()
    }
}

impl<T: Value> Member for Option<T> {
    type Held = T;

    fn made(found: Option<T>, _name: &str) -> thrift::Result<Option<T>> {
        Ok(found)
    }

    fn write_member(
        &self,
        name: &'static str,
        number: i16,
        to: &mut dyn TOutputProtocol,
    ) -> thrift::Result<()> {
        self.as_ref().map_or(Ok(()), |value| value.write_member(name, number, to))
    }
}

macro_rules! scalars {
    ($($type:ty, $kind:ident, $read:ident, $write:ident;)*) => {$(
        impl Value for $type {
            const TYPE: TType = TType::$kind;

            fn read(from: &mut dyn TInputProtocol) -> thrift::Result<Self> {
                from.$read()
            }
            fn write(&self, to: &mut dyn TOutputProtocol) -> thrift::Result<()> {
                to.$write(*self)
            }
            fn missing() -> Option<Self> {
                Some(Self::default())
            }
        }
    )*};
}

scalars! {
    bool, Bool, read_bool, write_bool;
    i8, I08, read_i8, write_i8;
    i16, I16, read_i16, write_i16;
    i32, I32, read_i32, write_i32;
    i64, I64, read_i64, write_i64;
}

impl Value for OrderedFloat<f64> {
    const TYPE: TType = TType::Double;

    fn read(from: &mut dyn TInputProtocol) -> thrift::Result<Self> {
        from.read_double().map(OrderedFloat)
    }
    fn write(&self, to: &mut dyn TOutputProtocol) -> thrift::Result<()> {
        to.write_double(self.0)
    }
    fn missing() -> Option<Self> {
        Some(Self::default())
    }
}

impl Value for String {
    const TYPE: TType = TType::String;

    fn read(from: &mut dyn TInputProtocol) -> thrift::Result<Self> {
        from.read_string()
    }
    fn write(&self, to: &mut dyn TOutputProtocol) -> thrift::Result<()> {
        to.write_string(self)
    }
    fn missing() -> Option<Self> {
        Some(Self::default())
    }
}

/// Bytes: there are no lists of octets.
impl Value for Vec<u8> {
    const TYPE: TType = TType::String;

    fn read(from: &mut dyn TInputProtocol) -> thrift::Result<Self> {
        from.read_bytes()
    }
    fn write(&self, to: &mut dyn TOutputProtocol) -> thrift::Result<()> {
        to.write_bytes(self)
    }
    fn missing() -> Option<Self> {
        Some(Self::default())
    }
}

impl<T: Value> Value for Vec<T> {
    const TYPE: TType = TType::List;

    fn read(from: &mut dyn TInputProtocol) -> thrift::Result<Self> {
        let list = from.read_list_begin()?;
        let mut items = Vec::with_capacity(list.size as usize);
        for _ in 0..list.size {
            items.push(T::read(from)?);
        }
        from.read_list_end()?;
        Ok(items)
    }
    fn write(&self, to: &mut dyn TOutputProtocol) -> thrift::Result<()> {
        to.write_list_begin(&TListIdentifier::new(T::TYPE, self.len() as i32))?;
        for item in self {
            item.write(to)?;
        }
        to.write_list_end()
    }
    fn missing() -> Option<Self> {
        Some(Self::default())
    }
}

impl<K: Value + Ord, V: Value> Value for BTreeMap<K, V> {
    const TYPE: TType = TType::Map;

    fn read(from: &mut dyn TInputProtocol) -> thrift::Result<Self> {
        let map = from.read_map_begin()?;
        let mut entries = BTreeMap::new();
        for _ in 0..map.size {
            let key = K::read(from)?;
            entries.insert(key, V::read(from)?);
        }
        from.read_map_end()?;
        Ok(entries)
    }
    fn write(&self, to: &mut dyn TOutputProtocol) -> thrift::Result<()> {
        to.write_map_begin(&TMapIdentifier::new(K::TYPE, V::TYPE, self.len() as i32))?;
        for (key, value) in self {
            key.write(to)?;
            value.write(to)?;
        }
        to.write_map_end()
    }
    fn missing() -> Option<Self> {
        Some(Self::default())
    }
}

impl<T: Value> Value for Box<T> {
    const TYPE: TType = T::TYPE;

    fn read(from: &mut dyn TInputProtocol) -> thrift::Result<Self> {
        T::read(from).map(Box::new)
    }
    fn write(&self, to: &mut dyn TOutputProtocol) -> thrift::Result<()> {
        (**self).write(to)
    }
}

/// A struct: its fields, each with its number.
macro_rules! message {
    ($name:ident { $($number:literal: $field:ident: $type:ty,)* }) => {
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub struct $name {
            $(pub $field: $type,)*
        }

        impl Value for $name {
            const TYPE: TType = TType::Struct;

            fn read(from: &mut dyn TInputProtocol) -> thrift::Result<Self> {
                from.read_struct_begin()?;
                $(let mut $field = None;)*
                loop {
                    let found = from.read_field_begin()?;
                    if found.field_type == TType::Stop {
                        break;
                    }
                    match field_id(&found)? {
                        $($number => $field = Some(Value::read(from)?),)*
                        _ => from.skip(found.field_type)?,
                    }
                    from.read_field_end()?;
                }
                from.read_struct_end()?;
                Ok(Self {
                    $($field: Member::made($field, concat!(stringify!($name), ".", stringify!($field)))?,)*
                })
            }
            fn write(&self, to: &mut dyn TOutputProtocol) -> thrift::Result<()> {
                to.write_struct_begin(&TStructIdentifier::new(stringify!($name)))?;
                $(self.$field.write_member(stringify!($field), $number, to)?;)*
                to.write_field_stop()?;
                to.write_struct_end()
            }
        }
    };
}
pub(crate) use message;

/// A union: its alternatives, each with its number.
macro_rules! choice {
    ($name:ident { $($number:literal: $alternative:ident: $type:ty,)* }) => {
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum $name {
            $($alternative($type),)*
        }

        impl Value for $name {
            const TYPE: TType = TType::Struct;

            fn read(from: &mut dyn TInputProtocol) -> thrift::Result<Self> {
                from.read_struct_begin()?;
                let mut read = None;
                let mut count = 0;
                loop {
                    let found = from.read_field_begin()?;
                    if found.field_type == TType::Stop {
                        break;
                    }
                    match field_id(&found)? {
                        $($number => {
                            let value = Value::read(from)?;
                            read.get_or_insert($name::$alternative(value));
                        })*
                        _ => from.skip(found.field_type)?,
                    }
                    count += 1;
                    from.read_field_end()?;
                }
                from.read_struct_end()?;
                match read {
                    Some(value) if count == 1 => Ok(value),
                    _ => Err(format!("a union has {count} alternatives, expected 1").into()),
                }
            }
            fn write(&self, to: &mut dyn TOutputProtocol) -> thrift::Result<()> {
                to.write_struct_begin(&TStructIdentifier::new(stringify!($name)))?;
                match self {
                    $($name::$alternative(value) => {
                        value.write_member(stringify!($alternative), $number, to)?
                    })*
                }
                to.write_field_stop()?;
                to.write_struct_end()
            }
        }
    };
}
pub(crate) use choice;

/// An enum: any number.
macro_rules! number {
    ($name:ident) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub struct $name(pub i32);

        impl Value for $name {
            const TYPE: TType = TType::I32;

            fn read(from: &mut dyn TInputProtocol) -> thrift::Result<Self> {
                from.read_i32().map(Self)
            }
            fn write(&self, to: &mut dyn TOutputProtocol) -> thrift::Result<()> {
                to.write_i32(self.0)
            }
        }
    };
}
pub(crate) use number;
