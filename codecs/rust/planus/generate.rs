//! Has planus read a schema and write Rust, as its program does: `generate SCHEMA FOLDER`.

use std::error::Error;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [schema, folder] = words.as_slice() else {
        return Err("expected a schema and a folder".into());
    };
    let declared = planus_translation::translate_files(&[schema]).ok_or("planus refuses the schema")?;
    // What nobody is to read is not formatted, which would take a program.
    let written = planus_codegen::generate_rust(&declared, false)?;
    Ok(std::fs::write(Path::new(folder).join("messages.rs"), written)?)
}
