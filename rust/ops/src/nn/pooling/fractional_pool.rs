//! FractionalMaxPool, FractionalAvgPool: pooling over regions whose random sizes make up a ratio that need not be whole; and
//! their gradients.
//!
//! Source: Graham, "Fractional max-pooling", 2015.

use super::windows::check_shape;
use ferroflow_graph::{AttrMap, Kernel, KernelContext, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::philox::{Philox, Words};
use ferroflow_tensor::pooling::{Averaged, Member, Patches, Pooled, first_max_of, max_of, mean_of};
use ferroflow_tensor::threads::{Threads, try_for_chunks_mut};
use ferroflow_tensor::{PartialShape, Result, Scalar, Shape, Tensor, bail, dispatch, ensure};
use std::ops::Range;

/// Elements of one parallel block, as near as whole rows allow.
const BLOCK: usize = 1 << 14;

struct Fraction {
    ratio: Vec<f32>,
    pseudo_random: bool,
    overlapping: bool,
    seeds: Option<(i64, i64)>,
}

impl Fraction {
    fn of(init: &KernelInit<'_>) -> Result<Fraction> {
        let ratio = ratio(init)?;
        let (seed, seed2) = (init.int("seed")?, init.int("seed2")?);
        let seeds = if init.bool("deterministic")? {
            // One draw for all runs, unless a seed is given.
            Some(if seed == 0 && seed2 == 0 { fresh_seeds() } else { (seed, seed2) })
        } else {
            ensure!(
                seed == 0 && seed2 == 0,
                InvalidArgument,
                "Both seed and seed2 should be 0 if deterministic is false."
            );
            None
        };
        let (pseudo_random, overlapping) = (init.bool("pseudo_random")?, init.bool("overlapping")?);
        Ok(Fraction { ratio, pseudo_random, overlapping, seeds })
    }

    /// Returns the pooled shape and the borders of the rows and of the columns.
    fn regions(&self, input: &Shape) -> Result<(Shape, [Vec<i64>; 2])> {
        ensure!(input.rank() == 4, InvalidArgument, "tensor_in must be 4-dimensional");
        let mut pooled = [0usize; 4];
        for ((p, &size), &ratio) in pooled.iter_mut().zip(input.dims()).zip(&self.ratio) {
            *p = pooled_size(size, ratio);
        }
        ensure!(
            pooled.iter().all(|&p| p > 0) || input.elements() == 0,
            InvalidArgument,
            "fractional pooling leaves nothing of {input}"
        );
        let (seed, seed2) = self.seeds.unwrap_or((0, 0));
        let mut stream = Philox::of_op(seed, seed2);
        let rows = self.borders(input[1], pooled[1], &mut stream);
        let columns = self.borders(input[2], pooled[2], &mut stream);
        Ok((Shape::new(&pooled), [rows, columns]))
    }

    fn borders(&self, input: usize, output: usize, stream: &mut Philox) -> Vec<i64> {
        if output == 0 {
            return vec![0];
        }
        let sizes = if self.pseudo_random {
            pseudo_random_sizes(input, output, stream)
        } else {
            random_sizes(input, output, stream)
        };
        let mut border = 0;
        std::iter::once(0)
            .chain(sizes.into_iter().map(|size| {
                border += size;
                border
            }))
            .collect()
    }
}

fn fresh_seeds() -> (i64, i64) {
    let mut words = Words::new(Philox::of_op(0, 0));
    // Never both 0, which would mean unseeded.
    (words.next_u64() as i64, words.next_u64() as i64 | 1)
}

/// Returns the ratios of all dimensions.
fn ratios(attrs: &AttrMap) -> Result<Vec<f32>> {
    let ratio = attrs.floats("pooling_ratio")?;
    ensure!(ratio.len() == 4, InvalidArgument, "pooling_ratio field must specify 4 dimensions");
    Ok(ratio)
}

/// Returns the ratios, if regions are within images and channels. TF 1.x: the static shape does not depend on that.
fn ratio(attrs: &AttrMap) -> Result<Vec<f32>> {
    let ratio = ratios(attrs)?;
    ensure!(ratio.iter().all(|&r| r >= 1.0), InvalidArgument, "pooling_ratio cannot be smaller than 1, got: {ratio:?}");
    ensure!(
        ratio[0] == 1.0 && ratio[3] == 1.0,
        Unimplemented,
        "Fractional pooling is not yet supported on the batch nor channel dimension."
    );
    Ok(ratio)
}

fn pooled_size(size: usize, ratio: f32) -> usize {
    (size as f32 / ratio).floor() as usize
}

/// Borders at `ceil(alpha * (i + u))` for one random `u` that keeps all sizes next to each other.
fn pseudo_random_sizes(input: usize, output: usize, stream: &mut Philox) -> Vec<i64> {
    let alpha = input as f64 / output as f64;
    let k = (input / output) as f64;
    // The bounds by the first and the last region.
    let first = (k + 2.0) / alpha - 1.0;
    let last = (input as f64 + 1.0 - k) / alpha - (output as f64 - 1.0);
    let u = Words::new(stream.reserve(1)).next_f64() * first.min(last);
    let border = |i: usize| match i {
        0 => 1,
        i if i == output => input as i64 + 1,
        i => (alpha * (i as f64 + u)).ceil() as i64,
    };
    (0..output).map(|i| border(i + 1) - border(i)).collect()
}

/// Returns the whole part of the ratio, and one more as often as it takes, shuffled.
fn random_sizes(input: usize, output: usize, stream: &mut Philox) -> Vec<i64> {
    let mut sizes: Vec<i64> = (0..output).map(|i| (input / output + usize::from(i < input % output)) as i64).collect();
    let mut words = Words::new(stream.reserve(output.div_ceil(4) as u64));
    for i in 0..output - 1 {
        sizes.swap(i, i + (words.next_u32() % (output - i) as u32) as usize);
    }
    sizes
}

/// The regions of an image as ranges of its rows and columns.
struct Regions {
    rows: Vec<Range<usize>>,
    columns: Vec<Range<usize>>,
    in_rows: usize,
    in_columns: usize,
    channels: usize,
}

impl Regions {
    fn new(input: &Shape, borders: [&[i64]; 2], overlapping: bool) -> Result<Regions> {
        ensure!(
            input[1].checked_mul(input[2]).is_some_and(|n| u32::try_from(n).is_ok()),
            ResourceExhausted,
            "fractional pooling of images with more than {} places: {input}",
            u32::MAX
        );
        Ok(Regions {
            rows: ranges(borders[0], input[1], overlapping)?,
            columns: ranges(borders[1], input[2], overlapping)?,
            in_rows: input[1],
            in_columns: input[2],
            channels: input[3],
        })
    }

    /// Returns the region at a row and column, as one window whose places are those in the image.
    fn patch<'a>(&self, image: usize, row: usize, column: usize, members: &'a mut Vec<Member>) -> Patches<'a> {
        members.clear();
        for r in self.rows[row].clone() {
            members.extend(self.columns[column].clone().map(|c| {
                let place = r * self.in_columns + c;
                let at = (image * self.in_rows * self.in_columns + place) * self.channels;
                Member { at, beside: at, place: place as u32 }
            }));
        }
        Patches::one(members, self.channels)
    }

    fn for_each<T: Send>(
        &self,
        threads: Threads,
        out: &mut [T],
        f: impl Fn(Patches<'_>, &mut [T]) + Sync,
    ) -> Result<()> {
        let width = self.columns.len() * self.channels;
        if width == 0 {
            return Ok(());
        }
        try_for_chunks_mut(threads, out, (BLOCK / width).max(1) * width, |start, block| {
            let mut members = Vec::new();
            for (row, line) in (start / width..).zip(block.chunks_exact_mut(width)) {
                for (column, cell) in line.chunks_exact_mut(self.channels).enumerate() {
                    f(self.patch(row / self.rows.len(), row % self.rows.len(), column, &mut members), cell);
                }
            }
        })?;
        Ok(())
    }

    /// Calls `f(region, at, base, gradient)` for each region, with the gradient of its image, which starts at `base`.
    fn scatter<T: Send>(
        &self,
        threads: Threads,
        gradient: &mut [T],
        f: impl Fn(Patches<'_>, Range<usize>, usize, &mut [T]) + Sync,
    ) -> Result<()> {
        let image_size = self.in_rows * self.in_columns * self.channels;
        if image_size == 0 {
            return Ok(());
        }
        try_for_chunks_mut(threads, gradient, image_size, |base, own| {
            let (image, mut members) = (base / image_size, Vec::new());
            for row in 0..self.rows.len() {
                for column in 0..self.columns.len() {
                    let at = ((image * self.rows.len() + row) * self.columns.len() + column) * self.channels;
                    f(self.patch(image, row, column, &mut members), at..at + self.channels, base, own);
                }
            }
        })?;
        Ok(())
    }
}

/// Returns the elements of each region between borders, which may come from a user.
fn ranges(borders: &[i64], size: usize, overlapping: bool) -> Result<Vec<Range<usize>>> {
    borders
        .windows(2)
        .map(|pair| {
            let (Ok(start), Ok(end)) = (usize::try_from(pair[0]), usize::try_from(pair[1])) else {
                bail!(InvalidArgument, "pooling sequence has the negative border {}", pair[0].min(pair[1]));
            };
            let end = end.saturating_add(usize::from(overlapping)).min(size);
            ensure!(
                start < end,
                InvalidArgument,
                "pooling sequence has the region [{}, {}), which holds no element of {size}",
                pair[0],
                pair[1]
            );
            Ok(start..end)
        })
        .collect()
}

/// An element type whose means are computed as TF 1.x does: of integers rounded to zero.
trait Mean: Scalar {
    fn mean(x: &[Self], region: Patches<'_>, out: &mut [Self]);
    fn to_f64(self) -> f64;
    fn of_f64(value: f64) -> Self;
}

fn mean_of_floats<T: Averaged>(x: &[T], region: Patches<'_>, out: &mut [T]) {
    mean_of(x, region, out);
}

macro_rules! means {
    ($($t:ident: $mean:expr;)*) => {$(
        impl Mean for $t {
            fn mean(x: &[$t], region: Patches<'_>, out: &mut [$t]) {
                let mean: fn(&[$t], Patches<'_>, &mut [$t]) = $mean;
                mean(x, region, out)
            }
            fn to_f64(self) -> f64 {
                self as f64
            }
            fn of_f64(value: f64) -> $t {
                value as $t
            }
        }
    )*};
}

macro_rules! mean_of_integers {
    ($t:ident) => {
        |x, region, out| {
            for (channel, out) in out.iter_mut().enumerate() {
                let sum = region.members.iter().fold(0, |sum: $t, m| sum.wrapping_add(x[m.at + channel]));
                *out = sum / region.members.len() as $t;
            }
        }
    };
}

means! {
    f32: mean_of_floats;
    f64: mean_of_floats;
    i32: mean_of_integers!(i32);
    i64: mean_of_integers!(i64);
}

fn forward<T: Scalar>(
    ctx: &mut KernelContext<'_>,
    fraction: &Fraction,
    f: impl Fn(&[T], Patches<'_>, &mut [T]) + Sync,
) -> Result<()> {
    let x = ctx.input(0)?;
    let (pooled, borders) = fraction.regions(x.shape())?;
    let regions = Regions::new(x.shape(), [&borders[0], &borders[1]], fraction.overlapping)?;
    let mut y = Tensor::new(x.dtype(), pooled)?;
    let x = x.slice::<T>()?;
    regions.for_each(ctx.threads(), y.slice_mut::<T>()?, |region, out| f(x, region, out))?;
    ctx.set_output(0, y);
    for (i, borders) in borders.iter().enumerate() {
        ctx.set_output(i + 1, Tensor::from_slice([borders.len()], borders)?);
    }
    Ok(())
}

/// Returns the regions that inputs `first` and `first + 1` describe, and the pooled shape.
fn given_regions(ctx: &KernelContext<'_>, input: &Shape, first: usize, overlapping: bool) -> Result<(Regions, Shape)> {
    ensure!(input.rank() == 4, InvalidArgument, "orig_input must be 4-dimensional");
    let borders = [ctx.input(first)?, ctx.input(first + 1)?];
    for b in borders {
        ensure!(
            b.rank() == 1 && b.elements() > 0,
            InvalidArgument,
            "pooling sequences must be vectors, got shape {}",
            b.shape()
        );
    }
    let regions = Regions::new(input, [borders[0].slice()?, borders[1].slice()?], overlapping)?;
    let pooled = Shape::new(&[input[0], regions.rows.len(), regions.columns.len(), input[3]]);
    Ok((regions, pooled))
}

fn max_pool(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let fraction = Fraction::of(init)?;
    dispatch!(init.output_type(0)?, T in [F32, F64, I32, I64], {
        kernel(move |ctx| forward::<T>(ctx, &fraction, max_of::<T>))
    }, else Err(init.unsupported()))
}

fn avg_pool(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let fraction = Fraction::of(init)?;
    dispatch!(init.output_type(0)?, T in [F32, F64, I32, I64], {
        kernel(move |ctx| forward::<T>(ctx, &fraction, <T as Mean>::mean))
    }, else Err(init.unsupported()))
}

fn max_pool_grad(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let overlapping = init.bool("overlapping")?;
    dispatch!(init.output_type(0)?, T in [F32, F64, I32, I64], {
        kernel(move |ctx| {
            let x = ctx.input(0)?;
            let (regions, pooled) = given_regions(ctx, x.shape(), 3, overlapping)?;
            check_shape("orig_output", ctx.input(1)?, &pooled)?;
            check_shape("out_backprop", ctx.input(2)?, &pooled)?;
            let mut gx = Tensor::zeros_by(ctx.threads(), x.dtype(), x.shape().clone())?;
            let (x, g) = (x.slice::<T>()?, ctx.input(2)?.slice::<T>()?);
            regions.scatter(ctx.threads(), gx.slice_mut::<T>()?, |region, at, _, gx| {
                let mut places = vec![0; at.len()];
                first_max_of(x, region, &mut places);
                for (channel, (place, &g)) in places.into_iter().zip(&g[at]).enumerate() {
                    let to = &mut gx[place as usize * region.len + channel];
                    *to = to.plus(g);
                }
            })?;
            ctx.set_output(0, gx);
            Ok(())
        })
    }, else Err(init.unsupported()))
}

fn avg_pool_grad(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let overlapping = init.bool("overlapping")?;
    dispatch!(init.output_type(0)?, T in [F32, F64, I32, I64], {
        kernel(move |ctx| {
            let (dims, g) = (ctx.input(0)?, ctx.input(1)?);
            ensure!(
                dims.rank() == 1 && dims.elements() == 4,
                InvalidArgument,
                "original input tensor shape must be 1-dimensional and 4 elements"
            );
            let shape = Shape::checked(&dims.to_i64s()?)?;
            let (regions, pooled) = given_regions(ctx, &shape, 2, overlapping)?;
            check_shape("out_backprop", g, &pooled)?;
            let g = g.slice::<T>()?;
            // In double precision for every type: parts of integers add up before they are rounded.
            let mut sums = Tensor::zeros_by(ctx.threads(), ferroflow_tensor::DType::F64, shape.clone())?;
            regions.scatter(ctx.threads(), sums.slice_mut::<f64>()?, |region, at, base, gx| {
                let count = region.members.len() as f64;
                for start in region.members.iter().map(|m| m.at) {
                    for (to, g) in gx[start - base..].iter_mut().zip(&g[at.clone()]) {
                        *to += g.to_f64() / count;
                    }
                }
            })?;
            let mut gx = Tensor::new(T::DTYPE, shape)?;
            for (to, &sum) in gx.slice_mut::<T>()?.iter_mut().zip(sums.slice::<f64>()?) {
                *to = T::of_f64(sum);
            }
            ctx.set_output(0, gx);
            Ok(())
        })
    }, else Err(init.unsupported()))
}

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let ratios = ratios(c)?;
    let mut dims = c.input(0)?.with_rank(4)?.dims().unwrap_or_default();
    for (i, (d, ratio)) in dims.iter_mut().zip(ratios).enumerate() {
        let Some(size) = *d else { continue };
        let pooled = (size as f32 / ratio).floor();
        ensure!(
            (0.0..i64::MAX as f32).contains(&pooled),
            InvalidArgument,
            "Size computed for dim {i} is negative: {pooled}"
        );
        *d = Some(pooled_size(size, ratio));
    }
    let border = |d: Option<usize>| PartialShape::vector(d.map(|n| n + 1));
    c.set_output(1, border(dims[1]));
    c.set_output(2, border(dims[2]));
    c.set_output(0, PartialShape::from_dims(&dims));
    Ok(())
}

pub(super) fn register(r: &mut Registry) {
    let types = "T: {float, double, int32, int64}";
    for (name, doc) in [
        ("FractionalMaxPool", "The largest element of each region of a random partition."),
        ("FractionalAvgPool", "The mean of each region of a random partition."),
    ] {
        r.add(
            Op::new(name)
                .input("value: T")
                .output("output: T")
                .output("row_pooling_sequence: int64")
                .output("col_pooling_sequence: int64")
                .attr("pooling_ratio: list(float) >= 4")
                .attr("pseudo_random: bool = false")
                .attr("overlapping: bool = false")
                .attr("deterministic: bool = false")
                .attr("seed: int = 0")
                .attr("seed2: int = 0")
                .attr(types)
                .stateful()
                .listed_stateful(false)
                .doc(doc)
                .shape(shape)
                .kernel(if name == "FractionalMaxPool" { max_pool } else { avg_pool }),
        );
    }
    r.add(
        Op::new("FractionalMaxPoolGrad")
            .input("orig_input: T")
            .input("orig_output: T")
            .input("out_backprop: T")
            .input("row_pooling_sequence: int64")
            .input("col_pooling_sequence: int64")
            .output("output: T")
            .attr("overlapping: bool = false")
            .attr(types)
            .doc("Returns the gradient of `FractionalMaxPool`.")
            .shape(super::windows::unpooled_shape::<2>)
            .kernel(max_pool_grad),
    );
    r.add(
        Op::new("FractionalAvgPoolGrad")
            .input("orig_input_tensor_shape: int64")
            .input("out_backprop: T")
            .input("row_pooling_sequence: int64")
            .input("col_pooling_sequence: int64")
            .output("output: T")
            .attr("overlapping: bool = false")
            .attr(types)
            .doc("Returns the gradient of `FractionalAvgPool`.")
            .shape(super::windows::described_shape::<2>)
            .kernel(avg_pool_grad),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::run;
    use ferroflow_graph::AttrValue;
    use ferroflow_tensor::Tensor;

    fn attrs(ratio: f32, pseudo_random: bool, overlapping: bool, seed: i64) -> Vec<(&'static str, AttrValue)> {
        vec![
            ("pooling_ratio", AttrValue::List([1.0, ratio, ratio, 1.0].map(AttrValue::Float).to_vec())),
            ("pseudo_random", AttrValue::Bool(pseudo_random)),
            ("overlapping", AttrValue::Bool(overlapping)),
            ("deterministic", AttrValue::Bool(true)),
            ("seed", AttrValue::Int(seed)),
        ]
    }

    fn image() -> Tensor {
        Tensor::from_slice([2, 13, 17, 2], &(0..884).map(|i| (i * 37 % 101) as f64).collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn sizes_differ_by_one_and_make_up_the_whole() {
        for pseudo_random in [false, true] {
            for seed in 1..40 {
                let y = run("FractionalMaxPool", &[image()], &attrs(1.6, pseudo_random, false, seed)).unwrap();
                assert_eq!(y[0].shape().dims(), [2, 8, 10, 2]);
                for (borders, size) in [(&y[1], 13), (&y[2], 17)] {
                    let borders = borders.slice::<i64>().unwrap();
                    assert_eq!((borders[0], *borders.last().unwrap()), (0, size));
                    assert!(borders.windows(2).all(|b| (1..=2).contains(&(b[1] - b[0]))), "{borders:?}");
                }
            }
        }
    }

    #[test]
    fn regions_give_their_largest_and_their_mean() {
        for overlapping in [false, true] {
            let x = image();
            let max = run("FractionalMaxPool", std::slice::from_ref(&x), &attrs(1.6, true, overlapping, 7)).unwrap();
            let mean = run("FractionalAvgPool", std::slice::from_ref(&x), &attrs(1.6, true, overlapping, 7)).unwrap();
            assert_eq!(max[1..], mean[1..]);
            let (rows, columns) = (max[1].slice::<i64>().unwrap(), max[2].slice::<i64>().unwrap());
            let xs = x.slice::<f64>().unwrap();
            let more = i64::from(overlapping);
            for r in 0..8 {
                for c in 0..10 {
                    let mut inside = Vec::new();
                    for y in rows[r]..(rows[r + 1] + more).min(13) {
                        for x in columns[c]..(columns[c + 1] + more).min(17) {
                            inside.push(xs[((y * 17 + x) * 2 + 1) as usize]);
                        }
                    }
                    let at = (r * 10 + c) * 2 + 1;
                    assert_eq!(max[0].slice::<f64>().unwrap()[at], inside.iter().copied().fold(f64::MIN, f64::max));
                    let expected = inside.iter().sum::<f64>() / inside.len() as f64;
                    assert!((mean[0].slice::<f64>().unwrap()[at] - expected).abs() < 1e-12);
                }
            }
            let g = Tensor::from_slice([2, 8, 10, 2], &(0..320).map(f64::from).collect::<Vec<_>>()).unwrap();
            let flag = [("overlapping", AttrValue::Bool(overlapping))];
            let to_max = [x.clone(), max[0].clone(), g.clone(), max[1].clone(), max[2].clone()];
            let dims = Tensor::from_slice([4], &[2i64, 13, 17, 2]).unwrap();
            let to_mean = [dims, g.clone(), max[1].clone(), max[2].clone()];
            for gx in [run("FractionalMaxPoolGrad", &to_max, &flag), run("FractionalAvgPoolGrad", &to_mean, &flag)] {
                let sum: f64 = gx.unwrap()[0].slice::<f64>().unwrap().iter().sum();
                assert!((sum - 319.0 * 160.0).abs() < 1e-6);
            }
        }
    }

    #[test]
    fn borders_outside_are_refused() {
        let dims = Tensor::from_slice([4], &[1i64, 4, 4, 1]).unwrap();
        let g = Tensor::from_slice([1, 2, 2, 1], &[1f32; 4]).unwrap();
        let seq = |v: [i64; 3]| Tensor::from_slice([3], &v).unwrap();
        for bad in [[0, 2, 2], [-1, 2, 4], [0, 5, 9], [3, 1, 4]] {
            let args = [dims.clone(), g.clone(), seq(bad), seq([0, 2, 4])];
            assert!(run("FractionalAvgPoolGrad", &args, &[]).is_err(), "{bad:?}");
        }
        let seeds = [("pooling_ratio", AttrValue::List(vec![AttrValue::Float(1.0); 4])), ("seed", AttrValue::Int(3))];
        assert!(run("FractionalMaxPool", &[image()], &seeds).is_err());
        assert!(run("FractionalMaxPool", &[image()], &attrs(0.5, true, true, 1)).is_err());
        assert!(run("FractionalMaxPool", &[image()], &attrs(50.0, true, true, 1)).is_err());
    }
}
