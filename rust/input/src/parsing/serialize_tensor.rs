//! SerializeTensor and ParseTensor: tensors as serialized `TensorProto` messages and back.

use ferroflow_graph::{Op, Registry, kernel, shape_rules};
use ferroflow_io::tensor_message::{of_message, parsed, readable};
use ferroflow_proto::Message;
use ferroflow_tensor::{Tensor, bail, ensure};

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("SerializeTensor")
            .input("tensor: T")
            .output("serialized: string")
            .attr("T: type")
            .doc("Returns the tensor as a serialized TensorProto.")
            .shape(shape_rules::scalar)
            .kernel(|_| {
                kernel(|ctx| {
                    let message = readable(ctx.input(0)?)?.encode_to_vec();
                    ctx.set_output(0, Tensor::from_strings([], vec![message.into()])?);
                    Ok(())
                })
            }),
    );
    r.add(
        Op::new("ParseTensor")
            .input("serialized: string")
            .output("output: out_type")
            .attr("out_type: type")
            .doc("Returns the tensor that a serialized TensorProto holds.")
            .shape(shape_rules::unknown)
            .kernel(|init| {
                let dtype = init.dtype("out_type")?;
                kernel(move |ctx| {
                    let input = ctx.input(0)?;
                    let (0, [message]) = (input.rank(), input.strings()?) else {
                        bail!(InvalidArgument, "Expected `serialized` to be a scalar, got shape: {}", input.shape());
                    };
                    let Some(parsed) = parsed(message) else {
                        let text = String::from_utf8_lossy(message);
                        bail!(InvalidArgument, "Could not parse `serialized` as TensorProto: '{text}'");
                    };
                    let tensor = of_message(&parsed)?;
                    ensure!(
                        tensor.dtype() == dtype,
                        InvalidArgument,
                        "Type mismatch between parsed tensor ({}) and dtype ({})",
                        tensor.dtype().schema_name(),
                        dtype.schema_name()
                    );
                    ctx.set_output(0, tensor);
                    Ok(())
                })
            }),
    );
}
