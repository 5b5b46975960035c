//! Reads checkpoints of TF 1.x's first format, which may be several files.

use super::entry::shape_of;
use super::reader::ReadRequest;
use super::slice::{Slice, for_runs, intersection, volume};
use crate::file::path_of;
use crate::table::Table;
use crate::tensor_message::exact_values;
use ferroflow_proto::Message;
use ferroflow_proto::tensorflow::SavedTensorSlices;
use ferroflow_tensor::{DType, Result, Shape, Status, Tensor, bail, by_size, ensure};
use std::collections::BTreeMap;
use std::ops::Range;

/// A tensor of the checkpoint, and its slices by the file that each is in.
struct Known {
    dtype: DType,
    shape: Shape,
    slices: Vec<(Slice, usize)>,
}

pub struct SlicesReader {
    pattern: String,
    files: Vec<Table>,
    tensors: BTreeMap<Vec<u8>, Known>,
}

fn lossy(name: &[u8]) -> String {
    String::from_utf8_lossy(name).into_owned()
}

/// Returns the files whose names match a pattern, sorted.
///
/// Errors: `InvalidArgument` where the folder before the first wildcard is missing or no folder.
fn matching(pattern: &str) -> Result<Vec<String>> {
    let path = path_of(pattern);
    // A name may contain the signs of patterns.
    let is_name = || !pattern.ends_with('/') && path.exists();
    let found = match crate::file_pattern::matching(pattern.as_bytes()) {
        Err(e) if !is_name() => bail!(
            InvalidArgument,
            "Unsuccessful TensorSliceReader constructor: Failed to get matching files on {pattern}: {}: {}",
            e.code().words(),
            e.message()
        ),
        found => found.unwrap_or_default(),
    };
    let mut names: Vec<String> = found.iter().map(|name| lossy(name)).collect();
    if names.is_empty() && is_name() {
        names.push(path.to_string_lossy().into_owned());
    }
    names.sort();
    Ok(names)
}

impl SlicesReader {
    /// Opens the files that match a pattern.
    ///
    /// Errors: `NotFound` where none does; `InvalidArgument` where their folder is missing; `DataLoss` for what is no
    /// checkpoint.
    pub fn open(pattern: &str) -> Result<SlicesReader> {
        let names = matching(pattern)?;
        ensure!(
            !names.is_empty(),
            NotFound,
            "Unsuccessful TensorSliceReader constructor: Failed to find any matching files for {pattern}"
        );
        let mut reader = SlicesReader { pattern: pattern.to_owned(), files: Vec::new(), tensors: BTreeMap::new() };
        for name in names {
            let table = Table::open(&name).map_err(|e| {
                Status::data_loss(format!(
                    "Unable to open table file {name}: {}: {}: perhaps your file is in a different file format and you \
                     need to use a different restore operator?",
                    e.code().words(),
                    e.message()
                ))
            })?;
            reader.add(table)?;
        }
        Ok(reader)
    }

    fn add(&mut self, table: Table) -> Result<()> {
        let file = self.files.len();
        let name = table.name().to_owned();
        let first = table.block_of(b"")?;
        let meta = first
            .as_ref()
            .and_then(|block| block.get(b""))
            .and_then(|value| SavedTensorSlices::decode(value).ok())
            .and_then(|message| message.meta);
        let Some(meta) = meta else {
            bail!(DataLoss, "Failed to find the saved tensor slices at the beginning of the checkpoint file: {name}");
        };
        for tensor in meta.tensor {
            let Some(dtype) = DType::from_number(tensor.r#type) else {
                bail!(DataLoss, "{name}: tensor {} has the unknown type {}", tensor.name, tensor.r#type);
            };
            let shape = shape_of(tensor.shape.as_ref())
                .map_err(|e| Status::data_loss(format!("{name}: tensor {}: {}", tensor.name, e.message())))?;
            let known = self.tensors.entry(tensor.name.clone().into_bytes());
            let known = known.or_insert_with(|| Known { dtype, shape: shape.clone(), slices: Vec::new() });
            ensure!(
                known.shape == shape && known.dtype == dtype,
                DataLoss,
                "{name}: Incompatible tensor shapes or types detected for tensor {}: existing = {}, new = {shape}",
                tensor.name,
                known.shape
            );
            for slice in tensor.slice.iter().map(Slice::from_message) {
                slice
                    .shape(&shape)
                    .map_err(|e| Status::data_loss(format!("{name}: tensor {}: {}", tensor.name, e.message())))?;
                known.slices.push((slice, file));
            }
        }
        self.files.push(table);
        Ok(())
    }

    pub fn contains(&self, name: &[u8]) -> bool {
        self.tensors.contains_key(name)
    }

    /// Returns the type and shape of a tensor.
    pub fn describe(&self, name: &[u8]) -> Result<(DType, Shape)> {
        match self.tensors.get(name) {
            Some(known) => Ok((known.dtype, known.shape.clone())),
            None => bail!(NotFound, "Tensor name \"{}\" not found in checkpoint files {}", lossy(name), self.pattern),
        }
    }

    /// Returns the name, type, shape and number of slices of all tensors.
    pub(super) fn all(&self) -> impl Iterator<Item = (&[u8], DType, &Shape, usize)> {
        self.tensors.iter().map(|(name, known)| (&name[..], known.dtype, &known.shape, known.slices.len()))
    }

    /// Returns the elements of a stored slice.
    fn load(&self, name: &[u8], slice: &Slice, file: usize, dtype: DType, shape: Shape) -> Result<Tensor> {
        let Some(table) = self.files.get(file) else { bail!(Internal, "a file was lost") };
        let key = slice.key(name);
        let damaged = |what: &str| Status::data_loss(format!("{}: key {}: {what}", table.name(), lossy(name)));
        let block = table.block_of(&key)?;
        let value = block.as_ref().and_then(|b| b.get(&key)).ok_or_else(|| damaged("a slice is missing"))?;
        let message = SavedTensorSlices::decode(value).map_err(|_| damaged("Entry not parseable"))?;
        let saved = message.data.ok_or_else(|| damaged("a slice has no elements"))?;
        ensure!(
            saved.name.as_bytes() == name,
            DataLoss,
            "{}: key {}: a slice of {} instead",
            table.name(),
            lossy(name),
            saved.name
        );
        exact_values(&saved.data.unwrap_or_default(), dtype, &shape).map_err(|e| damaged(e.message()))
    }

    /// Reads a tensor or a slice of one.
    ///
    /// Errors: `NotFound` for a name that is missing, `InvalidArgument` for a slice that does not fit or is not stored,
    /// `DataLoss` for what is damaged.
    pub fn read(&self, request: &ReadRequest<'_>) -> Result<Tensor> {
        let (dtype, full) = self.describe(request.name)?;
        let whole = Slice::whole(full.rank());
        let slice = match &request.part {
            Some(part) => {
                ensure!(
                    part.full == full,
                    InvalidArgument,
                    "Shape in shape_and_slice spec does not match the shape in the save file: {}, save file shape: {full}",
                    part.full
                );
                &part.slice
            }
            None => &whole,
        };
        let range = slice.ranges(&full)?;
        let shape: Shape = range.iter().map(|r| r.len()).collect();
        let stored = self.tensors.get(request.name).map(|known| &known.slices[..]).unwrap_or_default();
        let mut found: Vec<(Vec<Range<usize>>, Tensor)> = Vec::new();
        let mut covered = 0usize;
        for (other, file) in stored {
            let Ok(from) = other.ranges(&full) else {
                bail!(DataLoss, "{}: slice {other} is no part of {} {full}", self.pattern, lossy(request.name));
            };
            let both = match intersection(&from, &range) {
                Some(both) => volume(&both),
                None if shape.elements() == 0 => 0,
                None => continue,
            };
            ensure!(
                found.iter().all(|(seen, _)| intersection(seen, &from).is_none()),
                DataLoss,
                "{}: Overlapping slices of {}: new slice = {other}",
                self.pattern,
                lossy(request.name)
            );
            covered = covered.saturating_add(both);
            let own = from.iter().map(|r| r.len()).collect();
            let tensor = self.load(request.name, other, *file, dtype, own)?;
            if from == range {
                return Ok(tensor);
            }
            found.push((from, tensor));
        }
        ensure!(
            covered == shape.elements(),
            InvalidArgument,
            "Error copying slice data: {} has not all of slice {slice} of {}",
            self.pattern,
            lossy(request.name)
        );
        let mut out = Tensor::zeros(dtype, shape)?;
        for (from, tensor) in found {
            by_size!(dtype, E, {
                let (to, values) = (E::view_mut(&mut out)?, E::view(&tensor)?);
                for_runs(&from, &range, |a, b, n| to[b..b + n].clone_from_slice(&values[a..a + n]));
                Ok(())
            })?;
        }
        Ok(out)
    }
}
