//! ResizeNearestNeighbor and its gradient: each pixel is that of the original that lies next to it.

use super::pixel::Sum;
use super::sampling::{Alignment, Sizes, aligned, for_rows, resize_shape};
use super::shapes::{known_size, resized, size_of};
use crate::room::room;
use ferroflow_graph::{Kernel, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::threads::Threads;
use ferroflow_tensor::{Movable, PartialShape, Result, Shape, Tensor, by_size, dispatch, ensure};

/// Sizes from which f32 does not distinguish neighbouring pixels.
const LIMIT: usize = 1 << 24;

fn resize<E: Movable>(
    threads: Threads,
    images: &[E],
    sizes: &Sizes,
    alignment: Alignment,
    out: &mut [E],
) -> Result<()> {
    let (from, to) = (&sizes.from, &sizes.to);
    let channels = from[3];
    let rows = alignment.nearest_of_all(from[1], to[1])?;
    let mut columns = alignment.nearest_of_all(from[2], to[2])?;
    columns.iter_mut().for_each(|x| *x *= channels);
    for_rows(
        threads,
        to,
        out,
        || (),
        |(), image, y, line| {
            let at = sizes.row_at(image, rows[y]);
            let from = &images[at..at + sizes.row()];
            if channels == 1 {
                for (to, &x) in line.iter_mut().zip(&columns) {
                    *to = from[x].clone();
                }
                return;
            }
            for (to, &x) in line.chunks_exact_mut(channels).zip(&columns) {
                to.clone_from_slice(&from[x..x + channels]);
            }
        },
    )?;
    Ok(())
}

fn forward(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let alignment = Alignment::of(init)?;
    kernel(move |ctx| {
        let images = ctx.input(0)?;
        let sizes = Sizes::of(images, ctx.input(1)?)?;
        ensure!(
            sizes.from[1] < LIMIT && sizes.from[2] < LIMIT,
            InvalidArgument,
            "nearest neighbor requires max height & width of 2^24"
        );
        let mut out = Tensor::new(images.dtype(), sizes.to.clone())?;
        by_size!(images.dtype(), E, {
            resize(ctx.threads(), E::view(images)?, &sizes, alignment, E::view_mut(&mut out)?)
        })?;
        ctx.set_output(0, out);
        Ok(())
    })
}

/// Computes the gradient of images of shape `to` from that of the images they were resized to.
fn backward_into<T: Sum>(
    threads: Threads,
    grads: &[T],
    from: &Shape,
    alignment: Alignment,
    to: &Shape,
    out: &mut [T],
) -> Result<()> {
    let channels = from[3];
    let mut rows = room(to[1], "pixels")?;
    rows.resize(to[1], Vec::new());
    for (y, at) in alignment.nearest_of_all(to[1], from[1])?.into_iter().enumerate() {
        rows[at].push(y);
    }
    let mut columns = alignment.nearest_of_all(to[2], from[2])?;
    columns.iter_mut().for_each(|x| *x *= channels);
    let width = from[2] * channels;
    for_rows(
        threads,
        to,
        out,
        || vec![T::Total::default(); to[2] * channels],
        |totals, image, y, line| {
            totals.fill(T::Total::default());
            for &gy in &rows[y] {
                let at = (image * from[1] + gy) * width;
                for (grads, &x) in grads[at..at + width].chunks_exact(channels).zip(&columns) {
                    for (total, &g) in totals[x..x + channels].iter_mut().zip(grads) {
                        *total += g.widen();
                    }
                }
            }
            for (to, &total) in line.iter_mut().zip(totals.iter()) {
                *to = T::narrow(total);
            }
        },
    )?;
    Ok(())
}

fn backward(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let alignment = Alignment::of(init)?;
    dispatch!(init.input_type(0)?, T in [U8, I8, I32, F16, F32, F64], {
        kernel(move |ctx| {
            let grads = ctx.input(0)?;
            ensure!(grads.rank() == 4, InvalidArgument, "input must be 4-dimensional{}", grads.shape());
            let [h, w] = size_of(ctx.input(1)?)?;
            ensure!(h > 0 && w > 0, InvalidArgument, "shape_t's elements must be positive");
            let from = grads.shape();
            let to = resized(from, h, w)?;
            let mut out = Tensor::new(grads.dtype(), to.clone())?;
            backward_into::<T>(ctx.threads(), grads.slice()?, from, alignment, &to, out.slice_mut()?)?;
            ctx.set_output(0, out);
            Ok(())
        })
    }, else Err(init.unsupported()))
}

fn backward_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let grads = c.input(0)?.with_rank(4)?;
    let [h, w] = known_size(c, 1)?;
    c.set_output(0, PartialShape::from_dims(&[grads.dim(0), h, w, grads.dim(3)]));
    Ok(())
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        aligned(
            Op::new("ResizeNearestNeighbor")
                .input("images: T")
                .input("size: int32")
                .output("resized_images: T")
                .attr("T: {int8, uint8, int16, uint16, int32, int64, half, float, double, bfloat16}"),
        )
        .doc("Resizes images; a pixel is the nearest of the original.")
        .shape(resize_shape)
        .kernel(forward),
    );
    r.add(
        aligned(
            Op::new("ResizeNearestNeighborGrad")
                .input("grads: T")
                .input("size: int32")
                .output("output: T")
                .attr("T: {uint8, int8, int32, half, float, double}"),
        )
        .doc("Returns the gradient of `ResizeNearestNeighbor` by its images.")
        .shape(backward_shape)
        .kernel(backward),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::run;
    use ferroflow_graph::AttrValue;
    use ferroflow_tensor::Tensor;

    #[test]
    fn pixels_are_copied_and_their_gradients_collected() {
        let x = Tensor::from_slice([1, 2, 3, 1], &[1u8, 2, 3, 4, 5, 6]).unwrap();
        let size = |h: i32, w: i32| Tensor::from_slice([2], &[h, w]).unwrap();
        let y = run("ResizeNearestNeighbor", &[x, size(3, 4)], &[]).unwrap();
        assert_eq!(y[0].slice::<u8>().unwrap(), [1, 1, 2, 3, 1, 1, 2, 3, 4, 4, 5, 6]);
        let g = Tensor::from_slice([1, 3, 4, 1], &[1f32; 12]).unwrap();
        let back = run("ResizeNearestNeighborGrad", &[g, size(2, 3)], &[]).unwrap();
        assert_eq!(back[0].slice::<f32>().unwrap(), [4., 2., 2., 2., 1., 1.]);
    }

    #[test]
    fn aligned_corners_round_half_up() {
        let x = Tensor::from_slice([1, 1, 2, 1], &[1i32, 2]).unwrap();
        let size = Tensor::from_slice([2], &[1, 3]).unwrap();
        let y = run("ResizeNearestNeighbor", &[x, size], &[("align_corners", AttrValue::Bool(true))]).unwrap();
        assert_eq!(y[0].slice::<i32>().unwrap(), [1, 2, 2]);
    }

    #[test]
    fn channels_of_nothing_are_refused() {
        let x = Tensor::from_slice([1, 2, 2, 0], &[0f32; 0]).unwrap();
        let size = Tensor::from_slice([2], &[3, 3]).unwrap();
        assert!(run("ResizeNearestNeighbor", &[x.clone(), size.clone()], &[]).is_err());
        assert_eq!(run("ResizeNearestNeighborGrad", &[x, size], &[]).unwrap()[0].shape().dims(), [1, 3, 3, 0]);
    }
}
