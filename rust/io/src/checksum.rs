//! The checksum of record files, event files and tensor bundles: CRC-32C, masked.

const MASK_DELTA: u32 = 0xa282_ead8;

/// Returns the checksum of `bytes` as files store it: rotated and moved, so that a checksum of data that holds
/// checksums is not weak.
pub fn masked(bytes: &[u8]) -> u32 {
    mask(crc32c::crc32c(bytes))
}

/// Returns the stored form of a plain CRC-32C.
pub fn mask(crc: u32) -> u32 {
    crc.rotate_right(15).wrapping_add(MASK_DELTA)
}

/// Returns the plain CRC-32C of a stored form.
pub fn unmask(masked: u32) -> u32 {
    masked.wrapping_sub(MASK_DELTA).rotate_left(15)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_check_value_of_the_standard_comes_out() {
        assert_eq!(crc32c::crc32c(b"123456789"), 0xe306_9283);
    }

    #[test]
    fn unmask_undoes_mask_and_masking_twice_differs() {
        for crc in [0, 1, 0xe306_9283, u32::MAX] {
            assert_eq!(unmask(mask(crc)), crc);
            assert_ne!(mask(crc), crc);
            assert_ne!(mask(mask(crc)), mask(crc));
        }
    }
}
