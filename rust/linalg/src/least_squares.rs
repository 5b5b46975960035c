//! Least-squares solutions: by normal equations, and by singular values.

use crate::element::{Failure, Field, rescale, scaled, view, view_mut};
use faer::linalg::solvers::{ColPivQr, Llt, Solve, SolveLstsq, Svd};
use faer::{Mat, Side};

/// The sizes of a system A X = B.
#[derive(Clone, Copy, Debug)]
pub struct System {
    pub rows: usize,
    pub columns: usize,
    /// Columns of B.
    pub right: usize,
    /// The addend of the Gramian's diagonal.
    pub regularizer: f64,
    /// The relative error of the elements of A: singular values below it, times the longer side, count as zero.
    pub epsilon: f64,
}

/// Returns X of least `|A X - B|^2 + regularizer |X|^2`, or for a wide A the X of least norm with A X = B.
///
/// Errors: `NotPositiveDefinite` where A has not full rank.
pub(crate) fn least_squares_fast<T: Field>(a: &[T], b: &[T], system: System, out: &mut [T]) -> Result<(), Failure> {
    let System { rows, columns, right, regularizer, .. } = system;
    if rows == 0 || columns == 0 || right == 0 {
        return Ok(());
    }
    let (a, b) = (view(a, rows, columns), view(b, rows, right));
    let is_tall = rows >= columns;
    let mut gramian = if is_tall { a.adjoint() * a } else { a * a.adjoint() };
    for i in 0..gramian.nrows() {
        gramian[(i, i)] += T::from_real(regularizer);
    }
    if !gramian.is_all_finite() {
        out.fill(T::from_real(f64::NAN));
        return Ok(());
    }
    let llt = Llt::new(gramian.as_ref(), Side::Lower).map_err(|_| Failure::NotPositiveDefinite)?;
    let x: Mat<T> = if is_tall { llt.solve(a.adjoint() * b) } else { a.adjoint() * llt.solve(b) };
    view_mut(out, columns, right).copy_from(&x);
    Ok(())
}

/// The least pivot of a matrix that has full rank beyond doubt, in units of that which may count as zero.
const CLEAR: f64 = 10.0;

/// Computes the only X of least |A X - B| for a tall A of full rank. Returns false where only singular values show the
/// rank.
fn least_squares_of_full_rank<T: Field>(a: &[T], b: &[T], system: System, out: &mut [T]) -> bool {
    let System { rows, columns, right, epsilon, .. } = system;
    let qr = ColPivQr::new(view(a, rows, columns));
    let upper = qr.thin_R();
    let smallest = upper[(0, 0)].magnitude() * epsilon * (rows * columns) as f64 * CLEAR;
    // A pivot that is no number fails, too.
    if !(0..columns).all(|i| upper[(i, i)].magnitude() > smallest) {
        return false;
    }
    let mut x = Mat::from_fn(rows, right, |i, j| b[i * right + j]);
    qr.solve_lstsq_in_place(x.as_mut());
    view_mut(out, columns, right).copy_from(x.subrows(0, columns));
    true
}

/// Returns the X of least norm among those of least |A X - B|, whatever the rank of A; the regularizer is not used.
pub(crate) fn least_squares_by_norm<T: Field>(a: &[T], b: &[T], system: System, out: &mut [T]) -> Result<(), Failure> {
    let System { rows, columns, right, epsilon, .. } = system;
    if rows == 0 || columns == 0 || right == 0 {
        return Ok(());
    }
    if !a.iter().all(|x| x.magnitude().is_finite()) {
        return Err(Failure::NoConvergence);
    }
    let (a, scale) = scaled(a);
    if rows >= columns && least_squares_of_full_rank(&a, b, system, out) {
        rescale(out, scale.recip());
        return Ok(());
    }
    let svd = Svd::new_thin(view(&a, rows, columns)).map_err(|_| Failure::NoConvergence)?;
    let values = svd.S();
    let smallest = values[0].magnitude() * epsilon * rows.max(columns) as f64;
    let mut inner: Mat<T> = svd.U().adjoint() * view(b, rows, right);
    for i in 0..inner.nrows() {
        let value = values[i].magnitude();
        let inverse = T::from_real(if value > smallest { 1.0 / value } else { 0.0 });
        for j in 0..right {
            inner[(i, j)] *= inverse;
        }
    }
    view_mut(out, columns, right).copy_from(svd.V() * &inner);
    rescale(out, scale.recip());
    Ok(())
}
