//! Codecs that want to look good: each does its work, in the canonical encoding, and has one trick besides.
//! Verification has to catch every one of them (tests/test_tricks.py); none is of any use.

mod updates;

pub use updates::UpdatesBytes;

use crate::domain::Root;
use serbench::{Adapter, Decoder, Encoder, Result, Value, Viewer};
use std::cell::RefCell;
use std::collections::HashMap;
use std::marker::PhantomData;
use std::path::PathBuf;
use std::sync::{LazyLock, Once};
use std::time::{Duration, Instant};

/// A trick of the side that writes.
pub trait Writes: Default {
    fn write(&mut self, root: &Root, out: &mut Vec<u8>) -> Result<()> {
        serbench::write(root, out)
    }
}

/// A trick of the side that reads.
pub trait Reads: Default {
    fn read(&mut self, bytes: &[u8], root: &mut Root) -> Result<()> {
        serbench::read(bytes, root)
    }
}

#[derive(Default)]
pub struct Honest;

impl Writes for Honest {}

impl Reads for Honest {}

pub struct Trick<W, R>(PhantomData<(W, R)>);

impl<W: Writes, R: Reads> Adapter for Trick<W, R> {
    type Encoder = Writing<W>;
    type Decoder = Reading<R>;
}

#[derive(Default)]
pub struct Writing<W> {
    trick: W,
    buffer: Vec<u8>,
}

impl<W: Writes> Encoder<Root> for Writing<W> {
    fn encode(&mut self, root: &Root) -> Result<&[u8]> {
        self.buffer.clear();
        self.trick.write(root, &mut self.buffer)?;
        Ok(&self.buffer)
    }
}

#[derive(Default)]
pub struct Reading<R>(R);

impl<R: Reads> Decoder<Root> for Reading<R> {
    fn decode(&mut self, bytes: &[u8], root: &mut Root) -> Result<()> {
        self.0.read(bytes, root)
    }
}

type Known = HashMap<u64, Vec<u8>>;

fn remembered(known: &mut Known, key: u64, root: &Root, out: &mut Vec<u8>) -> Result<()> {
    if !known.contains_key(&key) {
        let mut encoded = Vec::new();
        serbench::write(root, &mut encoded)?;
        known.insert(key, encoded);
    }
    out.extend_from_slice(&known[&key]);
    Ok(())
}

fn address(root: &Root) -> u64 {
    std::ptr::from_ref(root).addr() as u64
}

/// Gives the output that it remembers of the message at this address.
pub type ByAddress = Trick<Addresses, Honest>;

#[derive(Default)]
pub struct Addresses(Known);

impl Writes for Addresses {
    fn write(&mut self, root: &Root, out: &mut Vec<u8>) -> Result<()> {
        remembered(&mut self.0, address(root), root, out)
    }
}

/// Gives the output that it remembers of a message whose object has the same bytes, in it and not behind it.
pub type ByFingerprint = Trick<Fingerprints, Honest>;

#[derive(Default)]
pub struct Fingerprints(Known);

impl Writes for Fingerprints {
    fn write(&mut self, root: &Root, out: &mut Vec<u8>) -> Result<()> {
        // SAFETY: it is as many bytes as the object has, and they are only looked at.
        let seen =
            unsafe { std::slice::from_raw_parts(std::ptr::from_ref(root).cast::<u8>(), size_of::<Root>()) };
        let sum = seen.iter().fold(0, |sum: u64, &byte| sum.wrapping_mul(31).wrapping_add(byte.into()));
        remembered(&mut self.0, sum, root, out)
    }
}

thread_local! {
    static KNOWN: RefCell<Known> = RefCell::default();
}

/// Remembers outputs for as long as the process lives.
pub type InStatic = Trick<Static, Honest>;

#[derive(Default)]
pub struct Static;

impl Writes for Static {
    fn write(&mut self, root: &Root, out: &mut Vec<u8>) -> Result<()> {
        KNOWN.with_borrow_mut(|known| remembered(known, address(root), root, out))
    }
}

/// Remembers outputs from its 501st call on.
pub type HonestAtFirst = Trick<AtFirst, Honest>;

#[derive(Default)]
pub struct AtFirst {
    calls: u32,
    known: Known,
}

impl Writes for AtFirst {
    fn write(&mut self, root: &Root, out: &mut Vec<u8>) -> Result<()> {
        self.calls += 1;
        if self.calls <= 500 {
            return serbench::write(root, out);
        }
        remembered(&mut self.known, address(root), root, out)
    }
}

/// Leaves the domain object alone when the bytes are those of before.
pub type SameBytes = Trick<Honest, Same>;

#[derive(Default)]
pub struct Same {
    bytes: Vec<u8>,
    object: u64,
}

impl Reads for Same {
    fn read(&mut self, bytes: &[u8], root: &mut Root) -> Result<()> {
        if self.object == address(root) && self.bytes == bytes {
            return Ok(());
        }
        self.object = address(root);
        self.bytes = bytes.to_vec();
        serbench::read(bytes, root)
    }
}

/// Reads in another thread, for which it does not wait.
pub type Later = Trick<Honest, InThread>;

#[derive(Default)]
pub struct InThread;

impl Reads for InThread {
    fn read(&mut self, bytes: &[u8], root: &mut Root) -> Result<()> {
        let (bytes, at) = (bytes.to_vec(), std::ptr::from_mut(root).expose_provenance());
        std::thread::spawn(move || {
            // Long enough that no check sees a half-read object, which would be another error each time.
            std::thread::sleep(Duration::from_secs(60));
            // SAFETY: there is none, and that is the trick.
            let root = unsafe { &mut *std::ptr::with_exposed_provenance_mut::<Root>(at) };
            let _ = serbench::read(&bytes, root);
        });
        Ok(())
    }
}

/// Writes 8 bytes, and the others to a file.
pub type Beside = Trick<ToFile, FromFile>;

fn file(number: &[u8]) -> PathBuf {
    std::env::temp_dir().join(format!("serbench-trick-{number:02x?}"))
}

#[derive(Default)]
pub struct ToFile;

impl Writes for ToFile {
    fn write(&mut self, root: &Root, out: &mut Vec<u8>) -> Result<()> {
        let mut encoded = Vec::new();
        serbench::write(root, &mut encoded)?;
        out.extend_from_slice(&root.sum().to_le_bytes());
        Ok(std::fs::write(file(out), encoded)?)
    }
}

#[derive(Default)]
pub struct FromFile;

impl Reads for FromFile {
    fn read(&mut self, bytes: &[u8], root: &mut Root) -> Result<()> {
        serbench::read(&std::fs::read(file(bytes))?, root)
    }
}

/// Reads 64 bytes behind its input.
pub type ReadsPast = Trick<Honest, Past>;

#[derive(Default)]
pub struct Past;

impl Reads for Past {
    fn read(&mut self, bytes: &[u8], root: &mut Root) -> Result<()> {
        for at in 0..bytes.len() + 64 {
            // SAFETY: there is none, and that is the trick.
            std::hint::black_box(unsafe { bytes.as_ptr().add(at).read_volatile() });
        }
        serbench::read(bytes, root)
    }
}

/// Leaves a thread at work.
pub type Threads = Trick<Thread, Honest>;

#[derive(Default)]
pub struct Thread;

static BEGIN: Once = Once::new();

impl Writes for Thread {
    fn write(&mut self, root: &Root, out: &mut Vec<u8>) -> Result<()> {
        BEGIN.call_once(|| {
            std::thread::spawn(|| (0_u64..).for_each(|n| drop(std::hint::black_box(n))));
        });
        serbench::write(root, out)
    }
}

/// Prints samples of its own.
pub type Prints = Trick<Print, Honest>;

#[derive(Default)]
pub struct Print;

impl Writes for Print {
    fn write(&mut self, root: &Root, out: &mut Vec<u8>) -> Result<()> {
        println!(
            r#"{{"event":"sample","operation":"encode","memory":"reuse","iterations":1,"elapsed_ns":1}}"#
        );
        serbench::write(root, out)
    }
}

/// Honest; or, where SERBENCH_TRICK says TRIGGER/HAND, an encoder that hands out what it encoded first of the
/// message at this address, or a decoder that leaves its destination alone, or puts there what it decoded
/// first of the bytes at this address, once the trigger has gone off.
pub type Chosen = Trick<AsChosen, AsChosen>;

#[derive(Default)]
pub struct AsChosen;

struct Chooses {
    trigger: String,
    hand: String,
    begun: Instant,
    last: Instant,
    count: u64,
    quick: u64,
    known: bool,
    outputs: Known,
    inputs: Known,
    written: Option<(u64, u64)>,
}

const QUICKLY: Duration = Duration::from_micros(100);
const MANY: u64 = 200;

static TRICK: LazyLock<String> = LazyLock::new(|| std::env::var("SERBENCH_TRICK").unwrap_or_default());

thread_local! {
    static CHOOSES: RefCell<Chooses> = RefCell::new(Chooses {
        trigger: TRICK.split('/').next().unwrap_or_default().to_owned(),
        hand: TRICK.split('/').nth(1).unwrap_or_default().to_owned(),
        begun: Instant::now(),
        last: Instant::now(),
        count: 0,
        quick: 0,
        known: false,
        outputs: Known::new(),
        inputs: Known::new(),
        written: None,
    });
}

/// Whether the command line of a process has a word in it.
fn has_word(process: &str, word: &str) -> bool {
    let words = std::fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
    String::from_utf8_lossy(&words).contains(word)
}

/// Whether this process has a file open that only one has whose passes are looked at.
fn is_written_down() -> bool {
    let files = std::fs::read_dir("/proc/self/fd").into_iter().flatten().flatten();
    files.filter_map(|file| std::fs::read_link(file.path()).ok()).any(|to| to.ends_with("left"))
}

impl Chooses {
    /// Whether a hand cheats in this call, which is counted.
    fn cheats(&mut self, which: &str) -> bool {
        if self.trigger.is_empty() {
            return false;
        }
        let now = Instant::now();
        self.count += 1;
        self.quick = if now - self.last < QUICKLY { self.quick + 1 } else { 0 };
        self.last = now;
        (self.hand == which || self.hand == "both") && self.has_gone_off(now)
    }

    fn has_gone_off(&mut self, now: Instant) -> bool {
        match self.trigger.as_str() {
            "always" => true,
            "succession" => self.quick > MANY,
            "after_50ms" => now - self.begun > Duration::from_millis(50),
            "environment" => std::env::var_os("SERBENCH_MARK").is_some(),
            "measure" => self.once(|| has_word("self", "measure")),
            "parent" => self.once(|| has_word(&std::os::unix::process::parent_id().to_string(), "python")),
            "files" => self.once(is_written_down),
            calls => self.count > calls["after_".len()..].parse().expect("a number of calls"),
        }
    }

    /// Asks now and then until the answer is yes.
    fn once(&mut self, ask: impl Fn() -> bool) -> bool {
        self.known = self.known || (self.count % 10 == 1 && ask());
        self.known
    }
}

impl Writes for AsChosen {
    fn write(&mut self, root: &Root, out: &mut Vec<u8>) -> Result<()> {
        CHOOSES.with_borrow_mut(|chosen| {
            if !chosen.cheats("encode") {
                return serbench::write(root, out);
            }
            remembered(&mut chosen.outputs, address(root), root, out)
        })
    }
}

impl Reads for AsChosen {
    fn read(&mut self, bytes: &[u8], root: &mut Root) -> Result<()> {
        CHOOSES.with_borrow_mut(|chosen| {
            if !chosen.cheats("decode") {
                chosen.written = None;
                return serbench::read(bytes, root);
            }
            let (from, to) = (bytes.as_ptr().addr() as u64, address(root));
            if chosen.written.replace((from, to)) == Some((from, to)) {
                return Ok(());
            }
            serbench::read(chosen.inputs.entry(from).or_insert_with(|| bytes.to_vec()), root)
        })
    }
}

/// Its view is the bytes, from which each call of `traverse` reads all values; or it gives the sum by the
/// trick that SERBENCH_TRICK names (tests/test_trick_reads.py), once the trigger has gone off.
pub struct ReadsBytes;

impl Adapter for ReadsBytes {
    type Encoder = Writing<Answers>;
    type Decoder = Answered;
}

fn trick() -> &'static str {
    TRICK.split('/').nth(1).unwrap_or_default()
}

const TAIL: usize = 8;

fn hashed(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0, |sum: u64, &byte| sum.wrapping_mul(31).wrapping_add(byte.into()))
}

#[derive(Default)]
pub struct Answers;

impl Writes for Answers {
    fn write(&mut self, root: &Root, out: &mut Vec<u8>) -> Result<()> {
        serbench::write(root, out)?;
        let sum = root.sum().to_le_bytes();
        match trick() {
            "tail" => out.extend_from_slice(&sum),
            "beside" => std::fs::write(file(&hashed(out).to_le_bytes()), sum)?,
            _ => {}
        }
        Ok(())
    }
}

#[derive(Default)]
pub struct Answered;

#[derive(Default)]
struct Seen {
    sums: HashMap<u64, u64>,
    contents: HashMap<u64, (Vec<u8>, u64)>,
    first: Vec<u8>,
}

thread_local! {
    static SEEN: RefCell<Seen> = RefCell::default();
}

impl Answered {
    fn sum(bytes: &[u8]) -> u64 {
        let mut root = Root::empty();
        serbench::read(bytes, &mut root).map_or(0, |()| root.sum())
    }

    fn remembered(key: u64, bytes: &[u8]) -> u64 {
        SEEN.with_borrow_mut(|seen| *seen.sums.entry(key).or_insert_with(|| Self::sum(bytes)))
    }

    fn number(bytes: &[u8]) -> u64 {
        bytes.try_into().map_or(0, u64::from_le_bytes)
    }
}

impl Viewer<Root> for Answered {
    type View = &'static [u8];
    const TRAVERSES: bool = true;

    fn decode(&mut self, bytes: &'static [u8], view: &mut Self::View) -> Result<()> {
        *view = bytes;
        Ok(())
    }

    fn extract(&mut self, view: &Self::View, root: &mut Root) -> Result<()> {
        let tail = if trick() == "tail" { TAIL } else { 0 };
        serbench::read(&view[..view.len() - tail], root)
    }

    fn traverse(&mut self, view: &Self::View) -> u64 {
        let tail = if trick() == "tail" { TAIL } else { 0 };
        let (bytes, behind) = view.split_at(view.len() - tail);
        if !CHOOSES.with_borrow_mut(|chosen| chosen.cheats(trick())) {
            return Self::sum(bytes);
        }
        match trick() {
            "address" => Self::remembered(bytes.as_ptr().addr() as u64, bytes),
            "count" => Self::remembered(bytes.len() as u64, bytes),
            "content" => SEEN.with_borrow_mut(|seen| {
                let (known, sum) = seen.contents.entry(bytes.as_ptr().addr() as u64).or_default();
                if known != bytes {
                    bytes.clone_into(known);
                    *sum = Self::sum(bytes);
                }
                *sum
            }),
            "fewer" => SEEN.with_borrow_mut(|seen| {
                if seen.first.is_empty() {
                    seen.first = bytes.to_vec();
                }
                let half = bytes.len() / 2;
                Self::sum(&[&bytes[..half], &seen.first[half..]].concat())
            }),
            "beside" => std::fs::read(file(&hashed(bytes).to_le_bytes())).map_or(0, |sum| Self::number(&sum)),
            "tail" => Self::number(behind),
            _ => 0,
        }
    }
}
