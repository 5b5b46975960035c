//! If, StatelessIf, Case: one of several functions, chosen by a value.

use super::function::{Called, arguments, calling, is_true, listed_shapes};
use ferroflow_graph::{Kernel, KernelContext, KernelInit, Op, Registry, kernel};
use ferroflow_tensor::{DType, Result, ensure};
use std::sync::Arc;

/// The branches and the types of their results.
struct Branches {
    functions: Vec<Called>,
    types: Vec<DType>,
}

/// Makes the kernel that calls the branch whose position `choose` returns, with the inputs behind the first.
fn chosen(
    init: &KernelInit<'_>,
    names: Vec<String>,
    choose: fn(&KernelContext<'_>, usize) -> Result<usize>,
) -> Result<Box<dyn Kernel>> {
    let functions = names.into_iter().map(Called::new).collect();
    let branches = Arc::new(Branches { functions, types: init.dtypes("Tout")? });
    kernel(move |ctx| {
        let choice = choose(ctx, branches.functions.len())?;
        let (branches, functions) = (branches.clone(), ctx.step.functions.clone());
        let arguments = arguments(ctx, 1);
        ctx.run_blocking(move |cancellation| {
            let branch = &branches.functions[choice];
            Ok(branch.results(&functions, arguments, &branches.types, cancellation)?.into_iter().collect())
        })
    })
}

fn conditional(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let names = vec![init.func("then_branch")?.name, init.func("else_branch")?.name];
    chosen(init, names, |ctx, _| Ok(usize::from(!is_true(ctx.input(0)?)?)))
}

fn case(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let names: Vec<String> = init.funcs("branches")?.into_iter().map(|f| f.name).collect();
    ensure!(!names.is_empty(), InvalidArgument, "Case needs at least one branch");
    chosen(init, names, |ctx, count| {
        let index = ctx.input(0)?;
        ensure!(index.rank() == 0, InvalidArgument, "branch_index must be a scalar, got shape {}", index.shape());
        // TF 1.x: an index that is no branch's is the last one's.
        Ok(usize::try_from(index.to_scalar::<i32>()?).map_or(count - 1, |i| i.min(count - 1)))
    })
}

pub(super) fn register(r: &mut Registry) {
    for (name, stateful) in [("If", true), ("StatelessIf", false)] {
        r.add(calling(
            Op::new(name)
                .input("cond: Tcond")
                .input("input: Tin")
                .output("output: Tout")
                .attr("Tcond: type")
                .attr("Tin: list(type) >= 0")
                .attr("Tout: list(type) >= 0")
                .attr("then_branch: func")
                .attr("else_branch: func")
                .attr("output_shapes: list(shape) = []")
                .doc("Returns the results of then_branch if `cond` is true, else those of else_branch.")
                .shape(listed_shapes)
                .kernel(conditional),
            stateful,
        ));
    }
    r.add(calling(
        Op::new("Case")
            .input("branch_index: int32")
            .input("input: Tin")
            .output("output: Tout")
            .attr("Tin: list(type) >= 0")
            .attr("Tout: list(type) >= 0")
            .attr("branches: list(func) >= 1")
            .attr("output_shapes: list(shape) = []")
            .doc("Returns the results of the branch with that index; of the last one if there is none.")
            .shape(listed_shapes)
            .kernel(case),
        true,
    ));
}
