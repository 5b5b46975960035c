//! Gradient gating: control edges that bound how early an update may use a gradient, never what it computes.

use crate::error::BuildError;
use crate::graph::Graph;
use crate::node::{NodeId, OutputId};
use ferroflow_tensor::Result;
use rustc_hash::FxHashMap;

/// When the gradients of a step may be used; the numbers are TF1's `GATE_*` constants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gate {
    /// Each gradient as soon as it is computed.
    None = 0,
    /// The gradients of the inputs of one op become usable together.
    Op = 1,
    /// No gradient is usable before all are computed.
    Graph = 2,
}

impl Gate {
    pub fn from_number(n: i64) -> Option<Gate> {
        match n {
            0 => Some(Gate::None),
            1 => Some(Gate::Op),
            2 => Some(Gate::Graph),
            _ => None,
        }
    }
}

/// One gradient: the tensor, and the forward op through whose gradient rule it came.
#[derive(Clone, Copy, Debug)]
pub struct GatedGradient {
    pub gradient: OutputId,
    pub forward_op: NodeId,
}

/// The sets of gradients that must be available together, each with its members' producers.
pub fn gate_groups(gate: Gate, gradients: &[GatedGradient]) -> Vec<Vec<NodeId>> {
    let mut groups: Vec<Vec<NodeId>> = Vec::new();
    let mut by_op: FxHashMap<NodeId, usize> = FxHashMap::default();
    for g in gradients {
        let slot = match gate {
            Gate::None => return Vec::new(),
            Gate::Graph => 0,
            Gate::Op => *by_op.entry(g.forward_op).or_insert(groups.len()),
        };
        if groups.len() <= slot {
            groups.push(Vec::new());
        }
        if !groups[slot].contains(&g.gradient.node) {
            groups[slot].push(g.gradient.node);
        }
    }
    groups.retain(|g| g.len() > 1);
    groups
}

/// Adds, for each group, a control edge from every producer of a gradient in it to `gates`' node of each member.
///
/// `gates[i]` is the node (an `Identity`) that stands for gradient i from here on; the updates read it.
pub fn apply(graph: &mut Graph, gate: Gate, gradients: &[GatedGradient], gates: &[NodeId]) -> Result<(), BuildError> {
    for group in gate_groups(gate, gradients) {
        for (g, &id) in gradients.iter().zip(gates) {
            if group.contains(&g.gradient.node) {
                graph.add_control_inputs(id, &group)?;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gradients() -> Vec<GatedGradient> {
        // Ops 1 and 2: two gradients each; op 3: one.
        [(10, 1), (11, 1), (12, 2), (13, 2), (14, 3)]
            .map(|(node, forward_op)| GatedGradient { gradient: OutputId { node, index: 0 }, forward_op })
            .to_vec()
    }

    #[test]
    fn gate_none_ties_nothing_gate_op_an_op_gate_graph_all() {
        assert!(gate_groups(Gate::None, &gradients()).is_empty());
        assert_eq!(gate_groups(Gate::Op, &gradients()), [vec![10, 11], vec![12, 13]]);
        assert_eq!(gate_groups(Gate::Graph, &gradients()), [vec![10, 11, 12, 13, 14]]);
    }
}
