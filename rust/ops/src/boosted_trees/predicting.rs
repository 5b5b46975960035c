//! BoostedTreesPredict, BoostedTreesTrainingPredict, BoostedTreesExampleDebugOutputs.

use super::ensemble::EnsembleResource;
use super::forest::{Forest, Place};
use super::inputs::{buckets, count, merged_vectors, vector};
use ferroflow_graph::{Kernel, KernelContext, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_proto::Message;
use ferroflow_proto::tensorflow::boosted_trees::DebugOutput;
use ferroflow_tensor::threads::try_for_chunks_mut;
use ferroflow_tensor::{Bytes, DType, PartialShape, Result, Tensor, ensure};

/// Examples of one parallel block.
const BLOCK: usize = 256;
/// The most logits of an example.
const MOST_LOGITS: usize = 1 << 24;

fn logits_shape(c: &ShapeContext<'_>, batch: Option<usize>) -> Result<PartialShape> {
    Ok(PartialShape::from_dims(&[batch, Some(count(c.int("logits_dimension")?, "logits_dimension")?)]))
}

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    c.input(0)?.with_rank(0)?;
    let features = merged_vectors(c, 1, c.num_inputs() - 1)?;
    let logits = logits_shape(c, features.dim(0))?;
    c.set_output(0, logits);
    Ok(())
}

fn debug_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    c.input(0)?.with_rank(0)?;
    let features = merged_vectors(c, 1, c.num_inputs() - 1)?;
    c.set_output(0, features);
    Ok(())
}

fn training_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    c.input(0)?.with_rank(0)?;
    let features = merged_vectors(c, 3, c.num_inputs() - 3)?;
    let features = features.merge(c.input(1)?)?.merge(c.input(2)?)?;
    let logits = logits_shape(c, features.dim(0))?;
    c.set_output(0, logits);
    c.set_output(1, features.clone());
    c.set_output(2, features);
    Ok(())
}

/// The attributes of the ops that predict.
#[derive(Clone, Copy)]
struct Sizes {
    features: usize,
    dimension: usize,
}

impl Sizes {
    fn of(init: &KernelInit<'_>) -> Result<Sizes> {
        let features = count(init.int("num_bucketized_features")?, "num_bucketized_features")?;
        let dimension = count(init.int("logits_dimension")?, "logits_dimension")?;
        ensure!(
            (1..=MOST_LOGITS).contains(&dimension),
            InvalidArgument,
            "logits_dimension must be in [1, {MOST_LOGITS}], got {dimension}"
        );
        Ok(Sizes { features, dimension })
    }
}

fn batch_of(features: &[&[i32]]) -> usize {
    features.first().map_or(0, |f| f.len())
}

fn predict(ctx: &mut KernelContext<'_>, sizes: Sizes) -> Result<()> {
    let features = buckets(ctx, 1, sizes.features)?;
    let forest = EnsembleResource::read(ctx, |e| Forest::of(e, sizes.features, sizes.dimension))?;
    let mut logits = Tensor::zeros(DType::F32, [batch_of(&features), sizes.dimension])?;
    let width = sizes.dimension;
    try_for_chunks_mut(ctx.threads(), logits.slice_mut()?, BLOCK * width, |start, rows| {
        for (i, row) in rows.chunks_exact_mut(width).enumerate() {
            forest.predict(start / width + i, &features, row);
        }
    })?;
    ctx.set_output(0, logits);
    Ok(())
}

/// One example of a training step: where it was, where it is, and what it gained.
#[derive(Clone)]
struct Example {
    cached: Option<Place>,
    first: usize,
    place: Place,
    logits: Vec<f32>,
}

fn training_predict(ctx: &mut KernelContext<'_>, sizes: Sizes) -> Result<()> {
    let features = buckets(ctx, 3, sizes.features)?;
    let batch = batch_of(&features);
    let trees: &[i32] = vector(ctx.input(1)?, "cached_tree_ids")?;
    let nodes: &[i32] = vector(ctx.input(2)?, "cached_node_ids")?;
    ensure!(
        trees.len() == batch && nodes.len() == batch,
        InvalidArgument,
        "cached_tree_ids and cached_node_ids must have an element for each of {batch} examples, got {} and {}",
        trees.len(),
        nodes.len()
    );
    let forest = EnsembleResource::read(ctx, |e| Forest::of(e, sizes.features, sizes.dimension))?;
    let mut logits = Tensor::zeros(DType::F32, [batch, sizes.dimension])?;
    let mut tree_ids = Tensor::from_slice([batch], trees)?;
    let mut node_ids = Tensor::zeros(DType::I32, [batch])?;
    if forest.len() > 0 {
        let start = Place { tree: 0, node: 0 };
        let examples = trees.iter().zip(nodes).map(|(&tree, &node)| {
            let cached = forest.cached(tree, node)?;
            Ok(Example { cached, first: tree as usize, place: start, logits: vec![0.0; sizes.dimension] })
        });
        let mut examples = examples.collect::<Result<Vec<_>>>()?;
        try_for_chunks_mut(ctx.threads(), &mut examples, BLOCK, |start, block| {
            for (i, e) in block.iter_mut().enumerate() {
                e.place = forest.predict_from(e.cached, e.first, start + i, &features, &mut e.logits);
            }
        })?;
        let (tree_ids, node_ids) = (tree_ids.slice_mut::<i32>()?, node_ids.slice_mut::<i32>()?);
        let rows = logits.slice_mut::<f32>()?.chunks_exact_mut(sizes.dimension);
        for (i, (example, row)) in examples.iter().zip(rows).enumerate() {
            (tree_ids[i], node_ids[i]) = (example.place.tree as i32, example.place.node as i32);
            row.copy_from_slice(&example.logits);
        }
    }
    ctx.set_output(0, logits);
    ctx.set_output(1, tree_ids);
    ctx.set_output(2, node_ids);
    Ok(())
}

/// Returns the features of an example's splits, and its logit after each.
fn path(forest: &Forest, example: usize, features: &[&[i32]]) -> DebugOutput {
    let mut output = DebugOutput::default();
    if forest.len() == 0 {
        return output;
    }
    let (mut logit, mut of_trees_before) = (forest.weighted_logit(Place { tree: 0, node: 0 }), 0.0);
    output.logits_path.push(logit);
    for tree in 0..forest.len() {
        let mut place = Place { tree, node: 0 };
        while let Some((next, feature)) = forest.next(place, example, features) {
            place = next;
            logit = forest.weighted_logit(place);
            output.feature_ids.push(feature as i32);
            output.logits_path.push(logit + of_trees_before);
        }
        // A tree that is only a root adds nothing, except the first, which may be a bias.
        if tree == 0 || place.node > 0 {
            of_trees_before += logit;
        }
    }
    output
}

fn debug_outputs(ctx: &mut KernelContext<'_>, sizes: Sizes) -> Result<()> {
    ensure!(sizes.dimension == 1, InvalidArgument, "Currently only one dimensional outputs are supported.");
    let features = buckets(ctx, 1, sizes.features)?;
    let forest = EnsembleResource::read(ctx, |e| Forest::of(e, sizes.features, sizes.dimension))?;
    let batch = batch_of(&features);
    let each = (0..batch).map(|i| Bytes::from(path(&forest, i, &features).encode_to_vec()));
    let outputs = Tensor::from_strings([batch], each.collect())?;
    ctx.set_output(0, outputs);
    Ok(())
}

fn sized(init: &KernelInit<'_>, f: fn(&mut KernelContext<'_>, Sizes) -> Result<()>) -> Result<Box<dyn Kernel>> {
    let sizes = Sizes::of(init)?;
    kernel(move |ctx: &mut KernelContext<'_>| f(ctx, sizes))
}

pub(super) fn register(r: &mut Registry) {
    let op = |name: &str| Op::new(name).input("tree_ensemble_handle: resource");
    let with_features = |op: Op| {
        op.input("bucketized_features: num_bucketized_features * int32")
            .attr("num_bucketized_features: int >= 1")
            .attr("logits_dimension: int")
            .stateful()
    };
    r.add(
        with_features(op("BoostedTreesPredict"))
            .output("logits: float")
            .doc("Returns the sum of the trees' logits for each example.")
            .shape(shape)
            .kernel(|init| sized(init, predict)),
    );
    let cached = op("BoostedTreesTrainingPredict").input("cached_tree_ids: int32").input("cached_node_ids: int32");
    r.add(
        with_features(cached)
            .output("partial_logits: float")
            .output("tree_ids: int32")
            .output("node_ids: int32")
            .doc("Returns the change of each example's logits since it was at the cached node, and its node now.")
            .shape(training_shape)
            .kernel(|init| sized(init, training_predict)),
    );
    r.add(
        with_features(op("BoostedTreesExampleDebugOutputs"))
            .output("examples_debug_outputs_serialized: string")
            .doc("Returns, for each example, a message with the features of its splits and its logit after each.")
            .shape(debug_shape)
            .kernel(|init| sized(init, debug_outputs)),
    );
}
