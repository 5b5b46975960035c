//! ResizeBilinear and its gradient: pixels between the four that surround them.

use super::adjoint::adjoint;
use super::pixel::{Pixel, Sum};
use super::sampling::{
    Alignment, Sizes, Taps, aligned, for_rows, gradient_sizes, like_original, linear_taps, resize_shape,
};
use ferroflow_graph::{Kernel, KernelInit, Op, Registry, kernel};
use ferroflow_tensor::threads::Threads;
use ferroflow_tensor::vector::{Loops, loops_on_best_isa};
use ferroflow_tensor::{DType, Result, Scalar, Tensor, bf16, dispatch, f16};
use num_traits::Float;

/// Samples a row of the original at the columns of the result.
fn sample_row<T: Pixel>(from: &[T], columns: &[Taps<2>], channels: usize, to: &mut [f32]) {
    match channels {
        1 => sample_channels::<T, 1>(from, columns, to),
        3 => sample_channels::<T, 3>(from, columns, to),
        4 => sample_channels::<T, 4>(from, columns, to),
        _ => {
            for (to, &[(left, _), (right, lerp)]) in to.chunks_exact_mut(channels).zip(columns) {
                let left = &from[left * channels..(left + 1) * channels];
                let right = &from[right * channels..(right + 1) * channels];
                for ((to, l), r) in to.iter_mut().zip(left).zip(right) {
                    let l = l.to_f32();
                    *to = l + (r.to_f32() - l) * lerp;
                }
            }
        }
    }
}

fn sample_channels<T: Pixel, const C: usize>(from: &[T], columns: &[Taps<2>], to: &mut [f32]) {
    loops_on_best_isa(Row::<T, C> { from, columns, to });
}

/// Samples a row as `sample_row` does, for a number of channels that is a constant for the compiler.
struct Row<'a, T, const C: usize> {
    from: &'a [T],
    columns: &'a [Taps<2>],
    to: &'a mut [f32],
}

impl<T: Pixel, const C: usize> Loops for Row<'_, T, C> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Row { from, columns, to } = self;
        let mut done = 0;
        if C == 3 {
            // As vectors of four, with a value of the next pixel, as far as there is one.
            for &[(left, _), (right, lerp)] in columns {
                // Without checks of overflow: places are inside the rows.
                let [left, right, at] = [left, right, done].map(|pixel: usize| pixel.wrapping_mul(3));
                let (Some(left), Some(right)) = (from[left..].first_chunk(), from[right..].first_chunk()) else {
                    break;
                };
                let Some(to) = to[at..].first_chunk_mut::<4>() else { break };
                *to = between(left, right, lerp);
                done = done.wrapping_add(1);
            }
        }
        let (from, to) = (from.as_chunks::<C>().0, to.as_chunks_mut::<C>().0);
        for (to, &[(left, _), (right, lerp)]) in to[done..].iter_mut().zip(&columns[done..]) {
            *to = between(&from[left], &from[right], lerp);
        }
    }
}

#[inline(always)]
fn between<T: Pixel, const N: usize>(left: &[T; N], right: &[T; N], lerp: f32) -> [f32; N] {
    let mut pixel = [0.0; N];
    for c in 0..N {
        let l = left[c].to_f32();
        pixel[c] = l + (right[c].to_f32() - l) * lerp;
    }
    pixel
}

/// A row of the result from the two rows around it.
struct Line<'a> {
    rows: [&'a [f32]; 2],
    lerp: f32,
    to: &'a mut [f32],
}

impl Loops for Line<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let [top, bottom] = self.rows;
        for ((to, &t), &b) in self.to.iter_mut().zip(top).zip(bottom) {
            *to = t + (b - t) * self.lerp;
        }
    }
}

/// Two rows of the original at the columns of the result, kept from one row of the result to the next.
struct Pair {
    at: [usize; 2],
    rows: [Vec<f32>; 2],
}

impl Pair {
    fn new(row: usize) -> Pair {
        Pair { at: [usize::MAX; 2], rows: [vec![0.0; row], vec![0.0; row]] }
    }

    /// Brings the rows that begin at the two places.
    fn bring<T: Pixel>(&mut self, at: [usize; 2], sample: impl Fn(usize, &mut [f32])) {
        if self.at[0] != at[0] && self.at[1] == at[0] {
            self.at.swap(0, 1);
            self.rows.swap(0, 1);
        }
        for ((kept, row), at) in self.at.iter_mut().zip(&mut self.rows).zip(at) {
            if *kept != at {
                sample(at, row);
                *kept = at;
            }
        }
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
    let rows = linear_taps(alignment, from[1], to[1])?;
    let columns = linear_taps(alignment, from[2], to[2])?;
    let width = to[2] * channels;
    for_rows(
        threads,
        to,
        out,
        || Pair::new(width),
        |pair, image, y, line| {
            let [(top, _), (bottom, lerp)] = rows[y];
            pair.bring::<T>([sizes.row_at(image, top), sizes.row_at(image, bottom)], |at, row| {
                sample_row(&images[at..at + sizes.row()], &columns, channels, row);
            });
            let [top, bottom] = &pair.rows;
            loops_on_best_isa(Line { rows: [top, bottom], lerp, to: line });
        },
    )?;
    Ok(())
}

/// Returns images resized in their own type, float32 or float64.
pub(crate) fn resized_linearly<T: Scalar + Float>(
    threads: Threads,
    images: &Tensor,
    size: &Tensor,
    align_corners: bool,
) -> Result<Tensor> {
    let sizes = Sizes::of(images, size)?;
    let alignment = Alignment { corners: align_corners, half_pixel: false };
    let rows = linear_taps(alignment, sizes.from[1], sizes.to[1])?;
    let columns = linear_taps(alignment, sizes.from[2], sizes.to[2])?;
    let channels = sizes.from[3];
    let (from, mut out) = (images.slice::<T>()?, Tensor::new(T::DTYPE, sizes.to.clone())?);
    let between = |a: T, b: T, lerp: f32| a + (b - a) * T::from(lerp).unwrap_or_else(T::nan);
    for_rows(
        threads,
        &sizes.to,
        out.slice_mut::<T>()?,
        || (),
        |(), image, y, line| {
            let [(top, _), (bottom, by_row)] = rows[y];
            let (top, bottom) = (&from[sizes.row_at(image, top)..], &from[sizes.row_at(image, bottom)..]);
            for (to, &[(left, _), (right, by_column)]) in line.chunks_exact_mut(channels).zip(&columns) {
                for (c, to) in to.iter_mut().enumerate() {
                    let (left, right) = (left * channels + c, right * channels + c);
                    let upper = between(top[left], top[right], by_column);
                    *to = between(upper, between(bottom[left], bottom[right], by_column), by_row);
                }
            }
        },
    )?;
    Ok(out)
}

fn forward(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let alignment = Alignment::of(init)?;
    dispatch!(init.input_type(0)?, T in [I8, U8, I16, U16, I32, I64, BF16, F16, F32, F64], {
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
        let rows = linear_taps(alignment, original[1], resized[1])?;
        let columns = linear_taps(alignment, original[2], resized[2])?;
        let grads = ctx.input(0)?.slice()?;
        let out = adjoint::<T, 2>(ctx.threads(), grads, &resized, original, &rows, &columns)?;
        ctx.set_output(0, out);
        Ok(())
    })
}

fn backward(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let alignment = Alignment::of(init)?;
    match init.input_type(1)? {
        DType::F32 => backward_of::<f32>(alignment),
        DType::F64 => backward_of::<f64>(alignment),
        DType::F16 => backward_of::<f16>(alignment),
        DType::BF16 => backward_of::<bf16>(alignment),
        _ => Err(init.unsupported()),
    }
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        aligned(
            Op::new("ResizeBilinear")
                .input("images: T")
                .input("size: int32")
                .output("resized_images: float")
                .attr("T: {int8, uint8, int16, uint16, int32, int64, bfloat16, half, float, double}"),
        )
        .doc("Resizes images; a pixel is interpolated between the four that surround it.")
        .shape(resize_shape)
        .kernel(forward),
    );
    r.add(
        aligned(
            Op::new("ResizeBilinearGrad")
                .input("grads: float")
                .input("original_image: T")
                .output("output: T")
                .attr("T: {float, bfloat16, half, double}"),
        )
        .doc("Returns the gradient of `ResizeBilinear` by its images.")
        .shape(like_original)
        .kernel(backward),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::{Arg, run_args};
    use ferroflow_graph::AttrValue;
    use ferroflow_tensor::{Code, Result, Tensor};

    fn call(images: &Tensor, size: [i32; 2], corners: bool, half_pixel: bool, threads: usize) -> Result<Tensor> {
        let size = Tensor::from_slice([2], &size).unwrap();
        let attrs = [("align_corners", AttrValue::Bool(corners)), ("half_pixel_centers", AttrValue::Bool(half_pixel))];
        let args = [images.clone(), size].map(Arg::One).into();
        Ok(run_args("ResizeBilinear", args, &attrs, threads)?.values[0].clone())
    }

    #[test]
    fn a_square_grows_by_each_rule_as_tensorflow_has_it() {
        let x = Tensor::from_slice([1, 2, 2, 1], &[0f32, 1., 2., 3.]).unwrap();
        let y = call(&x, [4, 4], false, false, 1).unwrap();
        let legacy = [0., 0.5, 1., 1., 1., 1.5, 2., 2., 2., 2.5, 3., 3., 2., 2.5, 3., 3.];
        assert_eq!(y.slice::<f32>().unwrap(), legacy);
        let y = call(&x, [3, 3], true, false, 1).unwrap();
        assert_eq!(y.slice::<f32>().unwrap(), [0., 0.5, 1., 1., 1.5, 2., 2., 2.5, 3.]);
        let y = call(&x, [4, 4], false, true, 1).unwrap();
        assert_eq!(y.slice::<f32>().unwrap()[..8], [0., 0.25, 0.75, 1., 0.5, 0.75, 1.25, 1.5]);
    }

    /// Compares numbers of channels: three are read as vectors of four, others in other ways.
    #[test]
    fn each_channel_is_resized_as_if_it_were_alone() {
        for (width, size) in [(1, 5), (2, 2), (7, 20), (20, 7), (9, 9)] {
            for (corners, half_pixel) in [(false, false), (true, false), (false, true)] {
                for channels in 1..6 {
                    let value = |y: usize, x: usize, c: usize| ((y * 91 + x * 37 + c * 53) % 251) as u8;
                    let all = (0..6 * width * channels)
                        .map(|i| value(i / channels / width, i / channels % width, i % channels))
                        .collect::<Vec<_>>();
                    let x = Tensor::from_slice([1, 6, width, channels], &all).unwrap();
                    let whole = call(&x, [9, size], corners, half_pixel, 1).unwrap();
                    for c in 0..channels {
                        let one = (0..6 * width).map(|i| value(i / width, i % width, c)).collect::<Vec<_>>();
                        let x = Tensor::from_slice([1, 6, width, 1], &one).unwrap();
                        let y = call(&x, [9, size], corners, half_pixel, 1).unwrap();
                        let part = whole.slice::<f32>().unwrap().iter().skip(c).step_by(channels);
                        assert!(part.eq(y.slice::<f32>().unwrap()), "{width} {size} {channels}");
                    }
                }
            }
        }
    }

    #[test]
    fn any_number_of_threads_gives_the_same_bits() {
        let values: Vec<u8> = (0..2 * 37 * 41 * 3).map(|i| (i * 37 % 251) as u8).collect();
        let x = Tensor::from_slice([2, 37, 41, 3], &values).unwrap();
        let one = call(&x, [300, 211], false, false, 1).unwrap();
        assert_eq!(call(&x, [300, 211], false, false, 4).unwrap(), one);
    }

    #[test]
    fn sizes_that_cannot_be_are_refused() {
        let x = Tensor::from_slice([1, 2, 2, 1], &[0f32, 1., 2., 3.]).unwrap();
        assert!(
            call(&x, [0, 4], false, false, 1).unwrap_err().message().contains("output dimensions must be positive")
        );
        assert!(call(&x, [2, -4], false, false, 1).is_err());
        assert_eq!(call(&x, [i32::MAX, i32::MAX], false, false, 1).unwrap_err().code(), Code::ResourceExhausted);
        assert!(call(&x, [2, 2], true, true, 1).unwrap_err().message().contains("align_corners must be False"));
        let none = Tensor::from_slice([1, 0, 2, 1], &[0f32; 0]).unwrap();
        assert!(call(&none, [2, 2], false, false, 1).unwrap_err().message().contains("non-zero size"));
        let empty = Tensor::from_slice([0, 2, 2, 1], &[0f32; 0]).unwrap();
        assert_eq!(call(&empty, [3, 5], false, false, 1).unwrap().shape().dims(), [0, 3, 5, 1]);
    }
}
