//! Solutions of systems whose matrix has three diagonals.

use crate::element::{Failure, Field};

/// Returns X with A X = B, by Gaussian elimination; with exchanges of neighbouring rows if `pivoting`.
pub(crate) fn solve<T: Field>(
    diagonals: &[T],
    n: usize,
    b: &[T],
    k: usize,
    pivoting: bool,
    out: &mut [T],
) -> Result<(), Failure> {
    if n == 0 {
        return Ok(());
    }
    let (upper, rest) = diagonals.split_at(n);
    let (main, lower) = rest.split_at(n);
    out.copy_from_slice(b);
    // Row i of the triangle: its elements in columns i, i + 1 and i + 2.
    let zero = T::default();
    let upper_at = |i: usize| if i + 1 < n { upper[i] } else { zero };
    let mut triangle = vec![[zero; 3]; n];
    triangle[0] = [main[0], upper_at(0), zero];
    for i in 0..n - 1 {
        let mut top = triangle[i];
        let mut below = [lower[i + 1], main[i + 1], upper_at(i + 1)];
        let (above, under) = out.split_at_mut((i + 1) * k);
        let (x, y) = (&mut above[i * k..], &mut under[..k]);
        if pivoting && below[0].magnitude() > top[0].magnitude() {
            std::mem::swap(&mut top, &mut below);
            x.swap_with_slice(y);
        }
        if top[0].magnitude() == 0.0 {
            return Err(Failure::Singular);
        }
        let factor = below[0] / top[0];
        triangle[i] = top;
        triangle[i + 1] = [below[1] - factor * top[1], below[2] - factor * top[2], zero];
        for (y, &x) in y.iter_mut().zip(&*x) {
            *y -= factor * x;
        }
    }
    if triangle[n - 1][0].magnitude() == 0.0 {
        return Err(Failure::Singular);
    }
    for i in (0..n).rev() {
        let [pivot, next, after] = triangle[i];
        let (head, tail) = out.split_at_mut((i + 1) * k);
        for (j, x) in head[i * k..].iter_mut().enumerate() {
            let first = tail.get(j).map_or(zero, |&x| next * x);
            let second = tail.get(k + j).map_or(zero, |&x| after * x);
            *x = (*x - first - second) / pivot;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::solve;
    use crate::element::Failure;

    #[test]
    fn the_solution_satisfies_the_system_with_and_without_exchanges() {
        for n in 1..9 {
            for pivoting in [false, true] {
                let diagonals: Vec<f64> = (0..3 * n).map(|i| ((i as f64 + 2.0) * 0.618_034).fract() - 0.3).collect();
                let b: Vec<f64> = (0..2 * n).map(|i| i as f64 - 1.5).collect();
                let mut x = vec![0.0; 2 * n];
                solve(&diagonals, n, &b, 2, pivoting, &mut x).unwrap();
                for i in 0..n {
                    for j in 0..2 {
                        let mut sum = diagonals[n + i] * x[2 * i + j];
                        sum += if i + 1 < n { diagonals[i] * x[2 * (i + 1) + j] } else { 0.0 };
                        sum += if i > 0 { diagonals[2 * n + i] * x[2 * (i - 1) + j] } else { 0.0 };
                        assert!((sum - b[2 * i + j]).abs() < 1e-9, "{n} {i} {j}: {sum}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_zero_pivot_needs_an_exchange() {
        let diagonals = [1.0, 0.0, 0.0, 5.0, 0.0, 2.0];
        let mut x = [0.0; 2];
        assert_eq!(solve(&diagonals, 2, &[1.0, 2.0], 1, false, &mut x), Err(Failure::Singular));
        solve(&diagonals, 2, &[1.0, 2.0], 1, true, &mut x).unwrap();
        assert_eq!(x, [-1.5, 1.0]);
        assert_eq!(solve(&[0.0; 6], 2, &[1.0, 2.0], 1, true, &mut x), Err(Failure::Singular));
    }
}
