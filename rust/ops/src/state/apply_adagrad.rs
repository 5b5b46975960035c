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

    #[inline(always)]
    fn step<F: Elementary>(&self, &[lr, ..]: &Scalars<F>, [var, accum]: [F; 2], g: F) -> [F; 2] {
        let accum = if self.update_slots { accum + g * g } else { accum };
        [var - g * lr * accum.sqrt().recip(), accum]
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
}
