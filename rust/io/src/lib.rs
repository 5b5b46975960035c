//! Bytes on disk: file names and failures, input, checksums, records, events, tables, LMDB databases, checkpoints, tensors.

pub mod bundle;
pub mod checksum;
pub mod compression;
pub mod event_writer;
pub mod file;
pub mod file_pattern;
pub mod input;
pub mod lmdb;
mod positioned;
pub mod record;
mod table;
pub mod tensor_message;
mod variant;
mod varint;

pub use compression::Compression;
pub use event_writer::EventWriter;
pub use input::Input;
pub use lmdb::LmdbReader;
pub use record::{RecordReader, RecordWriter};
pub use variant::EncodedVariant;
