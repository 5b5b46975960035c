//! `Checkpoint`: a checkpoint of either format, found by its name.

use super::index_name;
use super::reader::{BundleReader, ReadRequest};
use super::slice::Slice;
use super::slices_reader::SlicesReader;
use crate::file::path_of;
use ferroflow_tensor::threads::Threads;
use ferroflow_tensor::{DType, Result, Shape, Tensor, bail, ensure};
use std::collections::HashSet;

pub enum Checkpoint {
    Bundle(BundleReader),
    Slices(SlicesReader),
}

/// The description of a tensor in a checkpoint.
pub struct Described {
    pub name: Vec<u8>,
    pub dtype: DType,
    pub shape: Shape,
    /// 1 where it is saved whole.
    pub slices: usize,
}

impl Checkpoint {
    /// Opens the bundle of that prefix, or else the files of the first format that match the name.
    ///
    /// Errors: `NotFound` where there is neither; `DataLoss` for damaged files.
    pub fn open(name: &str) -> Result<Checkpoint> {
        if path_of(index_name(name)).exists() {
            return Ok(Checkpoint::Bundle(BundleReader::open(name)?));
        }
        Ok(Checkpoint::Slices(SlicesReader::open(name)?))
    }

    pub fn contains(&self, name: &[u8]) -> bool {
        match self {
            Checkpoint::Bundle(reader) => reader.contains(name),
            Checkpoint::Slices(reader) => reader.contains(name),
        }
    }

    /// Returns the type and shape of a tensor.
    ///
    /// Errors: `NotFound` where there is none of that name.
    pub fn describe(&self, name: &[u8]) -> Result<(DType, Shape)> {
        match self {
            Checkpoint::Bundle(reader) => reader.describe(name),
            Checkpoint::Slices(reader) => reader.describe(name),
        }
    }

    /// Returns all tensors in the order of their names; slices only as the tensors that they are of.
    pub fn list(&self) -> Result<Vec<Described>> {
        match self {
            Checkpoint::Slices(reader) => Ok(reader
                .all()
                .map(|(name, dtype, shape, slices)| Described {
                    name: name.to_vec(),
                    dtype,
                    shape: shape.clone(),
                    slices,
                })
                .collect()),
            Checkpoint::Bundle(reader) => {
                let mut all = Vec::new();
                let mut parts: HashSet<Vec<u8>> = HashSet::new();
                for item in reader.entries() {
                    let (key, entry) = item?;
                    parts.extend(entry.slices.iter().filter(|s| !Slice::is_whole(s)).map(|s| s.key(key)));
                    let slices = entry.slices.len().max(1);
                    all.push(Described { name: key.to_vec(), dtype: entry.dtype, shape: entry.shape, slices });
                }
                all.retain(|d| !parts.contains(&d.name));
                Ok(all)
            }
        }
    }

    /// Reads one tensor.
    ///
    /// Errors: `NotFound` where there is none of that name, `DataLoss` where it is damaged.
    pub fn get(&self, name: &[u8], threads: Threads) -> Result<Tensor> {
        ensure!(
            self.contains(name) || matches!(self, Checkpoint::Bundle(_)),
            NotFound,
            "{} not found in checkpoint file",
            String::from_utf8_lossy(name)
        );
        match self.read(&[ReadRequest { name, part: None }], threads)?.pop() {
            Some(tensor) => Ok(tensor),
            None => bail!(Internal, "a tensor was lost"),
        }
    }

    /// Reads tensors and slices of tensors.
    pub fn read(&self, requests: &[ReadRequest<'_>], threads: Threads) -> Result<Vec<Tensor>> {
        match self {
            Checkpoint::Bundle(reader) => reader.read(requests, threads),
            Checkpoint::Slices(reader) => requests.iter().map(|w| reader.read(w)).collect(),
        }
    }
}
