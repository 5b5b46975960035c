//! Numbers in few bits: quantization, and its imitation while training.

mod dequantize;
mod fake_quant;
mod fake_quant_gradient;
mod nudge;
mod quantize;
mod quantize_and_dequantize;
mod range;

use ferroflow_graph::Registry;

pub(crate) fn register(r: &mut Registry) {
    dequantize::register(r);
    fake_quant::register(r);
    fake_quant_gradient::register(r);
    quantize::register(r);
    quantize_and_dequantize::register(r);
}
