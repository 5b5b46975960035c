//! `OneShape`: the check, as a program runs, that operands which their nodes do not stretch have one shape.

use ferroflow_graph::{Node, NodeId};
use ferroflow_sync::Mutex;
use ferroflow_tensor::elementwise::{Program, Value};
use ferroflow_tensor::{Result, Shape, Status, Tensor};
use smallvec::SmallVec;
use std::sync::Arc;

type Shapes = SmallVec<[Shape; 8]>;

/// A node whose operands must have one shape.
struct Checked {
    id: NodeId,
    name: Arc<str>,
    op: Arc<str>,
    operands: SmallVec<[Value; 4]>,
}

#[derive(Default)]
pub(super) struct OneShape {
    nodes: Vec<Checked>,
    /// Shapes of inputs that were found good; runs of one graph node mostly have the same.
    verified: Mutex<Shapes>,
}

impl OneShape {
    pub fn require(&mut self, node: &Node, operands: &[Value]) {
        let (name, op) = (node.name.clone(), node.op.name.clone());
        self.nodes.push(Checked { id: node.id, name, op, operands: operands.into() });
    }

    /// Errors: `InvalidArgument` at the node, with TF's words.
    pub fn check(&self, program: &Program, given: &[Tensor]) -> Result<()> {
        let of_given = || given.iter().map(Tensor::shape);
        // Stretches depend on values, too.
        let is_known = program.stretches().is_empty() && self.verified.lock().iter().eq(of_given());
        if self.nodes.is_empty() || is_known {
            return Ok(());
        }
        let (shapes, misfit) = program.shapes_of(given);
        for checked in &self.nodes {
            let shape = |v: &Value| shapes.get(*v as usize);
            let Some(Some(first)) = checked.operands.first().map(shape) else { continue };
            for (k, other) in checked.operands.iter().enumerate() {
                if let Some(other) = shape(other)
                    && other != first
                {
                    let message = format!(
                        "Inputs to operation {} of type {} must have the same size and shape.  Input 0: {first} != input {k}: {other}",
                        checked.name, checked.op
                    );
                    return Err(Status::invalid_argument(message).at_node(checked.id));
                }
            }
        }
        if misfit.is_none() {
            *self.verified.lock() = of_given().cloned().collect();
        }
        Ok(())
    }
}
