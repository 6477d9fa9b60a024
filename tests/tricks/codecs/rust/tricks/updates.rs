//! A codec that changes the number `siblings` of a `small_struct` in place; or has the trick that
//! SERBENCH_TRICK names (tests/test_trick_updates.py), once the trigger has gone off.

use super::{trick, Honest, Writing, CHOOSES};
use crate::domain::Root;
use serbench::{Adapter, Result, Viewer};
use std::cell::RefCell;
use std::collections::HashMap;

pub struct UpdatesBytes;

impl Adapter for UpdatesBytes {
    type Encoder = Writing<Honest>;
    type Decoder = Updater;
}

/// From the end of the message: the number, and the flag behind it.
const SIBLINGS: usize = 17;
const SPOUSE: usize = 9;

#[derive(Default)]
pub struct Updater;

#[derive(Default)]
struct Seen {
    calls: usize,
    states: Vec<Vec<u8>>,
}

thread_local! {
    static SEEN: RefCell<HashMap<usize, Seen>> = RefCell::default();
}

impl Viewer<Root> for Updater {
    type View = &'static [u8];
    const UPDATES: bool = true;

    fn decode(&mut self, bytes: &'static [u8], view: &mut Self::View) -> Result<()> {
        *view = bytes;
        Ok(())
    }

    fn extract(&mut self, view: &Self::View, root: &mut Root) -> Result<()> {
        serbench::read(view, root)
    }

    fn update(&mut self, bytes: &mut [u8]) -> Result<()> {
        let cheats = CHOOSES.with_borrow_mut(|chosen| chosen.cheats(trick()));
        let from_end = bytes.len();
        match if cheats { trick() } else { "" } {
            "nothing" => (),
            "another" => bytes[from_end - SPOUSE] ^= 1,
            "pairs" => SEEN.with_borrow_mut(|seen| {
                let seen = seen.entry(bytes.as_ptr().addr()).or_default();
                seen.calls += 1;
                if seen.calls % 4 < 2 {
                    bytes[from_end - SIBLINGS] ^= 1;
                }
            }),
            "remembered" => SEEN.with_borrow_mut(|seen| {
                let seen = seen.entry(bytes.as_ptr().addr()).or_default();
                seen.calls += 1;
                if seen.states.len() < 2 {
                    bytes[from_end - SIBLINGS] ^= 1;
                    seen.states.push(bytes.to_vec());
                } else {
                    bytes.copy_from_slice(&seen.states[(seen.calls + 1) % 2]);
                }
            }),
            _ => bytes[from_end - SIBLINGS] ^= 1,
        }
        Ok(())
    }
}
