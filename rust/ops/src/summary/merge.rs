//! MergeSummary: the values of several summaries in one.

use super::{scalar_shape, set_message};
use ferroflow_graph::{KernelContext, Op, Registry, kernel};
use ferroflow_proto::Message;
use ferroflow_proto::tensorflow::Summary;
use ferroflow_tensor::{Result, Status, ensure};
use rustc_hash::FxHashSet;

fn compute(ctx: &mut KernelContext<'_>) -> Result<()> {
    let mut tags = FxHashSet::default();
    let mut values = Vec::new();
    for input in ctx.inputs() {
        for message in input.strings()? {
            let summary = Summary::decode(&**message)
                .map_err(|_| Status::invalid_argument("Could not parse one of the summary inputs"))?;
            for value in summary.value {
                // TensorSummary's values have no tag.
                ensure!(
                    value.tag.is_empty() || tags.insert(value.tag.clone()),
                    InvalidArgument,
                    "Duplicate tag {} found in summary inputs",
                    value.tag
                );
                values.push(value);
            }
        }
    }
    set_message(ctx, Summary { value: values }.encode_to_vec())
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("MergeSummary")
            .input("inputs: N * string")
            .output("summary: string")
            .attr("N: int >= 1")
            .doc("Returns one Summary message with the values of all inputs, whose tags must differ.")
            .shape(scalar_shape)
            .kernel(|_| kernel(compute)),
    );
}
