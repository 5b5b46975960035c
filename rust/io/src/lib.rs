//! Bytes on disk: file names and their failures, buffered and decompressing input, checksums and record files.

pub mod checksum;
pub mod compression;
pub mod file;
pub mod input;
pub mod record;

pub use compression::Compression;
pub use input::Input;
pub use record::{RecordReader, RecordWriter};
