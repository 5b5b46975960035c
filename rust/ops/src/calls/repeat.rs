//! While, StatelessWhile, For: a function called again with its own results.

use super::function::{Called, arguments, calling, listed_shapes, unknown_shapes};
use ferroflow_graph::{Kernel, KernelInit, Op, Registry, kernel};
use ferroflow_tensor::{Result, Tensor, ensure};
use std::sync::Arc;

fn repeat(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let functions = Arc::new((Called::new(init.func("cond")?.name), Called::new(init.func("body")?.name)));
    let types = Arc::new(init.dtypes("T")?);
    kernel(move |ctx| {
        let (pair, types, functions) = (functions.clone(), types.clone(), ctx.step.functions.clone());
        let mut values = arguments(ctx, 0);
        ctx.run_blocking(move |cancellation| {
            let (condition, body) = &*pair;
            while condition.decision(&functions, values.clone(), cancellation)? {
                cancellation.check()?;
                values = body.results(&functions, values, &types, cancellation)?;
            }
            Ok(values.into_iter().collect())
        })
    })
}

fn count(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let body = Arc::new((Called::new(init.func("body")?.name), init.dtypes("T")?));
    kernel(move |ctx| {
        let mut bounds = [0i64; 3];
        for (i, (bound, name)) in bounds.iter_mut().zip(["start", "limit", "delta"]).enumerate() {
            let given = ctx.input(i)?;
            ensure!(given.rank() == 0, InvalidArgument, "{name} must be a scalar, got shape {}", given.shape());
            *bound = i64::from(given.to_scalar::<i32>()?);
        }
        let [start, limit, delta] = bounds;
        let goes_on = move |i: i64| if delta > 0 { i < limit } else { i > limit };
        ensure!(
            (delta > 0 && start <= limit) || (delta < 0 && start >= limit) || start == limit,
            InvalidArgument,
            "Invalid start/limit/delta: {start} {limit} {delta}"
        );
        let (body, functions) = (body.clone(), ctx.step.functions.clone());
        let mut values = arguments(ctx, 3);
        ctx.run_blocking(move |cancellation| {
            let mut i = start;
            while i != limit && goes_on(i) {
                cancellation.check()?;
                let arguments = std::iter::once(Tensor::scalar(i as i32)).chain(values).collect();
                values = body.0.results(&functions, arguments, &body.1, cancellation)?;
                i += delta;
            }
            Ok(values.into_iter().collect())
        })
    })
}

pub(super) fn register(r: &mut Registry) {
    for (name, stateful) in [("While", true), ("StatelessWhile", false)] {
        r.add(calling(
            Op::new(name)
                .input("input: T")
                .output("output: T")
                .attr("T: list(type) >= 0")
                .attr("cond: func")
                .attr("body: func")
                .attr("output_shapes: list(shape) = []")
                .attr("parallel_iterations: int = 10")
                .doc("Calls body with its own results while cond of them is true; returns the last ones.")
                .shape(listed_shapes)
                .kernel(repeat),
            stateful,
        ));
    }
    r.add(calling(
        Op::new("For")
            .input("start: int32")
            .input("limit: int32")
            .input("delta: int32")
            .input("input: T")
            .output("output: T")
            .attr("T: list(type) >= 0")
            .attr("body: func")
            .doc("Calls body with each number from start to limit and its own results; returns the last ones.")
            .shape(unknown_shapes)
            .kernel(count),
        false,
    ));
}
