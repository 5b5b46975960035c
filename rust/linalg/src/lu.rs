//! Factors, inverses and solutions of square systems, by Gaussian elimination with row exchanges.

use crate::element::{Failure, Field, view, view_mut};
use crate::small::{Lu, SMALL};
use faer::linalg::solvers::{DenseSolveCore, PartialPivLu, Solve};
use num_complex::ComplexFloat;

/// Returns true if a matrix counts as singular: a pivot is zero. TF 1.x: or its first element is no number.
pub(crate) fn is_singular<T: Field>(a: &[T], mut pivots: impl Iterator<Item = T>) -> bool {
    a.first().is_some_and(|x| x.magnitude().is_nan()) || pivots.any(|pivot| pivot.magnitude() == 0.0)
}

/// Returns the factors of an invertible matrix.
fn factored<T: Field>(a: &[T], n: usize) -> Result<PartialPivLu<T>, Failure> {
    let lu = PartialPivLu::new(view(a, n, n));
    if is_singular(a, (0..n).map(|i| lu.U()[(i, i)])) { Err(Failure::Singular) } else { Ok(lu) }
}

/// Returns `factored` for small matrices.
fn factored_small<T: Field>(a: &[T], n: usize) -> Result<Lu<T>, Failure> {
    let lu = Lu::new(a, n);
    if is_singular(a, lu.pivots()) { Err(Failure::Singular) } else { Ok(lu) }
}

/// Computes the factors of an `n` by `n` matrix in one square, and the row of the matrix that each of their rows is.
pub(crate) fn lu<T: Field>(a: &[T], n: usize, out: &mut [T], rows: &mut [usize]) -> Result<(), Failure> {
    if n == 0 {
        return Ok(());
    }
    if n <= SMALL {
        let lu = factored_small(a, n)?;
        out.copy_from_slice(lu.factors());
        rows.copy_from_slice(lu.rows());
        return Ok(());
    }
    let lu = factored(a, n)?;
    let (lower, upper) = (lu.L(), lu.U());
    let mut out = view_mut(out, n, n);
    for i in 0..n {
        for j in 0..n {
            out[(i, j)] = if j < i { lower[(i, j)] } else { upper[(i, j)] };
        }
    }
    rows.copy_from_slice(lu.P().arrays().0);
    Ok(())
}

/// Returns the inverse of an `n` by `n` matrix, or of its adjoint.
pub(crate) fn inverse<T: Field>(a: &[T], n: usize, adjoint: bool, out: &mut [T]) -> Result<(), Failure> {
    if n == 0 {
        return Ok(());
    }
    if n <= SMALL {
        factored_small(a, n)?.inverse(out);
        if adjoint {
            transpose(out, n);
        }
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

/// Turns a square into its adjoint.
fn transpose<T: Field>(x: &mut [T], n: usize) {
    for i in 0..n {
        x[i * n + i] = ComplexFloat::conj(x[i * n + i]);
        for j in 0..i {
            let (low, high) = (ComplexFloat::conj(x[i * n + j]), ComplexFloat::conj(x[j * n + i]));
            (x[i * n + j], x[j * n + i]) = (high, low);
        }
    }
}

/// Returns X with A X = B, or with A* X = B for the adjoint; B has `k` columns.
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
    if n <= SMALL {
        let lu = factored_small(a, n)?;
        if adjoint {
            lu.solve_adjoint(b, k, out);
        } else {
            lu.solve(b, k, out);
        }
        return Ok(());
    }
    let lu = factored(a, n)?;
    let b = view(b, n, k);
    let x = if adjoint { lu.solve_adjoint(b) } else { lu.solve(b) };
    view_mut(out, n, k).copy_from(&x);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::lu;
    use crate::element::Failure;

    #[test]
    fn factors_multiply_to_the_exchanged_rows() {
        for n in [1, 2, 5, 32, 33, 70] {
            let a: Vec<f64> = (0..n * n).map(|i| ((i as f64 + 1.0) * 0.754_877_666).fract() - 0.5).collect();
            let (mut out, mut rows) = (vec![0.0; n * n], vec![0; n]);
            lu(&a, n, &mut out, &mut rows).unwrap();
            for i in 0..n {
                for j in 0..n {
                    let lower = |k: usize| if k == i { 1.0 } else { out[i * n + k] };
                    let product: f64 = (0..=i.min(j)).map(|k| lower(k) * out[k * n + j]).sum();
                    assert!((product - a[rows[i] * n + j]).abs() < 1e-11, "{n}: {i} {j}");
                }
            }
            assert_eq!(lu(&vec![0.0; n * n], n, &mut out, &mut rows), Err(Failure::Singular));
        }
    }
}
