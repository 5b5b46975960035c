//! The ops: HorovodAllreduce, HorovodAllgather, HorovodBroadcast, and the group's numbers.

use crate::group::{Awaited, Group};
use crate::operation::{Operation, Scale};
use ferroflow_graph::{KernelContext, Op, Registry, ShapeContext, kernel, shape_rules};
use ferroflow_tensor::{PartialShape, Result, Tensor, bail};

/// Submits input 0; the step goes on until the value is needed.
fn submit(ctx: &mut KernelContext<'_>, operation: Operation) -> Result<()> {
    let group = Group::current()?;
    let (tensor, bell) = (ctx.take(0)?, ctx.step.cancellation.bell().clone());
    let ticket = group.submit(ctx.name(), operation, tensor, bell)?;
    match ticket.poll() {
        Some(outcome) => ctx.set_output(0, outcome?),
        None => ctx.wait_for(Awaited { group, ticket }),
    }
    Ok(())
}

fn gathered_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let Some(mut dims) = c.input(0)?.with_rank_at_least(1)?.dims() else { return Ok(()) };
    dims[0] = None;
    c.set_output(0, PartialShape::from_dims(&dims));
    Ok(())
}

fn give(ctx: &mut KernelContext<'_>, of: fn(&Group) -> usize) -> Result<()> {
    let group = Group::current()?;
    ctx.set_output(0, Tensor::scalar(i32::try_from(of(&group)).unwrap_or(i32::MAX)));
    Ok(())
}

/// Adds the ops to a registry.
pub fn register(r: &mut Registry) {
    r.add(
        Op::new("HorovodAllreduce")
            .input("tensor: T")
            .output("sum: T")
            .attr("T: {uint8, int8, uint16, int16, int32, int64, half, bfloat16, float, double}")
            .attr("reduce_op: int = 1")
            .attr("prescale_factor: float = 1.0")
            .attr("postscale_factor: float = 1.0")
            .memoryless()
            .may_wait()
            .urgent()
            .doc(
                "Returns the sum (`reduce_op` 1) or the mean (0) of the ranks' tensors, which all have the same shape.",
            )
            .shape(shape_rules::unchanged)
            .kernel(|init| {
                let is_average = match init.int("reduce_op")? {
                    0 => true,
                    1 => false,
                    other => bail!(Unimplemented, "reduce_op must be 0 (Average) or 1 (Sum), not {other}"),
                };
                let (before, after) = (init.float("prescale_factor")?.into(), init.float("postscale_factor")?.into());
                kernel(move |ctx| submit(ctx, Operation::Sum(Scale { before, after, is_average })))
            }),
    );
    r.add(
        Op::new("HorovodAllgather")
            .input("tensor: T")
            .output("output: T")
            .attr("T: {uint8, int8, uint16, int16, int32, int64, half, bfloat16, float, double, bool}")
            .memoryless()
            .may_wait()
            .urgent()
            .doc("Returns the ranks' tensors, one after the other along their first dimension, which may differ.")
            .shape(gathered_shape)
            .kernel(|_| kernel(|ctx| submit(ctx, Operation::Concatenate))),
    );
    r.add(
        Op::new("HorovodBroadcast")
            .input("tensor: T")
            .output("output: T")
            .attr("T: {uint8, int8, uint16, int16, int32, int64, half, bfloat16, float, double, complex64, complex128, bool}")
            .attr("root_rank: int")
            .memoryless()
            .may_wait()
            .urgent()
            .doc("Returns the tensor of rank `root_rank`; all ranks' tensors have the same shape.")
            .shape(shape_rules::unchanged)
            .kernel(|init| {
                let Ok(root) = usize::try_from(init.int("root_rank")?) else {
                    bail!(InvalidArgument, "root_rank must not be negative");
                };
                kernel(move |ctx| submit(ctx, Operation::Broadcast { root }))
            }),
    );
    r.add(
        Op::new("HorovodRank")
            .output("rank: int32")
            .memoryless()
            .doc("Returns this process's rank.")
            .shape(shape_rules::scalar)
            .kernel(|_| kernel(|ctx| give(ctx, Group::rank))),
    );
    r.add(
        Op::new("HorovodSize")
            .output("size: int32")
            .memoryless()
            .doc("Returns the number of processes.")
            .shape(shape_rules::scalar)
            .kernel(|_| kernel(|ctx| give(ctx, Group::size))),
    );
}
