//! Writes a bundle of one data file.

use super::commit::{Commit, make_folder};
use super::data::{self, Content};
use super::entry::{Entry, encode_header};
use super::slice::SliceSpec;
use super::{HEADER_KEY, data_name, index_name};
use crate::checksum::mask;
use crate::file::failure;
use crate::table::TableWriter;
use ferroflow_tensor::threads::Threads;
use ferroflow_tensor::{Result, Tensor, ensure};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::BufWriter;

/// A tensor to be saved, or a slice of one.
pub struct Item<'a> {
    pub name: &'a [u8],
    pub part: Option<SliceSpec>,
    pub tensor: &'a Tensor,
}

pub(super) type Entries = BTreeMap<Vec<u8>, Entry>;

fn lossy(name: &[u8]) -> String {
    String::from_utf8_lossy(name).into_owned()
}

/// Returns the keys of the items' own entries; adds the entries that list slices.
fn keys(items: &[Item<'_>], entries: &mut Entries) -> Result<Vec<Vec<u8>>> {
    let mut keys = Vec::with_capacity(items.len());
    for item in items {
        ensure!(item.name != HEADER_KEY, InvalidArgument, "A tensor cannot be saved under the empty name");
        let Some(part) = item.part.as_ref().filter(|part| !part.slice.covers(&part.full)) else {
            keys.push(item.name.to_vec());
            continue;
        };
        ensure!(
            part.shape == *item.tensor.shape(),
            InvalidArgument,
            "Slice in shape_and_slice specification does not match the shape of the tensor to  save: {} {}, tensor: {}",
            part.full,
            part.slice,
            item.tensor.shape()
        );
        let whole = entries.entry(item.name.to_vec()).or_insert_with(|| Entry {
            dtype: item.tensor.dtype(),
            shape: part.full.clone(),
            shard: 0,
            offset: 0,
            size: 0,
            crc: 0,
            slices: Vec::new(),
        });
        ensure!(
            whole.dtype == item.tensor.dtype() && whole.shape == part.full,
            InvalidArgument,
            "The slices of {} are of different tensors: {} {} and {} {}",
            lossy(item.name),
            whole.dtype.schema_name(),
            whole.shape,
            item.tensor.dtype().schema_name(),
            part.full
        );
        whole.slices.push(part.slice.clone());
        keys.push(part.slice.key(item.name));
    }
    Ok(keys)
}

/// Writes entries behind a header.
pub(super) fn write_index(file: &File, name: &str, shards: i32, entries: &Entries) -> Result<()> {
    let mut table = TableWriter::new(BufWriter::new(file));
    let written = (|| {
        table.add(HEADER_KEY, &encode_header(shards))?;
        for (key, entry) in entries {
            table.add(key, &entry.encode())?;
        }
        table.finish()?.into_inner().map_err(|e| e.into_error())?;
        Ok(())
    })();
    written.map_err(|e: std::io::Error| failure(name, &e))
}

/// Saves tensors as the bundle `prefix`, whose folder is made where it is missing. Other bundles of that name stay what
/// they are until the new one is whole and on the disk.
///
/// Errors: `InvalidArgument` where a name is given twice or a slice does not fit; the system's.
pub fn write(prefix: &str, items: &[Item<'_>], threads: Threads) -> Result<()> {
    let mut entries = Entries::new();
    let keys = keys(items, &mut entries)?;
    let contents = items.iter().map(|item| Content::of(item.tensor)).collect::<Result<Vec<_>>>()?;
    make_folder(prefix)?;
    let mut commit = Commit::begin(prefix)?;
    let data = commit.file(&data_name(prefix, 0, 1))?;
    let crcs = data::write(&data.file, &data.name, &contents, threads)?;
    data.sync()?;
    let mut offset = 0;
    for ((item, key), (content, crc)) in items.iter().zip(keys).zip(contents.iter().zip(crcs)) {
        let entry = Entry {
            dtype: item.tensor.dtype(),
            shape: item.tensor.shape().clone(),
            shard: 0,
            offset,
            size: content.size() as u64,
            crc: mask(crc),
            slices: Vec::new(),
        };
        offset += entry.size;
        ensure!(!entries.contains_key(&key), InvalidArgument, "Adding duplicate key: {}", lossy(&key));
        entries.insert(key, entry);
    }
    let index = commit.file(&index_name(prefix))?;
    write_index(&index.file, &index.name, 1, &entries)?;
    index.sync()?;
    commit.finish()
}
