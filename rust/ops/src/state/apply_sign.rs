//! ApplyAddSign and ApplyPowerSign: larger steps where the gradient and its running mean agree in sign.
//!
//! Source: Bello et al., "Neural optimizer search with reinforcement learning", ICML 2017.

use super::apply::{Rule, Scalars, dense, op};
use ferroflow_graph::Registry;
use ferroflow_tensor::vector::scalar::{self, Elementary};

/// Returns -1, 0 or 1. TF 1.x: 0 for NaN.
#[inline(always)]
fn sign<F: Elementary>(x: F) -> F {
    if x > F::zero() {
        F::one()
    } else if x < F::zero() {
        -F::one()
    } else {
        F::zero()
    }
}

struct AddSign;

impl Rule<2> for AddSign {
    const INPUTS: &'static [&'static str] = &["var", "m", "lr", "alpha", "sign_decay", "beta", "grad"];
    const GRADIENT: usize = 6;
    const UNCHECKED: Option<&'static str> = Some("sign_decay");

    #[inline(always)]
    fn step<F: Elementary>(&self, &[lr, alpha, sign_decay, beta, ..]: &Scalars<F>, [var, m]: [F; 2], g: F) -> [F; 2] {
        let m = m * beta + g * (F::one() - beta);
        [var - lr * (alpha + sign_decay * (sign(g) * sign(m))) * g, m]
    }
}

struct PowerSign;

impl Rule<2> for PowerSign {
    const INPUTS: &'static [&'static str] = &["var", "m", "lr", "logbase", "sign_decay", "beta", "grad"];
    const GRADIENT: usize = 6;
    const UNCHECKED: Option<&'static str> = Some("sign_decay");

    #[inline(always)]
    fn step<F: Elementary>(&self, &[lr, logbase, sign_decay, beta, ..]: &Scalars<F>, [var, m]: [F; 2], g: F) -> [F; 2] {
        let m = m * beta + g * (F::one() - beta);
        [var - lr * scalar::exp(logbase * sign_decay * (sign(g) * sign(m))) * g, m]
    }
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        op::<2, AddSign>(
            "ApplyAddSign",
            false,
            "`m` follows the gradient; `var -= lr * (alpha + sign_decay * sign(grad) * sign(m)) * grad`.",
        )
        .kernel(|init| dense(init, AddSign)),
    );
    r.add(
        op::<2, PowerSign>(
            "ApplyPowerSign",
            false,
            "`m` follows the gradient; `var -= lr * exp(logbase * sign_decay * sign(grad) * sign(m)) * grad`.",
        )
        .kernel(|init| dense(init, PowerSign)),
    );
}

#[cfg(test)]
mod tests {
    use super::{AddSign, PowerSign};
    use crate::state::apply::{Rule, Scalars};

    #[test]
    fn a_mean_that_is_no_number_has_no_sign() {
        // As in TensorFlow 1.15.5: the variable moves as if the mean were zero.
        let mut scalars = Scalars::default();
        scalars[..4].copy_from_slice(&[0.5, 2.0, 0.25, 0.5]);
        for mean in [f64::NAN, -f64::NAN] {
            assert_eq!(AddSign.step(&scalars, [1.0, mean], 3.0)[0], 1.0 - 0.5 * 2.0 * 3.0);
            assert_eq!(PowerSign.step(&scalars, [1.0, mean], 3.0)[0], 1.0 - 0.5 * 3.0);
        }
    }
}
