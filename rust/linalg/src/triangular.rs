//! Solutions of triangular systems.

use crate::element::{Failure, Field, view, view_mut};
use crate::lu::is_singular;
use crate::small::{self, SMALL};
use faer::Par;
use faer::linalg::triangular_solve::{solve_lower_triangular_in_place, solve_upper_triangular_in_place};

/// Which half of a matrix is read; the other counts as zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Triangle {
    Lower,
    Upper,
}

/// Returns X with A X = B, or with A* X = B for the adjoint, of a triangular `n` by `n` matrix A. B has `k` columns.
pub(crate) fn solve_triangular<T: Field>(
    a: &[T],
    n: usize,
    triangle: Triangle,
    b: &[T],
    k: usize,
    adjoint: bool,
    out: &mut [T],
) -> Result<(), Failure> {
    if n == 0 || k == 0 {
        return Ok(());
    }
    if is_singular(a, (0..n).map(|i| a[i * n + i])) {
        return Err(Failure::Singular);
    }
    out.copy_from_slice(b);
    if n <= SMALL {
        small::solve_triangular(a, n, triangle, adjoint, out, k);
        return Ok(());
    }
    let (a, x) = (view(a, n, n), view_mut(out, n, k));
    match (triangle, adjoint) {
        (Triangle::Lower, false) => solve_lower_triangular_in_place(a, x, Par::Seq),
        (Triangle::Upper, false) => solve_upper_triangular_in_place(a, x, Par::Seq),
        (Triangle::Lower, true) => solve_upper_triangular_in_place(a.adjoint(), x, Par::Seq),
        (Triangle::Upper, true) => solve_lower_triangular_in_place(a.adjoint(), x, Par::Seq),
    }
    Ok(())
}
