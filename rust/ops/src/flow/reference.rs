//! RefIdentity, RefSelect: references to variables, passed on.

use ferroflow_graph::{KernelContext, Op, Registry, ShapeContext, kernel, shape_rules};
use ferroflow_tensor::{PartialShape, Result, bail, ensure};

/// Passes on what refers to a resource by name. Of a variable's reference nothing is left to do: the planner uses the
/// variable.
fn pass(ctx: &mut KernelContext<'_>) -> Result<()> {
    if ctx.variable(0).is_err() {
        let value = ctx.take(0)?;
        ctx.set_output(0, value);
    }
    Ok(())
}

/// Returns the value of the variable that the index selects. It cannot be written: a plan fixes the variable that a node
/// writes.
fn select(ctx: &mut KernelContext<'_>) -> Result<()> {
    let index = ctx.input(0)?;
    ensure!(index.rank() == 0, InvalidArgument, "Index must be a scalar, but it has shape {}", index.shape());
    let (given, count) = (index.to_scalar::<i32>()?, ctx.num_inputs() - 1);
    let Some(chosen) = usize::try_from(given).ok().filter(|&i| i < count) else {
        bail!(InvalidArgument, "Index must be in the range [0, {count}) but got {given}");
    };
    let variable = ctx.variable(1 + chosen)?;
    let value = variable.read().ok_or_else(|| variable.uninitialized())?;
    ctx.set_output(0, value);
    Ok(())
}

/// Sets the shape that all inputs have, where it is known.
fn common_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    c.input(0)?.with_rank(0)?;
    let first = c.input(1)?.clone();
    let mut is_common = first.is_fully_known();
    for i in 2..c.num_inputs() {
        is_common &= *c.input(i)? == first;
    }
    c.set_output(0, if is_common { first } else { PartialShape::unknown() });
    Ok(())
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("RefIdentity")
            .input("input: Ref(T)")
            .output("output: Ref(T)")
            .attr("T: type")
            .alias()
            .inspects_ref()
            .doc("Returns a reference.")
            .shape(shape_rules::unchanged)
            .kernel(|_| kernel(pass)),
    );
    r.add(
        Op::new("RefSelect")
            .input("index: int32")
            .input("inputs: Ref(N * T)")
            .output("output: Ref(T)")
            .attr("T: type")
            .attr("N: int >= 1")
            .inspects_ref()
            .doc("Returns the reference that `index` selects, to be read.")
            .shape(common_shape)
            .kernel(|_| kernel(select)),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::{Arg, Rerun};
    use ferroflow_tensor::Tensor;

    #[test]
    fn an_index_selects_a_variable() {
        let node = |index: i32| {
            let variables = [1.0f32, 2.0].map(|x| Arg::Variable(Tensor::scalar(x)));
            let args = vec![Arg::One(Tensor::scalar(index)), Arg::References(variables.into())];
            Rerun::of_args("RefSelect", args, &[]).unwrap().run(1)
        };
        assert_eq!(node(1).unwrap(), [Tensor::scalar(2.0f32)]);
        let e = node(2).unwrap_err();
        assert_eq!(e.message(), "Index must be in the range [0, 2) but got 2");
    }

    #[test]
    fn a_reference_by_name_is_passed_on() {
        let names = Tensor::from_strings([2], vec![b"c".as_slice().into(), b"n".as_slice().into()]).unwrap();
        let node = Rerun::of_args("RefIdentity", vec![Arg::Reference(names.clone())], &[]).unwrap();
        assert_eq!(node.run(1).unwrap(), [names]);
    }

    #[test]
    fn a_variable_keeps_its_value() {
        let node = Rerun::of_args("RefIdentity", vec![Arg::Variable(Tensor::scalar(1.0f32))], &[]).unwrap();
        assert!(node.run(1).unwrap().is_empty());
        assert_eq!(node.variable(0).unwrap(), Tensor::scalar(1.0f32));
    }
}
