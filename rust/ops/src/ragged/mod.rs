//! Ragged tensors: values in rows of different lengths, stored as one tensor and the splits between its rows.

mod gather;
mod range;
pub(crate) mod splits;
mod to_sparse;
mod to_tensor;

use ferroflow_graph::Registry;

pub(crate) fn register(r: &mut Registry) {
    gather::register(r);
    range::register(r);
    to_sparse::register(r);
    to_tensor::register(r);
}
