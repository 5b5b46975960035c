//! Batch: the inputs of several steps in one of them; the others go on with empty tensors.

use super::queue::{Limits, QueueName, Task};
use super::rows::{batched, without_rows};
use ferroflow_graph::{Blocking, Kernel, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::{PartialShape, Result, Tensor};

/// Returns the outputs of each task: the last has the whole batch and, for each task, its number and its rows.
fn outputs(tasks: &[Task], size: usize) -> Result<Vec<Vec<Tensor>>> {
    let mut index = Vec::with_capacity(3 * tasks.len());
    let mut row = 0;
    for task in tasks {
        index.extend([task.number, row, row + task.rows as i64]);
        row += task.rows as i64;
    }
    let mut all = Vec::with_capacity(tasks.len());
    for (i, task) in tasks.iter().enumerate() {
        let (mut own, places) = if i + 1 == tasks.len() {
            (batched(tasks, size)?, Tensor::from_slice([tasks.len(), 3], &index)?)
        } else {
            let empty = task.inputs.iter().map(without_rows).collect::<Result<Vec<_>>>()?;
            (empty, Tensor::from_slice::<i64>([0, 3], &[])?)
        };
        own.extend([places, Tensor::scalar(task.number)]);
        all.push(own);
    }
    Ok(all)
}

fn batch(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let (limits, name) = (Limits::of(init)?, QueueName::of(init)?);
    kernel(move |ctx| {
        let queue = name.queue(ctx, &limits)?;
        let inputs = ctx.take_inputs().into_vec();
        ctx.run_blocking(move |cancellation| {
            let compute = |tasks: &[Task]| outputs(tasks, queue.limits.padded(tasks.iter().map(|t| t.rows).sum()));
            Ok(queue.run(inputs, cancellation, compute)?.into())
        })
    })
}

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let count = c.num_outputs().saturating_sub(2);
    for i in 0..count {
        let mut dims = c.input(i)?.with_rank_at_least(1)?.dims();
        if let Some(rows) = dims.as_mut().and_then(|d| d.first_mut()) {
            *rows = None;
        }
        c.set_output(i, dims.map_or_else(PartialShape::unknown, |d| PartialShape::from_dims(&d)));
    }
    c.set_output(count, PartialShape::from_dims(&[None, Some(3)]));
    c.set_output(count + 1, PartialShape::scalar());
    Ok(())
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("Batch")
            .input("in_tensors: T")
            .output("batched_tensors: T")
            .output("batch_index: int64")
            .output("id: int64")
            .attr("num_batch_threads: int")
            .attr("max_batch_size: int")
            .attr("max_enqueued_batches: int = 10")
            .attr("batch_timeout_micros: int")
            .attr("allowed_batch_sizes: list(int) = []")
            .attr("grad_timeout_micros: int")
            .attr("container: string = ''")
            .attr("shared_name: string = ''")
            .attr("batching_queue: string = ''")
            .attr("T: list(type) >= 1")
            .doc("Returns in one step the inputs of several; the other steps get tensors without rows.")
            .stateful()
            .listed_stateful(false)
            .blocks(Blocking::Code)
            .shape(shape)
            .kernel(batch),
    );
}
