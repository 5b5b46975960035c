//! The step of an LSTM, and its gradient, on slices.

// A slice of a gate is [batch, units]; `gates` is [batch, 4 units], in the order that the sizes state.

use super::matrices::{joined_product, split_product, weights_product};
use ferroflow_tensor::Result;
use ferroflow_tensor::threads::Threads;
use ferroflow_tensor::vector::{Unary, unary, unary_in_place};

#[derive(Clone, Copy)]
pub(super) struct Sizes {
    pub batch: usize,
    pub inputs: usize,
    pub units: usize,
    /// The places of input gate, candidate, forget gate and output gate among the gates.
    pub order: [usize; 4],
}

impl Sizes {
    pub fn of_state(self) -> usize {
        self.batch * self.units
    }
}

/// The weights of a cell.
#[derive(Clone, Copy)]
pub(super) struct Weights<'a> {
    pub kernel: &'a [f32],
    pub bias: &'a [f32],
    /// The weights from the cell state to the input, forget and output gates.
    pub peepholes: Option<[&'a [f32]; 3]>,
}

/// The state before a step.
#[derive(Clone, Copy)]
pub(super) struct Before<'a> {
    pub x: &'a [f32],
    pub cs: &'a [f32],
    pub h: &'a [f32],
}

/// The results of a step: input gate, cell state, forget gate, output gate, candidate, its activation, output.
pub(super) struct Step<S> {
    pub i: S,
    pub cs: S,
    pub f: S,
    pub o: S,
    pub ci: S,
    pub co: S,
    pub h: S,
}

/// Numbers that are no weights.
#[derive(Clone, Copy)]
pub(super) struct Settings {
    pub forget_bias: f32,
    /// The bound of cell states; not positive for none.
    pub cell_clip: f32,
}

/// Computes a step.
pub(super) fn forward(
    threads: Threads,
    sizes: Sizes,
    settings: Settings,
    weights: Weights<'_>,
    before: Before<'_>,
    gates: &mut [f32],
    out: &mut Step<&mut [f32]>,
) -> Result<()> {
    let Sizes { batch, inputs, units, order: [i, ci, f, o] } = sizes;
    let operands = [(before.x, inputs), (before.h, units)];
    joined_product(threads, batch, operands, (weights.kernel, 4 * units), gates)?;
    if units == 0 {
        return Ok(());
    }
    let gate =
        |row: usize, which: usize, u: usize| gates[(4 * row + which) * units + u] + weights.bias[which * units + u];
    for at in 0..batch * units {
        let (row, u) = (at / units, at % units);
        (out.i[at], out.ci[at]) = (gate(row, i, u), gate(row, ci, u));
        (out.f[at], out.o[at]) = (gate(row, f, u) + settings.forget_bias, gate(row, o, u));
        if let Some([of_i, of_f, _]) = weights.peepholes {
            out.i[at] += before.cs[at] * of_i[u];
            out.f[at] += before.cs[at] * of_f[u];
        }
    }
    unary_in_place(Unary::Sigmoid, out.i);
    unary_in_place(Unary::Tanh, out.ci);
    unary_in_place(Unary::Sigmoid, out.f);
    for at in 0..batch * units {
        let mut cs = out.ci[at] * out.i[at] + out.f[at] * before.cs[at];
        if settings.cell_clip > 0.0 {
            cs = cs.clamp(-settings.cell_clip, settings.cell_clip);
        }
        out.cs[at] = cs;
        if let Some([_, _, of_o]) = weights.peepholes {
            out.o[at] += cs * of_o[at % units];
        }
    }
    unary_in_place(Unary::Sigmoid, out.o);
    unary(Unary::Tanh, out.cs, out.co);
    for at in 0..batch * units {
        out.h[at] = out.o[at] * out.co[at];
    }
    Ok(())
}

/// The gradients of the weights from the cell state to the gates, each [units].
pub(super) struct PeepholeGradients<'a> {
    pub i: &'a mut [f32],
    pub f: &'a mut [f32],
    pub o: &'a mut [f32],
}

/// Computes the gradients of a step's gates before their activations, and of the cell state before it. TF 1.x: a clipped
/// cell state passes its gradient on.
pub(super) fn backward(
    sizes: Sizes,
    peepholes: Option<[&[f32]; 3]>,
    cs_prev: &[f32],
    step: &Step<&[f32]>,
    (cs_grad, h_grad): (&[f32], &[f32]),
    (gates, cs_prev_grad): (&mut [f32], &mut [f32]),
    sums: PeepholeGradients<'_>,
) {
    let units = sizes.units;
    for at in 0..sizes.of_state() {
        let (row, u) = (at / units, at % units);
        let (i, f, o, ci, co) = (step.i[at], step.f[at], step.o[at], step.ci[at], step.co[at]);
        let of_o = o * (1.0 - o) * h_grad[at] * co;
        let mut of_cs = (1.0 - co * co) * h_grad[at] * o + cs_grad[at];
        if let Some(weights) = peepholes {
            of_cs += of_o * weights[2][u];
        }
        let of_ci = (1.0 - ci * ci) * of_cs * i;
        let of_f = f * (1.0 - f) * of_cs * cs_prev[at];
        let of_i = i * (1.0 - i) * of_cs * ci;
        for (which, gradient) in sizes.order.into_iter().zip([of_i, of_ci, of_f, of_o]) {
            gates[(4 * row + which) * units + u] = gradient;
        }
        cs_prev_grad[at] = of_cs * f;
        if let Some(weights) = peepholes {
            cs_prev_grad[at] += of_i * weights[0][u] + of_f * weights[1][u];
            sums.i[u] += of_i * cs_prev[at];
            sums.f[u] += of_f * cs_prev[at];
            sums.o[u] += of_o * step.cs[at];
        }
    }
}

/// Computes the gradients of input and output before a step, and adds those of kernel and bias.
pub(super) fn backward_weights(
    threads: Threads,
    sizes: Sizes,
    kernel: &[f32],
    before: Before<'_>,
    gates: &[f32],
    (x_grad, h_grad): (&mut [f32], &mut [f32]),
    (kernel_grad, bias_grad): (&mut [f32], &mut [f32]),
) -> Result<()> {
    let Sizes { batch, inputs, units, .. } = sizes;
    let of_gates = (gates, 4 * units);
    split_product(threads, batch, of_gates, kernel, [(x_grad, inputs), (h_grad, units)], false)?;
    weights_product(threads, batch, [(before.x, inputs), (before.h, units)], of_gates, kernel_grad)?;
    for row in gates.chunks_exact((4 * units).max(1)) {
        bias_grad.iter_mut().zip(row).for_each(|(sum, g)| *sum += g);
    }
    Ok(())
}
