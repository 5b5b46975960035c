//! The ops that make summaries of numbers, collect them in streams, and make boundaries of these.

use super::super::inputs::{count, scalar, scalars};
use super::resource::{Streams, StreamsResource, with_streams};
use super::stream::Stream;
use super::summary::{Entry, Summary};
use ferroflow_graph::{
    Kernel, KernelContext, KernelInit, Op, Registry, ShapeContext, Unnamed, kernel, resource_kernel, shape_rules,
};
use ferroflow_tensor::threads::try_for_chunks_mut;
use ferroflow_tensor::{PartialShape, Result, Tensor, ensure};

/// The numbers of an entry in a tensor.
const WIDTH: usize = 4;
/// The most streams: as many as a node has outputs.
const MOST_STREAMS: usize = 1 << 20;
/// The most quantiles: float32 holds their ranks exactly up to this number.
const MOST_QUANTILES: i64 = 1 << 24;

fn handle(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    resource_kernel(init, Unnamed::NodeName, |_, _| Ok(StreamsResource::default()), |_| Ok(()))
}

fn create(ctx: &mut KernelContext<'_>, most: i64) -> Result<()> {
    let empty = Stream::new(scalar(ctx, 1, "epsilon")?, most)?;
    let streams = count(scalar(ctx, 2, "num_streams")?, "num_streams")?;
    ensure!(streams <= MOST_STREAMS, InvalidArgument, "num_streams must be at most {MOST_STREAMS}, got {streams}");
    let made = Streams::new(empty, streams);
    ctx.resource::<StreamsResource>(0)?.0.lock().get_or_insert(made);
    Ok(())
}

fn is_initialized(ctx: &mut KernelContext<'_>) -> Result<()> {
    let exists = ctx.resource::<StreamsResource>(0)?.0.lock().is_some();
    ctx.set_output(0, Tensor::scalar(exists));
    Ok(())
}

fn to_tensor(summary: &Summary) -> Result<Tensor> {
    let numbers: Vec<f32> = summary.0.iter().flat_map(|e| [e.value, e.weight, e.min_rank, e.max_rank]).collect();
    Tensor::from_slice([summary.0.len(), WIDTH], &numbers)
}

fn from_tensor(t: &Tensor) -> Result<Summary> {
    let shape = t.shape();
    ensure!(
        shape.rank() == 2 && shape[1] == WIDTH,
        InvalidArgument,
        "A summary must be a matrix with {WIDTH} columns, got shape {shape}"
    );
    let entry = |row: &[f32]| Entry { value: row[0], weight: row[1], min_rank: row[2], max_rank: row[3] };
    Ok(Summary(t.slice::<f32>()?.chunks_exact(WIDTH).map(entry).collect()))
}

fn make_summaries(ctx: &mut KernelContext<'_>) -> Result<()> {
    let features = ctx.num_inputs() - 2;
    let weights = ctx.input(features)?.slice::<f32>()?;
    let error = scalar(ctx, features + 1, "epsilon")?;
    let values = (0..features).map(|i| ctx.input(i)?.slice::<f32>()).collect::<Result<Vec<_>>>()?;
    let batch = values.first().map_or(0, |v| v.len());
    ensure!(
        weights.len() == 1 || weights.len() == batch,
        InvalidArgument,
        "Weights should be a single value or same size as features."
    );
    ensure!(values.iter().all(|v| v.len() == batch), InvalidArgument, "All features must have {batch} values");
    let empty = Stream::new(error, batch as i64 + 1)?;
    let mut summaries = vec![Summary::default(); features];
    try_for_chunks_mut(ctx.threads(), &mut summaries, 1, |feature, summary| {
        let mut stream = empty.clone();
        for (i, &value) in values[feature].iter().enumerate() {
            stream.push(value, if weights.len() == 1 { weights[0] } else { weights[i] });
        }
        summary[0] = stream.finish();
    })?;
    for (i, summary) in summaries.iter().enumerate() {
        ctx.set_output(i, to_tensor(summary)?);
    }
    Ok(())
}

fn add_summaries(ctx: &mut KernelContext<'_>) -> Result<()> {
    let summaries = (1..ctx.num_inputs()).map(|i| from_tensor(ctx.input(i)?)).collect::<Result<Vec<_>>>()?;
    with_streams(ctx, |streams| {
        streams.check_count(summaries.len())?;
        streams.add(summaries);
        Ok(())
    })
}

fn flush_summaries(ctx: &mut KernelContext<'_>) -> Result<()> {
    let features = ctx.num_outputs();
    let summaries = with_streams(ctx, |streams| {
        streams.check_count(features)?;
        Ok(streams.take_summaries())
    })?;
    for (i, summary) in summaries.iter().enumerate() {
        ctx.set_output(i, to_tensor(summary)?);
    }
    Ok(())
}

/// Makes boundaries of all values, and empties the streams.
fn flush(ctx: &mut KernelContext<'_>, makes_quantiles: bool) -> Result<()> {
    let buckets: i64 = scalar(ctx, 1, "num_buckets")?;
    ensure!(buckets > 0, InvalidArgument, "num_buckets must be positive, got {buckets}");
    ensure!(
        buckets <= MOST_QUANTILES || !makes_quantiles,
        InvalidArgument,
        "num_buckets must be at most {MOST_QUANTILES}, got {buckets}"
    );
    with_streams(ctx, |streams| {
        let of_summary = |summary: &Summary| match makes_quantiles {
            true => summary.quantiles(buckets - 1),
            false => summary.boundaries(buckets),
        };
        streams.boundaries = streams.take_summaries().iter().map(of_summary).collect();
        Ok(())
    })
}

fn deserialize(ctx: &mut KernelContext<'_>) -> Result<()> {
    let boundaries = (1..ctx.num_inputs()).map(|i| Ok(ctx.input(i)?.slice::<f32>()?.to_vec()));
    let boundaries = boundaries.collect::<Result<Vec<_>>>()?;
    with_streams(ctx, |streams| {
        streams.check_count(boundaries.len())?;
        streams.boundaries = boundaries;
        Ok(())
    })
}

fn get_boundaries(ctx: &mut KernelContext<'_>) -> Result<()> {
    let features = ctx.num_outputs();
    let boundaries = with_streams(ctx, |streams| {
        streams.check_count(features)?;
        Ok(streams.boundaries.clone())
    })?;
    for (i, boundaries) in boundaries.iter().enumerate() {
        ctx.set_output(i, Tensor::from_slice([boundaries.len()], boundaries)?);
    }
    Ok(())
}

fn scalars_only(c: &mut ShapeContext<'_>) -> Result<()> {
    scalars(c, 0..c.num_inputs())?;
    shape_rules::scalar(c)
}

fn make_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let features = c.num_inputs() - 2;
    for i in 0..features {
        c.input(i)?.with_rank(1)?;
        c.set_output(i, PartialShape::from_dims(&[None, Some(WIDTH)]));
    }
    c.input(features)?.with_rank(1)?;
    scalars(c, [features + 1])
}

fn add_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    for i in 1..c.num_inputs() {
        c.input(i)?.with_rank(2)?.merge(&PartialShape::from_dims(&[None, Some(WIDTH)]))?;
    }
    scalars(c, [0])
}

fn flush_summaries_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    for i in 0..c.num_outputs() {
        c.set_output(i, PartialShape::from_dims(&[None, Some(WIDTH)]));
    }
    scalars(c, [0])
}

fn vectors_after_handle(c: &mut ShapeContext<'_>) -> Result<()> {
    for i in 1..c.num_inputs() {
        c.input(i)?.with_rank(1)?;
    }
    for i in 0..c.num_outputs() {
        c.set_output(i, PartialShape::vector(None));
    }
    scalars(c, [0])
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("BoostedTreesQuantileStreamResourceHandleOp")
            .output("resource: resource")
            .attr("container: string = ''")
            .attr("shared_name: string = ''")
            .stateful()
            .doc("Returns the handle of quantile streams, which need not be created.")
            .shape(shape_rules::scalar)
            .kernel(handle),
    );
    r.add(
        Op::new("BoostedTreesMakeQuantileSummaries")
            .input("float_values: num_features * float")
            .input("example_weights: float")
            .input("epsilon: float")
            .output("summaries: num_features * float")
            .attr("num_features: int >= 0")
            .doc("Returns a summary of each feature's values: rows of value, weight, least rank and greatest rank.")
            .shape(make_shape)
            .kernel(|_| kernel(make_summaries)),
    );
    let op = |name: &str| Op::new(name).input("quantile_stream_resource_handle: resource").stateful();
    r.add(
        op("IsBoostedTreesQuantileStreamResourceInitialized")
            .output("is_initialized: bool")
            .doc("Returns true if the quantile streams have been created.")
            .shape(scalars_only)
            .kernel(|_| kernel(is_initialized)),
    );
    r.add(
        op("BoostedTreesCreateQuantileStreamResource")
            .input("epsilon: float")
            .input("num_streams: int64")
            .attr("max_elements: int = 1099511627776")
            .doc("Creates quantile streams; those that exist stay as they are.")
            .shape(scalars_only)
            .kernel(|init| {
                let most = init.int("max_elements")?;
                kernel(move |ctx: &mut KernelContext<'_>| create(ctx, most))
            }),
    );
    r.add(
        op("BoostedTreesQuantileStreamResourceAddSummaries")
            .input("summaries: num_features * float")
            .attr("num_features: int >= 0")
            .doc("Adds a summary to each quantile stream.")
            .shape(add_shape)
            .kernel(|_| kernel(add_summaries)),
    );
    r.add(
        op("BoostedTreesFlushQuantileSummaries")
            .output("summaries: num_features * float")
            .attr("num_features: int >= 0")
            .doc("Returns a summary of each quantile stream, and empties the streams.")
            .shape(flush_summaries_shape)
            .kernel(|_| kernel(flush_summaries)),
    );
    r.add(
        op("BoostedTreesQuantileStreamResourceFlush")
            .input("num_buckets: int64")
            .attr("generate_quantiles: bool = false")
            .doc("Makes bucket boundaries of each quantile stream, and empties the streams.")
            .shape(scalars_only)
            .kernel(|init| {
                let makes_quantiles = init.bool("generate_quantiles")?;
                kernel(move |ctx: &mut KernelContext<'_>| flush(ctx, makes_quantiles))
            }),
    );
    r.add(
        op("BoostedTreesQuantileStreamResourceDeserialize")
            .input("bucket_boundaries: num_streams * float")
            .attr("num_streams: int >= 1")
            .doc("Sets the bucket boundaries of quantile streams.")
            .shape(vectors_after_handle)
            .kernel(|_| kernel(deserialize)),
    );
    r.add(
        op("BoostedTreesQuantileStreamResourceGetBucketBoundaries")
            .output("bucket_boundaries: num_features * float")
            .attr("num_features: int >= 0")
            .doc("Returns the bucket boundaries of quantile streams, empty before they are made.")
            .shape(vectors_after_handle)
            .kernel(|_| kernel(get_boundaries)),
    );
}
