//! Singular values and vectors.

use crate::element::{Failure, Field, rescale, scaled, view, view_mut};
use faer::linalg::solvers::Svd;

fn is_finite<T: Field>(a: &[T]) -> bool {
    a.iter().all(|x| x.magnitude().is_finite())
}

/// Returns the singular values of a `rows` by `columns` matrix, in descending order; NaN for one that is not finite.
pub(crate) fn singular_values<T: Field>(
    a: &[T],
    (rows, columns): (usize, usize),
    values: &mut [T],
) -> Result<(), Failure> {
    if rows == 0 || columns == 0 {
        return Ok(());
    }
    if !is_finite(a) {
        values.fill(T::from_real(f64::NAN));
        return Ok(());
    }
    let (a, scale) = scaled(a);
    let found = view(&a, rows, columns).singular_values().map_err(|_| Failure::NoConvergence)?;
    for (value, found) in values.iter_mut().zip(found) {
        *value = T::from_real(found);
    }
    rescale(values, scale);
    Ok(())
}

/// Returns the singular values in descending order, and the left and right singular vectors, as columns. There are as
/// many vectors as values, or all of them if `full`. All are NaN for a matrix that is not finite.
pub(crate) fn svd<T: Field>(
    a: &[T],
    (rows, columns): (usize, usize),
    full: bool,
    values: &mut [T],
    left: &mut [T],
    right: &mut [T],
) -> Result<(), Failure> {
    if !is_finite(a) {
        [values, left, right].into_iter().for_each(|out| out.fill(T::from_real(f64::NAN)));
        return Ok(());
    }
    let shortest = rows.min(columns);
    let (left_count, right_count) = if full { (rows, columns) } else { (shortest, shortest) };
    if shortest == 0 {
        identity(left, rows, left_count);
        identity(right, columns, right_count);
        return Ok(());
    }
    let (a, scale) = scaled(a);
    let a = view(&a, rows, columns);
    let svd = if full { Svd::new(a) } else { Svd::new_thin(a) }.map_err(|_| Failure::NoConvergence)?;
    let found = svd.S();
    for (i, value) in values.iter_mut().enumerate() {
        *value = found[i];
    }
    rescale(values, scale);
    view_mut(left, rows, left_count).copy_from(svd.U());
    view_mut(right, columns, right_count).copy_from(svd.V());
    Ok(())
}

fn identity<T: Field>(out: &mut [T], rows: usize, columns: usize) {
    out.fill(T::default());
    for i in 0..rows.min(columns) {
        out[i * columns + i] = T::from_real(1.0);
    }
}
