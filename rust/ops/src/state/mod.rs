//! Variables and the ops that write them.

mod assign;
mod variable;

use ferroflow_graph::Registry;

pub(crate) fn register(r: &mut Registry) {
    assign::register(r);
    variable::register(r);
}
