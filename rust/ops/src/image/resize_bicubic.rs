//! ResizeBicubic and its gradient: pixels between the sixteen that surround them.

use super::adjoint::adjoint;
use super::pixel::{Pixel, Sum};
use super::sampling::{Alignment, Sizes, Taps, aligned, for_rows, gradient_sizes, like_original, resize_shape};
use crate::room::room;
use ferroflow_graph::{Kernel, KernelInit, Op, Registry, kernel};
use ferroflow_tensor::threads::Threads;
use ferroflow_tensor::vector::on_best_isa;
use ferroflow_tensor::{DType, Result, Tensor, dispatch};

/// TF 1.x: places between pixels are rounded to this many.
const STEPS: i64 = 1 << 10;

/// The cubic's free parameter: TF's own, and Keys' with half-pixel centers.
const TENSION: f64 = -0.75;
const KEYS: f64 = -0.5;

/// Returns the cubic's weight `step`/`STEPS` of a pixel away: of the nearer pixel, and of the one beyond it.
fn weights(step: i64, a: f64) -> [f32; 2] {
    let x = (step as f64 / STEPS as f64) as f32;
    let (x64, beyond) = (f64::from(x), f64::from((f64::from(x) + 1.0) as f32));
    let near = ((a + 2.0) * x64 - (a + 3.0)) * x64 * x64 + 1.0;
    let far = ((a * beyond - 5.0 * a) * beyond + 8.0 * a) * beyond - 4.0 * a;
    [near as f32, far as f32]
}

/// Returns the four neighbours of each pixel of the result and their weights.
fn cubic_taps(alignment: Alignment, original: usize, result: usize) -> Result<Vec<Taps<4>>> {
    let scale = alignment.scale(original, result);
    let last = original as i64 - 1;
    let a = if alignment.half_pixel { KEYS } else { TENSION };
    let mut all = room(result, "pixels")?;
    all.extend((0..result).map(|i| {
        let at = alignment.place(i, scale);
        let floor = at.floor();
        let step = ((at - floor) * STEPS as f32).round_ties_even() as i64;
        let ([near, far], [near_back, far_back]) = (weights(step, a), weights(STEPS - step, a));
        let first = floor as i64 - 1;
        let mut taps = [far, near, near_back, far_back].map(|w| (0, w));
        for (k, tap) in taps.iter_mut().enumerate() {
            let place = first.saturating_add(k as i64);
            let bound = place.clamp(0, last.max(0));
            tap.0 = bound as usize;
            // With half-pixel centers, places outside the image have no weight; otherwise they have the edge's value.
            if alignment.half_pixel && bound != place {
                tap.1 = 0.0;
            }
        }
        if alignment.half_pixel {
            let sum = taps[0].1 + taps[1].1 + taps[2].1 + taps[3].1;
            if sum.abs() >= 1000.0 * f32::MIN_POSITIVE {
                let inverse = 1.0 / sum;
                taps.iter_mut().for_each(|tap| tap.1 *= inverse);
            }
        }
        taps
    }));
    Ok(all)
}

/// Computes the weighted sums of the elements of four lines.
#[inline(always)]
fn blend<T: Pixel>([a, b, c, d]: [&[T]; 4], [wa, wb, wc, wd]: [f32; 4], to: &mut [f32]) {
    for ((((to, a), b), c), d) in to.iter_mut().zip(a).zip(b).zip(c).zip(d) {
        *to = a.to_f32() * wa + b.to_f32() * wb + c.to_f32() * wc + d.to_f32() * wd;
    }
}

/// Computes a line of pixels of `N` channels from those of `from` that surround them.
fn blend_pixels<const N: usize>(from: &[f32], columns: &[Taps<4>], line: &mut [f32]) {
    let (pixels, _) = from.as_chunks::<N>();
    for (to, taps) in line.as_chunks_mut::<N>().0.iter_mut().zip(columns) {
        blend(taps.map(|(at, _)| &pixels[at][..]), taps.map(|tap| tap.1), to);
    }
}

fn resize<T: Pixel>(
    threads: Threads,
    images: &[T],
    sizes: &Sizes,
    alignment: Alignment,
    out: &mut [f32],
) -> Result<()> {
    let (from, to) = (&sizes.from, &sizes.to);
    let channels = from[3];
    let rows = cubic_taps(alignment, from[1], to[1])?;
    let columns = cubic_taps(alignment, from[2], to[2])?;
    for_rows(
        threads,
        to,
        out,
        || vec![0f32; sizes.row()],
        |between, image, y, line| {
            let lines = rows[y].map(|(at, _)| {
                let at = sizes.row_at(image, at);
                &images[at..at + sizes.row()]
            });
            let weights = rows[y].map(|tap| tap.1);
            on_best_isa(|| blend(lines, weights, between));
            match channels {
                1 => blend_pixels::<1>(between, &columns, line),
                3 => blend_pixels::<3>(between, &columns, line),
                4 => blend_pixels::<4>(between, &columns, line),
                _ => {
                    for (to, taps) in line.chunks_exact_mut(channels).zip(&columns) {
                        blend(
                            taps.map(|(at, _)| &between[at * channels..(at + 1) * channels]),
                            taps.map(|tap| tap.1),
                            to,
                        );
                    }
                }
            }
        },
    )?;
    Ok(())
}

fn forward(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let alignment = Alignment::of(init)?;
    dispatch!(init.input_type(0)?, T in [I8, U8, I16, U16, I32, I64, F16, F32, F64], {
        kernel(move |ctx| {
            let images = ctx.input(0)?;
            let sizes = Sizes::of(images, ctx.input(1)?)?;
            let mut out = Tensor::new(DType::F32, sizes.to.clone())?;
            resize(ctx.threads(), images.slice::<T>()?, &sizes, alignment, out.slice_mut()?)?;
            ctx.set_output(0, out);
            Ok(())
        })
    }, else Err(init.unsupported()))
}

fn backward_of<T: Sum>(alignment: Alignment) -> Result<Box<dyn Kernel>> {
    kernel(move |ctx| {
        let (resized, original) = gradient_sizes(ctx)?;
        let rows = cubic_taps(alignment, original[1], resized[1])?;
        let columns = cubic_taps(alignment, original[2], resized[2])?;
        let grads = ctx.input(0)?.slice()?;
        let out = adjoint::<T, 4>(ctx.threads(), grads, &resized, original, &rows, &columns)?;
        ctx.set_output(0, out);
        Ok(())
    })
}

fn backward(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let alignment = Alignment::of(init)?;
    match init.input_type(1)? {
        DType::F32 => backward_of::<f32>(alignment),
        DType::F64 => backward_of::<f64>(alignment),
        _ => Err(init.unsupported()),
    }
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        aligned(
            Op::new("ResizeBicubic")
                .input("images: T")
                .input("size: int32")
                .output("resized_images: float")
                .attr("T: {int8, uint8, int16, uint16, int32, int64, half, float, double}"),
        )
        .doc("Resizes images; a pixel is interpolated by cubics between the sixteen that surround it.")
        .shape(resize_shape)
        .kernel(forward),
    );
    r.add(
        aligned(
            Op::new("ResizeBicubicGrad")
                .input("grads: float")
                .input("original_image: T")
                .output("output: T")
                .attr("T: {float, double}"),
        )
        .doc("Returns the gradient of `ResizeBicubic` by its images.")
        .shape(like_original)
        .kernel(backward),
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_weights_of_a_place_sum_to_one() {
        for half_pixel in [false, true] {
            let alignment = Alignment { corners: false, half_pixel };
            for (original, result) in [(1, 5), (4, 9), (20, 7)] {
                for taps in cubic_taps(alignment, original, result).unwrap() {
                    let sum: f32 = taps.iter().map(|tap| tap.1).sum();
                    assert!((sum - 1.0).abs() < 1e-6 && taps.iter().all(|tap| tap.0 < original));
                }
            }
        }
    }

    #[test]
    fn a_pixel_met_exactly_is_itself() {
        let taps = cubic_taps(Alignment { corners: true, half_pixel: false }, 5, 9).unwrap();
        assert_eq!(taps[4], [(1, 0.0), (2, 1.0), (3, 0.0), (4, 0.0)]);
    }
}
