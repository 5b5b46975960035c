//! ApplyRMSProp, ApplyCenteredRMSProp and their sparse forms: steps over the root of the mean square of recent gradients.
//!
//! Sources: Tieleman, Hinton, Coursera lecture 6.5, 2012; centered: Graves, "Generating sequences with recurrent neural
//! networks", 2013.

use super::apply::{Rule, Scalars, dense, op, sparse};
use ferroflow_graph::Registry;
use ferroflow_tensor::vector::scalar::Elementary;

/// Returns the next mean. TF 1.x: sparse steps weigh both parts, and dense ones add a part of their difference.
#[inline(always)]
fn mean<F: Elementary>(before: F, new: F, rho: F, is_sparse: bool) -> F {
    if is_sparse { before * rho + new * (F::one() - rho) } else { before + (new - before) * (F::one() - rho) }
}

struct RmsProp {
    is_sparse: bool,
}

impl Rule<3> for RmsProp {
    const INPUTS: &'static [&'static str] = &["var", "ms", "mom", "lr", "rho", "momentum", "epsilon", "grad"];
    const GRADIENT: usize = 7;

    #[inline(always)]
    fn step<F: Elementary>(
        &self,
        &[lr, rho, momentum, epsilon, ..]: &Scalars<F>,
        [var, ms, mom]: [F; 3],
        g: F,
    ) -> [F; 3] {
        let ms = mean(ms, g * g, rho, self.is_sparse);
        let mom = mom * momentum + g * lr / (ms + epsilon).sqrt();
        [var - mom, ms, mom]
    }
}

struct CenteredRmsProp {
    is_sparse: bool,
}

impl Rule<4> for CenteredRmsProp {
    const INPUTS: &'static [&'static str] = &["var", "mg", "ms", "mom", "lr", "rho", "momentum", "epsilon", "grad"];
    const GRADIENT: usize = 8;

    #[inline(always)]
    fn step<F: Elementary>(
        &self,
        &[lr, rho, momentum, epsilon, ..]: &Scalars<F>,
        [var, mg, ms, mom]: [F; 4],
        g: F,
    ) -> [F; 4] {
        let ms = mean(ms, g * g, rho, self.is_sparse);
        let mg = mean(mg, g, rho, self.is_sparse);
        let mom = mom * momentum + g * lr / (ms - mg * mg + epsilon).sqrt();
        [var - mom, mg, ms, mom]
    }
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        op::<3, RmsProp>(
            "ApplyRMSProp",
            false,
            "`ms` follows the gradient's square; `mom = mom * momentum + lr * grad / sqrt(ms + epsilon); var -= mom`.",
        )
        .kernel(|init| dense(init, RmsProp { is_sparse: false })),
    );
    r.add(
        op::<3, RmsProp>("SparseApplyRMSProp", true, "`ApplyRMSProp` to the rows that the indices name.")
            .kernel(|init| sparse(init, RmsProp { is_sparse: true })),
    );
    r.add(
        op::<4, CenteredRmsProp>(
            "ApplyCenteredRMSProp",
            false,
            "`ApplyRMSProp` over the gradient's variance: `mg` follows its mean, whose square is taken off `ms`.",
        )
        .kernel(|init| dense(init, CenteredRmsProp { is_sparse: false })),
    );
    r.add(
        op::<4, CenteredRmsProp>(
            "SparseApplyCenteredRMSProp",
            true,
            "`ApplyCenteredRMSProp` to the rows that the indices name.",
        )
        .kernel(|init| sparse(init, CenteredRmsProp { is_sparse: true })),
    );
}
