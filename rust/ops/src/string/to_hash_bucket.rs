//! StringToHashBucket, StringToHashBucketFast, StringToHashBucketStrong: strings as small numbers by their hash.

use super::each::to_values;
use super::{farm_hash, murmur};
use ferroflow_graph::{Kernel, KernelInit, Op, Registry, kernel, shape_rules};
use ferroflow_tensor::{Result, ensure};
use siphasher::sip::SipHasher24;
use std::hash::Hasher;

fn buckets(init: &KernelInit<'_>, hash: impl Fn(&[u8]) -> u64 + Send + Sync + 'static) -> Result<Box<dyn Kernel>> {
    let count = init.int("num_buckets")?;
    ensure!(count >= 1, InvalidArgument, "num_buckets must be at least 1, got {count}");
    kernel(move |ctx| to_values::<i64>(ctx, |text| Ok((hash(text) % count as u64) as i64)))
}

/// Returns SipHash-2-4 of a string under a key.
pub(crate) fn strong(key: [u64; 2], text: &[u8]) -> u64 {
    let mut hasher = SipHasher24::new_with_keys(key[0], key[1]);
    hasher.write(text);
    hasher.finish()
}

pub(super) fn register(r: &mut Registry) {
    let op = |name: &str, input: &str| {
        let op = Op::new(name).input(input).output("output: int64").attr("num_buckets: int >= 1");
        op.shape(shape_rules::unchanged)
    };
    r.add(
        op("StringToHashBucket", "string_tensor: string")
            .doc("Returns the hash of each string modulo `num_buckets`; the hash may change between versions.")
            .kernel(|init| buckets(init, murmur::hash)),
    );
    r.add(
        op("StringToHashBucketFast", "input: string")
            .doc("Returns FarmHash's fingerprint of each string modulo `num_buckets`.")
            .kernel(|init| buckets(init, farm_hash::fingerprint)),
    );
    r.add(
        op("StringToHashBucketStrong", "input: string")
            .attr("key: list(int)")
            .doc("Returns SipHash-2-4 of each string under a key of two numbers, modulo `num_buckets`.")
            .kernel(|init| {
                let key = init.ints("key")?;
                ensure!(key.len() == 2, InvalidArgument, "Key must have 2 elements");
                let key = [key[0] as u64, key[1] as u64];
                buckets(init, move |text| strong(key, text))
            }),
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns bytes of a linear generator: each length from 0 to 599 once.
    fn texts() -> impl Iterator<Item = Vec<u8>> {
        let mut x = 1u32;
        (0..600).map(move |n| {
            let mut next = || {
                x = x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (x >> 24) as u8
            };
            (0..n).map(|_| next()).collect()
        })
    }

    /// Returns the hash of all buckets together, so that TensorFlow's many numbers are one.
    fn all(hash: impl Fn(&[u8]) -> u64) -> u64 {
        let buckets: Vec<u8> = texts().flat_map(|t| (hash(&t) % (1 << 62)).to_le_bytes()).collect();
        farm_hash::fingerprint(&buckets)
    }

    // The expected numbers are TensorFlow 2.21's, for the strings above and 2^62 buckets.
    #[test]
    fn buckets_are_tensorflows() {
        assert_eq!(all(farm_hash::fingerprint), 0xae72_460c_57ea_32c6);
        assert_eq!(all(|t| strong([98765, -132i64 as u64], t)), 0x631a_9a9b_cc7f_4a30);
        assert_eq!(all(murmur::hash), 0x4f35_e10e_7d5a_4c5e);
    }
}
