//! MapDefun: a function called for each part of its arguments along their first dimension.

use super::function::{Called, Values, arguments, calling};
use crate::array::rows::{join, rows};
use ferroflow_graph::{Kernel, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::threads::Threads;
use ferroflow_tensor::{DType, PartialShape, Result, Shape, Tensor, ensure};
use std::sync::Arc;

/// The function, the number of its arguments that are cut, and its results.
struct Mapped {
    function: Called,
    cut: usize,
    types: Vec<DType>,
    shapes: Vec<PartialShape>,
}

/// Returns the number of parts, which all arguments have.
fn count(arguments: &[Tensor]) -> Result<usize> {
    let mut count = None;
    for (i, argument) in arguments.iter().enumerate() {
        ensure!(
            argument.rank() >= 1,
            InvalidArgument,
            "All inputs must have rank at least 1. Input {i} has a rank of 0"
        );
        let own = argument.shape()[0];
        ensure!(
            count.is_none_or(|c| c == own),
            InvalidArgument,
            "All inputs must have the same dimension 0. Input {i} has leading dimension {own}, while all previous \
             inputs have leading dimension {}",
            count.unwrap_or(0)
        );
        count = Some(own);
    }
    Ok(count.unwrap_or(0))
}

/// Stacks the results of all calls.
fn stacked(results: &[Values], at: usize, mapped: &Mapped) -> Result<Tensor> {
    let values: Vec<Tensor> = results.iter().map(|r| r[at].clone()).collect();
    let Some(first) = values.first() else {
        let dims: Vec<i64> = [0]
            .into_iter()
            .chain(mapped.shapes[at].dims().into_iter().flatten().map(|d| d.unwrap_or(0) as i64))
            .collect();
        return Tensor::zeros(mapped.types[at], Shape::checked(&dims)?);
    };
    for value in &values {
        ensure!(
            value.shape() == first.shape(),
            InvalidArgument,
            "Result {at} of the function has shapes {} and {}, which do not stack",
            first.shape(),
            value.shape()
        );
    }
    let dims: Vec<i64> = [values.len() as i64].into_iter().chain(first.shape().to_i64()).collect();
    join(Threads::single(), &values, 1, Shape::checked(&dims)?)
}

fn map(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let mapped = Arc::new(Mapped {
        function: Called::new(init.func("f")?.name),
        cut: init.dtypes("Targuments")?.len(),
        types: init.dtypes("output_types")?,
        shapes: init.shapes("output_shapes")?,
    });
    kernel(move |ctx| {
        let (mapped, functions) = (mapped.clone(), ctx.step.functions.clone());
        let given = arguments(ctx, 0);
        ctx.run_blocking(move |cancellation| {
            let (whole, captured) = given.split_at(mapped.cut.min(given.len()));
            let calls = count(whole)?;
            let mut parts = Vec::with_capacity(whole.len());
            for argument in whole {
                parts.push(rows(Threads::single(), argument)?);
            }
            let mut results = Vec::with_capacity(calls);
            for i in 0..calls {
                cancellation.check()?;
                let own = parts.iter().map(|p| p[i].clone()).chain(captured.iter().cloned()).collect();
                results.push(mapped.function.results(&functions, own, &mapped.types, cancellation)?);
            }
            (0..mapped.types.len()).map(|at| stacked(&results, at, &mapped)).collect()
        })
    })
}

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let mut parts = PartialShape::vector(None);
    for i in 0..c.dtypes("Targuments")?.len() {
        let argument = c.input(i)?.with_rank_at_least(1)?;
        parts = parts.merge(&PartialShape::vector(argument.dim(0)))?;
    }
    for (i, element) in c.shapes("output_shapes")?.into_iter().enumerate() {
        c.set_output(i, parts.concatenate(&element));
    }
    Ok(())
}

pub(super) fn register(r: &mut Registry) {
    r.add(calling(
        Op::new("MapDefun")
            .input("arguments: Targuments")
            .input("captured_inputs: Tcaptured")
            .output("output: output_types")
            .attr("Targuments: list(type) >= 1")
            .attr("Tcaptured: list(type) >= 0 = []")
            .attr("output_types: list(type) >= 1")
            .attr("output_shapes: list(shape) >= 1")
            .attr("f: func")
            .attr("max_intra_op_parallelism: int = 1")
            .doc("Stacks the results of f for each part of the arguments along their first dimension.")
            .shape(shape)
            .kernel(map),
        false,
    ));
}
