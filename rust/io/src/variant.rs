//! `EncodedVariant`: an element of a variant tensor in the form that files hold.

use ferroflow_proto::Message;
use ferroflow_proto::tensorflow::VariantTensorDataProto;
use ferroflow_tensor::Bytes;

/// The name of a type and the bytes of a value. Tensors of them can be saved in checkpoints.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EncodedVariant {
    pub type_name: String,
    pub value: Bytes,
}

impl EncodedVariant {
    /// Returns the bytes of TensorFlow's message for such an element.
    pub fn to_message(&self) -> Vec<u8> {
        let (type_name, metadata) = (self.type_name.clone(), self.value.to_vec());
        VariantTensorDataProto { type_name, metadata, tensors: Vec::new() }.encode_to_vec()
    }

    /// Returns the element of a message; `None` where the bytes are no message or it has tensors.
    pub fn of_message(bytes: &[u8]) -> Option<EncodedVariant> {
        let message = VariantTensorDataProto::decode(bytes).ok().filter(|message| message.tensors.is_empty())?;
        Some(EncodedVariant { type_name: message.type_name, value: message.metadata.into() })
    }
}
