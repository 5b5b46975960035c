//! Removes the branches of a complete tree that have negative gain.

use super::ensemble::{children, leaf_behind, logit};
use ferroflow_proto::tensorflow::boosted_trees::tree_metadata::PostPruneNodeUpdate;
use ferroflow_proto::tensorflow::boosted_trees::{Node, Tree, TreeMetadata, node};
use ferroflow_tensor::{Result, bail};

/// A node that is removed: the node that takes its examples, and the change of their logits.
struct Removed {
    parent: usize,
    change: Vec<f32>,
}

/// Returns the positions of a split's children.
fn children_of(nodes: &[Node], at: usize) -> Result<Option<[usize; 2]>> {
    let index = |id: i32| match usize::try_from(id) {
        Ok(i) if i < nodes.len() => Ok(i),
        _ => bail!(InvalidArgument, "A split's child is node {id}, but the tree has {} nodes", nodes.len()),
    };
    match children(&nodes[at]) {
        Some([left, right]) => Ok(Some([index(left)?, index(right)?])),
        None => Ok(None),
    }
}

fn logits(node: &Node, dimension: usize) -> Vec<f32> {
    (0..dimension).map(|d| leaf_behind(node).map_or(0.0, |leaf| logit(leaf, d))).collect()
}

/// Makes leaves of the splits that have negative gain and only leaves below them, from the bottom of the tree up.
fn collapse(nodes: &mut [Node], dimension: usize) -> Result<Vec<Option<Removed>>> {
    let mut removed: Vec<Option<Removed>> = nodes.iter().map(|_| None).collect();
    // Children come after their parents, so that this order visits them first.
    for at in (0..nodes.len()).rev() {
        let Some(pair) = children_of(nodes, at)? else { continue };
        let is_loss = nodes[at].metadata.as_ref().is_some_and(|m| m.gain < 0.0);
        if !is_loss || pair.iter().any(|&child| children(&nodes[child]).is_some()) {
            continue;
        }
        let own = logits(&nodes[at], dimension);
        for child in pair {
            let of_child = logits(&nodes[child], dimension);
            let change = own.iter().zip(of_child).map(|(own, child)| own - child).collect();
            removed[child] = Some(Removed { parent: at, change });
        }
        let original = nodes[at].metadata.take().and_then(|m| m.original_leaf).unwrap_or_default();
        nodes[at].node = Some(node::Node::Leaf(original));
    }
    Ok(removed)
}

fn children_mut(node: &mut Node) -> impl Iterator<Item = &mut i32> {
    let pair = match &mut node.node {
        Some(node::Node::BucketizedSplit(s)) => Some([&mut s.left_id, &mut s.right_id]),
        Some(node::Node::CategoricalSplit(s)) => Some([&mut s.left_id, &mut s.right_id]),
        Some(node::Node::DenseSplit(s)) => Some([&mut s.left_id, &mut s.right_id]),
        Some(node::Node::Leaf(_)) | None => None,
    };
    pair.into_iter().flatten()
}

/// Prunes a tree. Its metadata then has the new number of each node, and the change of the logits of its examples.
///
/// Errors: `InvalidArgument` if a split's child is not a node of the tree.
pub(super) fn prune(tree: &mut Tree, metadata: &mut TreeMetadata, dimension: usize) -> Result<()> {
    let removed = collapse(&mut tree.nodes, dimension)?;
    if removed.iter().all(Option::is_none) {
        return Ok(());
    }
    let mut kept = 0;
    let new_ids: Vec<i32> = removed
        .iter()
        .map(|r| {
            let id = kept;
            kept += i32::from(r.is_none());
            id
        })
        .collect();
    for start in 0..removed.len() {
        let (mut at, mut logit_change) = (start, vec![0.0; dimension]);
        while let Some(step) = &removed[at] {
            logit_change.iter_mut().zip(&step.change).for_each(|(sum, change)| *sum += change);
            at = step.parent;
        }
        metadata.post_pruned_nodes_meta.push(PostPruneNodeUpdate { new_node_id: new_ids[at], logit_change });
    }
    let all = std::mem::take(&mut tree.nodes);
    for (mut node, _) in all.into_iter().zip(&removed).filter(|(_, removed)| removed.is_none()) {
        for id in children_mut(&mut node) {
            *id = new_ids[*id as usize];
        }
        tree.nodes.push(node);
    }
    Ok(())
}
