//! Numbers in few bits: quantization, and its imitation while training.

mod activations;
mod dequantize;
mod fake_quant;
mod fake_quant_gradient;
mod levels;
mod normalization;
mod nudge;
mod pools;
mod products;
mod quantize;
mod quantize_and_dequantize;
mod range;
mod requantize;
mod sums;

use ferroflow_graph::Registry;

pub(crate) fn register(r: &mut Registry) {
    activations::register(r);
    dequantize::register(r);
    fake_quant::register(r);
    fake_quant_gradient::register(r);
    normalization::register(r);
    pools::register(r);
    products::register(r);
    quantize::register(r);
    quantize_and_dequantize::register(r);
    requantize::register(r);
    sums::register(r);
}
