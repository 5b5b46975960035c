//! CheckNumerics: an error where a tensor holds NaN or infinity.

use ferroflow_graph::{Kernel, KernelInit, Op, Registry, kernel, shape_rules};
use ferroflow_tensor::threads::{Threads, try_for_blocks};
use ferroflow_tensor::{Result, Scalar, Tensor, bail, dispatch};
use num_traits::Float;
use std::sync::atomic::{AtomicBool, Ordering};

/// Elements of one parallel block.
const BLOCK: usize = 1 << 16;

/// Returns true if there is a NaN, and an infinity.
fn faults<T: Scalar + Float>(threads: Threads, x: &[T]) -> Result<(bool, bool)> {
    let (nan, infinite) = (AtomicBool::new(false), AtomicBool::new(false));
    try_for_blocks(threads, x.len(), BLOCK, |range| {
        let block = &x[range];
        // No early exit: a plain reduction is vectorized.
        if block.iter().fold(false, |bad, v| bad | !v.is_finite()) {
            nan.fetch_or(block.iter().any(|v| v.is_nan()), Ordering::Relaxed);
            infinite.fetch_or(block.iter().any(|v| v.is_infinite()), Ordering::Relaxed);
        }
    })?;
    Ok((nan.into_inner(), infinite.into_inner()))
}

fn check(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let message = init.str("message")?;
    let dtype = init.dtype("T")?;
    kernel(move |ctx| {
        let x: &Tensor = ctx.input(0)?;
        let found = dispatch!(dtype, T in float, faults::<T>(ctx.threads(), x.slice()?)?, else (false, false));
        let status = match found {
            (true, true) => "Inf and NaN",
            (true, false) => "NaN",
            (false, true) => "Inf",
            (false, false) => {
                let x = ctx.take(0)?;
                ctx.set_output(0, x);
                return Ok(());
            }
        };
        bail!(InvalidArgument, "{message} : Tensor had {status} values")
    })
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("CheckNumerics")
            .input("tensor: T")
            .output("output: T")
            .attr("T: {bfloat16, half, float, double}")
            .attr("message: string")
            .only_checks()
            .doc("Returns its input; fails with `message` where it holds NaN or infinity.")
            .shape(shape_rules::unchanged)
            .kernel(check),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::run;
    use ferroflow_graph::AttrValue;
    use ferroflow_tensor::{Result, Tensor, bf16};

    fn check(x: Tensor) -> Result<Vec<Tensor>> {
        run("CheckNumerics", &[x], &[("message", AttrValue::Str("loss".into()))])
    }

    #[test]
    fn finite_tensors_pass_and_others_fail() {
        let x = Tensor::from_slice([2], &[f32::MAX, -0.0]).unwrap();
        assert_eq!(check(x.clone()).unwrap(), [x]);
        for (values, words) in [
            ([1., f64::NAN], "loss : Tensor had NaN values"),
            ([f64::NEG_INFINITY, 1.], "loss : Tensor had Inf values"),
            ([f64::NAN, f64::INFINITY], "loss : Tensor had Inf and NaN values"),
        ] {
            assert_eq!(check(Tensor::from_slice([2], &values).unwrap()).unwrap_err().message(), words);
        }
        assert!(check(Tensor::scalar(bf16::NAN)).is_err());
        let mut many = vec![1f32; 200_000];
        many[150_000] = f32::INFINITY;
        assert!(check(Tensor::from_slice([200_000], &many).unwrap()).is_err());
    }
}
