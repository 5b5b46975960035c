//! RandomGamma: samples of Gamma(alpha, 1), the shape's worth for each alpha.

use super::stream::{Stream, per_parameter, per_parameter_shape, seeded, shape_of};
use ferroflow_graph::{Kernel, KernelInit, Op, Registry, kernel};
use ferroflow_tensor::philox::{fill::blocks_per_run, gamma::fill_gamma};
use ferroflow_tensor::{Result, Tensor, dispatch};

fn random_gamma(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let stream = Stream::new(init)?;
    let dtype = init.output_type(0)?;
    dispatch!(dtype, T in [F16, F32, F64], {
        kernel(move |ctx| {
            let alphas = ctx.input(1)?;
            let mut out = Tensor::new(dtype, per_parameter(&shape_of(ctx.input(0)?)?, alphas.shape())?)?;
            let base = stream.reserve(blocks_per_run(out.elements()));
            fill_gamma(&base, ctx.threads(), alphas.slice::<T>()?, out.slice_mut::<T>()?)?;
            ctx.set_output(0, out);
            Ok(())
        })
    }, else Err(init.unsupported()))
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        seeded(Op::new("RandomGamma").input("shape: S").input("alpha: T").output("output: T"))
            .attr("S: {int32, int64}")
            .attr("T: {half, float, double}")
            .doc("Samples of Gamma(alpha, 1); the output's shape is `shape` followed by that of `alpha`.")
            .shape(per_parameter_shape)
            .kernel(random_gamma),
    );
}

#[cfg(test)]
mod tests {
    use crate::random::golden::{assert_runs, seeds};
    use crate::testing::run;
    use ferroflow_tensor::{DType, Tensor, f16};

    #[test]
    fn runs_are_tensorflows() {
        let shape = |n: i32| Tensor::from_slice([1], &[n]).unwrap();
        let alphas = [0.5, 1.0, 2.5];
        for (case, alphas) in [
            ("gamma_f32_4x3", Tensor::from_slice([3], &alphas.map(|a| a as f32)).unwrap()),
            ("gamma_f64_4x3", Tensor::from_slice([3], &alphas).unwrap()),
            ("gamma_f16_4x3", Tensor::from_slice([3], &alphas.map(f16::from_f64)).unwrap()),
        ] {
            assert_runs(case, "RandomGamma", &[shape(4), alphas], &seeds(1, 2));
        }
        let alphas = Tensor::from_slice([4], &[0.05, 0.99, 1.3, 100.0]).unwrap();
        assert_runs("gamma_f64_40x4", "RandomGamma", &[shape(40), alphas], &seeds(1, 2));
    }

    #[test]
    fn the_shape_of_alpha_follows_the_samples() {
        let shape = Tensor::from_slice([2], &[2i64, 3]).unwrap();
        let out = run("RandomGamma", &[shape.clone(), Tensor::zeros(DType::F32, [4, 0]).unwrap()], &[]).unwrap();
        assert_eq!(out[0].shape().dims(), [2, 3, 4, 0]);
        let out = run("RandomGamma", &[shape, Tensor::scalar(1.0f32)], &[]).unwrap();
        assert_eq!(out[0].shape().dims(), [2, 3]);
    }
}
