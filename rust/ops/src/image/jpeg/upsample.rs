//! Components with fewer samples than the image, brought to its size.

use super::plane::Plane;
use ferroflow_tensor::vector::on_best_isa;

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

/// Writes twice as many samples: three parts of the nearer one, one part of the farther.
fn double(from: &[u8], to: &mut [u8]) {
    let rounded = |near: u8, far: u8, bias: u16| ((u16::from(near) * 3 + u16::from(far) + bias) >> 2) as u8;
    let pairs = to.as_chunks_mut::<2>().0;
    on_best_isa(|| {
        for (pair, around) in pairs.iter_mut().skip(1).zip(from.windows(3)) {
            *pair = [rounded(around[1], around[0], 1), rounded(around[1], around[2], 2)];
        }
    });
    if let ([first, second, ..], [pair, ..]) = (from, &mut *pairs) {
        *pair = [*first, rounded(*first, *second, 2)];
    }
    if let ([.., before, last], Some(pair)) = (from, pairs.get_mut(from.len() - 1)) {
        *pair = [rounded(*last, *before, 1), *last];
    }
}

/// Writes as `double` does, from sums of four parts, of two rows.
fn double_sums(from: &[u8], neighbour: &[u8], to: &mut [u8]) {
    let mut sums = vec![0u16; from.len()];
    let pairs = to.as_chunks_mut::<2>().0;
    let rounded = |near: u16, far: u16, bias: u16| ((near * 3 + far + bias) >> 4) as u8;
    on_best_isa(|| {
        for ((sum, &x), &y) in sums.iter_mut().zip(from).zip(neighbour) {
            *sum = u16::from(x) * 3 + u16::from(y);
        }
        for (pair, around) in pairs.iter_mut().skip(1).zip(sums.windows(3)) {
            *pair = [rounded(around[1], around[0], 8), rounded(around[1], around[2], 7)];
        }
    });
    if let ([first, second, ..], [pair, ..]) = (&*sums, &mut *pairs) {
        *pair = [rounded(*first, *first, 8), rounded(*first, *second, 7)];
    }
    if let ([.., before, last], Some(pair)) = (&*sums, pairs.get_mut(from.len() - 1)) {
        *pair = [rounded(*last, *before, 8), rounded(*last, *last, 7)];
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

    /// Both formulas, sample by sample.
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
