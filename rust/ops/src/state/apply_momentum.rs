//! ApplyMomentum and SparseApplyMomentum: gradients gather in `accum`, which moves the variable.

use super::apply::{Rule, Scalars, dense, op, sparse};
use ferroflow_graph::{KernelInit, Registry};
use ferroflow_tensor::Result;
use ferroflow_tensor::vector::scalar::Elementary;

struct Momentum {
    nesterov: bool,
}

impl Momentum {
    fn new(init: &KernelInit<'_>) -> Result<Momentum> {
        Ok(Momentum { nesterov: init.bool("use_nesterov")? })
    }
}

impl Rule<2> for Momentum {
    const INPUTS: &'static [&'static str] = &["var", "accum", "lr", "grad", "momentum"];
    const GRADIENT: usize = 3;

    #[inline(always)]
    fn step<F: Elementary>(&self, &[lr, momentum, ..]: &Scalars<F>, [var, accum]: [F; 2], g: F) -> [F; 2] {
        let accum = accum * momentum + g;
        let step = if self.nesterov { g * lr + accum * momentum * lr } else { accum * lr };
        [var - step, accum]
    }
}

pub(super) fn register(r: &mut Registry) {
    let nesterov = "use_nesterov: bool = false";
    r.add(
        op::<2, Momentum>("ApplyMomentum", false, "`accum = accum * momentum + grad; var -= lr * accum`.")
            .attr(nesterov)
            .kernel(|init| dense(init, Momentum::new(init)?)),
    );
    r.add(
        op::<2, Momentum>("SparseApplyMomentum", true, "`ApplyMomentum` to the rows that the indices name.")
            .attr(nesterov)
            .kernel(|init| sparse(init, Momentum::new(init)?)),
    );
}
