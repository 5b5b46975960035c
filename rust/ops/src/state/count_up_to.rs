//! CountUpTo, over a reference and over a handle: an integer variable as a counter with a limit.

use ferroflow_graph::{Kernel, KernelInit, Op, RefAccess, Registry, ShapeContext, kernel};
use ferroflow_tensor::{Result, Tensor, dispatch, ensure};

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let s = c.input(0)?.with_rank(0)?;
    c.set_output(0, s);
    Ok(())
}

fn shape_over_handle(c: &mut ShapeContext<'_>) -> Result<()> {
    if let Some(known) = c.input_handle(0)? {
        let dtype = c.dtype("T")?;
        ensure!(
            known.dtype == dtype,
            InvalidArgument,
            "Data types do not match: {} and {}",
            dtype.name(),
            known.dtype.name()
        );
    }
    shape(c)
}

fn count_up_to(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let (limit, dtype) = (init.int32("limit")?, init.dtype("T")?);
    dispatch!(dtype, T in [I32, I64], {
        kernel(move |ctx| {
            let before = ctx.update(0, |var, _| {
                // The type behind a handle may be unknown until now.
                ensure!(
                    var.dtype() == dtype,
                    InvalidArgument,
                    "Data types do not match: {} and {}",
                    dtype.name(),
                    var.dtype().name()
                );
                ensure!(var.rank() == 0, InvalidArgument, "input is not a scalar: {}", var.shape());
                let before = var.to_scalar::<T>()?;
                ensure!(var.to_i64s()?[0] < limit, OutOfRange, "Reached limit of {limit}");
                var.slice_mut::<T>()?[0] = before.wrapping_add(1);
                Ok(before)
            })?;
            ctx.set_output(0, Tensor::scalar(before));
            Ok(())
        })
    }, else Err(init.unsupported()))
}

pub(super) fn register(r: &mut Registry) {
    let op = |op: Op| {
        op.output("output: T")
            .attr("limit: int")
            .attr("T: {int32, int64}")
            .doc("Adds one to the variable and returns the value before; `OutOfRange` if that is the limit.")
            .kernel(count_up_to)
    };
    r.add(op(Op::new("CountUpTo").input("ref: Ref(T)")).shape(shape));
    r.add(
        op(Op::new("ResourceCountUpTo").input("resource: resource").handles(RefAccess::Write)).shape(shape_over_handle),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::{Arg, Rerun};
    use ferroflow_graph::AttrValue;
    use ferroflow_tensor::{Code, DType, Tensor};

    #[test]
    fn counts_to_the_limit_and_stays_there() {
        let limit = [("limit", AttrValue::Int(3))];
        let node = Rerun::of_args("CountUpTo", vec![Arg::Variable(Tensor::scalar(1i32))], &limit).unwrap();
        for expected in [1i32, 2] {
            assert_eq!(node.run(1).unwrap(), [Tensor::scalar(expected)]);
        }
        for _ in 0..2 {
            let e = node.run(1).unwrap_err();
            assert_eq!((e.code(), e.message()), (Code::OutOfRange, "Reached limit of 3"));
            assert_eq!(node.variable(0).unwrap(), Tensor::scalar(3i32));
        }
    }

    #[test]
    fn a_counter_without_a_value_is_an_error() {
        let limit = [("limit", AttrValue::Int(3))];
        let node = Rerun::of_args("CountUpTo", vec![Arg::Uninitialized(DType::I64)], &limit).unwrap();
        assert_eq!(node.run(1).unwrap_err().code(), Code::FailedPrecondition);
    }
}
