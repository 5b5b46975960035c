//! Ops on windows of images and volumes: their maxima, means and places of maxima, and morphology.

mod avg_pool;
mod dilation;
mod fractional_pool;
mod max_pool;
mod max_pool_with_argmax;
mod windows;

use ferroflow_graph::Registry;

pub(crate) use windows::{Pooling, shape as pooled_shape, shape_of_channels as pooled_shape_of_channels};

pub(super) fn register(r: &mut Registry) {
    avg_pool::register(r);
    dilation::register(r);
    fractional_pool::register(r);
    max_pool::register(r);
    max_pool_with_argmax::register(r);
}
