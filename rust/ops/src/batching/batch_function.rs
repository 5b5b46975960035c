//! BatchFunction: a function called once for the inputs of several steps.

use super::queue::{Limits, QueueName, Task};
use super::rows::{batched, divided};
use crate::calls::function::{Called, calling, unknown_shapes};
use ferroflow_graph::{Kernel, KernelInit, Op, Registry, kernel};
use ferroflow_tensor::{Result, Tensor, ensure};
use std::sync::Arc;

/// Returns the part of each result that belongs to each task.
fn parts(results: &[Tensor], tasks: &[Task], size: usize) -> Result<Vec<Vec<Tensor>>> {
    let sizes: Vec<usize> = tasks.iter().map(|t| t.rows).collect();
    let mut all = vec![Vec::with_capacity(results.len()); tasks.len()];
    for result in results {
        ensure!(result.rank() > 0, FailedPrecondition, "Batched output tensor has 0 dimensions");
        ensure!(
            result.shape()[0] == size,
            FailedPrecondition,
            "Batched output tensor's 0th dimension does not equal the sum of the 0th dimension sizes of the input tensors"
        );
        for (own, part) in all.iter_mut().zip(divided(result, &sizes)?) {
            own.push(part);
        }
    }
    Ok(all)
}

fn batch_function(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let (limits, name) = (Limits::of(init)?, QueueName::of(init)?);
    let function = Arc::new((Called::new(init.func("f")?.name), init.dtypes("Tout")?));
    let count = init.dtypes("Tin")?.len();
    kernel(move |ctx| {
        let queue = name.queue(ctx, &limits)?;
        let (function, functions) = (function.clone(), ctx.step.functions.clone());
        let declared = ctx.num_node_inputs();
        let mut inputs: Vec<Tensor> = ctx.take_inputs().into_iter().take(declared).collect();
        let captured = inputs.split_off(count.min(inputs.len()));
        ctx.run_blocking(move |cancellation| {
            let compute = |tasks: &[Task]| {
                let size = queue.limits.padded(tasks.iter().map(|t| t.rows).sum());
                let arguments = batched(tasks, size)?.into_iter().chain(captured).collect();
                let results = function.0.results(&functions, arguments, &function.1, cancellation)?;
                parts(&results, tasks, size)
            };
            Ok(queue.run(inputs, cancellation, compute)?.into())
        })
    })
}

pub(super) fn register(r: &mut Registry) {
    r.add(calling(
        Op::new("BatchFunction")
            .input("in_tensors: Tin")
            .input("captured_tensors: Tcaptured")
            .output("out_tensors: Tout")
            .attr("f: func")
            .attr("num_batch_threads: int")
            .attr("max_batch_size: int")
            .attr("batch_timeout_micros: int")
            .attr("max_enqueued_batches: int = 10")
            .attr("allowed_batch_sizes: list(int) = []")
            .attr("container: string = ''")
            .attr("shared_name: string = ''")
            .attr("batching_queue: string = ''")
            .attr("Tin: list(type) >= 1")
            .attr("Tcaptured: list(type) >= 0")
            .attr("Tout: list(type) >= 1")
            .doc("Calls a function once for the inputs of several steps; each step gets its rows of the results.")
            .shape(unknown_shapes)
            .kernel(batch_function),
        false,
    ));
}
