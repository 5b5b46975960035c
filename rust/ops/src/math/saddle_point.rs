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
    // DLMF 5.11.1: Bernoulli numbers B2..B16.
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

#[cfg(test)]
mod tests {
    use super::*;

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
