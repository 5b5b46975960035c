//! The Cholesky factor of a small real matrix, with the bits of TensorFlow 1.15.

use crate::element::Failure;
use num_traits::Float;
use pulp::{Arch, Simd, WithSimd};
use std::ops::AddAssign;

/// TF 1.15: from this side on, blocks are factored.
const BLOCKED: usize = 32;

/// float32 or float64.
pub trait Real: Float + AddAssign + Send + Sync + 'static {
    /// Computes the lower triangular L with L L' = A, of the lower half of A, and zeros above the diagonal. Returns None
    /// for a matrix that is not small.
    ///
    /// Sums are rounded in the type itself, in TensorFlow's order.
    ///
    /// Errors: `NotPositiveDefinite`.
    fn small_cholesky(a: &[Self], n: usize, out: &mut [Self]) -> Option<Result<(), Failure>>;
}

macro_rules! real {
    ($($t:ty, $lanes:literal, $half:literal;)*) => {$(
        impl Real for $t {
            fn small_cholesky(a: &[$t], n: usize, out: &mut [$t]) -> Option<Result<(), Failure>> {
                (n < BLOCKED).then(|| Arch::new().dispatch(Cholesky::<'_, $t, $lanes, $half> { a, n, out }))
            }
        }
    )*};
}
// TF 1.15: registers of 32 bytes.
real! {
    f32, 8, 4;
    f64, 4, 2;
}

struct Cholesky<'a, T, const LANES: usize, const HALF: usize> {
    a: &'a [T],
    n: usize,
    out: &'a mut [T],
}

/// Returns the sum of the lanes: the upper half is added to the lower one until one is left.
#[inline(always)]
fn folded<T: Float + AddAssign, const LANES: usize>(mut lanes: [T; LANES]) -> T {
    let mut width = LANES / 2;
    while width > 0 {
        for i in 0..width {
            let upper = lanes[i + width];
            lanes[i] += upper;
        }
        width /= 2;
    }
    lanes[0]
}

/// Adds the products of the whole registers of two rows, and returns what is left of the rows.
#[inline(always)]
fn add_products<'a, T: Float + AddAssign, const LANES: usize>(
    sums: &mut [T; LANES],
    x: &'a [T],
    y: &'a [T],
) -> (&'a [T], &'a [T]) {
    let (xs, ys) = (x.chunks_exact(LANES), y.chunks_exact(LANES));
    let rest = (xs.remainder(), ys.remainder());
    for (x, y) in xs.zip(ys) {
        for ((sum, &x), &y) in sums.iter_mut().zip(x).zip(y) {
            *sum += x * y;
        }
    }
    rest
}

/// Returns the product of two rows. The last row below an odd number of others uses half a register, too.
#[inline(always)]
fn dot<T: Float + AddAssign, const LANES: usize, const HALF: usize>(x: &[T], y: &[T], is_last: bool) -> T {
    let mut sums = [T::zero(); LANES];
    let (mut x, mut y) = add_products(&mut sums, x, y);
    let mut sum = folded(sums);
    if is_last {
        let mut sums = [T::zero(); HALF];
        (x, y) = add_products(&mut sums, x, y);
        sum += folded(sums);
    }
    for (&x, &y) in x.iter().zip(y) {
        sum += x * y;
    }
    sum
}

/// Returns the sum of squares, with two registers by turns.
#[inline(always)]
fn square_sum<T: Float + AddAssign, const LANES: usize>(x: &[T]) -> T {
    let (mut sums, mut odd) = ([T::zero(); LANES], [T::zero(); LANES]);
    let pairs = x.chunks_exact(2 * LANES);
    let rest = pairs.remainder();
    for pair in pairs {
        let (first, second) = pair.split_at(LANES);
        add_products(&mut sums, first, first);
        add_products(&mut odd, second, second);
    }
    for (sum, &odd) in sums.iter_mut().zip(&odd) {
        *sum += odd;
    }
    let (rest, _) = add_products(&mut sums, rest, rest);
    let mut sum = folded(sums);
    for &x in rest {
        sum += x * x;
    }
    sum
}

impl<T: Float + AddAssign, const LANES: usize, const HALF: usize> WithSimd for Cholesky<'_, T, LANES, HALF> {
    type Output = Result<(), Failure>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Result<(), Failure> {
        let Cholesky { a, n, out } = self;
        for i in 0..n {
            out[i * n..=i * n + i].copy_from_slice(&a[i * n..=i * n + i]);
            out[i * n + i + 1..(i + 1) * n].fill(T::zero());
        }
        for k in 0..n {
            let (top, below) = out.split_at_mut((k + 1) * n);
            let row = &mut top[k * n..=k * n + k];
            let (row, pivot) = row.split_at_mut(k);
            let left = *pivot.first().ok_or(Failure::NotPositiveDefinite)? - square_sum::<T, LANES>(row);
            // TF 1.x: a pivot that is no number passes, and spreads.
            if left <= T::zero() {
                return Err(Failure::NotPositiveDefinite);
            }
            let root = left.sqrt();
            pivot[0] = root;
            let others = n - k - 1;
            for (i, other) in below.chunks_exact_mut(n).enumerate() {
                let is_last = others % 2 == 1 && i + 1 == others;
                let (other, rest) = other.split_at_mut(k);
                rest[0] = (rest[0] - dot::<T, LANES, HALF>(other, row, is_last)) / root;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a positive definite matrix.
    fn square<T: Float>(n: usize) -> Vec<T> {
        let x = |i: usize, j: usize| T::from((i * 7 + j * 5 + i * j) % 11).unwrap() - T::from(4.5).unwrap();
        let product = |i: usize, j: usize| (0..n).fold(T::zero(), |sum, k| sum + x(i, k) * x(j, k));
        let one = |i: usize, j: usize| if i == j { T::one() } else { T::zero() };
        (0..n * n).map(|at| product(at / n, at % n) + one(at / n, at % n)).collect()
    }

    fn check<T: Real + std::fmt::Debug>(tolerance: f64) {
        for n in 0..BLOCKED {
            let a = square::<T>(n);
            let mut l = vec![T::nan(); n * n];
            T::small_cholesky(&a, n, &mut l).unwrap().unwrap();
            for (i, j) in (0..n * n).map(|at| (at / n, at % n)) {
                let product = (0..n).fold(T::zero(), |sum, k| sum + l[i * n + k] * l[j * n + k]);
                let (found, expected) = (product.to_f64().unwrap(), a[i * n + j].to_f64().unwrap());
                assert!((found - expected).abs() <= tolerance * n as f64 * 30.0, "{found} {expected}");
                assert!(j <= i || l[i * n + j] == T::zero());
            }
        }
        assert_eq!(T::small_cholesky(&square::<T>(BLOCKED), BLOCKED, &mut [T::zero(); BLOCKED * BLOCKED]), None);
    }

    #[test]
    fn the_product_of_the_factor_is_the_matrix() {
        check::<f32>(1e-5);
        check::<f64>(1e-14);
    }

    #[test]
    fn what_is_not_positive_definite_is_refused() {
        for a in [[1.0, 0.0, 0.0, -1.0], [1.0, 2.0, 2.0, 1.0], [0.0; 4]] {
            assert_eq!(f64::small_cholesky(&a, 2, &mut [0.0; 4]), Some(Err(Failure::NotPositiveDefinite)));
        }
    }

    #[test]
    fn what_is_no_number_spreads() {
        let mut l = [0.0f32; 9];
        let a = [f32::NAN, 7.0, 7.0, 1.0, 1.0, 7.0, 1.0, 1.0, 1.0];
        assert_eq!(f32::small_cholesky(&a, 3, &mut l), Some(Ok(())));
        assert!((0..9).all(|i| l[i].is_nan() == (i % 3 <= i / 3)));
    }
}
