//! GRUBlockCell, a step of a gated recurrent unit, and its gradient.

use super::matrices::{input, joined_product, set_outputs, split_product};
use ferroflow_graph::{KernelContext, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::vector::{Unary, unary_in_place};
use ferroflow_tensor::{DType, PartialShape, Result, Shape, Tensor, ensure};

/// The inputs of both ops, in float32.
struct Inputs {
    batch: usize,
    inputs: usize,
    units: usize,
    dtype: DType,
    x: Tensor,
    h_prev: Tensor,
    w_ru: Tensor,
    w_c: Tensor,
    b_ru: Tensor,
    b_c: Tensor,
}

impl Inputs {
    fn of(ctx: &KernelContext<'_>) -> Result<Inputs> {
        let (x, state) = (ctx.input(0)?, ctx.input(1)?);
        ensure!(x.rank() == 2, InvalidArgument, "x must be 2D, got {}", x.shape());
        ensure!(state.rank() == 2, InvalidArgument, "h_prev must be 2D, got {}", state.shape());
        let (batch, inputs, units) = (x.shape()[0], x.shape()[1], state.shape()[1]);
        Ok(Inputs {
            batch,
            inputs,
            units,
            dtype: x.dtype(),
            x: input(ctx, 0, "x", &[batch, inputs])?,
            h_prev: input(ctx, 1, "h_prev", &[batch, units])?,
            w_ru: input(ctx, 2, "w_ru", &[inputs + units, 2 * units])?,
            w_c: input(ctx, 3, "w_c", &[inputs + units, units])?,
            b_ru: input(ctx, 4, "b_ru", &[2 * units])?,
            b_c: input(ctx, 5, "b_c", &[units])?,
        })
    }

    fn zeros(&self, columns: usize) -> Result<Tensor> {
        Tensor::zeros(DType::F32, Shape::new(&[self.batch, columns]))
    }
}

fn step(ctx: &mut KernelContext<'_>) -> Result<()> {
    let given = Inputs::of(ctx)?;
    let Inputs { batch, inputs, units, .. } = given;
    let (x, h_prev) = (given.x.slice::<f32>()?, given.h_prev.slice::<f32>()?);
    let (b_ru, b_c) = (given.b_ru.slice::<f32>()?, given.b_c.slice::<f32>()?);
    let mut gates = given.zeros(2 * units)?;
    let outputs = [given.zeros(units)?, given.zeros(units)?, given.zeros(units)?, given.zeros(units)?];
    let [mut r, mut u, mut c, mut h] = outputs;
    let threads = ctx.threads();
    let both = gates.slice_mut::<f32>()?;
    joined_product(threads, batch, [(x, inputs), (h_prev, units)], (given.w_ru.slice()?, 2 * units), both)?;
    let mut reset = given.zeros(units)?;
    {
        let (r, u) = (r.slice_mut::<f32>()?, u.slice_mut::<f32>()?);
        for at in 0..batch * units {
            let (row, unit) = (at / units, at % units);
            r[at] = both[2 * row * units + unit] + b_ru[unit];
            u[at] = both[(2 * row + 1) * units + unit] + b_ru[units + unit];
        }
        unary_in_place(Unary::Sigmoid, r);
        unary_in_place(Unary::Sigmoid, u);
        let reset = reset.slice_mut::<f32>()?;
        (0..batch * units).for_each(|at| reset[at] = h_prev[at] * r[at]);
    }
    let candidate = c.slice_mut::<f32>()?;
    let operands = [(x, inputs), (reset.slice()?, units)];
    joined_product(threads, batch, operands, (given.w_c.slice()?, units), candidate)?;
    (0..batch * units).for_each(|at| candidate[at] += b_c[at % units]);
    unary_in_place(Unary::Tanh, candidate);
    let (u_now, out) = (u.slice::<f32>()?, h.slice_mut::<f32>()?);
    (0..batch * units).for_each(|at| out[at] = u_now[at] * (h_prev[at] - candidate[at]) + candidate[at]);
    set_outputs(ctx, given.dtype, vec![r, u, c, h])
}

fn gradient(ctx: &mut KernelContext<'_>) -> Result<()> {
    let given = Inputs::of(ctx)?;
    let Inputs { batch, inputs, units, .. } = given;
    let state = [batch, units];
    let (r, u) = (input(ctx, 6, "r", &state)?, input(ctx, 7, "u", &state)?);
    let (c, d_h) = (input(ctx, 8, "c", &state)?, input(ctx, 9, "d_h", &state)?);
    let (r, u, c, d_h) = (r.slice::<f32>()?, u.slice::<f32>()?, c.slice::<f32>()?, d_h.slice::<f32>()?);
    let h_prev = given.h_prev.slice::<f32>()?;
    let (mut d_x, mut d_h_prev) = (given.zeros(inputs)?, given.zeros(units)?);
    let (mut d_c_bar, mut d_gates, mut d_reset) = (given.zeros(units)?, given.zeros(2 * units)?, given.zeros(units)?);
    let threads = ctx.threads();
    let of_c = d_c_bar.slice_mut::<f32>()?;
    (0..batch * units).for_each(|at| of_c[at] = d_h[at] * (1.0 - u[at]) * (1.0 - c[at] * c[at]));
    let (of_x, of_reset) = (d_x.slice_mut::<f32>()?, d_reset.slice_mut::<f32>()?);
    split_product(
        threads,
        batch,
        (&*of_c, units),
        given.w_c.slice()?,
        [(&mut *of_x, inputs), (&mut *of_reset, units)],
        false,
    )?;
    let (of_gates, of_h) = (d_gates.slice_mut::<f32>()?, d_h_prev.slice_mut::<f32>()?);
    for at in 0..batch * units {
        let (row, unit) = (at / units, at % units);
        of_gates[2 * row * units + unit] = of_reset[at] * h_prev[at] * r[at] * (1.0 - r[at]);
        of_gates[(2 * row + 1) * units + unit] = d_h[at] * (h_prev[at] - c[at]) * u[at] * (1.0 - u[at]);
        of_h[at] = of_reset[at] * r[at] + d_h[at] * u[at];
    }
    split_product(threads, batch, (&*of_gates, 2 * units), given.w_ru.slice()?, [(of_x, inputs), (of_h, units)], true)?;
    set_outputs(ctx, given.dtype, vec![d_x, d_h_prev, d_c_bar, d_gates])
}

fn known(c: &ShapeContext<'_>) -> Result<(PartialShape, PartialShape)> {
    let (x, h) = (c.input(0)?.with_rank(2)?, c.input(1)?.with_rank(2)?);
    Ok((x.clone(), PartialShape::from_dims(&[x.dim(0), h.dim(1)])))
}

fn step_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let (_, state) = known(c)?;
    for i in 0..4 {
        c.set_output(i, state.clone());
    }
    Ok(())
}

fn gradient_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let (x, state) = known(c)?;
    let gates = PartialShape::from_dims(&[state.dim(0), state.dim(1).map(|n| 2 * n)]);
    for (i, shape) in [x, state.clone(), state, gates].into_iter().enumerate() {
        c.set_output(i, shape);
    }
    Ok(())
}

pub(super) fn register(r: &mut Registry) {
    let op = |name: &str| {
        ["x", "h_prev", "w_ru", "w_c", "b_ru", "b_c"].iter().fold(Op::new(name), |op, n| op.input(&format!("{n}: T")))
    };
    let gates = |op: Op, names: &[&str]| names.iter().fold(op, |op, n| op.output(&format!("{n}: T")));
    r.add(
        gates(op("GRUBlockCell"), &["r", "u", "c", "h"])
            .attr("T: {float}")
            .doc(
                "Computes a step of a gated recurrent unit: its reset and update gates, the candidate, and the output.",
            )
            .shape(step_shape)
            .kernel(|_| kernel(step)),
    );
    let results = ["r", "u", "c", "d_h"].iter().fold(op("GRUBlockCellGrad"), |op, n| op.input(&format!("{n}: T")));
    r.add(
        gates(results, &["d_x", "d_h_prev", "d_c_bar", "d_r_bar_u_bar"])
            .attr("T: {float}")
            .doc("Computes the gradients of a step of a gated recurrent unit.")
            .shape(gradient_shape)
            .kernel(|_| kernel(gradient)),
    );
}
