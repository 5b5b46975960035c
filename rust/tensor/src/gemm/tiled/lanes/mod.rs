//! `Lanes`: a row of floats that is computed with at once, of one length on every CPU.
//!
//! Sixteen f32 or eight f64 are one register with AVX-512, two with AVX2, and an array elsewhere. The lane of an
//! element and the order in which lanes are added are therefore the same everywhere, and so are the bits.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod plain;

use crate::vector::Level;

#[cfg(target_arch = "x86_64")]
pub(crate) use avx2::Pair;
pub(crate) use plain::Plain;

/// A row of `N` elements. Every function needs the CPU features of `LEVEL`, and inlines into a caller that has them enabled.
pub(crate) trait Lanes: Copy {
    type Elem: Copy + Send + Sync + Default + std::ops::Add<Output = Self::Elem> + 'static;
    type Mask: Copy;
    const LEVEL: Level;
    /// Elements in a row.
    const N: usize;
    /// Registers that a row takes.
    const REGISTERS: usize;
    /// If true, a masked access takes at most one more instruction than a whole one.
    const MASKS_ARE_FREE: bool;
    /// Most rows of a tile, and the lanes across a tile with as many rows. Its sums, a row of b and a value of a fill
    /// the registers.
    const ROWS: usize;
    const WIDE: usize;

    /// Returns the most lanes across a tile of this many rows when b is not packed, a power of two. Few rows need many
    /// columns to keep eight sums in flight.
    fn widest(rows: usize) -> usize;
    /// Selects the first `n` elements, all when `n >= N`.
    fn first(n: usize) -> Self::Mask;
    unsafe fn zero() -> Self;
    unsafe fn splat(from: *const Self::Elem) -> Self;
    unsafe fn load(from: *const Self::Elem) -> Self;
    /// Returns the selected elements from memory, zero in place of the others, whose memory is not touched.
    unsafe fn load_part(from: *const Self::Elem, part: Self::Mask) -> Self;
    unsafe fn store(self, to: *mut Self::Elem);
    unsafe fn store_part(self, to: *mut Self::Elem, part: Self::Mask);
    /// Writes past the caches where the CPU can. `to` is aligned to a cache line.
    unsafe fn stream(self, to: *mut Self::Elem);
    /// Returns `self * b + c`, rounded once.
    unsafe fn mul_add(self, b: Self, c: Self) -> Self;
    unsafe fn add(self, b: Self) -> Self;
    unsafe fn sub(self, b: Self) -> Self;
    unsafe fn mul(self, b: Self) -> Self;
    /// Returns zero where the element is below zero; NaN and -0.0 stay.
    unsafe fn relu(self) -> Self;
    /// Returns the selected elements, zero in place of the others.
    unsafe fn keep(self, part: Self::Mask) -> Self;
    /// Returns true if every element is zero.
    unsafe fn is_zero(self) -> bool;
    /// Returns the elements of even numbers of both rows, in order, and those of odd numbers.
    unsafe fn unzip(self, next: Self) -> (Self, Self);
    /// Returns the two rows that `unzip` makes these of.
    unsafe fn zip(self, odd: Self) -> (Self, Self);
    /// Returns the sum of the elements, halves added to halves.
    unsafe fn sum(self) -> Self::Elem;
    /// Reads `rows <= N` rows of `cols <= N` elements and writes their transpose: the elements `to_part` of `cols` rows of `N`, zero
    /// where there was no row.
    unsafe fn transpose(
        from: *const Self::Elem,
        from_stride: usize,
        rows: usize,
        cols: usize,
        to: *mut Self::Elem,
        to_stride: usize,
        to_part: Self::Mask,
    );
}

/// Compiles a generic body for the CPU features of its `Lanes`: `$name` runs the version that `L::LEVEL` names.
///
/// The body must be `#[inline(always)]` so that it takes the features of each version.
macro_rules! for_lanes {
    ($(#[$meta:meta])* $vis:vis unsafe fn $name:ident = $body:ident
        <L: $bound:path $(, const $c:ident : $ct:ty)*> ($($arg:ident : $ty:ty),* $(,)?) $(-> $ret:ty)?) => {
        $(#[$meta])*
        #[inline]
        $vis unsafe fn $name<L: $bound $(, const $c: $ct)*>($($arg: $ty),*) $(-> $ret)? {
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx512f")]
            unsafe fn avx512<L: $bound $(, const $c: $ct)*>($($arg: $ty),*) $(-> $ret)? {
                // SAFETY: the caller keeps the contract of the body.
                unsafe { $body::<L $(, $c)*>($($arg),*) }
            }
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,fma")]
            unsafe fn avx2<L: $bound $(, const $c: $ct)*>($($arg: $ty),*) $(-> $ret)? {
                // SAFETY: as above.
                unsafe { $body::<L $(, $c)*>($($arg),*) }
            }
            // SAFETY: as above, and the CPU has the features of `L::LEVEL`.
            unsafe {
                match L::LEVEL {
                    #[cfg(target_arch = "x86_64")]
                    $crate::vector::Level::Avx512 => avx512::<L $(, $c)*>($($arg),*),
                    #[cfg(target_arch = "x86_64")]
                    $crate::vector::Level::Avx2 => avx2::<L $(, $c)*>($($arg),*),
                    _ => $body::<L $(, $c)*>($($arg),*),
                }
            }
        }
    };
}
pub(crate) use for_lanes;

/// Requests a cache line, for use soon (`NEAR`) or later.
#[inline(always)]
pub(crate) fn prefetch<const NEAR: bool>(address: *const u8) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _MM_HINT_T1, _mm_prefetch};
        // SAFETY: SSE is part of x86-64, and a prefetch of any address has no effect but on caches.
        unsafe {
            if NEAR {
                _mm_prefetch::<_MM_HINT_T0>(address.cast());
            } else {
                _mm_prefetch::<_MM_HINT_T1>(address.cast());
            }
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}
