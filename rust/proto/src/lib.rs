//! The wire messages of TensorFlow 1.x files and sessions as prost types, and their descriptor set.
//!
//! The .proto files beside this crate are the one source; Python reads the same descriptors. Messages encode
//! deterministically (map entries are sorted by key). Rust drops unknown fields when it decodes a message; Python keeps
//! them.

#![forbid(unsafe_code)]

pub use prost::{DecodeError, Message, Name};

use prost::encoding::{WireType, encode_key, encode_varint};

mod generated {
    #![allow(clippy::all, clippy::pedantic, rustdoc::all)]
    include!(concat!(env!("OUT_DIR"), "/messages.rs"));
}

pub use generated::{google, tensorflow};

/// Returns an encoded field that holds bytes: a message, or a string, which TensorFlow also writes if it is not UTF-8.
pub fn bytes_field(number: u32, bytes: &[u8]) -> Vec<u8> {
    let mut field = Vec::with_capacity(bytes.len() + 8);
    encode_key(number, WireType::LengthDelimited, &mut field);
    encode_varint(bytes.len() as u64, &mut field);
    field.extend_from_slice(bytes);
    field
}

/// Returns the serialized `FileDescriptorSet` of every message here, imports first, without source positions.
pub fn descriptor_set() -> &'static [u8] {
    include_bytes!(concat!(env!("OUT_DIR"), "/descriptors.binpb"))
}
