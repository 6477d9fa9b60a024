//! An adapter that lingers at floats when it writes, and at nothing when it reads.

use crate::domain::Root;
use crate::glue::price;
use serbench::{Adapter, Decoder, Encoder, Result};
use std::time::{Duration, Instant};

const LINGERS: Duration = Duration::from_micros(30);

pub struct Slow;

impl Adapter for Slow {
    type Encoder = Writing;
    type Decoder = Reading;
}

#[derive(Default)]
pub struct Writing {
    buffer: Vec<u8>,
}

impl Encoder<Root> for Writing {
    fn encode(&mut self, root: &Root) -> Result<&[u8]> {
        for line in root.lines.iter().filter(|line| price(line) != 0.0) {
            let begin = Instant::now();
            while begin.elapsed() < LINGERS {}
        }
        self.buffer.clear();
        serbench::write(root, &mut self.buffer)?;
        Ok(&self.buffer)
    }
}

#[derive(Default)]
pub struct Reading;

impl Decoder<Root> for Reading {
    fn decode(&mut self, bytes: &[u8], root: &mut Root) -> Result<()> {
        serbench::read(bytes, root)
    }
}
