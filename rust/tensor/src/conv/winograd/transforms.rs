//! The transforms of tiles, sixteen channels at a time.
//!
//! [`of_input`] and the functions after it transform one dimension. A tile is transformed by them down, and then across.

#![allow(clippy::needless_range_loop, reason = "both indices of a tile's points are numbers in the formulas")]

use crate::gemm::tiled::lanes::{Lanes, for_lanes};

/// Lanes of single precision.
pub(super) trait Channels: Lanes<Elem = f32> {}
impl<L: Lanes<Elem = f32>> Channels for L {}

/// Addresses of a tile's points.
pub(super) type Points = [[*const f32; 4]; 4];

/// Returns the floats in a row of a matrix for `channels`. These are whole registers and an odd number of cache lines,
/// so that a tile's rows fall into different cache sets.
pub(super) fn row_floats(channels: usize) -> usize {
    (channels.div_ceil(16) | 1) * 16
}

/// Calls the version of a transform for a part with so many points down and across.
macro_rules! of_part {
    ($part:expr, $name:ident::<$lanes:ident>($($arg:expr),* $(,)?)) => {
        match ($part.down.taps, $part.across.taps) {
            (1, 1) => $name::<$lanes, 1, 1>($($arg),*),
            (1, 2) => $name::<$lanes, 1, 2>($($arg),*),
            (1, _) => $name::<$lanes, 1, 3>($($arg),*),
            (2, 1) => $name::<$lanes, 2, 1>($($arg),*),
            (2, 2) => $name::<$lanes, 2, 2>($($arg),*),
            (2, _) => $name::<$lanes, 2, 3>($($arg),*),
            (_, 1) => $name::<$lanes, 3, 1>($($arg),*),
            (_, 2) => $name::<$lanes, 3, 2>($($arg),*),
            (_, _) => $name::<$lanes, 3, 3>($($arg),*),
        }
    };
}
pub(super) use of_part;

/// Returns the transform of `TAPS + 1` points of the input, which two windows of `TAPS` points share.
#[inline(always)]
unsafe fn of_input<L: Channels, const TAPS: usize>([a, b, c, d]: [L; 4]) -> [L; 4] {
    // SAFETY: the caller has the features of `L`.
    unsafe {
        match TAPS {
            1 => [a, b, c, d],
            2 => [a.sub(b), b, c.sub(b), d],
            _ => [a.sub(c), b.add(c), c.sub(b), b.sub(d)],
        }
    }
}

/// Returns the transform of `TAPS` points of a filter.
#[inline(always)]
unsafe fn of_filter<L: Channels, const TAPS: usize>([a, b, c]: [L; 3]) -> [L; 4] {
    // SAFETY: as above.
    unsafe {
        match TAPS {
            1 => [a, a, a, a],
            2 => [a, a.add(b), b, b],
            _ => {
                let half = L::splat(&0.5);
                let (ends, middle) = (half.mul(a.add(c)), half.mul(b));
                [a, ends.add(middle), ends.sub(middle), c]
            }
        }
    }
}

/// Returns the sums of two windows from the products of both transforms.
#[inline(always)]
unsafe fn of_products<L: Channels, const TAPS: usize>([a, b, c, d]: [L; 4]) -> [L; 2] {
    // SAFETY: as above.
    unsafe {
        match TAPS {
            1 => [a, b],
            2 => [a.add(b), b.add(c)],
            _ => [a.add(b.add(c)), b.sub(c).sub(d)],
        }
    }
}

/// Returns the transform of the gradients of two windows.
#[inline(always)]
unsafe fn of_gradient<L: Channels, const TAPS: usize>([a, b]: [L; 2]) -> [L; 4] {
    // SAFETY: as above.
    unsafe {
        match TAPS {
            1 => [a, b, b, b],
            2 => [a, a.add(b), b, b],
            _ => {
                let half = L::splat(&0.5);
                [a, half.mul(a.add(b)), half.mul(a.sub(b)), b]
            }
        }
    }
}

/// Returns the gradients of `TAPS` points of a filter from sums of the products of both transforms.
#[inline(always)]
unsafe fn of_sums<L: Channels, const TAPS: usize>([a, b, c, d]: [L; 4]) -> [L; 3] {
    // SAFETY: as above.
    unsafe {
        match TAPS {
            1 => [a.add(b), c, d],
            2 => [a.add(b), b.add(c), d],
            _ => {
                let both = b.add(c);
                [a.add(both), b.sub(c), both.sub(d)]
            }
        }
    }
}

for_lanes! {
    /// Writes the transform of a part of an input tile: point f of it to `to + f * distance`, channels side by side, in whole registers.
    ///
    /// # Safety
    /// The CPU has the features of `L`; the points have `channels` readable floats; `to` has room for them.
    pub(super) unsafe fn transform_input = transform_input_body<L: Channels, const DOWN: usize, const ACROSS: usize>(from: &Points, channels: usize, to: *mut f32, distance: usize)
}

#[inline(always)]
unsafe fn transform_input_body<L: Channels, const DOWN: usize, const ACROSS: usize>(
    from: &Points,
    channels: usize,
    to: *mut f32,
    distance: usize,
) {
    for channel in (0..channels).step_by(16) {
        let part = L::first(channels - channel);
        // SAFETY: the loads are masked to the channels; the stores go to whole registers of the room.
        unsafe {
            let mut t = [[L::zero(); 4]; 4];
            for j in 0..=ACROSS {
                let mut column = [L::zero(); 4];
                for i in 0..=DOWN {
                    column[i] = L::load_part(from[i][j].add(channel), part);
                }
                let column = of_input::<L, DOWN>(column);
                for i in 0..=DOWN {
                    t[i][j] = column[i];
                }
            }
            for i in 0..=DOWN {
                let row = of_input::<L, ACROSS>(t[i]);
                for j in 0..=ACROSS {
                    row[j].store(to.add((i * (ACROSS + 1) + j) * distance + channel));
                }
            }
        }
    }
}

for_lanes! {
    /// Writes the transform of a part of a filter for some of the inputs. Points of the filter are `steps` apart, down and
    /// across. Each point of a tile has panels of 32 outputs, in which the inputs follow each other.
    ///
    /// # Safety
    /// The CPU has the features of `L`. `filter`, at the part's first point, has its size. `to` has room for `panels * inputs
    /// * 32` floats for each of the part's points.
    pub(super) unsafe fn transform_filter = transform_filter_body<L: Channels, const DOWN: usize, const ACROSS: usize>(filter: *const f32, steps: [usize; 2], sizes: [usize; 2], some: std::ops::Range<usize>, to: *mut f32)
}

#[inline(always)]
unsafe fn transform_filter_body<L: Channels, const DOWN: usize, const ACROSS: usize>(
    filter: *const f32,
    steps: [usize; 2],
    [inputs, outputs]: [usize; 2],
    some: std::ops::Range<usize>,
    to: *mut f32,
) {
    let panels = outputs.div_ceil(32);
    for input in some {
        for lane in (0..panels * 32).step_by(16) {
            let part = L::first(outputs.saturating_sub(lane));
            // SAFETY: the loads are masked to the outputs; the stores go into the panels.
            unsafe {
                let mut t = [[L::zero(); 3]; 4];
                for j in 0..ACROSS {
                    let mut column = [L::zero(); 3];
                    for i in 0..DOWN {
                        let at = i * steps[0] + j * steps[1] + input * outputs + lane;
                        column[i] = L::load_part(filter.wrapping_add(at), part);
                    }
                    let column = of_filter::<L, DOWN>(column);
                    for i in 0..=DOWN {
                        t[i][j] = column[i];
                    }
                }
                for i in 0..=DOWN {
                    let row = of_filter::<L, ACROSS>(t[i]);
                    for j in 0..=ACROSS {
                        let panel = ((i * (ACROSS + 1) + j) * panels + lane / 32) * inputs + input;
                        row[j].store(to.add(panel * 32 + lane % 32));
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

/// The products of a part of a tile: its points, and the sums of the parts before it, which follow each other at a distance.
#[derive(Clone, Copy)]
pub(super) struct Products {
    pub points: *const f32,
    pub sums: *mut f32,
    pub distance: usize,
    /// If true, there is no part before.
    pub is_first: bool,
}

/// Returns the 2 x 2 sums of windows from the products of a part and of those before it, for sixteen channels.
#[inline(always)]
unsafe fn sums_of_products<L: Channels, const DOWN: usize, const ACROSS: usize>(
    products: &Products,
    channel: usize,
) -> [[L; 2]; 2] {
    // SAFETY: by the contract of the caller.
    unsafe {
        let from = products.points.add(channel);
        let mut s = [[L::zero(); 4]; 2];
        for j in 0..=ACROSS {
            let mut column = [L::zero(); 4];
            for i in 0..=DOWN {
                column[i] = L::load(from.add((i * (ACROSS + 1) + j) * products.distance));
            }
            let column = of_products::<L, DOWN>(column);
            (s[0][j], s[1][j]) = (column[0], column[1]);
        }
        let mut tile = [of_products::<L, ACROSS>(s[0]), of_products::<L, ACROSS>(s[1])];
        if !products.is_first {
            for k in 0..4 {
                let before = L::load(products.sums.add(k * products.distance + channel));
                tile[k / 2][k % 2] = before.add(tile[k / 2][k % 2]);
            }
        }
        tile
    }
}

for_lanes! {
    /// Adds a part of a tile to the sums of those before it, or begins them.
    ///
    /// # Safety
    /// The CPU has the features of `L`; points and sums are whole registers long.
    pub(super) unsafe fn add_output = add_output_body<L: Channels, const DOWN: usize, const ACROSS: usize>(products: &Products, channels: usize)
}

#[inline(always)]
unsafe fn add_output_body<L: Channels, const DOWN: usize, const ACROSS: usize>(products: &Products, channels: usize) {
    for channel in (0..channels).step_by(16) {
        // SAFETY: by the contract.
        unsafe {
            let tile = sums_of_products::<L, DOWN, ACROSS>(products, channel);
            for k in 0..4 {
                tile[k / 2][k % 2].store(products.sums.add(k * products.distance + channel));
            }
        }
    }
}

for_lanes! {
    /// Writes a tile of the output, the sum of its last part and those before it. False where a value is not finite.
    ///
    /// # Safety
    /// The CPU has the features of `L`; points and sums are readable in whole registers. The points of the output have room
    /// for the channels, as many as the bias has.
    pub(super) unsafe fn transform_output = transform_output_body<L: Channels, const DOWN: usize, const ACROSS: usize>(products: &Products, finish: &Finish<'_>) -> bool
}

#[inline(always)]
unsafe fn transform_output_body<L: Channels, const DOWN: usize, const ACROSS: usize>(
    products: &Products,
    finish: &Finish<'_>,
) -> bool {
    // SAFETY: the caller has the features of `L`.
    let zero = unsafe { L::zero() };
    let mut finite = zero;
    for channel in (0..finish.channels).step_by(16) {
        let lanes = L::first(finish.channels - channel);
        // SAFETY: by the contract; parts of registers are masked.
        unsafe {
            let tile = sums_of_products::<L, DOWN, ACROSS>(products, channel);
            for i in 0..2 {
                for j in 0..2 {
                    let (to, mut value) = (finish.to[i][j], tile[i][j]);
                    if to.is_null() {
                        continue;
                    }
                    finite = value.keep(lanes).mul_add(zero, finite);
                    if let Some(bias) = finish.bias {
                        value = value.add(L::load_part(bias.as_ptr().add(channel), lanes));
                    }
                    if finish.relu {
                        value = value.relu();
                    }
                    value.store_part(to.add(channel), lanes);
                }
            }
        }
    }
    // SAFETY: the caller has the features of `L`.
    unsafe { finite.is_zero() }
}

for_lanes! {
    /// Writes the transform of the gradient of a tile of the output for one part, as [`transform_input`] does.
    ///
    /// # Safety
    /// As for [`transform_input`].
    pub(super) unsafe fn transform_gradient = transform_gradient_body<L: Channels, const DOWN: usize, const ACROSS: usize>(from: &Points, channels: usize, to: *mut f32, distance: usize)
}

#[inline(always)]
unsafe fn transform_gradient_body<L: Channels, const DOWN: usize, const ACROSS: usize>(
    from: &Points,
    channels: usize,
    to: *mut f32,
    distance: usize,
) {
    for channel in (0..channels).step_by(16) {
        let part = L::first(channels - channel);
        // SAFETY: the loads are masked to the channels; the stores go to whole registers of the room.
        unsafe {
            let mut t = [[L::zero(); 2]; 4];
            for j in 0..2 {
                let column = [L::load_part(from[0][j].add(channel), part), L::load_part(from[1][j].add(channel), part)];
                let column = of_gradient::<L, DOWN>(column);
                for i in 0..=DOWN {
                    t[i][j] = column[i];
                }
            }
            for i in 0..=DOWN {
                let row = of_gradient::<L, ACROSS>(t[i]);
                for j in 0..=ACROSS {
                    row[j].store(to.add((i * (ACROSS + 1) + j) * distance + channel));
                }
            }
        }
    }
}

/// Sums of transforms that several tasks have made: those of a task follow others at a distance.
#[derive(Clone, Copy)]
pub(super) struct Sums {
    pub first: *const f32,
    pub count: usize,
    pub distance: usize,
}

for_lanes! {
    /// Writes the gradient of one input's filters, for a part of the filter, from the sums of its transforms, which are
    /// added in order. Point f of a transform is at `f * distance`; points of the filter are `steps` apart, down and
    /// across. False where a value is not finite.
    ///
    /// # Safety
    /// The CPU has the features of `L`; the sums are readable in whole registers; `to` has room for `outputs` at each
    /// point of the part.
    pub(super) unsafe fn transform_sums = transform_sums_body<L: Channels, const DOWN: usize, const ACROSS: usize>(sums: Sums, distance: usize, outputs: usize, to: *mut f32, steps: [usize; 2]) -> bool
}

#[inline(always)]
unsafe fn transform_sums_body<L: Channels, const DOWN: usize, const ACROSS: usize>(
    sums: Sums,
    distance: usize,
    outputs: usize,
    to: *mut f32,
    steps: [usize; 2],
) -> bool {
    // SAFETY: the caller has the features of `L`.
    let zero = unsafe { L::zero() };
    let mut finite = zero;
    for lane in (0..outputs).step_by(16) {
        let mask = L::first(outputs - lane);
        // SAFETY: by the contract; the stores are masked to the outputs.
        unsafe {
            let mut total = [[zero; 4]; 4];
            for number in 0..sums.count {
                let from = sums.first.add(number * sums.distance + lane);
                for i in 0..=DOWN {
                    for j in 0..=ACROSS {
                        let sum = L::load(from.add((i * (ACROSS + 1) + j) * distance));
                        total[i][j] = if number == 0 { sum } else { total[i][j].add(sum) };
                    }
                }
            }
            let mut t = [[zero; 4]; 3];
            for j in 0..=ACROSS {
                let column = of_sums::<L, DOWN>([total[0][j], total[1][j], total[2][j], total[3][j]]);
                for i in 0..DOWN {
                    t[i][j] = column[i];
                }
            }
            for i in 0..DOWN {
                let row = of_sums::<L, ACROSS>(t[i]);
                for j in 0..ACROSS {
                    finite = row[j].keep(mask).mul_add(zero, finite);
                    row[j].store_part(to.add(i * steps[0] + j * steps[1] + lane), mask);
                }
            }
        }
    }
    // SAFETY: the caller has the features of `L`.
    unsafe { finite.is_zero() }
}
