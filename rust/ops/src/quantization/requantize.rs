//! QuantizeDownAndShrinkRange, RequantizationRange, Requantize: 32-bit levels in fewer bits.

use super::levels::{Range, converted, narrowed, scalar_bounds, scalar_inputs, set_outputs};
use super::range::bound;
use ferroflow_graph::{Kernel, KernelContext, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::{DType, PartialShape, Result, Shape, Tensor, ensure};

/// Bits behind the point of the factors.
const SHIFT: u32 = 16;

/// Returns the levels in 8 bits, in the range from `min` to `max`; TensorFlow's fixed-point arithmetic, bit by bit.
fn in_eight_bits(levels: &[i32], from: &Range, min: f32, max: f32) -> Vec<i32> {
    let (input_range, range) = (from.max - from.min, max - min);
    let unit = f64::from(1u32 << SHIFT);
    let inverse = if range == 0.0 { 0.0 } else { (255.0 / f64::from(range)) as f32 };
    let middle = (f64::from(from.min + from.max) / 2.0) as f32;
    let scale = if range == 0.0 { 0 } else { converted(255.0 * unit * f64::from(input_range) / f64::from(range)) };
    let shift_in = converted(f64::from(middle * inverse * unit as f32));
    let shift_out = if range == 0.0 { 0 } else { converted(unit * (f64::from(min) * 255.0) / f64::from(range)) };
    let rest = shift_in.wrapping_sub(shift_out).wrapping_add(1 << (SHIFT - 1));
    let level = |q: i32| (i64::from(q).wrapping_mul(scale) >> 32).wrapping_add(rest) >> SHIFT;
    levels.iter().map(|&q| level(q).clamp(0, 255) as i32).collect()
}

fn levels_of(ctx: &mut KernelContext<'_>) -> Result<(Shape, Tensor, Range)> {
    let range = Range::of_inputs(ctx, DType::QI32, 1)?;
    let input = ctx.take(0)?;
    Ok((input.shape().clone(), input.bitcast_same_size(DType::I32)?, range))
}

/// Returns the range of the numbers that the levels stand for; it holds zero.
fn used(levels: &[i32], range: &Range) -> (f32, f32) {
    let (least, most) = levels.iter().fold((i32::MAX, i32::MIN), |(a, b), &q| (a.min(q), b.max(q)));
    (range.number(i64::from(least)).min(0.0), range.number(i64::from(most)))
}

fn shrink(ctx: &mut KernelContext<'_>) -> Result<()> {
    let (shape, levels, range) = levels_of(ctx)?;
    let levels = levels.slice::<i32>()?;
    let (min, max) = used(levels, &range);
    let out = narrowed(&in_eight_bits(levels, &range, min, max), &shape, DType::QU8)?;
    set_outputs(ctx, out, min, max);
    Ok(())
}

fn range(ctx: &mut KernelContext<'_>) -> Result<()> {
    let (_, levels, range) = levels_of(ctx)?;
    let (min, max) = used(levels.slice()?, &range);
    ctx.set_output(0, Tensor::scalar(min));
    ctx.set_output(1, Tensor::scalar(max));
    Ok(())
}

fn requantize(ctx: &mut KernelContext<'_>) -> Result<()> {
    let (min, max) = (bound(ctx.input(3)?, "requested_output_min")?, bound(ctx.input(4)?, "requested_output_max")?);
    ensure!(min <= 0.0, InvalidArgument, "requested_output_min must be <= 0, but got {min}");
    ensure!(
        max >= min,
        InvalidArgument,
        "requested_output_max must be >= requested_output_min, but got {max} and {min}"
    );
    let (shape, levels, range) = levels_of(ctx)?;
    let out = narrowed(&in_eight_bits(levels.slice()?, &range, min, max), &shape, DType::QU8)?;
    set_outputs(ctx, out, min, max);
    Ok(())
}

/// Makes a kernel of 32-bit levels; `narrows` to eight bits.
fn of_types(
    init: &KernelInit<'_>,
    narrows: bool,
    f: fn(&mut KernelContext<'_>) -> Result<()>,
) -> Result<Box<dyn Kernel>> {
    let fits = init.input_type(0)? == DType::QI32 && (!narrows || init.output_type(0)? == DType::QU8);
    if fits { kernel(f) } else { Err(init.unsupported()) }
}

fn levels_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    scalar_inputs(c, 1)?;
    let shape = c.input(0)?.clone();
    c.set_output(0, shape);
    scalar_bounds(c);
    Ok(())
}

fn range_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    scalar_inputs(c, 1)?;
    c.set_output(0, PartialShape::scalar());
    c.set_output(1, PartialShape::scalar());
    Ok(())
}

pub(super) fn register(r: &mut Registry) {
    let op = |name: &str| {
        Op::new(name)
            .input("input: Tinput")
            .input("input_min: float")
            .input("input_max: float")
            .attr("Tinput: quantizedtype")
    };
    let levels = |op: Op| {
        let op = op.output("output: out_type").output("output_min: float").output("output_max: float");
        op.attr("out_type: quantizedtype").shape(levels_shape)
    };
    r.add(
        levels(op("QuantizeDownAndShrinkRange"))
            .doc("Returns 32-bit levels as 8-bit ones, in the range of the numbers that occur.")
            .kernel(|init| of_types(init, true, shrink)),
    );
    r.add(
        op("RequantizationRange")
            .output("output_min: float")
            .output("output_max: float")
            .doc("Returns the range of the numbers that 32-bit levels stand for.")
            .shape(range_shape)
            .kernel(|init| of_types(init, false, range)),
    );
    r.add(
        levels(op("Requantize").input("requested_output_min: float").input("requested_output_max: float"))
            .doc("Returns 32-bit levels as 8-bit ones, in a range that is given.")
            .kernel(|init| of_types(init, true, requantize)),
    );
}
