//! The order in which the nodes of a draft run.

use super::overlaps::Overlaps;
use crate::draft::{Action, Draft, StepNode, order_edges};
use crate::order::Edges;
use crate::source::Source;
use ferroflow_tensor::Result;

/// Returns the edges that every order of the draft's nodes must respect: data, control, tests, the writes of each
/// variable. Its soft edges should be respected: they put readers of a version before the write that replaces it.
pub(super) fn edges(d: &Draft) -> Edges {
    let mut edges = order_edges(d);
    for (before, after) in d.versions.write_order() {
        edges.hard[before as usize].push(after);
    }
    for (i, node) in d.nodes.iter().enumerate() {
        for (k, source) in node.inputs.iter().enumerate() {
            let Source::Variable { variable, version, .. } = *source else { continue };
            if node.is_ref[k] && node.writes() {
                continue;
            }
            if let Some(maker) = d.versions.maker(variable, version) {
                edges.hard[maker as usize].push(i as u32);
            }
            if let Some(next) = d.versions.replacer(variable, version)
                && next != i as u32
            {
                edges.soft[i].push(next);
            }
        }
        if let Action::Merge(guards) = &node.action {
            let deciders = guards.iter().flat_map(|&g| d.deciders(g)).filter(|&n| n != i as u32);
            deciders.for_each(|n| edges.hard[n as usize].push(i as u32));
        }
    }
    edges
}

/// Orders the draft's nodes. Updates go as early as they can, and so do kernels that block while others run. Loops that may
/// wait go last: they would wait for nodes behind them and have to be suspended.
pub(super) fn order(d: &Draft, edges: &Edges, overlaps: &Overlaps) -> Result<Vec<u32>> {
    // A function of elements on the way to what other processes wait for.
    let is_only_sent = |i: u32| {
        let readers = &edges.hard[i as usize];
        let is_urgent = |&t: &u32| d.nodes[t as usize].node.op.is_urgent;
        d.nodes[i as usize].node.op.elementwise.is_some() && !readers.is_empty() && readers.iter().all(is_urgent)
    };
    // Nodes that only order cost nothing, and an update may wait for them: its learning rate comes after all gradients.
    let late = |i: u32| match (&d.nodes[i as usize], overlaps.is_early(i)) {
        (_, true) | (StepNode { action: Action::Nothing, .. }, _) => 0,
        (StepNode { action: Action::Loop(plan), .. }, _) if plan.plan.may_wait() => 2,
        (n, _) if n.node.op.is_urgent || is_only_sent(i) => 0,
        // The elements need not stay for readers of the shape.
        (n, _) if n.node.op.kernel_of_shape.is_some() => 0,
        (n, _) => u64::from(!n.is_ref.contains(&true)),
    };
    edges.order(|i| late(i) << 32 | u64::from(i))
}

/// Orders the nodes of a draft in which nothing blocks.
pub(crate) fn schedule(d: &Draft) -> Result<Vec<u32>> {
    order(d, &edges(d), &Overlaps::default())
}
