//! Elementary functions of one float whose bits are the same on every machine, which those of the C library are not.

use super::exp_log::{exp_f32, exp_f64, expm1_f32, expm1_f64, log_f32, log_f64, log1p_f32, log1p_f64};
use super::trig::{LARGEST_ANGLE, cos_f64, sin_f64};
use num_complex::Complex;
use num_traits::Float;

/// float32 or float64; the functions are called as those of this module.
pub trait Elementary: Float {
    #[doc(hidden)]
    fn exp_of(self) -> Self;
    #[doc(hidden)]
    fn expm1_of(self) -> Self;
    #[doc(hidden)]
    fn log_of(self) -> Self;
    #[doc(hidden)]
    fn log1p_of(self) -> Self;
    #[doc(hidden)]
    fn power_of(self, exponent: Self) -> Self;
}

macro_rules! elementary {
    ($($t:ty: $exp:ident, $expm1:ident, $log:ident, $log1p:ident;)*) => {$(
        impl Elementary for $t {
            #[inline(always)]
            fn exp_of(self) -> $t {
                $exp(self)
            }
            #[inline(always)]
            fn expm1_of(self) -> $t {
                $expm1(self)
            }
            #[inline(always)]
            fn log_of(self) -> $t {
                $log(self)
            }
            #[inline(always)]
            fn log1p_of(self) -> $t {
                $log1p(self)
            }
            #[inline(always)]
            fn power_of(self, exponent: $t) -> $t {
                libm::pow(self.into(), exponent.into()) as $t
            }
        }
    )*};
}
elementary! {
    f32: exp_f32, expm1_f32, log_f32, log1p_f32;
    f64: exp_f64, expm1_f64, log_f64, log1p_f64;
}

/// Returns e to the power of x.
#[inline(always)]
pub fn exp<T: Elementary>(x: T) -> T {
    x.exp_of()
}

/// Returns e to the power of x, less 1, without cancellation near zero.
#[inline(always)]
pub fn expm1<T: Elementary>(x: T) -> T {
    x.expm1_of()
}

/// Returns the natural logarithm.
#[inline(always)]
pub fn log<T: Elementary>(x: T) -> T {
    x.log_of()
}

/// Returns the natural logarithm of 1 + x, without cancellation near zero.
#[inline(always)]
pub fn log1p<T: Elementary>(x: T) -> T {
    x.log1p_of()
}

/// Returns x to the power of y.
#[inline(always)]
pub fn pow<T: Elementary>(x: T, y: T) -> T {
    x.power_of(y)
}

/// Returns the sine of an angle in radians.
#[inline(always)]
pub fn sin(x: f64) -> f64 {
    if x.abs() <= LARGEST_ANGLE { sin_f64(x) } else { libm::sin(x) }
}

/// Returns the cosine of an angle in radians.
#[inline(always)]
pub fn cos(x: f64) -> f64 {
    if x.abs() <= LARGEST_ANGLE { cos_f64(x) } else { libm::cos(x) }
}

/// Returns the absolute value of a complex number.
#[inline(always)]
pub fn norm<T: Into<f64>>(z: Complex<T>) -> f64 {
    libm::hypot(z.re.into(), z.im.into())
}
