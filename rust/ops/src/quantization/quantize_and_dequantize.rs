//! QuantizeAndDequantize, QuantizeAndDequantizeV2, QuantizeAndDequantizeV3: floats moved to the nearest step, zero staying.

use ferroflow_graph::{Kernel, KernelContext, KernelInit, Op, Registry, ShapeContext, kernel, shape_rules};
use ferroflow_tensor::threads::try_for_chunks_mut;
use ferroflow_tensor::{DType, Result, Scalar, Tensor, bail, dispatch, ensure};
use num_traits::Float;

const BLOCK: usize = 1 << 14;

/// The attributes of these ops.
#[derive(Clone, Copy, Debug)]
struct Form {
    is_signed: bool,
    is_given: bool,
    narrow: bool,
    half_up: bool,
}

impl Form {
    fn of(init: &KernelInit<'_>) -> Result<Form> {
        let half_up = init.get("round_mode").is_some() && init.str("round_mode")? == "HALF_UP";
        let narrow = init.get("narrow_range").is_some() && init.bool("narrow_range")?;
        Ok(Form { is_signed: init.bool("signed_input")?, is_given: init.bool("range_given")?, narrow, half_up })
    }

    /// Returns the lowest and the highest step.
    fn steps(self, bits: i64) -> Result<(f64, f64)> {
        let signed = i32::from(self.is_signed);
        ensure!(
            (1..=63).contains(&bits),
            InvalidArgument,
            "num_bits is out of range: {bits} with signed_input_ {signed}"
        );
        let bits = bits as i32;
        if !self.is_signed {
            return Ok((0.0, 2f64.powi(bits) - 1.0));
        }
        let half = 2f64.powi(bits - 1);
        Ok((if self.narrow { 1.0 - half } else { -half }, half - 1.0))
    }
}

fn to<T: Float>(x: f64) -> T {
    T::from(x).unwrap_or_else(T::nan)
}

fn moved<T: Scalar + Float + std::fmt::Display>(
    ctx: &KernelContext<'_>,
    form: Form,
    bits: i64,
    given: Option<(T, T)>,
) -> Result<Tensor> {
    let input = ctx.input(0)?;
    let x = input.slice::<T>()?;
    let (low, high) = form.steps(bits)?;
    let (low, high) = (to::<T>(low), to::<T>(high));
    let (min, max) = match given {
        Some((min, max)) => {
            ensure!(min <= max, InvalidArgument, "Invalid range: input_min {min} > input_max {max}");
            (min, max)
        }
        // NaN is no bound.
        None => (x.iter().copied().fold(T::infinity(), T::min), x.iter().copied().fold(T::neg_infinity(), T::max)),
    };
    if x.is_empty() {
        return Tensor::new(T::DTYPE, input.shape().clone());
    }
    ensure!(min <= max, InvalidArgument, "Invalid range: input_min {min} > input_max {max}");
    let side = |step: T, bound: T| if step * bound > T::zero() { step / bound } else { T::max_value() };
    let (from_min, from_max) = (side(low, min), side(high, max));
    let (scale, inverse) = if from_min < from_max { (from_min, min / low) } else { (from_max, max / high) };
    let (min, max) = if from_min < from_max { (min, high * inverse) } else { (low * inverse, max) };
    let half = to::<T>(0.5);
    let round = |x: T| {
        let below = x.floor();
        let rest = x - below;
        let is_odd = (below * half).floor() * to::<T>(2.0) != below;
        let up = rest > half || (rest == half && (form.half_up || is_odd));
        if up { below + T::one() } else { below }
    };
    let mut out = Tensor::new(T::DTYPE, input.shape().clone())?;
    try_for_chunks_mut(ctx.threads(), out.slice_mut::<T>()?, BLOCK, |start, chunk| {
        for (to, &x) in chunk.iter_mut().zip(&x[start..]) {
            // NaN stays.
            let x = if form.is_given && !x.is_nan() { x.min(max).max(min) } else { x };
            *to = round(x * scale) * inverse;
        }
    })?;
    Ok(out)
}

/// Returns a bound that an input gives.
fn bound<T: Scalar>(ctx: &KernelContext<'_>, i: usize) -> Result<T> {
    let t = ctx.input(i)?;
    match t.slice::<T>()? {
        [one] => Ok(*one),
        _ => bail!(InvalidArgument, "input {i} must be a scalar, got shape {}", t.shape()),
    }
}

/// Returns the kernel for inputs that give the range, where `is_given`; `bits` is input 3 where it is `None`.
fn by_inputs(init: &KernelInit<'_>, bits: Option<i64>) -> Result<Box<dyn Kernel>> {
    let form = Form::of(init)?;
    dispatch!(init.input_type(0)?, T in [F32, F64], {
        kernel(move |ctx| {
            let given = if form.is_given { Some((bound::<T>(ctx, 1)?, bound::<T>(ctx, 2)?)) } else { None };
            let bits = match bits {
                Some(bits) => bits,
                None => bound::<i32>(ctx, 3)?.into(),
            };
            let out = moved::<T>(ctx, form, bits, given)?;
            ctx.set_output(0, out);
            Ok(())
        })
    }, else Err(init.unsupported()))
}

fn v1(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let (form, bits) = (Form::of(init)?, init.int("num_bits")?);
    let (min, max) = (init.float("input_min")?, init.float("input_max")?);
    form.steps(bits)?;
    match init.input_type(0)? {
        DType::F32 => kernel(move |ctx| {
            let out = moved::<f32>(ctx, form, bits, form.is_given.then_some((min, max)))?;
            ctx.set_output(0, out);
            Ok(())
        }),
        DType::F64 => kernel(move |ctx| {
            let out = moved::<f64>(ctx, form, bits, form.is_given.then_some((min.into(), max.into())))?;
            ctx.set_output(0, out);
            Ok(())
        }),
        _ => Err(init.unsupported()),
    }
}

fn v2(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let bits = init.int("num_bits")?;
    Form::of(init)?.steps(bits)?;
    by_inputs(init, Some(bits))
}

fn scalars_besides(c: &mut ShapeContext<'_>) -> Result<()> {
    for i in 1..c.num_inputs() {
        c.input(i)?.with_rank(0)?;
    }
    shape_rules::unchanged(c)
}

pub(super) fn register(r: &mut Registry) {
    const TYPES: &str = "T: {bfloat16, half, float, double}";
    r.add(
        Op::new("QuantizeAndDequantize")
            .input("input: T")
            .output("output: T")
            .attr("signed_input: bool = true")
            .attr("num_bits: int = 8")
            .attr("range_given: bool = false")
            .attr("input_min: float = 0")
            .attr("input_max: float = 0")
            .attr(TYPES)
            .doc("Returns numbers moved to the nearest step of a range that its attributes or the numbers give.")
            .shape(shape_rules::unchanged)
            .kernel(v1),
    );
    let op = |name: &str| Op::new(name).input("input: T").input("input_min: T").input("input_max: T");
    r.add(
        op("QuantizeAndDequantizeV2")
            .output("output: T")
            .attr("signed_input: bool = true")
            .attr("num_bits: int = 8")
            .attr("range_given: bool = false")
            .attr(TYPES)
            .attr("round_mode: {'HALF_TO_EVEN', 'HALF_UP'} = 'HALF_TO_EVEN'")
            .attr("narrow_range: bool = false")
            .doc("Returns numbers moved to the nearest step of a range that its inputs or the numbers give.")
            .shape(scalars_besides)
            .kernel(v2),
    );
    r.add(
        op("QuantizeAndDequantizeV3")
            .input("num_bits: int32")
            .output("output: T")
            .attr("signed_input: bool = true")
            .attr("range_given: bool = true")
            .attr(TYPES)
            .attr("narrow_range: bool = false")
            .doc("Computes QuantizeAndDequantizeV2 with the number of bits as an input.")
            .shape(scalars_besides)
            .kernel(|init| by_inputs(init, None)),
    );
}
