//! The transforms of tiles, sixteen channels at a time.

#![allow(clippy::needless_range_loop, reason = "both indices of a tile's points are numbers in the formulas")]

use std::arch::x86_64::*;

use super::{POINTS, Tiles};
use crate::gemm::avx512::lanes::Lanes;

/// A row of a matrix takes this many floats for `channels`: whole registers, and an odd number of cache lines, so that the rows of
/// a tile fall into different cache sets.
pub(super) fn row_floats(channels: usize) -> usize {
    (channels.div_ceil(16) | 1) * 16
}

/// The addresses of `SIDE x SIDE` points, from `(y, x)` on, of an image of `[height, width]` points; `zeros` for those outside.
pub(super) fn points<const SIDE: usize>(
    image: *const f32,
    [height, width]: [usize; 2],
    channels: usize,
    (y, x): (isize, isize),
    zeros: *const f32,
) -> [[*const f32; SIDE]; SIDE] {
    let mut found = [[zeros; SIDE]; SIDE];
    for (i, row) in found.iter_mut().enumerate() {
        let Some(y) = usize::try_from(y + i as isize).ok().filter(|&y| y < height) else { continue };
        for (j, point) in row.iter_mut().enumerate() {
            if let Some(x) = usize::try_from(x + j as isize).ok().filter(|&x| x < width) {
                *point = image.wrapping_add((y * width + x) * channels);
            }
        }
    }
    found
}

/// The 4 x 4 points of the input that a tile needs.
pub(super) fn input_points(
    tiles: &Tiles,
    input: *const f32,
    channels: usize,
    tile: usize,
    zeros: *const f32,
) -> [[*const f32; 4]; 4] {
    let (image, y, x) = tiles.place(tile);
    let image = input.wrapping_add(image * tiles.input[0] * tiles.input[1] * channels);
    let at = (y as isize - tiles.before[0] as isize, x as isize - tiles.before[1] as isize);
    points(image, tiles.input, channels, at, zeros)
}

/// Writes the transform of an input tile: point f of the tile to `to + f * distance`, channels side by side, in whole registers.
///
/// # Safety
/// The CPU has AVX-512F; the points have `channels` readable floats; `to` has room for them.
#[target_feature(enable = "avx512f")]
pub(super) unsafe fn transform_input(from: &[[*const f32; 4]; 4], channels: usize, to: *mut f32, distance: usize) {
    for channel in (0..channels).step_by(16) {
        let part = __m512::first(channels - channel);
        // SAFETY: the loads are masked to the channels; the stores go to whole registers of the room.
        unsafe {
            let load = |i: usize, j: usize| _mm512_maskz_loadu_ps(part, from[i][j].add(channel));
            let mut t = [[_mm512_setzero_ps(); 4]; 4];
            for j in 0..4 {
                let (a, b, c, d) = (load(0, j), load(1, j), load(2, j), load(3, j));
                t[0][j] = _mm512_sub_ps(a, c);
                t[1][j] = _mm512_add_ps(b, c);
                t[2][j] = _mm512_sub_ps(c, b);
                t[3][j] = _mm512_sub_ps(b, d);
            }
            for (i, [a, b, c, d]) in t.into_iter().enumerate() {
                let to = to.add(i * 4 * distance + channel);
                _mm512_storeu_ps(to, _mm512_sub_ps(a, c));
                _mm512_storeu_ps(to.add(distance), _mm512_add_ps(b, c));
                _mm512_storeu_ps(to.add(2 * distance), _mm512_sub_ps(c, b));
                _mm512_storeu_ps(to.add(3 * distance), _mm512_sub_ps(b, d));
            }
        }
    }
}

/// The transform of three values of a filter.
#[inline(always)]
unsafe fn three(a: __m512, b: __m512, c: __m512) -> [__m512; 4] {
    // SAFETY: the caller has AVX-512F.
    unsafe {
        let half = _mm512_set1_ps(0.5);
        let ends = _mm512_mul_ps(half, _mm512_add_ps(a, c));
        let middle = _mm512_mul_ps(half, b);
        [a, _mm512_add_ps(ends, middle), _mm512_sub_ps(ends, middle), c]
    }
}

/// Writes the transform of a filter `[3, 3, inputs, outputs]` for some of the inputs: for each point of a tile, panels of 32
/// outputs, in which the inputs follow each other.
///
/// # Safety
/// The CPU has AVX-512F; `filter` has its size, `to` room for 16 times `panels * inputs * 32` floats.
#[target_feature(enable = "avx512f")]
pub(super) unsafe fn transform_filter(
    filter: *const f32,
    inputs: usize,
    outputs: usize,
    some: std::ops::Range<usize>,
    to: *mut f32,
) {
    let panels = outputs.div_ceil(32);
    for input in some {
        for lane in (0..panels * 32).step_by(16) {
            let part = __m512::first(outputs.saturating_sub(lane));
            // SAFETY: the loads are masked to the outputs; the stores go into the panels.
            unsafe {
                let load =
                    |i: usize| _mm512_maskz_loadu_ps(part, filter.wrapping_add((i * inputs + input) * outputs + lane));
                let mut columns = [[_mm512_setzero_ps(); 3]; 4];
                for j in 0..3 {
                    let values = three(load(j), load(3 + j), load(6 + j));
                    for i in 0..4 {
                        columns[i][j] = values[i];
                    }
                }
                for (i, [a, b, c]) in columns.into_iter().enumerate() {
                    for (j, value) in three(a, b, c).into_iter().enumerate() {
                        let row = ((i * 4 + j) * panels + lane / 32) * inputs + input;
                        _mm512_storeu_ps(to.add(row * 32 + lane % 32), value);
                    }
                }
            }
        }
    }
}

/// Where a tile of the output goes, and what is done to it.
pub(super) struct Finish<'a> {
    /// Addresses of the 2 x 2 points; null for those outside.
    pub to: [[*mut f32; 2]; 2],
    pub channels: usize,
    pub bias: Option<&'a [f32]>,
    pub relu: bool,
}

/// Writes a tile of the output from its transform, point f of which is at `from + f * distance`; false where a value is not finite.
///
/// # Safety
/// The CPU has AVX-512F; `from` is readable in whole registers; the points have room for the channels, as many as the bias has.
#[target_feature(enable = "avx512f")]
pub(super) unsafe fn transform_output(from: *const f32, distance: usize, finish: &Finish<'_>) -> bool {
    let zero = _mm512_setzero_ps();
    let mut finite = zero;
    for channel in (0..finish.channels).step_by(16) {
        let part = __m512::first(finish.channels - channel);
        // SAFETY: by the contract; parts of registers are masked.
        unsafe {
            let load = |i: usize, j: usize| _mm512_loadu_ps(from.add((i * 4 + j) * distance + channel));
            let mut s = [[zero; 4]; 2];
            for j in 0..4 {
                let (a, b, c, d) = (load(0, j), load(1, j), load(2, j), load(3, j));
                s[0][j] = _mm512_add_ps(a, _mm512_add_ps(b, c));
                s[1][j] = _mm512_sub_ps(_mm512_sub_ps(b, c), d);
            }
            for (i, [a, b, c, d]) in s.into_iter().enumerate() {
                let row = [_mm512_add_ps(a, _mm512_add_ps(b, c)), _mm512_sub_ps(_mm512_sub_ps(b, c), d)];
                for (j, mut value) in row.into_iter().enumerate() {
                    let to = finish.to[i][j];
                    if to.is_null() {
                        continue;
                    }
                    finite = _mm512_mask3_fmadd_ps(value, zero, finite, part);
                    if let Some(bias) = finish.bias {
                        value = _mm512_add_ps(value, _mm512_maskz_loadu_ps(part, bias.as_ptr().add(channel)));
                    }
                    if finish.relu {
                        value = Lanes::relu(value);
                    }
                    _mm512_mask_storeu_ps(to.add(channel), part, value);
                }
            }
        }
    }
    _mm512_cmp_ps_mask::<_CMP_EQ_OQ>(finite, zero) == !0
}

/// Writes the transform of the gradient of a tile of the output, as [`transform_input`] does.
///
/// # Safety
/// As for [`transform_input`].
#[target_feature(enable = "avx512f")]
pub(super) unsafe fn transform_gradient(from: &[[*const f32; 2]; 2], channels: usize, to: *mut f32, distance: usize) {
    let half = _mm512_set1_ps(0.5);
    for channel in (0..channels).step_by(16) {
        let part = __m512::first(channels - channel);
        // SAFETY: the loads are masked to the channels; the stores go to whole registers of the room.
        unsafe {
            let load = |i: usize, j: usize| _mm512_maskz_loadu_ps(part, from[i][j].add(channel));
            let mut t = [[_mm512_setzero_ps(); 2]; 4];
            for j in 0..2 {
                let (a, b) = (load(0, j), load(1, j));
                t[0][j] = a;
                t[1][j] = _mm512_mul_ps(half, _mm512_add_ps(a, b));
                t[2][j] = _mm512_mul_ps(half, _mm512_sub_ps(a, b));
                t[3][j] = b;
            }
            for (i, [a, b]) in t.into_iter().enumerate() {
                let to = to.add(i * 4 * distance + channel);
                _mm512_storeu_ps(to, a);
                _mm512_storeu_ps(to.add(distance), _mm512_mul_ps(half, _mm512_add_ps(a, b)));
                _mm512_storeu_ps(to.add(2 * distance), _mm512_mul_ps(half, _mm512_sub_ps(a, b)));
                _mm512_storeu_ps(to.add(3 * distance), b);
            }
        }
    }
}

/// Writes the gradient of one input's filters from the sums of its transforms: parts of the sums, `part_distance` apart, are added
/// in order; point f of a transform is at `f * distance`. False where a value is not finite.
///
/// # Safety
/// The CPU has AVX-512F; the sums are readable in whole registers; `to` has room for 9 rows of `outputs`, `to_distance` apart.
#[target_feature(enable = "avx512f")]
pub(super) unsafe fn transform_sums(
    sums: *const f32,
    parts: usize,
    part_distance: usize,
    distance: usize,
    outputs: usize,
    to: *mut f32,
    to_distance: usize,
) -> bool {
    let zero = _mm512_setzero_ps();
    let mut finite = zero;
    for lane in (0..outputs).step_by(16) {
        let mask = __m512::first(outputs - lane);
        // SAFETY: by the contract; the stores are masked to the outputs.
        unsafe {
            let mut total = [zero; POINTS];
            for part in 0..parts {
                for (f, total) in total.iter_mut().enumerate() {
                    let sum = _mm512_loadu_ps(sums.add(part * part_distance + f * distance + lane));
                    *total = if part == 0 { sum } else { _mm512_add_ps(*total, sum) };
                }
            }
            let three = |[a, b, c, d]: [__m512; 4]| {
                let both = _mm512_add_ps(b, c);
                [_mm512_add_ps(a, both), _mm512_sub_ps(b, c), _mm512_sub_ps(both, d)]
            };
            let columns: [[__m512; 3]; 4] =
                std::array::from_fn(|j| three([total[j], total[4 + j], total[8 + j], total[12 + j]]));
            for i in 0..3 {
                let row = three([columns[0][i], columns[1][i], columns[2][i], columns[3][i]]);
                for (j, value) in row.into_iter().enumerate() {
                    finite = _mm512_mask3_fmadd_ps(value, zero, finite, mask);
                    _mm512_mask_storeu_ps(to.add((i * 3 + j) * to_distance + lane), mask, value);
                }
            }
        }
    }
    _mm512_cmp_ps_mask::<_CMP_EQ_OQ>(finite, zero) == !0
}
