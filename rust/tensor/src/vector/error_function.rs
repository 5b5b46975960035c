//! The error function and its complement for f32; those of double precision are the `libm` crate's.
#![allow(clippy::excessive_precision, clippy::unreadable_literal)]

use super::exp_log::{exp_moderate_single, expm1_moderate_f32, polynomial_f32, polynomial_f64};

// erf(a) / a - 1 in a^2 on a <= EDGE, and ln(erfc(a)) / a in a on EDGE <= a <= 4 (tests/golden/make_coefficients.py).
const EDGE: f32 = 0.921875;
const NEAR: [f32; 7] =
    [1.28379167e-1, -3.76126339e-1, 1.1283697e-1, -2.68594576e-2, 5.20114704e-3, -8.14377052e-4, 8.3739149e-5];
const FAR: [f32; 9] = [
    -1.1284604,
    -6.36121857e-1,
    -1.0410567e-1,
    2.11661745e-2,
    -1.72861751e-3,
    -5.4940228e-4,
    2.2793522e-4,
    -3.5922766e-5,
    2.24912271e-6,
];

#[inline(always)]
pub fn erf_f32(x: f32) -> f32 {
    let a = x.abs();
    let a = if a > 4.0 { 4.0 } else { a };
    let near = a.mul_add(polynomial_f32(a * a, &NEAR), a);
    let far = -expm1_moderate_f32(a * polynomial_f32(a, &FAR));
    (if a > EDGE { far } else { near }).copysign(x)
}

// erfc(a) exp(a^2) in (a - 2) / (a + 2) on 0 <= a <= 10.1, below which the complement is no float.
const SCALED_ERFC: [f64; 13] = [
    2.5539567632426503e-1,
    -4.2718584766389813e-1,
    2.4165819264012697e-1,
    -7.8978567899117072e-2,
    3.7329246660192481e-3,
    6.9972759315264475e-3,
    -8.4741863782481231e-4,
    -9.8087539535207413e-4,
    4.4860823872233968e-5,
    1.7123490769915398e-4,
    2.3892650213218007e-5,
    -2.3513317487518703e-5,
    -8.4219786142867235e-6,
];

/// Returns 1 - erf(x), within half an ulp and a hair: computed in double precision.
#[inline(always)]
pub fn erfc_f32(x: f32) -> f32 {
    let a = (x as f64).abs();
    let a = if a > 10.1 { 10.1 } else { a };
    let right = exp_moderate_single(-a * a) * polynomial_f64((a - 2.0) / (a + 2.0), &SCALED_ERFC);
    (if x < 0.0 { 2.0 - right } else { right }) as f32
}
