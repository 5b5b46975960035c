//! ApplyProximalGradientDescent, ApplyProximalAdagrad and their sparse forms: a gradient step, then shrinking by L1 and L2.
//!
//! Source: Duchi, Singer, "Efficient online and batch learning using forward backward splitting", JMLR 10, 2009.

use super::apply::{Rule, Scalars, Sign, dense, op, sparse};
use ferroflow_graph::Registry;
use ferroflow_tensor::vector::scalar::Elementary;

#[inline(always)]
fn shrink<F: Elementary>(x: F, rate: F, l1: F, l2: F) -> F {
    let size = x.abs() - rate * l1;
    let size = if size < F::zero() { F::zero() } else { size };
    let kept = if l1 > F::zero() { if x < F::zero() { -size } else { size } } else { x };
    kept / (F::one() + l2 * rate)
}

struct ProximalGradientDescent;

impl Rule<1> for ProximalGradientDescent {
    const INPUTS: &'static [&'static str] = &["var", "alpha", "l1", "l2", "delta"];
    const GRADIENT: usize = 4;
    const NEEDS_COLUMNS: bool = true;

    #[inline(always)]
    fn step<F: Elementary>(&self, &[alpha, l1, l2, ..]: &Scalars<F>, [var]: [F; 1], g: F) -> [F; 1] {
        [shrink(var - g * alpha, alpha, l1, l2)]
    }
}

/// TF 1.x: the gradient of the sparse op has another name.
struct SparseProximalGradientDescent;

impl Rule<1> for SparseProximalGradientDescent {
    const INPUTS: &'static [&'static str] = &["var", "alpha", "l1", "l2", "grad"];
    const GRADIENT: usize = 4;
    const NEEDS_COLUMNS: bool = true;

    #[inline(always)]
    fn step<F: Elementary>(&self, s: &Scalars<F>, var: [F; 1], g: F) -> [F; 1] {
        ProximalGradientDescent.step(s, var, g)
    }
}

struct ProximalAdagrad;

impl Rule<2> for ProximalAdagrad {
    const INPUTS: &'static [&'static str] = &["var", "accum", "lr", "l1", "l2", "grad"];
    const GRADIENT: usize = 5;
    const NEEDS_COLUMNS: bool = true;
    const SIGNS: &'static [(&'static str, Sign)] =
        &[("lr", Sign::Positive), ("l1", Sign::NotNegative), ("l2", Sign::NotNegative)];

    #[inline(always)]
    fn step<F: Elementary>(&self, &[lr, l1, l2, ..]: &Scalars<F>, [var, accum]: [F; 2], g: F) -> [F; 2] {
        let accum = accum + g * g;
        let rate = lr * accum.sqrt().recip();
        [shrink(var - g * rate, rate, l1, l2), accum]
    }
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        op::<1, ProximalGradientDescent>(
            "ApplyProximalGradientDescent",
            false,
            "Gradient descent with shrinking: by `alpha * l1` towards zero, then over `1 + alpha * l2`.",
        )
        .kernel(|init| dense(init, ProximalGradientDescent)),
    );
    r.add(
        op::<1, SparseProximalGradientDescent>(
            "SparseApplyProximalGradientDescent",
            true,
            "`ApplyProximalGradientDescent` to the rows that the indices name.",
        )
        .kernel(|init| sparse(init, SparseProximalGradientDescent)),
    );
    r.add(
        op::<2, ProximalAdagrad>(
            "ApplyProximalAdagrad",
            false,
            "`ApplyAdagrad` with shrinking: by the element's rate times `l1` towards zero, then over `1 + rate * l2`.",
        )
        .kernel(|init| dense(init, ProximalAdagrad)),
    );
    r.add(
        op::<2, ProximalAdagrad>(
            "SparseApplyProximalAdagrad",
            true,
            "`ApplyProximalAdagrad` to the rows that the indices name.",
        )
        .kernel(|init| sparse(init, ProximalAdagrad)),
    );
}
