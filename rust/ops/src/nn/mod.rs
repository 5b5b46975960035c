//! Ops of neural networks: activations, biases, convolutions, softmax and its losses, the best of many classes.

mod activation;
mod bias_add;
mod conv;
mod ctc;
mod gather_tree;
mod in_top_k;
mod l2_loss;
mod leaky_relu;
mod normalization;
mod nth_element;
mod pooling;
mod softmax;
mod softmax_cross_entropy;
mod sparse_softmax_cross_entropy;
mod top_k;

use ferroflow_graph::Registry;

pub(crate) use conv::{conv_shape_of_levels, convolved_levels};
pub(crate) use pooling::{Pooling, pooled_shape, pooled_shape_of_channels};

pub(crate) fn register(r: &mut Registry) {
    activation::register(r);
    bias_add::register(r);
    conv::register(r);
    ctc::register(r);
    gather_tree::register(r);
    in_top_k::register(r);
    l2_loss::register(r);
    leaky_relu::register(r);
    normalization::register(r);
    nth_element::register(r);
    pooling::register(r);
    softmax::register(r);
    softmax_cross_entropy::register(r);
    sparse_softmax_cross_entropy::register(r);
    top_k::register(r);
}
