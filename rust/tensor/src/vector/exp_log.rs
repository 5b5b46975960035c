//! Exponentials, logarithms and the logistic family for f32 and f64: one branch-free formula per function.
//!
//! The polynomials are printed by `tests/golden/make_coefficients.py`. Nothing here depends on the instruction set:
//! every rounding is written out, and a fused multiply-add appears only as `mul_add`.
#![allow(clippy::excessive_precision, clippy::approx_constant, clippy::unreadable_literal)]

/// Returns `c[0] + c[1] x + c[2] x^2 + ...` by Horner's rule.
#[inline(always)]
pub(super) fn polynomial_f32<const N: usize>(x: f32, c: &[f32; N]) -> f32 {
    let mut sum = c[N - 1];
    for i in (0..N - 1).rev() {
        sum = sum.mul_add(x, c[i]);
    }
    sum
}

/// Returns `c[0] + c[1] x + c[2] x^2 + ...` by Horner's rule.
#[inline(always)]
pub(super) fn polynomial_f64<const N: usize>(x: f64, c: &[f64; N]) -> f64 {
    let mut sum = c[N - 1];
    for i in (0..N - 1).rev() {
        sum = sum.mul_add(x, c[i]);
    }
    sum
}

// (e^r - 1 - r) / r^2 on |r| <= ln(2)/2: 2^-32 and 2^-61.7 relative to e^r - 1.
const EXPM1_F32: [f32; 6] = [5.00000005e-1, 1.66666668e-1, 4.16663523e-2, 8.33327253e-3, 1.3941207e-3, 1.99144802e-4];
const EXPM1_F64: [f64; 11] = [
    5.0e-1,
    1.6666666666666677e-1,
    4.1666666666666702e-2,
    8.3333333333214365e-3,
    1.388888888886639e-3,
    1.984126988667279e-4,
    2.4801587361408554e-5,
    2.7557243609695496e-6,
    2.7557242049027462e-7,
    2.5109261662193917e-8,
    2.0924659272125776e-9,
];
// The same and `LOG_F64`, as good as results of single precision need: 2^-39.6 relative to e^r, and 2^-36.6.
const EXP_SINGLE: [f64; 7] = [
    4.9999999999504745e-1,
    1.6666666788025455e-1,
    4.1666667062379058e-2,
    8.3332808672585266e-3,
    1.3888795207276027e-3,
    1.990950684615009e-4,
    2.4888147571893277e-5,
];
const LOG_SINGLE: [f64; 4] =
    [6.6666665641878072e-1, 4.0000336100189418e-1, 2.8537244408922921e-1, 2.3583477714732056e-1];
// (ln(1 + f) - f + f^2/2) / f^3 on [sqrt(1/2) - 1, sqrt(2) - 1]: 2^-30.4.
const LOG_F32: [f32; 9] = [
    3.33333104e-1,
    -2.49999866e-1,
    2.00022264e-1,
    -1.66692508e-1,
    1.42186613e-1,
    -1.23843507e-1,
    1.18729567e-1,
    -1.17897913e-1,
    6.91539275e-2,
];
// (ln((1 + s) / (1 - s)) / s - 2) / s^2 as a polynomial in s^2: 2^-58.5.
const LOG_F64: [f64; 7] = [
    6.6666666666667349e-1,
    3.999999999941104e-1,
    2.8571428743287544e-1,
    2.2222198472464527e-1,
    1.8183569955464356e-1,
    1.5313897188336498e-1,
    1.4797571916209548e-1,
];

// ln 2 as the nearest value and what is left; a fused multiply-add makes the product with an integer exact.
const LN2_HI_F32: f32 = 0.693147182464599609375;
const LN2_LO_F32: f32 = -1.904654299957768e-9;
const LN2_HI_F64: f64 = 0.693147180559945286226764;
const LN2_LO_F64: f64 = 2.319046813846299558e-17;

// Adding 1.5 * 2^(mantissa bits) rounds to an integer, half to even, and leaves it in the low bits.
const ROUND_F32: f32 = 12582912.0;
const ROUND_F64: f64 = 6755399441055744.0;

/// Computes `x = k ln 2 + r`: returns `k` and `e^r - 1`.
#[inline(always)]
fn expm1_reduced_f32(x: f32) -> (i32, f32) {
    let t = x.mul_add(std::f32::consts::LOG2_E, ROUND_F32);
    let n = t - ROUND_F32;
    let k = t.to_bits().wrapping_sub(ROUND_F32.to_bits()) as i32;
    let r = n.mul_add(-LN2_LO_F32, n.mul_add(-LN2_HI_F32, x));
    (k, (r * r).mul_add(polynomial_f32(r, &EXPM1_F32), r))
}

/// Computes `x = k ln 2 + r`.
#[inline(always)]
fn reduced_f64(x: f64) -> (i64, f64) {
    let t = x.mul_add(std::f64::consts::LOG2_E, ROUND_F64);
    let n = t - ROUND_F64;
    let k = t.to_bits().wrapping_sub(ROUND_F64.to_bits()) as i64;
    (k, n.mul_add(-LN2_LO_F64, n.mul_add(-LN2_HI_F64, x)))
}

/// Computes `x = k ln 2 + r`: returns `k` and `e^r - 1`.
#[inline(always)]
fn expm1_reduced_f64(x: f64) -> (i64, f64) {
    let (k, r) = reduced_f64(x);
    (k, (r * r).mul_add(polynomial_f64(r, &EXPM1_F64), r))
}

#[inline(always)]
fn power_of_two_f32(k: i32) -> f32 {
    f32::from_bits((k.wrapping_add(127) as u32) << 23)
}

#[inline(always)]
fn power_of_two_f64(k: i64) -> f64 {
    f64::from_bits((k.wrapping_add(1023) as u64) << 52)
}

#[inline(always)]
pub fn exp_f32(x: f32) -> f32 {
    // Comparisons are false for NaN, so NaN stays.
    let x = if x > 90.0 { 90.0 } else { x };
    let x = if x < -105.0 { -105.0 } else { x };
    let (k, p) = expm1_reduced_f32(x);
    // Two factors, so that only the last product rounds, also for denormal results.
    let half = k >> 1;
    (1.0 + p) * power_of_two_f32(half) * power_of_two_f32(k.wrapping_sub(half))
}

#[inline(always)]
pub fn exp_f64(x: f64) -> f64 {
    let x = if x > 720.0 { 720.0 } else { x };
    let x = if x < -760.0 { -760.0 } else { x };
    let (k, p) = expm1_reduced_f64(x);
    // A biased shift: AVX2 has no arithmetic shift of 64-bit integers.
    let half = ((k.wrapping_add(4096) as u64) >> 1) as i64 - 2048;
    (1.0 + p) * power_of_two_f64(half) * power_of_two_f64(k.wrapping_sub(half))
}

/// Returns `e^x` for `-700 <= x <= 700`, within 2^-39.
#[inline(always)]
pub(super) fn exp_moderate_single(x: f64) -> f64 {
    let (k, r) = reduced_f64(x);
    let scale = power_of_two_f64(k);
    scale.mul_add((r * r).mul_add(polynomial_f64(r, &EXP_SINGLE), r), scale)
}

/// Returns `e^x - 1` for `-60 <= x <= 80`, without care for the sign of zero.
#[inline(always)]
pub(super) fn expm1_moderate_f32(x: f32) -> f32 {
    let (k, p) = expm1_reduced_f32(x);
    let scale = power_of_two_f32(k);
    scale.mul_add(p, scale - 1.0)
}

/// Returns `e^x - 1` for `-600 <= x <= 700`, without care for the sign of zero.
#[inline(always)]
pub(super) fn expm1_moderate_f64(x: f64) -> f64 {
    let (k, p) = expm1_reduced_f64(x);
    let scale = power_of_two_f64(k);
    scale.mul_add(p, scale - 1.0)
}

#[inline(always)]
pub fn expm1_f32(x: f32) -> f32 {
    // e^88.8 is past the largest float, and 2^128 is the largest power whose half is one.
    let y = if x > 88.8 { 88.8 } else { x };
    let y = if y < -30.0 { -30.0 } else { y };
    let (k, p) = expm1_reduced_f32(y);
    // Half the scale: 2^128 is not a float but results up to 2^128 are.
    let scale = power_of_two_f32(k.wrapping_sub(1));
    let value = 2.0 * scale.mul_add(p, scale - 0.5);
    if x.abs() < 2.0f32.powi(-25) { x } else { value }
}

#[inline(always)]
pub fn expm1_f64(x: f64) -> f64 {
    let y = if x > 720.0 { 720.0 } else { x };
    let y = if y < -60.0 { -60.0 } else { y };
    let (k, p) = expm1_reduced_f64(y);
    let top = k > 1000;
    let scale = power_of_two_f64(if top { k.wrapping_sub(64) } else { k });
    let value = scale.mul_add(p, scale - if top { 0.0 } else { 1.0 });
    let value = if top { value * 18446744073709551616.0 } else { value };
    if x.abs() < 5e-17 { x } else { value }
}

/// Returns the exponent of `split_f32`.
#[inline(always)]
fn exponent_f32(x: f32) -> i32 {
    (x.to_bits().wrapping_sub(0x3f3504f3) as i32) >> 23
}

/// Computes `x = 2^e (1 + f)` with `1 + f` in [sqrt(1/2), sqrt(2)), for positive normal `x`.
#[inline(always)]
fn split_f32(x: f32) -> (f32, f32) {
    let e = exponent_f32(x);
    (e as f32, f32::from_bits(x.to_bits().wrapping_sub((e as u32) << 23)) - 1.0)
}

#[inline(always)]
fn split_f64(x: f64) -> (f64, f64) {
    let bits = x.to_bits();
    let biased = bits.wrapping_sub(0x3fe6a09e667f3bcd).wrapping_add(2048 << 52) >> 52;
    let m = f64::from_bits(bits.wrapping_sub(biased.wrapping_sub(2048) << 52));
    // The exponent as a float: AVX2 has no conversion from 64-bit integers. 4503599627370496 is 2^52.
    let e = f64::from_bits(biased | 0x4330000000000000) - (4503599627370496.0 + 2048.0);
    (e, m - 1.0)
}

#[inline(always)]
fn log_split_f32(e: f32, f: f32, rest: f32) -> f32 {
    let bend = f * f * f.mul_add(polynomial_f32(f, &LOG_F32), -0.5);
    e.mul_add(LN2_HI_F32, f + (bend + e.mul_add(LN2_LO_F32, rest)))
}

#[inline(always)]
fn log_split_f64(e: f64, f: f64, rest: f64) -> f64 {
    let s = f / (2.0 + f);
    let z = s * s;
    let r = z * polynomial_f64(z, &LOG_F64);
    let half_square = 0.5 * f * f;
    let low = e.mul_add(LN2_LO_F64, rest);
    e.mul_add(LN2_HI_F64, f - (half_square - s.mul_add(half_square + r, low)))
}

#[inline(always)]
pub fn log_f32(x: f32) -> f32 {
    let denormal = x < f32::MIN_POSITIVE;
    let (e, f) = split_f32(if denormal { x * 8388608.0 } else { x });
    let value = log_split_f32(e - if denormal { 23.0 } else { 0.0 }, f, 0.0);
    let value = if x < f32::INFINITY { value } else { x };
    let value = if x == 0.0 { f32::NEG_INFINITY } else { value };
    if x < 0.0 { f32::NAN } else { value }
}

#[inline(always)]
pub fn log_f64(x: f64) -> f64 {
    let denormal = x < f64::MIN_POSITIVE;
    let (e, f) = split_f64(if denormal { x * 4503599627370496.0 } else { x });
    let value = log_split_f64(e - if denormal { 52.0 } else { 0.0 }, f, 0.0);
    let value = if x < f64::INFINITY { value } else { x };
    let value = if x == 0.0 { f64::NEG_INFINITY } else { value };
    if x < 0.0 { f64::NAN } else { value }
}

#[inline(always)]
pub fn log1p_f32(x: f32) -> f32 {
    let u = 1.0 + x;
    // The rounding error of the sum above, relative to u.
    let lost = if x > 1.0 { 1.0 - (u - x) } else { x - (u - 1.0) };
    let (e, f) = split_f32(u);
    let value = log_split_f32(e, f, lost / u);
    let value = if x < f32::INFINITY { value } else { x };
    let value = if x == -1.0 { f32::NEG_INFINITY } else { value };
    let value = if x < -1.0 { f32::NAN } else { value };
    if x.abs() < 2.0f32.powi(-25) { x } else { value }
}

#[inline(always)]
pub fn log1p_f64(x: f64) -> f64 {
    let u = 1.0 + x;
    let lost = if x > 1.0 { 1.0 - (u - x) } else { x - (u - 1.0) };
    let (e, f) = split_f64(u);
    let value = log_split_f64(e, f, lost / u);
    let value = if x < f64::INFINITY { value } else { x };
    let value = if x == -1.0 { f64::NEG_INFINITY } else { value };
    let value = if x < -1.0 { f64::NAN } else { value };
    if x.abs() < 5e-17 { x } else { value }
}

/// Returns `ln(n / d)` for positive `n` and `d` whose quotient is a normal float, within 2^-36: with one division.
#[inline(always)]
pub(super) fn log_of_quotient_single(n: f64, d: f64) -> f64 {
    let e = exponent_f32(n as f32 / d as f32);
    let d = d * power_of_two_f64(e as i64);
    let s = (n - d) / (n + d);
    let z = s * s;
    (e as f64).mul_add(std::f64::consts::LN_2, s.mul_add(z * polynomial_f64(z, &LOG_SINGLE), s + s))
}

/// Returns `n / (whole + part)` with the rounding of the sum made good, where `sum - whole` is exact.
#[inline(always)]
fn over_sum_f32(n: f32, whole: f32, part: f32) -> f32 {
    let sum = whole + part;
    let lost = part - (sum - whole);
    let inverse = 1.0 / sum;
    let quotient = n * inverse;
    let rest = (-quotient).mul_add(sum, n) - quotient * lost;
    rest.mul_add(inverse, quotient)
}

#[inline(always)]
pub fn sigmoid_f32(x: f32) -> f32 {
    let e = exp_f32(-x.abs());
    over_sum_f32(if x >= 0.0 { 1.0 } else { e }, 1.0, e)
}

/// Returns `n / (whole + part)` with the rounding of the sum made good, where `sum - whole` is exact.
#[inline(always)]
fn over_sum_f64(n: f64, whole: f64, part: f64) -> f64 {
    let sum = whole + part;
    let lost = part - (sum - whole);
    let inverse = 1.0 / sum;
    let quotient = n * inverse;
    let rest = (-quotient).mul_add(sum, n) - quotient * lost;
    rest.mul_add(inverse, quotient)
}

#[inline(always)]
pub fn sigmoid_f64(x: f64) -> f64 {
    let e = exp_f64(-x.abs());
    over_sum_f64(if x >= 0.0 { 1.0 } else { e }, 1.0, e)
}

#[inline(always)]
pub fn softplus_f32(x: f32) -> f32 {
    (if x > 0.0 { x } else { 0.0 }) + log1p_f32(exp_f32(-x.abs()))
}

#[inline(always)]
pub fn softplus_f64(x: f64) -> f64 {
    (if x > 0.0 { x } else { 0.0 }) + log1p_f64(exp_f64(-x.abs()))
}

#[inline(always)]
pub fn tanh_f32(x: f32) -> f32 {
    let a = x.abs();
    let a = if a > 10.0 { 10.0 } else { a };
    let e = expm1_moderate_f32(a + a);
    over_sum_f32(e, 2.0, e).copysign(x)
}

#[inline(always)]
pub fn tanh_f64(x: f64) -> f64 {
    let a = x.abs();
    let a = if a > 22.0 { 22.0 } else { a };
    let e = expm1_moderate_f64(a + a);
    over_sum_f64(e, 2.0, e).copysign(x)
}

/// Returns `x^2`, rounded once.
#[inline(always)]
pub fn square_f32(x: f32) -> f32 {
    x * x
}

/// Returns `x^3`, within half an ulp and a hair.
#[inline(always)]
pub fn cube_f32(x: f32) -> f32 {
    let x = x as f64;
    (x * x * x) as f32
}

/// Returns `x^y` in C99's sense, within half an ulp and a hair: computed in double precision.
#[inline(always)]
pub fn pow_f32(x: f32, y: f32) -> f32 {
    let (square, cube) = (square_f32(x), cube_f32(x));
    let (x, y) = (x as f64, y as f64);
    let base = x.abs();
    let shifted = y + ROUND_F64;
    let huge = y.abs() >= 1e15;
    let integer = huge | (shifted - ROUND_F64 == y);
    let odd = !huge & integer & (shifted.to_bits() & 1 == 1);
    let value = exp_f64(y * log_f64(base));
    let value = if base == 1.0 { if y.is_nan() { y } else { 1.0 } } else { value };
    let value = if (x < 0.0) & (base < f64::INFINITY) & !integer { f64::NAN } else { value };
    let value = if odd { value.copysign(x) } else { value };
    let value = if (y == 0.0) | (x == 1.0) { 1.0 } else { value as f32 };
    // Loops with one exponent use these; bits are the same in every loop.
    let value = if y == 2.0 { square } else { value };
    if y == 3.0 { cube } else { value }
}
