//! ApplyAdagrad and SparseApplyAdagrad: each element's rate falls with the squares of its gradients.
//!
//! Source: Duchi, Hazan, Singer, "Adaptive subgradient methods for online learning and stochastic optimization", JMLR 12, 2011.

use super::apply::{Rule, Scalars, dense, op, sparse};
use ferroflow_graph::{KernelInit, Registry};
use ferroflow_tensor::Result;
use ferroflow_tensor::vector::scalar::Elementary;

struct Adagrad {
    update_slots: bool,
}

impl Adagrad {
    fn new(init: &KernelInit<'_>) -> Result<Adagrad> {
        Ok(Adagrad { update_slots: init.bool("update_slots")? })
    }
}

impl Rule<2> for Adagrad {
    const INPUTS: &'static [&'static str] = &["var", "accum", "lr", "grad"];
    const GRADIENT: usize = 3;
    const NEEDS_COLUMNS: bool = true;

    #[inline(always)]
    fn step<F: Elementary>(&self, &[lr, ..]: &Scalars<F>, [var, accum]: [F; 2], g: F) -> [F; 2] {
        let accum = if self.update_slots { accum + g * g } else { accum };
        [var - g * lr * accum.sqrt().recip(), accum]
    }
}

/// Adagrad with a term that keeps the division from zero.
struct AdagradV2 {
    update_slots: bool,
}

impl AdagradV2 {
    fn new(init: &KernelInit<'_>) -> Result<AdagradV2> {
        Ok(AdagradV2 { update_slots: init.bool("update_slots")? })
    }
}

impl Rule<2> for AdagradV2 {
    const INPUTS: &'static [&'static str] = &["var", "accum", "lr", "epsilon", "grad"];
    const GRADIENT: usize = 4;
    const NEEDS_COLUMNS: bool = true;

    #[inline(always)]
    fn step<F: Elementary>(&self, &[lr, epsilon, ..]: &Scalars<F>, [var, accum]: [F; 2], g: F) -> [F; 2] {
        let accum = if self.update_slots { accum + g * g } else { accum };
        [var - g * lr / (accum.sqrt() + epsilon), accum]
    }
}

pub(super) fn register(r: &mut Registry) {
    let update_slots = "update_slots: bool = true";
    r.add(
        op::<2, Adagrad>("ApplyAdagrad", false, "`accum += grad * grad; var -= lr * grad / sqrt(accum)`.")
            .attr(update_slots)
            .kernel(|init| dense(init, Adagrad::new(init)?)),
    );
    r.add(
        op::<2, Adagrad>("SparseApplyAdagrad", true, "`ApplyAdagrad` to the rows that the indices name.")
            .attr(update_slots)
            .kernel(|init| sparse(init, Adagrad::new(init)?)),
    );
    let doc = "`accum += grad * grad; var -= lr * grad / (sqrt(accum) + epsilon)`.";
    r.add(
        op::<2, AdagradV2>("ApplyAdagradV2", false, doc)
            .attr(update_slots)
            .kernel(|init| dense(init, AdagradV2::new(init)?)),
    );
    r.add(
        op::<2, AdagradV2>("SparseApplyAdagradV2", true, "`ApplyAdagradV2` to the rows that the indices name.")
            .attr(update_slots)
            .kernel(|init| sparse(init, AdagradV2::new(init)?)),
    );
}
