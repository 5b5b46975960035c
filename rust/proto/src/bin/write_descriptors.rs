//! Writes the descriptor set that the Python package loads its messages from.

use std::path::Path;
use std::{fs, io};

fn main() -> io::Result<()> {
    let target =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../pyfront/ferroflow/_src/base/proto/descriptors.binpb");
    fs::write(target, ferroflow_proto::descriptor_set())
}
