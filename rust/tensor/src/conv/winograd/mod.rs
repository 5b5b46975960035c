//! Sums over windows by Winograd's minimal filtering.
//!
//! Two windows that lie as far apart as their points share all points but one each. A tile of 2 x 2 windows of 3 x 3 points
//! then takes 16 multiplications, not 36. Larger or strided windows are cut into parts of up to 3 x 3 points, which lie as
//! far apart as the windows. Those of 5 x 5 points two apart take 49 multiplications, not 100. Each plane of windows of three
//! dimensions has parts of its own.
//!
//! Tiles of the input and the filter are transformed by sums and halves. The sums then are products of matrices, one for
//! each point of a transformed part; a last transform leads back. Rounding errors are two to three times those of the
//! direct sums, within a few units in the last place of the largest term. An infinity would become NaN in a whole tile: if a
//! result is not finite, the caller computes it the direct way.
//!
//! Source: A. Lavin, S. Gray, "Fast Algorithms for Convolutional Neural Networks", 2015. These are its F(2 x 2, 3 x 3), and
//! F(3 x 3, 2 x 2) for the gradient of the filter. Parts of one and two points have the like.

mod filter_gradient;
mod output;
mod tiles;
mod transforms;

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{__m256, __m512};

use super::{Placed, Windows};
use crate::gemm::Epilogue;
#[cfg(target_arch = "x86_64")]
use crate::gemm::tiled::lanes::Pair;
use crate::gemm::tiled::lanes::Plain;
use crate::status::Result;
use crate::threads::Threads;
use crate::vector::{Isa, Level};
use tiles::Tiles;
use transforms::Channels;

/// Transformed tiles of a task take this much of the second-level cache, in floats. They take more if the products of
/// matrices would be too small, or if each task reads a large filter again.
const TASK_FLOATS: usize = 128 << 10;
const FEWEST_TILES: usize = 24;
const MOST_TILES: usize = 96;
const ELEMENTS_OF_A_TILE: usize = 24 << 10;

/// With fewer channels the transforms cost more than they save.
const FEWEST_CHANNELS: usize = 16;

/// Transformed filters with more elements than these leave the caches. One then costs as much time as so many
/// multiplications of each of its elements.
const MOST_KEPT: usize = 2 << 20;
const FILTER_COST: usize = 75;

/// Most elements of a transformed filter: 64 MiB.
const MOST_ELEMENTS: usize = 16 << 20;

/// Returns the most tiles of a task. Their transforms take `floats` each; the matrices that they are multiplied by, or
/// added to, have `elements`.
fn task_tiles(floats: usize, elements: usize) -> usize {
    (TASK_FLOATS / floats).max((elements / ELEMENTS_OF_A_TILE).clamp(FEWEST_TILES, MOST_TILES))
}

/// Returns the lanes of a panel of 32 channels, of which so many exist: the first channel, and the width in lanes.
fn lanes_of_panel<L: Channels>(channels: usize) -> impl Iterator<Item = (usize, usize)> {
    let lanes = channels.div_ceil(L::N).min(32 / L::N);
    (0..lanes).step_by(L::WIDE).map(move |lane| (lane * L::N, L::WIDE.min(lanes - lane)))
}

/// Computes the sums over windows if their sizes are worth it; false where nothing useful was done.
///
/// Sizes alone decide, so that results have the same bits on every CPU.
pub(super) fn forward(
    threads: Threads,
    windows: &Windows,
    input: &[f32],
    filter: &[f32],
    result: Placed<'_, f32>,
    epilogue: Option<&Epilogue<'_, f32>>,
) -> Result<bool> {
    forward_on(Isa::current(), threads, windows, input, filter, result, epilogue)
}

fn forward_on(
    isa: Isa,
    threads: Threads,
    windows: &Windows,
    input: &[f32],
    filter: &[f32],
    result: Placed<'_, f32>,
    epilogue: Option<&Epilogue<'_, f32>>,
) -> Result<bool> {
    let Some(tiles) = Tiles::of(windows) else { return Ok(false) };
    match isa.level() {
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => output::compute::<__m512>(threads, windows, &tiles, input, filter, result, epilogue),
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => output::compute::<Pair<__m256>>(threads, windows, &tiles, input, filter, result, epilogue),
        _ => output::compute::<Plain<f32, 16>>(threads, windows, &tiles, input, filter, result, epilogue),
    }
}

/// Returns the gradient of the filter, as [`forward`].
pub(super) fn backward_filter(
    threads: Threads,
    windows: &Windows,
    input: &[f32],
    output: &[f32],
    gradient: &mut [f32],
) -> Result<bool> {
    backward_filter_on(Isa::current(), threads, windows, input, output, gradient)
}

fn backward_filter_on(
    isa: Isa,
    threads: Threads,
    windows: &Windows,
    input: &[f32],
    output: &[f32],
    gradient: &mut [f32],
) -> Result<bool> {
    let Some(tiles) = Tiles::of(windows) else { return Ok(false) };
    match isa.level() {
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => filter_gradient::compute::<__m512>(threads, windows, &tiles, input, output, gradient),
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => filter_gradient::compute::<Pair<__m256>>(threads, windows, &tiles, input, output, gradient),
        _ => filter_gradient::compute::<Plain<f32, 16>>(threads, windows, &tiles, input, output, gradient),
    }
}

#[cfg(test)]
mod tests;
