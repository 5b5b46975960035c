//! The transforms of tiles, sixteen channels at a time.

#![allow(clippy::needless_range_loop, reason = "both indices of a tile's points are numbers in the formulas")]

use super::{POINTS, Tiles};
use crate::gemm::tiled::lanes::{Lanes, for_lanes};

/// Lanes of single precision.
pub(super) trait Channels: Lanes<Elem = f32> {}
impl<L: Lanes<Elem = f32>> Channels for L {}

/// Returns the floats in a row of a matrix for `channels`. These are whole registers and an odd number of cache lines,
/// so that a tile's rows fall into different cache sets.
pub(super) fn row_floats(channels: usize) -> usize {
    (channels.div_ceil(16) | 1) * 16
}

/// Returns the addresses of `SIDE x SIDE` points, from `(y, x)` on, of an image of `[height, width]` points; `zeros`
/// for those outside.
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

/// Returns the 4 x 4 points of the input that a tile needs.
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

for_lanes! {
    /// Writes the transform of an input tile: point f of the tile to `to + f * distance`, channels side by side, in whole registers.
    ///
    /// # Safety
    /// The CPU has the features of `L`; the points have `channels` readable floats; `to` has room for them.
    pub(super) unsafe fn transform_input = transform_input_body<L: Channels>(from: &[[*const f32; 4]; 4], channels: usize, to: *mut f32, distance: usize)
}

#[inline(always)]
unsafe fn transform_input_body<L: Channels>(
    from: &[[*const f32; 4]; 4],
    channels: usize,
    to: *mut f32,
    distance: usize,
) {
    for channel in (0..channels).step_by(16) {
        let part = L::first(channels - channel);
        // SAFETY: the loads are masked to the channels; the stores go to whole registers of the room.
        unsafe {
            let load = |i: usize, j: usize| L::load_part(from[i][j].add(channel), part);
            let mut t = [[L::zero(); 4]; 4];
            for j in 0..4 {
                let (a, b, c, d) = (load(0, j), load(1, j), load(2, j), load(3, j));
                t[0][j] = a.sub(c);
                t[1][j] = b.add(c);
                t[2][j] = c.sub(b);
                t[3][j] = b.sub(d);
            }
            for (i, [a, b, c, d]) in t.into_iter().enumerate() {
                let to = to.add(i * 4 * distance + channel);
                a.sub(c).store(to);
                b.add(c).store(to.add(distance));
                c.sub(b).store(to.add(2 * distance));
                b.sub(d).store(to.add(3 * distance));
            }
        }
    }
}

/// Returns the transform of three values of a filter.
#[inline(always)]
unsafe fn three<L: Channels>(a: L, b: L, c: L) -> [L; 4] {
    // SAFETY: the caller has the features of `L`.
    unsafe {
        let half = L::splat(&0.5);
        let ends = half.mul(a.add(c));
        let middle = half.mul(b);
        [a, ends.add(middle), ends.sub(middle), c]
    }
}

for_lanes! {
    /// Writes the transform of a filter `[3, 3, inputs, outputs]` for some of the inputs. Each point of a tile has
    /// panels of 32 outputs, in which the inputs follow each other.
    ///
    /// # Safety
    /// The CPU has the features of `L`; `filter` has its size, `to` room for 16 times `panels * inputs * 32` floats.
    pub(super) unsafe fn transform_filter = transform_filter_body<L: Channels>(filter: *const f32, inputs: usize, outputs: usize, some: std::ops::Range<usize>, to: *mut f32)
}

#[inline(always)]
unsafe fn transform_filter_body<L: Channels>(
    filter: *const f32,
    inputs: usize,
    outputs: usize,
    some: std::ops::Range<usize>,
    to: *mut f32,
) {
    let panels = outputs.div_ceil(32);
    for input in some {
        for lane in (0..panels * 32).step_by(16) {
            let part = L::first(outputs.saturating_sub(lane));
            // SAFETY: the loads are masked to the outputs; the stores go into the panels.
            unsafe {
                let load = |i: usize| L::load_part(filter.wrapping_add((i * inputs + input) * outputs + lane), part);
                let mut columns = [[L::zero(); 3]; 4];
                for j in 0..3 {
                    let values = three(load(j), load(3 + j), load(6 + j));
                    for i in 0..4 {
                        columns[i][j] = values[i];
                    }
                }
                for (i, [a, b, c]) in columns.into_iter().enumerate() {
                    for (j, value) in three(a, b, c).into_iter().enumerate() {
                        let row = ((i * 4 + j) * panels + lane / 32) * inputs + input;
                        value.store(to.add(row * 32 + lane % 32));
                    }
                }
            }
        }
    }
}

/// The destination of a tile of the output, and the operations applied to it.
pub(super) struct Finish<'a> {
    /// Addresses of the 2 x 2 points; null for those outside.
    pub to: [[*mut f32; 2]; 2],
    pub channels: usize,
    pub bias: Option<&'a [f32]>,
    pub relu: bool,
}

for_lanes! {
    /// Writes a tile of the output from its transform, point f of which is at `from + f * distance`; false where a value is not finite.
    ///
    /// # Safety
    /// The CPU has the features of `L`; `from` is readable in whole registers. The points have room for the channels,
    /// as many as the bias has.
    pub(super) unsafe fn transform_output = transform_output_body<L: Channels>(from: *const f32, distance: usize, finish: &Finish<'_>) -> bool
}

#[inline(always)]
unsafe fn transform_output_body<L: Channels>(from: *const f32, distance: usize, finish: &Finish<'_>) -> bool {
    // SAFETY: the caller has the features of `L`.
    let zero = unsafe { L::zero() };
    let mut finite = zero;
    for channel in (0..finish.channels).step_by(16) {
        let part = L::first(finish.channels - channel);
        // SAFETY: by the contract; parts of registers are masked.
        unsafe {
            let load = |i: usize, j: usize| L::load(from.add((i * 4 + j) * distance + channel));
            let mut s = [[zero; 4]; 2];
            for j in 0..4 {
                let (a, b, c, d) = (load(0, j), load(1, j), load(2, j), load(3, j));
                s[0][j] = a.add(b.add(c));
                s[1][j] = b.sub(c).sub(d);
            }
            for (i, [a, b, c, d]) in s.into_iter().enumerate() {
                let row = [a.add(b.add(c)), b.sub(c).sub(d)];
                for (j, mut value) in row.into_iter().enumerate() {
                    let to = finish.to[i][j];
                    if to.is_null() {
                        continue;
                    }
                    finite = value.keep(part).mul_add(zero, finite);
                    if let Some(bias) = finish.bias {
                        value = value.add(L::load_part(bias.as_ptr().add(channel), part));
                    }
                    if finish.relu {
                        value = value.relu();
                    }
                    value.store_part(to.add(channel), part);
                }
            }
        }
    }
    // SAFETY: the caller has the features of `L`.
    unsafe { finite.is_zero() }
}

for_lanes! {
    /// Writes the transform of the gradient of a tile of the output, as [`transform_input`] does.
    ///
    /// # Safety
    /// As for [`transform_input`].
    pub(super) unsafe fn transform_gradient = transform_gradient_body<L: Channels>(from: &[[*const f32; 2]; 2], channels: usize, to: *mut f32, distance: usize)
}

#[inline(always)]
unsafe fn transform_gradient_body<L: Channels>(
    from: &[[*const f32; 2]; 2],
    channels: usize,
    to: *mut f32,
    distance: usize,
) {
    // SAFETY: the caller has the features of `L`.
    let half = unsafe { L::splat(&0.5) };
    for channel in (0..channels).step_by(16) {
        let part = L::first(channels - channel);
        // SAFETY: the loads are masked to the channels; the stores go to whole registers of the room.
        unsafe {
            let load = |i: usize, j: usize| L::load_part(from[i][j].add(channel), part);
            let mut t = [[L::zero(); 2]; 4];
            for j in 0..2 {
                let (a, b) = (load(0, j), load(1, j));
                t[0][j] = a;
                t[1][j] = half.mul(a.add(b));
                t[2][j] = half.mul(a.sub(b));
                t[3][j] = b;
            }
            for (i, [a, b]) in t.into_iter().enumerate() {
                let to = to.add(i * 4 * distance + channel);
                a.store(to);
                half.mul(a.add(b)).store(to.add(distance));
                half.mul(a.sub(b)).store(to.add(2 * distance));
                b.store(to.add(3 * distance));
            }
        }
    }
}

for_lanes! {
    /// Writes the gradient of one input's filters from the sums of its transforms: parts of the sums, `part_distance`
    /// apart, are added in order. Point f of a transform is at `f * distance`. False where a value is not finite.
    ///
    /// # Safety
    /// The CPU has the features of `L`; the sums are readable in whole registers; `to` has room for 9 rows of `outputs`, `to_distance` apart.
    pub(super) unsafe fn transform_sums = transform_sums_body<L: Channels>(sums: *const f32, parts: usize, part_distance: usize, distance: usize, outputs: usize, to: *mut f32, to_distance: usize) -> bool
}

#[inline(always)]
unsafe fn transform_sums_body<L: Channels>(
    sums: *const f32,
    parts: usize,
    part_distance: usize,
    distance: usize,
    outputs: usize,
    to: *mut f32,
    to_distance: usize,
) -> bool {
    // SAFETY: the caller has the features of `L`.
    let zero = unsafe { L::zero() };
    let mut finite = zero;
    for lane in (0..outputs).step_by(16) {
        let mask = L::first(outputs - lane);
        // SAFETY: by the contract; the stores are masked to the outputs.
        unsafe {
            let mut total = [zero; POINTS];
            for part in 0..parts {
                for (f, total) in total.iter_mut().enumerate() {
                    let sum = L::load(sums.add(part * part_distance + f * distance + lane));
                    *total = if part == 0 { sum } else { (*total).add(sum) };
                }
            }
            let three = |[a, b, c, d]: [L; 4]| {
                let both = b.add(c);
                [a.add(both), b.sub(c), both.sub(d)]
            };
            let columns: [[L; 3]; 4] =
                std::array::from_fn(|j| three([total[j], total[4 + j], total[8 + j], total[12 + j]]));
            for i in 0..3 {
                let row = three([columns[0][i], columns[1][i], columns[2][i], columns[3][i]]);
                for (j, value) in row.into_iter().enumerate() {
                    finite = value.keep(mask).mul_add(zero, finite);
                    value.store_part(to.add((i * 3 + j) * to_distance + lane), mask);
                }
            }
        }
    }
    // SAFETY: the caller has the features of `L`.
    unsafe { finite.is_zero() }
}
