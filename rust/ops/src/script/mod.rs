//! Functions of the program's own language as ops.

mod py_func;

pub(crate) use py_func::call;
pub use py_func::{Host, set_host};

use ferroflow_graph::Registry;

pub(crate) fn register(r: &mut Registry) {
    py_func::register(r);
}
