//! The crate that generated code and adapters of Rust codecs use: the traits of an adapter, domain values in
//! the canonical encoding, and the table of functions over which the measuring program runs
//! (runners/c/include/serbench/codec.h).

mod adapter;
mod borrowed;
mod canonical;
mod derived;
mod fill;
mod items;
mod least;
mod nothing;
mod table;
mod told;
mod update;
mod values;
mod walk;

pub use adapter::{Adapter, Builder, Decoder, Encoder, Viewer};
pub use borrowed::{Borrowed, Lends, Lent};
pub use canonical::{octets_sum, read, write, Reader, Value, Writer, MAX_DEPTH, MAX_VALUES};
pub use derived::{Derived, Whole};
pub use fill::{Fill, Filling};
pub use items::{all, array};
pub use least::{copy_message, Nothing};
pub use table::{codec, domain, domain_of_graph, domain_of_update, run, writer_schema, Codec, Domain};
pub use update::Update;
pub use walk::{depth_first, Graph};

/// Why something cannot be done, in words.
pub type Error = Box<dyn std::error::Error + Send + Sync>;

/// The result of most functions here.
pub type Result<T> = std::result::Result<T, Error>;
