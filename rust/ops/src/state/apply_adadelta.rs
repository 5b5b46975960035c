//! ApplyAdadelta and SparseApplyAdadelta: steps scaled by the ratio of recent steps to recent gradients.
//!
//! Source: Zeiler, "ADADELTA: an adaptive learning rate method", 2012.

use super::apply::{Rule, Scalars, dense, op, sparse};
use ferroflow_graph::Registry;
use ferroflow_tensor::vector::scalar::Elementary;

struct Adadelta;

impl Rule<3> for Adadelta {
    const INPUTS: &'static [&'static str] = &["var", "accum", "accum_update", "lr", "rho", "epsilon", "grad"];
    const GRADIENT: usize = 6;
    const SOUGHT: &'static [&'static str] = &["accum", "accum_update"];

    #[inline(always)]
    fn step<F: Elementary>(
        &self,
        &[lr, rho, epsilon, ..]: &Scalars<F>,
        [var, accum, accum_update]: [F; 3],
        g: F,
    ) -> [F; 3] {
        let rest = F::one() - rho;
        let accum = accum * rho + g * g * rest;
        let step = (accum_update + epsilon).sqrt() * (accum + epsilon).sqrt().recip() * g;
        [var - step * lr, accum, accum_update * rho + step * step * rest]
    }
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        op::<3, Adadelta>(
            "ApplyAdadelta",
            false,
            "`accum` follows the gradient's square, `accum_update` the step's; `var` moves by the gradient times the root of \
             their ratio.",
        )
        .kernel(|init| dense(init, Adadelta)),
    );
    r.add(
        op::<3, Adadelta>("SparseApplyAdadelta", true, "`ApplyAdadelta` to the rows that the indices name.")
            .kernel(|init| sparse(init, Adadelta)),
    );
}
