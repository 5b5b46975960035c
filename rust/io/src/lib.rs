//! Bytes on disk: file names and their failures, buffered and decompressing input, checksums, record and event files.

pub mod checksum;
pub mod compression;
pub mod event_writer;
pub mod file;
pub mod input;
pub mod record;

pub use compression::Compression;
pub use event_writer::EventWriter;
pub use input::Input;
pub use record::{RecordReader, RecordWriter};
