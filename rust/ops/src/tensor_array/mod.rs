//! Tensor arrays: values of one type by position, written once a step, which loops fill and read.

mod element;
mod form;
mod making;
mod state;
#[cfg(test)]
mod tests;
mod whole;

use ferroflow_graph::Registry;

pub(crate) fn register(r: &mut Registry) {
    making::register(r);
    element::register(r);
    whole::register(r);
}
