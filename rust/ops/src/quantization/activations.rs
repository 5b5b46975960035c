//! QuantizedRelu, QuantizedRelu6, QuantizedReluX, QuantizedBiasAdd, QuantizedReshape: ops that keep the shape or the
//! levels.

use super::levels::{Range, integers, narrowed, scalar_bounds, scalar_inputs, set_outputs};
use super::range::{Steps, bound};
use crate::array::{concat, reshape};
use ferroflow_graph::{Kernel, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::{DType, PartialShape, Result, Tensor, bail, ensure};

/// The upper bound of an activation.
#[derive(Clone, Copy)]
enum Top {
    None,
    Six,
    /// Input 1.
    Given,
}

fn relu(init: &KernelInit<'_>, top: Top) -> Result<Box<dyn Kernel>> {
    let dtype = init.input_type(0)?;
    if init.output_type(0)? != dtype {
        return Err(init.unsupported());
    }
    kernel(move |ctx| {
        let first = if matches!(top, Top::Given) { 2 } else { 1 };
        let range = Range::of_inputs(ctx, dtype, first)?;
        let most = match top {
            Top::None => range.steps.highest as i32,
            Top::Six => range.level(6.0) as i32,
            Top::Given => range.level(bound(ctx.input(1)?, "max_value")?) as i32,
        };
        let least = range.level(0.0) as i32;
        let input = ctx.take(0)?;
        let shape = input.shape().clone();
        let mut levels = integers(ctx, input)?;
        levels.slice_mut::<i32>()?.iter_mut().for_each(|q| *q = (*q).max(least).min(most));
        let out = narrowed(levels.slice()?, &shape, dtype)?;
        set_outputs(ctx, out, range.min, range.max);
        Ok(())
    })
}

/// Returns the range of sums: symmetric, with room below the largest number.
fn range_of_sums(a: &Range, b: &Range) -> Result<Range> {
    let most = a.max.max((-a.min).max(b.max.max(-b.min))) * (1 << 17) as f32;
    Range::new(DType::QI32, -most, most)
}

fn bias_add(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let (dtype, bias_dtype) = (init.input_type(0)?, init.input_type(1)?);
    if init.output_type(0)? != DType::QI32 {
        return Err(init.unsupported());
    }
    kernel(move |ctx| {
        let (range, bias_range) = (Range::of_inputs(ctx, dtype, 2)?, Range::of_inputs(ctx, bias_dtype, 4)?);
        let (input, bias) = (ctx.take(0)?, ctx.take(1)?);
        ensure!(input.rank() >= 2, InvalidArgument, "Input tensor must be at least 2D: {}", input.shape());
        ensure!(bias.rank() == 1, InvalidArgument, "Biases must be 1D: {}", bias.shape());
        ensure!(
            input.shape().last() == bias.shape().last(),
            InvalidArgument,
            "Must provide as many biases as the last dimension of the input tensor: {} vs. {}",
            bias.shape(),
            input.shape()
        );
        let total = range_of_sums(&range, &bias_range)?;
        let to_levels = total.levels();
        let zero = total.level(0.0) as i32;
        let numbers = bias_range.numbers();
        let mut added = integers(ctx, bias)?;
        for q in added.slice_mut::<i32>()? {
            *q = to_levels(numbers(*q)).wrapping_add(zero);
        }
        let numbers = range.numbers();
        let mut out = integers(ctx, input)?;
        let added = added.slice::<i32>()?;
        for row in out.slice_mut::<i32>()?.chunks_exact_mut(added.len().max(1)) {
            row.iter_mut().zip(added).for_each(|(q, b)| *q = to_levels(numbers(*q)).wrapping_add(*b));
        }
        set_outputs(ctx, out.bitcast_same_size(DType::QI32)?, total.min, total.max);
        Ok(())
    })
}

fn reshape(_: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    kernel(|ctx| {
        let (min, max) = (bound(ctx.input(2)?, "input_min")?, bound(ctx.input(3)?, "input_max")?);
        let x = ctx.take(0)?;
        let mut dims = ctx.input(1)?.to_i64s()?;
        let known: i64 = dims.iter().filter(|&&d| d != -1).try_fold(1i64, |n, &d| n.checked_mul(d)).unwrap_or(-1);
        if let Some(open) = dims.iter().position(|&d| d == -1) {
            ensure!(
                known > 0 && x.elements() as i64 % known == 0 && dims.iter().filter(|&&d| d == -1).count() == 1,
                InvalidArgument,
                "Input to reshape is a tensor with {} values, which do not fit the requested shape {dims:?}",
                x.elements()
            );
            dims[open] = x.elements() as i64 / known;
        }
        let shape = ferroflow_tensor::Shape::checked(&dims)?;
        ensure!(
            shape.elements() == x.elements(),
            InvalidArgument,
            "Input to reshape is a tensor with {} values, but the requested shape has {}",
            x.elements(),
            shape.elements()
        );
        let out: Tensor = x.reshaped(shape)?;
        set_outputs(ctx, out, min, max);
        Ok(())
    })
}

/// Joins the levels of several tensors in one range.
fn concat(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let dtype = init.output_type(0)?;
    let steps = Steps::of(dtype)?;
    let count = usize::try_from(init.int("N")?).unwrap_or(0);
    kernel(move |ctx| {
        let axis = ctx.input(0)?;
        ensure!(axis.rank() == 0, InvalidArgument, "Concat dim tensor should be a scalar, got {}", axis.shape());
        let axis = axis.to_i64s()?[0];
        let mut ranges = Vec::with_capacity(count);
        for i in 0..count {
            let min = bound(ctx.input(1 + count + i)?, "input_mins")?;
            ranges.push(Range { steps, min, max: bound(ctx.input(1 + 2 * count + i)?, "input_maxes")? });
        }
        let least = ranges.iter().fold(f32::MAX, |m, r| m.min(r.min)).min(0.0);
        let most = ranges.iter().fold(f32::MIN, |m, r| m.max(r.max));
        let (min, max) = match steps.is_signed() {
            true => (-least.abs().max(most.abs()), least.abs().max(most.abs())),
            false => (least, most),
        };
        let total = Range { steps, min, max };
        let to_levels = total.levels();
        let first = ctx.input(1)?.shape().clone();
        let Some(axis) = usize::try_from(axis).ok().filter(|&a| a < first.rank()) else {
            bail!(
                InvalidArgument,
                "ConcatOp : Expected concatenating dimensions in the range [0, {}), but got {axis}",
                first.rank()
            )
        };
        let mut parts = Vec::with_capacity(count);
        let mut dims = first.to_vec();
        dims[axis] = 0;
        for (i, range) in ranges.iter().enumerate() {
            let value = ctx.take(1 + i)?;
            let shape = value.shape().clone();
            let fits = shape.rank() == first.rank() && (0..shape.rank()).all(|d| d == axis || shape[d] == first[d]);
            ensure!(
                fits,
                InvalidArgument,
                "ConcatOp : Dimensions of inputs should match: shape[0] = {first} vs. shape[{i}] = {shape}"
            );
            dims[axis] += shape[axis];
            let mut levels = integers(ctx, value)?;
            if (range.min, range.max) != (min, max) {
                let numbers = range.numbers();
                levels.slice_mut::<i32>()?.iter_mut().for_each(|q| *q = to_levels(numbers(*q)));
            }
            parts.push((levels, shape[axis..].iter().product::<usize>()));
        }
        let outer: usize = dims[..axis].iter().product();
        let shape = ferroflow_tensor::Shape::new(&dims);
        let mut out = Vec::with_capacity(shape.elements());
        for row in 0..outer {
            for (levels, width) in &parts {
                out.extend_from_slice(&levels.slice::<i32>()?[row * width..(row + 1) * width]);
            }
        }
        set_outputs(ctx, narrowed(&out, &shape, dtype)?, min, max);
        Ok(())
    })
}

fn same_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    scalar_inputs(c, 1)?;
    let shape = c.input(0)?.clone();
    c.set_output(0, shape);
    scalar_bounds(c);
    Ok(())
}

fn bias_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    scalar_inputs(c, 2)?;
    let shape = c.input(0)?.with_rank_at_least(2)?;
    let bias = c.input(1)?.with_rank(1)?;
    let out = match shape.dims().as_deref() {
        Some([outer @ .., last]) => {
            PartialShape::from_dims(outer).concatenate(&bias.merge(&PartialShape::vector(*last))?)
        }
        _ => shape,
    };
    c.set_output(0, out);
    scalar_bounds(c);
    Ok(())
}

fn reshape_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    reshape::shape(c)?;
    for bound in [2, 3] {
        c.input(bound)?.with_rank(0)?;
    }
    scalar_bounds(c);
    Ok(())
}

fn concat_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let count = usize::try_from(c.int("N")?).unwrap_or(0);
    concat::infer(c, 1, count, 0)?;
    for i in 1 + count..c.num_inputs() {
        c.input(i)?.with_rank(0)?;
    }
    scalar_bounds(c);
    Ok(())
}

pub(super) fn register(r: &mut Registry) {
    let relu_op = |name: &str, given: bool| {
        let op = Op::new(name).input("features: Tinput");
        let op = if given { op.input("max_value: float") } else { op };
        op.input("min_features: float")
            .input("max_features: float")
            .output("activations: out_type")
            .output("min_activations: float")
            .output("max_activations: float")
            .attr("Tinput: quantizedtype")
            .attr("out_type: quantizedtype = DT_QUINT8")
            .shape(same_shape)
    };
    r.add(
        relu_op("QuantizedRelu", false)
            .doc("Returns levels, those of negative numbers replaced by that of zero.")
            .kernel(|init| relu(init, Top::None)),
    );
    r.add(
        relu_op("QuantizedRelu6", false)
            .doc("Returns levels of the numbers moved into the interval from 0 to 6.")
            .kernel(|init| relu(init, Top::Six)),
    );
    r.add(
        relu_op("QuantizedReluX", true)
            .doc("Returns levels of the numbers moved into the interval from 0 to `max_value`.")
            .kernel(|init| relu(init, Top::Given)),
    );
    r.add(
        Op::new("QuantizedBiasAdd")
            .input("input: T1")
            .input("bias: T2")
            .input("min_input: float")
            .input("max_input: float")
            .input("min_bias: float")
            .input("max_bias: float")
            .output("output: out_type")
            .output("min_out: float")
            .output("max_out: float")
            .attr("T1: quantizedtype")
            .attr("T2: quantizedtype")
            .attr("out_type: quantizedtype")
            .doc("Returns 32-bit levels of the input with a bias added to the last dimension, and their range.")
            .shape(bias_shape)
            .kernel(bias_add),
    );
    r.add(
        Op::new("QuantizedReshape")
            .input("tensor: T")
            .input("shape: Tshape")
            .input("input_min: float")
            .input("input_max: float")
            .output("output: T")
            .output("output_min: float")
            .output("output_max: float")
            .attr("T: type")
            .attr("Tshape: {int32, int64} = DT_INT32")
            .doc("Returns levels in another shape, and their range.")
            .shape(reshape_shape)
            .kernel(reshape),
    );
    r.add(
        Op::new("QuantizedConcat")
            .input("concat_dim: int32")
            .input("values: N * T")
            .input("input_mins: N * float")
            .input("input_maxes: N * float")
            .output("output: T")
            .output("output_min: float")
            .output("output_max: float")
            .attr("N: int >= 2")
            .attr("T: type")
            .doc("Joins levels along a dimension, in one range that holds those of all inputs.")
            .shape(concat_shape)
            .kernel(concat),
    );
}
