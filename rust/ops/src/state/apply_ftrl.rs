//! ApplyFtrl, ApplyFtrlV2 and their sparse forms: follow the regularized leader, which makes weights exactly zero.
//!
//! Source: McMahan et al., "Ad click prediction: a view from the trenches", KDD 2013.

use super::apply::{Rule, Scalars, Sign, dense, op, sparse};
use ferroflow_graph::Registry;
use ferroflow_tensor::vector::scalar::{self, Elementary};

/// Returns the weight that `linear` and `accum` stand for. TF 1.x: for a NaN it is 0, and NaN in the update of rows.
#[inline(always)]
fn weight<F: Elementary, const ROWS: bool>(linear: F, power_of_accum: F, lr: F, l1: F, l2: F) -> F {
    let is_beyond = linear.abs() > l1;
    if is_beyond || ROWS && linear.is_nan() {
        let towards_zero = if linear > F::zero() { l1 } else { -l1 };
        (towards_zero - linear) / (power_of_accum / lr + (l2 + l2))
    } else {
        F::zero()
    }
}

/// Returns the new variable, accum and linear; `g` moves `linear`, the plain gradient `accum`.
#[inline(always)]
fn follow<F: Elementary, const ROWS: bool>(
    [var, accum, linear]: [F; 3],
    gradient: F,
    g: F,
    [lr, l1, l2]: [F; 3],
    power: impl Fn(F) -> F,
) -> [F; 3] {
    let new_accum = accum + gradient * gradient;
    let new_power = power(new_accum);
    let linear = linear + g - (new_power - power(accum)) / lr * var;
    [weight::<F, ROWS>(linear, new_power, lr, l1, l2), new_accum, linear]
}

/// Returns true if the power of `accum` is a square root, as it usually is.
fn is_root<F: Elementary>(lr_power: F) -> bool {
    lr_power == -F::one() / (F::one() + F::one())
}

/// Returns the gradient that moves `linear`. TF 1.8 counts the shrinkage in `accum`; later versions do not, nor does this.
#[inline(always)]
fn shrunk<F: Elementary>(gradient: F, l2_shrinkage: F, var: F) -> F {
    gradient + (l2_shrinkage + l2_shrinkage) * var
}

/// Signs of the scalars of all forms.
const SIGNS: &[(&str, Sign)] = &[
    ("lr", Sign::Positive),
    ("l1", Sign::NotNegative),
    ("l2", Sign::NotNegative),
    ("l2_shrinkage", Sign::NotNegative),
    ("lr_power", Sign::NotPositive),
];

struct Ftrl<const ROWS: bool>;

impl<const ROWS: bool> Rule<3> for Ftrl<ROWS> {
    const INPUTS: &'static [&'static str] = &["var", "accum", "linear", "grad", "lr", "l1", "l2", "lr_power"];
    const GRADIENT: usize = 3;
    const NEEDS_COLUMNS: bool = true;
    const SIGNS: &'static [(&'static str, Sign)] = SIGNS;

    #[inline(always)]
    fn step<F: Elementary>(&self, &[lr, l1, l2, lr_power, ..]: &Scalars<F>, variables: [F; 3], g: F) -> [F; 3] {
        follow::<F, ROWS>(variables, g, g, [lr, l1, l2], |x| scalar::pow(x, -lr_power))
    }

    fn is_quick<F: Elementary>(&self, &[_, _, _, lr_power, ..]: &Scalars<F>) -> bool {
        is_root(lr_power)
    }

    #[inline(always)]
    fn quick_step<F: Elementary>(&self, &[lr, l1, l2, ..]: &Scalars<F>, variables: [F; 3], g: F) -> [F; 3] {
        follow::<F, ROWS>(variables, g, g, [lr, l1, l2], F::sqrt)
    }
}

struct FtrlV2<const ROWS: bool>;

impl<const ROWS: bool> Rule<3> for FtrlV2<ROWS> {
    const INPUTS: &'static [&'static str] =
        &["var", "accum", "linear", "grad", "lr", "l1", "l2", "l2_shrinkage", "lr_power"];
    const GRADIENT: usize = 3;
    const NEEDS_COLUMNS: bool = true;
    const SIGNS: &'static [(&'static str, Sign)] = SIGNS;

    #[inline(always)]
    fn step<F: Elementary>(
        &self,
        &[lr, l1, l2, l2_shrinkage, lr_power, ..]: &Scalars<F>,
        variables: [F; 3],
        g: F,
    ) -> [F; 3] {
        follow::<F, ROWS>(variables, g, shrunk(g, l2_shrinkage, variables[0]), [lr, l1, l2], |x| {
            scalar::pow(x, -lr_power)
        })
    }

    fn is_quick<F: Elementary>(&self, &[_, _, _, _, lr_power, ..]: &Scalars<F>) -> bool {
        is_root(lr_power)
    }

    #[inline(always)]
    fn quick_step<F: Elementary>(
        &self,
        &[lr, l1, l2, l2_shrinkage, ..]: &Scalars<F>,
        variables: [F; 3],
        g: F,
    ) -> [F; 3] {
        follow::<F, ROWS>(variables, g, shrunk(g, l2_shrinkage, variables[0]), [lr, l1, l2], F::sqrt)
    }
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        op::<3, Ftrl<false>>(
            "ApplyFtrl",
            false,
            "The proximal update of follow-the-regularized-leader; `var` is zero where `linear` is within `l1`.",
        )
        .kernel(|init| dense(init, Ftrl::<false>)),
    );
    r.add(
        op::<3, Ftrl<true>>("SparseApplyFtrl", true, "`ApplyFtrl` to the rows that the indices name.")
            .kernel(|init| sparse(init, Ftrl::<true>)),
    );
    r.add(
        op::<3, FtrlV2<false>>(
            "ApplyFtrlV2",
            false,
            "`ApplyFtrl` with `2 * l2_shrinkage * var` added to the gradient.",
        )
        .kernel(|init| dense(init, FtrlV2::<false>)),
    );
    r.add(
        op::<3, FtrlV2<true>>("SparseApplyFtrlV2", true, "`ApplyFtrlV2` to the rows that the indices name.")
            .kernel(|init| sparse(init, FtrlV2::<true>)),
    );
}
