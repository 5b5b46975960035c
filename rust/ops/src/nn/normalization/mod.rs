//! Normalization: by the moments of each channel, and by the neighbours of each channel.

mod batch_norm;
mod global_batch_norm;
mod lrn;

use ferroflow_graph::Registry;

pub(super) fn register(r: &mut Registry) {
    batch_norm::register(r);
    global_batch_norm::register(r);
    lrn::register(r);
}
