//! QueueSize and QueueIsClosed.

use super::state::Queue;
use ferroflow_graph::{Op, Registry, kernel, shape_rules};
use ferroflow_tensor::Tensor;

fn on_queue(name: &str, by_handle: bool) -> Op {
    let name = if by_handle { format!("{name}V2") } else { name.to_owned() };
    let op = Op::new(&name).input(if by_handle { "handle: resource" } else { "handle: Ref(string)" });
    op.inspects_ref().listed_stateful(by_handle).shape(shape_rules::scalar)
}

pub(super) fn register(r: &mut Registry) {
    for by_handle in [false, true] {
        r.add(
            on_queue("QueueSize", by_handle)
                .output("size: int32")
                .doc("Returns the number of elements in a queue.")
                .kernel(|_| {
                    kernel(|ctx| {
                        let size = ctx.resource::<Queue>(0)?.len();
                        ctx.set_output(0, Tensor::scalar(i32::try_from(size).unwrap_or(i32::MAX)));
                        Ok(())
                    })
                }),
        );
        r.add(
            on_queue("QueueIsClosed", by_handle)
                .output("is_closed: bool")
                .doc("Returns true if a queue is closed.")
                .kernel(|_| {
                    kernel(|ctx| {
                        let is_closed = ctx.resource::<Queue>(0)?.is_closed();
                        ctx.set_output(0, Tensor::scalar(is_closed));
                        Ok(())
                    })
                }),
        );
    }
}
