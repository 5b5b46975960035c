//! Writes checkpoints of TF 1.x's first format: a table whose values are messages of slices with their elements.

use super::commit::replace_file;
use super::slice::Slice;
use super::writer::Item;
use crate::table::TableWriter;
use crate::tensor_message::{shape_message, values_message};
use ferroflow_proto::Message;
use ferroflow_proto::tensorflow::{SavedSlice, SavedSliceMeta, SavedTensorSliceMeta, SavedTensorSlices, VersionDef};
use ferroflow_tensor::{DType, Result, Tensor, ensure};
use std::collections::BTreeMap;

/// The version of the format.
const VERSION: i32 = 1;
/// TF 1.x: readers refuse longer messages.
const MOST_BYTES: usize = 1 << 31;
/// Upper bound of a message's bytes besides its elements and its slice.
const HEADER_BYTES: usize = 1 << 10;

fn lossy(name: &[u8]) -> String {
    String::from_utf8_lossy(name).into_owned()
}

/// Returns an upper bound of the bytes that a tensor's elements take in a message.
fn values_at_most(tensor: &Tensor) -> Result<usize> {
    let each = match tensor.dtype() {
        DType::U8 | DType::QU8 => 2,
        DType::U16 | DType::QU16 | DType::F16 | DType::BF16 => 3,
        DType::U32 => 5,
        // Signed numbers are varints, negative ones of ten bytes.
        DType::I8 | DType::I16 | DType::I32 | DType::I64 | DType::U64 => 10,
        DType::QI8 | DType::QI16 | DType::QI32 => 10,
        DType::String => 10,
        other => other.size(),
    };
    let elements = tensor.elements().saturating_mul(each);
    if tensor.dtype() != DType::String {
        return Ok(elements);
    }
    Ok(tensor.strings()?.iter().fold(elements, |sum, s| sum.saturating_add(s.len())))
}

/// Saves tensors as the file `name`.
///
/// Errors: `InvalidArgument` where slices of one name are of different tensors or one is too large for the format.
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
        let mut data = SavedSlice { name: lossy(item.name), slice: Some(slice.to_message()), data: None };
        let bound = values_at_most(item.tensor)?.saturating_add(data.encoded_len() + HEADER_BYTES);
        ensure!(
            bound <= MOST_BYTES,
            InvalidArgument,
            "Tensor slice is too large to serialize (conservative estimate: {bound} bytes)"
        );
        data.data = Some(values_message(item.tensor)?);
        let value = SavedTensorSlices { meta: None, data: Some(data) }.encode_to_vec();
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_estimate_of_a_message_is_never_below_its_length() {
        for dtype in DType::ALL {
            // Negative numbers are the longest.
            let ones = match dtype.size() {
                1 => Tensor::from_slice([9], &[u8::MAX; 9]),
                2 => Tensor::from_slice([9], &[u16::MAX; 9]),
                4 => Tensor::from_slice([9], &[u32::MAX; 9]),
                _ => Tensor::from_slice([9], &[u64::MAX; 9]),
            };
            let ones = ones.and_then(|t| t.bitcast_same_size(dtype));
            let Ok(t) = ones.or_else(|_| Tensor::zeros(dtype, [9])) else { continue };
            let Ok(message) = values_message(&t) else { continue };
            assert!(message.encoded_len() <= values_at_most(&t).unwrap() + HEADER_BYTES, "{}", dtype.name());
        }
        let strings = Tensor::from_strings([2], vec!["a".repeat(300).into_bytes().into(), Vec::new().into()]).unwrap();
        let length = values_message(&strings).unwrap().encoded_len();
        assert!((300..=values_at_most(&strings).unwrap() + HEADER_BYTES).contains(&length));
    }

    #[test]
    fn what_readers_would_refuse_is_an_error_before_anything_is_written() {
        let file = format!("ferroflow-large-slice-{}", std::process::id());
        let name = std::env::temp_dir().join(file).to_string_lossy().into_owned();
        let large = Tensor::zeros(DType::I8, [1 << 28]).unwrap();
        let error = write_slices(&name, &[Item { name: b"v", part: None, tensor: &large }]).unwrap_err();
        assert!(error.message().starts_with("Tensor slice is too large to serialize"), "{error}");
        assert!(!std::path::Path::new(&name).exists());
    }
}
