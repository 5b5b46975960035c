//! Rows of floats as AVX-512 registers.

use std::arch::x86_64::*;

use super::Lanes;
use crate::vector::Level;

macro_rules! plain_operations {
    ($zero:ident, $load:ident, $load_part:ident, $store:ident, $store_part:ident, $stream:ident,
     $fma:ident, $add:ident, $sub:ident, $mul:ident, $max:ident, $keep:ident, $compare:ident, $sum:ident) => {
        const LEVEL: Level = Level::Avx512;
        const REGISTERS: usize = 1;
        const MASKS_ARE_FREE: bool = true;
        // 12 x 2 sums, 2 columns of b and the value of a fill the 32 registers.
        const ROWS: usize = 12;
        const WIDE: usize = 2;

        #[inline(always)]
        fn widest(rows: usize) -> usize {
            match rows {
                0..=3 => 8,
                4..=6 => 4,
                _ => Self::WIDE,
            }
        }
        #[inline(always)]
        unsafe fn zero() -> Self {
            // SAFETY: the caller has AVX-512F.
            unsafe { $zero() }
        }
        #[inline(always)]
        unsafe fn load(from: *const Self::Elem) -> Self {
            // SAFETY: the caller has AVX-512F and N readable elements at `from`.
            unsafe { $load(from) }
        }
        #[inline(always)]
        unsafe fn load_part(from: *const Self::Elem, part: Self::Mask) -> Self {
            // SAFETY: the caller has AVX-512F and the selected elements are readable.
            unsafe { $load_part(part, from) }
        }
        #[inline(always)]
        unsafe fn store(self, to: *mut Self::Elem) {
            // SAFETY: the caller has AVX-512F and N writable elements at `to`.
            unsafe { $store(to, self) }
        }
        #[inline(always)]
        unsafe fn store_part(self, to: *mut Self::Elem, part: Self::Mask) {
            // SAFETY: the caller has AVX-512F and the selected elements are writable.
            unsafe { $store_part(to, part, self) }
        }
        #[inline(always)]
        unsafe fn stream(self, to: *mut Self::Elem) {
            // SAFETY: the caller has AVX-512F and N writable elements at `to`, which is aligned to them.
            unsafe { $stream(to, self) }
        }
        #[inline(always)]
        unsafe fn mul_add(self, b: Self, c: Self) -> Self {
            // SAFETY: the caller has AVX-512F.
            unsafe { $fma(self, b, c) }
        }
        #[inline(always)]
        unsafe fn add(self, b: Self) -> Self {
            // SAFETY: the caller has AVX-512F.
            unsafe { $add(self, b) }
        }
        #[inline(always)]
        unsafe fn sub(self, b: Self) -> Self {
            // SAFETY: the caller has AVX-512F.
            unsafe { $sub(self, b) }
        }
        #[inline(always)]
        unsafe fn mul(self, b: Self) -> Self {
            // SAFETY: the caller has AVX-512F.
            unsafe { $mul(self, b) }
        }
        #[inline(always)]
        unsafe fn keep(self, part: Self::Mask) -> Self {
            // SAFETY: the caller has AVX-512F.
            unsafe { $keep(part, self) }
        }
        #[inline(always)]
        unsafe fn is_zero(self) -> bool {
            // SAFETY: the caller has AVX-512F.
            unsafe { $compare::<_CMP_EQ_OQ>(self, $zero()) == !0 }
        }
        #[inline(always)]
        unsafe fn sum(self) -> Self::Elem {
            // SAFETY: the caller has AVX-512F.
            unsafe { $sum(self) }
        }
        #[inline(always)]
        unsafe fn relu(self) -> Self {
            // The instruction gives its second operand when either is NaN and when both are zeros.
            // SAFETY: the caller has AVX-512F.
            unsafe { $max($zero(), self) }
        }
    };
}

impl Lanes for __m512 {
    type Elem = f32;
    type Mask = __mmask16;
    const N: usize = 16;

    #[inline(always)]
    fn first(n: usize) -> __mmask16 {
        if n >= 16 { !0 } else { (1 << n) - 1 }
    }
    #[inline(always)]
    unsafe fn splat(from: *const f32) -> Self {
        // SAFETY: the caller has AVX-512F and a readable element at `from`.
        unsafe { _mm512_set1_ps(*from) }
    }
    plain_operations!(
        _mm512_setzero_ps,
        _mm512_loadu_ps,
        _mm512_maskz_loadu_ps,
        _mm512_storeu_ps,
        _mm512_mask_storeu_ps,
        _mm512_stream_ps,
        _mm512_fmadd_ps,
        _mm512_add_ps,
        _mm512_sub_ps,
        _mm512_mul_ps,
        _mm512_max_ps,
        _mm512_maskz_mov_ps,
        _mm512_cmp_ps_mask,
        _mm512_reduce_add_ps
    );

    #[inline(always)]
    unsafe fn unzip(self, next: Self) -> (Self, Self) {
        // SAFETY: the caller has AVX-512F.
        unsafe {
            let even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
            let odd = _mm512_setr_epi32(1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
            (_mm512_permutex2var_ps(self, even, next), _mm512_permutex2var_ps(self, odd, next))
        }
    }
    #[inline(always)]
    unsafe fn zip(self, odd: Self) -> (Self, Self) {
        // SAFETY: the caller has AVX-512F.
        unsafe {
            let low = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
            let high = _mm512_setr_epi32(8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
            (_mm512_permutex2var_ps(self, low, odd), _mm512_permutex2var_ps(self, high, odd))
        }
    }

    #[inline(always)]
    unsafe fn transpose(
        from: *const f32,
        from_stride: usize,
        rows: usize,
        cols: usize,
        to: *mut f32,
        to_stride: usize,
        to_part: __mmask16,
    ) {
        // SAFETY: the caller has AVX-512F; only `rows` rows and, in each, `cols` elements are read; `cols` rows of 16 are written.
        unsafe {
            let part = Self::first(cols);
            let mut r = [Self::zero(); 16];
            for (i, row) in r.iter_mut().enumerate() {
                if i < rows {
                    *row = Self::load_part(from.add(i * from_stride), part);
                }
            }
            let mut t = [Self::zero(); 16];
            for i in 0..8 {
                t[2 * i] = _mm512_unpacklo_ps(r[2 * i], r[2 * i + 1]);
                t[2 * i + 1] = _mm512_unpackhi_ps(r[2 * i], r[2 * i + 1]);
            }
            for i in 0..4 {
                for half in 0..2 {
                    let lower = _mm512_castps_pd(t[4 * i + half]);
                    let upper = _mm512_castps_pd(t[4 * i + 2 + half]);
                    r[4 * i + 2 * half] = _mm512_castpd_ps(_mm512_unpacklo_pd(lower, upper));
                    r[4 * i + 2 * half + 1] = _mm512_castpd_ps(_mm512_unpackhi_pd(lower, upper));
                }
            }
            // r[4 q + c] holds, in its 128-bit part s, rows 4q..4q+4 of column 4s + c.
            for c in 0..4 {
                let even_low = _mm512_shuffle_f32x4::<0x88>(r[c], r[4 + c]);
                let odd_low = _mm512_shuffle_f32x4::<0xdd>(r[c], r[4 + c]);
                let even_high = _mm512_shuffle_f32x4::<0x88>(r[8 + c], r[12 + c]);
                let odd_high = _mm512_shuffle_f32x4::<0xdd>(r[8 + c], r[12 + c]);
                t[c] = _mm512_shuffle_f32x4::<0x88>(even_low, even_high);
                t[8 + c] = _mm512_shuffle_f32x4::<0xdd>(even_low, even_high);
                t[4 + c] = _mm512_shuffle_f32x4::<0x88>(odd_low, odd_high);
                t[12 + c] = _mm512_shuffle_f32x4::<0xdd>(odd_low, odd_high);
            }
            for (i, row) in t.iter().enumerate() {
                if i < cols {
                    row.store_part(to.add(i * to_stride), to_part);
                }
            }
        }
    }
}

impl Lanes for __m512d {
    type Elem = f64;
    type Mask = __mmask8;
    const N: usize = 8;

    #[inline(always)]
    fn first(n: usize) -> __mmask8 {
        if n >= 8 { !0 } else { (1 << n) - 1 }
    }
    #[inline(always)]
    unsafe fn splat(from: *const f64) -> Self {
        // SAFETY: the caller has AVX-512F and a readable element at `from`.
        unsafe { _mm512_set1_pd(*from) }
    }
    plain_operations!(
        _mm512_setzero_pd,
        _mm512_loadu_pd,
        _mm512_maskz_loadu_pd,
        _mm512_storeu_pd,
        _mm512_mask_storeu_pd,
        _mm512_stream_pd,
        _mm512_fmadd_pd,
        _mm512_add_pd,
        _mm512_sub_pd,
        _mm512_mul_pd,
        _mm512_max_pd,
        _mm512_maskz_mov_pd,
        _mm512_cmp_pd_mask,
        _mm512_reduce_add_pd
    );

    #[inline(always)]
    unsafe fn unzip(self, next: Self) -> (Self, Self) {
        // SAFETY: the caller has AVX-512F.
        unsafe {
            let even = _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14);
            let odd = _mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15);
            (_mm512_permutex2var_pd(self, even, next), _mm512_permutex2var_pd(self, odd, next))
        }
    }
    #[inline(always)]
    unsafe fn zip(self, odd: Self) -> (Self, Self) {
        // SAFETY: the caller has AVX-512F.
        unsafe {
            let low = _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11);
            let high = _mm512_setr_epi64(4, 12, 5, 13, 6, 14, 7, 15);
            (_mm512_permutex2var_pd(self, low, odd), _mm512_permutex2var_pd(self, high, odd))
        }
    }

    #[inline(always)]
    unsafe fn transpose(
        from: *const f64,
        from_stride: usize,
        rows: usize,
        cols: usize,
        to: *mut f64,
        to_stride: usize,
        to_part: __mmask8,
    ) {
        // SAFETY: the caller has AVX-512F; only `rows` rows and, in each, `cols` elements are read; `cols` rows of 8 are written.
        unsafe {
            let part = Self::first(cols);
            let mut r = [Self::zero(); 8];
            for (i, row) in r.iter_mut().enumerate() {
                if i < rows {
                    *row = Self::load_part(from.add(i * from_stride), part);
                }
            }
            let mut t = [Self::zero(); 8];
            for i in 0..4 {
                t[2 * i] = _mm512_unpacklo_pd(r[2 * i], r[2 * i + 1]);
                t[2 * i + 1] = _mm512_unpackhi_pd(r[2 * i], r[2 * i + 1]);
            }
            // t[2 q + c] holds, in its 128-bit part s, rows 2q and 2q+1 of column 2s + c.
            for c in 0..2 {
                let even_low = _mm512_shuffle_f64x2::<0x88>(t[c], t[2 + c]);
                let odd_low = _mm512_shuffle_f64x2::<0xdd>(t[c], t[2 + c]);
                let even_high = _mm512_shuffle_f64x2::<0x88>(t[4 + c], t[6 + c]);
                let odd_high = _mm512_shuffle_f64x2::<0xdd>(t[4 + c], t[6 + c]);
                r[c] = _mm512_shuffle_f64x2::<0x88>(even_low, even_high);
                r[4 + c] = _mm512_shuffle_f64x2::<0xdd>(even_low, even_high);
                r[2 + c] = _mm512_shuffle_f64x2::<0x88>(odd_low, odd_high);
                r[6 + c] = _mm512_shuffle_f64x2::<0xdd>(odd_low, odd_high);
            }
            for (i, row) in r.iter().enumerate() {
                if i < cols {
                    row.store_part(to.add(i * to_stride), to_part);
                }
            }
        }
    }
}
