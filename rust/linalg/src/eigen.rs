//! Eigenvalues and eigenvectors of self-adjoint matrices.

use crate::element::{Failure, Field, lower_is_finite, rescale, scaled, view_mut};
use crate::small::{SMALL, symmetric_eigen};
use faer::linalg::solvers::SelfAdjointEigen;
use faer::{Mat, Side};
use std::cmp::Ordering;

/// Returns the lower half of a matrix, with the real parts of its diagonal: the imaginary ones have no say.
fn lower<T: Field>(a: &[T], n: usize) -> Mat<T> {
    Mat::from_fn(n, n, |i, j| match i.cmp(&j) {
        Ordering::Greater => a[i * n + j],
        Ordering::Equal => T::from_real(a[i * n + j].to_complex().re),
        Ordering::Less => T::default(),
    })
}

/// Returns the eigenvalues, in ascending order, and the eigenvectors, as columns; only the lower half of `a` is read.
pub(crate) fn self_adjoint_eigen<T: Field>(
    a: &[T],
    n: usize,
    values: &mut [T],
    vectors: &mut [T],
) -> Result<(), Failure> {
    if n == 0 {
        return Ok(());
    }
    if n == 1 {
        (values[0], vectors[0]) = (T::from_real(a[0].to_complex().re), T::from_real(1.0));
        return Ok(());
    }
    if !lower_is_finite(a, n) {
        return Err(Failure::NoConvergence);
    }
    if n <= SMALL
        && let (Some(a), Some(values), Some(vectors)) = (T::as_real(a), T::as_real_mut(values), T::as_real_mut(vectors))
    {
        return symmetric_eigen(a, n, values, Some(vectors));
    }
    let (a, scale) = scaled(a);
    let eigen = SelfAdjointEigen::new(lower(&a, n).as_ref(), Side::Lower).map_err(|_| Failure::NoConvergence)?;
    let found = eigen.S();
    for (i, value) in values.iter_mut().enumerate() {
        *value = found[i];
    }
    rescale(values, scale);
    view_mut(vectors, n, n).copy_from(eigen.U());
    Ok(())
}

/// Returns the eigenvalues in ascending order; only the lower half of `a` is read.
pub(crate) fn self_adjoint_eigenvalues<T: Field>(a: &[T], n: usize, values: &mut [T]) -> Result<(), Failure> {
    if n == 0 {
        return Ok(());
    }
    if n == 1 {
        values[0] = T::from_real(a[0].to_complex().re);
        return Ok(());
    }
    if !lower_is_finite(a, n) {
        return Err(Failure::NoConvergence);
    }
    if n <= SMALL
        && let (Some(a), Some(values)) = (T::as_real(a), T::as_real_mut(values))
    {
        return symmetric_eigen(a, n, values, None);
    }
    let (a, scale) = scaled(a);
    let found = lower(&a, n).self_adjoint_eigenvalues(Side::Lower).map_err(|_| Failure::NoConvergence)?;
    for (value, found) in values.iter_mut().zip(found) {
        *value = T::from_real(found);
    }
    rescale(values, scale);
    Ok(())
}
