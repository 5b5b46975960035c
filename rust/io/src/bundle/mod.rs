//! Checkpoints: the bundle of an index and data files that TF 1.x calls V2, and the one-file tables of V1, which are read.
//!
//! A bundle `prefix` is a sorted table `prefix.index` of `BundleEntryProto` by key, and the elements of the tensors in
//! `prefix.data-SSSSS-of-NNNNN`. A tensor saved in slices has an entry that lists them, and each slice one of its own.

mod checkpoint;
mod commit;
mod data;
mod entry;
mod merge;
mod ordered_code;
mod reader;
mod slice;
mod slices_reader;
mod slices_writer;
mod strings;
mod variants;
mod writer;

pub use checkpoint::{Checkpoint, Described};
pub use commit::{abandon_shards, replace_file};
pub use merge::merge;
pub use reader::{BundleReader, ReadRequest};
pub use slice::{Slice, SliceSpec};
pub use slices_reader::SlicesReader;
pub use slices_writer::write_slices;
pub use writer::{Item, write};

/// The key of the header, before all others.
const HEADER_KEY: &[u8] = b"";

/// Returns the file of a bundle's index.
pub fn index_name(prefix: &str) -> String {
    format!("{prefix}.index")
}

/// Returns the file of a bundle's data.
pub fn data_name(prefix: &str, shard: i32, shards: i32) -> String {
    format!("{prefix}.data-{shard:05}-of-{shards:05}")
}
