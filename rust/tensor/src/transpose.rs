//! Transposes of matrices, in square blocks; those of 4- and 8-byte elements in registers.

use crate::streams::Streams;
use crate::vector::Isa;

/// Side of a block: 16 four-byte elements are one cache line, and whole lines are what memory likes to be written in.
pub const BLOCK_SIDE: usize = 16;

/// Returns the elements that a block of `BLOCK_SIDE` rows reaches over, rows beginning `stride` apart.
fn reach(stride: usize) -> Option<usize> {
    stride.checked_mul(BLOCK_SIDE - 1)?.checked_add(BLOCK_SIDE)
}

/// Returns the side of the squares that are transposed in registers; 0 where this machine has no way.
fn square_side<T>() -> usize {
    #[cfg(target_arch = "x86_64")]
    if Isa::current().has_avx2() {
        return match size_of::<T>() {
            4 => 8,
            8 => 4,
            _ => 0,
        };
    }
    0
}

/// Transposes a square of `square_side::<T>()`, not 0, in registers.
///
/// # Safety
/// Rows of the square, `stride` apart, must be readable from `from`, and writable at `to`, `row` apart.
#[inline(always)]
unsafe fn square<T: Copy>(from: *const T, stride: usize, to: *mut T, row: usize) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a side that is not 0 means AVX2, and elements of 4 or 8 bytes. They are moved as bits, from and to any
    // alignment. The rest is the caller's promise.
    unsafe {
        if size_of::<T>() == 4 {
            avx2::eight(from.cast(), stride, to.cast(), row);
        } else {
            avx2::four(from.cast(), stride, to.cast(), row);
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (from, stride, to, row);
}

/// Computes `to[i * row + j] = from[j * stride + i]` for i, j < `BLOCK_SIDE`; false, with nothing done, where this
/// machine has no way.
pub(crate) fn block<T: Copy + Default>(
    from: &[T],
    stride: usize,
    to: &mut [T],
    row: usize,
    streams: Option<&Streams>,
) -> bool {
    let side = square_side::<T>();
    let inside = |len: usize, step| reach(step).is_some_and(|r| r <= len);
    if side == 0 || !inside(from.len(), stride) || !inside(to.len(), row) {
        return false;
    }
    #[cfg(target_arch = "x86_64")]
    if let Some(streams) = streams {
        let mut transposed = [T::default(); BLOCK_SIDE * BLOCK_SIDE];
        block(from, stride, &mut transposed, BLOCK_SIDE, None);
        if streams.copy_rows(&transposed, BLOCK_SIDE, to, row) {
            return true;
        }
    }
    for i in (0..BLOCK_SIDE).step_by(side) {
        for j in (0..BLOCK_SIDE).step_by(side) {
            // SAFETY: the square at (i, j) lies in the block, which was found inside both slices.
            unsafe { square(from.as_ptr().add(j * stride + i), stride, to.as_mut_ptr().add(i * row + j), row) };
        }
    }
    true
}

/// Computes `to[c * to_row + r] = from[r * from_row + c]` for r < `rows`, c < `columns`.
///
/// Panics: where a row is shorter than what it holds, or a slice than its rows.
pub fn matrix<T: Copy>(from: &[T], from_row: usize, (rows, columns): (usize, usize), to: &mut [T], to_row: usize) {
    if rows == 0 || columns == 0 {
        return;
    }
    let holds = |len: usize, (rows, columns): (usize, usize), row: usize| {
        row >= columns && len.checked_sub(columns).is_some_and(|rest| rest / row.max(1) >= rows - 1)
    };
    assert!(holds(from.len(), (rows, columns), from_row) && holds(to.len(), (columns, rows), to_row));
    let side = square_side::<T>();
    let in_squares = |from: usize, end: usize| (end - from).checked_div(side).map_or(from, |n| from + n * side);
    for r in (0..rows).step_by(BLOCK_SIDE) {
        for c in (0..columns).step_by(BLOCK_SIDE) {
            let (r_end, c_end) = (rows.min(r + BLOCK_SIDE), columns.min(c + BLOCK_SIDE));
            let (r_square, c_square) = (in_squares(r, r_end), in_squares(c, c_end));
            for c in (c..c_square).step_by(side.max(1)) {
                for r in (r..r_square).step_by(side.max(1)) {
                    let (at, to_at) = (r * from_row + c, c * to_row + r);
                    // SAFETY: the square at (r, c) lies in the matrix, which was found inside both slices.
                    unsafe { square(from.as_ptr().add(at), from_row, to.as_mut_ptr().add(to_at), to_row) };
                }
            }
            for r in r..r_end {
                for c in (if r < r_square { c_square } else { c })..c_end {
                    to[c * to_row + r] = from[r * from_row + c];
                }
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use std::arch::x86_64::*;
    use std::array::from_fn;

    /// Transposes 8 x 8 elements.
    ///
    /// # Safety
    /// 8 rows of 8 elements must be readable from `from`, `stride` apart, and writable at `to`, `row` apart.
    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn eight(from: *const u32, stride: usize, to: *mut u32, row: usize) {
        // SAFETY: row k is readable, as the caller promises.
        let r: [__m256; 8] = from_fn(|k| unsafe { _mm256_loadu_ps(from.add(k * stride).cast()) });
        // Pairs of rows, then fours, then the two halves.
        let low: [__m256; 4] = from_fn(|k| _mm256_unpacklo_ps(r[2 * k], r[2 * k + 1]));
        let high: [__m256; 4] = from_fn(|k| _mm256_unpackhi_ps(r[2 * k], r[2 * k + 1]));
        let fours = |a, b| [_mm256_shuffle_ps::<0x44>(a, b), _mm256_shuffle_ps::<0xee>(a, b)];
        let [a0, a1] = fours(low[0], low[1]);
        let [a2, a3] = fours(high[0], high[1]);
        let [b0, b1] = fours(low[2], low[3]);
        let [b2, b3] = fours(high[2], high[3]);
        for (k, (a, b)) in [(a0, b0), (a1, b1), (a2, b2), (a3, b3)].into_iter().enumerate() {
            // SAFETY: rows k and k + 4 are writable, as the caller promises.
            unsafe {
                _mm256_storeu_ps(to.add(k * row).cast(), _mm256_permute2f128_ps::<0x20>(a, b));
                _mm256_storeu_ps(to.add((k + 4) * row).cast(), _mm256_permute2f128_ps::<0x31>(a, b));
            }
        }
    }

    /// Transposes 4 x 4 elements.
    ///
    /// # Safety
    /// 4 rows of 4 elements must be readable from `from`, `stride` apart, and writable at `to`, `row` apart.
    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn four(from: *const u64, stride: usize, to: *mut u64, row: usize) {
        // SAFETY: row k is readable, as the caller promises.
        let r: [__m256d; 4] = from_fn(|k| unsafe { _mm256_loadu_pd(from.add(k * stride).cast()) });
        let (a0, a1) = (_mm256_unpacklo_pd(r[0], r[1]), _mm256_unpackhi_pd(r[0], r[1]));
        let (b0, b1) = (_mm256_unpacklo_pd(r[2], r[3]), _mm256_unpackhi_pd(r[2], r[3]));
        for (k, (a, b)) in [(a0, b0), (a1, b1)].into_iter().enumerate() {
            // SAFETY: rows k and k + 2 are writable, as the caller promises.
            unsafe {
                _mm256_storeu_pd(to.add(k * row).cast(), _mm256_permute2f128_pd::<0x20>(a, b));
                _mm256_storeu_pd(to.add((k + 2) * row).cast(), _mm256_permute2f128_pd::<0x31>(a, b));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::Movable;
    use crate::streams::Streams;

    fn check<E: Movable + Copy + std::fmt::Debug>(value: fn(usize) -> E) {
        for (stride, row) in [(16, 16), (17, 40), (100, 23)] {
            let from: Vec<E> = (0..15 * stride + 16).map(value).collect();
            let mut to = vec![value(0); 15 * row + 16];
            let before = to.clone();
            if !E::transpose_block(&from, stride, &mut to, row, None) {
                assert_eq!(to, before);
                continue;
            }
            for i in 0..16 {
                for j in 0..16 {
                    assert_eq!(to[i * row + j], from[j * stride + i]);
                }
                let next = if i < 15 { i * row + 16..(i + 1) * row } else { 0..0 };
                assert_eq!(to[next.clone()], before[next]);
            }
            let streams = Streams::for_result(usize::MAX);
            for streams in [None, streams.as_ref()] {
                assert!(!E::transpose_block(&from[1..], stride, &mut to, row, streams));
                assert!(!E::transpose_block(&from, stride, &mut to[1..], row, streams));
                assert!(!E::transpose_block(&from, usize::MAX, &mut to, row, streams));
            }
        }
    }

    /// Checks blocks that are streamed, some of which begin within a line and are not.
    fn check_streams<E: Movable + Copy + std::fmt::Debug>(value: fn(usize) -> E) {
        for (stride, row) in [(16, 16), (17, 32), (100, 48), (20, 23)] {
            let from: Vec<E> = (0..15 * stride + 16).map(value).collect();
            for offset in 0..16 {
                let Some(streams) = Streams::for_result(usize::MAX) else { return };
                let mut to = vec![value(usize::MAX); 15 * row + 16 + offset];
                assert!(E::transpose_block(&from, stride, &mut to[offset..], row, Some(&streams)));
                drop(streams);
                for (at, &to) in to.iter().enumerate() {
                    let (i, j) = (at.wrapping_sub(offset) / row, at.wrapping_sub(offset) % row);
                    let expected = if at >= offset && j < 16 { from[j * stride + i] } else { value(usize::MAX) };
                    assert_eq!(to, expected);
                }
            }
        }
    }

    #[test]
    fn a_streamed_block_is_transposed_and_nothing_around_it_is_touched() {
        assert!(Streams::for_result(1 << 20).is_none());
        check_streams::<u32>(|i| i as u32);
        check_streams::<u64>(|i| (i as u64).wrapping_mul(0x0001_0000_0001));
    }

    fn check_matrix<T: Copy + PartialEq + std::fmt::Debug>(value: fn(usize) -> T) {
        for (rows, columns) in [(1, 1), (16, 16), (15, 33), (40, 7), (50, 70), (105, 16), (0, 3), (3, 0)] {
            let (from_row, to_row) = (columns + 3, rows + 2);
            let from: Vec<T> = (0..rows * from_row).map(value).collect();
            let mut to = vec![value(usize::MAX); columns * to_row];
            super::matrix(&from, from_row, (rows, columns), &mut to, to_row);
            for (c, row) in to.chunks_exact(to_row).enumerate() {
                for (r, &to) in row.iter().enumerate() {
                    assert_eq!(to, if r < rows { from[r * from_row + c] } else { value(usize::MAX) });
                }
            }
        }
    }

    #[test]
    fn a_matrix_is_transposed_and_nothing_around_it_is_touched() {
        check_matrix(|i| i as u16);
        check_matrix(|i| i as u32);
        check_matrix(|i| i as u64);
        check_matrix(|i| [i as u32, !i as u32]);
        check_matrix(|i| [i as u64; 2]);
    }

    #[test]
    #[should_panic]
    fn a_matrix_beyond_its_slice_is_refused() {
        super::matrix(&[0u32; 63], 8, (8, 8), &mut [0; 64], 8);
    }

    #[test]
    #[should_panic]
    fn a_matrix_beyond_the_result_is_refused() {
        super::matrix(&[0u32; 64], 8, (8, 8), &mut [0; 63], 8);
    }

    #[test]
    fn a_block_is_transposed_and_nothing_around_it_is_touched() {
        check::<u16>(|i| i as u16);
        check::<u32>(|i| i as u32);
        check::<u64>(|i| i as u64 * 0x0001_0000_0001);
    }
}
