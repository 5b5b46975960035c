//! `Ensemble`: the trees that are grown, and the growth of one layer.

use ferroflow_graph::{KernelContext, ResourceHandle};
use ferroflow_proto::Message;
use ferroflow_proto::tensorflow::boosted_trees::{
    BucketizedSplit, CategoricalSplit, DefaultDirection, GrowingMetadata, Leaf, Node, NodeMetadata,
    SplitTypeWithDefault, Tree, TreeEnsemble, TreeMetadata, Vector, leaf, node,
};
use ferroflow_sync::RwLock;
use ferroflow_tensor::{Result, bail, ensure};
use std::sync::Arc;

/// The weight of every tree: leaves contain the learning rate.
const TREE_WEIGHT: f32 = 1.0;

/// An ensemble by name; None until it is created.
#[derive(Default)]
pub(super) struct EnsembleResource(pub RwLock<Option<Ensemble>>);

/// Trees, with a number that each change raises.
pub(super) struct Ensemble {
    pub stamp: i64,
    pub message: TreeEnsemble,
}

/// A split of a node that has been chosen.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Split {
    pub feature: i32,
    pub dimension: i32,
    pub threshold: i32,
    pub gain: f32,
    pub left: Vec<f32>,
    pub right: Vec<f32>,
    pub kind: SplitTypeWithDefault,
}

impl EnsembleResource {
    /// Returns the resource that input 0 names.
    ///
    /// Errors: `InvalidArgument` for a resource of another kind.
    pub fn of(ctx: &KernelContext<'_>) -> Result<Arc<EnsembleResource>> {
        ctx.resource(0)
    }

    /// Calls `f` with the ensemble that input 0 names.
    ///
    /// Errors: `NotFound` if it has not been created.
    pub fn read<R>(ctx: &KernelContext<'_>, f: impl FnOnce(&Ensemble) -> Result<R>) -> Result<R> {
        match &*Self::of(ctx)?.0.read() {
            Some(ensemble) => f(ensemble),
            None => missing(ctx),
        }
    }

    /// Calls `f` with the ensemble that input 0 names, to change it.
    ///
    /// Errors: `NotFound` if it has not been created.
    pub fn write<R>(ctx: &KernelContext<'_>, f: impl FnOnce(&mut Ensemble) -> Result<R>) -> Result<R> {
        match &mut *Self::of(ctx)?.0.write() {
            Some(ensemble) => f(ensemble),
            None => missing(ctx),
        }
    }
}

fn missing<R>(ctx: &KernelContext<'_>) -> Result<R> {
    let name = &ResourceHandle::from_tensor(ctx.input(0)?)?.name;
    let container = if name.container.is_empty() { "localhost" } else { &name.container };
    bail!(NotFound, "Resource {container}/{}/N10tensorflow28BoostedTreesEnsembleResourceE does not exist.", name.name)
}

/// Returns the leaf of these logits.
fn leaf_of(logits: Vec<f32>) -> Leaf {
    match logits[..] {
        [one] => Leaf { scalar: one, leaf: None },
        _ => Leaf { scalar: 0.0, leaf: Some(leaf::Leaf::Vector(Vector { value: logits })) },
    }
}

pub(super) fn leaf_node(logits: Vec<f32>) -> Node {
    Node { node: Some(node::Node::Leaf(leaf_of(logits))), metadata: None }
}

/// Returns a leaf's logit in a dimension; 0 where it has none.
pub(super) fn logit(leaf: &Leaf, dimension: usize) -> f32 {
    match &leaf.leaf {
        Some(leaf::Leaf::Vector(vector)) => vector.value.get(dimension).copied().unwrap_or(0.0),
        Some(leaf::Leaf::SparseVector(sparse)) => {
            let at = sparse.index.iter().position(|&i| usize::try_from(i) == Ok(dimension));
            at.and_then(|at| sparse.value.get(at)).copied().unwrap_or(0.0)
        }
        None if dimension == 0 => leaf.scalar,
        None => 0.0,
    }
}

/// Returns the leaf of a node: of a split, the leaf that it was before. The root need not have one.
pub(super) fn leaf_behind(node: &Node) -> Option<&Leaf> {
    match &node.node {
        Some(node::Node::Leaf(leaf)) => Some(leaf),
        _ => node.metadata.as_ref()?.original_leaf.as_ref(),
    }
}

/// Returns the numbers of a split's children, or None for a leaf.
pub(super) fn children(node: &Node) -> Option<[i32; 2]> {
    match &node.node {
        Some(node::Node::BucketizedSplit(s)) => Some([s.left_id, s.right_id]),
        Some(node::Node::CategoricalSplit(s)) => Some([s.left_id, s.right_id]),
        Some(node::Node::DenseSplit(s)) => Some([s.left_id, s.right_id]),
        Some(node::Node::Leaf(_)) | None => None,
    }
}

impl Ensemble {
    /// Returns the ensemble of a serialized message.
    ///
    /// Errors: `InvalidArgument` if the bytes are no such message.
    pub fn parse(serialized: &[u8], stamp: i64) -> Result<Ensemble> {
        match TreeEnsemble::decode(serialized) {
            Ok(message) => Ok(Ensemble { stamp, message }),
            Err(_) => bail!(InvalidArgument, "Unable to parse tree ensemble proto."),
        }
    }

    /// Counts a change.
    pub fn raise_stamp(&mut self) {
        self.stamp = self.stamp.wrapping_add(1);
    }

    pub fn growth(&self) -> GrowingMetadata {
        self.message.growing_metadata.unwrap_or_default()
    }

    fn growth_mut(&mut self) -> &mut GrowingMetadata {
        self.message.growing_metadata.get_or_insert_default()
    }

    fn is_finalized(&self, tree: usize) -> bool {
        self.message.tree_metadata.get(tree).is_some_and(|m| m.is_finalized)
    }

    /// Returns the number of trees that no layer is added to any more.
    pub fn finalized_trees(&self) -> usize {
        let trees = self.message.trees.len();
        if trees == 0 || self.is_finalized(trees - 1) { trees } else { trees - 1 }
    }

    /// Adds a tree of one leaf.
    pub fn add_tree(&mut self, logits: Vec<f32>) {
        self.message.trees.push(Tree { nodes: vec![leaf_node(logits)] });
        self.message.tree_weights.push(TREE_WEIGHT);
        self.message.tree_metadata.push(TreeMetadata::default());
    }

    /// Counts a layer, and a tree if that layer is its first.
    fn count_attempt(&mut self) {
        let trees = self.message.trees.len();
        let last_is_new = self.message.trees.last().is_none_or(|t| t.nodes.len() == 1);
        let is_first_layer = trees == 0 || (last_is_new && (trees == 1 || self.is_finalized(trees - 2)));
        let growth = self.growth_mut();
        growth.num_layers_attempted = growth.num_layers_attempted.saturating_add(1);
        growth.num_trees_attempted = growth.num_trees_attempted.saturating_add(i64::from(is_first_layer));
    }

    /// Splits leaves of the last tree. A tree that has all its layers is finalized, and a new one is begun.
    ///
    /// Args: `splits` are the nodes and their splits, sorted by node. `dimension` is the number of logits, `max_depth`
    /// that of a tree's layers. `prunes` is true if a complete tree loses the branches of negative gain.
    ///
    /// Errors: `InvalidArgument` if a node to split is not a leaf of the tree.
    pub fn grow(&mut self, splits: Vec<(i32, Split)>, dimension: usize, max_depth: i32, prunes: bool) -> Result<()> {
        self.count_attempt();
        if self.message.trees.is_empty() {
            self.add_tree(vec![0.0; dimension]);
        }
        let tree = self.message.trees.len() - 1;
        let nodes = &mut self.message.trees[tree].nodes;
        let first = nodes.len();
        for (node, split) in splits {
            split_leaf(nodes, node, split, dimension)?;
        }
        let (mut start, mut end) = (first, nodes.len());
        if start == end {
            return Ok(());
        }
        ensure!(tree < self.message.tree_metadata.len(), InvalidArgument, "The ensemble lacks its trees' metadata");
        let metadata = &mut self.message.tree_metadata[tree];
        metadata.num_layers_grown = metadata.num_layers_grown.saturating_add(1);
        if metadata.num_layers_grown >= max_depth {
            (start, end) = (0, 1);
            metadata.is_finalized = true;
            if prunes {
                super::pruning::prune(&mut self.message.trees[tree], metadata, dimension)?;
            }
            self.add_tree(vec![0.0; dimension]);
        }
        let growth = self.growth_mut();
        (growth.last_layer_node_start, growth.last_layer_node_end) = (start as i32, end as i32);
        Ok(())
    }
}

/// Makes a leaf the parent of two new ones.
fn split_leaf(nodes: &mut Vec<Node>, at: i32, split: Split, dimension: usize) -> Result<()> {
    let Ok(left_id) = i32::try_from(nodes.len()) else { bail!(ResourceExhausted, "A tree has too many nodes") };
    let Some(node) = usize::try_from(at).ok().and_then(|i| nodes.get_mut(i)) else {
        bail!(InvalidArgument, "There is no node {at} to split; the tree has {left_id} nodes")
    };
    let Some(node::Node::Leaf(before)) = node.node.take() else {
        bail!(InvalidArgument, "Node {at}, which is to be split, is not a leaf")
    };
    let child = |change: &[f32]| {
        leaf_node((0..dimension).map(|d| logit(&before, d) + change.get(d).copied().unwrap_or(0.0)).collect())
    };
    let children = [child(&split.left), child(&split.right)];
    // The root's leaf is 0, except that of a centered bias.
    let keeps_leaf = at != 0 || before.leaf.is_some() || before.scalar != 0.0;
    node.metadata = Some(NodeMetadata { gain: split.gain, original_leaf: keeps_leaf.then_some(before) });
    let (feature_id, dimension_id, right_id) = (split.feature, split.dimension, left_id + 1);
    node.node = Some(match split.kind {
        SplitTypeWithDefault::EqualityDefaultRight => {
            let value = split.threshold;
            node::Node::CategoricalSplit(CategoricalSplit { feature_id, value, dimension_id, left_id, right_id })
        }
        kind => {
            let direction = match kind {
                SplitTypeWithDefault::InequalityDefaultRight => DefaultDirection::DefaultRight,
                _ => DefaultDirection::DefaultLeft,
            };
            node::Node::BucketizedSplit(BucketizedSplit {
                feature_id,
                threshold: split.threshold,
                dimension_id,
                default_direction: direction.into(),
                left_id,
                right_id,
            })
        }
    });
    nodes.extend(children);
    Ok(())
}
