//! RandomPoisson and RandomPoissonV2: samples of Poisson(rate), the shape's worth for each rate.

use super::stream::{Stream, per_parameter, per_parameter_shape, seeded, shape_of};
use ferroflow_graph::{Kernel, KernelInit, Op, Registry, kernel};
use ferroflow_tensor::philox::{fill::blocks_per_run, poisson::fill_poisson};
use ferroflow_tensor::{Result, Tensor, dispatch};

fn random_poisson(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let stream = Stream::new(init)?;
    let dtype = init.output_type(0)?;
    dispatch!(init.input_type(1)?, R in [F16, F32, F64, I32, I64], dispatch!(dtype, U in [F16, F32, F64, I32, I64], {
        kernel(move |ctx| {
            let rates = ctx.input(1)?;
            let mut out = Tensor::new(dtype, per_parameter(&shape_of(ctx.input(0)?)?, rates.shape())?)?;
            let base = stream.reserve(blocks_per_run(out.elements()));
            fill_poisson(&base, ctx.threads(), rates.slice::<R>()?, out.slice_mut::<U>()?)?;
            ctx.set_output(0, out);
            Ok(())
        })
    }, else Err(init.unsupported())), else Err(init.unsupported()))
}

pub(super) fn register(r: &mut Registry) {
    let doc = "Samples of Poisson(rate); the output's shape is `shape` followed by that of `rate`.";
    r.add(
        seeded(Op::new("RandomPoisson").input("shape: S").input("rate: dtype").output("output: dtype"))
            .attr("S: {int32, int64}")
            .attr("dtype: {half, float, double}")
            .doc(doc)
            .shape(per_parameter_shape)
            .kernel(random_poisson),
    );
    r.add(
        seeded(Op::new("RandomPoissonV2").input("shape: S").input("rate: R").output("output: dtype"))
            .attr("S: {int32, int64}")
            .attr("R: {half, float, double, int32, int64} = DT_DOUBLE")
            .attr("dtype: {half, float, double, int32, int64} = DT_INT64")
            .doc(doc)
            .shape(per_parameter_shape)
            .kernel(random_poisson),
    );
}

#[cfg(test)]
mod tests {
    use crate::random::golden::{assert_runs, seeds};
    use ferroflow_graph::AttrValue;
    use ferroflow_tensor::{DType, Scalar, Tensor, f16};

    fn check<R: Scalar>(op: &str, case: &str, samples: i32, rates: &[R], dtype: DType) {
        let mut attrs = seeds(1, 2);
        attrs.push(("dtype", AttrValue::Type(dtype)));
        let inputs = [Tensor::from_slice([1], &[samples]).unwrap(), Tensor::from_slice([rates.len()], rates).unwrap()];
        assert_runs(case, op, &inputs, &attrs);
    }

    #[test]
    fn runs_are_tensorflows() {
        let v2 = "RandomPoissonV2";
        check(v2, "poisson_f32_f32_6x2", 6, &[2.0f32, 20.0], DType::F32);
        check("RandomPoisson", "poisson_f32_f32_6x2", 6, &[2.0f32, 20.0], DType::F32);
        check(v2, "poisson_f64_i64_60x5", 60, &[0.1f64, 9.9, 10.0, 33.5, 1e6], DType::I64);
        check(v2, "poisson_i32_i32_4x2", 4, &[3i32, 50], DType::I32);
        check(v2, "poisson_f16_f16_4x2", 4, &[3.0, 50.0].map(f16::from_f32), DType::F16);
    }
}
