//! Functions of complex numbers whose bits are the same on every machine, which those of the C library are not.

use num_complex::Complex;

/// Returns the absolute value.
pub(crate) fn norm(z: Complex<f64>) -> f64 {
    libm::hypot(z.re, z.im)
}

/// Returns the principal square root of a finite number.
pub(crate) fn sqrt(z: Complex<f64>) -> Complex<f64> {
    if z.re == 0.0 && z.im == 0.0 {
        return z;
    }
    let t = ((z.re.abs() + norm(z)) * 0.5).sqrt();
    let other = z.im / (2.0 * t);
    if z.re >= 0.0 { Complex::new(t, other) } else { Complex::new(other.abs(), t.copysign(z.im)) }
}

/// Returns the principal natural logarithm.
pub(crate) fn log(z: Complex<f64>) -> Complex<f64> {
    Complex::new(libm::log(norm(z)), libm::atan2(z.im, z.re))
}
