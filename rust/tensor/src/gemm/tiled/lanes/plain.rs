//! Rows of floats as arrays, for CPUs without a version of their own.

use super::Lanes;
use crate::vector::Level;

/// A row as an array. The compiler finds what vectors the target has (two or four lanes a register on aarch64).
#[derive(Clone, Copy)]
pub(crate) struct Plain<T, const N: usize>([T; N]);

macro_rules! plain_lanes {
    ($float:ty, $n:literal) => {
        impl Lanes for Plain<$float, $n> {
            type Elem = $float;
            type Mask = usize;
            const LEVEL: Level = Level::Baseline;
            const N: usize = $n;
            const REGISTERS: usize = 4;
            const MASKS_ARE_FREE: bool = false;
            const ROWS: usize = 6;
            const WIDE: usize = 1;

            #[inline(always)]
            fn widest(rows: usize) -> usize {
                if rows <= 2 { 2 } else { 1 }
            }
            #[inline(always)]
            fn first(n: usize) -> usize {
                n.min($n)
            }
            #[inline(always)]
            unsafe fn zero() -> Self {
                Plain([0.0; $n])
            }
            #[inline(always)]
            unsafe fn splat(from: *const $float) -> Self {
                // SAFETY: the caller has a readable element at `from`.
                Plain([unsafe { *from }; $n])
            }
            #[inline(always)]
            unsafe fn load(from: *const $float) -> Self {
                // SAFETY: the caller has N readable elements at `from`.
                Plain(unsafe { from.cast::<[$float; $n]>().read_unaligned() })
            }
            #[inline(always)]
            unsafe fn load_part(from: *const $float, part: usize) -> Self {
                let mut row = [0.0; $n];
                for (i, element) in row.iter_mut().enumerate().take(part) {
                    // SAFETY: the first `part` elements are readable.
                    *element = unsafe { *from.add(i) };
                }
                Plain(row)
            }
            #[inline(always)]
            unsafe fn store(self, to: *mut $float) {
                // SAFETY: the caller has N writable elements at `to`.
                unsafe { to.cast::<[$float; $n]>().write_unaligned(self.0) }
            }
            #[inline(always)]
            unsafe fn stream(self, to: *mut $float) {
                // SAFETY: the caller has N writable elements at `to`.
                unsafe { self.store(to) }
            }
            #[inline(always)]
            unsafe fn store_part(self, to: *mut $float, part: usize) {
                for (i, element) in self.0.into_iter().enumerate().take(part) {
                    // SAFETY: the first `part` elements are writable.
                    unsafe { *to.add(i) = element };
                }
            }
            #[inline(always)]
            unsafe fn mul_add(self, b: Self, c: Self) -> Self {
                Plain(std::array::from_fn(|i| self.0[i].mul_add(b.0[i], c.0[i])))
            }
            #[inline(always)]
            unsafe fn add(self, b: Self) -> Self {
                Plain(std::array::from_fn(|i| self.0[i] + b.0[i]))
            }
            #[inline(always)]
            unsafe fn sub(self, b: Self) -> Self {
                Plain(std::array::from_fn(|i| self.0[i] - b.0[i]))
            }
            #[inline(always)]
            unsafe fn mul(self, b: Self) -> Self {
                Plain(std::array::from_fn(|i| self.0[i] * b.0[i]))
            }
            #[inline(always)]
            unsafe fn relu(self) -> Self {
                Plain(self.0.map(|x| if x < 0.0 { 0.0 } else { x }))
            }
            #[inline(always)]
            unsafe fn keep(self, part: usize) -> Self {
                Plain(std::array::from_fn(|i| if i < part { self.0[i] } else { 0.0 }))
            }
            #[inline(always)]
            unsafe fn is_zero(self) -> bool {
                self.0.iter().all(|&x| x == 0.0)
            }
            #[inline(always)]
            unsafe fn unzip(self, next: Self) -> (Self, Self) {
                let both = |i: usize| if i < $n { self.0[i] } else { next.0[i - $n] };
                (Plain(std::array::from_fn(|i| both(2 * i))), Plain(std::array::from_fn(|i| both(2 * i + 1))))
            }
            #[inline(always)]
            unsafe fn zip(self, odd: Self) -> (Self, Self) {
                let both = |i: usize| if i.is_multiple_of(2) { self.0[i / 2] } else { odd.0[i / 2] };
                (Plain(std::array::from_fn(both)), Plain(std::array::from_fn(|i| both(i + $n))))
            }
            #[inline(always)]
            unsafe fn sum(self) -> $float {
                let mut row = self.0;
                let mut half = $n / 2;
                while half > 0 {
                    for i in 0..half {
                        row[i] += row[i + half];
                    }
                    half /= 2;
                }
                row[0]
            }
            #[inline(always)]
            unsafe fn transpose(
                from: *const $float,
                from_stride: usize,
                rows: usize,
                cols: usize,
                to: *mut $float,
                to_stride: usize,
                to_part: usize,
            ) {
                for col in 0..cols {
                    for row in 0..to_part {
                        // SAFETY: only `rows` rows of `cols` elements are read, and the selected elements of `cols` rows written.
                        unsafe {
                            let value = if row < rows { *from.add(row * from_stride + col) } else { 0.0 };
                            *to.add(col * to_stride + row) = value;
                        }
                    }
                }
            }
        }
    };
}

plain_lanes!(f32, 16);
plain_lanes!(f64, 8);
