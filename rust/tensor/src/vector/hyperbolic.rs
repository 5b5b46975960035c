//! Hyperbolic functions of f32 and their inverses, computed in double precision and rounded once.

use super::exp_log::{exp_f64, expm1_moderate_f64, log_of_quotient_single, log1p_f64};

#[inline(always)]
pub fn sinh_f32(x: f32) -> f32 {
    let a = (x as f64).abs();
    let a = if a > 200.0 { 200.0 } else { a };
    let e = expm1_moderate_f64(a);
    ((0.5 * (e + e / (e + 1.0))) as f32).copysign(x)
}

#[inline(always)]
pub fn cosh_f32(x: f32) -> f32 {
    let a = (x as f64).abs();
    let a = if a > 200.0 { 200.0 } else { a };
    let e = exp_f64(a);
    (0.5 * (e + 1.0 / e)) as f32
}

#[inline(always)]
pub fn asinh_f32(x: f32) -> f32 {
    let a = (x as f64).abs();
    let square = a * a;
    let value = log1p_f64(a + square / (1.0 + (square + 1.0).sqrt()));
    ((if a < f64::INFINITY { value } else { a }) as f32).copysign(x)
}

#[inline(always)]
pub fn acosh_f32(x: f32) -> f32 {
    let t = x as f64 - 1.0;
    let value = log1p_f64(t + (t * (2.0 + t)).sqrt());
    if t < 0.0 { f32::NAN } else { value as f32 }
}

#[inline(always)]
pub fn atanh_f32(x: f32) -> f32 {
    let a = (x as f64).abs();
    let value = 0.5 * log_of_quotient_single(1.0 + a, 1.0 - a);
    // Below 2^-15 the cube is no part of the result; the sum above could lose digits of the argument.
    let value = if a < 2.0f64.powi(-15) { a } else { value };
    let value = if a < 1.0 { value } else { f64::NAN };
    (if a == 1.0 { f64::INFINITY } else { value } as f32).copysign(x)
}
