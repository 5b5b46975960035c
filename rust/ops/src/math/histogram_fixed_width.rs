//! HistogramFixedWidth: how many values lie in each of a number of equal parts of a range.

use ferroflow_graph::{Kernel, KernelContext, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::{DType, PartialShape, Result, Scalar, Tensor, dispatch, ensure};
use std::fmt::Display;

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let range = c.input(1)?.with_rank(1)?.dim(0);
    ensure!(range.is_none_or(|n| n == 2), InvalidArgument, "Dimension must be 2 but is {}", range.unwrap_or(2));
    c.input(2)?.with_rank(0)?;
    let count = c.input_i64(2)?;
    if let Some(n) = count {
        ensure!(n > 0, InvalidArgument, "Requires nbins > 0: {n}");
    }
    c.set_output(0, PartialShape::vector(count.and_then(|n| usize::try_from(n).ok())));
    Ok(())
}

/// The types that are counted.
trait Counted: Scalar + PartialOrd + Display {
    fn less(self, other: Self) -> f64;
    fn is_nan(self) -> bool;
}

macro_rules! counted {
    ($($float:ty),*; $($int:ty),*) => {
        $(impl Counted for $float {
            fn less(self, other: $float) -> f64 {
                (self - other).into()
            }
            fn is_nan(self) -> bool {
                <$float>::is_nan(self)
            }
        })*
        $(impl Counted for $int {
            // TF 1.x takes the difference before it converts, which overflows for a wide range.
            fn less(self, other: $int) -> f64 {
                (i128::from(self) - i128::from(other)) as f64
            }
            fn is_nan(self) -> bool {
                false
            }
        })*
    };
}
counted!(f32, f64; i32, i64);

/// Returns the number of the bin of each value; values outside of the range belong to the bin at its end.
fn bins<T: Counted>(values: &[T], [first, last]: [T; 2], count: usize) -> impl Iterator<Item = usize> {
    let step = last.less(first) / count as f64;
    values.iter().map(move |&x| {
        let x = if x > first { x } else { first };
        ((x.less(first) / step) as usize).min(count - 1)
    })
}

fn histogram<T: Counted>(ctx: &mut KernelContext<'_>, dtype: DType) -> Result<()> {
    let (values, range, count) = (ctx.input(0)?, ctx.input(1)?, ctx.input(2)?);
    let &[first, last] = range.slice::<T>()? else {
        ferroflow_tensor::bail!(InvalidArgument, "value_range should be a vector of 2 elements.")
    };
    ensure!(range.rank() == 1, InvalidArgument, "value_range should be a vector of 2 elements.");
    ensure!(
        first < last,
        InvalidArgument,
        "value_range should satisfy value_range[0] < value_range[1], but got '[{first}, {last}]'"
    );
    ensure!(count.rank() == 0, InvalidArgument, "nbins should be a scalar, but got shape {}", count.shape());
    let count = count.to_scalar::<i32>()?;
    ensure!(count > 0, InvalidArgument, "nbins should be a positive number, but got '{count}'");
    let values = values.slice::<T>()?;
    ensure!(!values.iter().any(|x| x.is_nan()), InvalidArgument, "values must not contain NaN");
    let mut out = Tensor::zeros(dtype, [count as usize])?;
    let bins = bins(values, [first, last], count as usize);
    if dtype == DType::I64 {
        let out = out.slice_mut::<i64>()?;
        bins.for_each(|bin| out[bin] += 1);
    } else {
        let out = out.slice_mut::<i32>()?;
        bins.for_each(|bin| out[bin] = out[bin].wrapping_add(1));
    }
    ctx.set_output(0, out);
    Ok(())
}

fn histogram_kernel(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let (from, to) = (init.dtype("T")?, init.dtype("dtype")?);
    dispatch!(from, T in [I32, I64, F32, F64], kernel(move |ctx| histogram::<T>(ctx, to)), else Err(init.unsupported()))
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("HistogramFixedWidth")
            .input("values: T")
            .input("value_range: T")
            .input("nbins: int32")
            .output("out: dtype")
            .attr("T: {int32, int64, float, double}")
            .attr("dtype: {int32, int64} = DT_INT32")
            .doc(
                "Returns how many values lie in each of `nbins` equal parts of a range; those outside count at its \
                 ends.",
            )
            .shape(shape)
            .kernel(histogram_kernel),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::run;
    use ferroflow_graph::AttrValue;
    use ferroflow_tensor::{Code, DType, Scalar, Tensor};

    fn counts<T: Scalar>(values: &[T], range: &[T], nbins: i32) -> ferroflow_tensor::Result<Vec<i32>> {
        let vector = |v: &[T]| Tensor::from_slice([v.len()], v).unwrap();
        let out = run("HistogramFixedWidth", &[vector(values), vector(range), Tensor::scalar(nbins)], &[])?;
        Ok(out[0].slice::<i32>().unwrap().to_vec())
    }

    #[test]
    fn values_are_counted_by_part_and_at_the_ends() {
        assert_eq!(counts(&[-1.0f32, 0.0, 1.5, 2.0, 5.0, 15.0], &[0.0, 5.0], 5).unwrap(), [2, 1, 1, 0, 2]);
        assert_eq!(counts(&[f64::INFINITY, -f64::INFINITY], &[0.0, 5.0], 2).unwrap(), [1, 1]);
        assert_eq!(counts(&[-1, 0, 1, 2, 5, 15], &[0, 5], 5).unwrap(), [2, 1, 1, 0, 2]);
        assert_eq!(counts(&[i64::MAX, i64::MIN, 5], &[i64::MIN, i64::MAX], 4).unwrap(), [1, 0, 1, 1]);
        let many = [("dtype", AttrValue::Type(DType::I64))];
        let one = Tensor::from_slice([2], &[0.0f32, 1.0]).unwrap();
        let out = run("HistogramFixedWidth", &[one.clone(), one, Tensor::scalar(2i32)], &many).unwrap();
        assert_eq!(out[0].slice::<i64>().unwrap(), [1, 1]);
    }

    #[test]
    fn ranges_that_are_none_and_nan_are_refused() {
        for range in [&[5.0f32, 0.0][..], &[1.0, 1.0], &[f32::NAN, 1.0], &[0.0], &[0.0, 1.0, 2.0]] {
            assert_eq!(counts(&[1.0], range, 2).unwrap_err().code(), Code::InvalidArgument, "{range:?}");
        }
        assert!(counts(&[f32::NAN], &[0.0, 1.0], 2).is_err());
        assert!(counts(&[1.0f32], &[0.0, 1.0], 0).is_err() && counts(&[1.0f32], &[0.0, 1.0], -1).is_err());
    }
}
