//! Loops stay whole: all nodes of one run in the process that has its state.

use crate::flow::{Frames, ROOT};
use crate::roots::ref_inputs;
use ferroflow_graph::{Flow, Graph, Node, NodeId};
use ferroflow_tensor::{DType, Result, bail};
use rustc_hash::FxHashMap;

/// Returns whether it matters in which process a node runs.
fn is_bound(graph: &Graph, node: &Node) -> bool {
    let is_resource = |o: &ferroflow_graph::OutputId| graph.output(*o).is_ok_and(|t| t.dtype == DType::Resource);
    node.op.is_variable
        || (node.op.is_stateful && node.op.flow.is_none())
        || ref_inputs(node).contains(&true)
        || node.inputs.iter().any(is_resource)
        || node.outputs.iter().any(|t| t.dtype == DType::Resource)
}

/// Moves the nodes of every loop to one site: that of its stateful nodes, else that of most of its nodes.
///
/// Errors: `Unimplemented` where stateful nodes of one loop are in several processes.
pub(crate) fn keep_loops_whole(graph: &Graph, ids: &[NodeId], frames: &Frames, site: &mut [usize]) -> Result<()> {
    let mut members: FxHashMap<usize, Vec<NodeId>> = FxHashMap::default();
    for &id in ids {
        let node = graph.node(id)?;
        if let Some(outermost) = loop_around(frames, node) {
            members.entry(outermost).or_default().push(id);
        }
    }
    for (frame, members) in members {
        let mut bound: Option<NodeId> = None;
        let mut votes: FxHashMap<usize, usize> = FxHashMap::default();
        for &id in &members {
            let node = graph.node(id)?;
            *votes.entry(site[id as usize]).or_default() += 1;
            let is_flow = matches!(node.op.flow, Some(Flow::Enter | Flow::Exit));
            if is_flow || !is_bound(graph, node) {
                continue;
            }
            match bound {
                Some(other) if site[other as usize] != site[id as usize] => bail!(
                    Unimplemented,
                    "The loop '{}' has state in more than one process: '{}' (on {}) and '{}' (on {}). Place the loop's \
                     stateful operations in one of them.",
                    frames.get(frame).name,
                    graph.node(other)?.name,
                    graph.node(other)?.device,
                    node.name,
                    node.device
                ),
                _ => bound = Some(id),
            }
        }
        let most = votes.into_iter().max_by_key(|&(s, n)| (n, std::cmp::Reverse(s))).map_or(0, |(s, _)| s);
        let all = bound.map_or(most, |b| site[b as usize]);
        members.iter().for_each(|&id| site[id as usize] = all);
    }
    Ok(())
}

/// Returns the outermost loop that a node belongs to; an Enter belongs to the loop it leads into.
pub(crate) fn loop_around(frames: &Frames, node: &Node) -> Option<usize> {
    let frame = if node.op.flow == Some(Flow::Enter) { frames.of_output(node) } else { frames.of(node.id) };
    frames.child_around(frame, ROOT)
}
