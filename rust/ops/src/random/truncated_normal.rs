//! ParameterizedTruncatedNormal: normal samples between bounds, with parameters for each batch.

use super::stream::{Stream, seeded, shape_of};
use ferroflow_graph::{Kernel, KernelContext, KernelInit, Op, Registry, kernel, shape_rules};
use ferroflow_tensor::philox::truncated_normal::{Drawn, Parameters, blocks_per_truncated_run, fill_truncated_normal};
use ferroflow_tensor::{Result, Scalar, Tensor, dispatch, ensure};

/// The values of an input that has one for all batches, or one for each.
struct ByBatch<T>(Vec<T>);

impl<T: Copy> ByBatch<T> {
    fn at(&self, batch: usize) -> T {
        self.0[if self.0.len() == 1 { 0 } else { batch }]
    }
}

fn by_batch<T: Drawn + Scalar>(
    ctx: &KernelContext<'_>,
    input: usize,
    name: &str,
    batches: usize,
) -> Result<ByBatch<T>> {
    let given = ctx.input(input)?;
    ensure!(
        given.rank() <= 1,
        InvalidArgument,
        "Input {name} should be a scalar or vector, got shape: {}",
        given.shape()
    );
    let values = given.slice::<T>()?.to_vec();
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
            let are_shared = [&means, &stddevs, &lows, &highs].iter().all(|values| values.0.len() == 1);
            let with_values = if out.elements() == 0 { 0 } else if are_shared { 1 } else { batches };
            let parameters: Vec<Parameters<T>> = (0..with_values)
                .map(|b| Parameters { mean: means.at(b), stddev: stddevs.at(b), low: lows.at(b), high: highs.at(b) })
                .collect();
            ensure!(parameters.iter().all(Parameters::are_valid), InvalidArgument, "Invalid parameters");
            let source = stream.reserve(blocks_per_truncated_run(parameters.len(), out.elements()));
            fill_truncated_normal(source, &parameters, out.slice_mut::<T>()?)?;
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
    use crate::testing::{Rerun, run};
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
    fn numbers_are_tensorflows() {
        // By TensorFlow 1.15.5: four numbers, the last one, and two of the next run.
        type Case = (&'static [i32], &'static [f64], [f64; 2], [f64; 7]);
        let cases: [Case; 4] = [
            (
                &[2, 3],
                &[-1.0],
                [0.5, 2.0],
                [
                    0.6106548344138161,
                    1.0796993896840514,
                    0.16430639607147085,
                    -0.016732976568888946,
                    0.472901614717954,
                    -0.6568805911698183,
                    0.5752973248057704,
                ],
            ),
            (
                &[2, 3],
                &[1.0],
                [0.5, 2.0],
                [
                    1.0300188773103165,
                    1.717179809652965,
                    1.2552902875181282,
                    1.41698032071434,
                    1.655940513038374,
                    1.5106753596536329,
                    1.6636313145283224,
                ],
            ),
            (
                &[2, 3],
                &[2.0],
                [0.5, 9.0],
                [
                    2.0870739686948028,
                    2.094925791198067,
                    2.166214344637317,
                    3.2709201705891306,
                    2.0144225204254615,
                    2.3360105973370833,
                    2.571512168843854,
                ],
            ),
            (
                &[120],
                &[f64::NEG_INFINITY],
                [0.0, -1.0],
                [
                    -1.1076293443774647,
                    -1.117334730738762,
                    -1.2054522288073013,
                    -2.5709437248237945,
                    -1.7629112990230396,
                    -1.4414278283511786,
                    -1.9019823581928026,
                ],
            ),
        ];
        for (shape, lows, [mean, high], expected) in cases {
            let of = |values: &[f64]| Tensor::from_slice([values.len()], values).unwrap();
            let shape = Tensor::from_slice([shape.len()], shape).unwrap();
            let inputs = [shape, of(&[mean]), of(&[1.0]), of(lows), of(&[high])];
            let node = Rerun::new("ParameterizedTruncatedNormal", &inputs, &seeds(3, 7)).unwrap();
            let (first, second) = (node.run(1).unwrap(), node.run(1).unwrap());
            let (first, second) = (first[0].slice::<f64>().unwrap(), second[0].slice::<f64>().unwrap());
            let found = first[..4].iter().chain(first.last()).chain(&second[..2]);
            assert!(found.zip(expected).all(|(x, y)| (x - y).abs() < 1e-12), "[{lows:?}, {high}]: {first:?}");
        }
    }

    #[test]
    fn a_shape_without_batches_is_refused() {
        let shape = Tensor::from_slice([0], &[0i32; 0]).unwrap();
        let inputs = [[shape].to_vec(), [0.0f32, 1.0, -1.0, 2.0].map(Tensor::scalar).to_vec()].concat();
        let message = run("ParameterizedTruncatedNormal", &inputs, &seeds(1, 2)).unwrap_err();
        assert!(message.message().contains("shape must have at least one dimension"));
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
