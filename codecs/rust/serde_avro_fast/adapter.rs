//! Avro by a derived codec: the encoding of a message alone, whose schema both sides know.

pub use crate::avro::*;

use crate::domain::Root;
use crate::glue;
use serbench::{Adapter, Encoder, Result, MAX_VALUES};
use serde_avro_fast::de::{read::SliceRead, DeserializerConfig, DeserializerState};
use serde_avro_fast::ser::{SerializerConfig, SerializerState};
use serde_avro_fast::Schema;
use std::sync::LazyLock;

static SCHEMA: LazyLock<Schema> = LazyLock::new(|| glue::SCHEMA.parse().expect("a schema"));
/// The schema by which messages were written. The library knows none of the reader: serde finds fields by
/// their names.
static WRITTEN: LazyLock<Schema> = LazyLock::new(|| {
    let text = serbench::writer_schema();
    text.as_deref().unwrap_or(glue::SCHEMA).parse().expect("a schema")
});

pub struct SerdeAvroFast;

impl Adapter for SerdeAvroFast {
    type Encoder = Writer;
    type Decoder = Reader;
}

/// Keeps its buffer, and the memory of the library.
pub struct Writer {
    buffer: Vec<u8>,
    config: SerializerConfig<'static>,
}

impl Default for Writer {
    fn default() -> Self {
        Self { buffer: Vec::new(), config: SerializerConfig::new(&SCHEMA) }
    }
}

impl Encoder<Root> for Writer {
    fn encode(&mut self, root: &Root) -> Result<&[u8]> {
        self.buffer.clear();
        let mut state = SerializerState::from_writer(&mut self.buffer, &mut self.config);
        root.write(state.serializer())?;
        Ok(&self.buffer)
    }
}

pub struct Reader {
    config: DeserializerConfig<'static>,
}

impl Default for Reader {
    /// Reads as deep as the type model goes.
    fn default() -> Self {
        let mut config = DeserializerConfig::new(&WRITTEN);
        config.allowed_depth = MAX_VALUES;
        Self { config }
    }
}

impl serbench::Decoder<Root> for Reader {
    fn decode(&mut self, bytes: &[u8], root: &mut Root) -> Result<()> {
        let mut state = DeserializerState::with_config(SliceRead::new(bytes), self.config.clone());
        *root = Root::read(state.deserializer())?;
        Ok(())
    }
}
