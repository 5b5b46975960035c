//! An index entry of a tensor, checked.

use super::slice::Slice;
use crate::tensor_message::shape_message;
use ferroflow_proto::Message;
use ferroflow_proto::tensorflow::{BundleEntryProto, BundleHeaderProto, TensorShapeProto, VersionDef};
use ferroflow_tensor::{DType, Result, Shape, Status, bail, ensure};

/// The version of the format that is written and read.
const VERSION: i32 = 1;

#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub dtype: DType,
    pub shape: Shape,
    pub shard: i32,
    pub offset: u64,
    pub size: u64,
    /// Masked.
    pub crc: u32,
    /// Of a tensor that is kept in slices.
    pub slices: Vec<Slice>,
}

/// Returns the shape of a message that says all sizes.
pub(super) fn shape_of(message: Option<&TensorShapeProto>) -> Result<Shape> {
    let Some(message) = message else { return Ok(Shape::scalar()) };
    ensure!(!message.unknown_rank, DataLoss, "Invalid tensor shape: its rank is unknown");
    Shape::checked(&message.dim.iter().map(|d| d.size).collect::<Vec<_>>())
}

impl Entry {
    /// Errors: `DataLoss`, naming file and key, for what is no entry.
    pub(super) fn decode(file: &str, key: &[u8], value: &[u8]) -> Result<Entry> {
        let key = || String::from_utf8_lossy(key).into_owned();
        let message = BundleEntryProto::decode(value)
            .map_err(|_| Status::data_loss(format!("{file}: Entry for key {} not parseable.", key())))?;
        let Some(dtype) = DType::from_number(message.dtype) else {
            bail!(DataLoss, "{file}: Entry for key {} has the unknown type {}", key(), message.dtype);
        };
        let Ok(shape) = shape_of(message.shape.as_ref()) else {
            bail!(DataLoss, "{file}: Invalid tensor shape: {} {:?}", key(), message.shape);
        };
        let (Ok(offset), Ok(size)) = (u64::try_from(message.offset), u64::try_from(message.size)) else {
            bail!(DataLoss, "{file}: Entry for key {} lies at {} + {}", key(), message.offset, message.size);
        };
        let slices = message.slices.iter().map(Slice::from_message).collect();
        Ok(Entry { dtype, shape, shard: message.shard_id, offset, size, crc: message.crc32c, slices })
    }

    pub(super) fn encode(&self) -> Vec<u8> {
        let message = BundleEntryProto {
            dtype: self.dtype.number(),
            shape: Some(shape_message(&self.shape)),
            shard_id: self.shard,
            offset: self.offset as i64,
            size: self.size as i64,
            crc32c: self.crc,
            slices: self.slices.iter().map(Slice::to_message).collect(),
        };
        message.encode_to_vec()
    }
}

/// Returns the header of a bundle of so many data files.
pub(super) fn encode_header(shards: i32) -> Vec<u8> {
    let version = VersionDef { producer: VERSION, min_consumer: 0, bad_consumers: Vec::new() };
    BundleHeaderProto { num_shards: shards, endianness: 0, version: Some(version) }.encode_to_vec()
}

/// Returns the number of data files in a header.
pub(super) fn decode_header(file: &str, value: &[u8]) -> Result<i32> {
    let Ok(header) = BundleHeaderProto::decode(value) else {
        bail!(
            DataLoss,
            "Unable to read file ({file}). Perhaps the file is corrupt or was produced by a newer version of TensorFlow \
             with format changes (unable to parse header)"
        );
    };
    ensure!(
        header.endianness == 0,
        Unimplemented,
        "{file}: Reading a bundle with different endianness from the reader"
    );
    let version = header.version.unwrap_or_default();
    ensure!(
        version.min_consumer <= VERSION && !version.bad_consumers.contains(&VERSION),
        InvalidArgument,
        "Checkpoint min consumer version {} above current version {VERSION} for TensorFlow 1.x.  Please upgrade TensorFlow.",
        version.min_consumer
    );
    ensure!(header.num_shards >= 0, DataLoss, "{file}: a bundle of {} data files", header.num_shards);
    Ok(header.num_shards)
}
