//! The arithmetic of quantized kernels: levels as integers, and the numbers that they stand for.

use super::range::{Steps, bound, first_bound};
use ferroflow_graph::{KernelContext, ShapeContext};
use ferroflow_tensor::{DType, PartialShape, Result, Scalar, Tensor, dispatch, elementwise};

/// Returns an integer as C converts numbers on x86-64: the least one for NaN and those beyond the type.
pub(super) fn converted(x: f64) -> i64 {
    const END: f64 = 9_223_372_036_854_775_808.0;
    if (-END..END).contains(&x) { x as i64 } else { i64::MIN }
}

/// The levels of one quantized tensor and the range that they divide.
#[derive(Clone, Copy, Debug)]
pub(super) struct Range {
    pub steps: Steps,
    pub min: f32,
    pub max: f32,
}

impl Range {
    pub fn new(dtype: DType, min: f32, max: f32) -> Result<Range> {
        Ok(Range { steps: Steps::of(dtype)?, min, max })
    }

    /// Returns the range of a tensor whose bounds are the inputs `first` and `first + 1`.
    pub fn of_inputs(ctx: &KernelContext<'_>, dtype: DType, first: usize) -> Result<Range> {
        Range::new(dtype, bound(ctx.input(first)?, "min")?, bound(ctx.input(first + 1)?, "max")?)
    }

    /// Returns the range of a tensor whose bounds are the first elements of the inputs `first` and `first + 1`.
    pub fn of_first_elements(ctx: &KernelContext<'_>, dtype: DType, first: usize) -> Result<Range> {
        Range::new(dtype, first_bound(ctx.input(first)?, "min")?, first_bound(ctx.input(first + 1)?, "max")?)
    }

    /// Returns the level nearest to a number; it may lie outside of the type.
    pub fn unclamped(&self, number: f32) -> i64 {
        if self.min == self.max {
            return self.steps.lowest as i64;
        }
        let count = self.steps.count();
        let range = f64::from(self.max - self.min) * (count / (count - 1.0));
        let scale = count / range;
        let steps = (f64::from(number) * scale).round() - (f64::from(self.min) * scale).round();
        converted(steps).wrapping_add(self.steps.lowest as i64)
    }

    pub fn level(&self, number: f32) -> i64 {
        self.unclamped(number).clamp(self.steps.lowest as i64, self.steps.highest as i64)
    }

    /// Returns the level of zero.
    pub fn zero(&self) -> i32 {
        self.unclamped(0.0) as i32
    }

    pub fn number(&self, level: i64) -> f32 {
        if self.min == self.max {
            return self.min;
        }
        let count = self.steps.count();
        let range = f64::from(self.max - self.min) * (count / (count - 1.0));
        let scale = range / count;
        // TF 1.x: the lower bound is rounded to levels in single precision.
        let first = (self.min / scale as f32).round() * scale as f32;
        // TF 1.x: levels pass through single precision.
        (f64::from(first) + (f64::from(level as f32) - self.steps.lowest) * scale) as f32
    }

    /// Returns the function from levels to numbers that TensorFlow's loops over whole tensors use, in f32.
    pub fn numbers(&self) -> impl Fn(i32) -> f32 + Copy + Sync + use<> {
        let scale = (f64::from(self.max - self.min) / (self.steps.count() - 1.0)) as f32;
        let first = if self.max == self.min { self.min } else { (self.min / scale).round() * scale };
        let offset = first - self.steps.lowest as f32 * scale;
        move |level| offset + level as f32 * scale
    }

    /// Returns the function from numbers to levels that TensorFlow's loops over whole tensors use, in f32.
    pub fn levels(&self) -> impl Fn(f32) -> i32 + Copy + Sync + use<> {
        let scale = if self.max == self.min {
            0.0
        } else {
            ((self.steps.count() - 1.0) / f64::from(self.max - self.min)) as f32
        };
        let offset = (self.min * scale).round() - self.steps.lowest as f32;
        // The largest number below 2^31 that a float can be.
        let (low, high) = (self.steps.lowest as f32, (self.steps.highest as f32).min(2_147_483_520.0));
        move |number| ((number * scale).round() - offset).max(low).min(high) as i32
    }

    /// Returns the size of a step.
    fn step(&self) -> f32 {
        (self.max - self.min) / ((self.steps.highest - self.steps.lowest) as f32)
    }
}

/// Returns the range of 32-bit sums of products of two tensors' levels.
pub(super) fn range_of_products(a: &Range, b: &Range) -> Result<Range> {
    let step = a.step() * b.step();
    Range::new(DType::QI32, step * i32::MIN as f32, step * i32::MAX as f32)
}

/// Returns the levels of a quantized tensor as int32.
pub(super) fn integers(ctx: &KernelContext<'_>, t: Tensor) -> Result<Tensor> {
    let plain = Steps::of(t.dtype())?.plain;
    elementwise::cast(t.bitcast_same_size(plain)?, DType::I32, ctx.threads())
}

/// Returns int32 levels, each in the type's range, as a tensor of that quantized type.
pub(super) fn narrowed(levels: &[i32], shape: &ferroflow_tensor::Shape, dtype: DType) -> Result<Tensor> {
    let plain = Steps::of(dtype)?.plain;
    let mut out = Tensor::new(plain, shape.clone())?;
    fn fill<T: Scalar + num_traits::NumCast>(out: &mut Tensor, levels: &[i32]) -> Result<()> {
        for (to, level) in out.slice_mut::<T>()?.iter_mut().zip(levels) {
            *to = num_traits::cast(*level).unwrap_or_default();
        }
        Ok(())
    }
    dispatch!(plain, T in [I8, U8, I16, U16, I32], fill::<T>(&mut out, levels)?, else ());
    out.bitcast_same_size(dtype)
}

/// Sets the outputs of an op: levels and their range.
pub(super) fn set_outputs(ctx: &mut KernelContext<'_>, levels: Tensor, min: f32, max: f32) {
    ctx.set_output(0, levels);
    ctx.set_output(1, Tensor::scalar(min));
    ctx.set_output(2, Tensor::scalar(max));
}

/// Sets the shapes of the two bounds behind output 0.
pub(super) fn scalar_bounds(c: &mut ShapeContext<'_>) {
    c.set_output(1, PartialShape::scalar());
    c.set_output(2, PartialShape::scalar());
}

/// Checks that the inputs from `first` on are scalars.
pub(super) fn scalar_inputs(c: &ShapeContext<'_>, first: usize) -> Result<()> {
    for i in first..c.num_inputs() {
        c.input(i)?.with_rank(0)?;
    }
    Ok(())
}
