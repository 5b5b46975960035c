//! The gradients of imitated quantization: what lies between the bounds passes, what lies outside moves the bound.

use super::fake_quant::{attr_bounds, channel_bounds, with_bits};
use super::nudge::{Bits, Nudged};
use super::range::bound;
use ferroflow_graph::{Kernel, KernelContext, KernelInit, Op, Registry, ShapeContext, kernel, shape_rules};
use ferroflow_tensor::{PartialShape, Result, Tensor, ensure};

/// Returns gradients of the inputs and of each channel's bounds.
fn gradients(ctx: &KernelContext<'_>, bounds: &[Option<Nudged>]) -> Result<(Tensor, Vec<f32>, Vec<f32>)> {
    let (g, x) = (ctx.input(0)?, ctx.input(1)?);
    ensure!(
        g.shape() == x.shape(),
        InvalidArgument,
        "gradient and input must be the same size: {} vs. {}",
        g.shape(),
        x.shape()
    );
    let mut out = Tensor::new(x.dtype(), x.shape().clone())?;
    // One sum after the other in order: double holds them nearly exactly.
    let (mut low, mut high) = (vec![0f64; bounds.len()], vec![0f64; bounds.len()]);
    let pairs = g.slice::<f32>()?.iter().zip(x.slice::<f32>()?);
    for (i, (to, (&g, &x))) in out.slice_mut::<f32>()?.iter_mut().zip(pairs).enumerate() {
        let channel = i % bounds.len();
        // If the bounds are in the wrong order, an element is both below and above; a NaN is neither, nor within.
        let (is_below, is_above, is_within) =
            bounds[channel].map_or((false, false, true), |n| (x < n.min, x > n.max, x >= n.min && x <= n.max));
        if is_below {
            low[channel] += f64::from(g);
        }
        if is_above {
            high[channel] += f64::from(g);
        }
        *to = if is_within { g } else { 0.0 };
    }
    let narrow = |sums: Vec<f64>| sums.into_iter().map(|s| s as f32).collect();
    Ok((out, narrow(low), narrow(high)))
}

fn args(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let (bits, (min, max)) = (Bits::of(init)?, attr_bounds(init)?);
    let bounds = [Nudged::new(bits, min, max)];
    kernel(move |ctx| {
        let (out, ..) = gradients(ctx, &bounds)?;
        ctx.set_output(0, out);
        Ok(())
    })
}

fn vars(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let bits = Bits::of(init)?;
    kernel(move |ctx| {
        let (min, max) = (bound(ctx.input(2)?, "min")?, bound(ctx.input(3)?, "max")?);
        let (out, low, high) = gradients(ctx, &[Nudged::new(bits, min, max)])?;
        ctx.set_output(0, out);
        ctx.set_output(1, Tensor::from_slice([], &low)?);
        ctx.set_output(2, Tensor::from_slice([], &high)?);
        Ok(())
    })
}

fn per_channel(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let bits = Bits::of(init)?;
    kernel(move |ctx| {
        let bounds = channel_bounds(ctx, ctx.input(1)?, 2, bits)?;
        let (out, low, high) = gradients(ctx, &bounds)?;
        ctx.set_output(0, out);
        ctx.set_output(1, Tensor::from_slice([low.len()], &low)?);
        ctx.set_output(2, Tensor::from_slice([high.len()], &high)?);
        Ok(())
    })
}

fn vars_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let s = c.input(0)?.merge(c.input(1)?)?;
    c.input(2)?.with_rank(0)?;
    c.input(3)?.with_rank(0)?;
    c.set_output(0, s);
    c.set_output(1, PartialShape::scalar());
    c.set_output(2, PartialShape::scalar());
    Ok(())
}

fn per_channel_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let s = c.input(0)?.merge(c.input(1)?)?.with_rank_at_least(1)?;
    let last = s.rank().and_then(|r| s.dim(r - 1));
    let bounds = PartialShape::vector(last).merge(c.input(2)?)?.merge(c.input(3)?)?;
    c.set_output(0, s);
    c.set_output(1, bounds.clone());
    c.set_output(2, bounds);
    Ok(())
}

pub(super) fn register(r: &mut Registry) {
    let op = |name: &str| with_bits(Op::new(name).input("gradients: float").input("inputs: float"));
    r.add(
        op("FakeQuantWithMinMaxArgsGradient")
            .output("backprops: float")
            .attr("min: float = -6")
            .attr("max: float = 6")
            .doc("Returns the gradient of FakeQuantWithMinMaxArgs.")
            .shape(shape_rules::merged)
            .kernel(args),
    );
    let op = |name: &str| {
        let op = op(name).input("min: float").input("max: float").output("backprops_wrt_input: float");
        op.output("backprop_wrt_min: float").output("backprop_wrt_max: float")
    };
    r.add(
        op("FakeQuantWithMinMaxVarsGradient")
            .doc("Returns the gradients of FakeQuantWithMinMaxVars.")
            .shape(vars_shape)
            .kernel(vars),
    );
    r.add(
        op("FakeQuantWithMinMaxVarsPerChannelGradient")
            .doc("Returns the gradients of FakeQuantWithMinMaxVarsPerChannel.")
            .shape(per_channel_shape)
            .kernel(per_channel),
    );
}
