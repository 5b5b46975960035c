//! QuantizeV2: floats as the nearest of equal steps between two bounds.

use super::range::{Mode, Steps, bound};
use ferroflow_graph::{Kernel, KernelContext, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::threads::{Threads, try_for_chunks_mut};
use ferroflow_tensor::{DType, PartialShape, Result, Scalar, Tensor, dispatch, ensure};

const BLOCK: usize = 1 << 14;

/// The largest float below 2^31.
const LARGEST_FLOAT: f64 = 2_147_483_520.0;

/// The least distance of the bounds, as a part of the larger one.
const LEAST_RANGE: f32 = 0.01;

/// Bounds that hold zero and are not too close.
fn adjusted(min: f32, max: f32) -> (f32, f32) {
    let low = min.min(0.0);
    let least = LEAST_RANGE * f32::max(1.0, f32::max(min.abs(), max.abs()));
    (low, max.max(low + least).max(0.0))
}

/// Returns the function from floats to steps, and the bounds that it has.
fn function(mode: Mode, even: bool, steps: Steps, min: f32, max: f32) -> (Box<dyn Fn(f32) -> f64 + Sync>, f32, f32) {
    let (min, max) = adjusted(min, max);
    let Steps { lowest, highest, .. } = steps;
    match mode {
        Mode::MinCombined => {
            let scale = ((highest - lowest) / f64::from(max - min)) as f32;
            let half = steps.half_range();
            (Box::new(move |x| f64::from(((x.min(max).max(min) - min) * scale - half).round())), min, max)
        }
        Mode::MinFirst => {
            let count = steps.count();
            let range = f64::from(max - min) * (count / (count - 1.0));
            // TF 1.x continues in floats: low bits of 32-bit results are rounded off.
            let scale = (count / range) as f32;
            let first = (min * scale).round() - lowest as f32;
            (Box::new(move |x| f64::from((x * scale).round() - first)), min, max)
        }
        Mode::Scaled => {
            let side = |step: f64, bound: f32| {
                if step * f64::from(bound) > 0.0 { (step / f64::from(bound)) as f32 } else { f32::MAX }
            };
            let scale = side(lowest, min).min(side(highest, max));
            let (min, max) = ((lowest / f64::from(scale)) as f32, (highest / f64::from(scale)) as f32);
            let at = move |x: f32| x.min(max).max(min) * scale;
            let f: Box<dyn Fn(f32) -> f64 + Sync> = match even {
                true => Box::new(move |x| f64::from(at(x).round_ties_even())),
                false => Box::new(move |x| f64::from(at(x).round())),
            };
            (f, min, max)
        }
    }
}

fn fill<T: Scalar + num_traits::NumCast>(
    threads: Threads,
    x: &[f32],
    out: &mut Tensor,
    steps: Steps,
    of_nan: f64,
    f: &(dyn Fn(f32) -> f64 + Sync),
) -> Result<()> {
    try_for_chunks_mut(threads, out.slice_mut::<T>()?, BLOCK, |start, chunk| {
        for (to, &x) in chunk.iter_mut().zip(&x[start..]) {
            let step = if x.is_nan() { of_nan } else { f(x).clamp(steps.lowest, steps.highest) };
            *to = num_traits::cast(if step.is_nan() { steps.lowest } else { step }).unwrap_or_default();
        }
    })?;
    Ok(())
}

fn quantize(ctx: &mut KernelContext<'_>, dtype: DType, mode: Mode, even: bool) -> Result<()> {
    let steps = Steps::of(dtype)?;
    let (min, max) = (bound(ctx.input(1)?, "min_range")?, bound(ctx.input(2)?, "max_range")?);
    ensure!(min <= max, InvalidArgument, "min_range must be less than or equal to max_range, got {min} and {max}");
    // TF 1.x: what a conversion of NaN gives on x86-64, and the largest float of 32 bits.
    let in_floats = dtype == DType::QI32 && matches!(mode, Mode::MinFirst);
    let of_nan = if in_floats { steps.lowest } else { 0.0 };
    let highest = if in_floats { LARGEST_FLOAT } else { steps.highest };
    let (f, min, max) = function(mode, even, steps, min, max);
    let input = ctx.input(0)?;
    let mut out = Tensor::new(steps.plain, input.shape().clone())?;
    let x = input.slice::<f32>()?;
    dispatch!(steps.plain, T in [I8, U8, I16, U16, I32], fill::<T>(ctx.threads(), x, &mut out, Steps { highest, ..steps }, of_nan, &*f)?, else ());
    ctx.set_output(0, out.bitcast_same_size(dtype)?);
    ctx.set_output(1, Tensor::scalar(min));
    ctx.set_output(2, Tensor::scalar(max));
    Ok(())
}

fn kernel_of(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let (dtype, mode) = (init.dtype("T")?, Mode::of(init)?);
    let even = init.str("round_mode")? == "HALF_TO_EVEN";
    ensure!(
        !even || mode == Mode::Scaled,
        InvalidArgument,
        "Round mode 'HALF_TO_EVEN' only supported for mode 'SCALED'"
    );
    kernel(move |ctx| quantize(ctx, dtype, mode, even))
}

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let s = c.input(0)?.clone();
    c.input(1)?.with_rank(0)?;
    c.input(2)?.with_rank(0)?;
    c.set_output(0, s);
    c.set_output(1, PartialShape::scalar());
    c.set_output(2, PartialShape::scalar());
    Ok(())
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("QuantizeV2")
            .input("input: float")
            .input("min_range: float")
            .input("max_range: float")
            .output("output: T")
            .output("output_min: float")
            .output("output_max: float")
            .attr("T: quantizedtype")
            .attr(Mode::ATTR)
            .attr("round_mode: {'HALF_AWAY_FROM_ZERO', 'HALF_TO_EVEN'} = 'HALF_AWAY_FROM_ZERO'")
            .doc("Returns the nearest step to each number, and the bounds that the steps divide.")
            .shape(shape)
            .kernel(kernel_of),
    );
}
