//! Gradient gating: control edges that bound how early an update may use a gradient, never what it computes.
//!
//! GATE_NONE adds nothing. GATE_OP ties the gradients of one op's inputs, GATE_GRAPH those of the whole step: each passes
//! through an Identity (its gate), all gates wait for one NoOp (the barrier), and the barrier waits for all gradients.

use crate::error::BuildError;
use crate::graph::Graph;
use crate::node::NodeId;

/// Ties gradients together: none of `gates` runs before what every one of them reads is computed.
///
/// In a branch or loop a gate reads what brings its gradient in. The barrier waits for that, so no edge crosses frames.
///
/// Errors: `Value` where a node is not in the graph, or a gate does not read exactly one output.
pub fn tie(graph: &mut Graph, barrier: NodeId, gates: &[NodeId]) -> Result<(), BuildError> {
    let mut producers = Vec::with_capacity(gates.len());
    for &gate in gates {
        let [gradient] = graph.node(gate)?.inputs.as_slice() else {
            return Err(BuildError::value(format!("gate {gate} does not read exactly one gradient")));
        };
        producers.push(gradient.node);
    }
    graph.add_control_inputs(barrier, &producers)?;
    for &gate in gates {
        graph.add_control_inputs(gate, &[barrier])?;
    }
    Ok(())
}
