//! ParameterizedTruncatedNormal: normal samples between bounds, with parameters for each batch.

use super::stream::{Stream, seeded, shape_of};
use ferroflow_graph::{Kernel, KernelContext, KernelInit, Op, Registry, kernel, shape_rules};
use ferroflow_tensor::philox::convert::Sample;
use ferroflow_tensor::philox::fill::blocks_per_run;
use ferroflow_tensor::philox::truncated_normal::{Parameters, fill_truncated_normal};
use ferroflow_tensor::{Result, Scalar, Tensor, dispatch, ensure};

/// The values of an input that has one for all batches, or one for each.
struct ByBatch(Vec<f64>);

impl ByBatch {
    fn at(&self, batch: usize) -> f64 {
        self.0[if self.0.len() == 1 { 0 } else { batch }]
    }
}

fn by_batch<T: Sample + Scalar>(ctx: &KernelContext<'_>, input: usize, name: &str, batches: usize) -> Result<ByBatch> {
    let given = ctx.input(input)?;
    ensure!(
        given.rank() <= 1,
        InvalidArgument,
        "Input {name} should be a scalar or vector, got shape: {}",
        given.shape()
    );
    let values: Vec<f64> = given.slice::<T>()?.iter().map(|value| value.to_f64()).collect();
    ensure!(
        values.len() == 1 || values.len() == batches,
        InvalidArgument,
        "Input {name} should have length 1 or shape[0], got shape: {}",
        given.shape()
    );
    Ok(ByBatch(values))
}

fn truncated_normal(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let stream = Stream::new(init)?;
    let dtype = init.output_type(0)?;
    dispatch!(dtype, T in [F16, F32, F64], {
        kernel(move |ctx| {
            let shape = shape_of(ctx.input(0)?)?;
            ensure!(shape.rank() > 0, InvalidArgument, "shape must have at least one dimension");
            let batches = shape.dims()[0];
            let means = by_batch::<T>(ctx, 1, "means", batches)?;
            let stddevs = by_batch::<T>(ctx, 2, "stddevs", batches)?;
            let lows = by_batch::<T>(ctx, 3, "minvals", batches)?;
            let highs = by_batch::<T>(ctx, 4, "maxvals", batches)?;
            let mut out = Tensor::new(dtype, shape)?;
            let with_values = if out.elements() == 0 { 0 } else { batches };
            let parameters: Vec<Parameters> = (0..with_values)
                .map(|b| Parameters { mean: means.at(b), stddev: stddevs.at(b), low: lows.at(b), high: highs.at(b) })
                .collect();
            ensure!(parameters.iter().all(Parameters::are_valid), InvalidArgument, "Invalid parameters");
            let base = stream.reserve(blocks_per_run(out.elements()));
            fill_truncated_normal(&base, ctx.threads(), &parameters, out.slice_mut::<T>()?)?;
            ctx.set_output(0, out);
            Ok(())
        })
    }, else Err(init.unsupported()))
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        seeded(Op::new("ParameterizedTruncatedNormal").input("shape: T"))
            .input("means: dtype")
            .input("stdevs: dtype")
            .input("minvals: dtype")
            .input("maxvals: dtype")
            .output("output: dtype")
            .attr("dtype: {half, bfloat16, float, double}")
            .attr("T: {int32, int64}")
            .doc("Returns normal numbers between bounds; `shape[0]` is the number of batches, which may have own parameters.")
            .shape(shape_rules::from_shape_input)
            .kernel(truncated_normal),
    );
}

#[cfg(test)]
mod tests {
    use crate::random::golden::seeds;
    use crate::testing::run;
    use ferroflow_tensor::Tensor;

    #[test]
    fn each_batch_has_its_bounds() {
        let shape = Tensor::from_slice([2], &[2i32, 500]).unwrap();
        let of = |values: &[f32]| Tensor::from_slice([values.len()], values).unwrap();
        let inputs = [shape, of(&[0.0]), of(&[1.0]), of(&[-1.0, 5.0]), of(&[1.0, 6.0])];
        let out = run("ParameterizedTruncatedNormal", &inputs, &seeds(1, 2)).unwrap();
        let (first, second) = out[0].slice::<f32>().unwrap().split_at(500);
        assert!(first.iter().all(|x| (-1.0..=1.0).contains(x)));
        assert!(second.iter().all(|x| (5.0..=6.0).contains(x)));
    }

    #[test]
    fn parameters_of_another_number_of_batches_are_refused() {
        let shape = Tensor::from_slice([1], &[2i32]).unwrap();
        let (zero, one) = (Tensor::scalar(0.0f32), Tensor::scalar(1.0f32));
        let three = Tensor::from_slice([3], &[1.0f32, 2.0, 3.0]).unwrap();
        let inputs = [shape.clone(), zero.clone(), one.clone(), zero.clone(), three];
        let message = run("ParameterizedTruncatedNormal", &inputs, &seeds(1, 2)).unwrap_err();
        assert!(message.message().contains("Input maxvals should have length 1 or shape[0]"));
        let inputs = [shape, zero.clone(), one.clone(), one, zero];
        let message = run("ParameterizedTruncatedNormal", &inputs, &seeds(1, 2)).unwrap_err();
        assert!(message.message().contains("Invalid parameters"));
    }
}
