//! Components with fewer samples than the image, brought to its size.

use super::plane::Plane;
use ferroflow_tensor::vector::{Loops, loops_on_best_isa};

/// Writes each sample several times.
fn repeat(from: &[u8], times: usize, to: &mut [u8]) {
    if times == 1 {
        let length = from.len().min(to.len());
        to[..length].copy_from_slice(&from[..length]);
        return;
    }
    for (to, &x) in to.chunks_mut(times).zip(from) {
        to.fill(x);
    }
}

/// Returns `(near * 3 + far + bias) >> shift`, which fits. Without checks, so that loops are compiled to vectors.
#[inline(always)]
fn mixed(near: u16, far: u16, bias: u16, shift: u32) -> u8 {
    (near.wrapping_mul(3).wrapping_add(far).wrapping_add(bias) >> shift) as u8
}

/// The samples between the first and the last one, doubled: each becomes two, and each of these a mixture with one neighbour.
struct Between<'a, T> {
    from: &'a [T],
    pairs: &'a mut [[u8; 2]],
    biases: [u16; 2],
    shift: u32,
}

impl<T: Copy + Into<u16>> Loops for Between<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let [left, right] = self.biases;
        for (pair, around) in self.pairs.iter_mut().zip(self.from.windows(3)) {
            let (before, x, after) = (around[0].into(), around[1].into(), around[2].into());
            *pair = [mixed(x, before, left, self.shift), mixed(x, after, right, self.shift)];
        }
    }
}

/// Writes twice as many samples: three parts of the nearer one, one part of the farther.
fn double(from: &[u8], to: &mut [u8]) {
    let pairs = to.as_chunks_mut::<2>().0;
    if let ([first, second, ..], [pair, rest @ ..]) = (from, &mut *pairs) {
        *pair = [*first, mixed((*first).into(), (*second).into(), 2, 2)];
        loops_on_best_isa(Between { from, pairs: rest, biases: [1, 2], shift: 2 });
    }
    if let ([.., before, last], Some(pair)) = (from, pairs.get_mut(from.len() - 1)) {
        *pair = [mixed((*last).into(), (*before).into(), 1, 2), *last];
    }
}

/// Sums of three parts of each sample and one of its neighbour.
struct Sums<'a> {
    from: &'a [u8],
    neighbour: &'a [u8],
    to: &'a mut [u16],
}

impl Loops for Sums<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        for ((to, &x), &y) in self.to.iter_mut().zip(self.from).zip(self.neighbour) {
            *to = u16::from(x).wrapping_mul(3).wrapping_add(y.into());
        }
    }
}

/// Writes as `double` does, from sums of four parts, of two rows.
fn double_sums(from: &[u8], neighbour: &[u8], to: &mut [u8]) {
    let mut sums = vec![0u16; from.len()];
    loops_on_best_isa(Sums { from, neighbour, to: &mut sums });
    let pairs = to.as_chunks_mut::<2>().0;
    if let ([first, second, ..], [pair, rest @ ..]) = (&*sums, &mut *pairs) {
        *pair = [mixed(*first, *first, 8, 4), mixed(*first, *second, 7, 4)];
        loops_on_best_isa(Between { from: &sums, pairs: rest, biases: [8, 7], shift: 4 });
    }
    if let ([.., before, last], Some(pair)) = (&*sums, pairs.get_mut(from.len() - 1)) {
        *pair = [mixed(*last, *before, 8, 4), mixed(*last, *last, 7, 4)];
    }
}

/// Writes row `y` of the image from a component.
pub(super) fn row(plane: &Plane, y: usize, fancy: bool, to: &mut [u8]) {
    let [across, down] = plane.expand;
    let from = y / down;
    let line = plane.row(from);
    // The nearest row besides this one: the one above for the upper half of a sample, the one below for the lower.
    let beside = || plane.row(if y.is_multiple_of(2) { from.saturating_sub(1) } else { from + 1 });
    match (across, down, fancy) {
        (2, 1, true) if plane.width > 2 => double(line, to),
        (2, 2, true) if plane.width > 2 => double_sums(line, beside(), to),
        (1, 2, true) => {
            let bias = 1 + (y as u32 % 2);
            for ((to, &a), &b) in to.iter_mut().zip(line).zip(beside()) {
                *to = ((u32::from(a) * 3 + u32::from(b) + bias) >> 2) as u8;
            }
        }
        _ => repeat(line, across, to),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares with both formulas, sample by sample.
    #[test]
    fn samples_are_doubled_by_their_formulas() {
        for n in 2..70usize {
            let row = |k: usize| (0..n).map(|i| (i * i * k + 31 * i + k) as u8).collect::<Vec<_>>();
            let (a, b) = (row(37), row(11));
            let (mut one, mut two) = (vec![0; 2 * n], vec![0; 2 * n]);
            double(&a, &mut one);
            double_sums(&a, &b, &mut two);
            let x = |i: usize| u32::from(a[i]);
            let s = |i: usize| 3 * x(i) + u32::from(b[i]);
            for i in 0..n {
                let (left, right) = (i.saturating_sub(1), (i + 1).min(n - 1));
                assert_eq!(u32::from(one[2 * i]), if i == 0 { x(0) } else { (3 * x(i) + x(left) + 1) >> 2 });
                assert_eq!(u32::from(one[2 * i + 1]), if i + 1 == n { x(i) } else { (3 * x(i) + x(right) + 2) >> 2 });
                assert_eq!(u32::from(two[2 * i]), (3 * s(i) + s(left) + 8) >> 4);
                assert_eq!(u32::from(two[2 * i + 1]), (3 * s(i) + s(right) + 7) >> 4);
            }
        }
    }

    #[test]
    fn a_constant_row_stays_constant() {
        for n in 2..9 {
            let (mut a, mut b) = (vec![0; 2 * n], vec![0; 2 * n]);
            double(&vec![77; n], &mut a);
            double_sums(&vec![77; n], &vec![77; n], &mut b);
            assert!(a.iter().chain(&b).all(|&x| x == 77));
        }
    }

    #[test]
    fn doubled_samples_lie_between_their_neighbours() {
        let mut to = [0; 6];
        double(&[0, 100, 40], &mut to);
        assert_eq!(to, [0, 25, 75, 85, 55, 40]);
        let mut to = [0; 7];
        repeat(&[1, 2, 3, 4], 2, &mut to);
        assert_eq!(to, [1, 1, 2, 2, 3, 3, 4]);
    }
}
