//! Variables and the ops that write them.

mod apply;
mod apply_gradient_descent;
mod assign;
mod initialized_value;
mod variable;

use ferroflow_graph::Registry;

pub(crate) fn register(r: &mut Registry) {
    apply_gradient_descent::register(r);
    assign::register(r);
    initialized_value::register(r);
    variable::register(r);
}
