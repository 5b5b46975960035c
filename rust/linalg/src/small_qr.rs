//! The QR factorization of real matrices that fit a core's cache, by reflections, row by row.

use pulp::{Arch, Simd, WithSimd};

/// Matrices up to this side are small: half a megabyte.
const SMALL: usize = 256;

/// Elements beyond these sizes have squares that are no numbers.
const LEAST: f64 = 1e-140;
const MOST: f64 = 1e140;

/// Returns true if [`qr`] factors such a matrix: a small one, whose largest element is zero or of a common size.
pub(crate) fn is_for(a: &[f64], (rows, columns): (usize, usize)) -> bool {
    let largest = || a.iter().fold(0.0f64, |most, x| if x.abs() > most || x.is_nan() { x.abs() } else { most });
    rows <= SMALL && columns <= SMALL && (a.iter().all(|x| *x == 0.0) || (LEAST..MOST).contains(&largest()))
}

/// Computes the factors as [`crate::qr::qr`] has them.
///
/// Source: Golub and Van Loan, Matrix Computations, 5.2; the signs are LAPACK's.
pub(crate) fn qr(a: &[f64], (rows, columns): (usize, usize), inner: usize, q: &mut [f64], r: &mut [f64]) {
    Arch::new().dispatch(Reflect { a, rows, columns, inner, q, r });
}

struct Reflect<'a> {
    a: &'a [f64],
    rows: usize,
    columns: usize,
    inner: usize,
    q: &'a mut [f64],
    r: &'a mut [f64],
}

/// Subtracts from a row and those below it, from a column on, their reflection: `x -= tau v (v' x)`. Here `v` has 1 in
/// the row and `below` in the others. `sums` is scratch.
#[inline(always)]
fn reflect(row: &mut [f64], rest: &mut [f64], width: usize, from: usize, tau: f64, below: &[f64], sums: &mut [f64]) {
    let sums = &mut sums[..row.len()];
    sums.copy_from_slice(row);
    for (x, &v) in rest.chunks_exact(width).zip(below) {
        for (sum, x) in sums.iter_mut().zip(&x[from..]) {
            *sum += v * x;
        }
    }
    for (x, sum) in row.iter_mut().zip(&mut *sums) {
        *sum *= tau;
        *x -= *sum;
    }
    for (x, &v) in rest.chunks_exact_mut(width).zip(below) {
        for (x, sum) in x[from..].iter_mut().zip(&*sums) {
            *x -= v * sum;
        }
    }
}

impl WithSimd for Reflect<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Reflect { a, rows, columns, inner, q, r } = self;
        let shortest = rows.min(columns);
        let mut a = a.to_vec();
        let mut taus = vec![0.0; shortest];
        // Row k: what the k-th reflection has below its 1.
        let mut vectors = vec![0.0; shortest * rows];
        let mut sums = vec![0.0; columns.max(inner)];
        for k in 0..shortest {
            let (top, rest) = a.split_at_mut((k + 1) * columns);
            let row = &mut top[k * columns + k..];
            let vector = &mut vectors[k * rows..(k + 1) * rows - k - 1];
            let mut squares = 0.0;
            for (v, x) in vector.iter_mut().zip(rest.chunks_exact(columns)) {
                *v = x[k];
                squares += x[k] * x[k];
            }
            let first = row[0];
            if squares == 0.0 {
                // Nothing to eliminate, and the sign stays.
                continue;
            }
            let norm = (first * first + squares).sqrt();
            let diagonal = if first.is_sign_negative() { norm } else { -norm };
            for v in &mut *vector {
                *v /= first - diagonal;
            }
            taus[k] = (diagonal - first) / diagonal;
            row[0] = diagonal;
            reflect(&mut row[1..], rest, columns, k + 1, taus[k], vector, &mut sums);
        }
        for k in 0..shortest {
            r[k * columns + k..(k + 1) * columns].copy_from_slice(&a[k * columns + k..(k + 1) * columns]);
        }
        q.fill(0.0);
        for k in 0..inner {
            q[k * inner + k] = 1.0;
        }
        for k in (0..shortest).rev() {
            let (top, rest) = q.split_at_mut((k + 1) * inner);
            reflect(
                &mut top[k * inner + k..],
                rest,
                inner,
                k,
                taus[k],
                &vectors[k * rows..(k + 1) * rows - k - 1],
                &mut sums,
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(n: usize) -> Vec<f64> {
        let mut state = 1u32;
        let next = |_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            f64::from(state) / f64::from(u32::MAX) - 0.5
        };
        (0..n).map(next).collect()
    }

    fn check(a: &[f64], (rows, columns): (usize, usize), inner: usize) {
        assert!(is_for(a, (rows, columns)));
        let (mut q, mut r) = (vec![7.0; rows * inner], vec![0.0; inner * columns]);
        qr(a, (rows, columns), inner, &mut q, &mut r);
        let scale = a.iter().fold(0.0f64, |m, x| m.max(x.abs())).max(1e-300);
        for i in 0..rows {
            for j in 0..columns {
                let found: f64 = (0..inner).map(|k| q[i * inner + k] * r[k * columns + j]).sum();
                assert!((found - a[i * columns + j]).abs() < 1e-13 * scale, "{rows} {columns} {inner}");
            }
        }
        for i in 0..inner {
            for j in 0..inner {
                let found: f64 = (0..rows).map(|k| q[k * inner + i] * q[k * inner + j]).sum();
                assert!((found - f64::from(i == j)).abs() < 1e-13, "{rows} {columns} {inner}");
            }
            assert!(r[i * columns..][..i.min(columns)].iter().all(|x| *x == 0.0));
        }
    }

    #[test]
    fn factors_are_orthogonal_and_triangular_and_have_the_product() {
        for (rows, columns) in
            [(1, 1), (2, 2), (4, 4), (31, 31), (32, 32), (7, 3), (3, 7), (32, 5), (1, 9), (9, 1), (90, 70), (70, 90)]
        {
            let a = values(rows * columns);
            for inner in [rows.min(columns), rows] {
                check(&a, (rows, columns), inner);
                for size in [1e-130, 1e130] {
                    check(&a.iter().map(|x| x * size).collect::<Vec<_>>(), (rows, columns), inner);
                }
                // Rows that depend on others, and a matrix of zeros.
                check(&(0..a.len()).map(|i| a[i % columns]).collect::<Vec<_>>(), (rows, columns), inner);
                check(&vec![0.0; a.len()], (rows, columns), inner);
            }
        }
    }

    #[test]
    fn large_tiny_and_huge_matrices_are_for_others() {
        assert!(!is_for(&[1.0; 257], (257, 1)));
        assert!(!is_for(&[1.0; 257], (1, 257)));
        for bad in [1e-150, 1e150, f64::NAN, f64::INFINITY] {
            assert!(!is_for(&[bad, 0.0], (2, 1)));
            assert!(!is_for(&[0.0, bad], (2, 1)));
        }
    }
}
