//! Tables of a length: how it is transformed, found once and kept.

use super::passes::{MAX_RADIX, Pass};
use super::{Real, Scale};
use crate::Result;
use crate::threads::{Threads, unwatched};
use num_complex::Complex;
use std::sync::Arc;

/// The sign of the exponent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    Forward,
    Inverse,
}

/// Returns the cosine and the sine of `k` parts of `n` of a whole turn, in the direction.
pub(super) fn turned(k: usize, n: usize, direction: Direction) -> [f64; 2] {
    let (sin, cos) = libm::sincos(std::f64::consts::TAU * (k % n) as f64 / n as f64);
    [cos, if direction == Direction::Forward { -sin } else { sin }]
}

pub(super) fn narrow<T: Real>(x: [f64; 2]) -> [T; 2] {
    x.map(T::of)
}

/// The way of a length within a tile.
pub(super) enum Method<T> {
    Passes(Vec<Pass<T>>),
    Chirp(Chirp<T>),
}

/// A transform as a convolution with numbers whose angle grows with the square (Bluestein 1970).
pub(super) struct Chirp<T> {
    /// For each number its factor, before and after the convolution.
    pub factors: Vec<[T; 2]>,
    /// The transform of the factors' conjugates, divided by the length of the convolution.
    pub kernel: Vec<[T; 2]>,
}

/// How a length is transformed.
pub(super) struct Plan<T> {
    pub n: usize,
    pub method: Method<T>,
    /// The forward transform of the convolution's length.
    pub inner: Option<Arc<Plan<T>>>,
}

/// Returns the radixes whose product is n; None if n has a larger prime factor.
fn radixes(mut n: usize) -> Option<Vec<usize>> {
    let mut found = Vec::new();
    for radix in [4, 2, 3, 5, 7].into_iter().chain((11..=MAX_RADIX).step_by(2)) {
        while n.is_multiple_of(radix) {
            found.push(radix);
            n /= radix;
        }
    }
    // The largest ones first: they have the fewest factors to multiply with.
    found.sort_unstable_by_key(|&radix| std::cmp::Reverse(radix));
    (n == 1).then_some(found)
}

fn passes<T: Real>(n: usize, direction: Direction, radixes: &[usize]) -> Vec<Pass<T>> {
    let (mut stride, mut length) = (1, n);
    let mut passes = Vec::with_capacity(radixes.len());
    for &radix in radixes {
        let groups = length / radix;
        let factors =
            (1..groups).flat_map(|group| (1..radix).map(move |t| narrow(turned(group * t, length, direction))));
        let mut terms = Vec::new();
        if radix % 2 == 1 {
            let half = radix / 2;
            for part in 0..2 {
                for (k, j) in (1..=half).flat_map(|k| (1..=half).map(move |j| (k, j))) {
                    let [cos, sin] = turned(k * j, radix, direction);
                    // The sums are of the real factor and of -i times the other one.
                    terms.push(T::of(if part == 0 { cos } else { -sin }));
                }
            }
        }
        passes.push(Pass {
            radix,
            stride,
            groups,
            inverse: direction == Direction::Inverse,
            factors: factors.collect(),
            terms,
        });
        stride *= radix;
        length = groups;
    }
    passes
}

/// Returns the length of a convolution, at least `least`, that has small radixes only.
pub(super) fn convolution_length(least: usize) -> usize {
    let at_least = |odd: usize| least.div_ceil(odd).next_power_of_two() * odd;
    [1, 3, 5, 9, 15].into_iter().map(at_least).min().unwrap_or(least)
}

/// Returns the chirp of a transform of `n` numbers through a convolution of `m`.
pub(super) fn chirp<T: Real>(n: usize, m: usize, direction: Direction) -> Result<Chirp<T>> {
    // The square modulo 2 n, by steps: the odd numbers' sums.
    let mut square = 0;
    let factors: Vec<[f64; 2]> = (0..n)
        .map(|j| {
            let factor = turned(square, 2 * n, direction);
            square = (square + 2 * j + 1) % (2 * n);
            factor
        })
        .collect();
    let mut kernel = vec![Complex::default(); m];
    for (j, &[re, im]) in factors.iter().enumerate() {
        let conjugate = Complex::new(re / m as f64, -im / m as f64);
        kernel[j] = conjugate;
        kernel[(m - j) % m] = conjugate;
    }
    // What is kept is complete, whatever the step that is running does.
    unwatched(|| super::rows(Threads::single(), None, &mut kernel, m, Direction::Forward, Scale::None))?;
    let kernel = kernel.into_iter().map(|x| narrow([x.re, x.im])).collect();
    Ok(Chirp { factors: factors.into_iter().map(narrow).collect(), kernel })
}

impl<T: Real> Plan<T> {
    pub fn new(n: usize, direction: Direction) -> Result<Plan<T>> {
        Ok(match radixes(n) {
            Some(radixes) => Plan { n, method: Method::Passes(passes(n, direction, &radixes)), inner: None },
            None => {
                let m = convolution_length(2 * n - 1);
                let inner = T::plan(m, Direction::Forward)?;
                Plan { n, method: Method::Chirp(chirp(n, m, direction)?), inner: Some(inner) }
            }
        })
    }

    /// Returns the numbers that a tile of this transform has room for.
    pub fn room(&self) -> usize {
        self.inner.as_ref().map_or(self.n, |inner| inner.n)
    }

    /// Returns the numbers in its tables.
    pub fn size(&self) -> usize {
        match &self.method {
            Method::Passes(passes) => passes.iter().map(|pass| pass.factors.len() + pass.terms.len()).sum(),
            Method::Chirp(chirp) => chirp.factors.len() + chirp.kernel.len(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_products_of_their_radixes_or_have_a_large_prime() {
        for n in 1..3000 {
            let largest = (2..=n).filter(|d| n % d == 0 && (2..*d).all(|e| d % e != 0)).max().unwrap_or(1);
            match radixes(n) {
                Some(radixes) => assert_eq!(radixes.iter().product::<usize>(), n),
                None => assert!(largest > MAX_RADIX),
            }
            let m = convolution_length(n);
            assert!(m >= n && m < 2 * n && radixes(m).is_some_and(|radixes| radixes.iter().all(|&radix| radix <= 5)));
        }
    }
}
