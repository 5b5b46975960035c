//! The error function for f32; the double-precision one and the complement are the `libm` crate's.
#![allow(clippy::excessive_precision, clippy::unreadable_literal)]

use super::exp_log::{exp_f32, polynomial_f32};

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
    let far = 1.0 - exp_f32(a * polynomial_f32(a, &FAR));
    (if a > EDGE { far } else { near }).copysign(x)
}
