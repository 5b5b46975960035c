//! Rows of floats as pairs of AVX2 registers.

use std::arch::x86_64::*;

use super::Lanes;
use crate::vector::Level;

/// The lower and the upper half of a row.
#[derive(Clone, Copy)]
pub(crate) struct Pair<R>(R, R);

/// The first elements of a row: masks for loads, and their number for stores, since masked stores take many times as long on some CPUs.
#[derive(Clone, Copy)]
pub(crate) struct First {
    low: __m256i,
    high: __m256i,
    count: usize,
}

/// Copies `count <= 16` elements.
///
/// # Safety
/// `from` is valid for reads of them, `to` for writes.
#[inline(always)]
unsafe fn copy_few<T: Copy>(mut from: *const T, mut to: *mut T, count: usize) {
    macro_rules! copy {
        ($n:literal) => {
            to.cast::<[T; $n]>().write_unaligned(from.cast::<[T; $n]>().read_unaligned());
            (from, to) = (from.add($n), to.add($n));
        };
    }
    // SAFETY: the parts make up the elements.
    unsafe {
        if count >= 16 {
            copy!(16);
        }
        if count & 8 != 0 {
            copy!(8);
        }
        if count & 4 != 0 {
            copy!(4);
        }
        if count & 2 != 0 {
            copy!(2);
        }
        if count & 1 != 0 {
            to.write(from.read());
        }
    }
}

/// Elements that are selected by a mask that begins so many before the middle.
const SELECTED_F32: [i32; 32] =
    [-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
const SELECTED_F64: [i64; 16] = [-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0];

/// The operations that f32 and f64 share.
macro_rules! pair_operations {
    ($half:literal, $cast:ident, $zero:ident, $load:ident, $load_part:ident, $store:ident,
     $stream:ident, $fma:ident, $add:ident, $sub:ident, $mul:ident, $max:ident, $and:ident, $compare:ident, $signs:ident) => {
        type Mask = First;
        const LEVEL: Level = Level::Avx2;
        const N: usize = 2 * $half;
        const REGISTERS: usize = 2;
        const MASKS_ARE_FREE: bool = false;
        const ROWS: usize = 6;
        const WIDE: usize = 1;

        #[inline(always)]
        fn widest(rows: usize) -> usize {
            match rows {
                0 | 1 => 4,
                2 | 3 => 2,
                _ => 1,
            }
        }
        #[inline(always)]
        unsafe fn zero() -> Self {
            // SAFETY: the caller has AVX2.
            unsafe { Pair($zero(), $zero()) }
        }
        #[inline(always)]
        unsafe fn load(from: *const Self::Elem) -> Self {
            // SAFETY: the caller has AVX2 and N readable elements at `from`.
            unsafe { Pair($load(from), $load(from.add($half))) }
        }
        #[inline(always)]
        unsafe fn load_part(from: *const Self::Elem, part: Self::Mask) -> Self {
            // SAFETY: the caller has AVX2 and the selected elements are readable.
            unsafe { Pair($load_part(from, part.low), $load_part(from.wrapping_add($half), part.high)) }
        }
        #[inline(always)]
        unsafe fn store(self, to: *mut Self::Elem) {
            // SAFETY: the caller has AVX2 and N writable elements at `to`.
            unsafe {
                $store(to, self.0);
                $store(to.add($half), self.1);
            }
        }
        #[inline(always)]
        unsafe fn stream(self, to: *mut Self::Elem) {
            // SAFETY: the caller has AVX2 and N writable elements at `to`, which is aligned to them.
            unsafe {
                $stream(to, self.0);
                $stream(to.add($half), self.1);
            }
        }
        #[inline(always)]
        unsafe fn store_part(self, to: *mut Self::Elem, part: Self::Mask) {
            // SAFETY: the caller has AVX2 and the selected elements are writable.
            unsafe {
                let mut row = [Self::Elem::default(); 2 * $half];
                self.store(row.as_mut_ptr());
                copy_few(row.as_ptr(), to, part.count);
            }
        }
        #[inline(always)]
        unsafe fn mul_add(self, b: Self, c: Self) -> Self {
            // SAFETY: the caller has FMA.
            unsafe { Pair($fma(self.0, b.0, c.0), $fma(self.1, b.1, c.1)) }
        }
        #[inline(always)]
        unsafe fn add(self, b: Self) -> Self {
            // SAFETY: the caller has AVX2.
            unsafe { Pair($add(self.0, b.0), $add(self.1, b.1)) }
        }
        #[inline(always)]
        unsafe fn sub(self, b: Self) -> Self {
            // SAFETY: the caller has AVX2.
            unsafe { Pair($sub(self.0, b.0), $sub(self.1, b.1)) }
        }
        #[inline(always)]
        unsafe fn mul(self, b: Self) -> Self {
            // SAFETY: the caller has AVX2.
            unsafe { Pair($mul(self.0, b.0), $mul(self.1, b.1)) }
        }
        #[inline(always)]
        unsafe fn relu(self) -> Self {
            // The instruction gives its second operand when either is NaN and when both are zeros.
            // SAFETY: the caller has AVX2.
            unsafe { Pair($max($zero(), self.0), $max($zero(), self.1)) }
        }
        #[inline(always)]
        unsafe fn keep(self, part: Self::Mask) -> Self {
            // SAFETY: the caller has AVX2.
            unsafe { Pair($and(self.0, $cast(part.low)), $and(self.1, $cast(part.high))) }
        }
        #[inline(always)]
        unsafe fn is_zero(self) -> bool {
            // SAFETY: the caller has AVX2.
            unsafe {
                let (low, high) = ($compare::<_CMP_EQ_OQ>(self.0, $zero()), $compare::<_CMP_EQ_OQ>(self.1, $zero()));
                $signs($and(low, high)) == (1 << $half) - 1
            }
        }
        #[inline(always)]
        unsafe fn unzip(self, next: Self) -> (Self, Self) {
            // SAFETY: the caller has AVX2.
            unsafe {
                let ((even, odd), (next_even, next_odd)) =
                    (Self::unzipped(self.0, self.1), Self::unzipped(next.0, next.1));
                (Pair(even, next_even), Pair(odd, next_odd))
            }
        }
        #[inline(always)]
        unsafe fn zip(self, odd: Self) -> (Self, Self) {
            // SAFETY: the caller has AVX2.
            unsafe { (Self::zipped(self.0, odd.0), Self::zipped(self.1, odd.1)) }
        }
        #[inline(always)]
        unsafe fn transpose(
            from: *const Self::Elem,
            from_stride: usize,
            rows: usize,
            cols: usize,
            to: *mut Self::Elem,
            to_stride: usize,
            to_part: Self::Mask,
        ) {
            // SAFETY: the caller has AVX2; only `rows` rows of `cols` elements are read; the selected elements of `cols` rows are
            // written.
            unsafe {
                for first in (0..cols).step_by($half) {
                    let some = (cols - first).min($half);
                    let part = Self::first(some).low;
                    let mut halves = [[$zero(); $half]; 2];
                    for (half, block) in halves.iter_mut().enumerate() {
                        for (i, row) in block.iter_mut().enumerate() {
                            if half * $half + i < rows {
                                let row_from = from.add((half * $half + i) * from_stride + first);
                                *row = if some == $half { $load(row_from) } else { $load_part(row_from, part) };
                            }
                        }
                        *block = Self::transposed(*block);
                    }
                    let [low, high] = halves;
                    for (i, (low, high)) in low.into_iter().zip(high).enumerate().take(some) {
                        Pair(low, high).store_part(to.add((first + i) * to_stride), to_part);
                    }
                }
            }
        }
    };
}

impl Pair<__m256> {
    /// Returns the elements of even numbers of both halves, in order, and those of odd numbers.
    #[inline(always)]
    unsafe fn unzipped(a: __m256, b: __m256) -> (__m256, __m256) {
        // SAFETY: the caller has AVX2.
        unsafe {
            let even = _mm256_castps_pd(_mm256_shuffle_ps::<0x88>(a, b));
            let odd = _mm256_castps_pd(_mm256_shuffle_ps::<0xdd>(a, b));
            (
                _mm256_castpd_ps(_mm256_permute4x64_pd::<0xd8>(even)),
                _mm256_castpd_ps(_mm256_permute4x64_pd::<0xd8>(odd)),
            )
        }
    }

    #[inline(always)]
    unsafe fn zipped(even: __m256, odd: __m256) -> Self {
        // SAFETY: the caller has AVX2.
        unsafe {
            let (low, high) = (_mm256_unpacklo_ps(even, odd), _mm256_unpackhi_ps(even, odd));
            Pair(_mm256_permute2f128_ps::<0x20>(low, high), _mm256_permute2f128_ps::<0x31>(low, high))
        }
    }

    /// Returns the transpose of a block of 8 rows.
    #[inline(always)]
    unsafe fn transposed(r: [__m256; 8]) -> [__m256; 8] {
        // SAFETY: the caller has AVX2.
        unsafe {
            let mut t = r;
            for i in 0..4 {
                t[2 * i] = _mm256_unpacklo_ps(r[2 * i], r[2 * i + 1]);
                t[2 * i + 1] = _mm256_unpackhi_ps(r[2 * i], r[2 * i + 1]);
            }
            // u[4 q + c] holds, in its 128-bit part s, rows 4q..4q+4 of column 4s + c.
            let mut u = t;
            for i in 0..2 {
                for half in 0..2 {
                    let (lower, upper) = (_mm256_castps_pd(t[4 * i + half]), _mm256_castps_pd(t[4 * i + 2 + half]));
                    u[4 * i + 2 * half] = _mm256_castpd_ps(_mm256_unpacklo_pd(lower, upper));
                    u[4 * i + 2 * half + 1] = _mm256_castpd_ps(_mm256_unpackhi_pd(lower, upper));
                }
            }
            for c in 0..4 {
                t[c] = _mm256_permute2f128_ps::<0x20>(u[c], u[4 + c]);
                t[4 + c] = _mm256_permute2f128_ps::<0x31>(u[c], u[4 + c]);
            }
            t
        }
    }
}

impl Pair<__m256d> {
    /// Returns the elements of even numbers of both halves, in order, and those of odd numbers.
    #[inline(always)]
    unsafe fn unzipped(a: __m256d, b: __m256d) -> (__m256d, __m256d) {
        // SAFETY: the caller has AVX2.
        unsafe {
            let (even, odd) = (_mm256_unpacklo_pd(a, b), _mm256_unpackhi_pd(a, b));
            (_mm256_permute4x64_pd::<0xd8>(even), _mm256_permute4x64_pd::<0xd8>(odd))
        }
    }

    #[inline(always)]
    unsafe fn zipped(even: __m256d, odd: __m256d) -> Self {
        // SAFETY: the caller has AVX2.
        unsafe {
            let (low, high) = (_mm256_unpacklo_pd(even, odd), _mm256_unpackhi_pd(even, odd));
            Pair(_mm256_permute2f128_pd::<0x20>(low, high), _mm256_permute2f128_pd::<0x31>(low, high))
        }
    }

    /// Returns the transpose of a block of 4 rows.
    #[inline(always)]
    unsafe fn transposed(r: [__m256d; 4]) -> [__m256d; 4] {
        // SAFETY: the caller has AVX2.
        unsafe {
            // t[2 q + c] holds, in its 128-bit part s, rows 2q and 2q+1 of column 2s + c.
            let t = [
                _mm256_unpacklo_pd(r[0], r[1]),
                _mm256_unpackhi_pd(r[0], r[1]),
                _mm256_unpacklo_pd(r[2], r[3]),
                _mm256_unpackhi_pd(r[2], r[3]),
            ];
            [
                _mm256_permute2f128_pd::<0x20>(t[0], t[2]),
                _mm256_permute2f128_pd::<0x20>(t[1], t[3]),
                _mm256_permute2f128_pd::<0x31>(t[0], t[2]),
                _mm256_permute2f128_pd::<0x31>(t[1], t[3]),
            ]
        }
    }
}

impl Lanes for Pair<__m256> {
    type Elem = f32;

    #[inline(always)]
    fn first(n: usize) -> Self::Mask {
        let table = SELECTED_F32.as_ptr().wrapping_add(16 - n.min(16));
        // SAFETY: 16 elements of the table lie at every such address; unaligned loads exist in AVX, which every caller has.
        let (low, high) = unsafe { (_mm256_loadu_si256(table.cast()), _mm256_loadu_si256(table.add(8).cast())) };
        First { low, high, count: n.min(16) }
    }
    #[inline(always)]
    unsafe fn splat(from: *const f32) -> Self {
        // SAFETY: the caller has AVX2 and a readable element at `from`.
        unsafe {
            let value = _mm256_set1_ps(*from);
            Pair(value, value)
        }
    }
    #[inline(always)]
    unsafe fn sum(self) -> f32 {
        // SAFETY: the caller has AVX2.
        unsafe {
            let eight = _mm256_add_ps(self.0, self.1);
            let four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps::<1>(eight));
            let two = _mm_add_ps(four, _mm_movehl_ps(four, four));
            _mm_cvtss_f32(_mm_add_ss(two, _mm_shuffle_ps::<1>(two, two)))
        }
    }
    pair_operations!(
        8,
        _mm256_castsi256_ps,
        _mm256_setzero_ps,
        _mm256_loadu_ps,
        _mm256_maskload_ps,
        _mm256_storeu_ps,
        _mm256_stream_ps,
        _mm256_fmadd_ps,
        _mm256_add_ps,
        _mm256_sub_ps,
        _mm256_mul_ps,
        _mm256_max_ps,
        _mm256_and_ps,
        _mm256_cmp_ps,
        _mm256_movemask_ps
    );
}

impl Lanes for Pair<__m256d> {
    type Elem = f64;

    #[inline(always)]
    fn first(n: usize) -> Self::Mask {
        let table = SELECTED_F64.as_ptr().wrapping_add(8 - n.min(8));
        // SAFETY: 8 elements of the table lie at every such address; unaligned loads exist in AVX, which every caller has.
        let (low, high) = unsafe { (_mm256_loadu_si256(table.cast()), _mm256_loadu_si256(table.add(4).cast())) };
        First { low, high, count: n.min(8) }
    }
    #[inline(always)]
    unsafe fn splat(from: *const f64) -> Self {
        // SAFETY: the caller has AVX2 and a readable element at `from`.
        unsafe {
            let value = _mm256_set1_pd(*from);
            Pair(value, value)
        }
    }
    #[inline(always)]
    unsafe fn sum(self) -> f64 {
        // SAFETY: the caller has AVX2.
        unsafe {
            let four = _mm256_add_pd(self.0, self.1);
            let two = _mm_add_pd(_mm256_castpd256_pd128(four), _mm256_extractf128_pd::<1>(four));
            _mm_cvtsd_f64(_mm_add_sd(two, _mm_unpackhi_pd(two, two)))
        }
    }
    pair_operations!(
        4,
        _mm256_castsi256_pd,
        _mm256_setzero_pd,
        _mm256_loadu_pd,
        _mm256_maskload_pd,
        _mm256_storeu_pd,
        _mm256_stream_pd,
        _mm256_fmadd_pd,
        _mm256_add_pd,
        _mm256_sub_pd,
        _mm256_mul_pd,
        _mm256_max_pd,
        _mm256_and_pd,
        _mm256_cmp_pd,
        _mm256_movemask_pd
    );
}
