//! FusedBatchNorm: each channel shifted and scaled to mean 0 and variance 1, and then as `scale` and `offset` say; and its
//! gradient.
//!
//! Source: Ioffe, Szegedy, "Batch Normalization", 2015.
//!
//! Moments are taken in one pass over memory: of each block while it is in the cache, then of the blocks together in
//! order. Source: Chan, Golub, LeVeque, "Updating formulae and a pairwise algorithm", 1979.

use crate::wide::{narrowed, widened};
use ferroflow_graph::{AttrMap, Kernel, KernelContext, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::threads::{Threads, try_for_chunks_mut, try_for_rows_mut};
use ferroflow_tensor::vector::{
    Reduce, add_products, add_squared_deviations, normalize_rows, reduce_rows_into, unnormalize_rows,
};
use ferroflow_tensor::{DType, PartialShape, Result, Shape, Tensor, ensure};
use std::ops::Range;

/// Elements of one block: they stay in the cache between the passes over them.
const BLOCK: usize = 1 << 14;
/// Channels fewer than this are repeated, so that one loop covers several rows.
const WIDE: usize = 64;

/// A tensor cut into blocks, each of whole rows of its channels.
#[derive(Clone, Copy)]
struct Blocks {
    channels: usize,
    /// Channels of a block: all where they are the last dimension, else one.
    width: usize,
    /// Rows of all blocks of a channel together.
    rows: usize,
    rows_per_block: usize,
}

impl Blocks {
    fn of(shape: &Shape, channels_first: bool) -> Blocks {
        let (outer, channels, inner) = shape.around(if channels_first { 1 } else { 3 });
        let rows = outer * inner;
        if channels_first {
            return Blocks { channels, width: 1, rows, rows_per_block: inner };
        }
        Blocks { channels, width: channels, rows, rows_per_block: (BLOCK / channels.max(1)).max(1) }
    }

    /// Returns the number of blocks each channel has.
    fn per_channel(&self) -> usize {
        self.rows.div_ceil(self.rows_per_block.max(1))
    }

    fn count(&self) -> usize {
        self.per_channel() * (self.channels / self.width.max(1))
    }

    fn rows_of(&self, layer: usize) -> usize {
        self.rows_per_block.min(self.rows - layer * self.rows_per_block)
    }

    /// Returns the number of elements of a whole block; the last one may have fewer.
    fn size(&self) -> usize {
        self.rows_per_block * self.width
    }

    /// Returns the elements of a block and its channels.
    fn block(&self, i: usize) -> (Range<usize>, Range<usize>) {
        let size = self.size();
        let channel = if self.width == self.channels { 0 } else { i % self.channels };
        let end = ((i + 1) * size).min(self.rows * self.channels);
        (i * size..end, channel..channel + self.width)
    }

    /// Returns the number of times that a row of channels is repeated in a tile.
    fn repeats(&self) -> usize {
        (WIDE / self.width.max(1)).max(1)
    }

    fn tile(&self, values: &[f32]) -> Vec<f32> {
        values.repeat(self.repeats())
    }

    /// Adds up the columns of a tile.
    fn folded(&self, tile: &[f32], out: &mut [f32]) {
        out.fill(0.0);
        reduce_rows_into(Reduce::Sum, out, tile);
    }
}

/// Applies `f` to the whole tiles of slices, and to what is left of them with the tiles cut to that length.
fn by_tiles(len: usize, tile: usize, mut f: impl FnMut(Range<usize>, usize)) {
    let whole = len / tile * tile;
    if whole > 0 {
        f(0..whole, tile);
    }
    if whole < len {
        f(whole..len, len - whole);
    }
}

/// Returns two sums per channel: of all blocks in their order, in double precision.
fn pair_of_sums(
    threads: Threads,
    blocks: Blocks,
    f: impl Fn(Range<usize>, Range<usize>, &mut [f32], &mut [f32]) + Sync,
    mut merge: impl FnMut(usize, usize, f32, f32),
) -> Result<()> {
    let size = blocks.per_channel() * blocks.channels;
    let (mut firsts, mut seconds) = (vec![0f32; size], vec![0f32; size]);
    try_for_rows_mut(threads, blocks.count(), 1, (&mut firsts[..], &mut seconds[..]), |range, (first, second)| {
        let (elements, channels) = blocks.block(range.start);
        f(elements, channels, first, second);
    })?;
    for layer in 0..blocks.per_channel() {
        for c in 0..blocks.channels {
            let at = layer * blocks.channels + c;
            merge(c, blocks.rows_of(layer), firsts[at], seconds[at]);
        }
    }
    Ok(())
}

/// Returns the mean and the variance (divided by n) of each channel.
fn moments(threads: Threads, x: &[f32], blocks: Blocks) -> Result<(Vec<f32>, Vec<f32>)> {
    let mut merged = vec![(0f64, 0f64, 0f64); blocks.channels];
    let of_block = |elements: Range<usize>, _: Range<usize>, mean: &mut [f32], squares: &mut [f32]| {
        let x = &x[elements];
        let tile = blocks.width * blocks.repeats();
        let mut sums = vec![0f32; tile];
        by_tiles(x.len(), tile, |range, len| reduce_rows_into(Reduce::Sum, &mut sums[..len], &x[range]));
        blocks.folded(&sums, mean);
        let count = (x.len() / blocks.width) as f32;
        mean.iter_mut().for_each(|m| *m /= count);
        let center = blocks.tile(mean);
        sums.fill(0.0);
        by_tiles(x.len(), tile, |range, len| add_squared_deviations(&x[range], &center[..len], &mut sums[..len]));
        blocks.folded(&sums, squares);
    };
    pair_of_sums(threads, blocks, of_block, |c, rows, mean, squares| {
        let (count, old_mean, old_squares) = merged[c];
        let (rows, mean) = (rows as f64, f64::from(mean));
        let (total, apart) = (count + rows, mean - old_mean);
        let squares = old_squares + f64::from(squares) + apart * apart * count * rows / total;
        merged[c] = (total, old_mean + apart * rows / total, squares);
    })?;
    Ok(merged.into_iter().map(|(count, mean, squares)| (mean as f32, (squares / count) as f32)).unzip())
}

/// Returns, by channel, the sums of `g` and of `g` times the deviations of `x` from `center`.
fn gradient_sums(threads: Threads, x: &[f32], g: &[f32], center: &[f32], blocks: Blocks) -> Result<Vec<(f64, f64)>> {
    let mut totals = vec![(0f64, 0f64); blocks.channels];
    let of_block = |elements: Range<usize>, channels: Range<usize>, first: &mut [f32], second: &mut [f32]| {
        let (x, g) = (&x[elements.clone()], &g[elements]);
        let center = blocks.tile(&center[channels]);
        let (mut sums, mut products) = (vec![0f32; center.len()], vec![0f32; center.len()]);
        by_tiles(x.len(), center.len(), |range, len| {
            add_products(&x[range.clone()], &center[..len], &g[range], &mut sums[..len], &mut products[..len]);
        });
        blocks.folded(&sums, first);
        blocks.folded(&products, second);
    };
    pair_of_sums(threads, blocks, of_block, |c, _, sum, product| {
        totals[c].0 += f64::from(sum);
        totals[c].1 += f64::from(product);
    })?;
    Ok(totals)
}

/// Writes every block of `out`: `f(its elements, tiles of the vectors, output)`, by whole tiles.
fn write_blocks<const N: usize>(
    threads: Threads,
    blocks: Blocks,
    by_channel: [&[f32]; N],
    out: &mut [f32],
    f: impl Fn(Range<usize>, [&[f32]; N], &mut [f32]) + Sync,
) -> Result<()> {
    try_for_chunks_mut(threads, out, blocks.size(), |start, out| {
        let (elements, channels) = blocks.block(start / blocks.size());
        let tiles = by_channel.map(|v| blocks.tile(&v[channels.clone()]));
        let tile = blocks.width * blocks.repeats();
        by_tiles(elements.len(), tile, |range, len| {
            let place = elements.start + range.start..elements.start + range.end;
            f(place, std::array::from_fn(|k| &tiles[k][..len]), &mut out[range]);
        });
    })?;
    Ok(())
}

#[derive(Clone, Copy)]
struct BatchNorm {
    epsilon: f32,
    channels_first: bool,
    is_training: bool,
}

impl BatchNorm {
    fn of(attrs: &AttrMap) -> Result<BatchNorm> {
        Ok(BatchNorm {
            epsilon: attrs.float("epsilon")?,
            channels_first: channels_first(attrs)?,
            is_training: attrs.bool("is_training")?,
        })
    }

    /// Returns `1 / sqrt(variance + epsilon)`.
    fn inverse_deviation(&self, variance: &[f32]) -> Vec<f32> {
        variance.iter().map(|v| 1.0 / (v + self.epsilon).sqrt()).collect()
    }

    fn forward(&self, ctx: &mut KernelContext<'_>, outputs: usize) -> Result<()> {
        let x = ctx.take(0)?;
        let dtype = x.dtype();
        ensure!(x.rank() == 4, InvalidArgument, "input must be 4-dimensional{}", x.shape());
        let blocks = Blocks::of(x.shape(), self.channels_first);
        for (i, what) in ["scale", "offset", "estimated_mean", "estimated_variance"].into_iter().enumerate() {
            let length = if i > 1 && self.is_training { 0 } else { blocks.channels };
            check_vector(ctx.input(i + 1)?, what, length, self.is_training)?;
        }
        let x = widened(x)?;
        let (scale, offset) = (ctx.input(1)?.slice::<f32>()?, ctx.input(2)?.slice::<f32>()?);
        let values = x.slice::<f32>()?;
        let (mean, variance) = if !self.is_training {
            (ctx.input(3)?.slice::<f32>()?.to_vec(), ctx.input(4)?.slice::<f32>()?.to_vec())
        } else if values.is_empty() {
            (vec![f32::NAN; blocks.channels], vec![f32::NAN; blocks.channels])
        } else {
            moments(ctx.threads(), values, blocks)?
        };
        let factor: Vec<f32> = self.inverse_deviation(&variance).iter().zip(scale).map(|(d, s)| d * s).collect();
        let mut y = Tensor::new(DType::F32, x.shape().clone())?;
        if !values.is_empty() {
            let by_channel = [&mean[..], &factor, offset];
            let out = y.slice_mut::<f32>()?;
            write_blocks(ctx.threads(), blocks, by_channel, out, |range, [mean, factor, offset], out| {
                normalize_rows(&values[range], mean, factor, offset, out);
            })?;
        }
        ctx.set_output(0, narrowed(y, dtype)?);
        let vector = |v: &[f32]| Tensor::from_slice([blocks.channels], v);
        ctx.set_output(1, vector(&mean)?);
        if self.is_training {
            // Bessel's correction applies to the running variance, not to the normalization.
            let adjust = blocks.rows as f32 / blocks.rows.saturating_sub(1).max(1) as f32;
            ctx.set_output(2, vector(&variance.iter().map(|v| v * adjust).collect::<Vec<_>>())?);
        } else {
            ctx.set_output(2, vector(&variance)?);
        }
        ctx.set_output(3, vector(&mean)?);
        ctx.set_output(4, vector(&variance)?);
        if outputs == 6 {
            ctx.set_output(5, Tensor::zeros(DType::F32, [0])?);
        }
        Ok(())
    }

    fn backward(&self, ctx: &mut KernelContext<'_>) -> Result<()> {
        let (g, x) = (ctx.take(0)?, ctx.take(1)?);
        let dtype = x.dtype();
        ensure!(x.rank() == 4, InvalidArgument, "input must be 4-dimensional{}", x.shape());
        ensure!(
            g.shape() == x.shape(),
            InvalidArgument,
            "x and y_backprop must have same shape, but x has shape {} and y_backprop has shape {}",
            x.shape(),
            g.shape()
        );
        let blocks = Blocks::of(x.shape(), self.channels_first);
        for (i, what) in ["scale", "saved mean", "saved variance"].into_iter().enumerate() {
            check_vector(ctx.input(i + 2)?, what, blocks.channels, false)?;
        }
        let (g, x) = (widened(g)?, widened(x)?);
        let (gs, xs) = (g.slice::<f32>()?, x.slice::<f32>()?);
        let (scale, mean) = (ctx.input(2)?.slice::<f32>()?, ctx.input(3)?.slice::<f32>()?);
        let deviation = self.inverse_deviation(ctx.input(4)?.slice::<f32>()?);
        let threads = ctx.threads();
        let sums = if xs.is_empty() {
            vec![(0.0, 0.0); blocks.channels]
        } else {
            gradient_sums(threads, xs, gs, mean, blocks)?
        };
        let rows = blocks.rows as f64;
        // If mean and variance do not come from the batch, no gradient passes through them. A product with zero would
        // not do, because the inputs may be infinite.
        let through = |sum: f64| if self.is_training { sum } else { 0.0 };
        let mean_g: Vec<f32> = sums.iter().map(|s| (through(s.0) / rows) as f32).collect();
        let slope: Vec<f32> = sums
            .iter()
            .zip(&deviation)
            .map(|(s, &d)| (through(s.1) / rows * f64::from(d) * f64::from(d)) as f32)
            .collect();
        let factor: Vec<f32> = deviation.iter().zip(scale).map(|(d, s)| d * s).collect();
        let mut gx = Tensor::new(DType::F32, x.shape().clone())?;
        if !xs.is_empty() {
            let out = gx.slice_mut::<f32>()?;
            // The factor of a slope of zero must be finite, too: zero times infinity is NaN.
            let (rows, center) = if self.is_training { (xs, mean) } else { (gs, &mean_g[..]) };
            write_blocks(threads, blocks, [center, &mean_g, &slope, &factor], out, |range, by_channel, out| {
                unnormalize_rows(&rows[range.clone()], &gs[range], by_channel, out);
            })?;
        }
        // The moments of no rows are NaN, but their factor is zero.
        let deviation = if xs.is_empty() { vec![0.0; blocks.channels] } else { deviation };
        let scale_g: Vec<f32> = sums.iter().zip(&deviation).map(|(s, &d)| (s.1 * f64::from(d)) as f32).collect();
        let offset_g: Vec<f32> = sums.iter().map(|s| s.0 as f32).collect();
        ctx.set_output(0, narrowed(gx, dtype)?);
        ctx.set_output(1, Tensor::from_slice([blocks.channels], &scale_g)?);
        ctx.set_output(2, Tensor::from_slice([blocks.channels], &offset_g)?);
        let rest = if self.is_training { 0 } else { blocks.channels };
        ctx.set_output(3, Tensor::zeros(DType::F32, [rest])?);
        ctx.set_output(4, Tensor::zeros(DType::F32, [rest])?);
        Ok(())
    }
}

fn channels_first(attrs: &AttrMap) -> Result<bool> {
    let format = attrs.str("data_format")?;
    ensure!(matches!(&*format, "NHWC" | "NCHW"), InvalidArgument, "Invalid data format");
    Ok(format == "NCHW")
}

fn check_vector(t: &Tensor, what: &str, length: usize, is_training: bool) -> Result<()> {
    ensure!(t.rank() == 1, InvalidArgument, "{what} must be 1-dimensional{}", t.shape());
    if length == 0 && is_training {
        ensure!(t.elements() == 0, InvalidArgument, "{what} must be empty for training{}", t.shape());
    }
    ensure!(
        t.elements() == length,
        InvalidArgument,
        "{what} must have the same number of elements as the channels of x, got {} and {length}",
        t.elements()
    );
    Ok(())
}

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let first = channels_first(c)?;
    let x = c.input(0)?.with_rank(4)?;
    let mut dims = x.dims().unwrap_or_default();
    let axis = if first { 1 } else { 3 };
    let mut vector = PartialShape::vector(dims[axis]);
    for i in 1..if c.bool("is_training")? { 3 } else { 5 } {
        vector = vector.merge(&c.input(i)?.with_rank(1)?)?;
    }
    dims[axis] = vector.dim(0);
    c.set_output(0, PartialShape::from_dims(&dims));
    for i in 1..5 {
        c.set_output(i, vector.clone());
    }
    Ok(())
}

fn grad_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let first = channels_first(c)?;
    let (g, x) = (c.input(0)?.with_rank(4)?, c.input(1)?.with_rank(4)?);
    let axis = if first { 1 } else { 3 };
    let mut vector = PartialShape::vector(g.dim(axis)).merge(&PartialShape::vector(x.dim(axis)))?;
    for i in 2..5 {
        vector = vector.merge(&c.input(i)?.with_rank(1)?)?;
    }
    let mut dims = g.dims().unwrap_or_default();
    dims[axis] = vector.dim(0);
    c.set_output(0, PartialShape::from_dims(&dims));
    c.set_output(1, vector.clone());
    c.set_output(2, vector.clone());
    let rest = if c.bool("is_training")? { PartialShape::vector(Some(0)) } else { vector };
    c.set_output(3, rest.clone());
    c.set_output(4, rest);
    Ok(())
}

fn batch_norm(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let norm = BatchNorm::of(init)?;
    let outputs = init.node.outputs.len();
    kernel(move |ctx| norm.forward(ctx, outputs))
}

fn batch_norm_grad(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let norm = BatchNorm::of(init)?;
    let outputs = init.node.outputs.len();
    ensure!(outputs == 5, Internal, "a gradient of batch norm has five outputs");
    kernel(move |ctx| norm.backward(ctx))
}

pub(super) fn register(r: &mut Registry) {
    for (name, version, statistics) in
        [("FusedBatchNorm", 1, "T"), ("FusedBatchNormV2", 2, "U"), ("FusedBatchNormV3", 3, "U")]
    {
        let typed = |op: Op| match version {
            1 => op.attr("T: {float}"),
            _ => op.attr("T: {half, bfloat16, float}").attr("U: {float}"),
        };
        let s = |argument: &str| format!("{argument}: {statistics}");
        let mut op = Op::new(name).input("x: T");
        for argument in ["scale", "offset", "mean", "variance"] {
            op = op.input(&s(argument));
        }
        op = op.output("y: T");
        for argument in ["batch_mean", "batch_variance", "reserve_space_1", "reserve_space_2"] {
            op = op.output(&s(argument));
        }
        if version == 3 {
            op = op.output("reserve_space_3: U");
        }
        op = typed(op).attr("epsilon: float = 0.0001").attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'");
        r.add(
            op.attr("is_training: bool = true")
                .doc("Returns the channels normalized by their mean and variance, then scaled and shifted.")
                .shape(shape)
                .kernel(batch_norm),
        );
        let scale = if version == 1 { "scale: T" } else { "scale: float" };
        let mut op = Op::new(&if version == 1 {
            "FusedBatchNormGrad".to_owned()
        } else {
            format!("FusedBatchNormGradV{version}")
        })
        .input("y_backprop: T")
        .input("x: T")
        .input(scale)
        .input(&s("reserve_space_1"))
        .input(&s("reserve_space_2"));
        if version == 3 {
            op = op.input("reserve_space_3: U");
        }
        op = op.output("x_backprop: T");
        let rest =
            if version == 3 { ["reserve_space_4", "reserve_space_5"] } else { ["reserve_space_3", "reserve_space_4"] };
        for argument in ["scale_backprop", "offset_backprop", rest[0], rest[1]] {
            op = op.output(&s(argument));
        }
        r.add(
            typed(op)
                .attr("epsilon: float = 0.0001")
                .attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
                .attr("is_training: bool = true")
                .doc("Returns the gradient of `FusedBatchNorm`.")
                .shape(grad_shape)
                .kernel(batch_norm_grad),
        );
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{Arg, run, run_args};
    use ferroflow_graph::AttrValue;
    use ferroflow_tensor::{DType, Tensor};

    fn attrs(is_training: bool, format: &str) -> Vec<(&'static str, AttrValue)> {
        vec![
            ("epsilon", AttrValue::Float(0.01)),
            ("is_training", AttrValue::Bool(is_training)),
            ("data_format", AttrValue::Str(format.as_bytes().to_vec())),
        ]
    }

    fn values(n: usize, k: usize) -> Vec<f32> {
        (0..n).map(|i| (i * k % 23) as f32 / 4.0 + 100.0).collect()
    }

    fn near(got: &Tensor, expected: &[f64], tolerance: f64) {
        for (i, (&a, &b)) in got.slice::<f32>().unwrap().iter().zip(expected).enumerate() {
            assert!((f64::from(a) - b).abs() <= tolerance * b.abs().max(1.0), "{i}: {a} {b}");
        }
    }

    #[test]
    fn channels_are_normalized_by_their_moments_and_gradients_flow_through_these() {
        for (dims, format) in [([7, 13, 11, 3], "NHWC"), ([2, 3, 5, 130], "NHWC"), ([7, 3, 13, 11], "NCHW")] {
            let first = format == "NCHW";
            let (channels, inner) = if first { (dims[1], dims[2] * dims[3]) } else { (dims[3], 1) };
            let n: usize = dims.iter().product();
            let rows = (n / channels) as f64;
            let x = values(n, 31);
            // Centered: otherwise the rounding of the mean to f32 enters the sum of products, times the sum of the
            // gradients.
            let g: Vec<f32> = values(n, 17).iter().map(|v| v - 102.75).collect();
            let (scale, offset) = (values(channels, 5), values(channels, 3));
            let of = |i: usize| i / inner % channels;
            let (mut mean, mut variance) = (vec![0f64; channels], vec![0f64; channels]);
            x.iter().enumerate().for_each(|(i, &v)| mean[of(i)] += f64::from(v) / rows);
            x.iter().enumerate().for_each(|(i, &v)| variance[of(i)] += (f64::from(v) - mean[of(i)]).powi(2) / rows);
            let d: Vec<f64> = variance.iter().map(|v| 1.0 / (v + f64::from(0.01f32)).sqrt()).collect();
            let y: Vec<f64> = x
                .iter()
                .enumerate()
                .map(|(i, &v)| {
                    (f64::from(v) - mean[of(i)]) * d[of(i)] * f64::from(scale[of(i)]) + f64::from(offset[of(i)])
                })
                .collect();
            let t = |v: &[f32]| Tensor::from_slice([v.len()], v).unwrap();
            let (x4, g4) = (t(&x).reshaped(dims).unwrap(), t(&g).reshaped(dims).unwrap());
            let out = run("FusedBatchNorm", &[x4.clone(), t(&scale), t(&offset), t(&[]), t(&[])], &attrs(true, format))
                .unwrap();
            // The mean is rounded to f32 and then multiplied by a hundred, hence the tolerance.
            near(&out[0], &y, 1e-3);
            near(&out[1], &mean, 1e-6);
            near(&out[2], &variance.iter().map(|v| v * rows / (rows - 1.0)).collect::<Vec<_>>(), 1e-5);
            near(&out[4], &variance, 1e-5);
            let (mut sum, mut product) = (vec![0f64; channels], vec![0f64; channels]);
            for i in 0..n {
                sum[of(i)] += f64::from(g[i]);
                product[of(i)] += f64::from(g[i]) * (f64::from(x[i]) - mean[of(i)]);
            }
            for training in [true, false] {
                let through = f64::from(u8::from(training));
                let gx: Vec<f64> = (0..n)
                    .map(|i| {
                        let c = of(i);
                        let slope = product[c] / rows * d[c] * d[c];
                        let rest = through * (sum[c] / rows + (f64::from(x[i]) - mean[c]) * slope);
                        (f64::from(g[i]) - rest) * d[c] * f64::from(scale[c])
                    })
                    .collect();
                let args = [g4.clone(), x4.clone(), t(&scale), out[3].clone(), out[4].clone()];
                let back = run("FusedBatchNormGrad", &args, &attrs(training, format)).unwrap();
                near(&back[0], &gx, 2e-4);
                near(&back[1], &product.iter().zip(&d).map(|(p, d)| p * d).collect::<Vec<_>>(), 2e-3);
                near(&back[2], &sum, 1e-6);
            }
            let fixed = [x4, t(&scale), t(&offset), out[3].clone(), out[4].clone()];
            let again = run("FusedBatchNormV2", &fixed, &attrs(false, format)).unwrap();
            assert_eq!(again[0], out[0]);
            assert_eq!(again[1], out[1]);
        }
    }

    #[test]
    fn a_batch_of_nothing_has_no_moments() {
        let x = Tensor::zeros(DType::F32, [0, 2, 2, 3]).unwrap();
        let v = |n: usize| Tensor::zeros(DType::F32, [n]).unwrap();
        let y = run("FusedBatchNorm", &[x, v(3), v(3), v(0), v(0)], &attrs(true, "NHWC")).unwrap();
        assert!(y[1].slice::<f32>().unwrap().iter().all(|m| m.is_nan()));
    }

    #[test]
    fn vectors_of_another_length_are_refused() {
        let x = Tensor::zeros(DType::F32, [1, 2, 2, 3]).unwrap();
        let v = |n: usize| Tensor::zeros(DType::F32, [n]).unwrap();
        for lengths in [[2, 3, 0, 0], [3, 2, 0, 0], [3, 3, 3, 3]] {
            let args = vec![x.clone(), v(lengths[0]), v(lengths[1]), v(lengths[2]), v(lengths[3])];
            assert!(run("FusedBatchNorm", &args, &attrs(true, "NHWC")).is_err());
        }
        assert!(run("FusedBatchNorm", &[x, v(3), v(3), v(3), v(2)], &attrs(false, "NHWC")).is_err());
    }

    #[test]
    fn any_number_of_threads_gives_the_same_bits() {
        let x = Tensor::from_slice([4, 40, 40, 24], &values(4 * 1600 * 24, 29)).unwrap();
        let v = |n: usize| Tensor::from_slice([n], &values(n, 7)).unwrap();
        let args = || [x.clone(), v(24), v(24), v(0), v(0)].map(Arg::One).into();
        let by = |n| run_args("FusedBatchNorm", args(), &attrs(true, "NHWC"), n).unwrap().values;
        assert_eq!(by(2), by(1));
        assert_eq!(by(4), by(1));
    }
}
