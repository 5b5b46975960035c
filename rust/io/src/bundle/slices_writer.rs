//! Writes checkpoints of TF 1.x's first format: a table whose values are messages of slices with their elements.

use super::commit::replace_file;
use super::slice::Slice;
use super::writer::Item;
use crate::table::TableWriter;
use crate::tensor_message::{shape_message, values_message};
use ferroflow_proto::Message;
use ferroflow_proto::tensorflow::{SavedSlice, SavedSliceMeta, SavedTensorSliceMeta, SavedTensorSlices, VersionDef};
use ferroflow_tensor::{Result, Status, ensure};
use std::collections::BTreeMap;

/// The version of the format.
const VERSION: i32 = 1;
/// TF 1.x: readers refuse longer messages.
const MOST_BYTES: usize = 1 << 31;

fn lossy(name: &[u8]) -> String {
    String::from_utf8_lossy(name).into_owned()
}

/// Saves tensors as the file `name`.
///
/// Errors: `InvalidArgument` where slices of one name are of different tensors or one is too large for the format;
/// `Unimplemented` for types that the format does not have; the system's.
pub fn write_slices(name: &str, items: &[Item<'_>]) -> Result<()> {
    let mut tensors: Vec<SavedSliceMeta> = Vec::new();
    let mut values: BTreeMap<Vec<u8>, Vec<u8>> = BTreeMap::new();
    let mut order: Vec<&Item<'_>> = items.iter().collect();
    order.sort_by_key(|item| item.name);
    for item in order {
        let (full, slice) = match &item.part {
            Some(part) => {
                ensure!(
                    part.shape == *item.tensor.shape(),
                    InvalidArgument,
                    "Slice in shape_and_slice specification does not match the shape of the tensor to  save: {} {}, \
                     tensor: {}",
                    part.full,
                    part.slice,
                    item.tensor.shape()
                );
                (part.full.clone(), part.slice.clone())
            }
            None => (item.tensor.shape().clone(), Slice::whole(item.tensor.rank())),
        };
        let (shape, dtype) = (shape_message(&full), item.tensor.dtype());
        match tensors.iter_mut().find(|t| t.name.as_bytes() == item.name) {
            Some(known) => {
                ensure!(
                    known.shape.as_ref() == Some(&shape) && known.r#type == dtype.number(),
                    Internal,
                    "Mismatching shapes or types: trying to add name {}, shape = {full}",
                    lossy(item.name)
                );
                known.slice.push(slice.to_message());
            }
            None => tensors.push(SavedSliceMeta {
                name: lossy(item.name),
                shape: Some(shape),
                r#type: dtype.number(),
                slice: vec![slice.to_message()],
            }),
        }
        let too_large = || Status::invalid_argument("Tensor slice is too large to serialize");
        if item.tensor.byte_size() > MOST_BYTES {
            return Err(too_large());
        }
        let data = SavedSlice {
            name: lossy(item.name),
            slice: Some(slice.to_message()),
            data: Some(values_message(item.tensor)?),
        };
        let value = SavedTensorSlices { meta: None, data: Some(data) }.encode_to_vec();
        if value.len() > MOST_BYTES {
            return Err(too_large());
        }
        values.insert(slice.key(item.name), value);
    }
    let versions = Some(VersionDef { producer: VERSION, min_consumer: 0, bad_consumers: Vec::new() });
    let meta = SavedTensorSlices { meta: Some(SavedTensorSliceMeta { tensor: tensors, versions }), data: None };
    let written = (|| {
        let mut table = TableWriter::new(Vec::new());
        table.add(b"", &meta.encode_to_vec())?;
        for (key, value) in &values {
            table.add(key, value)?;
        }
        table.finish()
    })();
    let bytes = written.map_err(|e| crate::file::failure(name, &e))?;
    replace_file(name, &bytes)
}
