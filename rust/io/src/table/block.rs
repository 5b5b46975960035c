//! A block of a table: its entries in the order of their keys, each key cut to what differs from the one before.

use crate::varint;
use std::ops::Range;

/// A key that begins anew after at most this many cut ones.
pub(super) const RESTART_INTERVAL: usize = 16;

/// A block being made.
pub(super) struct BlockBuilder {
    bytes: Vec<u8>,
    restarts: Vec<u32>,
    since_restart: usize,
    interval: usize,
    last_key: Vec<u8>,
}

impl BlockBuilder {
    pub(super) fn new(interval: usize) -> BlockBuilder {
        BlockBuilder { bytes: Vec::new(), restarts: vec![0], since_restart: 0, interval, last_key: Vec::new() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Returns the number of bytes that the finished block will have.
    pub(super) fn size(&self) -> usize {
        self.bytes.len() + 4 * (self.restarts.len() + 1)
    }

    /// Adds an entry whose key is greater than all before.
    pub(super) fn add(&mut self, key: &[u8], value: &[u8]) {
        let shared = if self.since_restart < self.interval {
            self.last_key.iter().zip(key).take_while(|(a, b)| a == b).count()
        } else {
            self.restarts.push(self.bytes.len() as u32);
            self.since_restart = 0;
            0
        };
        varint::put(&mut self.bytes, shared as u64);
        varint::put(&mut self.bytes, (key.len() - shared) as u64);
        varint::put(&mut self.bytes, value.len() as u64);
        self.bytes.extend_from_slice(&key[shared..]);
        self.bytes.extend_from_slice(value);
        self.last_key.clear();
        self.last_key.extend_from_slice(key);
        self.since_restart += 1;
    }

    /// Returns the block's bytes; leaves an empty block.
    pub(super) fn finish(&mut self) -> Vec<u8> {
        let mut bytes = std::mem::take(&mut self.bytes);
        self.restarts.iter().for_each(|r| bytes.extend_from_slice(&r.to_le_bytes()));
        bytes.extend_from_slice(&(self.restarts.len() as u32).to_le_bytes());
        *self = BlockBuilder::new(self.interval);
        bytes
    }
}

/// A block that was read: its keys, whole, and where their values lie.
pub struct Block {
    bytes: Vec<u8>,
    entries: Vec<(Vec<u8>, Range<usize>)>,
}

impl Block {
    /// Returns the entries of a block's bytes; `None` where they are no entries in order.
    pub(super) fn parse(bytes: Vec<u8>) -> Option<Block> {
        let (_, count) = bytes.split_last_chunk::<4>()?;
        let restarts = usize::try_from(u32::from_le_bytes(*count)).ok()?;
        let end = bytes.len().checked_sub(restarts.checked_mul(4)?.checked_add(4)?)?;
        let mut entries: Vec<(Vec<u8>, Range<usize>)> = Vec::new();
        let mut rest = &bytes[..end];
        while !rest.is_empty() {
            let shared = varint::take_length(&mut rest)?;
            let (own, value) = (varint::take_length(&mut rest)?, varint::take_length(&mut rest)?);
            let (own, after) = rest.split_at_checked(own)?;
            rest = after.get(value..)?;
            let last = entries.last().map_or(&[][..], |e| &e.0);
            let key = [last.get(..shared)?, own].concat();
            if !entries.is_empty() && last >= &key[..] {
                return None;
            }
            let stop = end - rest.len();
            entries.push((key, stop - value..stop));
        }
        Some(Block { bytes, entries })
    }

    /// Returns the value of a key.
    pub fn get(&self, key: &[u8]) -> Option<&[u8]> {
        let at = self.entries.binary_search_by(|e| e.0[..].cmp(key)).ok()?;
        self.bytes.get(self.entries[at].1.clone())
    }

    /// Returns keys and values in order.
    pub fn iter(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        self.entries.iter().map(|(key, value)| (&key[..], self.bytes.get(value.clone()).unwrap_or_default()))
    }
}
