//! Messages that are built, and messages that are read.

use crate::glue;
use capnp::message::{self, Allocator, Builder, ReaderOptions, ReaderSegments};
use capnp::serialize::{self, BufferSegments, OwnedSegments};
use capnp::{serialize_packed, ErrorKind, Word};
use serbench::Result;
use std::ptr::NonNull;

/// A message that is built.
pub type Built = Builder<Segments>;

/// A message in memory that is used again.
#[derive(Default)]
pub struct Message(Option<Built>);

impl Message {
    /// Begins a message whose first segment has so many words at least.
    pub fn start(&mut self, first: u32) -> &mut Built {
        let memory = self.0.take().map_or_else(|| Segments::new(first), Built::into_allocator);
        self.0.insert(Builder::new(memory))
    }

    pub fn built(&self) -> Result<&Built> {
        self.0.as_ref().ok_or_else(|| "nothing was built".into())
    }
}

/// Segments that are kept between messages. The library's own allocators keep one at most; these have the
/// same sizes as by default behind the first one, so messages are laid out alike.
pub struct Segments {
    kept: Vec<Vec<u64>>,
    taken: usize,
    words: u32,
    first: u32,
}

impl Segments {
    fn new(first: u32) -> Self {
        Self { kept: Vec::new(), taken: 0, words: 0, first }
    }
}

const LONGEST: u32 = 1 << 29;

// SAFETY: each segment is words of its own, which stay where they are, and what was used is zeroed.
unsafe impl Allocator for Segments {
    fn allocate_segment(&mut self, minimum: u32) -> (NonNull<u8>, u32) {
        // Each is as big as all before it.
        let usual = if self.taken == 0 { self.first } else { self.words.min(LONGEST) };
        let words = minimum.max(usual);
        if self.taken == self.kept.len() {
            self.kept.push(Vec::new());
        }
        let segment = &mut self.kept[self.taken];
        if segment.len() < words as usize {
            // As the library does: the system often has pages that are zero already.
            *segment = vec![0; words as usize];
        }
        self.taken += 1;
        self.words = self.words.saturating_add(words);
        (NonNull::from(&mut segment[..]).cast(), words)
    }

    unsafe fn deallocate_segment(&mut self, at: NonNull<u8>, _words: u32, used: u32) {
        at.as_ptr().write_bytes(0, used as usize * size_of::<Word>());
        (self.taken, self.words) = (0, 0);
    }
}

/// How much may be read of a message at one time, so that one whose pointers lead to the same things again and
/// again cannot grow beyond all bounds: the library's default, or for long messages a small multiple of their
/// size.
pub fn options(words: usize) -> ReaderOptions {
    let mut options = ReaderOptions::new();
    let usual = options.traversal_limit_in_words.unwrap_or_default();
    options.traversal_limit_in_words(Some(usual.max(words.saturating_mul(4))));
    options.nesting_limit(glue::DEEPEST);
    options
}

/// Reads the root; up to the limit each time.
fn read<S: ReaderSegments, T>(
    segments: S,
    words: usize,
    with: impl FnOnce(glue::Reader<'_>) -> Result<T>,
) -> Result<T> {
    let reader = message::Reader::new(segments, options(words));
    let root = reader.get_root::<glue::Reader>()?;
    with(root)
}

fn check_end(bytes: &[u8]) -> Result<()> {
    if bytes.is_empty() {
        Ok(())
    } else {
        Err("bytes are left over".into())
    }
}

/// A message that is read, as often as one likes.
pub trait View: Default {
    fn open(&mut self, bytes: &'static [u8]) -> Result<()>;
    fn read<T>(&self, with: impl FnOnce(glue::Reader<'_>) -> Result<T>) -> Result<T>;
}

/// A message that is read where it lies.
#[derive(Default)]
pub struct Lying {
    segments: Option<BufferSegments<&'static [u8]>>,
    words: usize,
}

impl View for Lying {
    fn open(&mut self, mut bytes: &'static [u8]) -> Result<()> {
        self.words = bytes.len() / size_of::<Word>();
        let message = serialize::read_message_from_flat_slice(&mut bytes, options(self.words))?;
        self.segments = Some(message.into_segments());
        check_end(bytes)
    }

    fn read<T>(&self, with: impl FnOnce(glue::Reader<'_>) -> Result<T>) -> Result<T> {
        read(self.segments.as_ref().ok_or("nothing was decoded")?, self.words, with)
    }
}

/// Two bytes, a tag and a count, are up to 256 words of zeros.
const MOST_WORDS_PER_BYTE: usize = 128;

/// A message that is unpacked into memory which is used again, once it is known how much it takes.
#[derive(Default)]
pub struct Unpacking {
    memory: Vec<Word>,
    /// One that did not fit.
    apart: Option<OwnedSegments>,
    words: usize,
}

impl View for Unpacking {
    fn open(&mut self, bytes: &'static [u8]) -> Result<()> {
        let mut options = options(0);
        // The sizes that the message begins with are believed up to this limit.
        options.traversal_limit_in_words(Some(MOST_WORDS_PER_BYTE * bytes.len()));
        if self.apart.take().is_some() {
            self.memory = Word::allocate_zeroed_vec(self.words.next_power_of_two() + TABLE);
        }
        let mut left = bytes;
        let memory = Word::words_to_bytes_mut(&mut self.memory);
        match serialize_packed::read_message_no_alloc(&mut left, memory, options) {
            Ok(message) => self.words = message.size_in_words(),
            Err(error) if error.kind == ErrorKind::BufferNotLargeEnough => {
                left = bytes;
                let message = serialize_packed::read_message(&mut left, options)?;
                self.words = message.size_in_words();
                self.apart = Some(message.into_segments());
            }
            Err(error) => return Err(error.into()),
        }
        check_end(left)
    }

    fn read<T>(&self, with: impl FnOnce(glue::Reader<'_>) -> Result<T>) -> Result<T> {
        if let Some(apart) = &self.apart {
            return read(apart, self.words, with);
        }
        let memory = Word::words_to_bytes(&self.memory);
        let segments = BufferSegments::new(memory, options(self.words))?;
        read(segments, self.words, with)
    }
}

/// Of how many words the table of sizes is at most, for as many segments as the library reads.
const TABLE: usize = serialize::SEGMENTS_COUNT_LIMIT / 2;
