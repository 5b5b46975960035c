//! Variables and the ops that write them.

mod accumulated_rows;
mod apply;
mod apply_adadelta;
mod apply_adagrad;
mod apply_adagrad_da;
mod apply_adam;
mod apply_ftrl;
mod apply_gradient_descent;
mod apply_momentum;
mod apply_proximal;
mod apply_rms_prop;
mod apply_sign;
#[cfg(test)]
mod apply_tests;
mod assign;
mod conditional_accumulator;
mod count_up_to;
mod over_handles;
mod program_update;
mod resource_variable;
mod row_update;
mod scatter;
mod scatter_nd;
mod session_tensor;
mod temporary_variable;
mod variable;

use ferroflow_graph::Registry;

pub(crate) fn register(r: &mut Registry) {
    apply_adadelta::register(r);
    apply_adagrad::register(r);
    apply_adagrad_da::register(r);
    apply_adam::register(r);
    apply_ftrl::register(r);
    apply_gradient_descent::register(r);
    apply_momentum::register(r);
    apply_proximal::register(r);
    apply_rms_prop::register(r);
    apply_sign::register(r);
    assign::register(r);
    conditional_accumulator::register(r);
    count_up_to::register(r);
    resource_variable::register(r);
    scatter::register(r);
    scatter_nd::register(r);
    session_tensor::register(r);
    temporary_variable::register(r);
    variable::register(r);
    over_handles::register(r);
}
