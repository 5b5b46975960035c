//! The QR factorization.

use crate::element::{Field, rescale, scaled, view, view_mut};
use crate::small_qr;
use faer::linalg::solvers::Qr;

/// Computes the factors of a `rows` by `columns` matrix: a unitary Q of `inner` columns, and R of `inner` rows with
/// zeros below the diagonal. `inner` is `rows` or the shorter of the two sides.
pub(crate) fn qr<T: Field>(a: &[T], (rows, columns): (usize, usize), inner: usize, q: &mut [T], r: &mut [T]) {
    if rows == 0 || inner == 0 {
        return;
    }
    if columns == 0 {
        for i in 0..inner {
            q[i * inner + i] = T::from_real(1.0);
        }
        return;
    }
    if let (Some(a), Some(q), Some(r)) = (T::as_real(a), T::as_real_mut(q), T::as_real_mut(r))
        && small_qr::is_for(a, (rows, columns))
    {
        return small_qr::qr(a, (rows, columns), inner, q, r);
    }
    let (a, scale) = scaled(a);
    let factors = Qr::new(view(&a, rows, columns));
    let shortest = rows.min(columns);
    let upper = factors.thin_R();
    for i in 0..shortest {
        let row = &mut r[i * columns + i..(i + 1) * columns];
        row.iter_mut().enumerate().for_each(|(j, x)| *x = upper[(i, i + j)]);
        rescale(row, scale);
    }
    let mut q = view_mut(q, rows, inner);
    if inner == shortest {
        q.copy_from(factors.compute_thin_Q());
    } else {
        q.copy_from(factors.compute_Q());
    }
}

#[cfg(test)]
mod tests {
    use super::qr;

    #[test]
    fn signs_are_lapacks() {
        for (a, diagonal) in [([3.0f64, 4.0], -5.0), ([-3.0, 4.0], 5.0), ([3.0, 0.0], 3.0), ([-3.0, 0.0], -3.0)] {
            let (mut q, mut r) = ([0.0; 2], [0.0; 1]);
            qr(&a, (2, 1), 1, &mut q, &mut r);
            assert!((r[0] - diagonal).abs() < 1e-14, "{a:?} {r:?}");
        }
    }
}
