//! Inverses and solutions of square systems, by Gaussian elimination with row exchanges.

use crate::element::{Failure, Field, view, view_mut};
use faer::linalg::solvers::{DenseSolveCore, PartialPivLu, Solve};

/// The factors of an invertible matrix.
fn factored<T: Field>(a: &[T], n: usize) -> Result<PartialPivLu<T>, Failure> {
    let lu = PartialPivLu::new(view(a, n, n));
    let has_zero_pivot = (0..n).any(|i| lu.U()[(i, i)].magnitude() == 0.0);
    if has_zero_pivot { Err(Failure::Singular) } else { Ok(lu) }
}

/// The inverse of an `n` by `n` matrix, or of its adjoint.
pub(crate) fn inverse<T: Field>(a: &[T], n: usize, adjoint: bool, out: &mut [T]) -> Result<(), Failure> {
    if n == 0 {
        return Ok(());
    }
    let inverse = factored(a, n)?.inverse();
    let mut out = view_mut(out, n, n);
    if adjoint {
        out.copy_from(inverse.adjoint());
    } else {
        out.copy_from(&inverse);
    }
    Ok(())
}

/// X with A X = B, or with A* X = B for the adjoint; B has `k` columns.
pub(crate) fn solve<T: Field>(
    a: &[T],
    n: usize,
    b: &[T],
    k: usize,
    adjoint: bool,
    out: &mut [T],
) -> Result<(), Failure> {
    if n == 0 || k == 0 {
        return Ok(());
    }
    let lu = factored(a, n)?;
    let b = view(b, n, k);
    let x = if adjoint { lu.solve_adjoint(b) } else { lu.solve(b) };
    view_mut(out, n, k).copy_from(&x);
    Ok(())
}
