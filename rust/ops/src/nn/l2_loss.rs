//! L2Loss: half the sum of squares.

use crate::wide::Wide;
use ferroflow_graph::{Kernel, KernelInit, Op, Registry, kernel, shape_rules};
use ferroflow_tensor::threads::{Threads, try_for_chunks_mut};
use ferroflow_tensor::vector::{Reduce, reduce_slice};
use ferroflow_tensor::{Result, Tensor, dispatch};
use num_traits::{One, Zero};

/// Elements whose squares are summed first; their sums are then added in an order that their number decides.
const BLOCK: usize = 4096;
/// Blocks of one task.
const BLOCKS_PER_TASK: usize = 8;

fn half_sum_of_squares<T: Wide>(threads: Threads, x: &[T]) -> Result<T> {
    let mut sums = vec![T::In::zero(); x.len().div_ceil(BLOCK)];
    try_for_chunks_mut(threads, &mut sums, BLOCKS_PER_TASK, |first, sums| {
        let mut squares = [T::In::zero(); BLOCK];
        for (sum, block) in sums.iter_mut().zip(x[first * BLOCK..].chunks(BLOCK)) {
            let squares = &mut squares[..block.len()];
            for (s, x) in squares.iter_mut().zip(block) {
                let x = x.widen();
                *s = x * x;
            }
            *sum = reduce_slice(Reduce::Sum, squares);
        }
    })?;
    let two = T::In::one() + T::In::one();
    Ok(T::narrow(reduce_slice(Reduce::Sum, &sums) / two))
}

fn l2_loss(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    dispatch!(init.output_type(0)?, T in float, {
        kernel(|ctx| {
            let loss = half_sum_of_squares(ctx.threads(), ctx.input(0)?.slice::<T>()?)?;
            ctx.set_output(0, Tensor::scalar(loss));
            Ok(())
        })
    }, else Err(init.unsupported()))
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("L2Loss")
            .input("t: T")
            .output("output: T")
            .attr("T: {half, bfloat16, float, double}")
            .doc("Returns half the sum of the squares of all elements.")
            .shape(shape_rules::scalar)
            .kernel(l2_loss),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::{Arg, run, run_args};
    use ferroflow_tensor::{DType, Tensor, f16};

    #[test]
    fn is_half_the_sum_of_squares() {
        let x: Vec<f64> = (0..10_000).map(|i| (i as f64).sin()).collect();
        let expected = x.iter().map(|x| x * x).sum::<f64>() / 2.0;
        let y = run("L2Loss", &[Tensor::from_slice([100, 100], &x).unwrap()], &[]).unwrap();
        assert!((y[0].to_scalar::<f64>().unwrap() - expected).abs() < 1e-10);
        let y = run("L2Loss", &[Tensor::zeros(DType::F32, [0]).unwrap()], &[]).unwrap();
        assert_eq!(y[0].to_scalar::<f32>().unwrap(), 0.0);
    }

    #[test]
    fn half_sums_in_f32() {
        // In f16 alone, a sum of ones stops at 2048.
        let x = Tensor::from_slice([8192], &[f16::ONE; 8192]).unwrap();
        assert_eq!(run("L2Loss", &[x], &[]).unwrap()[0].to_scalar::<f16>().unwrap(), f16::from_f32(4096.0));
    }

    #[test]
    fn any_number_of_threads_gives_the_same_bits() {
        let x: Vec<f32> = (0..300_001).map(|i| (i as f32 * 0.37).sin()).collect();
        let x = Tensor::from_slice([x.len()], &x).unwrap();
        let by = |n| run_args("L2Loss", vec![Arg::One(x.clone())], &[], n).unwrap().values;
        assert_eq!(by(2), by(1));
        assert_eq!(by(4), by(1));
    }
}
