//! Logarithms and square roots of matrices, by the complex Schur form.

use crate::complex::{log, norm, sqrt};
use crate::element::Field;
use faer::linalg::solvers::{PartialPivLu, Solve};
use faer::{Mat, Scale};
use num_complex::Complex;

type C = Complex<f64>;

const ZERO: C = Complex::new(0.0, 0.0);
const ONE: C = Complex::new(1.0, 0.0);
/// Iterations for one eigenvalue after which a matrix counts as one that does not converge.
const MAX_ITERATIONS: usize = 120;
/// After so many iterations without an eigenvalue the shift is changed.
const PATIENCE: usize = 10;

/// A plane rotation that takes (x, y) to (r, 0).
struct Rotation {
    c: f64,
    s: C,
}

impl Rotation {
    fn of(x: C, y: C) -> Rotation {
        let length = libm::hypot(norm(x), norm(y));
        if length == 0.0 {
            return Rotation { c: 1.0, s: ZERO };
        }
        let phase = if norm(x) == 0.0 { ONE } else { x / norm(x) };
        Rotation { c: norm(x) / length, s: phase * y.conj() / length }
    }

    fn rows(&self, m: &mut Mat<C>, i: usize, columns: std::ops::Range<usize>) {
        for j in columns {
            let (x, y) = (m[(i, j)], m[(i + 1, j)]);
            m[(i, j)] = x * self.c + self.s * y;
            m[(i + 1, j)] = y * self.c - self.s.conj() * x;
        }
    }

    /// Applies the adjoint from the right.
    fn columns(&self, m: &mut Mat<C>, j: usize, rows: std::ops::Range<usize>) {
        for i in rows {
            let (x, y) = (m[(i, j)], m[(i, j + 1)]);
            m[(i, j)] = x * self.c + self.s.conj() * y;
            m[(i, j + 1)] = y * self.c - self.s * x;
        }
    }
}

/// Zeros below the first subdiagonal, by rotations from the bottom up.
fn hessenberg(t: &mut Mat<C>, q: &mut Mat<C>) {
    let n = t.nrows();
    for column in 0..n.saturating_sub(2) {
        for row in (column + 1..n - 1).rev() {
            let rotation = Rotation::of(t[(row, column)], t[(row + 1, column)]);
            rotation.rows(t, row, column..n);
            t[(row + 1, column)] = ZERO;
            rotation.columns(t, row, 0..n);
            rotation.columns(q, row, 0..n);
        }
    }
}

/// Returns the eigenvalue of the last 2 by 2 block that is nearer to its last element.
fn wilkinson_shift(t: &Mat<C>, end: usize) -> C {
    let (a, b) = (t[(end - 1, end - 1)], t[(end - 1, end)]);
    let (c, d) = (t[(end, end - 1)], t[(end, end)]);
    let half = (a - d) / 2.0;
    let root = sqrt(half * half + b * c);
    let (above, below) = (half + root, half - root);
    d + if norm(above) < norm(below) { above } else { below }
}

/// Returns Q and the upper triangular T with Q T Q* = A. `None` where an element is not finite or the iteration does
/// not end.
///
/// Source: Golub and Van Loan, Matrix Computations, 7.5: shifted QR steps with deflation.
fn schur(a: Mat<C>) -> Option<(Mat<C>, Mat<C>)> {
    let n = a.nrows();
    let (mut t, mut q) = (a, Mat::identity(n, n));
    if (0..n).any(|j| (0..n).any(|i| !t[(i, j)].re.is_finite() || !t[(i, j)].im.is_finite())) {
        return None;
    }
    hessenberg(&mut t, &mut q);
    let mut end = n - 1;
    let mut iterations = 0;
    while end > 0 {
        let is_small = |i: usize, t: &Mat<C>| {
            let beside = norm(t[(i, i)]) + norm(t[(i - 1, i - 1)]);
            norm(t[(i, i - 1)]) <= f64::EPSILON * if beside == 0.0 { t.norm_max() } else { beside }
        };
        let start = (1..=end).rev().find(|&i| is_small(i, &t)).unwrap_or(0);
        if start > 0 {
            t[(start, start - 1)] = ZERO;
        }
        if start == end {
            end -= 1;
            iterations = 0;
            continue;
        }
        iterations += 1;
        if iterations > MAX_ITERATIONS {
            return None;
        }
        let shift =
            if iterations % PATIENCE == 0 { t[(end, end)] + norm(t[(end, end - 1)]) } else { wilkinson_shift(&t, end) };
        (start..=end).for_each(|i| t[(i, i)] -= shift);
        let mut rotations = Vec::with_capacity(end - start);
        for i in start..end {
            let rotation = Rotation::of(t[(i, i)], t[(i + 1, i)]);
            rotation.rows(&mut t, i, i..n);
            t[(i + 1, i)] = ZERO;
            rotations.push(rotation);
        }
        for (i, rotation) in (start..end).zip(&rotations) {
            rotation.columns(&mut t, i, 0..i + 2);
            rotation.columns(&mut q, i, 0..n);
        }
        (start..=end).for_each(|i| t[(i, i)] += shift);
    }
    Some((q, t))
}

/// Returns the principal square root of an upper triangular matrix.
///
/// Source: Björck and Hammarling, A Schur method for the square root of a matrix, 1983.
fn triangular_square_root(t: &Mat<C>) -> Mat<C> {
    let n = t.nrows();
    let mut root: Mat<C> = Mat::zeros(n, n);
    for j in 0..n {
        root[(j, j)] = sqrt(t[(j, j)]);
        for i in (0..j).rev() {
            let rest = t[(i, j)] - (i + 1..j).map(|k| root[(i, k)] * root[(k, j)]).sum::<C>();
            root[(i, j)] = if rest == ZERO { ZERO } else { rest / (root[(i, i)] + root[(j, j)]) };
        }
    }
    root
}

/// Points and weights of Gauss-Legendre quadrature on [-1, 1].
const QUADRATURE: [(f64, f64); 7] = [
    (-0.949_107_912_342_758_5, 0.129_484_966_168_869_7),
    (-0.741_531_185_599_394_4, 0.279_705_391_489_276_7),
    (-0.405_845_151_377_397_2, 0.381_830_050_505_118_9),
    (0.0, 0.417_959_183_673_469_4),
    (0.405_845_151_377_397_2, 0.381_830_050_505_118_9),
    (0.741_531_185_599_394_4, 0.279_705_391_489_276_7),
    (0.949_107_912_342_758_5, 0.129_484_966_168_869_7),
];
/// The 1-norm of T - I below which the quadrature is exact to double precision.
const NEAR_IDENTITY: f64 = 0.264;
/// Square roots after which a matrix counts as one without a logarithm.
const MAX_ROOTS: i32 = 100;

/// Returns the principal logarithm of an upper triangular matrix.
///
/// Source: Higham, Functions of Matrices, 11.5: inverse scaling and squaring.
fn triangular_logarithm(t: &Mat<C>) -> Mat<C> {
    let n = t.nrows();
    let identity: Mat<C> = Mat::identity(n, n);
    let mut root = t.clone();
    let mut roots = 0;
    let mut x = &root - &identity;
    while norm_1(&x) > NEAR_IDENTITY && roots < MAX_ROOTS {
        root = triangular_square_root(&root);
        roots += 1;
        x = &root - &identity;
    }
    let mut sum: Mat<C> = Mat::zeros(n, n);
    for (point, weight) in QUADRATURE {
        let (at, weight) = ((1.0 + point) / 2.0, weight / 2.0);
        let factor = &identity + Scale(C::new(at, 0.0)) * &x;
        sum += Scale(C::new(weight, 0.0)) * PartialPivLu::new(factor.as_ref()).solve(&x);
    }
    let mut logarithm = Scale(C::new(2.0f64.powi(roots), 0.0)) * sum;
    for i in 0..n {
        logarithm[(i, i)] = log(t[(i, i)]);
    }
    logarithm
}

fn norm_1(m: &Mat<C>) -> f64 {
    (0..m.ncols()).map(|j| (0..m.nrows()).map(|i| norm(m[(i, j)])).sum::<f64>()).fold(0.0, f64::max)
}

/// Returns a function of a matrix by that of its Schur form; NaN where that does not exist.
fn by_schur_form<T: Field>(a: &[T], n: usize, f: impl Fn(&Mat<C>) -> Mat<C>, out: &mut [T]) {
    if n == 0 {
        return;
    }
    let Some((q, t)) = schur(Mat::from_fn(n, n, |i, j| a[i * n + j].to_complex())) else {
        out.fill(T::from_real(f64::NAN));
        return;
    };
    let result = &q * f(&t) * q.adjoint();
    for (place, out) in out.iter_mut().enumerate() {
        *out = T::from_complex(result[(place / n, place % n)]);
    }
}

/// Computes the principal square root of an `n` by `n` matrix; NaN for a real one whose root is not real.
pub(crate) fn square_root<T: Field>(a: &[T], n: usize, out: &mut [T]) {
    let is_real = T::as_real(a).is_some();
    let root = |t: &Mat<C>| {
        if is_real && has_negative_eigenvalue(t) {
            Mat::from_fn(t.nrows(), t.ncols(), |_, _| C::new(f64::NAN, 0.0))
        } else {
            triangular_square_root(t)
        }
    };
    by_schur_form(a, n, root, out);
}

/// Returns true if the triangular factor of a real matrix has an eigenvalue on the negative real axis, up to its
/// rounding errors.
fn has_negative_eigenvalue(t: &Mat<C>) -> bool {
    let greatest = (0..t.nrows()).map(|i| norm(t[(i, i)])).fold(0.0, f64::max);
    let rounding = 16.0 * f64::EPSILON * t.nrows() as f64 * greatest;
    (0..t.nrows()).any(|i| t[(i, i)].re < -rounding && t[(i, i)].im.abs() <= rounding)
}

/// Computes the principal logarithm of an `n` by `n` matrix; of a real one the real part.
pub(crate) fn logarithm<T: Field>(a: &[T], n: usize, out: &mut [T]) {
    by_schur_form(a, n, triangular_logarithm, out);
}
