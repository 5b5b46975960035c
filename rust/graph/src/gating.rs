//! Gradient gating: control edges that bound how early an update may use a gradient, never what it computes.
//!
//! GATE_NONE adds nothing. GATE_OP ties the gradients of one op's inputs, GATE_GRAPH those of the whole step. Each
//! gradient passes through an Identity (its gate). All gates wait for one NoOp (the barrier), which waits for all
//! gradients.

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

#[cfg(test)]
mod tests {
    use super::tie;
    use crate::graph::{Graph, InputArg, NodeSpec};
    use crate::node::{NodeId, OutputId};
    use crate::op_def::Op;
    use crate::registry::Registry;

    fn add(g: &mut Graph, op: &str, reads: &[NodeId]) -> NodeId {
        let name = format!("n{}", g.len());
        let inputs = reads.iter().map(|&node| InputArg::One(OutputId { node, index: 0 })).collect();
        g.add_node(NodeSpec { op, name: &name, inputs, control_inputs: vec![], attrs: vec![], device: "" }).unwrap()
    }

    #[test]
    fn the_barrier_waits_for_what_the_gates_read_and_the_gates_for_the_barrier() {
        let mut r = Registry::new();
        r.add(Op::new("Source").output("output: float"));
        r.add(Op::new("NoOp"));
        r.add(Op::new("Gate").input("x: float").output("output: float"));
        r.add(Op::new("Two").input("x: float").input("y: float").output("output: float"));
        let mut g = Graph::new(r.finish().unwrap());
        let (a, b) = (add(&mut g, "Source", &[]), add(&mut g, "Source", &[]));
        let barrier = add(&mut g, "NoOp", &[]);
        let gates = [add(&mut g, "Gate", &[a]), add(&mut g, "Gate", &[b])];
        tie(&mut g, barrier, &gates).unwrap();
        assert_eq!(g.node(barrier).unwrap().control_inputs.as_slice(), [a, b]);
        for gate in gates {
            assert_eq!(g.node(gate).unwrap().control_inputs.as_slice(), [barrier]);
        }
        let two = add(&mut g, "Two", &[a, b]);
        assert!(tie(&mut g, barrier, &[two]).is_err());
        assert!(tie(&mut g, barrier, &[99]).is_err());
    }
}
