//! Dense linear algebra on single row-major matrices, on the calling thread: the only crate that names `faer`.
//!
//! Callers have checked the sizes: a slice holds as many elements as its matrix has.

#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "references of tests"))]
#![forbid(unsafe_code)]

mod cholesky;
mod complex;
mod determinant;
mod eigen;
mod element;
mod exponential;
mod least_squares;
mod lu;
mod qr;
mod real_cholesky;
mod schur;
mod small;
mod small_qr;
mod svd;
mod triangular;
mod tridiagonal;

pub use element::{Element, Failure, Field, Wide};
pub use least_squares::System;
pub use real_cholesky::Real;
pub use triangular::Triangle;

use num_complex::Complex;

/// The algorithms, for double precision. They are methods of a trait, not generic functions, so that they are compiled
/// here, once and optimised. Otherwise every crate that calls them would compile them.
pub trait Algorithms: Field {
    /// Returns the inverse of an `n` by `n` matrix, or of its adjoint.
    ///
    /// Errors: `Singular` where a pivot is zero.
    fn inverse(a: &[Self], n: usize, adjoint: bool, out: &mut [Self]) -> Result<(), Failure>;

    /// Returns X with A X = B, or with A* X = B for the adjoint; B has `k` columns.
    ///
    /// Errors: `Singular` where a pivot is zero.
    fn solve(a: &[Self], n: usize, b: &[Self], k: usize, adjoint: bool, out: &mut [Self]) -> Result<(), Failure>;

    /// Returns X with A X = B, or with A* X = B for the adjoint, of a triangular `n` by `n` matrix A. B has `k`
    /// columns.
    ///
    /// Errors: `Singular` where an element of the diagonal is zero.
    fn solve_triangular(
        a: &[Self],
        n: usize,
        triangle: Triangle,
        b: &[Self],
        k: usize,
        adjoint: bool,
        out: &mut [Self],
    ) -> Result<(), Failure>;

    /// Computes the factors of an `n` by `n` matrix with exchanged rows, in one square. The lower one has ones on its
    /// diagonal, which are not written. `rows` receives the row of the matrix that each row of the factors is.
    ///
    /// Errors: `Singular` where a pivot is zero.
    fn lu(a: &[Self], n: usize, out: &mut [Self], rows: &mut [usize]) -> Result<(), Failure>;

    /// Returns X with A X = B; B has `k` columns. The diagonals of A are the upper, the main and the lower one, of `n`
    /// elements each. The last element of the upper one and the first of the lower one are not used.
    ///
    /// Errors: `Singular` where a pivot is zero.
    fn solve_tridiagonal(
        diagonals: &[Self],
        n: usize,
        b: &[Self],
        k: usize,
        pivoting: bool,
        out: &mut [Self],
    ) -> Result<(), Failure>;

    /// Returns the determinant of an `n` by `n` matrix; 1 where `n` is 0.
    fn determinant(a: &[Self], n: usize) -> Self;

    /// Returns the phase of the determinant and the logarithm of its absolute value: 0 and -inf for a singular matrix.
    fn log_determinant(a: &[Self], n: usize) -> (Self, Self);

    /// Returns the lower triangular L with L L* = A, of the lower half of A; zeros above the diagonal.
    ///
    /// Errors: `NotPositiveDefinite`.
    fn cholesky(a: &[Self], n: usize, out: &mut [Self]) -> Result<(), Failure>;

    /// Computes the gradient for A of a function whose gradient for L = cholesky(A) is `g`; only lower halves are read.
    fn cholesky_gradient(l: &[Self], g: &[Self], n: usize, out: &mut [Self]);

    /// Returns the eigenvalues, in ascending order, and the eigenvectors, as columns; only the lower half of `a` is
    /// read.
    ///
    /// Errors: `NoConvergence`, as for elements that are not finite.
    fn self_adjoint_eigen(a: &[Self], n: usize, values: &mut [Self], vectors: &mut [Self]) -> Result<(), Failure>;

    /// Returns the eigenvalues in ascending order; only the lower half of `a` is read.
    ///
    /// Errors: `NoConvergence`, as for elements that are not finite.
    fn self_adjoint_eigenvalues(a: &[Self], n: usize, values: &mut [Self]) -> Result<(), Failure>;

    /// Returns the singular values in descending order, and the left and right singular vectors, as columns. There are
    /// as many vectors as values, or all of them if `full`. All are NaN for a matrix that is not finite.
    ///
    /// Errors: `NoConvergence`.
    fn svd(
        a: &[Self],
        sides: (usize, usize),
        full: bool,
        values: &mut [Self],
        left: &mut [Self],
        right: &mut [Self],
    ) -> Result<(), Failure>;

    /// Returns the singular values, in descending order; NaN for a matrix that is not finite.
    ///
    /// Errors: `NoConvergence`.
    fn singular_values(a: &[Self], sides: (usize, usize), values: &mut [Self]) -> Result<(), Failure>;

    /// Computes the factors of a matrix: a unitary Q of `inner` columns, and R of `inner` rows. The part of R below the
    /// diagonal is not written. `inner` is the number of rows or the shorter of the two sides.
    fn qr(a: &[Self], sides: (usize, usize), inner: usize, q: &mut [Self], r: &mut [Self]);

    /// Returns X of least `|A X - B|^2 + regularizer |X|^2`, or for a wide A the X of least norm with A X = B.
    ///
    /// Errors: `NotPositiveDefinite` where A has not full rank.
    fn least_squares_fast(a: &[Self], b: &[Self], system: System, out: &mut [Self]) -> Result<(), Failure>;

    /// Returns the X of least norm among those of least |A X - B|, whatever the rank of A; the regularizer is not used.
    ///
    /// Errors: `NoConvergence`, as for elements that are not finite.
    fn least_squares_by_norm(a: &[Self], b: &[Self], system: System, out: &mut [Self]) -> Result<(), Failure>;

    /// Computes exp(A) of an `n` by `n` matrix; NaN if an element is not finite.
    fn exponential(a: &[Self], n: usize, out: &mut [Self]);

    /// Computes the principal square root of an `n` by `n` matrix; of a real one the real part.
    fn square_root(a: &[Self], n: usize, out: &mut [Self]);

    /// Computes the principal logarithm of an `n` by `n` matrix; of a real one the real part.
    fn logarithm(a: &[Self], n: usize, out: &mut [Self]);
}

macro_rules! algorithms {
    ($($t:ty),*) => {$(
        impl Algorithms for $t {
            fn inverse(a: &[$t], n: usize, adjoint: bool, out: &mut [$t]) -> Result<(), Failure> {
                lu::inverse(a, n, adjoint, out)
            }
            fn solve(
                a: &[$t], n: usize, b: &[$t], k: usize, adjoint: bool, out: &mut [$t],
            ) -> Result<(), Failure> {
                lu::solve(a, n, b, k, adjoint, out)
            }
            fn solve_triangular(
                a: &[$t], n: usize, triangle: Triangle, b: &[$t], k: usize, adjoint: bool, out: &mut [$t],
            ) -> Result<(), Failure> {
                triangular::solve_triangular(a, n, triangle, b, k, adjoint, out)
            }
            fn lu(a: &[$t], n: usize, out: &mut [$t], rows: &mut [usize]) -> Result<(), Failure> {
                lu::lu(a, n, out, rows)
            }
            fn solve_tridiagonal(
                diagonals: &[$t], n: usize, b: &[$t], k: usize, pivoting: bool, out: &mut [$t],
            ) -> Result<(), Failure> {
                tridiagonal::solve(diagonals, n, b, k, pivoting, out)
            }
            fn determinant(a: &[$t], n: usize) -> $t {
                determinant::determinant(a, n)
            }
            fn log_determinant(a: &[$t], n: usize) -> ($t, $t) {
                determinant::log_determinant(a, n)
            }
            fn cholesky(a: &[$t], n: usize, out: &mut [$t]) -> Result<(), Failure> {
                cholesky::cholesky(a, n, out)
            }
            fn cholesky_gradient(l: &[$t], g: &[$t], n: usize, out: &mut [$t]) {
                cholesky::cholesky_gradient(l, g, n, out)
            }
            fn self_adjoint_eigen(
                a: &[$t], n: usize, values: &mut [$t], vectors: &mut [$t],
            ) -> Result<(), Failure> {
                eigen::self_adjoint_eigen(a, n, values, vectors)
            }
            fn self_adjoint_eigenvalues(a: &[$t], n: usize, values: &mut [$t]) -> Result<(), Failure> {
                eigen::self_adjoint_eigenvalues(a, n, values)
            }
            fn svd(
                a: &[$t], sides: (usize, usize), full: bool, values: &mut [$t], left: &mut [$t], right: &mut [$t],
            ) -> Result<(), Failure> {
                svd::svd(a, sides, full, values, left, right)
            }
            fn singular_values(a: &[$t], sides: (usize, usize), values: &mut [$t]) -> Result<(), Failure> {
                svd::singular_values(a, sides, values)
            }
            fn qr(a: &[$t], sides: (usize, usize), inner: usize, q: &mut [$t], r: &mut [$t]) {
                qr::qr(a, sides, inner, q, r)
            }
            fn least_squares_fast(a: &[$t], b: &[$t], system: System, out: &mut [$t]) -> Result<(), Failure> {
                least_squares::least_squares_fast(a, b, system, out)
            }
            fn least_squares_by_norm(a: &[$t], b: &[$t], system: System, out: &mut [$t]) -> Result<(), Failure> {
                least_squares::least_squares_by_norm(a, b, system, out)
            }
            fn exponential(a: &[$t], n: usize, out: &mut [$t]) {
                exponential::exponential(a, n, out)
            }
            fn square_root(a: &[$t], n: usize, out: &mut [$t]) {
                schur::square_root(a, n, out)
            }
            fn logarithm(a: &[$t], n: usize, out: &mut [$t]) {
                schur::logarithm(a, n, out)
            }
        }
    )*};
}
algorithms!(f64, Complex<f64>);

#[cfg(test)]
mod tests {
    use crate::{Algorithms, Failure, Field, System};
    use num_complex::Complex;

    /// Returns a matrix of full rank, whose diagonal is the greatest part.
    fn square<T: Field>(n: usize, scale: f64) -> Vec<T> {
        let element = |i: usize| ((i as f64 + 1.0) * 0.754_877_666).fract() - 0.5;
        let on_diagonal = |i: usize| if i.is_multiple_of(n + 1) { n as f64 } else { 0.0 };
        (0..n * n).map(|i| T::from_complex(Complex::new(element(i) + on_diagonal(i), element(i + 7)) * scale)).collect()
    }

    /// Checks that values of a scaled matrix are the scaled values.
    fn assert_scaled<T: Field>(found: &[T], values: &[T], scale: f64, about: &str) {
        let largest = values.iter().map(|x| x.magnitude()).fold(0.0, f64::max);
        for (x, y) in found.iter().zip(values) {
            let distance = (x.to_complex() / scale - y.to_complex()).norm();
            assert!(distance <= 1e-11 * largest, "{about} {scale:e}: {x:?} {y:?}");
        }
    }

    fn check_scales<T: Algorithms>() {
        for n in [1, 2, 5, 40] {
            let zeros = |len: usize| vec![T::default(); len];
            let found = |scale: f64| {
                let a = square::<T>(n, scale);
                let (mut values, mut left, mut right) = (zeros(n), zeros(n * n), zeros(n * n));
                T::singular_values(&a, (n, n), &mut values).unwrap();
                let mut with_vectors = zeros(n);
                T::svd(&a, (n, n), true, &mut with_vectors, &mut left, &mut right).unwrap();
                let mut eigenvalues = zeros(n);
                T::self_adjoint_eigenvalues(&a, n, &mut eigenvalues).unwrap();
                let (mut q, mut r) = (zeros(n * n), zeros(n * n));
                T::qr(&a, (n, n), n, &mut q, &mut r);
                let system = System { rows: n, columns: n, right: 1, regularizer: 0.0, epsilon: f64::EPSILON };
                let mut solution = zeros(n);
                T::least_squares_by_norm(&a, &square::<T>(n, scale)[..n], system, &mut solution).unwrap();
                (vec![values, with_vectors, eigenvalues, r], solution)
            };
            let (parts, solution) = found(1.0);
            for exponent in [-1010, -530, 530, 1010] {
                let scale = f64::exp2(f64::from(exponent));
                let (scaled_parts, scaled_solution) = found(scale);
                for (place, (x, y)) in scaled_parts.iter().zip(&parts).enumerate() {
                    assert_scaled(x, y, scale, &format!("{n}, part {place}"));
                }
                assert_scaled(&scaled_solution, &solution, 1.0, &format!("{n}, least squares"));
            }
        }
    }

    #[test]
    fn decompositions_of_large_and_small_numbers_are_those_of_common_ones() {
        check_scales::<f64>();
        check_scales::<Complex<f64>>();
    }

    fn check_missing_numbers<T: Algorithms>() {
        let nan = T::from_real(f64::NAN);
        for n in [1, 3, 40] {
            let (mut out, mut rows) = (vec![T::default(); n * n], vec![0; n]);
            let mut a = square::<T>(n, 1.0);
            a[0] = nan;
            assert_eq!(T::inverse(&a, n, false, &mut out), Err(Failure::Singular));
            assert_eq!(T::lu(&a, n, &mut out, &mut rows), Err(Failure::Singular));
            let mut x = vec![T::default(); n];
            assert_eq!(T::solve(&a, n, &vec![nan; n], 1, false, &mut x), Err(Failure::Singular));
            T::cholesky(&a, n, &mut out).unwrap();
            assert!((0..n).all(|i| (0..n).all(|j| out[i * n + j].magnitude().is_nan() == (j <= i))));
            let mut last = square::<T>(n, 1.0);
            last[n * n - 1] = nan;
            assert_eq!(T::inverse(&last, n, false, &mut out).is_ok(), n > 1);
            T::cholesky(&last, n, &mut out).unwrap();
            assert_eq!(out.iter().filter(|x| x.magnitude().is_nan()).count(), 1);
            T::self_adjoint_eigenvalues(&a[..1], 1, &mut x).unwrap();
            assert!(x[0].magnitude().is_nan());
        }
    }

    #[test]
    fn a_first_element_that_is_no_number_has_no_inverse_and_spreads_in_the_cholesky_factor() {
        check_missing_numbers::<f64>();
        check_missing_numbers::<Complex<f64>>();
    }
}
