//! BoostedTreesMakeStatsSummary, BoostedTreesAggregateStats: sums of gradients and hessians by node and bucket.

use super::inputs::{buckets, count, vector};
use crate::room::room;
use ferroflow_graph::{Kernel, KernelContext, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::threads::try_for_chunks_mut;
use ferroflow_tensor::{DType, PartialShape, Result, Tensor, bail, ensure};

fn summary_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let features = c.num_inputs() - 3;
    let nodes = c.input(0)?.with_rank(1)?;
    let of_gradients = c.input(1)?.with_rank(2)?;
    of_gradients.merge(&c.input(2)?.with_rank(2)?)?;
    nodes.merge(&PartialShape::vector(of_gradients.dim(0)))?;
    for i in 3..3 + features {
        nodes.merge(&c.input(i)?.with_rank(1)?)?;
    }
    let (splits, buckets) =
        (count(c.int32("max_splits")?, "max_splits")?, count(c.int32("num_buckets")?, "num_buckets")?);
    c.set_output(0, PartialShape::from_dims(&[Some(features), Some(splits), Some(buckets), Some(2)]));
    Ok(())
}

fn aggregate_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let nodes = c.input(0)?.with_rank(1)?;
    let matrices = [c.input(1)?.with_rank(2)?, c.input(2)?.with_rank(2)?, c.input(3)?.with_rank(2)?];
    for matrix in &matrices {
        nodes.merge(&PartialShape::vector(matrix.dim(0)))?;
    }
    let [gradients, hessians, feature] = matrices;
    let width = gradients.dim(1).zip(hessians.dim(1)).map(|(g, h)| g + h);
    let (splits, buckets) =
        (count(c.int32("max_splits")?, "max_splits")?, count(c.int32("num_buckets")?, "num_buckets")?);
    c.set_output(0, PartialShape::from_dims(&[Some(splits), feature.dim(1), Some(buckets + 1), width]));
    Ok(())
}

/// The numbers of nodes and of buckets of a summary.
#[derive(Clone, Copy)]
struct Sizes {
    splits: usize,
    buckets: usize,
}

impl Sizes {
    fn of(init: &KernelInit<'_>) -> Result<Sizes> {
        let splits = count(init.int32("max_splits")?, "max_splits")?;
        Ok(Sizes { splits, buckets: count(init.int32("num_buckets")?, "num_buckets")? })
    }
}

/// The inputs that both ops have: a row of each matrix for each example.
struct Examples<'a> {
    nodes: Vec<usize>,
    gradients: &'a [f32],
    hessians: &'a [f32],
    widths: [usize; 2],
}

fn matrix<'a>(ctx: &'a KernelContext<'_>, i: usize, rows: usize, name: &str) -> Result<(&'a [f32], usize)> {
    let t = ctx.input(i)?;
    let shape = t.shape();
    ensure!(
        shape.rank() == 2 && shape[0] == rows,
        InvalidArgument,
        "{name} must be a matrix with a row for each of {rows} examples, received shape {shape}"
    );
    Ok((t.slice()?, shape[1]))
}

impl<'a> Examples<'a> {
    fn of(ctx: &'a KernelContext<'_>, sizes: Sizes) -> Result<Examples<'a>> {
        let nodes: &[i32] = vector(ctx.input(0)?, "node_ids")?;
        let nodes: Result<Vec<usize>> = nodes
            .iter()
            .map(|&id| match usize::try_from(id) {
                Ok(node) if node < sizes.splits => Ok(node),
                _ => bail!(InvalidArgument, "node_ids must be in [0, {}), got {id}", sizes.splits),
            })
            .collect();
        let nodes = nodes?;
        let (gradients, gradient_width) = matrix(ctx, 1, nodes.len(), "gradients")?;
        let (hessians, hessian_width) = matrix(ctx, 2, nodes.len(), "hessians")?;
        Ok(Examples { nodes, gradients, hessians, widths: [gradient_width, hessian_width] })
    }

    /// Adds the statistics of an example to `sums`.
    fn add(&self, example: usize, sums: &mut [f64]) {
        let [g, h] = self.widths;
        let numbers = self.gradients[example * g..][..g].iter().chain(&self.hessians[example * h..][..h]);
        sums.iter_mut().zip(numbers).for_each(|(sum, &number)| *sum += f64::from(number));
    }
}

/// Writes sums, which TF 1.x adds in double precision.
fn write(out: &mut [f32], sums: &[f64]) {
    out.iter_mut().zip(sums).for_each(|(out, &sum)| *out = sum as f32);
}

fn summary(ctx: &mut KernelContext<'_>, sizes: Sizes) -> Result<()> {
    let examples = Examples::of(ctx, sizes)?;
    let features = buckets(ctx, 3, ctx.num_inputs() - 3)?;
    ensure!(examples.widths == [1, 1], InvalidArgument, "gradients and hessians must have one column");
    for bucket in features.iter().copied().flatten() {
        ensure!(*bucket >= 0, InvalidArgument, "Buckets must not be negative, got {bucket}");
    }
    let batch = features.first().map_or(0, |f| f.len());
    ensure!(batch == examples.nodes.len(), InvalidArgument, "Each feature needs a bucket for each example");
    let mut out = Tensor::zeros(DType::F32, [features.len(), sizes.splits, sizes.buckets, 2])?;
    let block = sizes.splits * sizes.buckets * 2;
    let mut sums = room(out.elements(), "sums")?;
    sums.resize(out.elements(), 0.0f64);
    try_for_chunks_mut(ctx.threads(), &mut sums, block, |start, sums| {
        for (i, (&node, &bucket)) in examples.nodes.iter().zip(features[start / block]).enumerate() {
            // TF 1.x: a bucket beyond the last one is that of the next node. Quantiles make one such bucket.
            let at = (node * sizes.buckets).saturating_add(bucket as usize).saturating_mul(2);
            if let Some(sums) = sums.get_mut(at..at.saturating_add(2)) {
                examples.add(i, sums);
            }
        }
    })?;
    write(out.slice_mut()?, &sums);
    ctx.set_output(0, out);
    Ok(())
}

/// Sums statistics for a feature of several dimensions; a bucket below 0 is the last one, of missing values.
fn aggregate(ctx: &mut KernelContext<'_>, sizes: Sizes) -> Result<()> {
    let examples = Examples::of(ctx, sizes)?;
    let feature = ctx.input(3)?;
    let batch = examples.nodes.len();
    ensure!(
        feature.rank() == 2 && feature.shape()[0] == batch,
        InvalidArgument,
        "feature must be a matrix with a row for each of {batch} examples, received shape {}",
        feature.shape()
    );
    let (dimensions, width) = (feature.shape()[1], examples.widths[0] + examples.widths[1]);
    let feature = feature.slice::<i32>()?;
    let mut out = Tensor::zeros(DType::F32, [sizes.splits, dimensions, sizes.buckets + 1, width])?;
    let mut sums = room(out.elements(), "sums")?;
    sums.resize(out.elements(), 0.0f64);
    for (i, &node) in examples.nodes.iter().enumerate() {
        for dimension in 0..dimensions {
            let bucket = match feature[i * dimensions + dimension] {
                missing if missing < 0 => sizes.buckets,
                bucket => bucket as usize,
            };
            ensure!(bucket <= sizes.buckets, InvalidArgument, "Buckets must be below {}, got {bucket}", sizes.buckets);
            let row = (node * dimensions + dimension).saturating_mul(sizes.buckets + 1).saturating_add(bucket);
            if let Some(sums) = sums.get_mut(row.saturating_mul(width)..).and_then(|rest| rest.get_mut(..width)) {
                examples.add(i, sums);
            }
        }
    }
    write(out.slice_mut()?, &sums);
    ctx.set_output(0, out);
    Ok(())
}

fn sized(init: &KernelInit<'_>, f: fn(&mut KernelContext<'_>, Sizes) -> Result<()>) -> Result<Box<dyn Kernel>> {
    let sizes = Sizes::of(init)?;
    kernel(move |ctx: &mut KernelContext<'_>| f(ctx, sizes))
}

pub(super) fn register(r: &mut Registry) {
    let op = |name: &str| Op::new(name).input("node_ids: int32").input("gradients: float").input("hessians: float");
    r.add(
        op("BoostedTreesMakeStatsSummary")
            .input("bucketized_features_list: num_features * int32")
            .attr("max_splits: int >= 1")
            .attr("num_buckets: int >= 1")
            .attr("num_features: int >= 1")
            .output("stats_summary: float")
            .doc("Returns the sums of gradients and hessians for each feature, node and bucket.")
            .shape(summary_shape)
            .kernel(|init| sized(init, summary)),
    );
    r.add(
        op("BoostedTreesAggregateStats")
            .input("feature: int32")
            .attr("max_splits: int >= 1")
            .attr("num_buckets: int >= 1")
            .output("stats_summary: float")
            .doc("Returns the sums of gradients and hessians for each node, dimension of a feature, and bucket.")
            .shape(aggregate_shape)
            .kernel(|init| sized(init, aggregate)),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::{Arg, run_args};
    use ferroflow_graph::AttrValue;
    use ferroflow_tensor::{Result, Tensor};

    fn summary(buckets: &[i32]) -> Vec<f32> {
        try_summary(buckets).unwrap()
    }

    fn try_summary(buckets: &[i32]) -> Result<Vec<f32>> {
        let column = |values: &[f32]| Arg::One(Tensor::from_slice([3, 1], values).unwrap());
        let args = vec![
            Arg::One(Tensor::from_slice([3], &[0, 1, 0]).unwrap()),
            column(&[1.0, 2.0, 4.0]),
            column(&[10.0, 20.0, 40.0]),
            Arg::List(vec![Tensor::from_slice([3], buckets).unwrap()]),
        ];
        let attrs = [("max_splits", AttrValue::Int(2)), ("num_buckets", AttrValue::Int(2))];
        let outcome = run_args("BoostedTreesMakeStatsSummary", args, &attrs, 1)?;
        Ok(outcome.values[0].slice::<f32>()?.to_vec())
    }

    #[test]
    fn sums_are_by_node_and_bucket() {
        assert_eq!(summary(&[0, 1, 1]), [1.0, 10.0, 4.0, 40.0, 0.0, 0.0, 2.0, 20.0]);
    }

    #[test]
    fn a_bucket_beyond_the_last_is_that_of_the_next_node() {
        assert_eq!(summary(&[0, 2, 2]), [1.0, 10.0, 0.0, 0.0, 4.0, 40.0, 0.0, 0.0]);
    }

    #[test]
    fn a_bucket_below_the_first_is_refused() {
        for buckets in [[-1, 0, 0], [0, -1, 0], [i32::MIN, 0, 0]] {
            let message = try_summary(&buckets).unwrap_err();
            assert!(message.message().contains("Buckets must not be negative"), "{message:?}");
        }
    }
}
