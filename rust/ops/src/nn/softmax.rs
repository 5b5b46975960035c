//! Softmax and LogSoftmax: over the last axis of a tensor of any rank from 1.

use ferroflow_graph::{Kernel, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::threads::try_for_chunks_mut;
use ferroflow_tensor::vector::{log_softmax_rows, softmax_rows};
use ferroflow_tensor::{Result, Tensor, bail, dispatch};

/// Logits of one parallel block, as near as whole rows allow.
const BLOCK: usize = 1 << 13;

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let s = c.input(0)?.with_rank_at_least(1)?;
    c.set_output(0, s);
    Ok(())
}

fn softmax(init: &KernelInit<'_>, log: bool) -> Result<Box<dyn Kernel>> {
    dispatch!(init.output_type(0)?, T in float, {
        kernel(move |ctx| {
            let x = ctx.take(0)?;
            let Some(&classes) = x.shape().last() else {
                bail!(InvalidArgument, "logits must have >= 1 dimension, got {}", x.shape())
            };
            let mut y = Tensor::new(x.dtype(), x.shape().clone())?;
            let x = x.slice::<T>()?;
            let rows = if log { log_softmax_rows::<T> } else { softmax_rows::<T> };
            let block = (BLOCK / classes.max(1)).max(1) * classes;
            try_for_chunks_mut(ctx.threads(), y.slice_mut::<T>()?, block, |start, chunk| {
                rows(&x[start..start + chunk.len()], classes, chunk);
            })?;
            ctx.set_output(0, y);
            Ok(())
        })
    }, else Err(init.unsupported()))
}

pub(super) fn register(r: &mut Registry) {
    let op = |name: &str, output: &str| {
        Op::new(name).input("logits: T").output(output).attr("T: {half, bfloat16, float, double}").shape(shape)
    };
    r.add(
        op("Softmax", "softmax: T")
            .doc("Computes `exp(logits)` divided by its sum over the last axis.")
            .kernel(|init| softmax(init, false)),
    );
    r.add(
        op("LogSoftmax", "logsoftmax: T")
            .doc("Returns the logarithm of `Softmax`, exact where that underflows.")
            .kernel(|init| softmax(init, true)),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::{Arg, run, run_args};
    use ferroflow_tensor::{DType, Tensor, f16};

    const X: [f64; 12] = [1.0, 2.0, 3.0, -1.0, 0.0, 1000.0, 1000.0, 999.0, 0.5, 0.5, 0.5, -900.0];

    #[test]
    fn rows_of_the_last_axis_are_normalized() {
        let x = Tensor::from_slice([2, 2, 3], &X).unwrap();
        let y = run("Softmax", std::slice::from_ref(&x), &[]).unwrap();
        let l = run("LogSoftmax", &[x], &[]).unwrap();
        for (i, row) in X.chunks(3).enumerate() {
            let top = row.iter().copied().fold(f64::MIN, f64::max);
            let sum: f64 = row.iter().map(|x| (x - top).exp()).sum();
            for (j, x) in row.iter().enumerate() {
                let (expected, k) = ((x - top).exp() / sum, 3 * i + j);
                assert!((y[0].slice::<f64>().unwrap()[k] - expected).abs() < 1e-15);
                assert!((l[0].slice::<f64>().unwrap()[k] - (x - top - sum.ln())).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn half_computes_through_f32() {
        let x = Tensor::from_slice([4], &[0.0, 1.0, 2.0, 3.0].map(f16::from_f32)).unwrap();
        let y = run("Softmax", &[x], &[]).unwrap();
        let expected = [0.032_058_603, 0.087_144_32, 0.236_882_82, 0.643_914_3].map(f16::from_f32);
        assert_eq!(y[0].slice::<f16>().unwrap(), expected);
    }

    #[test]
    fn scalars_are_refused_and_empty_inputs_pass() {
        assert!(run("Softmax", &[Tensor::scalar(1.0f32)], &[]).is_err());
        for shape in [[0, 3], [3, 0]] {
            let y = run("Softmax", &[Tensor::zeros(DType::F32, shape).unwrap()], &[]).unwrap();
            assert_eq!(y[0].shape().dims(), shape);
        }
    }

    #[test]
    fn any_number_of_threads_gives_the_same_bits() {
        let x: Vec<f32> = (0..3001 * 11).map(|i| (i % 97) as f32 / 7.0).collect();
        let x = Tensor::from_slice([3001, 11], &x).unwrap();
        for op in ["Softmax", "LogSoftmax"] {
            let by = |n| run_args(op, vec![Arg::One(x.clone())], &[], n).unwrap().values;
            assert_eq!(by(2), by(1));
            assert_eq!(by(4), by(1));
        }
    }
}
