//! `Streams`: writes past the caches.

use crate::vector::Isa;

/// Bytes of a cache line.
const LINE: usize = 64;

/// Elements that are computed in the first-level cache before they are copied, and bytes of a part for which that is
/// worth it.
const PIECE: usize = 1024;
const PIECE_BYTES: usize = 4 << 10;

/// Leave to write past the caches, for results that do not fit there: the lines written to are then not read before. What
/// was written is visible to other threads when this is dropped.
pub struct Streams(());

impl Streams {
    /// Bytes of a result from which on streams take less time than the caches.
    const WORTHWHILE: usize = 32 << 20;

    /// Returns None where a result of so many bytes is better written to the caches.
    pub fn for_result(bytes: usize) -> Option<Streams> {
        (bytes >= Streams::WORTHWHILE && Isa::current().has_avx2()).then_some(Streams(()))
    }

    /// Computes a part of a result of `bytes` in pieces. `piece` takes the number of its first element, and the memory to
    /// write to. A result that does not fit the caches is written past them.
    pub(crate) fn in_pieces<T: Copy + Default>(bytes: usize, part: &mut [T], piece: impl Fn(usize, &mut [T])) {
        let is_long = size_of_val(part) >= PIECE_BYTES;
        let Some(streams) = is_long.then(|| Streams::for_result(bytes)).flatten() else {
            piece(0, part);
            return;
        };
        let mut room = [T::default(); PIECE];
        for (number, to) in part.chunks_mut(PIECE).enumerate() {
            let room = &mut room[..to.len()];
            piece(number * PIECE, room);
            streams.copy(room, to);
        }
    }

    /// Copies rows of `width` elements, which begin `row` apart in `to`. False, with nothing done, if they are no whole cache lines.
    ///
    /// Panics if `to` does not hold them.
    pub(crate) fn copy_rows<T: Copy>(&self, from: &[T], width: usize, to: &mut [T], row: usize) -> bool {
        let (bytes, count) = (width * size_of::<T>(), from.len().checked_div(width).unwrap_or(0));
        let is_lines = |distance: usize| (distance * size_of::<T>()).is_multiple_of(LINE);
        if count == 0 || !is_lines(width) || !is_lines(row) || !to.as_ptr().addr().is_multiple_of(LINE) {
            return false;
        }
        assert!((count - 1) * row + width <= to.len() && (width <= row || count == 1));
        #[cfg(target_arch = "x86_64")]
        // SAFETY: `Streams` exists only with AVX2; the rows lie in both slices, and are whole aligned lines in `to`.
        unsafe {
            avx2::stream_rows(from.as_ptr().cast(), to.as_mut_ptr().cast(), (count, bytes), row * size_of::<T>());
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = bytes;
        cfg!(target_arch = "x86_64")
    }

    /// Copies elements.
    ///
    /// Panics if the slices differ in length.
    pub(crate) fn copy<T: Copy>(&self, from: &[T], to: &mut [T]) {
        assert_eq!(from.len(), to.len());
        #[cfg(target_arch = "x86_64")]
        {
            let (head, vectors) = avx2::vectors(to);
            let tail = head + vectors * avx2::BYTES / size_of::<T>().max(1);
            to[..head].copy_from_slice(&from[..head]);
            to[tail..].copy_from_slice(&from[tail..]);
            // SAFETY: `Streams` exists only with AVX2; so many vectors lie in both slices from `head` on, aligned in `to`.
            unsafe { avx2::stream(from[head..].as_ptr().cast(), to[head..].as_mut_ptr().cast(), vectors) };
        }
        #[cfg(not(target_arch = "x86_64"))]
        to.copy_from_slice(from);
    }
}

impl Drop for Streams {
    fn drop(&mut self) {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: a fence; every x86-64 processor has it (SSE).
        unsafe {
            std::arch::x86_64::_mm_sfence()
        };
    }
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use std::arch::x86_64::*;

    /// Bytes of a vector.
    pub(super) const BYTES: usize = size_of::<__m256i>();

    /// Returns the elements of a slice before its first aligned vector, and the whole vectors from there on.
    pub(super) fn vectors<T>(to: &[T]) -> (usize, usize) {
        let size = size_of::<T>();
        let before = to.as_ptr().addr().next_multiple_of(BYTES) - to.as_ptr().addr();
        if size == 0 || !BYTES.is_multiple_of(size) || !before.is_multiple_of(size) || before / size > to.len() {
            return (to.len(), 0);
        }
        (before / size, (size_of_val(to) - before) / BYTES)
    }

    /// Copies rows past the caches: a count of so many bytes, which begin `row` bytes apart in `to`.
    ///
    /// # Safety
    /// The rows must be readable from `from`, one after the other, and writable at `to`; all bytes are multiples of `BYTES`.
    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn stream_rows(from: *const u8, to: *mut u8, (count, bytes): (usize, usize), row: usize) {
        for i in 0..count {
            for at in (0..bytes).step_by(BYTES) {
                // SAFETY: the vector lies in row i, as the caller promises.
                unsafe {
                    let vector = _mm256_loadu_si256(from.add(i * bytes + at).cast());
                    _mm256_stream_si256(to.add(i * row + at).cast(), vector);
                }
            }
        }
    }

    /// Copies vectors past the caches.
    ///
    /// # Safety
    /// `count` vectors must be readable from `from`, and writable at `to`, which is aligned to `BYTES`.
    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn stream(from: *const __m256i, to: *mut __m256i, count: usize) {
        for k in 0..count {
            // SAFETY: vector k is readable and writable, as the caller promises.
            unsafe { _mm256_stream_si256(to.add(k), _mm256_loadu_si256(from.add(k))) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Streams;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_copy_is_what_was_copied(len in 0usize..200, from in 0usize..40, to in 0usize..40) {
            let Some(streams) = Streams::for_result(usize::MAX) else { return Ok(()) };
            let values: Vec<u16> = (0..240).collect();
            let mut got = vec![7u16; 240];
            streams.copy(&values[from..from + len], &mut got[to..to + len]);
            let mut expected = vec![7u16; 240];
            expected[to..to + len].copy_from_slice(&values[from..from + len]);
            prop_assert_eq!(got, expected);
            let mut triples = vec![[0u8; 3]; len];
            streams.copy(&vec![[1, 2, 3]; len], &mut triples);
            prop_assert!(triples.iter().all(|t| *t == [1, 2, 3]));
        }

        #[test]
        fn pieces_are_the_whole(len in 0usize..5000, skip in 0usize..9) {
            for bytes in [0, usize::MAX] {
                let mut got = vec![0u32; skip + len];
                Streams::in_pieces(bytes, &mut got[skip..], |start, to| {
                    to.iter_mut().enumerate().for_each(|(i, to)| *to = (start + i) as u32 + 1);
                });
                prop_assert!(got[skip..].iter().enumerate().all(|(i, &value)| value == i as u32 + 1));
            }
        }
    }
}
