//! `Formula`: the operation of a node that a program can compute.
//!
//! Booleans are masks in a program: numbers whose bits are all ones or all zeros. A program makes none for others.

use crate::draft::{Action, Draft};
use ferroflow_graph::{Elementwise, Graph};
use ferroflow_tensor::DType;

pub(super) struct Formula {
    pub function: Elementwise,
    /// The type of the numbers; Bool for functions of booleans alone, which suit programs of every type.
    dtype: DType,
}

/// The formula of each node of a draft that has one.
pub(super) type Formulas = [Option<Formula>];

impl Formula {
    pub fn makes_mask(&self) -> bool {
        matches!(self.function, Elementwise::Compare(_) | Elementwise::Logical(_) | Elementwise::Not)
    }

    /// Returns the number of leading operands that are masks.
    pub fn masks(&self) -> usize {
        match self.function {
            Elementwise::Logical(_) => 2,
            Elementwise::Not | Elementwise::Cast | Elementwise::Select => 1,
            _ => 0,
        }
    }

    /// Returns whether all operands must have one shape.
    pub fn needs_one_shape(&self) -> bool {
        matches!(self.function, Elementwise::Sum | Elementwise::Select)
    }

    /// Returns whether one program can compute both.
    pub fn suits(&self, other: &Formula) -> bool {
        self.dtype == other.dtype || self.dtype == DType::Bool
    }

    pub fn dtype(&self) -> DType {
        self.dtype
    }
}

/// Returns the formula of node `i`, if a program can compute it.
pub(super) fn find(d: &Draft, graph: &Graph, i: usize) -> Option<Formula> {
    let n = &d.nodes[i];
    if !matches!(n.action, Action::Run(_)) || n.is_ref.contains(&true) || n.node.outputs.len() != 1 {
        return None;
    }
    let function = n.node.op.elementwise?;
    let result = n.node.outputs[0].dtype;
    let inputs: Vec<_> = n.node.inputs.iter().filter_map(|&o| graph.output(o).ok()).collect();
    let first = inputs.first()?;
    let are_all = |dtype: DType| inputs.iter().all(|o| o.dtype == dtype);
    // Without these, operands of other shapes have meanings of their own.
    let one_shape = || first.shape.is_fully_known() && inputs.iter().all(|o| o.shape == first.shape);
    let dtype = match function {
        Elementwise::Unary(_) | Elementwise::Binary(_) => are_all(result).then_some(result)?,
        Elementwise::Sum => (are_all(result) && one_shape()).then_some(result)?,
        Elementwise::Compare(_) => {
            let is_error = n.node.attrs.bool("incompatible_shape_error").unwrap_or(true);
            ((is_error || one_shape()) && are_all(first.dtype)).then_some(first.dtype)?
        }
        Elementwise::Select => one_shape().then_some(result)?,
        Elementwise::Cast => (first.dtype == DType::Bool).then_some(result)?,
        Elementwise::Logical(_) | Elementwise::Not => return Some(Formula { function, dtype: DType::Bool }),
    };
    matches!(dtype, DType::F32 | DType::F64).then_some(Formula { function, dtype })
}
