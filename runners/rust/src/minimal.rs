//! The least program that uses a codec: reads a message and writes it again.

use crate::{Decoder, Encoder, Result, Value};
use std::io::{Read, Write};

/// From standard input to standard output.
pub fn copy_message<Root: Value, E: Encoder<Root>, D: Decoder<Root>>() -> Result<()> {
    let mut bytes = Vec::new();
    std::io::stdin().read_to_end(&mut bytes)?;
    let mut root = Root::empty();
    D::default().decode(&bytes, &mut root)?;
    std::io::stdout().write_all(E::default().encode(&root)?)?;
    Ok(())
}
