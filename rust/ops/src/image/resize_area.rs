//! ResizeArea: each pixel is the mean of what it covers of the original.

use super::pixel::Pixel;
use super::sampling::{Alignment, Sizes, for_rows, resize_shape};
use crate::room::room;
use ferroflow_graph::{Kernel, KernelInit, Op, Registry, kernel};
use ferroflow_tensor::threads::Threads;
use ferroflow_tensor::{DType, Result, Tensor, dispatch};
use std::ops::Range;

/// The pixels of the original that a pixel of the result covers, along one dimension.
struct Covers {
    /// By pixel of the result, its part of `weights`.
    pixels: Vec<Range<usize>>,
    /// (pixel of the original, part of it that is covered)
    weights: Vec<(usize, f32)>,
}

fn covers(scale: f32, original: usize, result: usize) -> Result<Covers> {
    let mut weights = room(original.saturating_add(result.saturating_mul(2)), "pixels")?;
    let mut pixels = room(result, "pixels")?;
    for i in 0..result {
        let (begin, end) = (i as f32 * scale, (i + 1) as f32 * scale);
        let (first, last) = (begin.floor() as i64, end.ceil() as i64);
        let at = weights.len();
        for v in first..last.max(first + 1) {
            let next = (v + 1) as f32;
            let part = match ((v as f32) < begin, next > end) {
                (true, true) => scale,
                (true, false) => next - begin,
                (false, true) => end - v as f32,
                (false, false) => 1.0,
            };
            weights.push((v.clamp(0, original as i64 - 1) as usize, part));
        }
        pixels.push(at..weights.len());
    }
    Ok(Covers { pixels, weights })
}

#[inline(always)]
fn add_scaled<T: Pixel>(pixel: &[T], part: f32, sums: &mut [f32]) {
    for (sum, pixel) in sums.iter_mut().zip(pixel) {
        *sum += pixel.to_f32() * part;
    }
}

/// Adds `part` of a line of the original, of `N` channels, to the pixels of the result that cover it.
fn add_pixels<T: Pixel, const N: usize>(original: &[T], columns: &Covers, part: f32, line: &mut [f32]) {
    let (original, _) = original.as_chunks::<N>();
    for (to, cover) in line.as_chunks_mut::<N>().0.iter_mut().zip(&columns.pixels) {
        let mut sums = [0f32; N];
        for &(x, part) in &columns.weights[cover.clone()] {
            add_scaled(&original[x], part, &mut sums);
        }
        to.iter_mut().zip(&sums).for_each(|(to, sum)| *to += sum * part);
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
    let (down, across) = (alignment.scale(from[1], to[1]), alignment.scale(from[2], to[2]));
    let rows = covers(down, from[1], to[1])?;
    let columns = covers(across, from[2], to[2])?;
    let whole = (1.0 / f64::from(down * across)) as f32;
    for_rows(
        threads,
        to,
        out,
        || vec![0f32; channels],
        |sums, image, y, line| {
            line.fill(0.0);
            for &(row, part) in &rows.weights[rows.pixels[y].clone()] {
                let at = sizes.row_at(image, row);
                let pixels = &images[at..at + sizes.row()];
                match channels {
                    1 => add_pixels::<T, 1>(pixels, &columns, part, line),
                    3 => add_pixels::<T, 3>(pixels, &columns, part, line),
                    4 => add_pixels::<T, 4>(pixels, &columns, part, line),
                    _ => {
                        for (to, cover) in line.chunks_exact_mut(channels).zip(&columns.pixels) {
                            sums.fill(0.0);
                            for &(x, part) in &columns.weights[cover.clone()] {
                                add_scaled(&pixels[x * channels..(x + 1) * channels], part, sums);
                            }
                            to.iter_mut().zip(sums.iter()).for_each(|(to, sum)| *to += sum * part);
                        }
                    }
                }
            }
            line.iter_mut().for_each(|x| *x *= whole);
        },
    )?;
    Ok(())
}

fn forward(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let alignment = Alignment::of(init)?;
    dispatch!(init.input_type(0)?, T in [I8, U8, I16, U16, I32, I64, F16, F32, F64, BF16], {
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

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("ResizeArea")
            .input("images: T")
            .input("size: int32")
            .output("resized_images: float")
            .attr("T: {int8, uint8, int16, uint16, int32, int64, half, float, double, bfloat16}")
            .attr("align_corners: bool = false")
            .doc("Resizes images; a pixel is the mean of what it covers of the original.")
            .shape(resize_shape)
            .kernel(forward),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::run;
    use ferroflow_tensor::Tensor;

    #[test]
    fn pixels_are_means_of_what_they_cover() {
        let x = Tensor::from_slice([1, 4, 4, 1], &(0..16).map(|i| i as f32).collect::<Vec<_>>()).unwrap();
        let size = Tensor::from_slice([2], &[2, 2]).unwrap();
        let y = run("ResizeArea", &[x, size], &[]).unwrap();
        assert_eq!(y[0].slice::<f32>().unwrap(), [2.5, 4.5, 10.5, 12.5]);
        let x = Tensor::from_slice([1, 1, 3, 1], &[3i32, 6, 9]).unwrap();
        let size = Tensor::from_slice([2], &[1, 2]).unwrap();
        let y = run("ResizeArea", &[x, size], &[]).unwrap();
        assert_eq!(y[0].slice::<f32>().unwrap(), [4.0, 8.0]);
    }
}
