//! Tables of a length: how it is transformed, found once and kept.

use super::Real;
use super::passes::{MAX_RADIX, Pass};

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

/// The way in which a length is transformed.
pub(super) struct Plan<T> {
    pub n: usize,
    pub passes: Vec<Pass<T>>,
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
            (1..groups).flat_map(|group| (1..radix).map(move |t| turned(group * t, length, direction).map(T::of)));
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

impl<T: Real> Plan<T> {
    /// Returns None if `n` has a prime factor above `MAX_RADIX`.
    pub fn new(n: usize, direction: Direction) -> Option<Plan<T>> {
        Some(Plan { n, passes: passes(n, direction, &radixes(n)?) })
    }

    /// Returns the numbers in its tables.
    pub fn size(&self) -> usize {
        self.passes.iter().map(|pass| pass.factors.len() + pass.terms.len()).sum()
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
        }
    }
}
