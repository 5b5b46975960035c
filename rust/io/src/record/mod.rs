//! Record files: length, checksum of the length, data, checksum of the data, over and over.
//!
//! Source: TensorFlow's TFRecord format; integers are little-endian, lengths 8 bytes, checksums 4 and masked.

mod reader;
mod writer;

pub use reader::RecordReader;
pub use writer::RecordWriter;

/// Bytes before a record's data: its length and the length's checksum.
pub const HEADER: usize = 12;

/// Bytes after a record's data: its checksum.
pub const FOOTER: usize = 4;
