//! rkyv by its own derived traits: what was encoded is read in place.

mod parts;
mod sums;
mod updates;

pub use parts::Part;
pub use sums::Sum;
pub use updates::Change;

use crate::domain::Root;
use crate::glue;
use rkyv::api::high::to_bytes_in;
use rkyv::rancor::Error;
use rkyv::util::AlignedVec;
use rkyv::{access, access_mut, access_unchecked};
use serbench::{Adapter, Encoder, Result, Viewer};

pub struct Rkyv;

impl Adapter for Rkyv {
    type Encoder = Writer;
    type Decoder = Reader;
}

#[derive(Default)]
pub struct Writer {
    buffer: AlignedVec,
}

impl Encoder<Root> for Writer {
    fn encode(&mut self, root: &Root) -> Result<&[u8]> {
        self.buffer.clear();
        self.buffer = to_bytes_in::<_, Error>(root, std::mem::take(&mut self.buffer))?;
        Ok(&self.buffer)
    }
}

#[derive(Default)]
pub struct Reader;

/// The root in the bytes; nothing before the first message.
type View = Option<&'static glue::Seen>;

impl Viewer<Root> for Reader {
    type View = View;
    const DECODES_FAST: bool = true;
    const TRAVERSES: bool = true;
    const WALKS: bool = glue::WALKS;
    const UPDATES: bool = glue::UPDATES;

    fn decode(&mut self, bytes: &'static [u8], view: &mut View) -> Result<()> {
        *view = Some(access::<_, Error>(bytes)?);
        Ok(())
    }

    fn extract(&mut self, view: &View, root: &mut Root) -> Result<()> {
        glue::extract(view.ok_or("nothing was decoded")?, root)
    }

    fn decode_fast(&mut self, bytes: &'static [u8], view: &mut View) -> Result<()> {
        // SAFETY: by the word of who chose not to check.
        *view = Some(unsafe { access_unchecked::<glue::Seen>(bytes) });
        Ok(())
    }

    fn traverse(&mut self, view: &View) -> u64 {
        view.map_or(0, Sum::sum)
    }

    fn update(&mut self, bytes: &mut [u8]) -> Result<()> {
        glue::update(access_mut::<_, Error>(bytes)?);
        Ok(())
    }

    fn walk(&mut self, view: &View) -> u64 {
        view.map_or(0, glue::walk)
    }
}
