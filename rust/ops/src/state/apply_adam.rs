//! ApplyAdam and ApplyAdaMax: steps scaled by running moments of the gradient.
//!
//! Sources: Kingma, Ba, "Adam: a method for stochastic optimization", ICLR 2015; with `use_nesterov`: Dozat, "Incorporating
//! Nesterov momentum into Adam", ICLR 2016 workshop.

use super::apply::{Rule, Scalars, dense, op};
use ferroflow_graph::Registry;
use ferroflow_tensor::vector::scalar::Elementary;

struct Adam {
    nesterov: bool,
}

impl Rule<3> for Adam {
    const INPUTS: &'static [&'static str] =
        &["var", "m", "v", "beta1_power", "beta2_power", "lr", "beta1", "beta2", "epsilon", "grad"];
    const GRADIENT: usize = 9;

    #[inline(always)]
    fn step<F: Elementary>(
        &self,
        &[beta1_power, beta2_power, lr, beta1, beta2, epsilon, ..]: &Scalars<F>,
        [var, m, v]: [F; 3],
        g: F,
    ) -> [F; 3] {
        let one = F::one();
        let alpha = lr * (one - beta2_power).sqrt() / (one - beta1_power);
        let m = m + (g - m) * (one - beta1);
        let v = v + (g * g - v) * (one - beta2);
        let direction = if self.nesterov { g * (one - beta1) + beta1 * m } else { m };
        [var - direction * alpha / (v.sqrt() + epsilon), m, v]
    }
}

struct AdaMax;

impl Rule<3> for AdaMax {
    const INPUTS: &'static [&'static str] =
        &["var", "m", "v", "beta1_power", "lr", "beta1", "beta2", "epsilon", "grad"];
    const GRADIENT: usize = 8;

    #[inline(always)]
    fn step<F: Elementary>(
        &self,
        &[beta1_power, lr, beta1, beta2, epsilon, ..]: &Scalars<F>,
        [var, m, v]: [F; 3],
        g: F,
    ) -> [F; 3] {
        let one = F::one();
        let m = m + (g - m) * (one - beta1);
        let (decayed, size) = (beta2 * v, g.abs());
        // TensorFlow: a NaN gradient leaves this slot as it is, and shows in the others.
        let v = if decayed < size { size } else { decayed };
        [var - lr / (one - beta1_power) * (m / (v + epsilon)), m, v]
    }
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        op::<3, Adam>(
            "ApplyAdam",
            false,
            "`m` and `v` follow the gradient and its square; `var` moves by `m / (sqrt(v) + epsilon)`, without their bias.",
        )
        .attr("use_nesterov: bool = false")
        .kernel(|init| dense(init, Adam { nesterov: init.bool("use_nesterov")? })),
    );
    r.add(
        op::<3, AdaMax>(
            "ApplyAdaMax",
            false,
            "`m` follows the gradient, `v` is its decayed largest size; `var` moves by `m / (v + epsilon)`.",
        )
        .kernel(|init| dense(init, AdaMax)),
    );
}
