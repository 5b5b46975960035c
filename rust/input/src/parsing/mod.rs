//! Parsers: serialized examples, text and JSON to tensors.

mod decode_csv;
mod decode_json_example;
mod feature;
mod features;
mod json;
mod parse_example;
mod parse_sequence_example;
mod parse_single_sequence_example;
mod sequence_features;
mod serialize_tensor;

use ferroflow_graph::Registry;

pub(crate) fn register(r: &mut Registry) {
    decode_csv::register(r);
    decode_json_example::register(r);
    parse_example::register(r);
    parse_sequence_example::register(r);
    parse_single_sequence_example::register(r);
    serialize_tensor::register(r);
}
