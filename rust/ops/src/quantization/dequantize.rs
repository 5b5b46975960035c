//! Dequantize: the numbers that steps between two bounds stand for.

use super::range::{Mode, Steps, bound};
use ferroflow_graph::{Kernel, KernelContext, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::threads::try_for_chunks_mut;
use ferroflow_tensor::{DType, Result, Scalar, Tensor, dispatch};
use num_traits::ToPrimitive;

const BLOCK: usize = 1 << 14;

fn function(mode: Mode, steps: Steps, min: f32, max: f32) -> Box<dyn Fn(f64) -> f32 + Sync> {
    let Steps { lowest, highest, .. } = steps;
    match mode {
        Mode::MinCombined => {
            let scale = ((f64::from(max) - f64::from(min)) / (highest - lowest)) as f32;
            let half = steps.half_range();
            Box::new(move |q| (q as f32 + half) * scale + min)
        }
        Mode::MinFirst => {
            // TF 1.x computes in floats: a bound between two steps falls on the side that their rounding decides.
            let scale = (f64::from(max - min) / (steps.count() - 1.0)) as f32;
            let first = if min == max { min } else { (min / scale).round() * scale };
            let zero = first - lowest as f32 * scale;
            Box::new(move |q| zero + q as f32 * scale)
        }
        Mode::Scaled => {
            let top = f64::from(max) / highest;
            let scale = if steps.is_signed() { top.max(f64::from(min) / lowest) } else { top } as f32;
            Box::new(move |q| q as f32 * scale)
        }
    }
}

fn values<T: Scalar + ToPrimitive>(
    ctx: &KernelContext<'_>,
    q: &Tensor,
    f: &(dyn Fn(f64) -> f32 + Sync),
) -> Result<Tensor> {
    let mut out = Tensor::new(DType::F32, q.shape().clone())?;
    let q = q.slice::<T>()?;
    try_for_chunks_mut(ctx.threads(), out.slice_mut::<f32>()?, BLOCK, |start, chunk| {
        for (to, q) in chunk.iter_mut().zip(&q[start..]) {
            *to = f(q.to_f64().unwrap_or_default());
        }
    })?;
    Ok(out)
}

fn dequantize(ctx: &mut KernelContext<'_>, steps: Steps, mode: Mode) -> Result<()> {
    let (min, max) = (bound(ctx.input(1)?, "min_range")?, bound(ctx.input(2)?, "max_range")?);
    let f = function(mode, steps, min, max);
    let q = ctx.take(0)?.bitcast_same_size(steps.plain)?;
    let out = dispatch!(steps.plain, T in [I8, U8, I16, U16, I32], values::<T>(ctx, &q, &*f)?, else q);
    ctx.set_output(0, out);
    Ok(())
}

fn kernel_of(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let (steps, mode) = (Steps::of(init.dtype("T")?)?, Mode::of(init)?);
    kernel(move |ctx| dequantize(ctx, steps, mode))
}

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let s = c.input(0)?.clone();
    c.input(1)?.with_rank(0)?;
    c.input(2)?.with_rank(0)?;
    c.set_output(0, s);
    Ok(())
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("Dequantize")
            .input("input: T")
            .input("min_range: float")
            .input("max_range: float")
            .output("output: float")
            .attr("T: quantizedtype")
            .attr(Mode::ATTR)
            .doc("Returns the numbers of quantized steps between two bounds.")
            .shape(shape)
            .kernel(kernel_of),
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    // TensorFlow 1.15.5's values of the lowest, the highest, and half the highest step.
    #[test]
    fn the_first_step_of_min_first_is_rounded_as_in_tensorflow() {
        for (dtype, bound, values) in [
            (DType::QU8, 1.0, [-0.9960785, 1.0039215, 0.0]),
            (DType::QI8, 1.0, [-0.9960785, 1.0039216, 0.5019608]),
            (DType::QU8, 6.0, [-6.0235295, 5.9764705, -0.04705906]),
            (DType::QI8, 10.0, [-9.960785, 10.039216, 5.0196075]),
            (DType::QU16, 0.5, [-0.5000076, 0.49999237, -1.5258789e-5]),
        ] {
            let steps = Steps::of(dtype).unwrap();
            let (lowest, highest) = (steps.lowest, steps.highest);
            let f = function(Mode::MinFirst, steps, -bound, bound);
            assert_eq!([f(lowest), f(highest), f((highest / 2.0).floor())], values, "{dtype:?} {bound}");
        }
    }
}
