//! Tensor lists: values of type variant that grow and shrink at their end, as the history of a loop does, and whose elements have places.

mod ends;
mod handles;
mod places;
mod value;
mod whole;

use ferroflow_graph::Registry;

pub(crate) use value::{sum, zeros_like};

pub(crate) fn register(r: &mut Registry) {
    ends::register(r);
    places::register(r);
    whole::register(r);
}
