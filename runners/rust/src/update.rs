//! Changes of values that undo themselves: the lowest bit of an integer is the other one, a float has the
//! other sign, and a bool is the other one.

use std::collections::BTreeMap;

/// Domain values of which a program changes some; generated for the records and unions that hold them.
pub trait Update {
    fn update(&mut self);
}

macro_rules! integers {
    ($($type:ident)*) => {$(
        impl Update for $type {
            fn update(&mut self) {
                *self ^= 1;
            }
        }
    )*};
}

integers!(i8 i16 i32 i64 u8 u16 u32 u64);

macro_rules! floats {
    ($($type:ident)*) => {$(
        impl Update for $type {
            /// Changes the sign; a value that is not a number stays as it is.
            fn update(&mut self) {
                if !self.is_nan() {
                    *self = -*self;
                }
            }
        }
    )*};
}

floats!(f32 f64);

impl Update for bool {
    fn update(&mut self) {
        *self = !*self;
    }
}

impl<T: Update> Update for Vec<T> {
    fn update(&mut self) {
        self.iter_mut().for_each(T::update);
    }
}

impl<T: Update, const N: usize> Update for [T; N] {
    fn update(&mut self) {
        self.iter_mut().for_each(T::update);
    }
}

impl<K, V: Update> Update for BTreeMap<K, V> {
    fn update(&mut self) {
        self.values_mut().for_each(V::update);
    }
}

impl<T: Update> Update for Option<T> {
    fn update(&mut self) {
        self.iter_mut().for_each(T::update);
    }
}

impl<T: Update> Update for Box<T> {
    fn update(&mut self) {
        (**self).update();
    }
}
