//! Tensor lists: values of type variant that grow and shrink at their end, as the history of a loop does.

mod ends;
mod value;

use ferroflow_graph::Registry;

pub(crate) use value::{sum, zeros_like};

pub(crate) fn register(r: &mut Registry) {
    ends::register(r);
}
