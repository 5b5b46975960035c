//! LSTMBlockCell, BlockLSTM and BlockLSTMV2, an LSTM's step and its steps in time, and their gradients.

use super::lstm::{Before, PeepholeGradients, Settings, Sizes, Step, Weights, backward, backward_weights, forward};
use super::matrices::{input, set_outputs};
use ferroflow_graph::{Kernel, KernelContext, KernelFactory, KernelInit, Op, Registry, ShapeContext, ShapeFn, kernel};
use ferroflow_tensor::{DType, PartialShape, Result, Shape, Tensor, bail, ensure};
use std::ops::Range;

/// The place of `x` among the inputs; the other inputs follow it in one order.
#[derive(Clone, Copy)]
struct Layout {
    x: usize,
    in_time: bool,
    /// The places of input gate, candidate, forget gate and output gate among the gates.
    order: [usize; 4],
}

const CELL: Layout = Layout { x: 0, in_time: false, order: [0, 1, 2, 3] };
const IN_TIME: Layout = Layout { x: 1, in_time: true, order: [0, 1, 2, 3] };
const IN_TIME_V2: Layout = Layout { order: [0, 2, 1, 3], ..IN_TIME };

/// The inputs that all four ops have, in float32.
struct Inputs {
    sizes: Sizes,
    /// Steps that `x` has, and those to compute.
    steps: usize,
    used: usize,
    dtype: DType,
    x: Tensor,
    cs_prev: Tensor,
    h_prev: Tensor,
    w: Tensor,
    peepholes: [Tensor; 3],
    b: Tensor,
}

impl Inputs {
    fn of(ctx: &KernelContext<'_>, layout: Layout) -> Result<Inputs> {
        let first = layout.x;
        let (x, state) = (ctx.input(first)?, ctx.input(first + 1)?);
        let rank = if layout.in_time { 3 } else { 2 };
        ensure!(x.rank() == rank, InvalidArgument, "x must be {rank}D, got {}", x.shape());
        ensure!(state.rank() == 2, InvalidArgument, "cs_prev must be 2D, got {}", state.shape());
        let steps = if layout.in_time { x.shape()[0] } else { 1 };
        let [batch, inputs] = x.shape()[rank - 2..] else { bail!(Internal, "x of rank {rank}") };
        let units = state.shape()[1];
        let used = if layout.in_time { used_steps(ctx.input(0)?, steps)? } else { 1 };
        let vector = |i: usize, name: &str| input(ctx, first + i, name, &[units]);
        Ok(Inputs {
            sizes: Sizes { batch, inputs, units, order: layout.order },
            steps,
            used,
            dtype: x.dtype(),
            x: input(ctx, first, "x", &x.shape()[..])?,
            cs_prev: input(ctx, first + 1, "cs_prev", &[batch, units])?,
            h_prev: input(ctx, first + 2, "h_prev", &[batch, units])?,
            w: input(ctx, first + 3, "w", &[inputs + units, 4 * units])?,
            peepholes: [vector(4, "wci")?, vector(5, "wcf")?, vector(6, "wco")?],
            b: input(ctx, first + 7, "b", &[4 * units])?,
        })
    }

    fn weights(&self, use_peephole: bool) -> Result<Weights<'_>> {
        let [i, f, o] = &self.peepholes;
        let peepholes = if use_peephole { Some([i.slice()?, f.slice()?, o.slice()?]) } else { None };
        Ok(Weights { kernel: self.w.slice()?, bias: self.b.slice()?, peepholes })
    }

    fn state_shape(&self, layout: Layout) -> Shape {
        let Sizes { batch, units, .. } = self.sizes;
        if layout.in_time { Shape::new(&[self.steps, batch, units]) } else { Shape::new(&[batch, units]) }
    }

    /// Returns the places of a step's elements in tensors of states over time.
    fn states(&self, t: usize) -> Range<usize> {
        let size = self.sizes.of_state();
        t * size..(t + 1) * size
    }

    fn inputs(&self, t: usize) -> Range<usize> {
        let size = self.sizes.batch * self.sizes.inputs;
        t * size..(t + 1) * size
    }
}

fn used_steps(given: &Tensor, steps: usize) -> Result<usize> {
    ensure!(given.rank() == 0, InvalidArgument, "seq_len_max must be scalar, got {}", given.shape());
    let count = given.to_scalar::<i64>()?;
    match usize::try_from(count) {
        Ok(used) if used <= steps => Ok(used),
        _ => bail!(InvalidArgument, "seq_len_max must be in [0, {steps}], got {count}"),
    }
}

fn zeros(shape: &Shape) -> Result<Tensor> {
    Tensor::zeros(DType::F32, shape.clone())
}

fn compute(init: &KernelInit<'_>, layout: Layout) -> Result<Box<dyn Kernel>> {
    let use_peephole = init.bool("use_peephole")?;
    // The second version has its bias in `b` alone.
    let forget_bias = if init.get("forget_bias").is_some() { init.float("forget_bias")? } else { 0.0 };
    let settings = Settings { forget_bias, cell_clip: init.float("cell_clip")? };
    kernel(move |ctx| {
        let given = Inputs::of(ctx, layout)?;
        let shape = given.state_shape(layout);
        let mut outputs = Vec::with_capacity(7);
        for _ in 0..7 {
            outputs.push(zeros(&shape)?);
        }
        let mut gates = zeros(&Shape::new(&[given.sizes.batch, 4 * given.sizes.units]))?;
        let (x, weights) = (given.x.slice::<f32>()?, given.weights(use_peephole)?);
        if let [i, cs, f, o, ci, co, h] = &mut outputs[..] {
            let all = Step {
                i: i.slice_mut::<f32>()?,
                cs: cs.slice_mut::<f32>()?,
                f: f.slice_mut::<f32>()?,
                o: o.slice_mut::<f32>()?,
                ci: ci.slice_mut::<f32>()?,
                co: co.slice_mut::<f32>()?,
                h: h.slice_mut::<f32>()?,
            };
            let size = given.sizes.of_state();
            for t in 0..given.used {
                ctx.check_cancelled()?;
                let (cs_before, cs) = all.cs.split_at_mut(t * size);
                let (h_before, h) = all.h.split_at_mut(t * size);
                let now = given.states(t);
                let mut step = Step {
                    i: &mut all.i[now.clone()],
                    cs: &mut cs[..size],
                    f: &mut all.f[now.clone()],
                    o: &mut all.o[now.clone()],
                    ci: &mut all.ci[now.clone()],
                    co: &mut all.co[now],
                    h: &mut h[..size],
                };
                let (cs_before, h_before) = match t {
                    0 => (given.cs_prev.slice()?, given.h_prev.slice()?),
                    _ => (&cs_before[(t - 1) * size..], &h_before[(t - 1) * size..]),
                };
                let before = Before { x: &x[given.inputs(t)], cs: cs_before, h: h_before };
                let threads = ctx.threads();
                forward(threads, given.sizes, settings, weights, before, gates.slice_mut()?, &mut step)?;
            }
        }
        set_outputs(ctx, given.dtype, outputs)
    })
}

/// The results of the forward op, and the gradients of its cell states and outputs, in float32.
struct Results {
    step: Step<Tensor>,
    cs_grad: Tensor,
    h_grad: Tensor,
}

impl Results {
    /// Reads the inputs from `first` on: `h` is among them only in time.
    fn of(ctx: &KernelContext<'_>, first: usize, shape: &Shape, layout: Layout) -> Result<Results> {
        let names = ["i", "cs", "f", "o", "ci", "co"];
        let mut read = Vec::with_capacity(6);
        for (i, name) in names.into_iter().enumerate() {
            read.push(input(ctx, first + i, name, shape)?);
        }
        let [i, cs, f, o, ci, co] = &read[..] else { bail!(Internal, "six results") };
        let after = first + 6 + usize::from(layout.in_time);
        let h = if layout.in_time { input(ctx, first + 6, "h", shape)? } else { zeros(shape)? };
        let step = Step { i: i.clone(), cs: cs.clone(), f: f.clone(), o: o.clone(), ci: ci.clone(), co: co.clone(), h };
        let grad = |i: usize, name: &str| input(ctx, after + i, name, shape);
        Ok(Results { step, cs_grad: grad(0, "cs_grad")?, h_grad: grad(1, "h_grad")? })
    }

    fn at(&self, range: Range<usize>) -> Result<Step<&[f32]>> {
        Ok(Step {
            i: &self.step.i.slice::<f32>()?[range.clone()],
            cs: &self.step.cs.slice::<f32>()?[range.clone()],
            f: &self.step.f.slice::<f32>()?[range.clone()],
            o: &self.step.o.slice::<f32>()?[range.clone()],
            ci: &self.step.ci.slice::<f32>()?[range.clone()],
            co: &self.step.co.slice::<f32>()?[range.clone()],
            h: &self.step.h.slice::<f32>()?[range],
        })
    }
}

fn cell_gradient(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let use_peephole = init.bool("use_peephole")?;
    kernel(move |ctx| {
        let given = Inputs::of(ctx, CELL)?;
        let Sizes { batch, units, .. } = given.sizes;
        let results = Results::of(ctx, 8, &given.state_shape(CELL), CELL)?;
        let mut cs_prev_grad = zeros(&Shape::new(&[batch, units]))?;
        let mut gates = zeros(&Shape::new(&[batch, 4 * units]))?;
        let vector = Shape::new(&[units]);
        let (mut of_i, mut of_f, mut of_o) = (zeros(&vector)?, zeros(&vector)?, zeros(&vector)?);
        backward(
            given.sizes,
            given.weights(use_peephole)?.peepholes,
            given.cs_prev.slice()?,
            &results.at(given.states(0))?,
            (results.cs_grad.slice()?, results.h_grad.slice()?),
            (gates.slice_mut()?, cs_prev_grad.slice_mut()?),
            PeepholeGradients { i: of_i.slice_mut()?, f: of_f.slice_mut()?, o: of_o.slice_mut()? },
        );
        set_outputs(ctx, given.dtype, vec![cs_prev_grad, gates, of_i, of_f, of_o])
    })
}

fn gradient_in_time(init: &KernelInit<'_>, layout: Layout) -> Result<Box<dyn Kernel>> {
    let use_peephole = init.bool("use_peephole")?;
    kernel(move |ctx| {
        let given = Inputs::of(ctx, layout)?;
        let Sizes { batch, units, .. } = given.sizes;
        let results = Results::of(ctx, 9, &given.state_shape(layout), layout)?;
        let weights = given.weights(use_peephole)?;
        let state = Shape::new(&[batch, units]);
        let vector = Shape::new(&[units]);
        let (mut x_grad, mut w_grad, mut b_grad) =
            (zeros(given.x.shape())?, zeros(given.w.shape())?, zeros(given.b.shape())?);
        let (mut of_i, mut of_f, mut of_o) = (zeros(&vector)?, zeros(&vector)?, zeros(&vector)?);
        let (mut cs_grad, mut h_grad) = (zeros(&state)?, zeros(&state)?);
        let (mut of_cs, mut of_h) = (zeros(&state)?, zeros(&state)?);
        let mut gates = zeros(&Shape::new(&[batch, 4 * units]))?;
        let (x, cs, h) = (given.x.slice::<f32>()?, results.step.cs.slice::<f32>()?, results.step.h.slice::<f32>()?);
        for t in (0..given.used).rev() {
            ctx.check_cancelled()?;
            let now = given.states(t);
            // The sums of the gradients from outside and from the next step.
            for (sum, outside) in [(&mut cs_grad, &results.cs_grad), (&mut h_grad, &results.h_grad)] {
                let outside = &outside.slice::<f32>()?[now.clone()];
                sum.slice_mut::<f32>()?.iter_mut().zip(outside).for_each(|(a, b)| *a += b);
            }
            let before = match t {
                0 => Before { x: &x[given.inputs(0)], cs: given.cs_prev.slice()?, h: given.h_prev.slice()? },
                _ => Before { x: &x[given.inputs(t)], cs: &cs[given.states(t - 1)], h: &h[given.states(t - 1)] },
            };
            backward(
                given.sizes,
                weights.peepholes,
                before.cs,
                &results.at(now)?,
                (cs_grad.slice()?, h_grad.slice()?),
                (gates.slice_mut()?, of_cs.slice_mut()?),
                PeepholeGradients { i: of_i.slice_mut()?, f: of_f.slice_mut()?, o: of_o.slice_mut()? },
            );
            backward_weights(
                ctx.threads(),
                given.sizes,
                weights.kernel,
                before,
                gates.slice()?,
                (&mut x_grad.slice_mut::<f32>()?[given.inputs(t)], of_h.slice_mut()?),
                (w_grad.slice_mut()?, b_grad.slice_mut()?),
            )?;
            std::mem::swap(&mut cs_grad, &mut of_cs);
            std::mem::swap(&mut h_grad, &mut of_h);
        }
        set_outputs(ctx, given.dtype, vec![x_grad, cs_grad, h_grad, w_grad, of_i, of_f, of_o, b_grad])
    })
}

/// Returns the known sizes: of time where there is one, of the batch, and the number of units.
fn known(c: &ShapeContext<'_>, layout: Layout) -> Result<(Option<usize>, Option<usize>, Option<usize>)> {
    let x = c.input(layout.x)?.with_rank(if layout.in_time { 3 } else { 2 })?;
    let units = match c.input(layout.x + 7)?.with_rank(1)?.dim(0) {
        Some(n) => {
            ensure!(n % 4 == 0, InvalidArgument, "Dimension size must be evenly divisible by 4 but is {n}");
            Some(n / 4)
        }
        None => None,
    };
    let time = if layout.in_time { x.dim(0) } else { None };
    Ok((time, x.dim(usize::from(layout.in_time)), units))
}

fn step_shape(c: &mut ShapeContext<'_>, layout: Layout) -> Result<()> {
    let (time, batch, units) = known(c, layout)?;
    let dims = [time, batch, units];
    for i in 0..7 {
        c.set_output(i, PartialShape::from_dims(&dims[usize::from(!layout.in_time)..]));
    }
    Ok(())
}

fn cell_gradient_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let (_, batch, units) = known(c, CELL)?;
    c.set_output(0, PartialShape::from_dims(&[batch, units]));
    c.set_output(1, PartialShape::from_dims(&[batch, units.map(|n| 4 * n)]));
    for i in 2..5 {
        c.set_output(i, PartialShape::vector(units));
    }
    Ok(())
}

fn gradient_in_time_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    known(c, IN_TIME)?;
    for (i, rank) in [3, 2, 2, 2, 1, 1, 1, 1].into_iter().enumerate() {
        let same = c.input(IN_TIME.x + i)?.with_rank(rank)?;
        c.set_output(i, same);
    }
    Ok(())
}

fn taking(op: Op, names: &[&str]) -> Op {
    names.iter().fold(op, |op, name| op.input(&format!("{name}: T")))
}

fn giving(op: Op, names: &[&str]) -> Op {
    names.iter().fold(op, |op, name| op.output(&format!("{name}: T")))
}

const GIVEN: [&str; 8] = ["x", "cs_prev", "h_prev", "w", "wci", "wcf", "wco", "b"];
const STEP: [&str; 7] = ["i", "cs", "f", "o", "ci", "co", "h"];
const TYPES: &str = "T: {half, float}";

pub(super) fn register(r: &mut Registry) {
    let in_time = |name: &str| Op::new(name).input("seq_len_max: int64");
    let first = &["forget_bias: float = 1.0", "cell_clip: float = 3.0"][..];
    let second = &["cell_clip: float = 0.0"][..];
    let steps: [(Op, &[&str], ShapeFn, KernelFactory); 3] = [
        (Op::new("LSTMBlockCell"), first, |c| step_shape(c, CELL), |init| compute(init, CELL)),
        (in_time("BlockLSTM"), first, |c| step_shape(c, IN_TIME), |init| compute(init, IN_TIME)),
        (in_time("BlockLSTMV2"), second, |c| step_shape(c, IN_TIME_V2), |init| compute(init, IN_TIME_V2)),
    ];
    for (op, attrs, shape, compute) in steps {
        let op = giving(taking(op, &GIVEN), &STEP);
        r.add(
            attrs
                .iter()
                .fold(op, |op, attr| op.attr(attr))
                .attr("use_peephole: bool = false")
                .attr(TYPES)
                .doc("Computes an LSTM's step, or its first `seq_len_max` steps: gates, cell state and output.")
                .shape(shape)
                .kernel(compute),
        );
    }
    r.add(
        giving(
            taking(taking(taking(Op::new("LSTMBlockCellGrad"), &GIVEN), &STEP[..6]), &["cs_grad", "h_grad"]),
            &["cs_prev_grad", "dicfo", "wci_grad", "wcf_grad", "wco_grad"],
        )
        .attr("use_peephole: bool")
        .attr(TYPES)
        .doc("Computes the gradients of an LSTM's step: of the cell state before, of the gates, and of the peepholes.")
        .shape(cell_gradient_shape)
        .kernel(cell_gradient),
    );
    let gradients: [(&str, KernelFactory); 2] = [
        ("BlockLSTMGrad", |init| gradient_in_time(init, IN_TIME)),
        ("BlockLSTMGradV2", |init| gradient_in_time(init, IN_TIME_V2)),
    ];
    for (name, compute) in gradients {
        r.add(
            giving(
                taking(taking(taking(in_time(name), &GIVEN), &STEP), &["cs_grad", "h_grad"]),
                &["x_grad", "cs_prev_grad", "h_prev_grad", "w_grad", "wci_grad", "wcf_grad", "wco_grad", "b_grad"],
            )
            .attr("use_peephole: bool")
            .attr(TYPES)
            .doc("Computes the gradients of an LSTM's first `seq_len_max` steps, by all inputs.")
            .shape(gradient_in_time_shape)
            .kernel(compute),
        );
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::run;
    use ferroflow_graph::AttrValue;
    use ferroflow_tensor::{Shape, Tensor};

    const UNITS: usize = 2;

    fn numbers(shape: &[usize], phase: f32) -> Tensor {
        let shape = Shape::new(shape);
        let values: Vec<f32> = (0..shape.elements()).map(|i| (i as f32 * 0.7 + phase).sin()).collect();
        Tensor::from_slice(shape, &values).unwrap()
    }

    /// Swaps the gates in the middle along the last dimension, which takes the order of one version to the other's.
    fn swapped(t: &Tensor) -> Tensor {
        let row = |gates: &[f32]| [0, 2, 1, 3].into_iter().flat_map(|g| gates[g * UNITS..][..UNITS].to_vec()).collect();
        let values: Vec<f32> =
            t.slice::<f32>().unwrap().chunks(4 * UNITS).flat_map(|gates| -> Vec<f32> { row(gates) }).collect();
        Tensor::from_slice(t.shape().clone(), &values).unwrap()
    }

    #[test]
    fn the_second_version_has_its_gates_in_another_order() {
        let [w, b] = [numbers(&[3 + UNITS, 4 * UNITS], 1.0), numbers(&[4 * UNITS], 2.0)];
        let state = [numbers(&[1, UNITS], 3.0), numbers(&[1, UNITS], 4.0)];
        let peepholes = [5.0, 6.0, 7.0].map(|phase| numbers(&[UNITS], phase));
        let given = |w: Tensor, b: Tensor| {
            let mut inputs = vec![Tensor::scalar(2i64), numbers(&[3, 1, 3], 0.0)];
            inputs.extend(state.iter().cloned());
            inputs.push(w);
            inputs.extend(peepholes.iter().cloned());
            inputs.push(b);
            inputs
        };
        let peephole = ("use_peephole", AttrValue::Bool(true));
        let first_attrs =
            [("forget_bias", AttrValue::Float(0.0)), ("cell_clip", AttrValue::Float(0.0)), peephole.clone()];
        let mut first = given(w.clone(), b.clone());
        let mut second = given(swapped(&w), swapped(&b));
        let results = run("BlockLSTM", &first, &first_attrs).unwrap();
        assert_eq!(run("BlockLSTMV2", &second, std::slice::from_ref(&peephole)).unwrap(), results);
        for inputs in [&mut first, &mut second] {
            inputs.extend(results.iter().cloned());
            inputs.extend([numbers(&[3, 1, UNITS], 8.0), numbers(&[3, 1, UNITS], 9.0)]);
        }
        let first = run("BlockLSTMGrad", &first, std::slice::from_ref(&peephole)).unwrap();
        let second = run("BlockLSTMGradV2", &second, std::slice::from_ref(&peephole)).unwrap();
        for (i, (first, second)) in first.iter().zip(&second).enumerate() {
            let first = if i == 3 || i == 7 { swapped(first) } else { first.clone() };
            for (a, b) in first.slice::<f32>().unwrap().iter().zip(second.slice::<f32>().unwrap()) {
                assert!((a - b).abs() < 1e-6, "output {i}: {a} and {b}");
            }
        }
    }
}
