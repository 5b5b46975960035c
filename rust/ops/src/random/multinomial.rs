//! Multinomial, StatelessMultinomial: classes drawn by rows of unnormalized log-probabilities.

use super::stream::{Stream, seeded, stateless_of};
use ferroflow_graph::{Kernel, KernelContext, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::philox::Philox;
use ferroflow_tensor::philox::multinomial::{blocks_per_run, fill_multinomial};
use ferroflow_tensor::{PartialShape, Result, Shape, Tensor, bail, dispatch, ensure};

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let rows = c.input(0)?.with_rank(2)?.dim(0);
    c.input(1)?.with_rank(0)?;
    let samples = match c.input_i64(1)? {
        None => None,
        Some(n) => match usize::try_from(n) {
            Ok(n) => Some(n),
            Err(_) => {
                bail!(InvalidArgument, "Dimension size, given by scalar input 1, must be non-negative but is {n}")
            }
        },
    };
    c.set_output(0, PartialShape::from_dims(&[rows, samples]));
    Ok(())
}

/// The source of a run's numbers.
enum Source {
    Node(Stream),
    /// The stream that input 2 seeds.
    Seed,
}

impl Source {
    fn stream(&self, ctx: &KernelContext<'_>, blocks: u64) -> Result<Philox> {
        match self {
            Source::Node(stream) => Ok(stream.reserve(blocks)),
            Source::Seed => stateless_of(ctx.input(2)?),
        }
    }
}

fn stateless_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    c.input(2)?.merge(&PartialShape::vector(Some(2)))?;
    shape(c)
}

fn multinomial(init: &KernelInit<'_>, source: Source) -> Result<Box<dyn Kernel>> {
    let dtype = init.output_type(0)?;
    dispatch!(init.input_type(0)?, T in float, dispatch!(dtype, U in [I32, I64], {
        kernel(move |ctx| {
            let (logits, samples) = (ctx.input(0)?, ctx.input(1)?);
            ensure!(logits.rank() == 2, InvalidArgument, "logits should be a matrix, got shape {}", logits.shape());
            ensure!(samples.rank() == 0, InvalidArgument, "num_samples should be a scalar, got shape {}", samples.shape());
            let samples = samples.to_scalar::<i32>()?;
            ensure!(samples >= 0, InvalidArgument, "num_samples should be non-negative, got {samples}");
            let (rows, classes) = (logits.shape()[0], logits.shape()[1]);
            ensure!(classes > 0, InvalidArgument, "num_classes should be positive, got {classes}");
            let mut out = Tensor::new(dtype, Shape::checked(&[rows as i64, samples.into()])?)?;
            let samples = out.shape()[1];
            let base = source.stream(ctx, blocks_per_run(rows, samples))?;
            fill_multinomial(&base, ctx.threads(), logits.slice::<T>()?, classes, samples, out.slice_mut::<U>()?)?;
            ctx.set_output(0, out);
            Ok(())
        })
    }, else Err(init.unsupported())), else Err(init.unsupported()))
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        seeded(Op::new("Multinomial").input("logits: T").input("num_samples: int32").output("output: output_dtype"))
            .attr("T: realnumbertype")
            .attr("output_dtype: {int32, int64} = DT_INT64")
            .doc("Classes drawn by the rows of unnormalized log-probabilities, one row of samples for each.")
            .shape(shape)
            .kernel(|init| multinomial(init, Source::Node(Stream::new(init)?))),
    );
    r.add(
        Op::new("StatelessMultinomial")
            .input("logits: T")
            .input("num_samples: int32")
            .input("seed: Tseed")
            .output("output: output_dtype")
            .attr("T: realnumbertype")
            .attr("Tseed: {int32, int64} = DT_INT64")
            .attr("output_dtype: {int32, int64} = DT_INT64")
            .doc("Classes drawn by the rows of unnormalized log-probabilities, a function of them and the seed.")
            .shape(stateless_shape)
            .kernel(|init| multinomial(init, Source::Seed)),
    );
}

#[cfg(test)]
mod tests {
    use crate::random::golden::{assert_runs, seeds};
    use crate::testing::run;
    use ferroflow_graph::AttrValue;
    use ferroflow_tensor::{DType, Tensor};

    const P: [f64; 8] = [0.1, 0.2, 0.3, 0.4, 0.7, 0.1, 0.1, 0.1];

    #[test]
    fn runs_are_tensorflows() {
        let logits = Tensor::from_slice([2, 4], &P.map(|p| (p as f32).ln())).unwrap();
        assert_runs("multinomial_f32_8", "Multinomial", &[logits, Tensor::scalar(8i32)], &seeds(1, 2));
        let logits = Tensor::from_slice([2, 4], &P.map(f64::ln)).unwrap();
        assert_runs("multinomial_f64_7", "Multinomial", &[logits, Tensor::scalar(7i32)], &seeds(1, 2));
        let logits = Tensor::from_slice([1, 5], &[0.0, f32::NEG_INFINITY, 1.0, f32::NAN, 2.0]).unwrap();
        let mut attrs = seeds(1, 2);
        attrs.push(("output_dtype", AttrValue::Type(DType::I32)));
        assert_runs("multinomial_f32_masked_6", "Multinomial", &[logits, Tensor::scalar(6i32)], &attrs);
    }

    #[test]
    fn misuse_is_an_error() {
        let logits = |s: &[usize]| Tensor::zeros(DType::F32, s).unwrap();
        for (logits, samples) in [(logits(&[2, 0]), 3), (logits(&[2, 2]), -1), (logits(&[2]), 3)] {
            assert!(run("Multinomial", &[logits, Tensor::scalar(samples)], &[]).is_err());
        }
    }
}
