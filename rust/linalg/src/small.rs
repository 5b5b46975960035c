//! Factorizations of small matrices, element by element: what blocked algorithms set up for one takes longer than its work.

use crate::element::{Failure, Field};
use crate::triangular::Triangle;
use pulp::{Arch, Simd, WithSimd};

/// Matrices up to this side are small.
pub(crate) const SMALL: usize = 32;

/// The factors of a matrix with exchanged rows: a lower one with ones on its diagonal and an upper one, in one square.
pub(crate) struct Lu<T> {
    factors: Vec<T>,
    /// The row of the matrix that each row of the factors is.
    rows: Vec<usize>,
    /// Of the row exchanges.
    pub sign: f64,
}

impl<T: Field> Lu<T> {
    pub fn new(a: &[T], n: usize) -> Lu<T> {
        let mut lu = Lu { factors: a[..n * n].to_vec(), rows: (0..n).collect(), sign: 1.0 };
        Arch::new().dispatch(Eliminate(&mut lu));
        lu
    }

    /// Returns both factors in one square.
    pub fn factors(&self) -> &[T] {
        &self.factors
    }

    /// Returns the row of the matrix that each row of the factors is.
    pub fn rows(&self) -> &[usize] {
        &self.rows
    }

    /// Returns the diagonal of the upper factor.
    pub fn pivots(&self) -> impl Iterator<Item = T> {
        self.factors.iter().step_by(self.rows.len() + 1).copied()
    }

    pub fn inverse(&self, out: &mut [T]) {
        let n = self.rows.len();
        out.fill(T::default());
        for (i, &row) in self.rows.iter().enumerate() {
            out[i * n + row] = T::from_real(1.0);
        }
        Arch::new().dispatch(Substitute { lu: self, x: out, k: n });
    }

    /// Computes X with A X = B of `k` columns.
    pub fn solve(&self, b: &[T], k: usize, out: &mut [T]) {
        for (x, &row) in out.chunks_exact_mut(k).zip(&self.rows) {
            x.copy_from_slice(&b[row * k..(row + 1) * k]);
        }
        Arch::new().dispatch(Substitute { lu: self, x: out, k });
    }

    /// Computes X with A* X = B of `k` columns.
    pub fn solve_adjoint(&self, b: &[T], k: usize, out: &mut [T]) {
        let mut x = b.to_vec();
        Arch::new().dispatch(SubstituteAdjoint { lu: self, x: &mut x, k });
        for (x, &row) in x.chunks_exact(k).zip(&self.rows) {
            out[row * k..(row + 1) * k].copy_from_slice(x);
        }
    }
}

/// Computes `y -= factor * x`.
#[inline(always)]
fn subtract<T: Field>(y: &mut [T], factor: T, x: &[T]) {
    for (y, &x) in y.iter_mut().zip(x) {
        *y -= factor * x;
    }
}

/// Returns rows `i` and `k` of a matrix, the first of them to write to.
#[inline(always)]
fn two_rows<T>(x: &mut [T], width: usize, i: usize, k: usize) -> (&mut [T], &[T]) {
    if i < k {
        let (low, high) = x.split_at_mut(k * width);
        (&mut low[i * width..(i + 1) * width], &high[..width])
    } else {
        let (low, high) = x.split_at_mut(i * width);
        (&mut high[..width], &low[k * width..(k + 1) * width])
    }
}

struct Eliminate<'a, T>(&'a mut Lu<T>);

impl<T: Field> WithSimd for Eliminate<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Lu { factors, rows, sign } = self.0;
        let n = rows.len();
        for k in 0..n {
            let (mut pivot, mut largest) = (k, factors[k * n + k].magnitude());
            for i in k + 1..n {
                let size = factors[i * n + k].magnitude();
                if size > largest {
                    (pivot, largest) = (i, size);
                }
            }
            if pivot != k {
                let (low, high) = factors.split_at_mut(pivot * n);
                low[k * n..(k + 1) * n].swap_with_slice(&mut high[..n]);
                rows.swap(k, pivot);
                *sign = -*sign;
            }
            if largest == 0.0 {
                continue;
            }
            for i in k + 1..n {
                let (row, top) = two_rows(factors, n, i, k);
                let factor = row[k] / top[k];
                row[k] = factor;
                subtract(&mut row[k + 1..], factor, &top[k + 1..]);
            }
        }
    }
}

struct Substitute<'a, T> {
    lu: &'a Lu<T>,
    x: &'a mut [T],
    k: usize,
}

impl<T: Field> WithSimd for Substitute<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Substitute { lu: Lu { factors, rows, .. }, x, k } = self;
        let n = rows.len();
        let at = |i: usize, j: usize| factors[i * n + j];
        substitute(at, n, Order::Down, true, x, k);
        substitute(at, n, Order::Up, false, x, k);
    }
}

struct SubstituteAdjoint<'a, T> {
    lu: &'a Lu<T>,
    x: &'a mut [T],
    k: usize,
}

impl<T: Field> WithSimd for SubstituteAdjoint<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let SubstituteAdjoint { lu: Lu { factors, rows, .. }, x, k } = self;
        let n = rows.len();
        let at = |i: usize, j: usize| factors[j * n + i].conj();
        substitute(at, n, Order::Down, false, x, k);
        substitute(at, n, Order::Up, true, x, k);
    }
}

/// Computes X with A X = B in place of B, which has `k` columns. A, or its adjoint, is triangular, `n` by `n`.
pub(crate) fn solve_triangular<T: Field>(a: &[T], n: usize, triangle: Triangle, adjoint: bool, x: &mut [T], k: usize) {
    Arch::new().dispatch(SolveTriangular { a, n, triangle, adjoint, x, k });
}

struct SolveTriangular<'a, T> {
    a: &'a [T],
    n: usize,
    triangle: Triangle,
    adjoint: bool,
    x: &'a mut [T],
    k: usize,
}

impl<T: Field> WithSimd for SolveTriangular<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let SolveTriangular { a, n, triangle, adjoint, x, k } = self;
        let order = if (triangle == Triangle::Lower) == adjoint { Order::Up } else { Order::Down };
        if adjoint {
            substitute(|i, j| a[j * n + i].conj(), n, order, false, x, k);
        } else {
            substitute(|i, j| a[i * n + j], n, order, false, x, k);
        }
    }
}

/// The order in which the rows of a triangular system are solved: a lower one from the first row down.
#[derive(Clone, Copy, PartialEq)]
enum Order {
    Down,
    Up,
}

/// Solves a triangular system of `n` rows in place, whose element (i, j) is `at(i, j)`; a diagonal of ones is not read.
#[inline(always)]
fn substitute<T: Field>(
    at: impl Fn(usize, usize) -> T + Copy,
    n: usize,
    order: Order,
    ones_on_diagonal: bool,
    x: &mut [T],
    k: usize,
) {
    for step in 0..n {
        let (i, known) = match order {
            Order::Down => (step, 0..step),
            Order::Up => (n - 1 - step, n - step..n),
        };
        for j in known {
            let (row, other) = two_rows(x, k, i, j);
            subtract(row, at(i, j), other);
        }
        if !ones_on_diagonal {
            divide(&mut x[i * k..(i + 1) * k], at(i, i));
        }
    }
}

/// Columns from which on a product by the inverse, once computed, is worth its rounding.
const MANY: usize = 8;

#[inline(always)]
fn divide<T: Field>(row: &mut [T], pivot: T) {
    let inverse = T::from_real(1.0) / pivot;
    if row.len() >= MANY && inverse.magnitude().is_normal() {
        row.iter_mut().for_each(|x| *x *= inverse);
    } else {
        row.iter_mut().for_each(|x| *x /= pivot);
    }
}

/// Returns the lower triangular L with L L* = A, of the lower half of A; zeros above the diagonal.
pub(crate) fn cholesky<T: Field>(a: &[T], n: usize, out: &mut [T]) -> Result<(), Failure> {
    Arch::new().dispatch(Cholesky { a, n, out })
}

struct Cholesky<'a, T> {
    a: &'a [T],
    n: usize,
    out: &'a mut [T],
}

impl<T: Field> WithSimd for Cholesky<'_, T> {
    type Output = Result<(), Failure>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Result<(), Failure> {
        let Cholesky { a, n, out } = self;
        // L*, whose rows are the columns of L.
        for i in 0..n {
            for j in i..n {
                out[i * n + j] = a[j * n + i].conj();
            }
        }
        for k in 0..n {
            let pivot = out[k * n + k].re();
            if pivot <= 0.0 {
                return Err(Failure::NotPositiveDefinite);
            }
            let root = T::from_real(pivot.sqrt());
            out[k * n + k] = root;
            for x in &mut out[k * n + k + 1..(k + 1) * n] {
                *x /= root;
            }
            for i in k + 1..n {
                let (row, top) = two_rows(out, n, i, k);
                subtract(&mut row[i..], top[i].conj(), &top[i..]);
            }
        }
        for i in 0..n {
            for j in i..n {
                out[j * n + i] = out[i * n + j].conj();
            }
            out[i * n + i + 1..(i + 1) * n].fill(T::default());
        }
        Ok(())
    }
}

/// Returns the eigenvalues of a real symmetric matrix, in ascending order, and, where there is room for them, the
/// eigenvectors, as columns. Only the lower half of `a` is read, which is finite.
///
/// Source: Golub and Van Loan, "Matrix Computations", 8.3: Householder's tridiagonal form. The QL steps with implicit
/// shifts are from Dubrulle, Martin and Wilkinson, "The implicit QL algorithm", 1968.
pub(crate) fn symmetric_eigen(
    a: &[f64],
    n: usize,
    values: &mut [f64],
    vectors: Option<&mut [f64]>,
) -> Result<(), Failure> {
    Arch::new().dispatch(SymmetricEigen { a, n, values, vectors })
}

struct SymmetricEigen<'a> {
    a: &'a [f64],
    n: usize,
    values: &'a mut [f64],
    vectors: Option<&'a mut [f64]>,
}

/// QL steps for one eigenvalue; few more than one are taken on the average.
const MOST_STEPS: usize = 60;
/// Elements beyond these sizes are scaled: their squares would not be numbers.
const SCALED_BELOW: f64 = 1e-140;
const SCALED_ABOVE: f64 = 1e140;

impl WithSimd for SymmetricEigen<'_> {
    type Output = Result<(), Failure>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Result<(), Failure> {
        let SymmetricEigen { a, n, values, vectors } = self;
        let mut square = vec![0.0; n * n];
        let mut largest = 0.0f64;
        for i in 0..n {
            for j in 0..=i {
                let x = a[i * n + j];
                (square[i * n + j], square[j * n + i]) = (x, x);
                largest = largest.max(x.abs());
            }
        }
        let scale = if largest != 0.0 && !(SCALED_BELOW..SCALED_ABOVE).contains(&largest) { largest } else { 1.0 };
        if scale != 1.0 {
            square.iter_mut().for_each(|x| *x /= scale);
        }
        let (mut diagonal, mut beside) = (vec![0.0; n], vec![0.0; n]);
        let betas = tridiagonal(&mut square, n, &mut diagonal, &mut beside);
        // The rows are the eigenvectors: rotations are then of rows.
        let mut rows = if vectors.is_some() { reflected(&square, n, &betas) } else { Vec::new() };
        let width = if vectors.is_some() { n } else { 0 };
        ql(&mut diagonal, &mut beside, &mut rows, width)?;
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by(|&i, &j| diagonal[i].total_cmp(&diagonal[j]));
        for (value, &i) in values.iter_mut().zip(&order) {
            *value = diagonal[i] * scale;
        }
        if let Some(vectors) = vectors {
            for (column, &i) in order.iter().enumerate() {
                for j in 0..n {
                    vectors[j * n + column] = rows[i * n + j];
                }
            }
        }
        Ok(())
    }
}

/// Brings a symmetric matrix to tridiagonal form by reflections `I - beta v v'` for k = 0, 1 ... Each v stays stored in
/// row k, from column k + 1 on.
#[inline(always)]
fn tridiagonal(a: &mut [f64], n: usize, diagonal: &mut [f64], beside: &mut [f64]) -> Vec<f64> {
    let mut betas = vec![0.0; n];
    let mut w = vec![0.0; n];
    for k in 0..n {
        diagonal[k] = a[k * n + k];
        if k + 1 == n {
            break;
        }
        let (top, rest) = a.split_at_mut((k + 1) * n);
        let v = &mut top[k * n + k + 1..];
        let below = v[1..].iter().fold(0.0, |sum, x| sum + x * x);
        if below == 0.0 {
            beside[k] = v[0];
            continue;
        }
        let norm = (v[0] * v[0] + below).sqrt();
        let alpha = if v[0] > 0.0 { -norm } else { norm };
        beside[k] = alpha;
        v[0] -= alpha;
        let beta = 2.0 / (v[0] * v[0] + below);
        betas[k] = beta;
        let w = &mut w[k + 1..];
        w.fill(0.0);
        // The product with a symmetric matrix, as a sum of rows.
        for (row, &factor) in rest.chunks_exact(n).zip(&*v) {
            for (w, x) in w.iter_mut().zip(&row[k + 1..]) {
                *w += beta * factor * x;
            }
        }
        let half = 0.5 * beta * v.iter().zip(&*w).fold(0.0, |sum, (v, w)| sum + v * w);
        for (w, v) in w.iter_mut().zip(&*v) {
            *w -= half * v;
        }
        for (i, row) in rest.chunks_exact_mut(n).enumerate() {
            let (vi, wi) = (v[i], w[i]);
            for ((x, v), w) in row[k + 1..].iter_mut().zip(&*v).zip(&*w) {
                *x -= vi * w + wi * v;
            }
        }
    }
    betas
}

/// Returns the transpose of the product of the reflections that `tridiagonal` left.
#[inline(always)]
fn reflected(a: &[f64], n: usize, betas: &[f64]) -> Vec<f64> {
    let mut q = vec![0.0; n * n];
    for i in 0..n {
        q[i * n + i] = 1.0;
    }
    let mut sums = vec![0.0; n];
    for k in (0..n.saturating_sub(1)).rev() {
        if betas[k] == 0.0 {
            continue;
        }
        let (v, sums) = (&a[k * n + k + 1..(k + 1) * n], &mut sums[k + 1..]);
        sums.fill(0.0);
        let rest = &mut q[(k + 1) * n..];
        for (row, &factor) in rest.chunks_exact(n).zip(v) {
            for (sum, x) in sums.iter_mut().zip(&row[k + 1..]) {
                *sum += factor * x;
            }
        }
        for (row, &factor) in rest.chunks_exact_mut(n).zip(v) {
            let factor = betas[k] * factor;
            for (x, sum) in row[k + 1..].iter_mut().zip(&*sums) {
                *x -= factor * sum;
            }
        }
    }
    let mut transposed = vec![0.0; n * n];
    for i in 0..n {
        for j in 0..n {
            transposed[j * n + i] = q[i * n + j];
        }
    }
    transposed
}

/// Brings a tridiagonal matrix to diagonal form by rotations, of `rows` too, which are `width` wide.
#[inline(always)]
fn ql(diagonal: &mut [f64], beside: &mut [f64], rows: &mut [f64], width: usize) -> Result<(), Failure> {
    let n = diagonal.len();
    let size = diagonal.iter().zip(&*beside).fold(0.0f64, |size, (d, e)| size.max(d.abs() + e.abs()));
    for l in 0..n {
        let mut steps = 0;
        loop {
            let m = (l..n - 1).find(|&m| beside[m].abs() <= f64::EPSILON * size).unwrap_or(n - 1);
            if m == l {
                break;
            }
            if steps == MOST_STEPS {
                return Err(Failure::NoConvergence);
            }
            steps += 1;
            let shift = (diagonal[l + 1] - diagonal[l]) / (2.0 * beside[l]);
            let root = (shift * shift + 1.0).sqrt().copysign(shift);
            let mut g = diagonal[m] - diagonal[l] + beside[l] / (shift + root);
            let (mut sine, mut cosine, mut p) = (1.0, 1.0, 0.0);
            let mut is_split = false;
            for i in (l..m).rev() {
                let (f, b) = (sine * beside[i], cosine * beside[i]);
                let r = (f * f + g * g).sqrt();
                beside[i + 1] = r;
                if r == 0.0 {
                    diagonal[i + 1] -= p;
                    beside[m] = 0.0;
                    is_split = true;
                    break;
                }
                (sine, cosine) = (f / r, g / r);
                g = diagonal[i + 1] - p;
                let r = (diagonal[i] - g) * sine + 2.0 * cosine * b;
                p = sine * r;
                diagonal[i + 1] = g + p;
                g = cosine * r - b;
                let (low, high) = rows.split_at_mut((i + 1) * width);
                for (x, y) in low[i * width..].iter_mut().zip(&mut high[..width]) {
                    let h = *y;
                    *y = sine * *x + cosine * h;
                    *x = cosine * *x - sine * h;
                }
            }
            if !is_split {
                diagonal[l] -= p;
                beside[l] = g;
                beside[m] = 0.0;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_complex::{Complex, ComplexFloat};

    fn values(n: usize) -> Vec<f64> {
        let mut state = 1u32;
        let next = |_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            f64::from(state) / f64::from(u32::MAX) - 0.5
        };
        (0..n).map(next).collect()
    }

    fn product<T: Field>(a: &[T], b: &[T], n: usize) -> Vec<T> {
        let columns = b.len() / n;
        (0..n * columns)
            .map(|i| (0..n).fold(T::default(), |s, k| s + a[i / columns * n + k] * b[k * columns + i % columns]))
            .collect()
    }

    fn adjoint<T: Field>(a: &[T], n: usize) -> Vec<T> {
        (0..n * n).map(|i| ComplexFloat::conj(a[i % n * n + i / n])).collect()
    }

    fn assert_close<T: Field>(a: &[T], b: &[T], tolerance: f64) {
        assert_eq!(a.len(), b.len());
        assert!(a.iter().zip(b).all(|(&a, &b)| (a - b).magnitude() <= tolerance), "{a:?} {b:?}");
    }

    /// Returns random numbers, whose first pivots are to be exchanged.
    fn check_systems<T: Field>(element: impl Fn(f64, f64) -> T) {
        for n in [1, 2, 3, 4, 7, 16, 31, 32] {
            let random = values(2 * n * n + 10 * n);
            let mut a: Vec<T> = random.chunks(2).take(n * n).map(|x| element(x[0], x[1])).collect();
            if n > 1 {
                a[0] = T::default();
            }
            let b: Vec<T> = random[2 * n * n..].chunks(2).map(|x| element(x[0], x[1])).collect();
            let lu = Lu::new(&a, n);
            let (mut x, mut inverse) = (vec![T::default(); 5 * n], vec![T::default(); n * n]);
            lu.solve(&b, 5, &mut x);
            assert_close(&product(&a, &x, n), &b, 1e-9);
            lu.solve_adjoint(&b, 5, &mut x);
            assert_close(&product(&adjoint(&a, n), &x, n), &b, 1e-9);
            lu.inverse(&mut inverse);
            let one: Vec<T> = (0..n * n).map(|i| T::from_real(f64::from(u8::from(i % (n + 1) == 0)))).collect();
            assert_close(&product(&a, &inverse, n), &one, 1e-9);
            // Positive definite.
            let mut square = product(&a, &adjoint(&a, n), n);
            (0..n).for_each(|i| square[i * n + i] += T::from_real(0.1));
            let mut l = vec![T::from_real(7.0); n * n];
            cholesky(&square, n, &mut l).unwrap();
            assert_close(&product(&l, &adjoint(&l, n), n), &square, 1e-12);
            assert!((0..n * n).all(|i| i % n <= i / n || l[i].magnitude() == 0.0));
        }
    }

    #[test]
    fn systems_are_solved_and_factored() {
        check_systems(|re, _| re);
        check_systems(Complex::new);
    }

    #[test]
    fn the_sign_counts_the_exchanges() {
        for (a, determinant) in [([0.0, 1.0, 1.0, 0.0], -1.0), ([2.0, 1.0, 1.0, 3.0], 5.0), ([1.0, 2.0, 2.0, 4.0], 0.0)]
        {
            let lu = Lu::new(&a, 2);
            assert!((lu.pivots().product::<f64>() * lu.sign - determinant).abs() < 1e-15);
        }
    }

    #[test]
    fn eigenvectors_are_orthonormal_and_make_up_the_matrix() {
        let check = |a: &[f64], n: usize, size: f64| {
            let symmetric: Vec<f64> = (0..n * n).map(|i| a[(i / n).max(i % n) * n + (i / n).min(i % n)]).collect();
            let (mut w, mut v, mut alone) = (vec![0.0; n], vec![0.0; n * n], vec![0.0; n]);
            symmetric_eigen(a, n, &mut w, Some(&mut v)).unwrap();
            symmetric_eigen(a, n, &mut alone, None).unwrap();
            assert_eq!(w, alone);
            assert!(w.is_sorted());
            let one: Vec<f64> = (0..n * n).map(|i| f64::from(u8::from(i % (n + 1) == 0))).collect();
            assert_close(&product(&adjoint(&v, n), &v, n), &one, 1e-13);
            let scaled: Vec<f64> = (0..n * n).map(|i| v[i] * w[i % n]).collect();
            assert_close(&product(&scaled, &adjoint(&v, n), n), &symmetric, 1e-13 * size);
        };
        for n in [1, 2, 3, 4, 8, 20, 32] {
            check(&values(n * n), n, n as f64);
            check(&vec![0.0; n * n], n, 1.0);
            check(&vec![1.0; n * n], n, n as f64);
            check(&(0..n * n).map(|i| if i % (n + 1) == 0 { (i % 3) as f64 } else { 0.0 }).collect::<Vec<_>>(), n, 2.0);
            for size in [1e200, 1e-200] {
                let scaled: Vec<f64> = values(n * n).iter().map(|x| x * size).collect();
                check(&scaled, n, n as f64 * size);
            }
        }
    }

    #[test]
    fn what_is_not_positive_definite_is_refused() {
        for a in [[1.0, 0.0, 0.0, -1.0], [1.0, 2.0, 2.0, 1.0], [0.0; 4]] {
            assert_eq!(cholesky(&a, 2, &mut [0.0; 4]), Err(Failure::NotPositiveDefinite));
        }
    }
}
