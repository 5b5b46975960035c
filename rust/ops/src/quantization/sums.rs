//! QuantizedAdd, QuantizedMul: sums and products of two tensors' levels, as 32-bit levels.

use super::levels::{Range, integers, range_of_products, scalar_bounds, scalar_inputs, set_outputs};
use crate::array::tile::stretched;
use ferroflow_graph::{Kernel, KernelContext, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::{DType, PartialShape, Result, Tensor, broadcast, ensure};

/// A function of two levels, and the range of its results.
type Combination = (Box<dyn Fn(i32, i32) -> i32>, Range);

/// The combination of an op, given the ranges of its inputs, and which of them is a single level.
type Formula = fn(&Range, &Range, [bool; 2]) -> Result<Combination>;

/// Returns the levels of a sum's range that stand for the levels of one of its terms.
///
/// TF 1.x: a step is a whole number of the sum's levels, unless the term is a single level.
fn moved(from: &Range, to: &Range, is_single: bool) -> Box<dyn Fn(i32) -> i32> {
    if is_single {
        let (from, to) = (*from, *to);
        return Box::new(move |level| to.level(from.number(i64::from(level))) as i32);
    }
    let first = to.unclamped(from.number(0));
    let step = to.unclamped(from.number(1)).wrapping_sub(first) as i32;
    let (lowest, highest) = (i64::from(i32::MIN), i64::from(i32::MAX));
    Box::new(move |level| {
        let moved = i64::from(level).wrapping_mul(i64::from(step)).wrapping_add(first);
        moved.clamp(lowest, highest) as i32
    })
}

fn sum(x: &Range, y: &Range, [x_is_single, y_is_single]: [bool; 2]) -> Result<Combination> {
    ensure!(x.max > x.min, InvalidArgument, "max_x must be larger than min_x.");
    ensure!(y.max > y.min, InvalidArgument, "max_y must be larger than min_y.");
    // Symmetric, so that adding zero changes nothing, and with room to spare.
    let most = x.min.min(y.min).abs().max(x.max.max(y.max).abs()) * (1 << 14) as f32;
    let range = Range::new(DType::QI32, -most, most)?;
    let (of_x, of_y) = (moved(x, &range, x_is_single), moved(y, &range, y_is_single));
    Ok((Box::new(move |x, y| of_x(x).wrapping_add(of_y(y))), range))
}

fn product(x: &Range, y: &Range, _: [bool; 2]) -> Result<Combination> {
    ensure!(x.max > x.min, InvalidArgument, "max_x must be larger than min_a.");
    ensure!(y.max > y.min, InvalidArgument, "max_x must be larger than min_b.");
    let (zero_x, zero_y) = (x.zero(), y.zero());
    let formula = move |x: i32, y: i32| x.wrapping_sub(zero_x).wrapping_mul(y.wrapping_sub(zero_y));
    Ok((Box::new(formula), range_of_products(x, y)?))
}

fn compute(ctx: &mut KernelContext<'_>, formula: Formula) -> Result<()> {
    let (x, y) = (ctx.take(0)?, ctx.take(1)?);
    let shape = broadcast(x.shape(), y.shape())?;
    let ranges = (Range::of_first_elements(ctx, x.dtype(), 2)?, Range::of_first_elements(ctx, y.dtype(), 4)?);
    let singles = [x.elements() == 1, x.elements() != 1 && y.elements() == 1];
    let (formula, range) = formula(&ranges.0, &ranges.1, singles)?;
    let x = stretched(ctx.threads(), &integers(ctx, x)?, shape.clone())?;
    let y = stretched(ctx.threads(), &integers(ctx, y)?, shape.clone())?;
    let mut out = Tensor::new(DType::I32, shape)?;
    for ((to, &x), &y) in out.slice_mut::<i32>()?.iter_mut().zip(x.slice::<i32>()?).zip(y.slice::<i32>()?) {
        *to = formula(x, y);
    }
    set_outputs(ctx, out.bitcast_same_size(DType::QI32)?, range.min, range.max);
    Ok(())
}

fn with_formula(init: &KernelInit<'_>, formula: Formula) -> Result<Box<dyn Kernel>> {
    let types = (init.input_type(0)?, init.input_type(1)?, init.output_type(0)?);
    if types != (DType::QU8, DType::QU8, DType::QI32) {
        return Err(init.unsupported());
    }
    kernel(move |ctx| compute(ctx, formula))
}

fn shape_with_scalars(c: &mut ShapeContext<'_>) -> Result<()> {
    scalar_inputs(c, 2)?;
    shape(c)
}

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let shape = PartialShape::broadcast(c.input(0)?, c.input(1)?)?;
    c.set_output(0, shape);
    scalar_bounds(c);
    Ok(())
}

pub(super) fn register(r: &mut Registry) {
    let op = |name: &str| {
        Op::new(name)
            .input("x: T1")
            .input("y: T2")
            .input("min_x: float")
            .input("max_x: float")
            .input("min_y: float")
            .input("max_y: float")
            .output("z: Toutput")
            .output("min_z: float")
            .output("max_z: float")
            .attr("T1: quantizedtype")
            .attr("T2: quantizedtype")
            .attr("Toutput: quantizedtype = DT_QINT32")
    };
    r.add(
        op("QuantizedAdd")
            .doc("Returns the sums of two tensors' levels as 32-bit levels, and their range.")
            .shape(shape_with_scalars)
            .kernel(|init| with_formula(init, sum)),
    );
    r.add(
        op("QuantizedMul")
            .doc("Returns the products of two tensors' levels as 32-bit levels, and their range.")
            // TF 1.x: bounds of any shape.
            .shape(shape)
            .kernel(|init| with_formula(init, product)),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::run;
    use ferroflow_tensor::{DType, Result, Tensor};

    fn call(op: &str, x: &[u8], y: &[u8], bounds: [f32; 4]) -> Result<Vec<f64>> {
        let levels = |q: &[u8]| Tensor::from_slice([q.len()], q).unwrap().bitcast_same_size(DType::QU8).unwrap();
        let mut inputs = vec![levels(x), levels(y)];
        inputs.extend(bounds.map(Tensor::scalar));
        let out = run(op, &inputs, &[])?;
        let (min, max) = (f64::from(out[1].to_scalar::<f32>()?), f64::from(out[2].to_scalar::<f32>()?));
        let step = (max - min) / f64::from(u32::MAX);
        let plain = out[0].clone().bitcast_same_size(DType::I32)?;
        Ok(plain.slice::<i32>()?.iter().map(|&q| min + (f64::from(q) - f64::from(i32::MIN)) * step).collect())
    }

    #[test]
    fn sums_and_products_are_near_those_of_the_numbers() {
        let (x, y, bounds) = ([0u8, 100, 255], [255u8, 10, 128], [-1.0f32, 2.0, -3.0, 5.0]);
        let number = |q: u8, min: f32, max: f32| f64::from(min) + f64::from(q) * f64::from(max - min) / 255.0;
        let sums = call("QuantizedAdd", &x, &y, bounds).unwrap();
        let products = call("QuantizedMul", &x, &y, bounds).unwrap();
        for i in 0..3 {
            let (a, b) = (number(x[i], -1.0, 2.0), number(y[i], -3.0, 5.0));
            assert!((sums[i] - (a + b)).abs() < 0.03, "{} and {}", sums[i], a + b);
            assert!((products[i] - a * b).abs() < 0.1, "{} and {}", products[i], a * b);
        }
    }

    #[test]
    fn one_level_goes_with_all_and_ranges_must_be_ranges() {
        let bounds = [0.0, 255.0, 0.0, 255.0];
        assert_eq!(call("QuantizedAdd", &[7], &[1, 2], bounds).unwrap().len(), 2);
        let e = call("QuantizedAdd", &[7], &[1], [1.0, 1.0, 0.0, 1.0]).unwrap_err();
        assert_eq!(e.message(), "max_x must be larger than min_x.");
        assert!(call("QuantizedMul", &[1, 2], &[1, 2, 3], bounds).is_err());
    }
}
