//! Factors of the incomplete gamma and beta functions, written so that large arguments cancel before they are rounded.
//!
//! Source: C. Loader, "Fast and Accurate Computation of Binomial Probabilities" (2000).

use ferroflow_tensor::vector::scalar::{exp, log, log1p};
use std::f64::consts::PI;

/// Half the logarithm of 2 pi.
const HALF_LN_TWO_PI: f64 = 0.918_938_533_204_672_8;

/// Returns the rest of Stirling's formula for ln(gamma): `lgamma(z) - (z - 1/2) ln(z) + z - ln(2 pi) / 2` for z > 0.
pub(super) fn stirling_rest(z: f64) -> f64 {
    if z < 10.0 {
        return libm::lgamma(z) - (z - 0.5) * log(z) + z - HALF_LN_TWO_PI;
    }
    stirling_series(z)
}

/// Returns `stirling_rest(z)` for z >= 10. Source: DLMF 5.11.1 with the Bernoulli numbers B2..B16.
#[inline(always)]
fn stirling_series(z: f64) -> f64 {
    let w = 1.0 / (z * z);
    let series = 1.0 / 12.0
        - w * (1.0 / 360.0
            - w * (1.0 / 1260.0
                - w * (1.0 / 1680.0
                    - w * (1.0 / 1188.0 - w * (691.0 / 360_360.0 - w * (1.0 / 156.0 - w * (3617.0 / 122_400.0)))))));
    series / z
}

/// Returns `u - ln(1 + u)` for u > -1, without cancellation near zero.
pub(super) fn log_excess(u: f64) -> f64 {
    if u.abs() > 0.1 {
        return u - log1p(u);
    }
    // With r = u / (2 + u): `ln(1 + u) = 2 (r + r^3/3 + r^5/5 + ...)` and `u - 2 r = u r`.
    let r = u / (2.0 + u);
    let square = r * r;
    let (mut sum, mut power, mut k) = (0.0, 2.0 * r * square, 3.0);
    loop {
        let next = sum + power / k;
        if next == sum {
            return u * r - sum;
        }
        sum = next;
        power *= square;
        k += 2.0;
    }
}

/// Returns `k ln(k / m) + m - k` for k > 0 and m > 0.
pub(super) fn deviance(k: f64, m: f64) -> f64 {
    if m > 0.5 * k && m < 2.0 * k { k * log_excess((m - k) / k) } else { k * (log(k) - log(m)) + m - k }
}

/// Returns `x^a e^-x / gamma(a)` for a > 0 and x > 0.
pub(super) fn gamma_factor(a: f64, x: f64) -> f64 {
    if a < 1.0 {
        return a * exp(a * log(x) - x - libm::lgamma(a + 1.0));
    }
    (a / (2.0 * PI)).sqrt() * exp(-stirling_rest(a) - deviance(a, x))
}

/// Returns `x^a y^b / beta(a, b)` for positive a and b, where x + y = 1.
pub(super) fn beta_factor(a: f64, b: f64, x: f64, y: f64) -> f64 {
    let n = a + b;
    let rest = stirling_rest(n) - stirling_rest(a) - stirling_rest(b);
    (a / n * b / (2.0 * PI)).sqrt() * exp(rest - deviance(a, n * x) - deviance(b, n * y))
}

/// The gamma function by its value at z >= 10: `gamma(a) = gamma(z) / product`, where z = a + shift.
struct Shifted {
    z: f64,
    shift: f64,
    product: f64,
    /// `stirling_rest(z)`.
    rest: f64,
}

impl Shifted {
    #[inline(always)]
    fn new(a: f64) -> Shifted {
        let is_small = a < 10.0;
        let mut product = a;
        for k in 1..10 {
            product *= a + f64::from(k);
        }
        let shift = if is_small { 10.0 } else { 0.0 };
        let z = a + shift;
        Shifted { z, shift, product: if is_small { product } else { 1.0 }, rest: stirling_series(z) }
    }

    /// Returns `ln(z)` times what `shift` adds to the exponent `z - 1/2`.
    #[inline(always)]
    fn log_of_shift(&self) -> f64 {
        (self.shift - 0.5) * log(self.z)
    }
}

/// Returns digamma(a) for a > 0 without a branch.
#[inline(always)]
pub(super) fn single_digamma(a: f64) -> f64 {
    let is_small = a < 10.0;
    let mut shift = 0.0;
    for k in 0..10 {
        shift += 1.0 / (a + f64::from(k));
    }
    let z = if is_small { a + 10.0 } else { a };
    let w = 1.0 / (z * z);
    // DLMF 5.11.2: Bernoulli numbers B2..B12.
    let series = w
        * (1.0 / 12.0
            - w * (1.0 / 120.0 - w * (1.0 / 252.0 - w * (1.0 / 240.0 - w * (1.0 / 132.0 - w * (691.0 / 32_760.0))))));
    log(z) - 0.5 / z - series - if is_small { shift } else { 0.0 }
}

/// Returns `gamma_factor(a, x)` for a < 10^6 with the digits of float32, without a branch.
#[inline(always)]
pub(super) fn single_gamma_factor(a: f64, x: f64) -> f64 {
    let s = Shifted::new(a);
    s.product * exp(a * log(x / s.z) - s.log_of_shift() + (s.z - x) - HALF_LN_TWO_PI - s.rest)
}

/// Returns `beta_factor(a, b, x, y)` for a, b < 10^6 with the digits of float32, without a branch.
#[inline(always)]
pub(super) fn single_beta_factor(a: f64, b: f64, x: f64, y: f64) -> f64 {
    let (s, t, n) = (Shifted::new(a), Shifted::new(b), Shifted::new(a + b));
    let powers = a * log(x * n.z / s.z) + b * log(y * n.z / t.z);
    let shifts = n.log_of_shift() - s.log_of_shift() - t.log_of_shift() + (s.shift + t.shift - n.shift);
    s.product * t.product / n.product * exp(powers + shifts - HALF_LN_TWO_PI + (n.rest - s.rest - t.rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn single_factors_have_the_digits_of_float32() {
        let arguments = [1e-30, 1e-6, 0.01, 0.5, 1.0, 2.5, 9.9, 10.0, 40.0, 170.0, 3000.0, 99_999.0, 999_999.0];
        for a in arguments {
            for ratio in [1e-20, 0.01, 0.5, 0.97, 1.0, 1.001, 1.5, 30.0] {
                let (single, double) = (single_gamma_factor(a, a * ratio), gamma_factor(a, a * ratio));
                let agree = single == double || (single - double).abs() <= 3e-9 * double + f64::MIN_POSITIVE;
                assert!(agree, "{single} not {double} for ({a}, {})", a * ratio);
            }
            for b in arguments {
                for x in [1e-20, 0.25, 0.5, 0.9] {
                    let (single, double) = (single_beta_factor(a, b, x, 1.0 - x), beta_factor(a, b, x, 1.0 - x));
                    let agree = single == double || (single - double).abs() <= 3e-9 * double + f64::MIN_POSITIVE;
                    assert!(agree, "{single} not {double} for ({a}, {b}, {x})");
                }
            }
        }
    }

    #[test]
    fn the_excess_is_one_function_on_both_sides_of_its_borders() {
        for (u, expected) in
            [(0.1, 0.004_689_820_195_675_14), (-0.1, 0.005_360_515_657_826_301), (1e-9, 5e-19 - 1e-27 / 3.0)]
        {
            let next = f64::from_bits(f64::to_bits(u) + 1);
            assert!((log_excess(u) / expected - 1.0).abs() < 1e-14, "{u}");
            assert!((log_excess(next) / expected - 1.0).abs() < 1e-13, "{u}");
        }
    }

    #[test]
    fn stirling_rest_is_continuous_at_ten() {
        let (below, above) = (stirling_rest(10.0 - 1e-13), stirling_rest(10.0));
        assert!((below - above).abs() < 2e-14);
        assert!((above - 0.008_330_563_433_362_87).abs() < 1e-16);
    }
}
