//! Has Cap'n Proto's compiler read a schema and capnpc write Rust, as a build script does: `generate
//! SCHEMA FOLDER`.

fn main() -> capnp::Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [schema, folder] = words.as_slice() else {
        return Err(capnp::Error::failed("expected a schema and a folder".to_owned()));
    };
    capnpc::CompilerCommand::new()
        .file(schema)
        .src_prefix(folder)
        .output_path(folder)
        .default_parent_module(vec!["glue".to_owned()])
        .run()
}
