//! Which nodes read a node's outputs, and which nodes a rewrite must keep.

use crate::draft::{Action, Draft};
use crate::source::Source;
use smallvec::SmallVec;

/// The dependents of each node of a draft, at the time when it was made.
pub(super) struct Readers {
    /// The nodes that read each node's outputs, once for every input.
    reading: Vec<SmallVec<[u32; 2]>>,
    /// By node: whether something other than a data edge depends on it.
    watched: Vec<bool>,
}

impl Readers {
    pub fn find(d: &Draft) -> Readers {
        Readers { reading: reading(d), watched: watched(d) }
    }

    /// Returns the nodes that read a node's outputs, once for every input.
    pub fn of(&self, i: u32) -> &[u32] {
        &self.reading[i as usize]
    }

    /// Returns whether a control edge, fetch, target or guard depends on a node.
    pub fn is_watched(&self, i: u32) -> bool {
        self.watched[i as usize]
    }

    /// Makes `waiting` count as a reader of `waited`.
    pub fn add(&mut self, waited: u32, waiting: u32) {
        self.reading[waited as usize].push(waiting);
    }

    /// Returns the only reader of a node that is not watched, if both have one guard.
    pub fn only(&self, d: &Draft, i: u32) -> Option<u32> {
        match *self.of(i) {
            [r] if !self.is_watched(i)
                && d.nodes[r as usize].node.control_inputs.is_empty()
                && d.nodes[r as usize].guard == d.nodes[i as usize].guard =>
            {
                Some(r)
            }
            _ => None,
        }
    }
}

fn watched(d: &Draft) -> Vec<bool> {
    let mut watched = vec![false; d.nodes.len()];
    let mut stack: Vec<u32> = Vec::new();
    // A node without `control` no longer waits: its readers wait instead.
    for n in d.nodes.iter().filter(|n| !n.control.is_empty()) {
        for c in &n.node.control_inputs {
            if let Ok(i) = d.nodes.binary_search_by_key(c, |m| m.node.id) {
                stack.push(i as u32);
            }
        }
    }
    while let Some(i) = stack.pop() {
        let n = &d.nodes[i as usize];
        if std::mem::replace(&mut watched[i as usize], true) || !matches!(n.action, Action::Nothing) {
            continue;
        }
        // Readers by control edge of a replaced or merged node must wait for its inputs, because the inputs' failure
        // comes first.
        for source in &n.inputs {
            if let Source::Output { node, .. } = source {
                stack.push(*node);
            }
        }
    }
    for fetch in &d.fetches {
        if let Source::Output { node, .. } = fetch {
            watched[*node as usize] = true;
        }
    }
    d.targets.iter().for_each(|&t| watched[t as usize] = true);
    d.tested_guards().flat_map(|g| d.deciders(g)).for_each(|p| watched[p as usize] = true);
    watched
}

fn reading(d: &Draft) -> Vec<SmallVec<[u32; 2]>> {
    let mut reading: Vec<SmallVec<[u32; 2]>> = vec![SmallVec::new(); d.nodes.len()];
    for (i, n) in d.nodes.iter().enumerate() {
        if n.runs() {
            for source in &n.inputs {
                if let Source::Output { node, .. } = source {
                    reading[*node as usize].push(i as u32);
                }
            }
        }
    }
    reading
}
