//! Bincount: how often each small integer occurs, or the sums of their weights.

use ferroflow_graph::{Kernel, KernelContext, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::vector::has_negative;
use ferroflow_tensor::{PartialShape, Result, Scalar, Shape, Tensor, dispatch, ensure};

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    c.input(1)?.with_rank(0)?;
    let size = c.input_i64(1)?;
    if let Some(n) = size {
        ensure!(n >= 0, InvalidArgument, "size ({n}) must be non-negative");
    }
    c.set_output(0, PartialShape::vector(size.and_then(|n| usize::try_from(n).ok())));
    Ok(())
}

/// A type that is counted in.
trait Counted: Scalar {
    /// Returns what adding one so many times gives.
    fn of_count(count: u64) -> Self;
    /// Returns the sum; integers wrap.
    fn plus(self, other: Self) -> Self;
}

macro_rules! counted {
    ($($t:ty: $count:ident => $of:expr, $a:ident, $b:ident => $sum:expr;)*) => {$(
        impl Counted for $t {
            fn of_count($count: u64) -> $t {
                $of
            }
            #[inline(always)]
            fn plus(self, $b: $t) -> $t {
                let $a = self;
                $sum
            }
        }
    )*};
}

counted! {
    i32: n => n as i32, a, b => a.wrapping_add(b);
    i64: n => n as i64, a, b => a.wrapping_add(b);
    // The next sum by one is rounded back from here on.
    f32: n => n.min(1 << f32::MANTISSA_DIGITS) as f32, a, b => a + b;
    f64: n => n.min(1 << f64::MANTISSA_DIGITS) as f64, a, b => a + b;
}

/// Up to this many bins there are several counters for each, so that equal neighbours do not wait for each other.
const SPREAD_BINS: usize = 1 << 12;
const SPREAD: usize = 4;

/// Returns how often each number below `size` occurs.
fn counts(values: &[i32], size: usize) -> Vec<u64> {
    if size > SPREAD_BINS {
        let mut counts = vec![0; size];
        for v in values {
            if let Some(count) = counts.get_mut(*v as usize) {
                *count += 1;
            }
        }
        return counts;
    }
    // The last counter takes what is too large.
    let mut counts = vec![0u64; (size + 1) * SPREAD];
    let (whole, rest) = values.as_chunks::<SPREAD>();
    for four in whole {
        for (i, v) in four.iter().enumerate() {
            counts[(*v as usize).min(size) * SPREAD + i] += 1;
        }
    }
    for v in rest {
        counts[(*v as usize).min(size) * SPREAD] += 1;
    }
    counts.chunks_exact(SPREAD).take(size).map(|four| four.iter().sum()).collect()
}

fn bincount<T: Counted>(ctx: &mut KernelContext<'_>) -> Result<()> {
    let (values, size, weights) = (ctx.input(0)?, ctx.input(1)?.to_scalar::<i32>()?, ctx.input(2)?);
    ensure!(size >= 0, InvalidArgument, "size ({size}) must be non-negative");
    let values = values.slice::<i32>()?;
    let weights = weights.slice::<T>()?;
    ensure!(!has_negative(values), InvalidArgument, "Input arr must be non-negative!");
    ensure!(
        weights.is_empty() || weights.len() == values.len(),
        InvalidArgument,
        "weights has {} elements, arr has {}",
        weights.len(),
        values.len()
    );
    let mut out = Tensor::zeros(T::DTYPE, Shape::new(&[size as usize]))?;
    let bins = out.slice_mut::<T>()?;
    if weights.is_empty() {
        for (bin, count) in bins.iter_mut().zip(counts(values, size as usize)) {
            *bin = T::of_count(count);
        }
    } else {
        for (v, weight) in values.iter().zip(weights) {
            if let Some(bin) = bins.get_mut(*v as usize) {
                *bin = bin.plus(*weight);
            }
        }
    }
    ctx.set_output(0, out);
    Ok(())
}

fn bincount_kernel(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    dispatch!(init.output_type(0)?, T in [I32, I64, F32, F64], kernel(bincount::<T>), else Err(init.unsupported()))
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("Bincount")
            .input("arr: int32")
            .input("size: int32")
            .input("weights: T")
            .output("bins: T")
            .attr("T: {int32, int64, float, double}")
            .doc(
                "Returns how often each integer below size occurs, each counted by its weight where weights are given.",
            )
            .shape(shape)
            .kernel(bincount_kernel),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::run;
    use ferroflow_tensor::{DType, Tensor};

    #[test]
    fn numbers_are_counted_or_weighed_and_large_ones_left_out() {
        let values = Tensor::from_slice([2, 3], &[1, 0, 1, 5, 2, 1]).unwrap();
        let none = Tensor::new(DType::I64, [0]).unwrap();
        let out = run("Bincount", &[values.clone(), Tensor::scalar(4i32), none], &[]).unwrap();
        assert_eq!(out[0].slice::<i64>().unwrap(), [1, 3, 1, 0]);
        let weights = Tensor::from_slice([2, 3], &[0.5f32, 1.0, 2.0, 4.0, 8.0, 16.0]).unwrap();
        let out = run("Bincount", &[values, Tensor::scalar(3i32), weights], &[]).unwrap();
        assert_eq!(out[0].slice::<f32>().unwrap(), [1.0, 18.5, 8.0]);
    }

    #[test]
    fn many_numbers_are_counted_in_few_and_in_many_bins() {
        let values: Vec<i32> = (0..10_003).map(|i| (i * i) % 5003).collect();
        for size in [0usize, 1, 7, 4096, 4097, 6000] {
            let mut expected = vec![0i32; size];
            values.iter().filter(|v| (**v as usize) < size).for_each(|v| expected[*v as usize] += 1);
            let args = [
                Tensor::from_slice([values.len()], &values).unwrap(),
                Tensor::scalar(size as i32),
                Tensor::new(DType::I32, [0]).unwrap(),
            ];
            let out = run("Bincount", &args, &[]).unwrap();
            assert_eq!(out[0].slice::<i32>().unwrap(), expected, "{size}");
        }
    }

    #[test]
    fn negative_numbers_and_sizes_are_refused() {
        let weights = Tensor::new(DType::F32, [0]).unwrap();
        let values = |v: i32| Tensor::from_slice([1], &[v]).unwrap();
        assert!(run("Bincount", &[values(-1), Tensor::scalar(3i32), weights.clone()], &[]).is_err());
        assert!(run("Bincount", &[values(1), Tensor::scalar(-3i32), weights], &[]).is_err());
    }
}
