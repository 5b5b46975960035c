//! `Request`, and the part of a graph that it needs.

use ferroflow_graph::{Graph, NodeId, OutputId, Role};
use ferroflow_tensor::Result;
use rustc_hash::FxHashSet;

/// Feeds, fetches and targets of a step.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct Request {
    pub feeds: Vec<OutputId>,
    pub fetches: Vec<OutputId>,
    pub targets: Vec<NodeId>,
}

/// Returns the nodes that must run for the fetches and targets, given the feeds, by rising id.
pub fn prune(graph: &Graph, request: &Request, fed: &FxHashSet<OutputId>) -> Result<Vec<NodeId>> {
    let mut needed = vec![false; graph.len()];
    let mut stack: Vec<NodeId> = Vec::new();
    let fetched = request.fetches.iter().filter(|o| !fed.contains(o)).map(|o| o.node);
    for id in fetched.chain(request.targets.iter().copied()) {
        graph.node(id)?;
        stack.push(id);
    }
    while let Some(id) = stack.pop() {
        if std::mem::replace(&mut needed[id as usize], true) {
            continue;
        }
        let node = graph.node(id)?;
        stack.extend(node.inputs.iter().filter(|o| !fed.contains(o)).map(|o| o.node));
        stack.extend(node.control_inputs.iter().filter(|&&c| !is_fed_placeholder(graph, c, fed)));
    }
    Ok((0..graph.len() as NodeId).filter(|&id| needed[id as usize]).collect())
}

/// Returns whether a node is a fed placeholder, which does not run: control edges from it hold from the start.
pub(crate) fn is_fed_placeholder(graph: &Graph, id: NodeId, fed: &FxHashSet<OutputId>) -> bool {
    fed.contains(&OutputId { node: id, index: 0 }) && graph.node(id).is_ok_and(|n| n.op.role == Role::Placeholder)
}
