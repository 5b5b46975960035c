//! Functions of the three channels of a pixel, over whole images.

use super::sampling::BLOCK;
use crate::wide::Wide;
use ferroflow_tensor::threads::{Threads, try_for_chunks_mut};
use ferroflow_tensor::vector::{Loops, loops_on_best_isa};
use ferroflow_tensor::{Result, Tensor};

/// A function of the three channels of a pixel.
pub(super) trait PixelFunction<F>: Copy + Send + Sync + 'static {
    fn exact(self, pixel: [F; 3]) -> [F; 3];

    /// Returns `exact` of the pixel without a branch, so that a loop of it becomes vectors. For a pixel that needs a branch,
    /// returns anything, and true. Implementations are `#[inline(always)]`.
    fn quick(self, pixel: [F; 3]) -> ([F; 3], bool);
}

/// Pixels that are computed side by side, channel by channel.
pub(super) const SIDE_BY_SIDE: usize = 64;

struct Block<'a, T: Wide, P> {
    function: P,
    from: &'a [[T; 3]],
    to: &'a mut [[T; 3]],
}

impl<T: Wide, P: PixelFunction<T::In>> Loops for Block<'_, T, P> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let (whole, rest) = self.from.as_chunks::<SIDE_BY_SIDE>();
        let (whole_to, rest_to) = self.to.as_chunks_mut::<SIDE_BY_SIDE>();
        let [mut r, mut g, mut b] = [[T::In::default(); SIDE_BY_SIDE]; 3];
        for (from, to) in whole.iter().zip(whole_to) {
            for (((r, g), b), pixel) in r.iter_mut().zip(&mut g).zip(&mut b).zip(from) {
                [*r, *g, *b] = pixel.map(T::widen);
            }
            let mut any_other = 0;
            for ((r, g), b) in r.iter_mut().zip(&mut g).zip(&mut b) {
                let (pixel, other) = self.function.quick([*r, *g, *b]);
                [*r, *g, *b] = pixel;
                any_other |= u32::from(other);
            }
            if any_other != 0 {
                one_by_one(self.function, from, to);
                continue;
            }
            for (((r, g), b), pixel) in r.iter().zip(&g).zip(&b).zip(to) {
                *pixel = [*r, *g, *b].map(T::narrow);
            }
        }
        one_by_one(self.function, rest, rest_to);
    }
}

fn one_by_one<T: Wide>(function: impl PixelFunction<T::In>, from: &[[T; 3]], to: &mut [[T; 3]]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to = function.exact(from.map(T::widen)).map(T::narrow);
    }
}

/// Returns the function of each pixel of images whose last dimension is 3.
pub(super) fn for_pixels<T: Wide>(
    threads: Threads,
    images: &Tensor,
    function: impl PixelFunction<T::In>,
) -> Result<Tensor> {
    let mut out = Tensor::new(T::DTYPE, images.shape().clone())?;
    let (from, _) = images.slice::<T>()?.as_chunks::<3>();
    let (to, _) = out.slice_mut::<T>()?.as_chunks_mut::<3>();
    try_for_chunks_mut(threads, to, BLOCK / 4, |start, to| {
        loops_on_best_isa(Block { function, from: &from[start..start + to.len()], to });
    })?;
    Ok(out)
}
