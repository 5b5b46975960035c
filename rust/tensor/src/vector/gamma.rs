//! The digamma function; the logarithm of the gamma function is the `libm` crate's.

use std::f64::consts::PI;

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
