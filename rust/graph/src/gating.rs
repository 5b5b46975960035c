//! Gradient gating: control edges that bound how early an update may use a gradient, never what it computes.
//!
//! GATE_NONE adds nothing. GATE_OP ties the gradients of one op's inputs, GATE_GRAPH those of the whole step: each passes
//! through an Identity (its gate), all gates wait for one NoOp (the barrier), and the barrier waits for all gradients.

use crate::error::BuildError;
use crate::graph::Graph;
use crate::node::{NodeId, OutputId};

/// Ties gradients together: none of `gates` runs before every one of `gradients` is computed.
///
/// Errors: `Value` where a node is not in the graph, or a gate does not read the gradient it stands for.
pub fn tie(graph: &mut Graph, gradients: &[OutputId], barrier: NodeId, gates: &[NodeId]) -> Result<(), BuildError> {
    if gradients.len() != gates.len() {
        return Err(BuildError::value(format!("{} gates for {} gradients", gates.len(), gradients.len())));
    }
    for (gradient, &gate) in gradients.iter().zip(gates) {
        if graph.node(gate)?.inputs.as_slice() != [*gradient] {
            return Err(BuildError::value(format!("gate {gate} does not read gradient {gradient:?}")));
        }
    }
    let producers: Vec<NodeId> = gradients.iter().map(|g| g.node).collect();
    graph.add_control_inputs(barrier, &producers)?;
    for &gate in gates {
        graph.add_control_inputs(gate, &[barrier])?;
    }
    Ok(())
}
