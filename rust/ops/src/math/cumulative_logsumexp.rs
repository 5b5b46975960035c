//! CumulativeLogsumexp: logarithms of the running sums of exponentials along an axis.

use super::scan::axis_of;
use ferroflow_graph::{Kernel, KernelInit, Op, Registry, kernel, shape_rules};
use ferroflow_tensor::threads::try_for_chunks_mut;
use ferroflow_tensor::{DType, Result, Scalar, Tensor, dispatch, elementwise, f16};

/// Elements of one parallel block.
const BLOCK: usize = 1 << 14;

/// A float with the functions that the sums need.
trait Logarithmic: Scalar + PartialOrd {
    /// Returns log(exp(self) + exp(x)); TF 1.x: NaN does not pass over to a number that follows it.
    fn log_add(self, x: Self) -> Self;
}

macro_rules! logarithmic {
    ($($t:ty, $exp:path, $log1p:path;)*) => {$(
        impl Logarithmic for $t {
            fn log_add(self, x: $t) -> $t {
                let (least, most) = (if x < self { x } else { self }, if self < x { x } else { self });
                most + $log1p($exp(least - most))
            }
        }
    )*};
}
logarithmic! {
    f32, libm::expf, libm::log1pf;
    f64, libm::exp, libm::log1p;
}

/// The options of an op.
#[derive(Clone, Copy)]
struct Options {
    exclusive: bool,
    reverse: bool,
}

/// Scans the rows of a matrix of `inner` columns, each column by itself.
fn scan<T: Logarithmic>(options: Options, x: &[T], inner: usize, lowest: T, out: &mut [T]) {
    let n = x.len() / inner;
    let mut running = vec![lowest; inner];
    for step in 0..n {
        let row = if options.reverse { n - 1 - step } else { step };
        let at = row * inner..(row + 1) * inner;
        for ((sum, &x), out) in running.iter_mut().zip(&x[at.clone()]).zip(&mut out[at]) {
            let before = *sum;
            *sum = before.log_add(x);
            *out = if options.exclusive { before } else { *sum };
        }
    }
}

fn cumulative(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let options = Options { exclusive: init.bool("exclusive")?, reverse: init.bool("reverse")? };
    let dtype = init.input_type(0)?;
    // Running results of 16-bit floats are kept in f32.
    let wide = if dtype == DType::F16 { DType::F32 } else { dtype };
    dispatch!(wide, T in [F32, F64], {
        kernel(move |ctx| {
            let axis = axis_of(ctx)?;
            let threads = ctx.threads();
            let x = elementwise::cast(ctx.take(0)?, wide, threads)?;
            let mut out = Tensor::new(wide, x.shape().clone())?;
            if x.elements() > 0 {
                let lowest = if dtype == DType::F16 { f16::MIN.to_f32() as T } else { T::MIN };
                let (_, n, inner) = x.shape().around(axis);
                let size = n * inner;
                let from = x.slice::<T>()?;
                let rows = (BLOCK / size).max(1) * size;
                try_for_chunks_mut(threads, out.slice_mut::<T>()?, rows, |start, out| {
                    for (k, out) in out.chunks_exact_mut(size).enumerate() {
                        let at = start + k * size;
                        scan(options, &from[at..at + size], inner, lowest, out);
                    }
                })?;
            }
            let out = elementwise::cast(out, dtype, threads)?;
            ctx.set_output(0, out);
            Ok(())
        })
    }, else Err(init.unsupported()))
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("CumulativeLogsumexp")
            .input("x: T")
            .input("axis: Tidx")
            .output("out: T")
            .attr("exclusive: bool = false")
            .attr("reverse: bool = false")
            .attr("T: {half, float, double}")
            .attr("Tidx: {int32, int64} = DT_INT32")
            .doc("Returns the logarithms of the running sums of exponentials along an axis.")
            .shape(shape_rules::unchanged)
            .kernel(cumulative),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::run;
    use ferroflow_graph::AttrValue;
    use ferroflow_tensor::{Tensor, f16};

    fn call(x: &[f64], exclusive: bool, reverse: bool) -> Vec<f64> {
        let attrs = [("exclusive", AttrValue::Bool(exclusive)), ("reverse", AttrValue::Bool(reverse))];
        let x = Tensor::from_slice([x.len()], x).unwrap();
        run("CumulativeLogsumexp", &[x, Tensor::scalar(0i32)], &attrs).unwrap()[0].slice().unwrap().to_vec()
    }

    #[test]
    fn large_elements_do_not_overflow() {
        let sums = call(&[1000.0, 1001.0], false, false);
        assert_eq!(sums[0], 1000.0);
        assert!((sums[1] - 1_001.313_261_687_518_2).abs() < 1e-9);
        assert_eq!(call(&[1.0, f64::INFINITY, f64::NAN], false, false)[1], f64::INFINITY);
    }

    #[test]
    fn the_sum_of_nothing_is_the_lowest_number() {
        assert_eq!(call(&[3.0, 4.0], true, false), [f64::MIN, 3.0]);
        assert_eq!(call(&[3.0, 4.0], true, true), [4.0, f64::MIN]);
        let half = Tensor::from_slice([1], &[f16::ONE]).unwrap();
        let out = run("CumulativeLogsumexp", &[half, Tensor::scalar(0i32)], &[("exclusive", AttrValue::Bool(true))]);
        assert_eq!(out.unwrap()[0].slice::<f16>().unwrap(), [f16::MIN]);
    }
}
