//! Rewrites a draft before it is ordered.
//!
//! No rewrite changes a bit of any result: folding runs the node's own kernel, merging needs equal op, attributes and
//! inputs, and fused functions are the very ones that the single ops call.

mod dead;
mod epilogue;
mod fuse;
mod simplify;

use crate::plan::{Action, Context, Draft, Source};
use smallvec::SmallVec;

pub(crate) fn run(d: &mut Draft, cx: &Context<'_>) {
    simplify::simplify(d, cx);
    dead::drop_dead(d);
    epilogue::fuse_matmul(d, cx);
    fuse::fuse_elementwise(d, cx.graph);
}

/// Which nodes something other than a data edge looks at.
fn watched(d: &Draft) -> Vec<bool> {
    let mut watched = vec![false; d.nodes.len()];
    for fetch in &d.fetches {
        if let Source::Output { node, .. } = fetch {
            watched[*node as usize] = true;
        }
    }
    d.targets.iter().for_each(|&t| watched[t as usize] = true);
    for n in &d.nodes {
        for c in &n.node.control_inputs {
            if let Ok(i) = d.nodes.binary_search_by_key(c, |m| m.node.id) {
                watched[i] = true;
            }
        }
    }
    watched
}

/// The nodes that read each node's outputs, once for every input.
fn readers(d: &Draft) -> Vec<SmallVec<[u32; 2]>> {
    let mut readers: Vec<SmallVec<[u32; 2]>> = vec![SmallVec::new(); d.nodes.len()];
    for (i, n) in d.nodes.iter().enumerate() {
        if matches!(n.action, Action::Run(_)) {
            for source in &n.inputs {
                if let Source::Output { node, .. } = source {
                    readers[*node as usize].push(i as u32);
                }
            }
        }
    }
    readers
}
