//! Bytes on disk: file names, buffered and decompressing input, checksums and the formats of files. These are records, events,
//! sorted tables, LMDB databases, checkpoints and messages of tensors.

pub mod bundle;
pub mod checksum;
pub mod compression;
pub mod event_writer;
pub mod file;
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
