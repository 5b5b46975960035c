//! Reads a table: its index at once, its blocks on request.

use super::{Block, FOOTER_BYTES, Handle, MAGIC, TRAILER_BYTES};
use crate::checksum;
use crate::file::failure;
use crate::positioned;
use ferroflow_tensor::{Result, Status, ensure};
use std::fs::File;

/// Snappy writes at most 64 bytes for three that it read.
const MOST_EXPANSION: u64 = 32;

pub struct Table {
    file: File,
    name: String,
    size: u64,
    /// The greatest key that a block may have, and the block.
    index: Vec<(Vec<u8>, Handle)>,
}

impl Table {
    /// Opens the table in a file.
    ///
    /// Errors: the system's; `DataLoss` where the file is no table or damaged.
    pub fn open(name: &str) -> Result<Table> {
        let file = File::open(crate::file::path_of(name)).map_err(|e| failure(name, &e))?;
        let about = file.metadata().map_err(|e| failure(name, &e))?;
        ensure!(!about.is_dir(), FailedPrecondition, "{name}; Is a directory");
        let mut table = Table { file, name: name.to_owned(), size: about.len(), index: Vec::new() };
        ensure!(table.size >= FOOTER_BYTES as u64, DataLoss, "{name}: file is too short to be an sstable");
        let mut footer = [0; FOOTER_BYTES];
        table.read_at(&mut footer, table.size - FOOTER_BYTES as u64)?;
        let (handles, magic) = footer.split_at(FOOTER_BYTES - 8);
        ensure!(magic == MAGIC.to_le_bytes(), DataLoss, "{name}: not an sstable (bad magic number)");
        let mut handles = handles;
        let index = Handle::take(&mut handles).and_then(|_| Handle::take(&mut handles));
        let index = table.block(index.ok_or_else(|| table.damaged("bad block handle"))?)?;
        for (key, mut value) in index.iter() {
            let handle = Handle::take(&mut value).ok_or_else(|| table.damaged("bad block handle"))?;
            table.index.push((key.to_vec(), handle));
        }
        Ok(table)
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    fn damaged(&self, what: &str) -> Status {
        Status::data_loss(format!("{}: {what}", self.name))
    }

    fn read_at(&self, to: &mut [u8], offset: u64) -> Result<()> {
        positioned::read_exact_at(&self.file, to, offset).map_err(|e| match e.kind() {
            std::io::ErrorKind::UnexpectedEof => self.damaged("truncated block read"),
            _ => failure(&self.name, &e),
        })
    }

    fn block(&self, handle: Handle) -> Result<Block> {
        let inside = handle.offset.checked_add(handle.size).and_then(|end| end.checked_add(TRAILER_BYTES as u64));
        ensure!(inside.is_some_and(|end| end <= self.size), DataLoss, "{}: truncated block read", self.name);
        // Not longer than the file.
        let size = handle.size as usize;
        let mut bytes = vec![0; size + TRAILER_BYTES];
        self.read_at(&mut bytes, handle.offset)?;
        let (content, sum) = bytes.split_at(size + 1);
        let matches =
            <[u8; 4]>::try_from(sum).is_ok_and(|s| checksum::unmask(u32::from_le_bytes(s)) == crc32c::crc32c(content));
        ensure!(matches, DataLoss, "{}: block checksum mismatch in the block at byte {}", self.name, handle.offset);
        let kind = bytes[size];
        bytes.truncate(size);
        let content = match kind {
            0 => bytes,
            1 => {
                let length =
                    snap::raw::decompress_len(&bytes).map_err(|_| self.damaged("corrupted compressed block"))?;
                let possible = length as u64 <= (size as u64).saturating_mul(MOST_EXPANSION);
                ensure!(possible, DataLoss, "{}: corrupted compressed block contents", self.name);
                snap::raw::Decoder::new()
                    .decompress_vec(&bytes)
                    .map_err(|_| self.damaged("corrupted compressed block"))?
            }
            _ => return Err(self.damaged("bad block type")),
        };
        Block::parse(content).ok_or_else(|| self.damaged("bad entry in block"))
    }

    /// Returns the number of blocks.
    pub fn blocks(&self) -> usize {
        self.index.len()
    }

    /// Returns the block of that number, in the order of the keys.
    pub fn nth_block(&self, i: usize) -> Result<Option<Block>> {
        self.index.get(i).map(|(_, handle)| self.block(*handle)).transpose()
    }

    /// Returns the block that holds a key if the table does.
    pub fn block_of(&self, key: &[u8]) -> Result<Option<Block>> {
        self.nth_block(self.index.partition_point(|(last, _)| &last[..] < key))
    }
}

#[cfg(test)]
mod tests {
    use super::super::TableWriter;
    use super::*;
    use ferroflow_tensor::Code;

    fn entries() -> Vec<(Vec<u8>, Vec<u8>)> {
        // Values that fill several blocks, one of them alone in its own.
        let size = |i: usize| if i == 70 { 600 << 10 } else { 9000 };
        (0..200).map(|i| (format!("key/{i:05}").into_bytes(), vec![i as u8; size(i)])).collect()
    }

    fn written() -> Vec<u8> {
        let mut writer = TableWriter::new(Vec::new());
        entries().iter().for_each(|(k, v)| writer.add(k, v).unwrap());
        writer.finish().unwrap()
    }

    fn opened(name: &str, bytes: &[u8]) -> Result<Table> {
        let path = std::env::temp_dir().join(format!("ferroflow-table-{name}-{}", std::process::id()));
        std::fs::write(&path, bytes).unwrap();
        let table = Table::open(path.to_str().unwrap());
        std::fs::remove_file(&path).unwrap();
        table
    }

    #[test]
    fn what_is_written_is_found_and_listed_in_order() {
        let table = opened("whole", &written()).unwrap();
        assert!(table.blocks() > 5);
        let mut all = Vec::new();
        for i in 0..table.blocks() {
            let block = table.nth_block(i).unwrap().unwrap();
            all.extend(block.iter().map(|(k, v)| (k.to_vec(), v.to_vec())));
        }
        assert!(all == entries());
        for (key, value) in entries() {
            assert!(table.block_of(&key).unwrap().unwrap().get(&key) == Some(&value));
        }
        assert!(table.block_of(b"key/000005").unwrap().unwrap().get(b"key/000005").is_none());
        assert!(table.block_of(b"z").unwrap().is_none());
    }

    #[test]
    fn compressed_blocks_are_read_and_their_lengths_not_believed() {
        let mut block = super::super::block::BlockBuilder::new(16);
        entries().iter().take(3).for_each(|(k, v)| block.add(k, v));
        let plain = block.finish();
        let table = |content: &[u8]| {
            let mut bytes = content.to_vec();
            let handle = Handle { offset: 0, size: content.len() as u64 };
            let finish = |kind: u8, bytes: &mut Vec<u8>, from: usize| {
                bytes.push(kind);
                let sum = checksum::masked(&bytes[from..]);
                bytes.extend_from_slice(&sum.to_le_bytes());
            };
            finish(1, &mut bytes, 0);
            let mut value = Vec::new();
            handle.put(&mut value);
            let mut index = super::super::block::BlockBuilder::new(1);
            index.add(b"l", &value);
            let at = bytes.len();
            let index = index.finish();
            bytes.extend_from_slice(&index);
            finish(0, &mut bytes, at);
            let mut footer = Vec::new();
            handle.put(&mut footer);
            Handle { offset: at as u64, size: index.len() as u64 }.put(&mut footer);
            footer.resize(40, 0);
            footer.extend_from_slice(&MAGIC.to_le_bytes());
            bytes.extend_from_slice(&footer);
            opened("compressed", &bytes).unwrap()
        };
        let good = table(&snap::raw::Encoder::new().compress_vec(&plain).unwrap());
        let block = good.nth_block(0).unwrap().unwrap();
        assert!(block.iter().map(|(k, v)| (k.to_vec(), v.to_vec())).eq(entries().into_iter().take(3)));
        for bad in [&b"\xff\xff\xff\xff\x0f"[..], b"", b"\x05\x00"] {
            assert_eq!(table(bad).nth_block(0).err().unwrap().code(), Code::DataLoss);
        }
    }

    #[test]
    fn a_table_cut_short_is_none() {
        let mut writer = TableWriter::new(Vec::new());
        writer.add(b"a", b"1").unwrap();
        let whole = writer.finish().unwrap();
        for n in 0..whole.len() {
            assert_eq!(opened("cut", &whole[..n]).err().unwrap().code(), Code::DataLoss);
        }
    }
}
