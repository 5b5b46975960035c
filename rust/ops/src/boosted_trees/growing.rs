//! BoostedTreesUpdateEnsemble, BoostedTreesUpdateEnsembleV2, BoostedTreesCenterBias: the ops that change an ensemble.

use super::ensemble::{EnsembleResource, Split, leaf_behind, leaf_node, logit};
use super::gain::{Penalty, are_equal, is_larger};
use super::inputs::{count, scalar, scalars, vector};
use ferroflow_graph::{Kernel, KernelContext, KernelInit, Op, Registry, ShapeContext, kernel, shape_rules};
use ferroflow_proto::tensorflow::boosted_trees::SplitTypeWithDefault;
use ferroflow_tensor::{PartialShape, Result, Tensor, bail, ensure};
use std::collections::BTreeMap;

/// A bias that changes by a smaller part of itself is centered.
const CENTERED: f32 = 0.01;

/// The treatment of splits that have negative gain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pruning {
    None,
    /// Such splits are not made.
    Pre,
    /// They are removed when the tree is complete.
    Post,
}

impl Pruning {
    fn of(mode: i64) -> Result<Pruning> {
        match mode {
            0 => Ok(Pruning::None),
            1 => Ok(Pruning::Pre),
            2 => Ok(Pruning::Post),
            _ => bail!(InvalidArgument, "pruning_mode must be 0, 1 or 2, got {mode}"),
        }
    }
}

/// Checks the lists of the update ops: `lists` of vectors, then two of matrices with one column.
fn check_lists(c: &ShapeContext<'_>, vectors: &[usize], matrices: &[usize], features: usize) -> Result<()> {
    c.input(1)?.with_rank(1)?.merge(&PartialShape::vector(Some(features)))?;
    for feature in 0..features {
        let mut candidates = PartialShape::vector(None);
        for list in vectors {
            candidates = candidates.merge(&c.input(2 + list * features + feature)?.with_rank(1)?)?;
        }
        for list in matrices {
            let matrix = c.input(2 + list * features + feature)?.with_rank(2)?;
            matrix.merge(&PartialShape::from_dims(&[candidates.dim(0), Some(1)]))?;
        }
    }
    Ok(())
}

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let features = count(c.int("num_features")?, "num_features")?;
    check_lists(c, &[0, 1, 2], &[3, 4], features)?;
    scalars(c, [0, 2 + 5 * features, 3 + 5 * features])
}

fn shape_v2(c: &mut ShapeContext<'_>) -> Result<()> {
    let features = count(c.int("num_features")?, "num_features")?;
    check_lists(c, &[0, 1, 2, 3, 6], &[4, 5], features)?;
    scalars(c, [0, 2 + 7 * features, 3 + 7 * features, 4 + 7 * features])
}

fn bias_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    c.input(1)?.with_rank(2)?.merge(&c.input(2)?.with_rank(2)?)?;
    scalars(c, [0, 3, 4])?;
    shape_rules::scalar(c)
}

/// The positions of the lists among those of an update op; a list has one tensor for each feature.
struct Lists {
    features: usize,
    dimensions: Option<usize>,
    nodes: usize,
    gains: usize,
    thresholds: usize,
    left: usize,
    right: usize,
    kinds: Option<usize>,
}

impl Lists {
    fn tensor<'a>(&self, ctx: &'a KernelContext<'_>, list: usize, feature: usize) -> Result<&'a Tensor> {
        ctx.input(2 + list * self.features + feature)
    }

    /// Returns the best split of each node, sorted by node. Of equal gains, that of the lower feature is the best.
    fn best(&self, ctx: &KernelContext<'_>, learning_rate: f32) -> Result<BTreeMap<i32, Split>> {
        let ids: &[i32] = vector(ctx.input(1)?, "feature_ids")?;
        ensure!(ids.len() == self.features, InvalidArgument, "feature_ids must have {} elements", self.features);
        let mut best: BTreeMap<i32, Split> = BTreeMap::new();
        for (f, &feature) in ids.iter().enumerate() {
            let nodes: &[i32] = vector(self.tensor(ctx, self.nodes, f)?, "Each node_id in node_ids_list")?;
            let gains: &[f32] = vector(self.tensor(ctx, self.gains, f)?, "Each gain in gains_list")?;
            let thresholds: &[i32] =
                vector(self.tensor(ctx, self.thresholds, f)?, "Each threshold in thresholds_list")?;
            let left = self.tensor(ctx, self.left, f)?.slice::<f32>()?;
            let right = self.tensor(ctx, self.right, f)?.slice::<f32>()?;
            let dimensions = match self.dimensions {
                Some(list) => vector(self.tensor(ctx, list, f)?, "Each dimension_id in dimension_ids_list")?,
                None => &[][..],
            };
            let kinds = self.kinds.map(|list| self.tensor(ctx, list, f)?.strings()).transpose()?;
            let sizes = [gains.len(), thresholds.len(), left.len(), right.len()];
            let more = [self.dimensions.map(|_| dimensions.len()), kinds.map(<[_]>::len)];
            ensure!(
                sizes.iter().chain(more.iter().flatten()).all(|&n| n == nodes.len()),
                InvalidArgument,
                "The candidates of feature {feature} must have one element for each of {} nodes",
                nodes.len()
            );
            for (i, &node) in nodes.iter().enumerate() {
                let gain = gains[i];
                let is_better = best.get(&node).is_none_or(|best: &Split| match are_equal(gain, best.gain) {
                    true => feature < best.feature,
                    false => is_larger(gain, best.gain),
                });
                if is_better {
                    let kind = kinds.and_then(|k| std::str::from_utf8(&k[i]).ok());
                    let kind = kind.and_then(SplitTypeWithDefault::from_str_name);
                    let split = Split {
                        feature,
                        dimension: dimensions.get(i).copied().unwrap_or(0),
                        threshold: thresholds[i],
                        gain,
                        left: vec![learning_rate * left[i]],
                        right: vec![learning_rate * right[i]],
                        kind: kind.unwrap_or(SplitTypeWithDefault::InequalityDefaultLeft),
                    };
                    best.insert(node, split);
                }
            }
        }
        Ok(best)
    }

    /// Grows the ensemble by one layer. `depth` is the position of `max_depth`, before that of the learning rate.
    fn update(&self, ctx: &KernelContext<'_>, depth: usize, pruning: Pruning) -> Result<()> {
        let max_depth: i32 = scalar(ctx, depth, "max_depth")?;
        let mut best = self.best(ctx, scalar(ctx, depth + 1, "learning_rate")?)?;
        if pruning == Pruning::Pre {
            best.retain(|_, split| !matches!(split.gain.partial_cmp(&0.0), Some(std::cmp::Ordering::Less)));
        }
        EnsembleResource::write(ctx, |ensemble| {
            ensemble.raise_stamp();
            ensemble.grow(best.into_iter().collect(), 1, max_depth, pruning == Pruning::Post)
        })
    }
}

fn update_kernel(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let features = count(init.int("num_features")?, "num_features")?;
    let pruning = Pruning::of(init.int("pruning_mode")?)?;
    let lists = Lists { features, dimensions: None, nodes: 0, gains: 1, thresholds: 2, left: 3, right: 4, kinds: None };
    kernel(move |ctx: &mut KernelContext<'_>| lists.update(ctx, 2 + 5 * features, pruning))
}

fn update_v2_kernel(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let features = count(init.int("num_features")?, "num_features")?;
    let lists =
        Lists { features, dimensions: Some(0), nodes: 1, gains: 2, thresholds: 3, left: 4, right: 5, kinds: Some(6) };
    let depth = 2 + 7 * features;
    kernel(move |ctx: &mut KernelContext<'_>| {
        let pruning = Pruning::of(scalar::<i32>(ctx, depth + 2, "pruning_mode")?.into())?;
        lists.update(ctx, depth, pruning)
    })
}

/// Moves the first tree's root by the weight of all examples.
fn center_bias(ctx: &mut KernelContext<'_>) -> Result<()> {
    let penalty = Penalty { l1: scalar(ctx, 3, "l1")?, l2: scalar(ctx, 4, "l2")? };
    let means = [ctx.input(1)?.slice::<f32>()?, ctx.input(2)?.slice::<f32>()?];
    let [&[gradient], &[hessian]] = means else {
        bail!(InvalidArgument, "mean_gradients and mean_hessians must have one element")
    };
    let (change, _) = penalty.weight_and_gain(gradient, hessian);
    let goes_on = EnsembleResource::write(ctx, |ensemble| {
        ensemble.raise_stamp();
        let Some(first) = ensemble.message.trees.first_mut() else {
            ensemble.add_tree(vec![change]);
            return Ok(true);
        };
        let Some(root) = first.nodes.first_mut() else { bail!(InvalidArgument, "The first tree has no nodes") };
        let bias = leaf_behind(root).map_or(0.0, |leaf| logit(leaf, 0));
        ensure!(
            super::ensemble::children(root).is_none(),
            InvalidArgument,
            "The bias can only be centered before the first tree is grown"
        );
        *root = leaf_node(vec![bias + change]);
        Ok((change / bias).abs() > CENTERED)
    })?;
    ctx.set_output(0, Tensor::scalar(goes_on));
    Ok(())
}

pub(super) fn register(r: &mut Registry) {
    let op = |name: &str| Op::new(name).input("tree_ensemble_handle: resource").stateful();
    r.add(
        op("BoostedTreesUpdateEnsemble")
            .input("feature_ids: int32")
            .input("node_ids: num_features * int32")
            .input("gains: num_features * float")
            .input("thresholds: num_features * int32")
            .input("left_node_contribs: num_features * float")
            .input("right_node_contribs: num_features * float")
            .input("max_depth: int32")
            .input("learning_rate: float")
            .attr("pruning_mode: int >= 0")
            .attr("num_features: int >= 0")
            .doc("Adds a layer to the last tree: each node gets the best of its features' splits.")
            .shape(shape)
            .kernel(update_kernel),
    );
    r.add(
        op("BoostedTreesUpdateEnsembleV2")
            .input("feature_ids: int32")
            .input("dimension_ids: num_features * int32")
            .input("node_ids: num_features * int32")
            .input("gains: num_features * float")
            .input("thresholds: num_features * int32")
            .input("left_node_contribs: num_features * float")
            .input("right_node_contribs: num_features * float")
            .input("split_types: num_features * string")
            .input("max_depth: int32")
            .input("learning_rate: float")
            .input("pruning_mode: int32")
            .attr("num_features: int >= 0")
            .doc("Adds a layer to the last tree, of splits that are inequalities or equalities.")
            .shape(shape_v2)
            .kernel(update_v2_kernel),
    );
    r.add(
        op("BoostedTreesCenterBias")
            .input("mean_gradients: float")
            .input("mean_hessians: float")
            .input("l1: float")
            .input("l2: float")
            .output("continue_centering: bool")
            .doc("Moves the first tree's root to the mean of the labels; returns true until it hardly moves.")
            .shape(bias_shape)
            .kernel(|_| kernel(center_bias)),
    );
}
