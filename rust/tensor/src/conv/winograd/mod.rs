//! Convolutions with filters of 3 x 3 points and stride 1 by Winograd's minimal filtering.
//!
//! A tile of 2 x 2 points of the output takes 16 multiplications, not 36.
//!
//! Tiles of the input and the filter are transformed by sums and halves. A convolution then is 16 products of matrices,
//! one for each point of a transformed tile; a last transform leads back. Rounding errors are two to three times those
//! of the direct sums, within a few units in the last place of the largest term. An infinity would become NaN in a
//! whole tile: if a result is not finite, the caller computes it the direct way.
//!
//! Source: A. Lavin, S. Gray, "Fast Algorithms for Convolutional Neural Networks", 2015. F(2 x 2, 3 x 3) is used, and
//! F(3 x 3, 2 x 2) for the gradient of the filter.

mod filter_gradient;
mod output;
mod transforms;

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{__m256, __m512};

use super::Geometry;
use crate::gemm::Epilogue;
#[cfg(target_arch = "x86_64")]
use crate::gemm::tiled::lanes::Pair;
use crate::gemm::tiled::lanes::Plain;
use crate::status::Result;
use crate::threads::Threads;
use crate::vector::{Isa, Level};
use transforms::Channels;

/// Points of a transformed tile.
const POINTS: usize = 16;

/// Transformed tiles of a task take this much of the second-level cache, in floats. They take more if the products of
/// matrices would be too small.
const TASK_FLOATS: usize = 128 << 10;
const FEWEST_TILES: usize = 24;

/// With fewer channels the transforms cost more than they save.
const FEWEST_CHANNELS: usize = 16;

/// Transformed filters larger than this, 64 bytes a product, are read too slowly.
const MOST_PRODUCTS: usize = 1 << 17;

/// Returns the tiles that a task takes, of rows of these lengths.
fn task_tiles(row_in: usize, row_out: usize) -> usize {
    (TASK_FLOATS / (POINTS * (row_in + row_out))).max(FEWEST_TILES)
}

/// The tiles that the points of a convolution's output are cut into.
#[derive(Clone, Copy, Debug)]
struct Tiles {
    images: usize,
    /// Height and width of input and output, in points, and the zeros before the input.
    input: [usize; 2],
    output: [usize; 2],
    before: [usize; 2],
    /// Tiles down and across an image.
    down: usize,
    across: usize,
}

impl Tiles {
    /// Returns the tiles of a convolution that is worth it.
    fn of(g: &Geometry) -> Option<Tiles> {
        let [d, h, w] = &g.space;
        let fits = |w: &super::Window| w.filter == 3 && w.stride == 1 && w.dilation == 1 && w.before <= 2;
        if !d.is_point() || !fits(h) || !fits(w) {
            return None;
        }
        let (down, across) = (h.output.div_ceil(2), w.output.div_ceil(2));
        let tiles = Tiles {
            images: g.batch * d.input,
            input: [h.input, w.input],
            output: [h.output, w.output],
            before: [h.before, w.before],
            down,
            across,
        };
        let wasted = 4 * down * across > h.output * w.output * 3 / 2;
        let large = g.inputs.min(g.outputs) >= FEWEST_CHANNELS && g.inputs * g.outputs <= MOST_PRODUCTS;
        (!wasted && large && tiles.count() >= FEWEST_TILES).then_some(tiles)
    }

    fn count(&self) -> usize {
        self.images * self.down * self.across
    }

    /// Returns the image of a tile, and where its first point of the output is.
    fn place(&self, tile: usize) -> (usize, usize, usize) {
        let (line, x) = (tile / self.across, tile % self.across);
        (line / self.down, line % self.down * 2, x * 2)
    }
}

/// Returns the lanes of a panel of 32 channels, of which so many exist: the first channel, and the width in lanes.
fn lanes_of_panel<L: Channels>(channels: usize) -> impl Iterator<Item = (usize, usize)> {
    let lanes = channels.div_ceil(L::N).min(32 / L::N);
    (0..lanes).step_by(L::WIDE).map(move |lane| (lane * L::N, L::WIDE.min(lanes - lane)))
}

/// Computes the convolution if its sizes are worth it; false where nothing useful was done.
///
/// Sizes alone decide, so that results have the same bits on every CPU.
pub(super) fn forward(
    threads: Threads,
    geometry: &Geometry,
    input: &[f32],
    filter: &[f32],
    result: &mut [f32],
    epilogue: Option<&Epilogue<'_, f32>>,
) -> Result<bool> {
    forward_on(Isa::current(), threads, geometry, input, filter, result, epilogue)
}

fn forward_on(
    isa: Isa,
    threads: Threads,
    geometry: &Geometry,
    input: &[f32],
    filter: &[f32],
    result: &mut [f32],
    epilogue: Option<&Epilogue<'_, f32>>,
) -> Result<bool> {
    let Some(tiles) = Tiles::of(geometry) else { return Ok(false) };
    match isa.level() {
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => output::compute::<__m512>(threads, geometry, &tiles, input, filter, result, epilogue),
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => output::compute::<Pair<__m256>>(threads, geometry, &tiles, input, filter, result, epilogue),
        _ => output::compute::<Plain<f32, 16>>(threads, geometry, &tiles, input, filter, result, epilogue),
    }
}

/// Returns the gradient of the filter, as [`forward`].
pub(super) fn backward_filter(
    threads: Threads,
    geometry: &Geometry,
    input: &[f32],
    output: &[f32],
    gradient: &mut [f32],
) -> Result<bool> {
    backward_filter_on(Isa::current(), threads, geometry, input, output, gradient)
}

fn backward_filter_on(
    isa: Isa,
    threads: Threads,
    geometry: &Geometry,
    input: &[f32],
    output: &[f32],
    gradient: &mut [f32],
) -> Result<bool> {
    let Some(tiles) = Tiles::of(geometry) else { return Ok(false) };
    match isa.level() {
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => filter_gradient::compute::<__m512>(threads, geometry, &tiles, input, output, gradient),
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => filter_gradient::compute::<Pair<__m256>>(threads, geometry, &tiles, input, output, gradient),
        _ => filter_gradient::compute::<Plain<f32, 16>>(threads, geometry, &tiles, input, output, gradient),
    }
}

#[cfg(test)]
mod tests;
