//! Element types that are pooled.

use crate::vector::Ordered;
use half::{bf16, f16};

/// An element type that is pooled by its maximum.
pub trait Pooled: Ordered + Default {
    /// TF 1.x: the least finite value, and what the maximum of nothing but NaNs and negative infinities is.
    #[doc(hidden)]
    const LOWEST: Self;
    #[doc(hidden)]
    fn plus(self, other: Self) -> Self;
    /// Returns true if 3-D pooling takes the elements for equal.
    #[doc(hidden)]
    fn is_near(self, other: Self) -> bool;
}

/// TF 1.x: elements of a 3-D window this near to its maximum share in the gradient.
const NEAR: f32 = 1e-5;

macro_rules! pooled_floats {
    ($($t:ident: $a:ident, $b:ident => $near:expr;)*) => {$(
        impl Pooled for $t {
            const LOWEST: $t = $t::MIN;
            #[inline(always)]
            fn plus(self, other: $t) -> $t {
                self + other
            }
            #[inline(always)]
            fn is_near(self, other: $t) -> bool {
                let ($a, $b) = (self, other);
                $near
            }
        }
    )*};
}
pooled_floats! {
    f32: a, b => (a - b).abs() < NEAR;
    f64: a, b => (a - b).abs() < f64::from(NEAR);
    f16: a, b => (a.to_f32() - b.to_f32()).abs() < NEAR;
    bf16: a, b => (a.to_f32() - b.to_f32()).abs() < NEAR;
}

macro_rules! pooled_integers {
    ($($t:ident)*) => {$(
        impl Pooled for $t {
            const LOWEST: $t = $t::MIN;
            #[inline(always)]
            fn plus(self, other: $t) -> $t {
                self.wrapping_add(other)
            }
            #[inline(always)]
            fn is_near(self, other: $t) -> bool {
                self == other
            }
        }
    )*};
}
pooled_integers!(i8 i16 i32 i64 u8 u16 u32 u64);

/// An element type that is pooled by its mean.
pub trait Averaged: Copy + Default + Send + Sync + 'static {
    #[doc(hidden)]
    fn sum(self, other: Self) -> Self;
    #[doc(hidden)]
    fn share(self, count: Self) -> Self;
    #[doc(hidden)]
    fn times(self, other: Self) -> Self;
    #[doc(hidden)]
    fn count(n: usize) -> Self;
    /// Divides by the number `n` of parts.
    #[doc(hidden)]
    fn part(n: usize) -> Self;
}

macro_rules! averaged {
    ($($t:ident)*) => {$(
        impl Averaged for $t {
            #[inline(always)]
            fn sum(self, other: $t) -> $t {
                self + other
            }
            #[inline(always)]
            fn share(self, count: $t) -> $t {
                self / count
            }
            #[inline(always)]
            fn times(self, other: $t) -> $t {
                self * other
            }
            #[inline(always)]
            fn count(n: usize) -> $t {
                n as $t
            }
            #[inline(always)]
            fn part(n: usize) -> $t {
                (1.0 / n as f64) as $t
            }
        }
    )*};
}
averaged!(f32 f64);
