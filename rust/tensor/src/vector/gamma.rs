//! The logarithm of the gamma function, and its derivative digamma.
//!
//! The logarithm of an f64 is the `libm` crate's. Both functions of an f32 are computed in f64 and have no branch, so that a
//! loop takes several elements at once. Below [`SHIFT`] the recurrence leads to arguments where few terms of the asymptotic series suffice (DLMF 5.5.1, 5.11.1
//! and 5.11.2). Negative numbers are reflected (DLMF 5.5.3 and 5.5.4).

use super::exp_log::log_f64;
use super::trig::{cos_f64, sin_f64};
use std::f64::consts::PI;

/// The least argument of the asymptotic series, and the steps of the recurrence.
const SHIFT: i32 = 8;
const HALF_LN_TWO_PI: f64 = 0.918_938_533_204_672_8;
const LN_PI: f64 = 1.144_729_885_849_400_2;

/// The greatest distance from 1 and 2, where the logarithm is zero, at which their power series replace it.
const NEAR_ZERO: f64 = 1.0 / 64.0;
// DLMF 5.7.3: minus Euler's constant, then zeta(k) / k with alternating signs; at 2, zeta(k) less 1 in place of zeta(k).
const AT_ONE: [f64; 7] = [
    -0.577_215_664_901_532_9,
    0.822_467_033_424_113_2,
    -0.400_685_634_386_531_4,
    0.270_580_808_427_784_55,
    -0.207_385_551_028_673_98,
    0.169_557_176_997_408_2,
    -0.144_049_896_768_846_1,
];
const AT_TWO: [f64; 7] = [
    0.422_784_335_098_467_14,
    0.322_467_033_424_113_2,
    -0.067_352_301_053_198_1,
    0.020_580_808_427_784_548,
    -0.007_385_551_028_673_985,
    0.002_890_510_330_741_523_4,
    -0.001_192_753_911_703_261,
];

/// An argument, shifted to where the asymptotic series converges.
struct Shifted {
    /// The magnitude of the argument.
    a: f64,
    z: f64,
    /// The product of a, a + 1 .. up to z, and its derivative; 1 and 0 where z is a.
    product: f64,
    change: f64,
}

impl Shifted {
    #[inline(always)]
    fn new(x: f64) -> Shifted {
        let a = x.abs();
        let (mut product, mut change) = (a, 1.0);
        for k in 1..SHIFT {
            let factor = a + f64::from(k);
            change = change * factor + product;
            product *= factor;
        }
        let is_small = a < f64::from(SHIFT);
        Shifted {
            a,
            z: if is_small { a + f64::from(SHIFT) } else { a },
            product: if is_small { product } else { 1.0 },
            change: if is_small { change } else { 0.0 },
        }
    }

    /// Returns the distance to the nearest whole number, with the sign of the argument's magnitude.
    #[inline(always)]
    fn fraction(&self) -> f64 {
        self.a - self.a.round_ties_even()
    }
}

/// Returns ln |gamma(x)|; infinity at the poles (zero and the negative integers) and for infinite x.
#[inline(always)]
pub(super) fn lgamma_f32(x: f32) -> f32 {
    let x = f64::from(x);
    let shifted = Shifted::new(x);
    let (z, w) = (shifted.z, 1.0 / shifted.z);
    let v = w * w;
    let rest = w
        * (1.0 / 12.0
            - v * (1.0 / 360.0
                - v * (1.0 / 1260.0 - v * (1.0 / 1680.0 - v * (1.0 / 1188.0 - v * (691.0 / 360_360.0))))));
    let log = (z - 0.5) * log_f64(z) - z + HALF_LN_TWO_PI + rest;
    // gamma(-a) gamma(a) = -pi / (a sin(pi a)).
    let is_reflected = x < 0.0;
    let turned = sin_f64(PI * shifted.fraction()).abs() * shifted.a;
    let step = log_f64(if is_reflected { shifted.product / turned } else { shifted.product });
    let value = if is_reflected { LN_PI - log + step } else { log - step };
    // The terms above cancel near 1 and 2.
    let is_low = x < 1.5;
    let t = x - if is_low { 1.0 } else { 2.0 };
    let mut series = 0.0;
    for (one, two) in AT_ONE.iter().zip(&AT_TWO).rev() {
        series = series * t + if is_low { *one } else { *two };
    }
    // The sum makes the zero at 1 positive.
    let value = if t.abs() < NEAR_ZERO { series * t + 0.0 } else { value };
    (if shifted.a < f64::INFINITY { value } else { shifted.a }) as f32
}

/// Returns `digamma_f64` with the digits of float32.
#[inline(always)]
pub(super) fn digamma_f32(x: f32) -> f32 {
    let x = f64::from(x);
    let shifted = Shifted::new(x);
    let (z, w) = (shifted.z, 1.0 / shifted.z);
    let v = w * w;
    let series = v
        * (1.0 / 12.0
            - v * (1.0 / 120.0 - v * (1.0 / 252.0 - v * (1.0 / 240.0 - v * (1.0 / 132.0 - v * (691.0 / 32_760.0))))));
    let value = log_f64(z) - 0.5 * w - series - shifted.change / shifted.product;
    // digamma(-a) = digamma(a) + 1 / a + pi / tan(pi a).
    let angle = PI * shifted.fraction();
    let reflected = value + 1.0 / shifted.a + PI * cos_f64(angle) / sin_f64(angle);
    let value = if x < 0.0 { reflected } else { value };
    let is_pole = (x <= 0.0) & (angle == 0.0);
    (if is_pole | (shifted.a == f64::INFINITY) { f64::INFINITY } else { value }) as f32
}

/// Returns the derivative of ln(gamma); infinity at the poles (zero and the negative integers), as in TensorFlow 1.x.
pub fn digamma_f64(x: f64) -> f64 {
    if x == f64::INFINITY {
        return x;
    }
    if x <= 0.0 && (x == x.floor() || x == f64::NEG_INFINITY) {
        return f64::INFINITY;
    }
    if x < 0.0 {
        // Reflection, with the angle reduced first so that the tangent keeps its digits.
        let fraction = x - libm::rint(x);
        return digamma_f64(1.0 - x) - PI / libm::tan(PI * fraction);
    }
    // Recurrence up to where the asymptotic series (Bernoulli numbers B2..B14) has double precision.
    let mut shift = 0.0;
    let mut y = x;
    while y < 10.0 {
        shift += 1.0 / y;
        y += 1.0;
    }
    let z = 1.0 / (y * y);
    let series = z
        * (1.0 / 12.0
            - z * (1.0 / 120.0
                - z * (1.0 / 252.0
                    - z * (1.0 / 240.0 - z * (1.0 / 132.0 - z * (691.0 / 32760.0 - z * (1.0 / 12.0)))))));
    libm::log(y) - 0.5 / y - series - shift
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the distance of two numbers in units of the last place.
    fn places(a: f32, b: f32) -> u64 {
        let ordered = |x: f32| {
            let bits = i64::from(x.to_bits() as i32);
            if bits < 0 { i64::from(i32::MIN) - bits } else { bits }
        };
        if a.is_nan() && b.is_nan() { 0 } else { ordered(a).abs_diff(ordered(b)) }
    }

    fn arguments() -> impl Iterator<Item = f32> {
        let all =
            (0..=u32::MAX).step_by(49_999).map(f32::from_bits).filter(|x| x.is_nan() || x.abs() >= f32::MIN_POSITIVE);
        let zeros = [1.0f32, 2.0, 1.461_632_1, -0.504_083, -1.573_498, -2.457_024_7, -2.747_682_7, -3.143_581];
        let near =
            zeros.into_iter().flat_map(|x| (-200..200).map(move |k| f32::from_bits((x.to_bits() as i32 + k) as u32)));
        let even = (-4000i16..4000).map(|k| f32::from(k) / 256.0);
        all.chain(near).chain(even).chain([0.0, -0.0, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, f32::MIN])
    }

    #[test]
    fn single_precision_differs_in_the_last_place_alone() {
        for x in arguments() {
            let (got, exact) = (lgamma_f32(x), libm::lgamma(f64::from(x)) as f32);
            assert!(places(got, exact) <= 2, "lgamma({x:e}): {got:e}, not {exact:e}");
            let (got, exact) = (digamma_f32(x), digamma_f64(f64::from(x)) as f32);
            assert!(places(got, exact) <= 2, "digamma({x:e}): {got:e}, not {exact:e}");
        }
    }
}
