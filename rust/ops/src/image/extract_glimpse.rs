//! ExtractGlimpse: windows of images, with noise where they reach beyond the image.

use super::sampling::for_rows;
use super::shapes::{dimension_is, same_length, sized_images};
use ferroflow_graph::{AttrMap, Kernel, KernelContext, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_sync::Mutex;
use ferroflow_tensor::philox::{Philox, Words, convert::normals_f32, convert::unit_f32};
use ferroflow_tensor::threads::try_for_chunks_mut;
use ferroflow_tensor::{DType, Result, Shape, Tensor, bail, ensure};

#[derive(Clone, Copy, PartialEq)]
enum Noise {
    Uniform,
    Gaussian,
    Zero,
}

#[derive(Clone, Copy)]
struct Attrs {
    centered: bool,
    normalized: bool,
    noise: Noise,
}

impl Attrs {
    fn of(attrs: &AttrMap) -> Result<Attrs> {
        let noise = match (attrs.str("noise")?.as_str(), attrs.bool("uniform_noise")?) {
            ("uniform" | "", true) => Noise::Uniform,
            // TF before 1.14 has only `uniform_noise`; in saved graphs `noise` then has its default.
            ("uniform" | "", false) | ("gaussian", false) => Noise::Gaussian,
            ("zero", false) => Noise::Zero,
            ("gaussian" | "zero", true) => {
                bail!(InvalidArgument, "The uniform_noise and noise should not be specified at the same time")
            }
            (other, _) => bail!(InvalidArgument, "unknown noise {other}"),
        };
        Ok(Attrs { centered: attrs.bool("centered")?, normalized: attrs.bool("normalized")?, noise })
    }
}

/// The part of a window that lies on the image, along one dimension: where it begins in the image and in the window.
struct Part {
    image: usize,
    window: usize,
    length: usize,
    whole: bool,
}

/// Returns the part of a window inside the image. TF 1.x: a window that begins before the image shows it at its end,
/// even if longer than the image.
fn part(attrs: Attrs, offset: f32, size: usize, window: usize) -> Part {
    let (full, length) = (size as f32, window as f32);
    let mut at = if attrs.normalized { offset * full } else { offset };
    if attrs.centered {
        at = at / 2.0 + full / 2.0;
    }
    let at = (at - length / 2.0) as i64;
    let (n, w) = (size as i64, window as i64);
    if at < 0 {
        let seen = w.saturating_add(at).max(0);
        return Part { image: 0, window: (w - seen) as usize, length: seen.min(n) as usize, whole: false };
    }
    let end = at.saturating_add(w);
    let seen = if end >= n { n.saturating_sub(at).max(0) } else { w };
    Part { image: at.min(n) as usize, window: 0, length: seen as usize, whole: end < n }
}

/// Returns the statistics that the noise of one image is drawn from. These are least and largest value, mean and
/// deviation of each channel.
fn statistics(image: &[f32], depth: usize) -> Vec<[f32; 4]> {
    let count = (image.len() / depth).max(1) as f32;
    (0..depth)
        .map(|c| {
            let channel = || image.iter().skip(c).step_by(depth);
            let mean = channel().sum::<f32>() / count;
            let variance = channel().map(|x| (x - mean) * (x - mean)).sum::<f32>() / count;
            let low = channel().copied().fold(f32::INFINITY, f32::min);
            let high = channel().copied().fold(f32::NEG_INFINITY, f32::max);
            if image.is_empty() { [0.0; 4] } else { [low, high, mean, variance.sqrt()] }
        })
        .collect()
}

fn fill(noise: Noise, source: Philox, image: &[f32], depth: usize, window: &mut [f32]) {
    if noise == Noise::Zero {
        window.fill(0.0);
        return;
    }
    let statistics = statistics(image, depth);
    let mut words = Words::new(source);
    if noise == Noise::Uniform {
        let low = statistics.iter().map(|s| s[0]).fold(f32::INFINITY, f32::min);
        let high = statistics.iter().map(|s| s[1]).fold(f32::NEG_INFINITY, f32::max);
        for x in window {
            *x = low + unit_f32(words.next_u32()) * (high - low);
        }
        return;
    }
    for (pair, x) in window.chunks_mut(2).enumerate() {
        let first = words.next_u32();
        let draws = normals_f32(first, words.next_u32());
        for (k, (x, draw)) in x.iter_mut().zip(draws).enumerate() {
            let [low, high, mean, deviation] = statistics[(pair * 2 + k) % depth];
            *x = (mean + draw * deviation).min(high).max(low);
        }
    }
}

fn glimpse(ctx: &mut KernelContext<'_>, attrs: Attrs, stream: &Mutex<Philox>) -> Result<()> {
    let (x, size, offsets) = (ctx.input(0)?, ctx.input(1)?, ctx.input(2)?);
    ensure!(
        x.rank() == 4,
        InvalidArgument,
        "input must be 4-dimensional (batch_size, height, width, depth){}",
        x.shape()
    );
    let from = x.shape();
    let [h, w] = match size.to_i64s()?[..] {
        [h, w] if size.rank() == 1 => [h, w],
        _ => bail!(InvalidArgument, "input must be a vector of size 2 (height, width){}", size.shape()),
    };
    ensure!(offsets.rank() == 2, InvalidArgument, "input must be a matrix{}", offsets.shape());
    ensure!(offsets.shape()[0] == from[0], InvalidArgument, "first dimension should be batch{}", offsets.shape());
    ensure!(offsets.shape()[1] == 2, InvalidArgument, "second dimension should be of size 2 (y,x){}", offsets.shape());
    let to = Shape::checked(&[from[0] as i64, h, w, from[3] as i64])?;
    let mut out = Tensor::new(DType::F32, to.clone())?;
    let (depth, window) = (to[3], to[1] * to[2] * to[3]);
    if out.elements() > 0 {
        let places: Vec<[Part; 2]> = offsets
            .slice::<f32>()?
            .chunks_exact(2)
            .map(|at| [part(attrs, at[0], from[1], to[1]), part(attrs, at[1], from[2], to[2])])
            .collect();
        let blocks = window.div_ceil(4) as u64;
        let base = stream.lock().reserve(blocks.saturating_mul(from[0] as u64));
        let pixels = x.slice::<f32>()?;
        let plane = from[1] * from[2] * depth;
        let threads = ctx.threads();
        try_for_chunks_mut(threads, out.slice_mut::<f32>()?, window, |start, to| {
            let image = start / window;
            if !places[image].iter().all(|part| part.whole) {
                let source = base.skipped(blocks * image as u64);
                fill(attrs.noise, source, &pixels[image * plane..(image + 1) * plane], depth, to);
            }
        })?;
        for_rows(
            threads,
            &to,
            out.slice_mut::<f32>()?,
            || (),
            |(), image, y, line| {
                let [rows, columns] = &places[image];
                if !(rows.window..rows.window + rows.length).contains(&y) {
                    return;
                }
                let at = ((image * from[1] + rows.image + y - rows.window) * from[2] + columns.image) * depth;
                let length = columns.length * depth;
                line[columns.window * depth..][..length].copy_from_slice(&pixels[at..at + length]);
            },
        )?;
    }
    ctx.set_output(0, out);
    Ok(())
}

fn extract(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let attrs = Attrs::of(init)?;
    // The op has no seeds. TF seeds by the clock here, and the step could not be repeated.
    let stream = Mutex::new(Philox::new(0, 0));
    kernel(move |ctx| glimpse(ctx, attrs, &stream))
}

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    Attrs::of(c)?;
    let input = c.input(0)?.with_rank(4)?;
    let offsets = c.input(2)?.with_rank(2)?;
    let batch = same_length(&input, &offsets)?;
    dimension_is(&offsets, 1, 2)?;
    sized_images(c, batch, 1, input.dim(3))
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("ExtractGlimpse")
            .input("input: float")
            .input("size: int32")
            .input("offsets: float")
            .output("glimpse: float")
            .attr("centered: bool = true")
            .attr("normalized: bool = true")
            .attr("uniform_noise: bool = true")
            .attr("noise: string = 'uniform'")
            .doc("Cuts a window out of each image; what lies beyond the image is noise like its pixels.")
            .shape(shape)
            .kernel(extract),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::run;
    use ferroflow_graph::AttrValue;
    use ferroflow_tensor::Tensor;

    fn call(size: [i32; 2], offset: [f32; 2], noise: &str) -> Vec<f32> {
        let x = Tensor::from_slice([1, 3, 3, 1], &[1f32, 2., 3., 4., 5., 6., 7., 8., 9.]).unwrap();
        let size = Tensor::from_slice([2], &size).unwrap();
        let offset = Tensor::from_slice([1, 2], &offset).unwrap();
        let attrs = [
            ("uniform_noise", AttrValue::Bool(noise == "uniform")),
            ("noise", AttrValue::Str(noise.into())),
            ("normalized", AttrValue::Bool(false)),
        ];
        run("ExtractGlimpse", &[x, size, offset], &attrs).unwrap()[0].slice::<f32>().unwrap().to_vec()
    }

    #[test]
    fn a_window_inside_shows_the_image() {
        assert_eq!(call([1, 1], [0., 0.], "uniform"), [5.]);
        assert_eq!(call([3, 3], [0., 0.], "zero"), [1., 2., 3., 4., 5., 6., 7., 8., 9.]);
    }

    #[test]
    fn a_window_that_reaches_out_has_noise_there() {
        assert_eq!(call([3, 3], [-2., 0.], "zero"), [0., 0., 0., 1., 2., 3., 4., 5., 6.]);
        for noise in ["uniform", "gaussian"] {
            let y = call([3, 3], [2., 0.], noise);
            assert_eq!(y[..6], [4., 5., 6., 7., 8., 9.]);
            assert!(y[6..].iter().all(|x| (1.0..=9.0).contains(x)));
            assert_eq!(call([3, 3], [2., 0.], noise), y);
        }
        for far in [1e30, -1e30, f32::NAN, f32::INFINITY] {
            assert_eq!(call([2, 5], [far, far], "uniform").len(), 10);
        }
    }
}
