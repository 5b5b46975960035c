//! The ops that put elements in and take them out: QueueEnqueue, QueueEnqueueMany, QueueDequeue, QueueDequeueMany,
//! QueueDequeueUpTo, QueueClose, each by reference and by handle.

use super::element::Tuple;
use super::state::{Begun, Count, Queue};
use ferroflow_graph::{Kernel, KernelContext, KernelInit, Op, Registry, ShapeContext, kernel, shape_rules};
use ferroflow_tensor::{DType, PartialShape, Result, Tensor, ensure};
use std::sync::Arc;

fn check_timeout(init: &KernelInit<'_>) -> Result<()> {
    // TF 1.x: the attribute exists, but no kernel accepts another value.
    ensure!(init.int("timeout_ms")? == -1, InvalidArgument, "Timeout not supported yet.");
    Ok(())
}

fn type_list(types: impl Iterator<Item = DType>) -> String {
    types.map(|t| t.schema_name().to_owned()).collect::<Vec<_>>().join(", ")
}

/// Checks that a node's components have the types of the queue's.
fn check_signature(ctx: &KernelContext<'_>, queue: &Queue, given: &[DType], brings: bool) -> Result<()> {
    let handle = ctx.input(0)?.dtype();
    let sides = |types: &[DType]| {
        let types = types.iter().copied();
        match brings {
            true => format!("{}->", type_list(std::iter::once(handle).chain(types))),
            false => format!("{}->{}", handle.schema_name(), type_list(types)),
        }
    };
    ensure!(
        given == queue.types(),
        InvalidArgument,
        "Signature mismatch, have: {} expected: {}",
        sides(given),
        sides(queue.types())
    );
    Ok(())
}

/// Hands over the outputs, now or later.
pub(super) fn finish(ctx: &mut KernelContext<'_>, begun: Begun) -> Result<()> {
    match begun {
        Begun::Ended(outputs) => outputs.into_iter().enumerate().for_each(|(i, t)| ctx.set_output(i, t)),
        Begun::Waits(waiting) => ctx.wait_for(waiting),
    }
    Ok(())
}

fn enqueue(init: &KernelInit<'_>, many: bool) -> Result<Box<dyn Kernel>> {
    check_timeout(init)?;
    let types = init.dtypes("Tcomponents")?;
    kernel(move |ctx| {
        let queue: Arc<Queue> = ctx.resource(0)?;
        check_signature(ctx, &queue, &types, true)?;
        let components = (1..ctx.num_inputs()).map(|i| ctx.take(i).and_then(Tensor::into_owned));
        let tuple = components.collect::<Result<Tuple>>()?;
        let step = ctx.step.cancellation;
        let begun = if many { queue.enqueue_many(tuple, step)? } else { queue.enqueue(tuple, step)? };
        finish(ctx, begun)
    })
}

fn dequeue(init: &KernelInit<'_>, count: fn(usize) -> Count, op: &'static str) -> Result<Box<dyn Kernel>> {
    check_timeout(init)?;
    let types = init.dtypes("component_types")?;
    let has_count = init.input_types.len() > 1;
    kernel(move |ctx| {
        let queue: Arc<Queue> = ctx.resource(0)?;
        let n = if has_count {
            let n = ctx.input(1)?;
            ensure!(n.elements() == 1, InvalidArgument, "{op} expects one number of elements, got {}", n.shape());
            let n = n.to_scalar::<i32>()?;
            ensure!(n >= 0, InvalidArgument, "{op} requested {n} < 0 elements");
            n as usize
        } else {
            1
        };
        check_signature(ctx, &queue, &types, false)?;
        let begun = queue.dequeue(count(n), ctx.step.cancellation)?;
        finish(ctx, begun)
    })
}

fn close(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let cancel = init.bool("cancel_pending_enqueues")?;
    kernel(move |ctx| {
        let begun = ctx.resource::<Queue>(0)?.close(cancel, ctx.step.cancellation)?;
        finish(ctx, begun)
    })
}

fn count_argument(c: &mut ShapeContext<'_>) -> Result<()> {
    if let Some(n) = c.input_i64(1).unwrap_or(None) {
        ensure!(n >= 0, InvalidArgument, "Input 'n' must be >= 0, but is {n}");
    }
    Ok(())
}

fn reference(c: &mut ShapeContext<'_>) -> Result<()> {
    c.input(0)?.merge(&PartialShape::vector(Some(2)))?;
    Ok(())
}

/// Returns an op on a queue, by reference or by handle.
fn on_queue(name: &str, by_handle: bool) -> Op {
    let name = if by_handle { format!("{name}V2") } else { name.to_owned() };
    let op = Op::new(&name).input(if by_handle { "handle: resource" } else { "handle: Ref(string)" });
    op.inspects_ref().may_wait().listed_stateful(by_handle)
}

fn bringing(name: &str, by_handle: bool) -> Op {
    on_queue(name, by_handle)
        .input("components: Tcomponents")
        .attr("Tcomponents: list(type) >= 1")
        .attr("timeout_ms: int = -1")
        .shape(shape_rules::unknown)
}

fn taking(name: &str, by_handle: bool) -> Op {
    takes(on_queue(name, by_handle).shape(shape_rules::unknown))
}

fn taking_many(name: &str, by_handle: bool) -> Op {
    takes(on_queue(name, by_handle).input("n: int32").shape(count_argument))
}

fn takes(op: Op) -> Op {
    op.output("components: component_types").attr("component_types: list(type) >= 1").attr("timeout_ms: int = -1")
}

pub(super) fn register(r: &mut Registry) {
    for by_handle in [false, true] {
        r.add(
            bringing("QueueEnqueue", by_handle)
                .doc("Puts an element in a queue; waits while it is full.")
                .kernel(|init| enqueue(init, false)),
        );
        r.add(
            bringing("QueueEnqueueMany", by_handle)
                .doc("Puts the rows of tensors in a queue; waits while it is full.")
                .kernel(|init| enqueue(init, true)),
        );
        r.add(
            taking("QueueDequeue", by_handle)
                .doc("Takes an element out of a queue; waits until there is one.")
                .kernel(|init| dequeue(init, |_| Count::One, "DequeueOp")),
        );
        r.add(
            taking_many("QueueDequeueMany", by_handle)
                .doc("Takes `n` elements out of a queue as one batch; waits until there are as many.")
                .kernel(|init| dequeue(init, Count::Many, "DequeueManyOp")),
        );
        r.add(
            taking_many("QueueDequeueUpTo", by_handle)
                .doc("Takes `n` elements out of a queue as one batch, or what is left of a closed one.")
                .kernel(|init| dequeue(init, Count::UpTo, "DequeueUpToOp")),
        );
        r.add(
            on_queue("QueueClose", by_handle)
                .attr("cancel_pending_enqueues: bool = false")
                .doc("Closes a queue: nothing more goes in, and taking from it fails once it is empty.")
                .shape(if by_handle { shape_rules::unknown } else { reference })
                .kernel(close),
        );
    }
}
