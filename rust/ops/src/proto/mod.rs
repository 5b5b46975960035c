//! DecodeProtoV2, EncodeProto: fields of serialized messages as tensors, and back.

mod decode_proto;
mod descriptor;
mod encode_proto;
mod wire;

use ferroflow_graph::Registry;

pub(crate) fn register(r: &mut Registry) {
    decode_proto::register(r);
    encode_proto::register(r);
}
