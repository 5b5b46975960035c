//! Sines, tangents and their inverses.
#![allow(clippy::excessive_precision, clippy::approx_constant, clippy::unreadable_literal)]

use super::exp_log::{polynomial_f32, polynomial_f64};

// Minimax polynomials of tests/golden/make_coefficients.py: (sin r - r) / r^3, (cos r - 1 + r^2/2) / r^4 in r^2 on
// |r| <= pi/4 (2^-58, 2^-64), and (atan t / t - 1) / t^2 in t^2 on t <= 1.
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
// The same of f32 (2^-38, 2^-33 and 2^-29), and (asin s / s - 1) / s^2 in s^2 on s <= 1/2 (2^-32).
const SIN_F32: [f32; 4] = [-1.66666666e-1, 8.33332936e-3, -1.98393273e-4, 2.71823774e-6];
const COS_F32: [f32; 3] = [4.16666468e-2, -1.38873616e-3, 2.44377424e-5];
const ATAN_F32: [f32; 9] = [
    -3.33333019e-1,
    1.99986391e-1,
    -1.42652504e-1,
    1.09576015e-1,
    -8.41953277e-2,
    5.82358318e-2,
    -3.14570133e-2,
    1.10651675e-2,
    -1.82738072e-3,
];
const ASIN_F32: [f32; 6] = [1.66666599e-1, 7.50051072e-2, 4.45157485e-2, 3.18174385e-2, 1.44030853e-2, 3.75647144e-2];

// pi/2 in three parts; the first has 33 significant bits, so its product with a quadrant below 2^20 is exact.
const HALF_PI_1: f64 = 1.57079632673412561417e+00;
const HALF_PI_2: f64 = 6.07710050650619224932e-11;
const HALF_PI_3: f64 = 3.5215598651832e-27;
const ROUND: f64 = 6755399441055744.0;
// The same of f32: the difference of an angle and a multiple of the first part is exact. And pi in two parts.
const HALF_PI_F32: [f32; 3] = [1.57079637, -4.37113883e-8, -1.71512451e-15];
const PI_F32: [f32; 2] = [3.14159274, -8.74227766e-8];
const ROUND_F32: f32 = 12582912.0;

/// The largest magnitude that the reduction here takes; beyond it (and for NaN) `libm` answers.
pub(super) const LARGEST_ANGLE: f64 = 1_000_000.0;
/// The largest magnitude that the reduction of f32 takes; up to `LARGEST_ANGLE` that of f64 does.
pub(super) const LARGEST_ANGLE_F32: f32 = 30_000.0;

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

/// Returns the quadrant (in its low two bits), and sine and cosine of the rest, of an angle up to `LARGEST_ANGLE_F32`.
#[inline(always)]
fn quadrant_sin_cos_f32(x: f32) -> (u32, f32, f32) {
    let t = x.mul_add(std::f32::consts::FRAC_2_PI, ROUND_F32);
    let n = t - ROUND_F32;
    let r = n.mul_add(-HALF_PI_F32[2], n.mul_add(-HALF_PI_F32[1], n.mul_add(-HALF_PI_F32[0], x)));
    let z = r * r;
    let sin = (z * r).mul_add(polynomial_f32(z, &SIN_F32), r);
    let half = 0.5 * z;
    let top = 1.0 - half;
    let cos = top + (z * z).mul_add(polynomial_f32(z, &COS_F32), (1.0 - top) - half);
    (t.to_bits(), sin, cos)
}

#[inline(always)]
fn with_sign_flipped_if_f32(value: f32, bit: u32) -> f32 {
    f32::from_bits(value.to_bits() ^ (bit << 31))
}

#[inline(always)]
pub fn sin_f32(x: f32) -> f32 {
    let (q, sin, cos) = quadrant_sin_cos_f32(x);
    let value = with_sign_flipped_if_f32(if q & 1 == 0 { sin } else { cos }, (q >> 1) & 1);
    if x.abs() < 1e-4 { x } else { value }
}

#[inline(always)]
pub fn cos_f32(x: f32) -> f32 {
    let (q, sin, cos) = quadrant_sin_cos_f32(x);
    let q = q.wrapping_add(1);
    with_sign_flipped_if_f32(if q & 1 == 0 { sin } else { cos }, (q >> 1) & 1)
}

/// Returns the sine of an angle beyond `LARGEST_ANGLE_F32`, or of NaN.
pub fn sin_of_large_f32(x: f32) -> f32 {
    let x = x as f64;
    (if x.abs() <= LARGEST_ANGLE { sin_f64(x) } else { libm::sin(x) }) as f32
}

/// Returns the cosine of an angle beyond `LARGEST_ANGLE_F32`, or of NaN.
pub fn cos_of_large_f32(x: f32) -> f32 {
    let x = x as f64;
    (if x.abs() <= LARGEST_ANGLE { cos_f64(x) } else { libm::cos(x) }) as f32
}

#[inline(always)]
pub fn tan_f32(x: f32) -> f32 {
    tan_f64(x as f64) as f32
}

/// Returns the arc tangent of `t` in [0, 1].
#[inline(always)]
fn atan_unit(t: f32) -> f32 {
    let z = t * t;
    (t * z).mul_add(polynomial_f32(z, &ATAN_F32), t)
}

#[inline(always)]
pub fn atan_f32(x: f32) -> f32 {
    let a = x.abs();
    let steep = a > 1.0;
    let angle = atan_unit(if steep { 1.0 / a } else { a });
    (if steep { HALF_PI_F32[0] - (angle - HALF_PI_F32[1]) } else { angle }).copysign(x)
}

/// Returns whether `a` is above 1/2, and two parts of an arc sine: of `a` if it is not, else of the half-angle's sine,
/// `sqrt((1 - a) / 2)`. The second part holds what rounding took from the first. NaN above 1.
#[inline(always)]
fn asin_parts(a: f32) -> (bool, f32, f32) {
    let large = a > 0.5;
    let z = if large { 0.5 * (1.0 - a) } else { a * a };
    let s = if large { z.sqrt() } else { a };
    // The square root of zero has no rest, and no other is as small as this divisor's term.
    let rest = if large { 0.5 * (-s).mul_add(s, z) / (s + 1e-30) } else { 0.0 };
    (large, s, (s * z).mul_add(polynomial_f32(z, &ASIN_F32), rest))
}

#[inline(always)]
pub fn asin_f32(x: f32) -> f32 {
    let (large, s, rest) = asin_parts(x.abs());
    let of_large = (HALF_PI_F32[0] - 2.0 * s) - (2.0 * rest - HALF_PI_F32[1]);
    (if large { of_large } else { s + rest }).copysign(x)
}

#[inline(always)]
pub fn acos_f32(x: f32) -> f32 {
    let (large, s, rest) = asin_parts(x.abs());
    let of_small = HALF_PI_F32[0] - ((s + rest).copysign(x) - HALF_PI_F32[1]);
    let of_negative = (PI_F32[0] - 2.0 * s) - (2.0 * rest - PI_F32[1]);
    let of_large = if x < 0.0 { of_negative } else { 2.0 * (s + rest) };
    if large { of_large } else { of_small }
}

#[inline(always)]
pub fn atan2_f32(y: f32, x: f32) -> f32 {
    let (a, b) = (y.abs(), x.abs());
    let steep = a > b;
    let (low, high) = if steep { (b, a) } else { (a, b) };
    let slope = if high == 0.0 { 0.0 } else { low / high };
    let slope = if low == f32::INFINITY { 1.0 } else { slope };
    let angle = atan_unit(slope);
    // The angle is counted from the nearest half axis.
    let back = x.is_sign_negative();
    let axis = if steep { [HALF_PI_F32[0], HALF_PI_F32[1]] } else { PI_F32 };
    let angle = if steep ^ back { -angle } else { angle };
    let angle = if steep | back { axis[0] + (angle + axis[1]) } else { angle };
    // A NaN in x or y: high may be the number, so the sum carries it.
    let angle = if a.is_nan() | b.is_nan() { a + b } else { angle };
    angle.copysign(y)
}
