//! Sines, tangents and their inverses: double-precision kernels, which also serve f32 with one final rounding.
#![allow(clippy::excessive_precision, clippy::approx_constant, clippy::unreadable_literal)]

use super::exp_log::polynomial_f64;
use std::f64::consts::{FRAC_PI_2, PI};

// Minimax polynomials of tests/golden/make_coefficients.py: (sin r - r) / r^3, (cos r - 1 + r^2/2) / r^4 in r^2 on
// |r| <= pi/4 (2^-58, 2^-64), and (atan t / t - 1) / t^2 in t^2 on t <= 1 (2^-42, for results rounded to f32).
const SIN: [f64; 6] = [
    -1.6666666666666632e-1,
    8.3333333333223184e-3,
    -1.9841269829727207e-4,
    2.7557313662561949e-6,
    -2.5050753318061081e-8,
    1.5896506850069041e-10,
];
const COS: [f64; 6] = [
    4.1666666666666599e-2,
    -1.3888888888873996e-3,
    2.4801587289397292e-5,
    -2.7557314326515834e-7,
    2.0875719607287402e-9,
    -1.1359450598562097e-11,
];
const ATAN: [f64; 14] = [
    -3.3333333326489709e-1,
    1.9999999345941097e-1,
    -1.428569232546807e-1,
    1.1110736552290963e-1,
    -9.0870916767727349e-2,
    7.6668348896337328e-2,
    -6.5487431309603066e-2,
    5.4882299973461179e-2,
    -4.2832743345853836e-2,
    2.9016327995076195e-2,
    -1.5729363229105417e-2,
    6.2033527478670302e-3,
    -1.5512513231045584e-3,
    1.8243729758524001e-4,
];

// pi/2 in three parts; the first has 33 significant bits, so its product with a quadrant below 2^20 is exact.
const HALF_PI_1: f64 = 1.57079632673412561417e+00;
const HALF_PI_2: f64 = 6.07710050650619224932e-11;
const HALF_PI_3: f64 = 3.5215598651832e-27;
const ROUND: f64 = 6755399441055744.0;

/// The largest magnitude that the reduction here takes; beyond it (and for NaN) `libm` answers.
pub(super) const LARGEST_ANGLE: f64 = 1_000_000.0;

/// Returns the quadrant (in its low two bits), and sine and cosine of the rest.
#[inline(always)]
fn quadrant_sin_cos(x: f64) -> (u64, f64, f64) {
    let t = x.mul_add(std::f64::consts::FRAC_2_PI, ROUND);
    let n = t - ROUND;
    let first = n.mul_add(-HALF_PI_1, x);
    let r = n.mul_add(-HALF_PI_2, first);
    // r carries about 53 bits of the rest of the angle and w the following ones.
    let w = n.mul_add(-HALF_PI_3, n.mul_add(-HALF_PI_2, first - r));
    let z = r * r;
    let sin = r + (z * r).mul_add(polynomial_f64(z, &SIN), w * z.mul_add(-0.5, 1.0));
    let half = 0.5 * z;
    let top = 1.0 - half;
    let cos = top + (((1.0 - top) - half) + (z * z).mul_add(polynomial_f64(z, &COS), -(r * w)));
    (t.to_bits(), sin, cos)
}

#[inline(always)]
fn with_sign_flipped_if(value: f64, bit: u64) -> f64 {
    f64::from_bits(value.to_bits() ^ (bit << 63))
}

#[inline(always)]
pub fn sin_f64(x: f64) -> f64 {
    let (q, sin, cos) = quadrant_sin_cos(x);
    let value = with_sign_flipped_if(if q & 1 == 0 { sin } else { cos }, (q >> 1) & 1);
    if x.abs() < 1e-9 { x } else { value }
}

#[inline(always)]
pub fn cos_f64(x: f64) -> f64 {
    let (q, sin, cos) = quadrant_sin_cos(x);
    let q = q.wrapping_add(1);
    with_sign_flipped_if(if q & 1 == 0 { sin } else { cos }, (q >> 1) & 1)
}

#[inline(always)]
pub fn tan_f64(x: f64) -> f64 {
    let (q, sin, cos) = quadrant_sin_cos(x);
    let even = q & 1 == 0;
    let value = if even { sin } else { -cos } / if even { cos } else { sin };
    if x.abs() < 1e-9 { x } else { value }
}

#[inline(always)]
pub fn sin_f32(x: f32) -> f32 {
    sin_f64(x as f64) as f32
}

#[inline(always)]
pub fn cos_f32(x: f32) -> f32 {
    cos_f64(x as f64) as f32
}

#[inline(always)]
pub fn tan_f32(x: f32) -> f32 {
    tan_f64(x as f64) as f32
}

/// Returns the arc tangent of `t` in [0, 1], good to 42 bits.
#[inline(always)]
fn atan_unit(t: f64) -> f64 {
    let z = t * t;
    (t * z).mul_add(polynomial_f64(z, &ATAN), t)
}

/// Returns the arc tangent of `a >= 0`, good to 42 bits.
#[inline(always)]
fn atan_positive(a: f64) -> f64 {
    let steep = a > 1.0;
    let value = atan_unit(if steep { 1.0 / a } else { a });
    if steep { FRAC_PI_2 - value } else { value }
}

#[inline(always)]
pub fn atan_f32(x: f32) -> f32 {
    (atan_positive((x as f64).abs()) as f32).copysign(x)
}

#[inline(always)]
pub fn asin_f32(x: f32) -> f32 {
    let a = (x as f64).abs();
    (atan_positive(a / ((1.0 - a) * (1.0 + a)).sqrt()) as f32).copysign(x)
}

#[inline(always)]
pub fn acos_f32(x: f32) -> f32 {
    let x = x as f64;
    (2.0 * atan_positive(((1.0 - x) / (1.0 + x)).sqrt())) as f32
}

#[inline(always)]
pub fn atan2_f32(y: f32, x: f32) -> f32 {
    let (a, b) = ((y as f64).abs(), (x as f64).abs());
    let steep = a > b;
    let (low, high) = if steep { (b, a) } else { (a, b) };
    let slope = if high == 0.0 { 0.0 } else { low / high };
    let slope = if low == f64::INFINITY { 1.0 } else { slope };
    let angle = atan_unit(slope);
    let angle = if steep { FRAC_PI_2 - angle } else { angle };
    let angle = if x.is_sign_negative() { PI - angle } else { angle };
    // A NaN in x or y: high may be the number, so the sum carries it.
    let angle = if a.is_nan() | b.is_nan() { a + b } else { angle };
    (angle as f32).copysign(y)
}
