//! Sampling of the original by a resized image: scales, the places of pixels, and the taps of each along one dimension.

use super::shapes::{resized, size_of, sized_images};
use crate::room::room;
use ferroflow_graph::{AttrMap, KernelContext, Op, ShapeContext};
use ferroflow_tensor::threads::{Threads, try_for_chunks_mut};
use ferroflow_tensor::{DType, PartialShape, Result, Shape, Tensor, ensure};

/// Elements of one parallel block.
pub(super) const BLOCK: usize = 1 << 14;

/// The alignment of the result's pixels with those of the original.
#[derive(Clone, Copy)]
pub(super) struct Alignment {
    pub corners: bool,
    pub half_pixel: bool,
}

impl Alignment {
    pub(super) fn of(attrs: &AttrMap) -> Result<Alignment> {
        let alignment = Alignment::stated(attrs)?;
        ensure!(
            !(alignment.corners && alignment.half_pixel),
            InvalidArgument,
            "If half_pixel_centers is True, align_corners must be False."
        );
        Ok(alignment)
    }

    /// Returns the alignment that attributes state, which may be of corners and of half pixels.
    pub(super) fn stated(attrs: &AttrMap) -> Result<Alignment> {
        let corners = attrs.bool("align_corners")?;
        let half_pixel = attrs.get("half_pixel_centers").is_some() && attrs.bool("half_pixel_centers")?;
        Ok(Alignment { corners, half_pixel })
    }

    /// Pixels of the original per pixel of the result.
    pub(super) fn scale(self, original: usize, result: usize) -> f32 {
        if self.corners && result > 1 {
            (original as i64 - 1) as f32 / (result - 1) as f32
        } else {
            original as f32 / result as f32
        }
    }

    /// Returns the place in the original of pixel `i` of the result.
    pub(super) fn place(self, i: usize, scale: f32) -> f32 {
        if self.half_pixel { (i as f32 + 0.5) * scale - 0.5 } else { i as f32 * scale }
    }

    /// Returns, for each pixel of the result, the nearest pixel of the original.
    pub(super) fn nearest_of_all(self, original: usize, result: usize) -> Result<Vec<usize>> {
        let scale = self.scale(original, result);
        let mut nearest = room(result, "pixels")?;
        nearest.extend((0..result).map(|i| self.nearest(i, scale, original)));
        Ok(nearest)
    }

    /// Returns the pixel of the original that is nearest to pixel `i` of the result.
    fn nearest(self, i: usize, scale: f32, original: usize) -> usize {
        let at = if self.half_pixel { (i as f32 + 0.5) * scale } else { i as f32 * scale };
        // Rounds half away from zero, as C's roundf.
        let at = if self.corners { at.round() } else { at.floor() };
        (at.max(0.0) as usize).min(original.saturating_sub(1))
    }
}

/// The pixels of the original that one of the result is a weighted sum of, along one dimension.
pub(super) type Taps<const N: usize> = [(usize, f32); N];

/// Returns the two neighbours of each pixel of the result and their weights.
pub(super) fn linear_taps(alignment: Alignment, original: usize, result: usize) -> Result<Vec<Taps<2>>> {
    let scale = alignment.scale(original, result);
    let last = original.saturating_sub(1);
    let mut taps = room(result, "pixels")?;
    taps.extend((0..result).map(|i| {
        let at = alignment.place(i, scale);
        let floor = at.floor();
        let lerp = at - floor;
        let upper = (at.ceil().max(0.0) as usize).min(last);
        [((floor.max(0.0) as usize).min(last), 1.0 - lerp), (upper, lerp)]
    }));
    Ok(taps)
}

/// Returns, for each pixel of the original, the pixels of the result that sample it, with their weights, in order.
pub(super) fn transposed<const N: usize>(taps: &[Taps<N>], original: usize) -> Vec<Vec<(usize, f32)>> {
    let mut by_original = vec![Vec::new(); original];
    for (i, taps) in taps.iter().enumerate() {
        for &(at, weight) in taps {
            if let Some(list) = by_original.get_mut(at) {
                list.push((i, weight));
            }
        }
    }
    by_original
}

/// Sizes of the images of a resize: the original's shape and the result's.
pub(super) struct Sizes {
    pub from: Shape,
    pub to: Shape,
}

impl Sizes {
    /// Returns the sizes that a kernel's inputs state: images and the vector of the new height and width.
    pub(super) fn of(images: &Tensor, size: &Tensor) -> Result<Sizes> {
        ensure!(images.rank() == 4, InvalidArgument, "input must be 4-dimensional{}", images.shape());
        let from = images.shape();
        let [h, w] = size_of(size)?;
        ensure!(
            from[1] < i32::MAX as usize && from[2] < i32::MAX as usize,
            InvalidArgument,
            "input sizes must be between 0 and max int32"
        );
        ensure!(h > 0 && w > 0, InvalidArgument, "output dimensions must be positive");
        ensure!(from[3] > 0, InvalidArgument, "image must have at least one channel");
        ensure!(from[1] > 0 && from[2] > 0, InvalidArgument, "input image must be of non-zero size");
        Ok(Sizes { from: from.clone(), to: resized(from, h, w)? })
    }

    /// Returns the number of elements of a row of the original.
    pub(super) fn row(&self) -> usize {
        self.from[2] * self.from[3]
    }

    /// Returns the first element of a row of an image of the original.
    pub(super) fn row_at(&self, image: usize, y: usize) -> usize {
        (image * self.from[1] + y) * self.row()
    }
}

/// Fills the rows of the images `out` of shape `to`: `f(state, image, y, row)` with a state per parallel block of rows.
pub(super) fn for_rows<T: Send, S>(
    threads: Threads,
    to: &Shape,
    out: &mut [T],
    state: impl Fn() -> S + Sync,
    f: impl Fn(&mut S, usize, usize, &mut [T]) + Sync,
) -> Result<()> {
    let (height, row) = (to[1], to[2] * to[3]);
    if out.is_empty() {
        return Ok(());
    }
    try_for_chunks_mut(threads, out, (BLOCK / row).max(1) * row, |start, chunk| {
        let mut state = state();
        for (k, line) in chunk.chunks_exact_mut(row).enumerate() {
            let at = start / row + k;
            f(&mut state, at / height, at % height, line);
        }
    })?;
    Ok(())
}

/// Checks the inputs of a resize's gradient and gives (the resized images' shape, the original's).
pub(super) fn gradient_sizes(ctx: &KernelContext<'_>) -> Result<(Shape, Shape)> {
    let (grads, original) = (ctx.input(0)?, ctx.input(1)?);
    ensure!(grads.rank() == 4, InvalidArgument, "input_grad must be 4-dimensional{}", grads.shape());
    ensure!(grads.dtype() == DType::F32, InvalidArgument, "input_grad must be of type float");
    ensure!(original.rank() == 4, InvalidArgument, "original_image must be 4-dimensional{}", original.shape());
    let (g, o) = (grads.shape(), original.shape());
    ensure!(
        o[1] < i32::MAX as usize && o[2] < i32::MAX as usize,
        InvalidArgument,
        "original sizes must be between 0 and max int32"
    );
    ensure!(o[1] > 0 && o[2] > 0 || g.elements() == 0, InvalidArgument, "original_image must be of non-zero size");
    let shape = Shape::checked(&[g[0] as i64, o[1] as i64, o[2] as i64, g[3] as i64])?;
    Ok((g.clone(), shape))
}

/// Infers the shape of a resize.
pub(super) fn resize_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let images = c.input(0)?.with_rank(4)?;
    sized_images(c, images.dim(0), 1, images.dim(3))
}

/// Sets the result to the shape of the original images, since it is a gradient. TF 1.x: number and channels of the images
/// count as the original's; the kernel has those of the gradient.
pub(super) fn like_original(c: &mut ShapeContext<'_>) -> Result<()> {
    let (grads, original) = (c.input(0)?, c.input(1)?);
    let exact = [grads.dim(0), original.dim(1), original.dim(2), grads.dim(3)];
    let s = if c.is_exact() { PartialShape::from_dims(&exact) } else { original.clone() };
    c.set_output(0, s);
    Ok(())
}

/// Returns the attributes of a resize; TF 1.14 added the second.
pub(super) fn aligned(op: Op) -> Op {
    op.attr("align_corners: bool = false").attr("half_pixel_centers: bool = false")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corners_meet_where_they_are_aligned() {
        let corners = Alignment { corners: true, half_pixel: false };
        let taps = linear_taps(corners, 4, 7).unwrap();
        assert_eq!(taps[0], [(0, 1.0), (0, 0.0)]);
        assert_eq!(taps[6], [(3, 1.0), (3, 0.0)]);
        assert_eq!(taps[1], [(0, 0.5), (1, 0.5)]);
        // One pixel has no distance between corners: the scale is that of the sizes.
        assert_eq!(corners.scale(4, 1), 4.0);
    }

    #[test]
    fn every_tap_is_a_pixel_of_the_original() {
        for half_pixel in [false, true] {
            for corners in [false, true] {
                let a = Alignment { corners, half_pixel };
                for original in 1..20 {
                    for result in 1..40 {
                        assert!(
                            linear_taps(a, original, result).unwrap().iter().flatten().all(|&(at, _)| at < original)
                        );
                        let scale = a.scale(original, result);
                        assert!((0..result).all(|i| a.nearest(i, scale, original) < original));
                    }
                }
            }
        }
    }

    #[test]
    fn the_transposed_taps_are_the_taps() {
        let taps = linear_taps(Alignment { corners: false, half_pixel: true }, 5, 8).unwrap();
        let by_original = transposed(&taps, 5);
        for (i, taps) in taps.iter().enumerate() {
            for &(at, weight) in taps {
                assert!(by_original[at].contains(&(i, weight)));
            }
        }
        assert_eq!(by_original.iter().map(Vec::len).sum::<usize>(), 16);
    }
}
