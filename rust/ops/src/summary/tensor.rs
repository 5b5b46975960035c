//! TensorSummary, TensorSummaryV2: whole tensors in summaries, for plugins to show.

use super::{Tagged, scalar_shape, set_summary, tag_in};
use ferroflow_graph::{KernelContext, Op, Registry, kernel};
use ferroflow_io::tensor_message;
use ferroflow_proto::Message;
use ferroflow_proto::tensorflow::SummaryMetadata;
use ferroflow_proto::tensorflow::summary::{Value, value};
use ferroflow_tensor::{Result, Status, Tensor, ensure};

fn of_node(ctx: &mut KernelContext<'_>) -> Result<()> {
    let tensor = tensor_message::readable(ctx.input(0)?)?;
    let node_name = ctx.name().to_owned();
    let value = Value { node_name, value: Some(value::Value::Tensor(tensor)), ..Default::default() };
    set_summary(ctx, &[Tagged { tag: Vec::new(), value }])
}

fn of_tag(ctx: &mut KernelContext<'_>) -> Result<()> {
    let tag = tag_in(ctx, 0, "tag")?;
    let value = value_of(tag, ctx.input(1)?, ctx.input(2)?)?;
    set_summary(ctx, &[value])
}

/// Returns a tensor with its serialized metadata.
pub(super) fn value_of(tag: Vec<u8>, tensor: &Tensor, serialized: &Tensor) -> Result<Tagged> {
    let tensor = tensor_message::readable(tensor)?;
    ensure!(
        serialized.elements() == 1,
        InvalidArgument,
        "serialized_summary_metadata must be scalar, got shape {}",
        serialized.shape()
    );
    let metadata = SummaryMetadata::decode(&*serialized.strings()?[0])
        .map_err(|e| Status::invalid_argument(format!("serialized_summary_metadata is no SummaryMetadata: {e}")))?;
    let value = Some(value::Value::Tensor(tensor));
    Ok(Tagged { tag, value: Value { metadata: Some(metadata), value, ..Default::default() } })
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("TensorSummary")
            .input("tensor: T")
            .output("summary: string")
            .attr("T: type")
            .attr("description: string = ''")
            .attr("labels: list(string) = []")
            .attr("display_name: string = ''")
            .doc("Returns a Summary message with a tensor, under its node's name.")
            .shape(scalar_shape)
            .kernel(|_| kernel(of_node)),
    );
    r.add(
        Op::new("TensorSummaryV2")
            .input("tag: string")
            .input("tensor: T")
            .input("serialized_summary_metadata: string")
            .output("summary: string")
            .attr("T: type")
            .doc("Returns a Summary message with a tensor, its tag, and metadata that name the plugin to show it.")
            .shape(scalar_shape)
            .kernel(|_| kernel(of_tag)),
    );
}
