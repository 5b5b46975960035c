//! Parts that the schemas of dataset ops share.

use ferroflow_graph::{Op, ShapeContext, shape_rules};
use ferroflow_tensor::Result;

/// Returns the attributes that describe a dataset's elements.
pub(super) fn described(op: Op) -> Op {
    op.attr("output_types: list(type) >= 1").attr("output_shapes: list(shape) >= 1")
}

/// Returns an op that makes a dataset from another one.
pub(super) fn unary(name: &str) -> Op {
    Op::new(name).input("input_dataset: variant").output("handle: variant").shape(shape_rules::scalar)
}

/// Returns an op that makes a dataset from none: two equal ones are two datasets.
pub(super) fn source(name: &str) -> Op {
    Op::new(name).output("handle: variant").memoryless().shape(shape_rules::scalar)
}

/// Checks that inputs from the second on are scalars; sets the output to a scalar.
pub(super) fn scalars(c: &mut ShapeContext<'_>) -> Result<()> {
    for i in 1..c.num_inputs() {
        c.input(i)?.with_rank(0)?;
    }
    shape_rules::scalar(c)
}

/// Checks that all inputs are scalars; sets the output to a scalar.
pub(super) fn all_scalars(c: &mut ShapeContext<'_>) -> Result<()> {
    for i in 0..c.num_inputs() {
        c.input(i)?.with_rank(0)?;
    }
    shape_rules::scalar(c)
}
