//! Avro by a derived codec: the encoding of a message alone, whose schema both sides know.

pub use crate::avro::*;

use crate::domain::Root;
use crate::glue;
use apache_avro::reader::datum::GenericDatumReader;
use apache_avro::writer::datum::GenericDatumWriter;
use apache_avro::{from_value, Schema};
use serbench::{Derived, Result};
use std::sync::LazyLock;

static SCHEMA: LazyLock<Schema> = LazyLock::new(|| Schema::parse_str(glue::SCHEMA).expect("a schema"));
static WRITER: LazyLock<GenericDatumWriter<'static>> = LazyLock::new(|| {
    GenericDatumWriter::builder(&SCHEMA)
        .human_readable(false)
        .build()
        .expect("a schema whose names are its own")
});
static READER: LazyLock<GenericDatumReader<'static>> = LazyLock::new(|| {
    GenericDatumReader::builder(&SCHEMA)
        .human_readable(false)
        .build()
        .expect("a schema whose names are its own")
});
/// Reads messages that were written by another schema. The library resolves schemas for values of its own
/// only, of which serde then makes domain objects.
static RESOLVING: LazyLock<Option<GenericDatumReader<'static>>> = LazyLock::new(|| {
    let text = serbench::writer_schema()?;
    let written = Box::leak(Box::new(Schema::parse_str(&text).expect("a schema")));
    let reader = GenericDatumReader::builder(written).reader_schema(&SCHEMA);
    Some(reader.human_readable(false).build().expect("a schema whose names are its own"))
});

pub struct ApacheAvro;

impl Derived for ApacheAvro {
    type Root = Root;

    fn write(root: &Root, buffer: &mut Vec<u8>) -> Result<()> {
        WRITER.write_ser(buffer, root)?;
        Ok(())
    }

    fn read(mut bytes: &[u8]) -> Result<Root> {
        match &*RESOLVING {
            None => Ok(READER.read_deser(&mut bytes)?),
            Some(reader) => Ok(from_value(&reader.read_value(&mut bytes)?)?),
        }
    }
}
