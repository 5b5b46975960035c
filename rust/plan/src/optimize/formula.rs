//! `Formula`: the scalar operation of a node that a program can compute.

use crate::draft::{Action, Draft};
use ferroflow_graph::{Elementwise, Graph};
use ferroflow_tensor::DType;

/// The scalar operation of a node, if a program can compute it.
pub(super) enum Formula {
    Apply(Elementwise),
    /// AddN, whose inputs are known to have one shape: summed from the left, as its kernel does.
    Sum,
}

/// The operation and the type of each node of a draft.
pub(super) type Formulas = [Option<(Formula, DType)>];

/// Returns those of node `i`, if a program can compute it.
pub(super) fn find(d: &Draft, graph: &Graph, i: usize) -> Option<(Formula, DType)> {
    let n = &d.nodes[i];
    if !matches!(n.action, Action::Run(_)) || n.is_ref.contains(&true) || n.node.outputs.len() != 1 {
        return None;
    }
    let dtype = n.node.outputs[0].dtype;
    if !matches!(dtype, DType::F32 | DType::F64) {
        return None;
    }
    let inputs: Vec<_> = n.node.inputs.iter().filter_map(|&o| graph.output(o).ok()).collect();
    if inputs.iter().any(|o| o.dtype != dtype) {
        return None;
    }
    match n.node.op.elementwise {
        Some(f @ (Elementwise::Unary(_) | Elementwise::Binary(_))) => Some((Formula::Apply(f), dtype)),
        Some(Elementwise::Sum) => {
            let first = &inputs.first()?.shape;
            let one_shape = first.is_fully_known() && inputs.iter().all(|o| o.shape == *first);
            one_shape.then_some((Formula::Sum, dtype))
        }
        _ => None,
    }
}
