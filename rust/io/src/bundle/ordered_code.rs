//! Codes of names and numbers whose bytes sort as what they stand for: the keys of slices.
//!
//! Source: TensorFlow's core/lib/strings/ordered_code.h.

/// Writes a string. Zero bytes and 255s are escaped; `0 1` ends it.
pub(super) fn put_string(out: &mut Vec<u8>, s: &[u8]) {
    for &b in s {
        match b {
            0 => out.extend_from_slice(&[0, 0xff]),
            0xff => out.extend_from_slice(&[0xff, 0]),
            _ => out.push(b),
        }
    }
    out.extend_from_slice(&[0, 1]);
}

/// Writes a number: its length in bytes, then its bytes, greatest first.
pub(super) fn put_unsigned(out: &mut Vec<u8>, value: u64) {
    let bytes = value.to_be_bytes();
    let skipped = value.leading_zeros() as usize / 8;
    out.push((8 - skipped) as u8);
    out.extend_from_slice(&bytes[skipped..]);
}

/// Writes a number in 2's complement, greatest byte first. The leading bits give the number of bytes: as many bits
/// opposite to the sign as bytes, then one of the sign.
pub(super) fn put_signed(out: &mut Vec<u8>, value: i64) {
    let magnitude = if value < 0 { !value } else { value };
    // Bits of the magnitude and one for the sign; each byte carries seven.
    let bits = 65 - magnitude.leading_zeros() as usize;
    let length = bits.div_ceil(7);
    let wide = i128::from(value).to_be_bytes();
    let mut code = wide[16 - length..].to_vec();
    for i in 0..length {
        code[i / 8] ^= 0x80 >> (i % 8);
    }
    out.extend_from_slice(&code);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signed(value: i64) -> Vec<u8> {
        let mut out = Vec::new();
        put_signed(&mut out, value);
        out
    }

    #[test]
    fn signed_numbers_have_the_codes_that_the_format_gives_as_examples() {
        assert_eq!(signed(0x42_4242), [0xf0, 0x42, 0x42, 0x42]);
        assert_eq!(signed(-0x800), [0x38, 0x00]);
        assert_eq!(signed(0), [0x80]);
        assert_eq!(signed(-1), [0x7f]);
        assert_eq!(signed(63), [0xbf]);
        assert_eq!(signed(64), [0xc0, 0x40]);
        assert_eq!(signed(i64::MAX)[..3], [0xff, 0xc0, 0x7f]);
        assert_eq!((signed(i64::MIN).len(), signed(i64::MAX).len()), (10, 10));
    }

    #[test]
    fn codes_sort_as_numbers_do() {
        let mut values: Vec<i64> = (0..63).flat_map(|i| [1i64 << i, -(1i64 << i), (1i64 << i) - 1]).collect();
        values.extend([i64::MIN, i64::MAX]);
        values.sort_unstable();
        values.dedup();
        let codes: Vec<_> = values.iter().map(|&v| signed(v)).collect();
        assert!(codes.is_sorted());
        let unsigned = |v: u64| {
            let mut out = Vec::new();
            put_unsigned(&mut out, v);
            out
        };
        assert_eq!(unsigned(0), [0]);
        assert_eq!(unsigned(0x1234), [2, 0x12, 0x34]);
    }

    #[test]
    fn special_bytes_of_strings_are_escaped() {
        let mut out = Vec::new();
        put_string(&mut out, b"a\x00\xffb");
        assert_eq!(out, b"a\x00\xff\xff\x00b\x00\x01");
    }
}
