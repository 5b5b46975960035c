//! Connectionist temporal classification: the loss of label sequences without alignment, and decoders of its outputs.
//!
//! Source: Graves, "Supervised sequence labelling with recurrent neural networks", 2012, chapter 7.

mod beam_search_decoder;
mod decoding;
mod greedy_decoder;
mod loss;

use ferroflow_graph::Registry;
use ferroflow_tensor::Scalar;
use ferroflow_tensor::vector::Ordered;
use ferroflow_tensor::vector::scalar::{self, Elementary};
use std::iter::Sum;

/// The type of logits, in which decoders compute.
trait Logit: Elementary + Scalar + Ordered + Sum + Into<f64> {}

impl Logit for f32 {}
impl Logit for f64 {}

/// Returns the logarithm of the sum of two numbers given by their logarithms.
fn log_sum_exp<T: Elementary>(a: T, b: T) -> T {
    let (low, high) = if a < b { (a, b) } else { (b, a) };
    if low == T::neg_infinity() { high } else { high + scalar::log1p(scalar::exp(low - high)) }
}

pub(super) fn register(r: &mut Registry) {
    beam_search_decoder::register(r);
    greedy_decoder::register(r);
    loss::register(r);
}
