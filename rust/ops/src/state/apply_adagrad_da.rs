//! ApplyAdagradDA and SparseApplyAdagradDA: weights that are a function of the sum of all gradients, not of each step.
//!
//! Source: Duchi, Hazan, Singer, "Adaptive subgradient methods for online learning and stochastic optimization", JMLR 12,
//! 2011: regularized dual averaging.

use super::apply::{Rule, Scalars, dense, op, sparse};
use ferroflow_graph::Registry;
use ferroflow_tensor::vector::scalar::Elementary;

struct AdagradDualAveraging;

impl Rule<3> for AdagradDualAveraging {
    const INPUTS: &'static [&'static str] =
        &["var", "gradient_accumulator", "gradient_squared_accumulator", "grad", "lr", "l1", "l2", "global_step"];
    const GRADIENT: usize = 3;
    const NEEDS_COLUMNS: bool = true;
    const COUNT: Option<&'static str> = Some("global_step");

    #[inline(always)]
    fn step<F: Elementary>(&self, &[lr, l1, l2, steps, ..]: &Scalars<F>, [_, sum, squares]: [F; 3], g: F) -> [F; 3] {
        let (sum, squares) = (sum + g, squares + g * g);
        let size = sum.abs() - l1 * steps;
        let size = if size < F::zero() { F::zero() } else { size };
        let shrunk = if sum < F::zero() { -size } else { size };
        let kept = if l1 > F::zero() { shrunk } else { sum };
        [-lr * kept / (l2 * steps * lr + squares.sqrt()), sum, squares]
    }
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        op::<3, AdagradDualAveraging>(
            "ApplyAdagradDA",
            false,
            "`var = -lr * shrink(sum of grads, l1 * global_step) / (l2 * global_step * lr + sqrt(sum of squares))`.",
        )
        .kernel(|init| dense(init, AdagradDualAveraging)),
    );
    r.add(
        op::<3, AdagradDualAveraging>(
            "SparseApplyAdagradDA",
            true,
            "`ApplyAdagradDA` to the rows that the indices name.",
        )
        .kernel(|init| sparse(init, AdagradDualAveraging)),
    );
}
