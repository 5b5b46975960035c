//! RandomUniformInt, StatelessRandomUniformInt: whole numbers in [minval, maxval).

use super::stream::{Stream, seeded, shape_of, stateless_of};
use ferroflow_graph::{Kernel, KernelInit, Op, Registry, ShapeContext, kernel, shape_rules};
use ferroflow_tensor::philox::{Philox, fill};
use ferroflow_tensor::threads::{Interrupted, Threads};
use ferroflow_tensor::{PartialShape, Result, Scalar, Tensor, dispatch, ensure};

fn shape(c: &mut ShapeContext<'_>, bounds: usize) -> Result<()> {
    c.input(bounds)?.with_rank(0)?;
    c.input(bounds + 1)?.with_rank(0)?;
    shape_rules::from_shape_input(c)
}

type Fill<T> = fn(&Philox, Threads, T, T, &mut [T]) -> Result<(), Interrupted>;

trait Whole: Scalar + PartialOrd + std::fmt::Display {
    const FILL: Fill<Self>;
}

impl Whole for i32 {
    const FILL: Fill<i32> = fill::fill_uniform_i32;
}

impl Whole for i64 {
    const FILL: Fill<i64> = fill::fill_uniform_i64;
}

fn uniform_int(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    // The stateless op has a seed before the bounds.
    let (stream, at) = if init.node.op.is_stateful { (Some(Stream::new(init)?), 1) } else { (None, 2) };
    let dtype = init.output_type(0)?;
    dispatch!(dtype, T in [I32, I64], {
        kernel(move |ctx| {
            let mut out = Tensor::new(dtype, shape_of(ctx.input(0)?)?)?;
            for (i, name) in [(at, "minval"), (at + 1, "maxval")] {
                let t = ctx.input(i)?;
                ensure!(t.rank() == 0, InvalidArgument, "{name} must be 0-D, got shape {}", t.shape());
            }
            let (low, high) = (ctx.input(at)?.to_scalar::<T>()?, ctx.input(at + 1)?.to_scalar::<T>()?);
            // TF 1.x: no bounds are checked if no number is drawn.
            if out.elements() > 0 {
                ensure!(low < high, InvalidArgument, "Need minval < maxval, got {low} >= {high}");
                let base = match &stream {
                    Some(stream) => stream.reserve(fill::blocks_per_run(out.elements())),
                    None => stateless_of(ctx.input(1)?)?,
                };
                T::FILL(&base, ctx.threads(), low, high, out.slice_mut::<T>()?)?;
            }
            ctx.set_output(0, out);
            Ok(())
        })
    }, else Err(init.unsupported()))
}

pub(super) fn register(r: &mut Registry) {
    let op = Op::new("RandomUniformInt").input("shape: T").input("minval: Tout").input("maxval: Tout");
    r.add(
        seeded(op.output("output: Tout"))
            .attr("Tout: {int32, int64}")
            .attr("T: {int32, int64}")
            .doc("Returns whole numbers that are uniform in [minval, maxval), but for the bias of a remainder.")
            .shape(|c| shape(c, 1))
            .kernel(uniform_int),
    );
    let op = Op::new("StatelessRandomUniformInt").input("shape: T").input("seed: Tseed");
    r.add(
        op.input("minval: dtype")
            .input("maxval: dtype")
            .output("output: dtype")
            .attr("dtype: {int32, int64}")
            .attr("T: {int32, int64}")
            .attr("Tseed: {int32, int64} = DT_INT64")
            .doc(
                "Returns whole numbers that are uniform in [minval, maxval) but for the bias of a remainder, a \
                 function of shape and seed.",
            )
            .shape(|c| {
                c.input(1)?.merge(&PartialShape::vector(Some(2)))?;
                shape(c, 2)
            })
            .kernel(uniform_int),
    );
}

#[cfg(test)]
mod tests {
    use crate::random::golden::{assert_runs, seeds};
    use crate::testing::run;
    use ferroflow_tensor::Tensor;

    #[test]
    fn runs_are_tensorflows() {
        let shape = Tensor::from_slice([1], &[8i32]).unwrap();
        for (case, low, high) in [("0_10", 0, 10), ("-5_100", -5, 100), ("all", i32::MIN, i32::MAX)] {
            let inputs = [shape.clone(), Tensor::scalar(low), Tensor::scalar(high)];
            assert_runs(&format!("uniform_i32_{case}"), "RandomUniformInt", &inputs, &seeds(1, 2));
        }
        for (case, low, high) in [("0_1e12", 0, 1_000_000_000_000), ("all", i64::MIN, i64::MAX)] {
            let inputs = [shape.clone(), Tensor::scalar(low), Tensor::scalar(high)];
            assert_runs(&format!("uniform_i64_{case}"), "RandomUniformInt", &inputs, &seeds(1, 2));
        }
    }

    #[test]
    fn empty_intervals_are_refused() {
        let inputs = [Tensor::from_slice([1], &[8i32]).unwrap(), Tensor::scalar(5i32), Tensor::scalar(5i32)];
        let e = run("RandomUniformInt", &inputs, &seeds(1, 2)).unwrap_err();
        assert_eq!(e.message(), "Need minval < maxval, got 5 >= 5");
    }
}
