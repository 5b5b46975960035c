//! RandomTreeHandle, RandomTreeCreate, RandomTreeTrain, RandomTreePredict, RandomTreeSize and the other ops of a tree.
//!
//! TensorFlow has other ops for these trees, in a library of its own.

use super::bytes::{decode, encode};
use super::tree::{Example, RandomTree, Settings};
use ferroflow_graph::{
    Kernel, KernelContext, KernelInit, Op, Registry, ResourceHandle, ShapeContext, Unnamed, kernel, resource_kernel,
    shape_rules,
};
use ferroflow_sync::RwLock;
use ferroflow_tensor::philox::{Philox, Words};
use ferroflow_tensor::threads::try_for_chunks_mut;
use ferroflow_tensor::{Bytes, DType, PartialShape, Result, Tensor, bail, ensure};

/// Examples of one parallel block.
const BLOCK: usize = 256;
/// The most outputs of a tree.
const MOST_OUTPUTS: usize = 1 << 20;

/// A tree by name; None until it is created.
#[derive(Default)]
struct TreeResource(RwLock<Option<RandomTree>>);

fn missing<R>(ctx: &KernelContext<'_>) -> Result<R> {
    let name = &ResourceHandle::from_tensor(ctx.input(0)?)?.name.name;
    bail!(NotFound, "The random tree {name} has not been created")
}

fn read<R>(ctx: &KernelContext<'_>, f: impl FnOnce(&RandomTree) -> Result<R>) -> Result<R> {
    match &*ctx.resource::<TreeResource>(0)?.0.read() {
        Some(tree) => f(tree),
        None => missing(ctx),
    }
}

fn write<R>(ctx: &KernelContext<'_>, f: impl FnOnce(&mut RandomTree) -> Result<R>) -> Result<R> {
    match &mut *ctx.resource::<TreeResource>(0)?.0.write() {
        Some(tree) => f(tree),
        None => missing(ctx),
    }
}

fn positive(init: &KernelInit<'_>, name: &str) -> Result<usize> {
    match usize::try_from(init.int(name)?) {
        Ok(n) if n > 0 => Ok(n),
        _ => bail!(InvalidArgument, "{name} must be positive, got {}", init.int(name)?),
    }
}

fn serialized<'a>(ctx: &'a KernelContext<'_>) -> Result<&'a Bytes> {
    match ctx.input(1)?.strings()? {
        [one] => Ok(one),
        many => bail!(InvalidArgument, "tree_serialized must be a scalar, got {} elements", many.len()),
    }
}

/// Returns the number of outputs of a tree, which each leaf and each candidate has sums of.
fn outputs(init: &KernelInit<'_>) -> Result<usize> {
    match positive(init, "num_outputs")? {
        n if n <= MOST_OUTPUTS => Ok(n),
        n => bail!(InvalidArgument, "num_outputs must be at most {MOST_OUTPUTS}, got {n}"),
    }
}

fn create_kernel(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let settings = Settings {
        outputs: outputs(init)?,
        is_regression: init.bool("is_regression")?,
        max_nodes: positive(init, "max_nodes")?,
        split_after: init.int("split_after_samples")? as f32,
        candidates: positive(init, "num_splits_to_consider")?,
        is_strict: init.bool("is_strict")?,
    };
    let (seed, seed2) = (init.int("seed")?, init.int("seed2")?);
    kernel(move |ctx: &mut KernelContext<'_>| {
        let nodes = decode(serialized(ctx)?, settings.outputs)?;
        let words = Words::new(Philox::of_op(seed, seed2));
        let made = || RandomTree::new(settings.clone(), nodes, words);
        ctx.resource::<TreeResource>(0)?.0.write().get_or_insert_with(made);
        Ok(())
    })
}

fn is_created(ctx: &mut KernelContext<'_>) -> Result<()> {
    let exists = ctx.resource::<TreeResource>(0)?.0.read().is_some();
    ctx.set_output(0, Tensor::scalar(exists));
    Ok(())
}

fn serialize(ctx: &mut KernelContext<'_>) -> Result<()> {
    let bytes = read(ctx, |tree| Ok(encode(&tree.nodes)))?;
    ctx.set_output(0, Tensor::from_strings([], vec![Bytes::from(bytes)])?);
    Ok(())
}

fn deserialize(ctx: &mut KernelContext<'_>) -> Result<()> {
    write(ctx, |tree| {
        let nodes = decode(serialized(ctx)?, tree.settings.outputs)?;
        ensure!(!nodes.is_empty(), InvalidArgument, "There is no random tree to restore");
        // The candidates of leaves are not saved: they begin again.
        let words = Words::new(Philox::of_op(nodes.len() as i64, 1));
        *tree = RandomTree::new(tree.settings.clone(), nodes, words);
        Ok(())
    })
}

fn matrix<'a>(ctx: &'a KernelContext<'_>, i: usize, name: &str) -> Result<(&'a [f32], usize, usize)> {
    let t = ctx.input(i)?;
    ensure!(t.rank() == 2, InvalidArgument, "{name} must be a matrix, got shape {}", t.shape());
    Ok((t.slice()?, t.shape()[0], t.shape()[1]))
}

fn train(ctx: &mut KernelContext<'_>) -> Result<()> {
    let (features, batch, width) = matrix(ctx, 1, "features")?;
    let (labels, of_labels, label_width) = matrix(ctx, 2, "labels")?;
    let weights: &[f32] = ctx.input(3)?.slice()?;
    ensure!(of_labels == batch, InvalidArgument, "There are {of_labels} labels for {batch} examples");
    ensure!(
        weights.is_empty() || weights.len() == batch,
        InvalidArgument,
        "There are {} weights for {batch} examples",
        weights.len()
    );
    write(ctx, |tree| {
        let Settings { outputs, is_regression, .. } = tree.settings;
        ensure!(
            label_width == if is_regression { outputs } else { 1 },
            InvalidArgument,
            "labels have {label_width} columns, which does not fit {outputs} outputs"
        );
        if !is_regression {
            let is_class = |&&label: &&f32| label >= 0.0 && label < outputs as f32;
            if let Some(label) = labels.iter().find(|label| !is_class(label)) {
                bail!(InvalidArgument, "Labels must be in [0, {outputs}), got {label}");
            }
        }
        for i in 0..batch {
            tree.add(&Example {
                features: &features[i * width..(i + 1) * width],
                labels: &labels[i * label_width..(i + 1) * label_width],
                weight: weights.get(i).copied().unwrap_or(1.0),
            });
        }
        Ok(())
    })
}

fn predict(ctx: &mut KernelContext<'_>, outputs: usize) -> Result<()> {
    let (features, batch, width) = matrix(ctx, 1, "features")?;
    let out = read(ctx, |tree| {
        let of_tree = tree.settings.outputs;
        ensure!(outputs == of_tree, InvalidArgument, "num_outputs is {outputs}, but the tree has {of_tree} outputs");
        let mut out = Tensor::zeros(DType::F32, [batch, outputs])?;
        try_for_chunks_mut(ctx.threads(), out.slice_mut::<f32>()?, BLOCK * outputs, |start, rows| {
            for (i, row) in rows.chunks_exact_mut(outputs).enumerate() {
                let at = start / outputs + i;
                tree.predict(&features[at * width..(at + 1) * width], row);
            }
        })?;
        Ok(out)
    })?;
    ctx.set_output(0, out);
    Ok(())
}

fn size(ctx: &mut KernelContext<'_>) -> Result<()> {
    let nodes = read(ctx, |tree| Ok(tree.nodes.len() as i32))?;
    ctx.set_output(0, Tensor::scalar(nodes));
    Ok(())
}

fn usage_kernel(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let features = positive(init, "num_features")?;
    kernel(move |ctx: &mut KernelContext<'_>| {
        let mut out = Tensor::zeros(DType::I32, [features])?;
        let counts = out.slice_mut::<i32>()?;
        read(ctx, |tree| {
            for branch in tree.nodes.iter().filter_map(|n| n.branch) {
                if let Some(count) = counts.get_mut(branch.feature as usize) {
                    *count += 1;
                }
            }
            Ok(())
        })?;
        ctx.set_output(0, out);
        Ok(())
    })
}

fn train_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let features = c.input(1)?.with_rank(2)?;
    let labels = c.input(2)?.with_rank(2)?;
    PartialShape::vector(features.dim(0)).merge(&PartialShape::vector(labels.dim(0)))?;
    c.input(3)?.with_rank(1)?;
    Ok(())
}

fn predict_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let batch = c.input(1)?.with_rank(2)?.dim(0);
    let outputs = usize::try_from(c.int("num_outputs")?).ok();
    c.set_output(0, PartialShape::from_dims(&[batch, outputs]));
    Ok(())
}

fn usage_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let features = usize::try_from(c.int("num_features")?).ok();
    c.set_output(0, PartialShape::vector(features));
    Ok(())
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("RandomTreeHandle")
            .output("tree_handle: resource")
            .attr("container: string = ''")
            .attr("shared_name: string = ''")
            .stateful()
            .doc("Returns the handle of a random tree, which need not be created.")
            .shape(shape_rules::scalar)
            .kernel(|init| resource_kernel(init, Unnamed::NodeName, |_, _| Ok(TreeResource::default()), |_| Ok(()))),
    );
    let op = |name: &str| Op::new(name).input("tree_handle: resource").stateful();
    r.add(
        op("RandomTreeCreate")
            .input("tree_serialized: string")
            .attr("num_outputs: int >= 1")
            .attr("is_regression: bool = false")
            .attr("max_nodes: int >= 1")
            .attr("split_after_samples: int >= 1")
            .attr("num_splits_to_consider: int >= 1")
            .attr("is_strict: bool = false")
            .attr("seed: int = 0")
            .attr("seed2: int = 0")
            .doc("Creates a random tree from bytes, or of one leaf; one that exists stays as it is.")
            .shape(shape_rules::unknown)
            .kernel(create_kernel),
    );
    r.add(
        op("RandomTreeIsCreated")
            .output("is_created: bool")
            .doc("Returns true if the random tree has been created.")
            .shape(shape_rules::scalar)
            .kernel(|_| kernel(is_created)),
    );
    r.add(
        op("RandomTreeSerialize")
            .output("tree_serialized: string")
            .doc("Returns a random tree as bytes, without the candidates of its leaves.")
            .shape(shape_rules::scalar)
            .kernel(|_| kernel(serialize)),
    );
    r.add(
        op("RandomTreeDeserialize")
            .input("tree_serialized: string")
            .doc("Replaces a random tree by that of bytes.")
            .shape(shape_rules::unknown)
            .kernel(|_| kernel(deserialize)),
    );
    r.add(
        op("RandomTreeTrain")
            .input("features: float")
            .input("labels: float")
            .input("weights: float")
            .doc("Adds examples to a random tree, which splits leaves that have seen enough of them.")
            .shape(train_shape)
            .kernel(|_| kernel(train)),
    );
    r.add(
        op("RandomTreePredict")
            .input("features: float")
            .attr("num_outputs: int >= 1")
            .output("values: float")
            .doc("Returns the shares of the classes among the examples of a leaf, or the means of their labels.")
            .shape(predict_shape)
            .kernel(|init| {
                let outputs = outputs(init)?;
                kernel(move |ctx: &mut KernelContext<'_>| predict(ctx, outputs))
            }),
    );
    r.add(
        op("RandomTreeSize")
            .output("size: int32")
            .doc("Returns the number of a random tree's nodes.")
            .shape(shape_rules::scalar)
            .kernel(|_| kernel(size)),
    );
    r.add(
        op("RandomTreeFeatureUsage")
            .attr("num_features: int >= 1")
            .output("counts: int32")
            .doc("Returns the number of a random tree's splits for each feature.")
            .shape(usage_shape)
            .kernel(usage_kernel),
    );
}
