//! The code that adapters of serde's codecs share; a macro, so that no other adapter needs serde.

/// The module `nothing`, for `#[serde(with = "crate::adapter::nothing")]` before an alternative without a
/// value: it has nil or null in the place of one, where a derived codec writes the name alone.
#[macro_export]
macro_rules! nothing_is_null {
    () => {
        pub mod nothing {
            use serde::{Deserialize, Deserializer, Serializer};

            pub fn serialize<S: Serializer>(to: S) -> Result<S::Ok, S::Error> {
                to.serialize_none()
            }

            pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<(), D::Error> {
                Option::<()>::deserialize(from).map(|_| ())
            }
        }
    };
}
