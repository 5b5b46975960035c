//! Components with fewer samples than the image, brought to its size.

use super::plane::Plane;

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
    let n = from.len();
    let at = |i: usize| u32::from(from[i]);
    for (i, to) in to.chunks_exact_mut(2).take(n).enumerate() {
        let x = at(i) * 3;
        to[0] = if i == 0 { from[0] } else { ((x + at(i - 1) + 1) >> 2) as u8 };
        to[1] = if i + 1 == n { from[i] } else { ((x + at(i + 1) + 2) >> 2) as u8 };
    }
}

/// Writes as `double` does, from sums of four parts, of two rows.
fn double_sums(from: &[u8], neighbour: &[u8], to: &mut [u8]) {
    let n = from.len();
    let at = |i: usize| u32::from(from[i]) * 3 + u32::from(neighbour[i]);
    for (i, to) in to.chunks_exact_mut(2).take(n).enumerate() {
        let x = at(i);
        to[0] = if i == 0 { (x * 4 + 8) >> 4 } else { (x * 3 + at(i - 1) + 8) >> 4 } as u8;
        to[1] = if i + 1 == n { (x * 4 + 7) >> 4 } else { (x * 3 + at(i + 1) + 7) >> 4 } as u8;
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

    #[test]
    fn a_constant_row_stays_constant() {
        for n in 1..9 {
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
