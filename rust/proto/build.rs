//! Compiles `tensorflow/*.proto` to Rust types and to an embedded descriptor set, without protoc.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::{env, fs};

use prost::Message;

fn main() -> Result<(), Box<dyn Error>> {
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let files = proto_files(&root.join("tensorflow"))?;

    let set = protox::Compiler::new([&root])?
        .include_imports(true)
        .include_source_info(false)
        .open_files(&files)?
        .file_descriptor_set();
    fs::write(out.join("descriptors.binpb"), set.encode_to_vec())?;

    prost_build::Config::new()
        // Sorted maps: equal messages encode to equal bytes.
        .btree_map(["."])
        .enable_type_names()
        .compile_well_known_types()
        .include_file("messages.rs")
        .compile_fds(set)?;

    println!("cargo:rerun-if-changed=tensorflow");
    Ok(())
}

/// Returns the .proto files of `folder`, sorted so that the descriptor set does not depend on the file system.
fn proto_files(folder: &Path) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "proto") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}
