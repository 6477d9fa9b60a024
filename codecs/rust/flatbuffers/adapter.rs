//! FlatBuffers: tables are built from domain objects and read in place, by code like that which flatc writes.

mod field;
mod holds;
mod plain;
mod table;

pub use field::*;
pub use holds::*;
pub use plain::*;
pub use table::*;

use crate::domain::Root;
use crate::glue;
use flatbuffers::{FlatBufferBuilder, VerifierOptions};
use serbench::{Adapter, Builder, Result, Viewer};

/// The builder that tables are written to.
pub type To = FlatBufferBuilder<'static>;

pub struct FlatBuffers;

impl Adapter for FlatBuffers {
    type Encoder = Writer;
    type Decoder = Reader;
}

#[derive(Default)]
pub struct Writer;

impl Builder<Root> for Writer {
    type Native = To;

    fn build(&mut self, root: &Root, native: &mut To) -> Result<()> {
        native.reset();
        let made = root.make(native);
        native.finish_minimal(made);
        Ok(())
    }

    fn encode<'a>(&'a mut self, native: &'a To) -> Result<&'a [u8]> {
        Ok(native.finished_data())
    }
}

#[derive(Default)]
pub struct Reader;

/// The root; nothing before the first message.
type View = Option<Table<'static>>;

impl Viewer<Root> for Reader {
    type View = View;
    const DECODES_FAST: bool = true;
    const TRAVERSES: bool = true;
    const WALKS: bool = glue::WALKS;

    fn decode(&mut self, bytes: &'static [u8], view: &mut View) -> Result<()> {
        let mut options = VerifierOptions::default();
        options.max_depth = glue::DEEPEST;
        // The default of a million tables is too few for big messages; a buffer holds fewer tables than
        // words, since nothing is shared.
        options.max_tables = options.max_tables.max(bytes.len() / 4);
        let mut verifier = Verifier::new(&options, bytes);
        let root = forward(&mut verifier, 0)?;
        glue::Whole::check(&mut verifier, root)?;
        self.decode_fast(bytes, view)
    }

    fn decode_fast(&mut self, bytes: &'static [u8], view: &mut View) -> Result<()> {
        *view = Some(table_at(bytes, 0));
        Ok(())
    }

    fn extract(&mut self, view: &View, root: &mut Root) -> Result<()> {
        *root = Root::get(&view.ok_or("nothing was decoded")?)?;
        Ok(())
    }

    fn traverse(&mut self, view: &View) -> u64 {
        view.map_or(0, |root| Root::sum(&root))
    }

    fn walk(&mut self, view: &View) -> u64 {
        view.map_or(0, |root| glue::walk(&root))
    }
}
