//! Range and LinSpace: evenly spaced numbers.

use crate::sums::Summed;
use ferroflow_graph::{Kernel, KernelContext, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::{DType, PartialShape, Result, Scalar, Shape, Tensor, bail, bf16, dispatch, ensure};
use num_traits::Float;

/// A type that a range can have.
pub(crate) trait Step: Summed + PartialOrd + std::fmt::Display {
    const ZERO: Self;
    /// Returns the number of steps from `start` to before `limit`, if the signs are right.
    fn steps(start: Self, limit: Self, delta: Self) -> Option<i64>;
}

macro_rules! integer_steps {
    ($($t:ty),*) => {$(
        impl Step for $t {
            const ZERO: $t = 0;
            fn steps(start: $t, limit: $t, delta: $t) -> Option<i64> {
                let (distance, delta) = ((limit as i128 - start as i128).abs(), (delta as i128).abs());
                ((distance + delta - 1) / delta).try_into().ok()
            }
        }
    )*};
}

macro_rules! float_steps {
    ($($t:ty: $zero:expr;)*) => {$(
        impl Step for $t {
            const ZERO: $t = $zero;
            fn steps(start: $t, limit: $t, delta: $t) -> Option<i64> {
                let steps = f64::from(((limit - start) / delta).abs()).ceil();
                // 2^53 elements are more than any memory holds; NaN fails as well.
                (steps < 9e15).then_some(steps as i64)
            }
        }
    )*};
}

integer_steps!(i32, i64);
float_steps! { f32: 0.0; f64: 0.0; bf16: bf16::ZERO; }

fn length<T: Step>(start: T, limit: T, delta: T) -> Result<i64> {
    ensure!(delta != T::ZERO, InvalidArgument, "Requires delta != 0: {delta}");
    if delta > T::ZERO {
        ensure!(start <= limit, InvalidArgument, "Requires start <= limit when delta > 0: {start}/{limit}");
    } else {
        ensure!(start >= limit, InvalidArgument, "Requires start >= limit when delta < 0: {start}/{limit}");
    }
    let Some(n) = T::steps(start, limit, delta) else {
        bail!(
            InvalidArgument,
            "Requires ((limit - start) / delta) <= 2**53: start {start}, limit {limit}, delta {delta}"
        );
    };
    Ok(n)
}

fn scalar<T: Scalar>(t: &Tensor, name: &str) -> Result<T> {
    ensure!(t.rank() == 0, InvalidArgument, "{name} must be a scalar, not shape {}", t.shape());
    t.to_scalar()
}

fn range_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    for i in 0..3 {
        c.input(i)?.with_rank(0)?;
    }
    let values = (c.input_value(0)?, c.input_value(1)?, c.input_value(2)?);
    let (Some(start), Some(limit), Some(delta)) = values else {
        c.set_output(0, PartialShape::vector(None));
        return Ok(());
    };
    let n = dispatch!(start.dtype(), T in [I32, I64, F32, F64, BF16], {
        length::<T>(start.to_scalar()?, limit.to_scalar()?, delta.to_scalar()?)?
    }, else bail!(InvalidArgument, "Range of {}", start.dtype().schema_name()));
    c.set_output(0, PartialShape::vector(usize::try_from(n).ok()));
    Ok(())
}

fn range<T: Step>(ctx: &mut KernelContext<'_>) -> Result<()> {
    let (start, limit) = (scalar::<T>(ctx.input(0)?, "start")?, scalar::<T>(ctx.input(1)?, "limit")?);
    let delta = scalar::<T>(ctx.input(2)?, "delta")?;
    let mut out = Tensor::new(T::DTYPE, Shape::checked(&[length(start, limit, delta)?])?)?;
    // TF 1.x: floats are added up, so that the rounding of each step carries on.
    let mut value = start;
    for o in out.slice_mut::<T>()? {
        *o = value;
        value = value.plus(delta);
    }
    ctx.set_output(0, out);
    Ok(())
}

fn range_kernel(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    dispatch!(init.output_type(0)?, T in [I32, I64, F32, F64, BF16], kernel(range::<T>), else Err(init.unsupported()))
}

fn lin_space_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    for i in 0..3 {
        c.input(i)?.with_rank(0)?;
    }
    let n = c.input_i64(2)?;
    if let Some(n) = n {
        ensure!(n > 0, InvalidArgument, "Requires num > 0: {n}");
    }
    c.set_output(0, PartialShape::vector(n.and_then(|n| usize::try_from(n).ok())));
    Ok(())
}

fn lin_space<T: Scalar + Float>(ctx: &mut KernelContext<'_>) -> Result<()> {
    let (start, stop) = (scalar::<T>(ctx.input(0)?, "start")?, scalar::<T>(ctx.input(1)?, "stop")?);
    let num = ctx.input(2)?;
    ensure!(num.rank() == 0, InvalidArgument, "num must be a scalar, not shape {}", num.shape());
    let n = num.to_i64s()?.first().copied().unwrap_or_default();
    ensure!(n > 0, InvalidArgument, "Requires num > 0: {n}");
    let mut out = Tensor::new(T::DTYPE, Shape::checked(&[n])?)?;
    let of = |i: i64| T::from(i).unwrap_or_else(T::nan);
    let step = if n > 1 { (stop - start) / of(n - 1) } else { T::zero() };
    let values = out.slice_mut::<T>()?;
    for (o, i) in values.iter_mut().zip(0..) {
        *o = start + step * of(i);
    }
    if let (Some(last), true) = (values.last_mut(), n > 1) {
        *last = stop;
    }
    ctx.set_output(0, out);
    Ok(())
}

fn lin_space_kernel(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    match init.output_type(0)? {
        DType::F32 => kernel(lin_space::<f32>),
        DType::F64 => kernel(lin_space::<f64>),
        DType::BF16 => kernel(lin_space::<bf16>),
        _ => Err(init.unsupported()),
    }
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("Range")
            .input("start: Tidx")
            .input("limit: Tidx")
            .input("delta: Tidx")
            .output("output: Tidx")
            .attr("Tidx: {bfloat16, float, double, int32, int64} = DT_INT32")
            .doc("Returns start, start + delta, start + 2 delta ... before limit.")
            .shape(range_shape)
            .kernel(range_kernel),
    );
    r.add(
        Op::new("LinSpace")
            .input("start: T")
            .input("stop: T")
            .input("num: Tidx")
            .output("output: T")
            .attr("T: {bfloat16, float, double}")
            .attr("Tidx: {int32, int64} = DT_INT32")
            .doc("Returns num evenly spaced numbers from start to stop.")
            .shape(lin_space_shape)
            .kernel(lin_space_kernel),
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Arg, run, run_args};

    fn of<T: Scalar>(values: [T; 3]) -> Vec<Tensor> {
        values.into_iter().map(Tensor::scalar).collect()
    }

    #[test]
    fn ranges_end_before_their_limit_in_both_directions() {
        for (start, limit, delta, expected) in
            [(0, 5, 1, vec![0, 1, 2, 3, 4]), (3, 18, 5, vec![3, 8, 13]), (5, 0, -2, vec![5, 3, 1]), (4, 4, 1, vec![])]
        {
            let args = of([start, limit, delta]).into_iter().map(Arg::One).collect();
            let out = run_args("Range", args, &[], 1).unwrap();
            assert_eq!(out.values[0].slice::<i32>().unwrap(), expected);
            assert_eq!(out.shapes[0], PartialShape::vector(Some(expected.len())));
        }
        let out = run("Range", &of([0.0f32, 1.0, 0.1]), &[]).unwrap();
        let mut sum = 0.0;
        let expected: Vec<f32> = (0..10)
            .map(|_| {
                let v = sum;
                sum += 0.1;
                v
            })
            .collect();
        assert_eq!(out[0].slice::<f32>().unwrap(), expected);
        let out = run("Range", &of([i64::MAX - 1, i64::MAX, 1]), &[]).unwrap();
        assert_eq!(out[0].slice::<i64>().unwrap(), [i64::MAX - 1]);
    }

    #[test]
    fn ranges_that_lead_nowhere_are_refused() {
        for (values, words) in [
            ([0, 5, 0], "Requires delta != 0"),
            ([5, 0, 1], "Requires start <= limit when delta > 0: 5/0"),
            ([0, 5, -1], "Requires start >= limit when delta < 0: 0/5"),
        ] {
            let e = run("Range", &of(values), &[]).err().unwrap();
            assert!(e.message().contains(words), "{e}");
        }
        assert!(run("Range", &of([0.0f32, f32::INFINITY, 1.0]), &[]).is_err());
        assert!(run("Range", &of([0.0f32, 1.0, f32::NAN]), &[]).is_err());
    }

    #[test]
    fn spaces_contain_both_ends() {
        let space = |start: f32, stop: f32, n: i32| {
            run("LinSpace", &[Tensor::scalar(start), Tensor::scalar(stop), Tensor::scalar(n)], &[])
        };
        assert_eq!(space(1.0, 3.0, 5).unwrap()[0].slice::<f32>().unwrap(), [1.0, 1.5, 2.0, 2.5, 3.0]);
        assert_eq!(space(0.0, 0.3, 4).unwrap()[0].slice::<f32>().unwrap()[3], 0.3);
        assert_eq!(space(1.0, 3.0, 1).unwrap()[0].slice::<f32>().unwrap(), [1.0]);
        assert!(space(1.0, 3.0, 0).is_err());
    }
}
