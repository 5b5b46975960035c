//! AdjustContrast, AdjustContrastv2: the distance of pixels from the mean of their channel, multiplied.

use super::sampling::BLOCK;
use super::shapes::{scalar_f32, unchanged_image};
use ferroflow_graph::{Kernel, KernelContext, KernelInit, Op, Registry, kernel};
use ferroflow_tensor::threads::{Threads, for_chunks_mut, try_for_chunks_mut};
use ferroflow_tensor::vector::on_best_isa;
use ferroflow_tensor::{DType, Result, Tensor, elementwise, ensure, f16};

/// Pixels whose means stand side by side, for loops over whole vectors.
const PIXELS: usize = 64;

/// Sums the channels of `pixels` into the first pixel of `scratch`.
///
/// TF 1.x: the second half of the pixels is added to the first until one is left.
fn sum_channels(threads: Threads, pixels: &[f32], channels: usize, scratch: &mut [f32]) {
    let mut left = pixels.len() / channels;
    let mut first = true;
    while first || left > 1 {
        let right = left / 2;
        left -= right;
        if first {
            let (a, b) = pixels.split_at(left * channels);
            for_chunks_mut(threads, &mut scratch[..right * channels], BLOCK, |start, chunk| {
                for ((to, a), b) in chunk.iter_mut().zip(&a[start..]).zip(&b[start..]) {
                    *to = a + b;
                }
            });
            scratch[right * channels..left * channels].copy_from_slice(&pixels[right * channels..left * channels]);
            first = false;
        } else {
            let (head, tail) = scratch.split_at_mut(left * channels);
            for_chunks_mut(threads, &mut head[..right * channels], BLOCK, |start, chunk| {
                for (to, x) in chunk.iter_mut().zip(&tail[start..]) {
                    *to += x;
                }
            });
        }
    }
}

fn adjust(threads: Threads, x: &[f32], factor: f32, [pixels, channels]: [usize; 2], out: &mut [f32]) -> Result<()> {
    if x.is_empty() {
        return Ok(());
    }
    try_for_chunks_mut(threads, out, pixels * channels, |start, plane| {
        let x = &x[start..start + plane.len()];
        sum_channels(threads, x, channels, plane);
        let scale = 1.0 / pixels as f32;
        let means: Vec<f32> = plane[..channels].iter().map(|sum| sum * scale).collect();
        let means = means.repeat(PIXELS.min(pixels));
        for_chunks_mut(threads, plane, (BLOCK / means.len()).max(1) * means.len(), |start, chunk| {
            let x = &x[start..];
            on_best_isa(|| {
                for (to, x) in chunk.chunks_mut(means.len()).zip(x.chunks(means.len())) {
                    for ((to, x), mean) in to.iter_mut().zip(x).zip(&means) {
                        *to = mean + factor * (x - mean);
                    }
                }
            });
        });
    })?;
    Ok(())
}

fn compute(ctx: &mut KernelContext<'_>) -> Result<()> {
    let x = ctx.input(0)?;
    ensure!(x.rank() >= 3, InvalidArgument, "input must be at least 3-D, got shape{}", x.shape());
    let factor = scalar_f32(ctx.input(1)?, "contrast_factor")?;
    let dims = x.shape().dims();
    let sizes = [dims[dims.len() - 3] * dims[dims.len() - 2], dims[dims.len() - 1]];
    let mut out = Tensor::new(DType::F32, x.shape().clone())?;
    if x.dtype() == DType::F16 {
        let wide: Vec<f32> = x.slice::<f16>()?.iter().map(|x| x.to_f32()).collect();
        adjust(ctx.threads(), &wide, factor, sizes, out.slice_mut()?)?;
        let mut narrow = Tensor::new(DType::F16, x.shape().clone())?;
        for (to, &x) in narrow.slice_mut()?.iter_mut().zip(out.slice::<f32>()?) {
            *to = f16::from_f32(x);
        }
        out = narrow;
    } else {
        adjust(ctx.threads(), x.slice()?, factor, sizes, out.slice_mut()?)?;
    }
    ctx.set_output(0, out);
    Ok(())
}

fn adjusting(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    match init.input_type(0)? {
        DType::F32 | DType::F16 => kernel(compute),
        _ => Err(init.unsupported()),
    }
}

/// Computes the first version, whose pixels may be integers and whose results are kept between two bounds.
fn compute_within(ctx: &mut KernelContext<'_>) -> Result<()> {
    let x = ctx.take(0)?;
    ensure!(x.rank() >= 3, InvalidArgument, "input must be at least 3-D, got shape{}", x.shape());
    let factor = scalar_f32(ctx.input(1)?, "contrast_factor")?;
    let least = scalar_f32(ctx.input(2)?, "min_value")?;
    let most = scalar_f32(ctx.input(3)?, "max_value")?;
    let dims = x.shape().dims();
    let sizes = [dims[dims.len() - 3] * dims[dims.len() - 2], dims[dims.len() - 1]];
    let threads = ctx.threads();
    let x = elementwise::cast(x, DType::F32, threads)?;
    let mut out = Tensor::new(DType::F32, x.shape().clone())?;
    let to = out.slice_mut::<f32>()?;
    adjust(threads, x.slice()?, factor, sizes, to)?;
    // TF 1.x: the lower bound comes last, also where it is above the upper one.
    for_chunks_mut(threads, to, BLOCK, |_, chunk| chunk.iter_mut().for_each(|x| *x = x.min(most).max(least)));
    ctx.set_output(0, out);
    Ok(())
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("AdjustContrast")
            .input("images: T")
            .input("contrast_factor: float")
            .input("min_value: float")
            .input("max_value: float")
            .output("output: float")
            .attr("T: {uint8, int8, int16, int32, int64, float, double}")
            .doc("Multiplies the distance of pixels from the mean of their channel and image, within bounds.")
            .shape(|c| {
                for i in 1..4 {
                    c.input(i)?.with_rank(0)?;
                }
                unchanged_image(c)
            })
            .kernel(|_| kernel(compute_within)),
    );
    r.add(
        Op::new("AdjustContrastv2")
            .input("images: T")
            .input("contrast_factor: float")
            .output("output: T")
            .attr("T: {half, float} = DT_FLOAT")
            .doc("Multiplies the distance of pixels from the mean of their channel and image.")
            .shape(|c| {
                c.input(1)?.with_rank(0)?;
                unchanged_image(c)
            })
            .kernel(adjusting),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::{Arg, run, run_args};
    use ferroflow_tensor::Tensor;

    #[test]
    fn each_channel_of_each_image_keeps_its_mean() {
        let x = Tensor::from_slice([2, 1, 3, 2], &[1f32, 10., 2., 20., 3., 60., 0., 0., 3., 3., 6., 6.]).unwrap();
        let y = run("AdjustContrastv2", &[x, Tensor::scalar(2f32)], &[]).unwrap();
        assert_eq!(y[0].slice::<f32>().unwrap(), [0., -10., 2., 10., 4., 90., -3., -3., 3., 3., 9., 9.]);
        let one = Tensor::from_slice([1, 1, 1], &[4f32]).unwrap();
        assert_eq!(
            run("AdjustContrastv2", &[one, Tensor::scalar(3f32)], &[]).unwrap()[0].slice::<f32>().unwrap(),
            [4.]
        );
    }

    #[test]
    fn the_first_version_takes_integers_and_keeps_bounds() {
        let x = Tensor::from_slice([1, 3, 1], &[1u8, 2, 6]).unwrap();
        let inputs = [x, Tensor::scalar(2f32), Tensor::scalar(0f32), Tensor::scalar(8f32)];
        let y = run("AdjustContrast", &inputs, &[]).unwrap();
        assert_eq!(y[0].slice::<f32>().unwrap(), [0., 1., 8.]);
    }

    #[test]
    fn any_number_of_threads_gives_the_same_bits() {
        let values: Vec<f32> = (0..3 * 101 * 77 * 3).map(|i| (i as f32 * 0.37).sin()).collect();
        let x = Tensor::from_slice([3, 101, 77, 3], &values).unwrap();
        let by = |n| {
            let args = vec![Arg::One(x.clone()), Arg::One(Tensor::scalar(1.7f32))];
            run_args("AdjustContrastv2", args, &[], n).unwrap().values
        };
        assert_eq!(by(4), by(1));
    }
}
