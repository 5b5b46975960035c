//! Convolutions in two and three dimensions, depthwise ones, and their gradients.

mod backprop_filter;
mod backprop_input;
mod depthwise;
mod forward;
mod fused_pad;
mod levels;
mod precision;
mod shape;
mod spec;

use ferroflow_graph::Registry;

pub(crate) use levels::{conv_shape_of_levels, convolved_levels};

pub(super) fn register(r: &mut Registry) {
    forward::register(r);
    fused_pad::register(r);
    backprop_input::register(r);
    backprop_filter::register(r);
    depthwise::register(r);
}

#[cfg(test)]
mod tests;
