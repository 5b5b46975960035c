//! Steps that run at the same time share one batch: Batch, Unbatch, UnbatchGrad, BatchFunction.

mod batch;
mod batch_function;
mod pieces;
mod queue;
mod rows;
mod unbatch;
mod unbatch_grad;

use ferroflow_graph::Registry;

pub(crate) fn register(r: &mut Registry) {
    batch::register(r);
    batch_function::register(r);
    unbatch::register(r);
    unbatch_grad::register(r);
}
