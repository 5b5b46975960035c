//! Sorted tables of LevelDB's form: keys and values in checksummed blocks, an index of the blocks, a footer.
//!
//! Source: LevelDB's doc/table_format.md. Keys of a block are cut to what differs from the key before. Blocks end with
//! their kind (0: as they are, 1: compressed by Snappy) and their masked checksum.

mod block;
mod reader;
mod writer;

pub use block::Block;
pub use reader::Table;
pub use writer::TableWriter;

/// The last eight bytes of a table.
const MAGIC: u64 = 0xdb47_7524_8b80_fb57;
/// Two handles of at most 20 bytes each, and the magic number.
const FOOTER_BYTES: usize = 48;
/// A block's kind and checksum.
const TRAILER_BYTES: usize = 5;

/// The place of a block, without its trailer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Handle {
    offset: u64,
    size: u64,
}

impl Handle {
    fn put(self, out: &mut Vec<u8>) {
        crate::varint::put(out, self.offset);
        crate::varint::put(out, self.size);
    }

    fn take(bytes: &mut &[u8]) -> Option<Handle> {
        Some(Handle { offset: crate::varint::take(bytes)?, size: crate::varint::take(bytes)? })
    }
}
