//! Ops that call functions of the graph's library: calls, conditionals and loops as TensorFlow 1.15 writes them.

mod branch;
mod call;
mod fake_param;
pub(crate) mod function;
mod map_defun;
mod repeat;

use ferroflow_graph::Registry;

pub(crate) fn register(r: &mut Registry) {
    branch::register(r);
    call::register(r);
    fake_param::register(r);
    map_defun::register(r);
    repeat::register(r);
}
