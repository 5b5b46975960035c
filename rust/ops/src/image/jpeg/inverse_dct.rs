//! The inverse cosine transforms of libjpeg, in its integers: accurate, fast, and to fewer samples.
//!
//! Source: Loeffler, Ligtenberg and Moschytz 1989 (accurate); Arai, Agui and Nakajima 1988 (fast).

use ferroflow_tensor::vector::{Loops, loops_on_best_isa};

/// Fraction bits of constants, and of the results of the first pass.
const BITS: u32 = 13;
const PASS: u32 = 2;

/// Returns `x / 2^n`, rounded half up.
#[inline(always)]
fn descale(x: i32, n: u32) -> i32 {
    x.wrapping_add(1 << (n - 1)) >> n
}

#[inline(always)]
fn sample(x: i32) -> u8 {
    x.wrapping_add(128).clamp(0, 255) as u8
}

#[inline(always)]
fn m(x: i32, constant: i32) -> i32 {
    x.wrapping_mul(constant)
}

#[inline(always)]
fn sum<const N: usize>(terms: [i32; N]) -> i32 {
    terms.into_iter().fold(0, i32::wrapping_add)
}

/// Scale factors of the fast transform, in 14 bits.
const FAST_SCALES: [i32; 8] = [16384, 22725, 21407, 19266, 16384, 12873, 8867, 4520];

pub(super) struct Inverse {
    table: [i32; 64],
    fast: Option<[i32; 64]>,
}

impl Inverse {
    pub(super) fn new(quantization: &[u16; 64], accurate: bool) -> Inverse {
        let table = quantization.map(i32::from);
        let fast = (!accurate).then(|| {
            std::array::from_fn(|i| {
                // Scales are products of 14 bits; two fraction bits stay.
                let scale = (FAST_SCALES[i / 8] * FAST_SCALES[i % 8] + (1 << 13)) >> 14;
                descale(table[i].wrapping_mul(scale), 12)
            })
        });
        Inverse { table, fast }
    }

    /// Transforms a block to `side` x `side` samples. It is constant if it has no coefficient after the first.
    pub(super) fn run(&self, side: usize, block: &[i16; 64], is_constant: bool, to: &mut [u8], stride: usize) {
        match side {
            8 if is_constant => {
                let table = self.fast.as_ref().unwrap_or(&self.table);
                let input = i32::from(block[0]).wrapping_mul(table[0]);
                let sample = if self.fast.is_some() { fast_constant(input) } else { accurate_constant(input) };
                (0..8).for_each(|r| to[r * stride..r * stride + 8].fill(sample));
            }
            8 => loops_on_best_isa(Block { block, inverse: self, to, stride }),
            4 => four(&scaled(block, &self.table), to, stride),
            2 => two(&scaled(block, &self.table), to, stride),
            _ => to[0] = sample(descale(i32::from(block[0]).wrapping_mul(self.table[0]), 3)),
        }
    }
}

#[inline(always)]
fn scaled(block: &[i16; 64], table: &[i32; 64]) -> [i32; 64] {
    std::array::from_fn(|i| i32::from(block[i]).wrapping_mul(table[i]))
}

/// Returns the inputs of a line that is constant.
fn first(x: i32) -> [i32; 8] {
    [x, 0, 0, 0, 0, 0, 0, 0]
}

/// Returns the sample of a block whose only coefficient is this one.
fn fast_constant(x: i32) -> u8 {
    sample(fast_line(first(fast_line(first(x))[0]))[0] >> (PASS + 3))
}

fn accurate_constant(x: i32) -> u8 {
    let line = descale(accurate_line(first(x))[0], BITS - PASS);
    sample(descale(accurate_line(first(line))[0], BITS + PASS + 3))
}

/// A block of 8 x 8 samples from its coefficients.
struct Block<'a> {
    block: &'a [i16; 64],
    inverse: &'a Inverse,
    to: &'a mut [u8],
    stride: usize,
}

impl Loops for Block<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let samples = match &self.inverse.fast {
            Some(fast) => fast_samples(&scaled(self.block, fast)),
            None => accurate_samples(&scaled(self.block, &self.inverse.table)),
        };
        for (r, samples) in samples.into_iter().enumerate() {
            self.to[r * self.stride..][..8].copy_from_slice(&samples.to_le_bytes());
        }
    }
}

/// Puts the last half between the elements of the first.
#[inline(always)]
fn shuffled(work: [i32; 64]) -> [i32; 64] {
    let mut next = [0; 64];
    for i in 0..32 {
        next[2 * i] = work[i];
        next[2 * i + 1] = work[32 + i];
    }
    next
}

/// Exchanges rows and columns.
#[inline(always)]
fn transposed(work: [i32; 64]) -> [i32; 64] {
    shuffled(shuffled(shuffled(work)))
}

/// Exchanges, of each square of four parts of rows so far from each other, two opposite ones.
#[inline(always)]
fn exchange<const DISTANCE: usize>(rows: &mut [u64; 8], low: u64) {
    let bits = 8 * DISTANCE as u32;
    for i in 0..4 {
        let above = i / DISTANCE * 2 * DISTANCE + i % DISTANCE;
        let below = above + DISTANCE;
        let different = (rows[above] >> bits ^ rows[below]) & low;
        rows[below] ^= different;
        rows[above] ^= different << bits;
    }
}

/// Returns the samples of eight columns, row by row.
#[inline(always)]
fn samples(columns: [i32; 64]) -> [u64; 8] {
    let mut bytes = [0; 64];
    for i in 0..64 {
        bytes[i] = sample(columns[i]);
    }
    let mut rows = [0; 8];
    for (row, bytes) in rows.iter_mut().zip(bytes.as_chunks().0) {
        *row = u64::from_le_bytes(*bytes);
    }
    exchange::<4>(&mut rows, 0x0000_0000_ffff_ffff);
    exchange::<2>(&mut rows, 0x0000_ffff_0000_ffff);
    exchange::<1>(&mut rows, 0x00ff_00ff_00ff_00ff);
    rows
}

/// Returns eight outputs of the fast transform of eight inputs.
#[inline(always)]
fn fast_line(x: [i32; 8]) -> [i32; 8] {
    let mul = |x: i32, c: i32| x.wrapping_mul(c) >> 8;
    let (t10, t11) = (x[0].wrapping_add(x[4]), x[0].wrapping_sub(x[4]));
    let t13 = x[2].wrapping_add(x[6]);
    let t12 = mul(x[2].wrapping_sub(x[6]), 362).wrapping_sub(t13);
    let (e0, e3) = (t10.wrapping_add(t13), t10.wrapping_sub(t13));
    let (e1, e2) = (t11.wrapping_add(t12), t11.wrapping_sub(t12));
    let (z13, z10) = (x[5].wrapping_add(x[3]), x[5].wrapping_sub(x[3]));
    let (z11, z12) = (x[1].wrapping_add(x[7]), x[1].wrapping_sub(x[7]));
    let o7 = z11.wrapping_add(z13);
    let t11 = mul(z11.wrapping_sub(z13), 362);
    let z5 = mul(z10.wrapping_add(z12), 473);
    let t10 = mul(z12, 277).wrapping_sub(z5);
    let t12 = mul(z10, -669).wrapping_add(z5);
    let o6 = t12.wrapping_sub(o7);
    let o5 = t11.wrapping_sub(o6);
    let o4 = t10.wrapping_add(o5);
    [
        e0.wrapping_add(o7),
        e1.wrapping_add(o6),
        e2.wrapping_add(o5),
        e3.wrapping_sub(o4),
        e3.wrapping_add(o4),
        e2.wrapping_sub(o5),
        e1.wrapping_sub(o6),
        e0.wrapping_sub(o7),
    ]
}

#[inline(always)]
fn fast_samples(input: &[i32; 64]) -> [u64; 8] {
    let work = transposed(columns(input, fast_line, |x| x));
    samples(columns(&work, fast_line, |x| x >> (PASS + 3)))
}

/// Transforms each column: a loop over columns, which is compiled to vectors.
#[inline(always)]
fn columns(input: &[i32; 64], line: impl Fn([i32; 8]) -> [i32; 8], scaled: impl Fn(i32) -> i32) -> [i32; 64] {
    let mut work = [0; 64];
    for c in 0..8 {
        let line = line([
            input[c],
            input[8 + c],
            input[16 + c],
            input[24 + c],
            input[32 + c],
            input[40 + c],
            input[48 + c],
            input[56 + c],
        ]);
        for r in 0..8 {
            work[r * 8 + c] = scaled(line[r]);
        }
    }
    work
}

/// Returns eight outputs of the accurate transform of eight inputs, with `BITS` more fraction bits.
#[inline(always)]
fn accurate_line(x: [i32; 8]) -> [i32; 8] {
    let z1 = m(x[2].wrapping_add(x[6]), 4433);
    let (t2, t3) = (z1.wrapping_add(m(x[6], -15137)), z1.wrapping_add(m(x[2], 6270)));
    let (t0, t1) = (x[0].wrapping_add(x[4]).wrapping_shl(BITS), x[0].wrapping_sub(x[4]).wrapping_shl(BITS));
    let even = [t0.wrapping_add(t3), t1.wrapping_add(t2), t1.wrapping_sub(t2), t0.wrapping_sub(t3)];
    let (z1, z2) = (x[7].wrapping_add(x[1]), x[5].wrapping_add(x[3]));
    let (z3, z4) = (x[7].wrapping_add(x[3]), x[5].wrapping_add(x[1]));
    let z5 = m(z3.wrapping_add(z4), 9633);
    let (z1, z2) = (m(z1, -7373), m(z2, -20995));
    let (z3, z4) = (m(z3, -16069).wrapping_add(z5), m(z4, -3196).wrapping_add(z5));
    let odd = [
        sum([m(x[1], 12299), z1, z4]),
        sum([m(x[3], 25172), z2, z3]),
        sum([m(x[5], 16819), z2, z4]),
        sum([m(x[7], 2446), z1, z3]),
    ];
    std::array::from_fn(|i| if i < 4 { even[i].wrapping_add(odd[i]) } else { even[7 - i].wrapping_sub(odd[7 - i]) })
}

#[inline(always)]
fn accurate_samples(input: &[i32; 64]) -> [u64; 8] {
    let work = transposed(columns(input, accurate_line, |x| descale(x, BITS - PASS)));
    samples(columns(&work, accurate_line, |x| descale(x, BITS + PASS + 3)))
}

/// Returns four outputs of eight inputs, of which the fifth is not used.
fn four_line(x: [i32; 8]) -> [i32; 4] {
    let t0 = x[0].wrapping_shl(BITS + 1);
    let t2 = m(x[2], 15137).wrapping_add(m(x[6], -6270));
    let (t10, t12) = (t0.wrapping_add(t2), t0.wrapping_sub(t2));
    let t0 = sum([m(x[7], -1730), m(x[5], 11893), m(x[3], -17799), m(x[1], 8697)]);
    let t2 = sum([m(x[7], -4176), m(x[5], -4926), m(x[3], 7373), m(x[1], 20995)]);
    [t10.wrapping_add(t2), t12.wrapping_add(t0), t12.wrapping_sub(t0), t10.wrapping_sub(t2)]
}

fn four(input: &[i32; 64], to: &mut [u8], stride: usize) {
    let mut work = [[0; 8]; 4];
    for c in (0..8).filter(|&c| c != 4) {
        let line = four_line(std::array::from_fn(|r| input[r * 8 + c]));
        for r in 0..4 {
            work[r][c] = descale(line[r], BITS - PASS + 1);
        }
    }
    for (r, work) in work.into_iter().enumerate() {
        for (to, x) in to[r * stride..r * stride + 4].iter_mut().zip(four_line(work)) {
            *to = sample(descale(x, BITS + PASS + 3 + 1));
        }
    }
}

/// Returns two outputs of eight inputs, of which only the first and the odd ones are used.
fn two_line(x: [i32; 8]) -> [i32; 2] {
    let t10 = x[0].wrapping_shl(BITS + 2);
    let t0 = sum([m(x[7], -5906), m(x[5], 6967), m(x[3], -10426), m(x[1], 29692)]);
    [t10.wrapping_add(t0), t10.wrapping_sub(t0)]
}

fn two(input: &[i32; 64], to: &mut [u8], stride: usize) {
    let mut work = [[0; 8]; 2];
    for c in [0, 1, 3, 5, 7] {
        let line = two_line(std::array::from_fn(|r| input[r * 8 + c]));
        for r in 0..2 {
            work[r][c] = descale(line[r], BITS - PASS + 2);
        }
    }
    for (r, work) in work.into_iter().enumerate() {
        for (to, x) in to[r * stride..r * stride + 2].iter_mut().zip(two_line(work)) {
            *to = sample(descale(x, BITS + PASS + 3 + 2));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the transform by its definition, in double.
    fn exact(input: &[i16; 64]) -> [f64; 64] {
        let c = |u: usize| if u == 0 { 0.5f64.sqrt() } else { 1.0 };
        let cos = |x: usize, u: usize| ((2 * x + 1) as f64 * u as f64 * std::f64::consts::PI / 16.0).cos();
        std::array::from_fn(|i| {
            let (y, x) = (i / 8, i % 8);
            let mut total = 0.0;
            for v in 0..8 {
                for u in 0..8 {
                    total += c(u) * c(v) / 4.0 * f64::from(input[v * 8 + u]) * cos(x, u) * cos(y, v);
                }
            }
            (total + 128.0).clamp(0.0, 255.0)
        })
    }

    #[test]
    fn both_transforms_are_near_the_exact_one() {
        let mut state = 1u32;
        for _ in 0..50 {
            let block: [i16; 64] = std::array::from_fn(|i| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                let size = 24 / (1 + i as i32);
                ((state >> 16) as i32 % (2 * size + 1) - size) as i16
            });
            // The fast transform is close to the exact one only if the steps of quantization are large.
            let expected = exact(&block.map(|x| x * 16));
            for (accurate, bound) in [(true, 1.0), (false, 3.0)] {
                let mut got = [0u8; 64];
                Inverse::new(&[16; 64], accurate).run(8, &block, false, &mut got, 8);
                for (g, w) in got.iter().zip(expected) {
                    assert!((f64::from(*g) - w).abs() <= bound, "{accurate} {g} {w}");
                }
            }
        }
    }

    #[test]
    fn a_constant_block_is_constant_at_every_size() {
        let mut block = [0i16; 64];
        block[0] = 240;
        for side in [1, 2, 4, 8] {
            for (accurate, constant) in [(false, false), (false, true), (true, false), (true, true)] {
                let mut got = vec![0u8; side * side];
                Inverse::new(&[1; 64], accurate).run(side, &block, constant, &mut got, side);
                assert!(got.iter().all(|&x| x == 158), "{side} {constant} {got:?}");
            }
        }
    }

    #[test]
    fn coefficients_beyond_all_bounds_give_samples() {
        for value in [i16::MIN, i16::MAX] {
            for side in [1, 2, 4, 8] {
                for accurate in [false, true] {
                    let mut got = vec![0u8; side * side];
                    Inverse::new(&[u16::MAX; 64], accurate).run(side, &[value; 64], false, &mut got, side);
                }
            }
        }
    }
}
