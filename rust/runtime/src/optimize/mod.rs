//! Rewrites a draft before it is ordered.
//!
//! No rewrite changes a bit of any result: folding runs the node's own kernel, merging needs equal op, attributes and
//! inputs, and fused functions are the very ones that the single ops call.

mod dead;
mod epilogue;
mod fuse;
mod products;
mod simplify;

use crate::draft::{Action, Context, Draft, Source, order_edges};
use smallvec::SmallVec;

/// Leaves of the nodes those that must run.
pub(crate) fn simplify(d: &mut Draft, cx: &Context<'_>) {
    // The order of the visibility rule: edges that rewrites add along it close no cycle. Without one the plan fails anyway.
    let Ok(order) = order_edges(d).order(u64::from) else { return };
    simplify::simplify(d, cx, &order);
    dead::drop_dead(d);
}

/// Makes one node of several where that saves passes over memory.
pub(crate) fn fuse(d: &mut Draft, cx: &Context<'_>) {
    products::fuse_products_with_readers(d, cx);
    epilogue::fuse_products(d, cx);
    fuse::fuse_elementwise(d, cx.graph);
}

/// Which nodes something other than a data edge looks at.
fn watched(d: &Draft) -> Vec<bool> {
    let mut watched = vec![false; d.nodes.len()];
    let mut stack: Vec<u32> = Vec::new();
    // Without `control` it waits no more: its readers do instead.
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
        // Who waits for a node that was seen through or merged waits for what it stands for: a failure comes first.
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

/// The only reader of a node that nothing else looks at.
fn only_reader(d: &Draft, i: u32, readers: &[SmallVec<[u32; 2]>], watched: &[bool]) -> Option<u32> {
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

/// The nodes that read each node's outputs, once for every input.
fn readers(d: &Draft) -> Vec<SmallVec<[u32; 2]>> {
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
