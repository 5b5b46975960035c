//! Whole outputs of the fixed-rate distributions and the truncated normal, filled in parallel over groups.
//!
//! Values come in groups. Group `g` of a fixed-rate distribution is made from block `base + g`. Group `g` of a
//! truncated normal starts at its own block. That block is far enough from the next group's for any number of
//! rejections that occurs.

use half::{bf16, f16};

use super::convert::{normals_f32, normals_f64, unit_bf16, unit_f16, unit_f32, unit_f64};
use super::generator::{Philox, Words};
use crate::threads::{Interrupted, Threads, try_for_chunks_mut};
use crate::vector::Isa;

/// Blocks set aside for each value, whatever it uses.
pub(super) const BLOCKS_PER_VALUE: u64 = 256;
/// Words set aside for each value of a distribution that rejects.
const WORDS_PER_REJECTING_VALUE: u64 = 256;
/// Groups one task fills; large enough that handing out tasks costs nothing beside it.
const GROUPS_PER_TASK: usize = 4096;

/// Returns the number of blocks by which one run moves the stream of an op that gives `values` values. It holds for any
/// distribution of this file, for gamma and for Poisson.
pub fn blocks_per_run(values: usize) -> u64 {
    (values as u64).wrapping_mul(BLOCKS_PER_VALUE)
}

/// Fills `out` with float32 in [0, 1).
pub fn fill_uniform_f32(base: &Philox, threads: Threads, out: &mut [f32]) -> Result<(), Interrupted> {
    fill_fixed(base, threads, out, |words| words.map(unit_f32))
}

/// Fills `out` with float64 in [0, 1).
pub fn fill_uniform_f64(base: &Philox, threads: Threads, out: &mut [f64]) -> Result<(), Interrupted> {
    fill_fixed(base, threads, out, |[a, b, c, d]| [unit_f64(a, b), unit_f64(c, d)])
}

/// Fills `out` with float16 in [0, 1).
pub fn fill_uniform_f16(base: &Philox, threads: Threads, out: &mut [f16]) -> Result<(), Interrupted> {
    fill_fixed(base, threads, out, |words| words.map(unit_f16))
}

/// Fills `out` with bfloat16 in [0, 1).
pub fn fill_uniform_bf16(base: &Philox, threads: Threads, out: &mut [bf16]) -> Result<(), Interrupted> {
    fill_fixed(base, threads, out, |words| words.map(unit_bf16))
}

/// Fills `out` with int32 in `[low, high)`; with `low` alone if the interval is empty.
///
/// TF 1.x: the remainder of 32 bits, so the low values of a wide interval come up slightly more often.
pub fn fill_uniform_i32(
    base: &Philox,
    threads: Threads,
    low: i32,
    high: i32,
    out: &mut [i32],
) -> Result<(), Interrupted> {
    let range = if low < high { high.wrapping_sub(low) as u32 } else { 1 };
    fill_fixed(base, threads, out, |words| words.map(|bits| low.wrapping_add(remainder(bits, range) as i32)))
}

/// Returns `bits % range`, by a division that vector registers have.
#[inline(always)]
fn remainder(bits: u32, range: u32) -> u32 {
    // Exact: a quotient below a whole number is at least 1/range below it, far more than a double's rounding.
    let quotient = (f64::from(bits) / f64::from(range)) as u32;
    bits - quotient * range
}

/// Fills `out` with int64 in `[low, high)`; with `low` alone if the interval is empty.
pub fn fill_uniform_i64(
    base: &Philox,
    threads: Threads,
    low: i64,
    high: i64,
    out: &mut [i64],
) -> Result<(), Interrupted> {
    let range = if low < high { high.wrapping_sub(low) as u64 } else { 1 };
    let value = |a: u32, b: u32| low.wrapping_add(((u64::from(a) | u64::from(b) << 32) % range) as i64);
    fill_fixed(base, threads, out, |[a, b, c, d]| [value(a, b), value(c, d)])
}

/// Fills `out` with 32-bit words.
pub fn fill_words_u32(base: &Philox, threads: Threads, out: &mut [u32]) -> Result<(), Interrupted> {
    fill_fixed(base, threads, out, |words| words)
}

/// Fills `out` with 64-bit words, the low half of each drawn first.
pub fn fill_words_u64(base: &Philox, threads: Threads, out: &mut [u64]) -> Result<(), Interrupted> {
    let joined = |low: u32, high: u32| u64::from(low) | u64::from(high) << 32;
    fill_fixed(base, threads, out, |[a, b, c, d]| [joined(a, b), joined(c, d)])
}

/// Fills `out` with float32 of mean 0 and standard deviation 1.
pub fn fill_normal_f32(base: &Philox, threads: Threads, out: &mut [f32]) -> Result<(), Interrupted> {
    fill_fixed(base, threads, out, normal_group)
}

/// Fills `out` with float64 of mean 0 and standard deviation 1.
pub fn fill_normal_f64(base: &Philox, threads: Threads, out: &mut [f64]) -> Result<(), Interrupted> {
    fill_fixed(base, threads, out, normals_f64)
}

/// Fills `out` with float16 of mean 0 and standard deviation 1: the float32 stream, rounded.
pub fn fill_normal_f16(base: &Philox, threads: Threads, out: &mut [f16]) -> Result<(), Interrupted> {
    fill_fixed(base, threads, out, |words| normal_group(words).map(f16::from_f32))
}

/// Fills `out` with bfloat16 of mean 0 and standard deviation 1: the float32 stream, rounded.
pub fn fill_normal_bf16(base: &Philox, threads: Threads, out: &mut [bf16]) -> Result<(), Interrupted> {
    fill_fixed(base, threads, out, |words| normal_group(words).map(bf16::from_f32))
}

/// Fills `out` with float32 standard normals, each drawn again until its magnitude is below 2.
pub fn fill_truncated_f32(base: &Philox, threads: Threads, out: &mut [f32]) -> Result<(), Interrupted> {
    fill_rejecting(base, threads, out, truncated_group)
}

/// Fills `out` with float64 standard normals, each drawn again until its magnitude is below 2.
pub fn fill_truncated_f64(base: &Philox, threads: Threads, out: &mut [f64]) -> Result<(), Interrupted> {
    fill_rejecting(base, threads, out, truncated_group_f64)
}

/// Fills `out` with float16 truncated normals: the float32 stream, cut at 2 and then rounded.
pub fn fill_truncated_f16(base: &Philox, threads: Threads, out: &mut [f16]) -> Result<(), Interrupted> {
    fill_rejecting(base, threads, out, |words| truncated_group(words).map(f16::from_f32))
}

/// Fills `out` with bfloat16 truncated normals: the float32 stream, cut at 2 and then rounded.
pub fn fill_truncated_bf16(base: &Philox, threads: Threads, out: &mut [bf16]) -> Result<(), Interrupted> {
    fill_rejecting(base, threads, out, |words| truncated_group(words).map(bf16::from_f32))
}

#[inline]
fn normal_group([a, b, c, d]: [u32; 4]) -> [f32; 4] {
    let ([first, second], [third, fourth]) = (normals_f32(a, b), normals_f32(c, d));
    [first, second, third, fourth]
}

fn truncated_group(mut words: Words) -> [f32; 4] {
    first_within_bounds(|| {
        let first = words.next_u32();
        normals_f32(first, words.next_u32())
    })
}

fn truncated_group_f64(mut words: Words) -> [f64; 2] {
    first_within_bounds(|| normals_f64([words.next_u32(), words.next_u32(), words.next_u32(), words.next_u32()]))
}

/// Returns the first `G` of the values that `pair` gives, in its order, that lie within two standard deviations.
#[inline]
fn first_within_bounds<T, const G: usize>(mut pair: impl FnMut() -> [T; 2]) -> [T; G]
where
    T: Copy + Default + Into<f64>,
{
    let mut group = [T::default(); G];
    let mut kept = 0;
    while kept < G {
        for value in pair() {
            if kept < G && value.into().abs() < 2.0 {
                group[kept] = value;
                kept += 1;
            }
        }
    }
    group
}

fn fill_fixed<T, const G: usize>(
    base: &Philox,
    threads: Threads,
    out: &mut [T],
    make: impl Fn([u32; 4]) -> [T; G] + Sync,
) -> Result<(), Interrupted>
where
    T: Copy + Send,
{
    try_for_chunks_mut(threads, out, G * GROUPS_PER_TASK, |start, chunk| {
        fill_fixed_part(base, (start / G) as u64, chunk, &make);
    })
}

/// Fills `chunk` with the groups from `first_group` on; a group cut off by its end still uses a whole block.
fn fill_fixed_part<T: Copy, const G: usize>(
    base: &Philox,
    first_group: u64,
    chunk: &mut [T],
    make: &impl Fn([u32; 4]) -> [T; G],
) {
    #[cfg(target_arch = "x86_64")]
    {
        if Isa::current().has_avx512() {
            // SAFETY: this processor has the features.
            return unsafe { fill_fixed_avx512(base, first_group, chunk, make) };
        }
        if Isa::current().has_avx2() {
            // SAFETY: this processor has the feature.
            return unsafe { fill_fixed_avx2(base, first_group, chunk, make) };
        }
    }
    fill_fixed_lanes::<T, G, 8>(base, first_group, chunk, make);
}

// Without FMA: a fused multiply-add would round once instead of twice, and change the bits.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn fill_fixed_avx2<T: Copy, const G: usize>(
    base: &Philox,
    first_group: u64,
    chunk: &mut [T],
    make: &impl Fn([u32; 4]) -> [T; G],
) {
    fill_fixed_lanes::<T, G, 8>(base, first_group, chunk, make);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512dq")]
fn fill_fixed_avx512<T: Copy, const G: usize>(
    base: &Philox,
    first_group: u64,
    chunk: &mut [T],
    make: &impl Fn([u32; 4]) -> [T; G],
) {
    fill_fixed_lanes::<T, G, 16>(base, first_group, chunk, make);
}

/// Fills values with `N` blocks made side by side; this loop is compiled for each instruction set.
#[inline(always)]
fn fill_fixed_lanes<T: Copy, const G: usize, const N: usize>(
    base: &Philox,
    first_group: u64,
    chunk: &mut [T],
    make: &impl Fn([u32; 4]) -> [T; G],
) {
    let mut source = base.skipped(first_group);
    let (groups, last) = chunk.as_chunks_mut::<G>();
    let (wide, narrow) = groups.as_chunks_mut::<N>();
    for lanes in wide {
        let [a, b, c, d] = source.next_blocks::<N>();
        for (lane, group) in lanes.iter_mut().enumerate() {
            *group = make([a[lane], b[lane], c[lane], d[lane]]);
        }
    }
    for group in narrow {
        *group = make(source.next_block());
    }
    if !last.is_empty() {
        last.copy_from_slice(&make(source.next_block())[..last.len()]);
    }
}

fn fill_rejecting<T, const G: usize>(
    base: &Philox,
    threads: Threads,
    out: &mut [T],
    make: impl Fn(Words) -> [T; G] + Sync,
) -> Result<(), Interrupted>
where
    T: Copy + Send,
{
    try_for_chunks_mut(threads, out, G * GROUPS_PER_TASK, |start, chunk| {
        fill_rejecting_part(base, (start / G) as u64, chunk, &make);
    })
}

/// Fills `chunk` with the groups from `first_group` on, each from its own place in the stream.
fn fill_rejecting_part<T: Copy, const G: usize>(
    base: &Philox,
    first_group: u64,
    chunk: &mut [T],
    make: &impl Fn(Words) -> [T; G],
) {
    let stride = G as u64 * WORDS_PER_REJECTING_VALUE / 4;
    let mut source = base.skipped(first_group.wrapping_mul(stride));
    for group in chunk.chunks_mut(G) {
        group.copy_from_slice(&make(Words::new(source.reserve(stride)))[..group.len()]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks that `part`, which fills the groups of `G` values from a given one on, makes the same bytes however 1003 values are cut.
    fn assert_any_split_agrees<T, const G: usize>(part: impl Fn(u64, &mut [T]))
    where
        T: Copy + Default + PartialEq + std::fmt::Debug,
    {
        let mut whole = [T::default(); 1003];
        part(0, &mut whole);
        let mut cuts = Words::new(Philox::new(11, 12));
        for split in 0..100 {
            let mut pieces = [T::default(); 1003];
            let most_groups = 1 + cuts.next_below(60);
            let mut start = 0;
            while start < pieces.len() {
                let groups = 1 + cuts.next_below(most_groups) as usize;
                let end = (start + groups * G).min(pieces.len());
                part((start / G) as u64, &mut pieces[start..end]);
                start = end;
            }
            assert_eq!(pieces, whole, "split {split}");
        }
    }

    #[test]
    fn any_split_of_a_fixed_rate_range_gives_the_same_values() {
        let base = Philox::new(1, 2);
        assert_any_split_agrees::<f32, 4>(|first, chunk| {
            fill_fixed_part(&base, first, chunk, &|words| words.map(unit_f32));
        });
        assert_any_split_agrees::<f32, 4>(|first, chunk| fill_fixed_part(&base, first, chunk, &normal_group));
        assert_any_split_agrees::<f64, 2>(|first, chunk| fill_fixed_part(&base, first, chunk, &normals_f64));
    }

    #[test]
    fn every_instruction_set_makes_the_same_values() {
        /// Fills a slice by the loop of each instruction set that this processor has.
        fn assert_agree<T, const G: usize>(make: impl Fn([u32; 4]) -> [T; G])
        where
            T: Copy + Default + PartialEq + std::fmt::Debug,
        {
            // The low half of the counter overflows within the first blocks.
            let base = Philox::from_parts([u32::MAX - 5, u32::MAX, 3, 4], [5, 6]);
            let filled = |fill: &dyn Fn(&mut [T])| {
                let mut values = [T::default(); 1003];
                fill(&mut values);
                values
            };
            let one_by_one = filled(&|out| fill_fixed_lanes::<T, G, 1>(&base, 7, out, &make));
            assert_eq!(filled(&|out| fill_fixed_lanes::<T, G, 8>(&base, 7, out, &make)), one_by_one);
            assert_eq!(filled(&|out| fill_fixed_part(&base, 7, out, &make)), one_by_one);
            #[cfg(target_arch = "x86_64")]
            if Isa::current().has_avx2() {
                // SAFETY: this processor has the feature.
                assert_eq!(filled(&|out| unsafe { fill_fixed_avx2(&base, 7, out, &make) }), one_by_one);
            }
        }
        assert_agree(|words| words.map(unit_f32));
        assert_agree(|words| words.map(|bits| remainder(bits, 1000)));
        assert_agree(normal_group);
        assert_agree(normals_f64);
    }

    #[test]
    fn remainders_are_those_of_integer_division() {
        let mut words = Words::new(Philox::new(1, 2));
        let edges = [0, 1, 2, 3, 999, 1 << 16, (1 << 31) - 1, 1 << 31, u32::MAX - 1, u32::MAX];
        for range in edges.into_iter().skip(1).chain((0..300).map(|shift| (words.next_u32() >> (shift % 32)).max(1))) {
            for whole in edges {
                for bits in [whole, whole.wrapping_mul(range), whole.wrapping_mul(range).wrapping_sub(1)] {
                    assert_eq!(remainder(bits, range), bits % range, "{bits} % {range}");
                }
            }
        }
    }

    #[test]
    fn any_split_of_a_truncated_range_gives_the_same_values() {
        let base = Philox::new(1, 2);
        assert_any_split_agrees::<f32, 4>(|first, chunk| fill_rejecting_part(&base, first, chunk, &truncated_group));
        assert_any_split_agrees::<f64, 2>(|first, chunk| {
            fill_rejecting_part(&base, first, chunk, &truncated_group_f64)
        });
    }

    #[test]
    fn an_empty_interval_gives_its_low_end() {
        let mut small = [0_i32; 5];
        fill_uniform_i32(&Philox::new(1, 2), Threads::single(), 3, 3, &mut small).unwrap();
        assert_eq!(small, [3; 5]);
        let mut large = [0_i64; 5];
        fill_uniform_i64(&Philox::new(1, 2), Threads::single(), 3, -9, &mut large).unwrap();
        assert_eq!(large, [3; 5]);
    }

    #[test]
    fn truncated_values_lie_within_two_standard_deviations() {
        let mut values = [0.0_f32; 10_000];
        fill_truncated_f32(&Philox::new(1, 2), Threads::single(), &mut values).unwrap();
        assert!(values.iter().all(|value| value.abs() < 2.0));
        assert!(values.iter().any(|value| *value > 1.9) && values.iter().any(|value| *value < -1.9));
    }
}
