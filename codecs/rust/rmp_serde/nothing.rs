//! An alternative without a value, with nil or null in its place.

use serde::{Deserialize, Deserializer, Serializer};

pub fn serialize<S: Serializer>(to: S) -> Result<S::Ok, S::Error> {
    to.serialize_none()
}

pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<(), D::Error> {
    Option::<()>::deserialize(from).map(|_| ())
}
