//! Determinants, plain and as sign and logarithm.

use crate::complex::norm;
use crate::element::{Field, view};
use crate::small::{Lu, SMALL};
use faer::linalg::solvers::PartialPivLu;
use num_complex::Complex;

/// Returns the pivots and the sign of the row exchanges.
fn pivots<T: Field>(a: &[T], n: usize) -> (Vec<Complex<f64>>, f64) {
    if n == 0 {
        return (Vec::new(), 1.0);
    }
    if n <= SMALL {
        let lu = Lu::new(a, n);
        return (lu.pivots().map(T::to_complex).collect(), lu.sign);
    }
    let lu = PartialPivLu::new(view(a, n, n));
    let (forward, _) = lu.P().arrays();
    let mut seen = vec![false; n];
    let mut sign = 1.0;
    for start in 0..n {
        // Each cycle of even length changes the sign.
        let (mut i, mut length) = (start, 0);
        while !seen[i] {
            seen[i] = true;
            i = forward[i];
            length += 1;
        }
        if length > 0 && length % 2 == 0 {
            sign = -sign;
        }
    }
    ((0..n).map(|i| lu.U()[(i, i)].to_complex()).collect(), sign)
}

/// Returns the phase of the determinant and the logarithm of its absolute value: 0 and -inf for a singular matrix.
pub(crate) fn log_determinant<T: Field>(a: &[T], n: usize) -> (T, T) {
    let (pivots, sign) = pivots(a, n);
    let (phase, log) = phase_and_log(&pivots, sign);
    (T::from_complex(phase), T::from_real(log))
}

fn phase_and_log(pivots: &[Complex<f64>], sign: f64) -> (Complex<f64>, f64) {
    let log: f64 = pivots.iter().map(|p| libm::log(norm(*p))).sum();
    if log.is_nan() || log.is_infinite() {
        let infinite = if log > 0.0 { f64::INFINITY } else { f64::NEG_INFINITY };
        return (Complex::new(0.0, 0.0), infinite);
    }
    (pivots.iter().fold(Complex::new(sign, 0.0), |phase, p| phase * (p / norm(*p))), log)
}

/// Returns the determinant of an `n` by `n` matrix; 1 where `n` is 0.
pub(crate) fn determinant<T: Field>(a: &[T], n: usize) -> T {
    let (pivots, sign) = pivots(a, n);
    let product = pivots.iter().fold(Complex::new(sign, 0.0), |product, p| product * p);
    let is_exact = product.re.is_finite() && product.im.is_finite() && norm(product) > f64::MIN_POSITIVE;
    if is_exact || pivots.iter().any(|p| norm(*p) == 0.0) {
        return T::from_complex(product);
    }
    // An intermediate product was too large or too small for double precision.
    let (phase, log) = phase_and_log(&pivots, sign);
    T::from_complex(phase * libm::exp(log))
}
