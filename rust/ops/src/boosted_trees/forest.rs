//! `Forest`: an ensemble in the form that examples run through, checked.

use super::ensemble::{Ensemble, children, leaf_behind, logit};
use crate::room::room;
use ferroflow_proto::tensorflow::boosted_trees::{Node, node};
use ferroflow_tensor::{Result, bail, ensure};

/// The test of a split: an example goes to the left if its bucket passes.
#[derive(Clone, Copy, Debug)]
enum Test {
    AtMost(i32),
    Equal(i32),
}

/// A node of a tree. Leaves have no step.
#[derive(Debug)]
struct Step {
    feature: usize,
    test: Test,
    children: [usize; 2],
}

/// The node that replaces a pruned one, with the change of its logits.
struct Correction {
    node: usize,
    change: Vec<f32>,
}

struct CompactTree {
    weight: f32,
    steps: Vec<Option<Step>>,
    /// The logits of each node, row by row.
    logits: Vec<f32>,
    /// By the number that a node had before pruning; empty if nothing was pruned.
    corrections: Vec<Correction>,
}

/// Trees whose nodes and features exist, and whose paths end.
pub(super) struct Forest {
    dimension: usize,
    trees: Vec<CompactTree>,
}

/// The position of an example: a leaf of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub tree: usize,
    pub node: usize,
}

fn index(id: i32, len: usize, what: &str) -> Result<usize> {
    match usize::try_from(id) {
        Ok(i) if i < len => Ok(i),
        _ => bail!(InvalidArgument, "{what} {id} does not exist; there are {len}"),
    }
}

fn step_of(node: &Node, nodes: usize, features: usize) -> Result<Option<Step>> {
    let (feature, dimension, test) = match &node.node {
        Some(node::Node::BucketizedSplit(s)) => (s.feature_id, s.dimension_id, Test::AtMost(s.threshold)),
        Some(node::Node::CategoricalSplit(s)) => (s.feature_id, s.dimension_id, Test::Equal(s.value)),
        Some(node::Node::DenseSplit(_)) => {
            bail!(Unimplemented, "Splits of numbers that are not in buckets are not supported")
        }
        Some(node::Node::Leaf(_)) => return Ok(None),
        None => bail!(InvalidArgument, "A tree has a node that is neither a leaf nor a split"),
    };
    ensure!(dimension == 0, InvalidArgument, "A split uses dimension {dimension} of a feature that has one");
    let [left, right] = children(node).unwrap_or_default();
    let children = [index(left, nodes, "Node")?, index(right, nodes, "Node")?];
    Ok(Some(Step { feature: index(feature, features, "Feature")?, test, children }))
}

/// Checks that no node is the child of two others, so that all paths end.
fn check_paths(steps: &[Option<Step>]) -> Result<()> {
    let mut is_child = vec![false; steps.len()];
    for child in steps.iter().flatten().flat_map(|s| s.children) {
        ensure!(child != 0 && !is_child[child], InvalidArgument, "Node {child} of a tree has two parents");
        is_child[child] = true;
    }
    Ok(())
}

impl Forest {
    /// Returns the trees of an ensemble.
    ///
    /// Args: `features` is the number of features that examples have, `dimension` that of the logits.
    ///
    /// Errors: `InvalidArgument` if a tree has a feature or node that does not exist.
    pub fn of(ensemble: &Ensemble, features: usize, dimension: usize) -> Result<Forest> {
        let message = &ensemble.message;
        let of_tree = |(i, tree): (usize, &ferroflow_proto::tensorflow::boosted_trees::Tree)| {
            let nodes = &tree.nodes;
            ensure!(!nodes.is_empty(), InvalidArgument, "Tree {i} has no nodes");
            let Some(&weight) = message.tree_weights.get(i) else {
                bail!(InvalidArgument, "Tree {i} of the ensemble has no weight")
            };
            let steps: Result<Vec<_>> = nodes.iter().map(|n| step_of(n, nodes.len(), features)).collect();
            let steps = steps?;
            check_paths(&steps)?;
            let of_node = |n| (0..dimension).map(move |d| leaf_behind(n).map_or(0.0, |leaf| logit(leaf, d)));
            let mut logits = room(nodes.len().saturating_mul(dimension), "logits")?;
            logits.extend(nodes.iter().flat_map(of_node));
            let metadata = message.tree_metadata.get(i).filter(|m| m.is_finalized);
            let updates = metadata.map_or(&[][..], |m| &m.post_pruned_nodes_meta);
            let corrections = updates.iter().map(|update| {
                let change = (0..dimension).map(|d| update.logit_change.get(d).copied().unwrap_or(0.0)).collect();
                Ok(Correction { node: index(update.new_node_id, nodes.len(), "Node")?, change })
            });
            let corrections = corrections.collect::<Result<Vec<_>>>()?;
            Ok(CompactTree { weight, steps, logits, corrections })
        };
        let trees = message.trees.iter().enumerate().map(of_tree).collect::<Result<Vec<_>>>()?;
        Ok(Forest { dimension, trees })
    }

    /// Returns the number of trees.
    pub fn len(&self) -> usize {
        self.trees.len()
    }

    /// Returns the place that a cache holds; None for a node below 0, which is the start.
    ///
    /// Errors: `InvalidArgument` if there is no such place.
    pub fn cached(&self, tree: i32, node: i32) -> Result<Option<Place>> {
        if node < 0 {
            ensure!(tree >= 0 && (tree as usize) < self.len(), InvalidArgument, "Tree {tree} does not exist");
            return Ok(None);
        }
        let tree = index(tree, self.len(), "Tree")?;
        let known = &self.trees[tree];
        let most = if known.corrections.is_empty() { known.steps.len() } else { known.corrections.len() };
        Ok(Some(Place { tree, node: index(node, most, "Node")? }))
    }

    fn logits(&self, place: Place) -> &[f32] {
        &self.trees[place.tree].logits[place.node * self.dimension..][..self.dimension]
    }

    /// Returns the child that an example goes to, with the feature of the split; None at a leaf.
    pub fn next(&self, place: Place, example: usize, features: &[&[i32]]) -> Option<(Place, usize)> {
        let step = self.trees[place.tree].steps[place.node].as_ref()?;
        let bucket = features[step.feature][example];
        let passes = match step.test {
            Test::AtMost(threshold) => bucket <= threshold,
            Test::Equal(value) => bucket == value,
        };
        Some((Place { node: step.children[usize::from(!passes)], ..place }, step.feature))
    }

    fn leaf(&self, mut place: Place, example: usize, features: &[&[i32]]) -> Place {
        while let Some((next, _)) = self.next(place, example, features) {
            place = next;
        }
        place
    }

    /// Returns a node's first logit times the weight of its tree.
    pub fn weighted_logit(&self, place: Place) -> f32 {
        self.trees[place.tree].weight * self.logits(place).first().copied().unwrap_or(0.0)
    }

    /// Adds the logits of all trees to `sum`.
    pub fn predict(&self, example: usize, features: &[&[i32]], sum: &mut [f32]) {
        for tree in 0..self.len() {
            let leaf = self.leaf(Place { tree, node: 0 }, example, features);
            let weight = self.trees[tree].weight;
            sum.iter_mut().zip(self.logits(leaf)).for_each(|(sum, logit)| *sum += weight * logit);
        }
    }

    /// Adds the logits that came since an example was at `cached`; returns its place in the last tree.
    ///
    /// Args: `first` is the tree to begin with if there is no cached place.
    pub fn predict_from(
        &self,
        cached: Option<Place>,
        first: usize,
        example: usize,
        features: &[&[i32]],
        sum: &mut [f32],
    ) -> Place {
        let mut change = vec![0.0f32; self.dimension];
        let mut place = Place { tree: first, node: 0 };
        if let Some(cached) = cached {
            place = cached;
            if let Some(correction) = self.trees[cached.tree].corrections.get(cached.node) {
                place.node = correction.node;
                change.copy_from_slice(&correction.change);
            }
            change.iter_mut().zip(self.logits(place)).for_each(|(change, old)| *change -= old);
        }
        loop {
            let leaf = self.leaf(place, example, features);
            let weight = self.trees[leaf.tree].weight;
            for ((sum, change), logit) in sum.iter_mut().zip(&mut change).zip(self.logits(leaf)) {
                *sum += weight * (*change + logit);
                *change = 0.0;
            }
            if leaf.tree + 1 >= self.len() {
                return leaf;
            }
            place = Place { tree: leaf.tree + 1, node: 0 };
        }
    }
}
