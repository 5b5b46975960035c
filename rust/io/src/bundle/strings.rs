//! Strings in data files: the lengths, a checksum of the lengths, the bytes.

use crate::checksum::{mask, unmask};
use crate::varint;
use crc32c::crc32c_append;
use ferroflow_tensor::Bytes;

/// Returns the bytes before the strings, and the checksum over them. TF 1.x: the sum is over lengths of four bytes, or
/// eight if a string is longer than they can hold. It is not over the bytes that the lengths are written as.
pub(super) fn head(strings: &[Bytes]) -> (Vec<u8>, u32) {
    let (mut bytes, mut crc) = (Vec::with_capacity(strings.len() + 4), 0);
    for s in strings {
        varint::put(&mut bytes, s.len() as u64);
        crc = extend_by_length(crc, s.len());
    }
    let sum = mask(crc).to_le_bytes();
    bytes.extend_from_slice(&sum);
    (bytes, crc32c_append(crc, &sum))
}

fn extend_by_length(crc: u32, length: usize) -> u32 {
    match u32::try_from(length) {
        Ok(short) => crc32c_append(crc, &short.to_le_bytes()),
        Err(_) => crc32c_append(crc, &(length as u64).to_le_bytes()),
    }
}

/// Returns the strings of a data file's bytes and the checksum over them; what is wrong otherwise.
pub(super) fn decode(bytes: &[u8], count: usize) -> Result<(Vec<Bytes>, u32), &'static str> {
    // Each length takes a byte at least.
    if count > bytes.len() {
        return Err("it is too short for its strings");
    }
    let mut rest = bytes;
    let (mut lengths, mut crc) = (Vec::with_capacity(count), 0);
    for _ in 0..count {
        let length = varint::take_length(&mut rest).ok_or("String lengths are cut short")?;
        crc = extend_by_length(crc, length);
        lengths.push(length);
    }
    let (sum, mut rest) = rest.split_first_chunk::<4>().ok_or("String lengths are longer than their entry")?;
    if unmask(u32::from_le_bytes(*sum)) != crc {
        return Err("The length checksum does not match");
    }
    crc = crc32c_append(crc, sum);
    let mut strings = Vec::with_capacity(count);
    for length in lengths {
        let (own, after) = rest.split_at_checked(length).ok_or("strings are longer than their entry")?;
        crc = crc32c_append(crc, own);
        strings.push(Bytes::from(own));
        rest = after;
    }
    if !rest.is_empty() {
        return Err("strings are shorter than their entry");
    }
    Ok((strings, crc))
}
