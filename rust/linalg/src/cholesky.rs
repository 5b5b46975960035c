//! The Cholesky factorization and its reverse-mode derivative.

use crate::element::{Failure, Field, lower_is_finite, view, view_mut};
use crate::small::{self, SMALL};
use faer::linalg::solvers::Llt;
use faer::linalg::triangular_solve::solve_upper_triangular_in_place;
use faer::{Mat, MatMut, Par, Side};
use num_complex::ComplexFloat;

/// Returns the lower triangular L with L L* = A, of the lower half of A; zeros above the diagonal.
///
/// TF 1.x: a pivot that is no number passes, and spreads.
pub(crate) fn cholesky<T: Field>(a: &[T], n: usize, out: &mut [T]) -> Result<(), Failure> {
    if n == 0 {
        return Ok(());
    }
    if n <= SMALL || !lower_is_finite(a, n) {
        return small::cholesky(a, n, out);
    }
    let llt = Llt::new(view(a, n, n), Side::Lower).map_err(|_| Failure::NotPositiveDefinite)?;
    let l = llt.L();
    for i in 0..n {
        for j in 0..n {
            out[i * n + j] = if j <= i { l[(i, j)] } else { T::default() };
        }
    }
    Ok(())
}

/// Computes the gradient for A of a function whose gradient for L = cholesky(A) is `g`. Only lower halves of `l` and
/// `g` are read.
///
/// It is the Hermitian part of L^-* P L^-1, where P is the lower half of L* G with its diagonal halved.
///
/// Source: Murray, Differentiation of the Cholesky decomposition, 2016.
pub(crate) fn cholesky_gradient<T: Field>(l: &[T], g: &[T], n: usize, out: &mut [T]) {
    if n == 0 {
        return;
    }
    let lower = |data: &[T]| {
        let data = view(data, n, n);
        Mat::from_fn(n, n, |i, j| if j <= i { data[(i, j)] } else { T::default() })
    };
    let (l, g) = (lower(l), lower(g));
    let product = l.adjoint() * &g;
    let half = T::from_real(0.5);
    let mut p = Mat::from_fn(n, n, |i, j| match i.cmp(&j) {
        std::cmp::Ordering::Greater => product[(i, j)],
        std::cmp::Ordering::Equal => product[(i, j)] * half,
        std::cmp::Ordering::Less => T::default(),
    });
    let solve = |x: MatMut<'_, T>| solve_upper_triangular_in_place(l.adjoint(), x, Par::Seq);
    solve(p.as_mut());
    // X L^-1 is the adjoint of L^-* X*.
    let mut q: Mat<T> = Mat::from_fn(n, n, |i, j| ComplexFloat::conj(p[(j, i)]));
    solve(q.as_mut());
    let mut out = view_mut(out, n, n);
    for i in 0..n {
        for j in 0..n {
            out[(i, j)] = (ComplexFloat::conj(q[(j, i)]) + q[(i, j)]) * half;
        }
    }
}
