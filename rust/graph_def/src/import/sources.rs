//! `Sources`: what imported nodes read instead of what their message names.

use ferroflow_graph::{NodeId, OutputId};
use rustc_hash::FxHashMap;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Source {
    Output { number: u32, to: OutputId },
    Control { to: NodeId },
}

#[derive(Debug)]
struct Entry {
    node: String,
    source: Source,
    is_used: bool,
}

/// By name of a node in the message: what stands for its outputs, and for it as a control input.
#[derive(Debug, Default)]
pub struct Sources {
    entries: Vec<Entry>,
    by_node: FxHashMap<String, Vec<usize>>,
}

impl Sources {
    /// Lets readers of output `number` of a node read `to`.
    pub fn map_output(&mut self, node: &str, number: u32, to: OutputId) {
        self.add(node, Source::Output { number, to });
    }

    /// Lets nodes that wait for a node wait for `to`.
    pub fn map_control(&mut self, node: &str, to: NodeId) {
        self.add(node, Source::Control { to });
    }

    fn add(&mut self, node: &str, source: Source) {
        self.by_node.entry(node.to_owned()).or_default().push(self.entries.len());
        self.entries.push(Entry { node: node.to_owned(), source, is_used: false });
    }

    /// Returns the result of `select` for the first of a node's sources that has one; the source counts as used then.
    fn used<T>(&mut self, node: &str, select: impl Fn(Source) -> Option<T>) -> Option<T> {
        if self.entries.is_empty() {
            return None;
        }
        for &i in self.by_node.get(node)? {
            let Some(entry) = self.entries.get_mut(i) else { continue };
            if let Some(found) = select(entry.source) {
                entry.is_used = true;
                return Some(found);
            }
        }
        None
    }

    /// Returns the replacement of this output as an input.
    pub fn output(&mut self, node: &str, index: u32) -> Option<OutputId> {
        self.used(node, |source| match source {
            Source::Output { number, to } if number == index => Some(to),
            _ => None,
        })
    }

    /// Returns the replacement of this node as a control input.
    pub fn control(&mut self, node: &str) -> Option<NodeId> {
        self.used(node, |source| match source {
            Source::Control { to } => Some(to),
            Source::Output { .. } => None,
        })
    }

    /// Returns the names that stand for nothing, in the order they were given. `outputs`: how many a node of the
    /// message has.
    pub fn absent(&self, outputs: impl Fn(&str) -> Option<u32>) -> Vec<String> {
        let unused = self.entries.iter().filter(|entry| !entry.is_used);
        unused
            .filter_map(|Entry { node, source, .. }| match *source {
                Source::Output { number, .. } => {
                    let is_there = outputs(node).is_some_and(|count| number < count);
                    (!is_there).then(|| format!("{node}:{number}"))
                }
                Source::Control { .. } => outputs(node).is_none().then(|| format!("^{node}")),
            })
            .collect()
    }
}
