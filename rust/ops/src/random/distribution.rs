//! RandomUniform, RandomStandardNormal, TruncatedNormal, and their stateless forms.

use super::stream::{Stream, seeded, shape_of, stateless_of};
use ferroflow_graph::{Kernel, KernelInit, Op, Registry, ShapeContext, kernel, shape_rules};
use ferroflow_tensor::philox::{Philox, fill};
use ferroflow_tensor::threads::{Interrupted, Threads};
use ferroflow_tensor::{PartialShape, Result, Scalar, Tensor, bf16, dispatch, f16};

#[derive(Clone, Copy)]
pub(super) enum Distribution {
    Uniform,
    Normal,
    Truncated,
}

pub(super) type Fill<T> = fn(&Philox, Threads, &mut [T]) -> Result<(), Interrupted>;

pub(super) trait Draw: Scalar {
    fn fill(distribution: Distribution) -> Fill<Self>;
}

macro_rules! draws {
    ($($t:ty: $uniform:ident, $normal:ident, $truncated:ident;)*) => {$(
        impl Draw for $t {
            fn fill(distribution: Distribution) -> Fill<$t> {
                match distribution {
                    Distribution::Uniform => fill::$uniform,
                    Distribution::Normal => fill::$normal,
                    Distribution::Truncated => fill::$truncated,
                }
            }
        }
    )*};
}
draws! {
    f32: fill_uniform_f32, fill_normal_f32, fill_truncated_f32;
    f64: fill_uniform_f64, fill_normal_f64, fill_truncated_f64;
    f16: fill_uniform_f16, fill_normal_f16, fill_truncated_f16;
    bf16: fill_uniform_bf16, fill_normal_bf16, fill_truncated_bf16;
}

fn stateful(init: &KernelInit<'_>, distribution: Distribution) -> Result<Box<dyn Kernel>> {
    let stream = Stream::new(init)?;
    let dtype = init.output_type(0)?;
    dispatch!(dtype, T in float, {
        let fill = T::fill(distribution);
        kernel(move |ctx| {
            let mut out = Tensor::new(dtype, shape_of(ctx.input(0)?)?)?;
            let base = stream.reserve(fill::blocks_per_run(out.elements()));
            fill(&base, ctx.threads(), out.slice_mut::<T>()?)?;
            ctx.set_output(0, out);
            Ok(())
        })
    }, else Err(init.unsupported()))
}

fn of_seed(init: &KernelInit<'_>, distribution: Distribution) -> Result<Box<dyn Kernel>> {
    let dtype = init.output_type(0)?;
    dispatch!(dtype, T in float, {
        let fill = T::fill(distribution);
        kernel(move |ctx| {
            let stream = stateless_of(ctx.input(1)?)?;
            let mut out = Tensor::new(dtype, shape_of(ctx.input(0)?)?)?;
            fill(&stream, ctx.threads(), out.slice_mut::<T>()?)?;
            ctx.set_output(0, out);
            Ok(())
        })
    }, else Err(init.unsupported()))
}

fn of_seed_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    c.input(1)?.merge(&PartialShape::vector(Some(2)))?;
    shape_rules::from_shape_input(c)
}

pub(super) fn register(r: &mut Registry) {
    let stateful_op = |name: &str| {
        let op = seeded(Op::new(name).input("shape: T").output("output: dtype"));
        op.attr("dtype: {half,bfloat16,float,double}").attr("T: {int32, int64}").shape(shape_rules::from_shape_input)
    };
    r.add(
        stateful_op("RandomUniform")
            .doc("Returns numbers that are uniform in [0, 1).")
            .kernel(|init| stateful(init, Distribution::Uniform)),
    );
    r.add(
        stateful_op("RandomStandardNormal")
            .doc("Returns numbers that are normal with mean 0 and standard deviation 1.")
            .kernel(|init| stateful(init, Distribution::Normal)),
    );
    r.add(
        stateful_op("TruncatedNormal")
            .doc("Returns standard normal numbers, drawn again if they are 2 or more from 0.")
            .kernel(|init| stateful(init, Distribution::Truncated)),
    );
    let stateless_op = |name: &str| {
        let op = Op::new(name).input("shape: T").input("seed: Tseed").output("output: dtype");
        op.attr("dtype: {half, bfloat16, float, double} = DT_FLOAT")
            .attr("T: {int32, int64} = DT_INT32")
            .attr("Tseed: {int32, int64} = DT_INT64")
            .shape(of_seed_shape)
    };
    r.add(
        stateless_op("StatelessRandomUniform")
            .doc("Returns numbers that are uniform in [0, 1), a function of shape and seed.")
            .kernel(|init| of_seed(init, Distribution::Uniform)),
    );
    r.add(
        stateless_op("StatelessRandomNormal")
            .doc("Returns standard normal numbers, a function of shape and seed.")
            .kernel(|init| of_seed(init, Distribution::Normal)),
    );
    r.add(
        stateless_op("StatelessTruncatedNormal")
            .doc("Returns standard normal numbers within 2 of 0, a function of shape and seed.")
            .kernel(|init| of_seed(init, Distribution::Truncated)),
    );
}

#[cfg(test)]
mod tests {
    use crate::random::golden::{assert_runs, assert_words, seeds};
    use crate::testing::{Arg, run, run_args};
    use ferroflow_graph::AttrValue;
    use ferroflow_tensor::{Code, DType, Tensor};

    #[test]
    fn runs_are_tensorflows() {
        for (op, case) in
            [("RandomUniform", "uniform"), ("RandomStandardNormal", "normal"), ("TruncatedNormal", "truncated")]
        {
            for (dtype, tag) in [(DType::F32, "f32"), (DType::F64, "f64"), (DType::F16, "f16"), (DType::BF16, "bf16")] {
                for size in [8i32, 10, 1] {
                    let mut attrs = seeds(1, 2);
                    attrs.push(("dtype", AttrValue::Type(dtype)));
                    let shape = Tensor::from_slice([1], &[size]).unwrap();
                    assert_runs(&format!("{case}_{tag}_{size}"), op, &[shape], &attrs);
                }
            }
        }
    }

    #[test]
    fn every_pair_of_seeds_gives_tensorflows_stream() {
        for (seed, seed2) in [(87_654_321, 2), (1, 0), (1, 1), (0, 2_147_483_647), (1, 2_147_483_646)] {
            let mut attrs = seeds(seed, seed2);
            attrs.push(("dtype", AttrValue::Type(DType::F32)));
            let shape = Tensor::from_slice([2], &[2i64, 2]).unwrap();
            assert_runs(&format!("uniform_f32_seeds_{seed}_{seed2}"), "RandomUniform", &[shape], &attrs);
        }
    }

    #[test]
    fn stateless_numbers_are_tensorflows() {
        for (first, second) in [(1i64, 2i64), (-1, 1 << 40)] {
            for (op, case, dtype) in [
                ("StatelessRandomUniform", "uniform_f32", DType::F32),
                ("StatelessRandomNormal", "normal_f32", DType::F32),
                ("StatelessTruncatedNormal", "truncated_f64", DType::F64),
            ] {
                let inputs =
                    [Tensor::from_slice([1], &[4i32]).unwrap(), Tensor::from_slice([2], &[first, second]).unwrap()];
                let out = run(op, &inputs, &[("dtype", AttrValue::Type(dtype))]).unwrap();
                assert_words(&format!("stateless_{first}_{second}_{case}_4"), 0, &out[0]);
            }
        }
    }

    #[test]
    fn without_seeds_nodes_differ() {
        let attrs = [("dtype", AttrValue::Type(DType::F64))];
        let draw = || run("RandomUniform", &[Tensor::from_slice([1], &[4i32]).unwrap()], &attrs).unwrap();
        assert_ne!(draw(), draw());
    }

    #[test]
    fn shapes_that_cannot_be_are_errors() {
        let attrs = [("dtype", AttrValue::Type(DType::F32))];
        let code = |dims: &[i64]| {
            run("RandomUniform", &[Tensor::from_slice([dims.len()], dims).unwrap()], &attrs).unwrap_err().code()
        };
        assert_eq!(code(&[1 << 31, 1 << 31]), Code::ResourceExhausted);
        assert_eq!(code(&[2, -3]), Code::InvalidArgument);
        assert!(run("RandomUniform", &[Tensor::scalar(3i32)], &attrs).is_err());
    }

    #[test]
    fn any_number_of_threads_gives_the_same_bits() {
        let mut attrs = seeds(3, 4);
        attrs.push(("dtype", AttrValue::Type(DType::F32)));
        let shape = Tensor::from_slice([1], &[100_003i32]).unwrap();
        let by = |n| run_args("TruncatedNormal", vec![Arg::One(shape.clone())], &attrs, n).unwrap().values;
        assert_eq!(by(2), by(1));
        assert_eq!(by(4), by(1));
    }
}
