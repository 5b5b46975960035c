//! Which nodes read a node's outputs, and which nodes a rewrite must keep.

use crate::draft::{Action, Draft};
use crate::source::Source;
use smallvec::SmallVec;

/// Marks the nodes that something other than a data edge depends on: control edges, fetches, targets, guards.
pub(super) fn watched(d: &Draft) -> Vec<bool> {
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

/// Returns the only reader of a node that is not watched.
pub(super) fn only_reader(d: &Draft, i: u32, readers: &[SmallVec<[u32; 2]>], watched: &[bool]) -> Option<u32> {
    match readers[i as usize][..] {
        [r] if !watched[i as usize]
            && d.nodes[r as usize].node.control_inputs.is_empty()
            && d.nodes[r as usize].guard == d.nodes[i as usize].guard =>
        {
            Some(r)
        }
        _ => None,
    }
}

/// Lists the nodes that read each node's outputs, once for every input.
pub(super) fn readers(d: &Draft) -> Vec<SmallVec<[u32; 2]>> {
    let mut readers: Vec<SmallVec<[u32; 2]>> = vec![SmallVec::new(); d.nodes.len()];
    for (i, n) in d.nodes.iter().enumerate() {
        if n.runs() {
            for source in &n.inputs {
                if let Source::Output { node, .. } = source {
                    readers[*node as usize].push(i as u32);
                }
            }
        }
    }
    readers
}
