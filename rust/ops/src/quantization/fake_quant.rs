//! FakeQuantWithMinMaxArgs, FakeQuantWithMinMaxVars, FakeQuantWithMinMaxVarsPerChannel: floats moved to the nearest step.

use super::nudge::{Bits, Nudged};
use super::range::bound;
use ferroflow_graph::{Kernel, KernelContext, KernelInit, Op, Registry, ShapeContext, kernel, shape_rules};
use ferroflow_tensor::threads::try_for_chunks_mut;
use ferroflow_tensor::{PartialShape, Result, Tensor, ensure};

const BLOCK: usize = 1 << 14;

/// Returns the bounds of an op that has them as attributes.
pub(super) fn attr_bounds(init: &KernelInit<'_>) -> Result<(f32, f32)> {
    let (min, max) = (init.float("min")?, init.float("max")?);
    ensure!(min < max, InvalidArgument, "min has to be smaller than max, was: {min} >= {max}");
    Ok((min, max))
}

/// Returns the bounds of each channel, from the inputs `at` and `at + 1`.
pub(super) fn channel_bounds(
    ctx: &KernelContext<'_>,
    x: &Tensor,
    at: usize,
    bits: Bits,
) -> Result<Vec<Option<Nudged>>> {
    ensure!(x.rank() >= 1, InvalidArgument, "Input should have a channel dimension, got a scalar");
    let channels = x.shape()[x.rank() - 1];
    for (i, name) in [(at, "min"), (at + 1, "max")] {
        let s = ctx.input(i)?.shape();
        ensure!(s.dims() == [channels], InvalidArgument, "{name} has incorrect size, expected {channels} was {s}");
    }
    let (min, max) = (ctx.input(at)?.slice::<f32>()?, ctx.input(at + 1)?.slice::<f32>()?);
    Ok(min.iter().zip(max).map(|(&a, &b)| Nudged::new(bits, a, b)).collect())
}

/// Moves each element with the bounds of its channel by `at`.
fn moved(
    ctx: &KernelContext<'_>,
    bounds: &[Option<Nudged>],
    at: impl Fn(&Nudged, f32) -> f32 + Sync,
) -> Result<Tensor> {
    let input = ctx.input(0)?;
    let mut out = Tensor::new(input.dtype(), input.shape().clone())?;
    let x = input.slice::<f32>()?;
    try_for_chunks_mut(ctx.threads(), out.slice_mut::<f32>()?, BLOCK, |start, chunk| {
        for (i, to) in chunk.iter_mut().enumerate() {
            *to = bounds[(start + i) % bounds.len()].map_or(0.0, |n| at(&n, x[start + i]));
        }
    })?;
    Ok(out)
}

fn args(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let (bits, (min, max)) = (Bits::of(init)?, attr_bounds(init)?);
    let bounds = [Nudged::new(bits, min, max)];
    kernel(move |ctx| {
        // TF 1.x: this op alone multiplies.
        let out = moved(ctx, &bounds, Nudged::at_by_product)?;
        ctx.set_output(0, out);
        Ok(())
    })
}

fn vars(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let bits = Bits::of(init)?;
    kernel(move |ctx| {
        let (min, max) = (bound(ctx.input(1)?, "min")?, bound(ctx.input(2)?, "max")?);
        let out = moved(ctx, &[Nudged::new(bits, min, max)], Nudged::at)?;
        ctx.set_output(0, out);
        Ok(())
    })
}

fn per_channel(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let bits = Bits::of(init)?;
    kernel(move |ctx| {
        let bounds = channel_bounds(ctx, ctx.input(0)?, 1, bits)?;
        let out = moved(ctx, &bounds, Nudged::at)?;
        ctx.set_output(0, out);
        Ok(())
    })
}

fn vars_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    c.input(1)?.with_rank(0)?;
    c.input(2)?.with_rank(0)?;
    shape_rules::unchanged(c)
}

fn per_channel_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let x = c.input(0)?.with_rank_at_least(1)?;
    let last = x.rank().and_then(|r| x.dim(r - 1));
    let bounds = PartialShape::vector(last).merge(c.input(1)?)?.merge(c.input(2)?)?;
    let mut dims = match x.dims() {
        Some(d) => d,
        None => return Ok(()),
    };
    if let Some(d) = dims.last_mut() {
        *d = bounds.dim(0);
    }
    c.set_output(0, PartialShape::from_dims(&dims));
    Ok(())
}

/// Returns the attributes that all of these ops have.
pub(super) fn with_bits(op: Op) -> Op {
    op.attr("num_bits: int = 8").attr("narrow_range: bool = false")
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        with_bits(Op::new("FakeQuantWithMinMaxArgs").input("inputs: float").output("outputs: float"))
            .attr("min: float = -6")
            .attr("max: float = 6")
            .doc("Returns numbers moved to the nearest of the steps between two bounds.")
            .shape(shape_rules::unchanged)
            .kernel(args),
    );
    let op = |name: &str| {
        with_bits(Op::new(name).input("inputs: float").input("min: float").input("max: float").output("outputs: float"))
    };
    r.add(
        op("FakeQuantWithMinMaxVars")
            .doc("Returns numbers moved to the nearest of the steps between two bounds.")
            .shape(vars_shape)
            .kernel(vars),
    );
    r.add(
        op("FakeQuantWithMinMaxVarsPerChannel")
            .doc("Returns numbers moved to the nearest of the steps between the bounds of their channel, the last dimension.")
            .shape(per_channel_shape)
            .kernel(per_channel),
    );
}
