//! Makes a graph of a part's nodes.

use super::part::PartNode;
use ferroflow_graph::{AttrValue, BuildError, Flow, Graph, NodeSpec, OutputId, Registry};
use ferroflow_tensor::{Result, Status, bail, ensure};
use std::sync::Arc;

fn refused(e: BuildError) -> Status {
    match e {
        BuildError::Value(m) | BuildError::Type(m) => Status::invalid_argument(m),
        BuildError::Status(s) => s,
    }
}

/// Returns the graph of these nodes; each has its position as its id. Only a Merge may read a node that comes after it.
///
/// Errors: `InvalidArgument` where the nodes make no graph, `NotFound` for an unknown op.
pub fn assemble(nodes: &[PartNode], registry: &Arc<Registry>) -> Result<Graph> {
    let mut graph = Graph::new(registry.clone());
    let mut later = Vec::new();
    for (i, node) in nodes.iter().enumerate() {
        let known = |&(from, _): &(u32, u32)| (from as usize) < i;
        let stand_in = node.inputs.iter().copied().find(known);
        let is_merge = registry.get(&node.op).is_some_and(|op| op.flow == Some(Flow::Merge));
        let mut flat = Vec::with_capacity(node.inputs.len());
        for (position, input) in node.inputs.iter().enumerate() {
            let (from, index) = match (known(input), stand_in) {
                (true, _) => *input,
                (false, Some(other)) if is_merge => {
                    later.push((i as u32, position, *input));
                    other
                }
                _ => bail!(InvalidArgument, "Input {position} of {} comes after it", node.name),
            };
            let output = OutputId { node: from, index };
            graph.output(output)?;
            flat.push(output);
        }
        ensure!(
            node.control_inputs.iter().all(|&c| (c as usize) < i),
            InvalidArgument,
            "A control input of {} comes after it",
            node.name
        );
        let attrs: Vec<(String, AttrValue)> = node.attrs.iter().map(|(n, v)| (n.to_owned(), v.clone())).collect();
        let inputs = graph.group_inputs(&node.op, &attrs, &flat).map_err(refused)?;
        let control_inputs = node.control_inputs.clone();
        let spec = NodeSpec { op: &node.op, name: &node.name, inputs, control_inputs, attrs, device: "" };
        let id = graph.add_node(spec).map_err(refused)?;
        for (index, shape) in node.shapes.iter().enumerate() {
            let output = OutputId { node: id, index: index as u32 };
            graph.replace_shape(output, shape.clone()).map_err(refused)?;
        }
    }
    for (node, position, (from, index)) in later {
        graph.update_input(node, position, OutputId { node: from, index }).map_err(refused)?;
    }
    Ok(graph)
}
