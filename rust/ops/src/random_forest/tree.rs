//! `RandomTree`: a tree, and its growth by one batch.

use super::growth::{Growth, Sums};
use ferroflow_tensor::philox::Words;
use rustc_hash::FxHashMap;

/// The numbers that determine how a tree grows.
#[derive(Clone, Debug)]
pub(super) struct Settings {
    pub outputs: usize,
    pub is_regression: bool,
    /// The most nodes of the tree.
    pub max_nodes: usize,
    /// The weight of the examples that a leaf sees before it is split.
    pub split_after: f32,
    /// The splits that are compared.
    pub candidates: usize,
    /// True if values at a threshold go to the right.
    pub is_strict: bool,
}

impl Settings {
    pub fn goes_left(&self, value: f32, threshold: f32) -> bool {
        if self.is_strict { value < threshold } else { value <= threshold }
    }
}

/// An example of a batch.
pub(super) struct Example<'a> {
    pub features: &'a [f32],
    pub labels: &'a [f32],
    pub weight: f32,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Branch {
    pub feature: u32,
    pub threshold: f32,
    pub left: u32,
    pub right: u32,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Node {
    /// None for a leaf.
    pub branch: Option<Branch>,
    pub weight: f32,
    /// As in [`Sums`]; those of a branch are from before it was split.
    pub values: Vec<f32>,
}

impl Node {
    fn of(sums: &Sums) -> Node {
        Node { branch: None, weight: sums.weight, values: sums.values.clone() }
    }
}

/// A tree. Children come after their parents.
pub(super) struct RandomTree {
    pub settings: Settings,
    pub nodes: Vec<Node>,
    growths: FxHashMap<usize, Growth>,
    words: Words,
}

impl RandomTree {
    /// Returns a tree of these nodes, or of one leaf.
    pub fn new(settings: Settings, nodes: Vec<Node>, words: Words) -> RandomTree {
        let root = || vec![Node::of(&Sums::new(settings.outputs))];
        let nodes = if nodes.is_empty() { root() } else { nodes };
        RandomTree { settings, nodes, growths: FxHashMap::default(), words }
    }

    /// Returns the leaf that features lead to.
    pub fn leaf(&self, features: &[f32]) -> usize {
        let mut at = 0;
        while let Some(branch) = self.nodes[at].branch {
            let value = features.get(branch.feature as usize).copied().unwrap_or(0.0);
            let goes_left = self.settings.goes_left(value, branch.threshold);
            at = if goes_left { branch.left } else { branch.right } as usize;
        }
        at
    }

    /// Adds an example to its leaf, which is split once it has seen enough of them.
    pub fn add(&mut self, example: &Example<'_>) {
        let at = self.leaf(example.features);
        let mut sums = Sums::new(self.settings.outputs);
        sums.add(example, &self.settings);
        let node = &mut self.nodes[at];
        node.weight += sums.weight;
        node.values.iter_mut().zip(&sums.values).for_each(|(value, more)| *value += more);
        if self.nodes.len() + 2 > self.settings.max_nodes {
            self.growths.clear();
            return;
        }
        let growth = self.growths.entry(at).or_insert_with(|| Growth::new(&self.settings));
        growth.add(example, &self.settings, &mut self.words);
        if !growth.is_complete(&self.settings) {
            return;
        }
        if let Some(best) = growth.best(&self.settings) {
            let left = self.nodes.len() as u32;
            let children = [Node::of(&best.left), Node::of(&best.right)];
            let (feature, threshold) = (best.feature, best.threshold);
            self.nodes[at].branch = Some(Branch { feature, threshold, left, right: left + 1 });
            self.nodes.extend(children);
        }
        // A leaf without a split begins again with other candidates.
        self.growths.remove(&at);
    }

    /// Writes the outputs of an example: the shares of the classes, or the means of the outputs.
    pub fn predict(&self, features: &[f32], out: &mut [f32]) {
        let node = &self.nodes[self.leaf(features)];
        if node.weight > 0.0 {
            out.iter_mut().zip(&node.values).for_each(|(out, value)| *out = value / node.weight);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferroflow_tensor::philox::Philox;

    fn tree(max_nodes: usize, is_regression: bool) -> RandomTree {
        let settings =
            Settings { outputs: 2, is_regression, max_nodes, split_after: 20.0, candidates: 5, is_strict: false };
        RandomTree::new(settings, Vec::new(), Words::new(Philox::new(3, 4)))
    }

    fn grow(tree: &mut RandomTree, count: usize) {
        for i in 0..count {
            let value = (i * 37 % 100) as f32;
            let is_large = f32::from(u8::from(value >= 50.0));
            let labels = if tree.settings.is_regression { vec![is_large, value] } else { vec![is_large] };
            tree.add(&Example { features: &[value, 1.0], labels: &labels, weight: 1.0 });
        }
    }

    #[test]
    fn classes_that_a_threshold_divides_are_learned() {
        let mut tree = tree(100, false);
        grow(&mut tree, 3000);
        let mut right = 0;
        for value in 0..100 {
            let mut shares = [0.0; 2];
            tree.predict(&[value as f32, 1.0], &mut shares);
            right += usize::from((shares[1] > 0.5) == (value >= 50));
        }
        assert!(right >= 95, "{right} of 100");
        assert!(tree.nodes.len() > 1 && tree.nodes.len() % 2 == 1);
    }

    #[test]
    fn means_are_learned_and_the_nodes_are_limited() {
        let mut tree = tree(7, true);
        grow(&mut tree, 3000);
        assert_eq!(tree.nodes.len(), 7);
        let mut means = [0.0; 2];
        tree.predict(&[90.0, 1.0], &mut means);
        assert!(means[1] > 50.0, "{means:?}");
    }

    #[test]
    fn one_class_is_never_split() {
        let mut tree = tree(100, false);
        for i in 0..200 {
            tree.add(&Example { features: &[i as f32], labels: &[1.0], weight: 1.0 });
        }
        assert_eq!(tree.nodes.len(), 1);
    }
}
