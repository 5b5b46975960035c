//! Writes a table.

use super::block::{BlockBuilder, RESTART_INTERVAL};
use super::{FOOTER_BYTES, Handle, MAGIC, TRAILER_BYTES};
use crate::checksum;
use std::io::{Result, Write};

/// A block is closed when it has this many bytes. TF 1.x: other readers take any size, files are equal with this one.
const BLOCK_BYTES: usize = 256 << 10;

/// Writes entries, given in the order of their keys, as a table.
pub struct TableWriter<W> {
    out: W,
    offset: u64,
    block: BlockBuilder,
    index: BlockBuilder,
    last_key: Vec<u8>,
    /// The last block written, until the first key after it is known.
    pending: Option<Handle>,
}

/// Returns a short key that is at least `key` and less than `next`.
fn separator(key: &[u8], next: &[u8]) -> Vec<u8> {
    let at = key.iter().zip(next).take_while(|(a, b)| a == b).count();
    match (key.get(at), next.get(at)) {
        (Some(&a), Some(&b)) if a < 0xff && a + 1 < b => [&key[..at], &[a + 1]].concat(),
        _ => key.to_vec(),
    }
}

/// Returns a short key that is at least `key`.
fn successor(key: &[u8]) -> Vec<u8> {
    match key.iter().position(|&b| b != 0xff) {
        Some(at) => [&key[..at], &[key[at] + 1]].concat(),
        None => key.to_vec(),
    }
}

impl<W: Write> TableWriter<W> {
    pub fn new(out: W) -> TableWriter<W> {
        let (block, index) = (BlockBuilder::new(RESTART_INTERVAL), BlockBuilder::new(1));
        TableWriter { out, offset: 0, block, index, last_key: Vec::new(), pending: None }
    }

    fn write_block(&mut self, bytes: &[u8]) -> Result<Handle> {
        let handle = Handle { offset: self.offset, size: bytes.len() as u64 };
        self.out.write_all(bytes)?;
        let sum = checksum::mask(crc32c::crc32c_append(crc32c::crc32c(bytes), &[0]));
        self.out.write_all(&[0])?;
        self.out.write_all(&sum.to_le_bytes())?;
        self.offset += (bytes.len() + TRAILER_BYTES) as u64;
        Ok(handle)
    }

    fn close_block(&mut self) -> Result<()> {
        if !self.block.is_empty() {
            let bytes = self.block.finish();
            self.pending = Some(self.write_block(&bytes)?);
        }
        Ok(())
    }

    fn index_pending(&mut self, key: &[u8]) {
        if let Some(handle) = self.pending.take() {
            let mut value = Vec::new();
            handle.put(&mut value);
            self.index.add(key, &value);
        }
    }

    /// Adds an entry whose key is greater than all before.
    pub fn add(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        if key.len() + value.len() >= 2 * BLOCK_BYTES {
            self.close_block()?;
        }
        self.index_pending(&separator(&self.last_key, key));
        self.last_key.clear();
        self.last_key.extend_from_slice(key);
        self.block.add(key, value);
        if self.block.size() >= BLOCK_BYTES {
            self.close_block()?;
        }
        Ok(())
    }

    /// Writes what is left, index and footer; gives back what was written to.
    pub fn finish(mut self) -> Result<W> {
        self.close_block()?;
        let empty = BlockBuilder::new(RESTART_INTERVAL).finish();
        let about = self.write_block(&empty)?;
        self.index_pending(&successor(&self.last_key));
        let index = self.index.finish();
        let index = self.write_block(&index)?;
        let mut footer = Vec::with_capacity(FOOTER_BYTES);
        about.put(&mut footer);
        index.put(&mut footer);
        footer.resize(FOOTER_BYTES - 8, 0);
        footer.extend_from_slice(&MAGIC.to_le_bytes());
        self.out.write_all(&footer)?;
        Ok(self.out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_the_index_lie_between_the_blocks() {
        assert_eq!(separator(b"the quick", b"the who"), b"the r");
        assert_eq!(separator(b"abc", b"abd"), b"abc");
        assert_eq!(separator(b"ab", b"abc"), b"ab");
        assert_eq!(separator(b"a\xff", b"b"), b"a\xff");
        assert_eq!(successor(b"abc"), b"b");
        assert_eq!(successor(b"\xff\x01z"), b"\xff\x02");
        assert_eq!(successor(b"\xff"), b"\xff");
    }
}
