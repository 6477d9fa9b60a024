//! FlatBuffers by planus: tables are built from domain objects, and read in place.

#![allow(unused_imports, unused_macros)] // a schema need not have all that there is

mod make;
mod read;

pub use make::*;
pub use read::*;

use crate::domain::Root;
use crate::glue;
use planus::ReadAsRoot;
use serbench::{Adapter, Builder, Result, Viewer};

pub struct Planus;

impl Adapter for Planus {
    type Encoder = Writer;
    type Decoder = Reader;
}

#[derive(Default)]
pub struct Writer;

impl Builder<Root> for Writer {
    type Native = To;

    fn build(&mut self, root: &Root, native: &mut To) -> Result<()> {
        native.clear();
        let made = root.make(native);
        native.finish::<glue::Native>(made, None);
        Ok(())
    }

    fn encode<'a>(&'a mut self, native: &'a To) -> Result<&'a [u8]> {
        Ok(native.as_slice())
    }
}

#[derive(Default)]
pub struct Reader;

/// The root; nothing before the first message.
type View = Option<glue::View<'static>>;

impl Viewer<Root> for Reader {
    type View = View;
    const TRAVERSES: bool = true;
    const WALKS: bool = glue::WALKS;

    fn decode(&mut self, bytes: &'static [u8], view: &mut View) -> Result<()> {
        *view = Some(glue::View::read_as_root(bytes)?);
        Ok(())
    }

    fn extract(&mut self, view: &View, root: &mut Root) -> Result<()> {
        *root = Root::read(view.ok_or("nothing was decoded")?)?;
        Ok(())
    }

    fn traverse(&mut self, view: &View) -> u64 {
        view.map_or(0, |root| Root::sum(root).unwrap_or_default())
    }

    fn walk(&mut self, view: &View) -> u64 {
        view.map_or(0, |root| glue::walk(root).unwrap_or_default())
    }
}
