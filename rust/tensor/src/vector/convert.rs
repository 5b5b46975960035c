//! Conversion of slices between all numeric types and booleans, as TensorFlow's `Cast`.
//!
//! A float that the integer type cannot hold has no defined result in C++. Types of 32 and 64 bits give the result of an
//! x86 processor. Smaller types give the low bits of the 32-bit result, as TensorFlow 1.15 does there. Conversions to
//! 16-bit floats go through f32, half to even at each step, as in TensorFlow.

use super::half_types::Half;
use super::isa::{Isa, for_each_isa};
use half::{bf16, f16};
use num_complex::Complex;

/// A type that converts to `D` element by element.
pub trait CastTo<D>: Copy + 'static {
    #[doc(hidden)]
    fn cast_to(self) -> D;
}

/// Writes each element of `src`, converted, to `dst`; panics if the lengths differ.
///
/// A complex number gives its real part, a real one gets a zero imaginary part, and a number is true unless it is zero.
pub fn cast<S: CastTo<D>, D: Copy + 'static>(src: &[S], dst: &mut [D]) {
    cast_with(Isa::current(), src, dst);
}

/// Runs `cast` on a given instruction set.
pub fn cast_with<S: CastTo<D>, D: Copy + 'static>(isa: Isa, src: &[S], dst: &mut [D]) {
    assert_eq!(src.len(), dst.len(), "source and destination lengths differ");
    // SAFETY: an `Isa` exists only for what this machine has.
    unsafe { pick_cast::<D, S>(isa)(src, dst) }
}

#[inline(always)]
fn cast_loop<D: Copy, S: CastTo<D>>(src: &[S], dst: &mut [D]) {
    for (d, s) in dst.iter_mut().zip(src) {
        *d = s.cast_to();
    }
}

for_each_isa!(pick_cast = cast_loop<D: Copy, S: CastTo<D>>(src: &[S], dst: &mut [D]));

/// A float's integer part as `D`.
trait Truncate<D> {
    fn truncated(self) -> D;
}

/// The integer part where it is in [low, high), and of others the integer part of zero: vectorizes, as `as` does not.
macro_rules! inside {
    ($value:expr, $s:ident => $d:ident, $low:expr, $high:expr) => {{
        let held = ($low..$high).contains(&$value);
        // SAFETY: within [low, high) the integer part is in the type, and so is zero.
        let part: $d = unsafe { (if held { $value } else { 0.0 as $s }).to_int_unchecked() };
        (held, part)
    }};
}

/// The low bits of the integer part as a wider type has it.
macro_rules! truncate_to_low_bits {
    ($($s:ident => $wide:ident => $($d:ident),*;)*) => {$($(
        impl Truncate<$d> for $s {
            #[inline(always)]
            fn truncated(self) -> $d {
                let wide: $wide = self.truncated();
                wide as $d
            }
        }
    )*)*};
}

/// The least integer for all floats without an integer part in the type, NaN among them, as `cvttss2si` has it.
macro_rules! truncate_to_least {
    ($($s:ident => $($d:ident),*;)*) => {$($(
        impl Truncate<$d> for $s {
            #[inline(always)]
            fn truncated(self) -> $d {
                const LOW: $s = $d::MIN as $s;
                let (held, inside) = inside!(self, $s => $d, LOW, -LOW);
                if held { inside } else { $d::MIN }
            }
        }
    )*)*};
}

/// Numbers below 2^63 are truncated as signed numbers, and so wrap; those from 2^64 on give 0, and NaN 2^63.
macro_rules! truncate_to_unsigned {
    ($($s:ident),*) => {$(
        impl Truncate<u64> for $s {
            #[inline(always)]
            fn truncated(self) -> u64 {
                const HALF: $s = (1u64 << 63) as $s;
                let signed: i64 = self.truncated();
                let above: i64 = (self - HALF).truncated();
                if self >= HALF { above as u64 ^ (1 << 63) } else { signed as u64 }
            }
        }
    )*};
}

truncate_to_low_bits! {
    f32 => i32 => i8, i16, u8, u16;
    f32 => i64 => u32;
    f64 => i32 => i8, i16, u8, u16;
    f64 => i64 => u32;
}
truncate_to_least! {
    f32 => i32, i64;
    f64 => i32, i64;
}
truncate_to_unsigned!(f32, f64);

macro_rules! casts {
    ($s:ty => $($d:ty),*: $v:ident, $value:expr) => {$(
        impl CastTo<$d> for $s {
            #[inline(always)]
            fn cast_to(self) -> $d {
                let $v = self;
                $value as $d
            }
        }
    )*};
}

/// From one type to all: `$number` is a primitive number equal to the element, `$single` the same as f32.
macro_rules! casts_from {
    ($($s:ty: $v:ident, $number:expr, $single:expr, $truth:expr;)*) => {$(
        casts!($s => f32, f64: $v, $number);
        casts_from!(@one $s => bool: $v, $truth);
        casts_from!(@one $s => f16: $v, <f16 as Half>::of_f32($single));
        casts_from!(@one $s => bf16: $v, <bf16 as Half>::of_f32($single));
    )*};
    (@one $s:ty => $d:ty: $v:ident, $value:expr) => {
        impl CastTo<$d> for $s {
            #[inline(always)]
            fn cast_to(self) -> $d {
                let $v = self;
                $value
            }
        }
    };
}

macro_rules! casts_to_integers {
    (plain $($s:ty: $v:ident, $number:expr;)*) => {
        $(casts!($s => i8, i16, i32, i64, u8, u16, u32, u64: $v, $number);)*
    };
    (truncated $($s:ty: $v:ident, $number:expr;)*) => {
        $(casts_to_integers!(@each $s: $v, $number => i8 i16 i32 i64 u8 u16 u32 u64);)*
    };
    (@each $s:ty: $v:ident, $number:expr => $($d:ident)*) => {
        $(casts_from!(@one $s => $d: $v, Truncate::<$d>::truncated($number));)*
    };
}

casts_to_integers! { plain
    i8: v, v;
    i16: v, v;
    i32: v, v;
    i64: v, v;
    u8: v, v;
    u16: v, v;
    u32: v, v;
    u64: v, v;
    bool: v, v;
}

casts_to_integers! { truncated
    f32: v, v;
    f64: v, v;
    f16: v, Half::to_f32(v);
    bf16: v, Half::to_f32(v);
    Complex<f32>: v, v.re;
    Complex<f64>: v, v.re;
}

casts_from! {
    i8: v, v, v as f32, v != 0;
    i16: v, v, v as f32, v != 0;
    i32: v, v, v as f32, v != 0;
    i64: v, v, v as f32, v != 0;
    u8: v, v, v as f32, v != 0;
    u16: v, v, v as f32, v != 0;
    u32: v, v, v as f32, v != 0;
    u64: v, v, v as f32, v != 0;
    f32: v, v, v, v != 0.0;
    f64: v, v, v as f32, v != 0.0;
    bool: v, v as u8, v as u8 as f32, v;
    f16: v, Half::to_f32(v), Half::to_f32(v), Half::to_f32(v) != 0.0;
    bf16: v, Half::to_f32(v), Half::to_f32(v), Half::to_f32(v) != 0.0;
    Complex<f32>: v, v.re, v.re, v.re != 0.0;
    Complex<f64>: v, v.re, v.re as f32, v.re != 0.0;
}

macro_rules! casts_to_complex {
    ($($s:ty),*) => {$(
        impl CastTo<Complex<f32>> for $s {
            #[inline(always)]
            fn cast_to(self) -> Complex<f32> {
                Complex::new(<$s as CastTo<f32>>::cast_to(self), 0.0)
            }
        }
        impl CastTo<Complex<f64>> for $s {
            #[inline(always)]
            fn cast_to(self) -> Complex<f64> {
                Complex::new(<$s as CastTo<f64>>::cast_to(self), 0.0)
            }
        }
    )*};
}

casts_to_complex!(i8, i16, i32, i64, u8, u16, u32, u64, f32, f64, bool, f16, bf16);
casts_from!(@one Complex<f32> => Complex<f32>: v, v);
casts_from!(@one Complex<f32> => Complex<f64>: v, Complex::new(v.re as f64, v.im as f64));
casts_from!(@one Complex<f64> => Complex<f32>: v, Complex::new(v.re as f32, v.im as f32));
casts_from!(@one Complex<f64> => Complex<f64>: v, v);
