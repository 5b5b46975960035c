//! MurmurHash64A, with the seed that TF 1.x's first string hash has.
//!
//! Source: Austin Appleby, MurmurHash2 (public domain), 64-bit version for 64-bit platforms.

const SEED: u64 = 0x00DE_CAFC_AFFE;
const M: u64 = 0xc6a4_a793_5bd1_e995;
const R: u32 = 47;

pub(super) fn hash(data: &[u8]) -> u64 {
    let mut h = SEED ^ (data.len() as u64).wrapping_mul(M);
    let mut words = data.chunks_exact(8);
    for word in &mut words {
        let mut k = word.iter().rev().fold(0u64, |k, &b| k << 8 | u64::from(b));
        k = k.wrapping_mul(M);
        k ^= k >> R;
        h = (h ^ k.wrapping_mul(M)).wrapping_mul(M);
    }
    let rest = words.remainder();
    if !rest.is_empty() {
        let k = rest.iter().rev().fold(0u64, |k, &b| k << 8 | u64::from(b));
        h = (h ^ k).wrapping_mul(M);
    }
    h = (h ^ h >> R).wrapping_mul(M);
    h ^ h >> R
}
