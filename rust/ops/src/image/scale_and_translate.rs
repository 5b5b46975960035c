//! ScaleAndTranslate and its gradient: images sampled by a kernel that can grow with the distance of the samples.

use super::pixel::Pixel;
use super::sampling::{Sizes, for_rows, like_original};
use super::shapes::{resized, sized_images};
use crate::room::room;
use ferroflow_graph::{Kernel, KernelContext, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::threads::Threads;
use ferroflow_tensor::vector::scalar::{exp, sin};
use ferroflow_tensor::{DType, Result, Shape, Tensor, bail, dispatch, ensure};

/// A function of the distance between a sample and a pixel, in pixels: it is 0 beyond `radius`.
#[derive(Clone, Copy)]
struct Window {
    radius: f32,
    weight: fn(f32, f32) -> f32,
}

impl Window {
    fn of(name: &str) -> Result<Window> {
        let (radius, weight): (f32, fn(f32, f32) -> f32) = match name {
            "lanczos1" => (1.0, lanczos),
            "lanczos3" => (3.0, lanczos),
            "lanczos5" => (5.0, lanczos),
            "gaussian" => (1.5, gaussian),
            "box" => (0.5, within_half),
            "triangle" => (1.0, triangle),
            "keyscubic" => (2.0, keys_cubic),
            "mitchellcubic" => (2.0, mitchell_cubic),
            _ => bail!(InvalidArgument, "Unrecognized kernel type: {name}"),
        };
        Ok(Window { radius, weight })
    }

    fn at(self, distance: f32) -> f32 {
        (self.weight)(distance.abs(), self.radius)
    }
}

fn lanczos(x: f32, radius: f32) -> f32 {
    if x > radius {
        return 0.0;
    }
    // Near 0 the quotient of two small numbers would be inexact.
    if x <= 1e-3 {
        return 1.0;
    }
    let (angle, radius) = (std::f64::consts::PI * f64::from(x), f64::from(radius));
    (radius * sin(angle) * sin(angle / radius) / (angle * angle)) as f32
}

fn gaussian(x: f32, radius: f32) -> f32 {
    let deviation = radius / 3.0;
    if x >= radius { 0.0 } else { exp(-x * x / (2.0 * deviation * deviation)) }
}

fn within_half(x: f32, _: f32) -> f32 {
    if x < 0.5 {
        1.0
    } else if x == 0.5 {
        0.5
    } else {
        0.0
    }
}

fn triangle(x: f32, _: f32) -> f32 {
    (1.0 - x).max(0.0)
}

/// Returns a kernel's weight at a distance.
///
/// Source: Keys, "Cubic convolution interpolation for digital image processing", IEEE TASSP 29, 1981.
fn keys_cubic(x: f32, _: f32) -> f32 {
    match x {
        _ if x >= 2.0 => 0.0,
        _ if x >= 1.0 => ((-0.5 * x + 2.5) * x - 4.0) * x + 2.0,
        _ => ((1.5 * x - 2.5) * x) * x + 1.0,
    }
}

/// Returns a kernel's weight at a distance.
///
/// Source: Mitchell, Netravali, "Reconstruction filters in computer graphics", SIGGRAPH 1988; both parameters are 1/3.
fn mitchell_cubic(x: f32, _: f32) -> f32 {
    match x {
        _ if x >= 2.0 => 0.0,
        _ if x >= 1.0 => (((-7.0 / 18.0) * x + 2.0) * x - 10.0 / 3.0) * x + 16.0 / 9.0,
        _ => (((7.0 / 6.0) * x - 2.0) * x) * x + 8.0 / 9.0,
    }
}

/// The pixels that one pixel of the result is a weighted sum of, along one dimension.
type Span = Vec<(usize, f32)>;

/// The scale and translation of one dimension, in pixels.
#[derive(Clone, Copy)]
struct Axis {
    scale: f32,
    translation: f32,
}

/// Returns the span of each pixel of the result. One that lies outside of the original has an empty span.
fn spans(window: Window, antialias: bool, axis: Axis, original: usize, result: usize) -> Result<Vec<Span>> {
    let step = 1.0 / axis.scale;
    let offset = -step * axis.translation;
    let stretch = if antialias { step.max(1.0) } else { 1.0 };
    let reach = window.radius * stretch;
    let last = original as i64 - 1;
    let mut all = room(result, "pixels")?;
    for i in 0..result {
        let sample = (i as f32 + 0.5) * step + offset;
        if !(0.0..=original as f32).contains(&sample) {
            all.push(Span::new());
            continue;
        }
        let first = ((sample - reach - 0.5).ceil() as i64).clamp(0, last);
        let end = ((sample + reach - 0.5).floor() as i64).clamp(0, last);
        let mut span: Span =
            (first..=end).map(|at| (at as usize, window.at((at as f32 + 0.5 - sample) * (1.0 / stretch)))).collect();
        let total: f32 = span.iter().map(|&(_, weight)| weight).sum();
        if total.abs() >= 1000.0 * f32::MIN_POSITIVE {
            let inverse = 1.0 / total;
            span.iter_mut().for_each(|(_, weight)| *weight *= inverse);
        }
        all.push(span);
    }
    Ok(all)
}

/// Returns, for each pixel of the original, the pixels of the result that it is part of, with their weights.
fn transposed(spans: &[Span], original: usize) -> Result<Vec<Span>> {
    let mut all = room(original, "pixels")?;
    all.resize(original, Span::new());
    for (i, span) in spans.iter().enumerate() {
        for &(at, weight) in span {
            all[at].push((i, weight));
        }
    }
    Ok(all)
}

/// Returns the images whose rows and columns are weighted sums of those of `images`: the rows are added up first.
fn gather<T: Pixel>(
    threads: Threads,
    images: &Tensor,
    shape: Shape,
    rows: &[Span],
    columns: &[Span],
) -> Result<Tensor> {
    let from = images.shape().clone();
    let (pixels, channels) = (images.slice::<T>()?, from[3]);
    let width = from[2] * channels;
    let mut out = Tensor::new(DType::F32, shape.clone())?;
    for_rows(
        threads,
        &shape,
        out.slice_mut::<f32>()?,
        || vec![0.0f32; width],
        |sums, image, y, line| {
            sums.fill(0.0);
            for &(row, weight) in &rows[y] {
                let start = (image * from[1] + row) * width;
                for (sum, pixel) in sums.iter_mut().zip(&pixels[start..start + width]) {
                    *sum += weight * pixel.to_f32();
                }
            }
            for (to, span) in line.chunks_exact_mut(channels).zip(columns) {
                to.fill(0.0);
                for &(column, weight) in span {
                    let pixel = &sums[column * channels..(column + 1) * channels];
                    to.iter_mut().zip(pixel).for_each(|(to, sum)| *to += weight * sum);
                }
            }
        },
    )?;
    Ok(out)
}

/// Returns the scale and translation of height and width, inputs `first` and `first + 1`.
fn axes(ctx: &KernelContext<'_>, first: usize) -> Result<[Axis; 2]> {
    let pair = |i: usize, name: &str| -> Result<[f32; 2]> {
        let given = ctx.input(i)?;
        match (given.rank(), given.slice::<f32>()?) {
            (1, &[height, width]) => Ok([height, width]),
            _ => bail!(InvalidArgument, "{name} must be a vector of two numbers, got shape {}", given.shape()),
        }
    };
    let (scale, translation) = (pair(first, "scale")?, pair(first + 1, "translation")?);
    ensure!(scale[0] > 0.0 && scale[1] > 0.0, InvalidArgument, "Scale must be greater than zero.");
    Ok([0, 1].map(|d| Axis { scale: scale[d], translation: translation[d] }))
}

/// Returns the shape of images.
fn checked<'a>(images: &'a Tensor, name: &str) -> Result<&'a Shape> {
    ensure!(images.rank() == 4, InvalidArgument, "{name} must be 4-dimensional{}", images.shape());
    Ok(images.shape())
}

fn forward(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let (window, antialias) = (Window::of(&init.str("kernel_type")?)?, init.bool("antialias")?);
    dispatch!(init.input_type(0)?, T in [I8, U8, I16, U16, I32, I64, BF16, F16, F32, F64], {
        kernel(move |ctx| {
            let images = ctx.input(0)?;
            let Sizes { from, to } = Sizes::of(images, ctx.input(1)?)?;
            let [vertical, horizontal] = axes(ctx, 2)?;
            let rows = spans(window, antialias, vertical, from[1], to[1])?;
            let columns = spans(window, antialias, horizontal, from[2], to[2])?;
            let out = gather::<T>(ctx.threads(), images, to, &rows, &columns)?;
            ctx.set_output(0, out);
            Ok(())
        })
    }, else Err(init.unsupported()))
}

fn backward(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let (window, antialias) = (Window::of(&init.str("kernel_type")?)?, init.bool("antialias")?);
    kernel(move |ctx| {
        let (grads, original) = (ctx.input(0)?, ctx.input(1)?);
        let (of_result, of_original) = (checked(grads, "input_grad")?, checked(original, "original_image")?.clone());
        let [vertical, horizontal] = axes(ctx, 2)?;
        let shape = resized(of_result, of_original[1] as i64, of_original[2] as i64)?;
        // An original without pixels has no spans.
        if shape.elements() == 0 {
            ctx.set_output(0, Tensor::zeros(DType::F32, shape)?);
            return Ok(());
        }
        let rows = spans(window, antialias, vertical, of_original[1], of_result[1])?;
        let columns = spans(window, antialias, horizontal, of_original[2], of_result[2])?;
        let (rows, columns) = (transposed(&rows, of_original[1])?, transposed(&columns, of_original[2])?);
        let out = gather::<f32>(ctx.threads(), grads, shape, &rows, &columns)?;
        ctx.set_output(0, out);
        Ok(())
    })
}

fn forward_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let images = c.input(0)?.with_rank(4)?;
    // TF 1.x: the lengths of `scale` and `translation` are checked in the step.
    sized_images(c, images.dim(0), 1, images.dim(3))
}

/// Returns an op with the attributes that choose the kernel.
fn sampled(op: Op) -> Op {
    op.attr("kernel_type: string = 'lanczos3'").attr("antialias: bool = true")
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        sampled(
            Op::new("ScaleAndTranslate")
                .input("images: T")
                .input("size: int32")
                .input("scale: float")
                .input("translation: float")
                .output("resized_images: float")
                .attr("T: {int8, uint8, int16, uint16, int32, int64, bfloat16, half, float, double}"),
        )
        .doc("Resizes images: scales them and moves them, and samples them by a kernel.")
        .shape(forward_shape)
        .kernel(forward),
    );
    r.add(
        sampled(
            Op::new("ScaleAndTranslateGrad")
                .input("grads: T")
                .input("original_image: T")
                .input("scale: float")
                .input("translation: float")
                .output("output: T")
                .attr("T: {float}"),
        )
        .doc("Returns the gradient of `ScaleAndTranslate` by its images.")
        .shape(like_original)
        .kernel(backward),
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    const WINDOWS: [&str; 8] =
        ["lanczos1", "lanczos3", "lanczos5", "gaussian", "box", "triangle", "keyscubic", "mitchellcubic"];

    #[test]
    fn the_weights_of_a_pixel_within_the_original_add_up_to_one() {
        for name in WINDOWS {
            for (original, result) in [(7, 3), (3, 7), (5, 5), (1, 4)] {
                let axis = Axis { scale: result as f32 / original as f32, translation: 0.0 };
                for span in spans(Window::of(name).unwrap(), true, axis, original, result).unwrap() {
                    let total: f32 = span.iter().map(|&(_, w)| w).sum();
                    assert!((total - 1.0).abs() < 1e-5, "{name}: {total}");
                    assert!(span.iter().all(|&(at, _)| at < original));
                }
            }
        }
    }

    #[test]
    fn the_transposed_spans_have_the_weights_of_the_spans() {
        let axis = Axis { scale: 0.4, translation: 0.7 };
        let spans = spans(Window::of("triangle").unwrap(), true, axis, 9, 4).unwrap();
        let by_original = transposed(&spans, 9).unwrap();
        for (i, span) in spans.iter().enumerate() {
            assert!(span.iter().all(|&(at, weight)| by_original[at].contains(&(i, weight))));
        }
        assert_eq!(by_original.iter().map(Vec::len).sum::<usize>(), spans.iter().map(Vec::len).sum());
    }

    #[test]
    fn a_pixel_outside_of_the_original_has_no_span() {
        let axis = Axis { scale: 1.0, translation: 2.0 };
        let spans = spans(Window::of("triangle").unwrap(), true, axis, 4, 6).unwrap();
        assert!(spans[0].is_empty() && spans[1].is_empty() && !spans[2].is_empty());
    }
}
