//! Variants in data files: for each its length, its message, and a checksum of all so far.

use crate::checksum::{mask, unmask};
use crate::variant::EncodedVariant;
use crate::varint;
use crc32c::crc32c_append;
use ferroflow_tensor::Object;

/// Returns the bytes of variants and the checksum over them; `None` where one has no form for files. TF 1.x: the sum is over lengths of
/// eight bytes, not over the bytes that the lengths are written as.
pub(super) fn encode(variants: &[Object]) -> Option<(Vec<u8>, u32)> {
    let (mut bytes, mut crc) = (Vec::new(), 0);
    for variant in variants {
        let message = variant.get::<EncodedVariant>()?.to_message();
        varint::put(&mut bytes, message.len() as u64);
        bytes.extend_from_slice(&message);
        crc = crc32c_append(crc32c_append(crc, &(message.len() as u64).to_le_bytes()), &message);
        let sum = mask(crc).to_le_bytes();
        bytes.extend_from_slice(&sum);
        crc = crc32c_append(crc, &sum);
    }
    Some((bytes, crc))
}

/// Returns the variants of a data file's bytes and the checksum over them; what is wrong otherwise.
pub(super) fn decode(bytes: &[u8], count: usize) -> Result<(Vec<Object>, u32), &'static str> {
    let (mut rest, mut crc, mut variants) = (bytes, 0, Vec::new());
    for _ in 0..count {
        let length = varint::take_length(&mut rest).ok_or("a variant's length is cut short")?;
        let (message, after) = rest.split_at_checked(length).ok_or("variants are longer than their entry")?;
        let (sum, after) = after.split_first_chunk::<4>().ok_or("a variant's checksum is cut short")?;
        crc = crc32c_append(crc32c_append(crc, &(length as u64).to_le_bytes()), message);
        if unmask(u32::from_le_bytes(*sum)) != crc {
            return Err("a variant's checksum does not match");
        }
        crc = crc32c_append(crc, sum);
        variants.push(Object::new(EncodedVariant::of_message(message).ok_or("a variant's message cannot be read")?));
        rest = after;
    }
    if !rest.is_empty() {
        return Err("variants are shorter than their entry");
    }
    Ok((variants, crc))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variants_come_back_and_damage_is_found() {
        let one = |text: &str| EncodedVariant { type_name: "a".into(), value: text.as_bytes().into() };
        let variants = [one("xyz"), one("")];
        let objects: Vec<_> = variants.iter().map(|v| Object::new(v.clone())).collect();
        let (bytes, crc) = encode(&objects).unwrap();
        let (found, sum) = decode(&bytes, 2).unwrap();
        assert!(found.iter().map(|o| o.get::<EncodedVariant>()).eq(variants.iter().map(Some)));
        assert_eq!(sum, crc);
        assert!(decode(&bytes, 1).is_err() && decode(&bytes, 3).is_err());
        for i in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[i] ^= 1;
            assert!(decode(&damaged, 2).is_err());
        }
        assert!(encode(&[Object::new(3)]).is_none());
    }
}
