//! Functions of complex numbers in double precision, built on the `libm` crate and so equal on every machine.
//!
//! Inverse functions follow W. Kahan, "Branch cuts for complex elementary functions" (1987).

use super::scalar::norm;
use num_complex::Complex;

type C = Complex<f64>;

/// Returns `i z`.
fn times_i(z: C) -> C {
    C::new(-z.im, z.re)
}

/// Returns `-i z`.
fn times_minus_i(z: C) -> C {
    C::new(z.im, -z.re)
}

pub(super) fn sign(z: C) -> C {
    if z == C::new(0.0, 0.0) { z } else { z / norm(z) }
}

pub(super) fn sqrt(z: C) -> C {
    if z.re == 0.0 && z.im == 0.0 {
        return C::new(0.0, z.im);
    }
    if z.im.is_infinite() {
        return C::new(f64::INFINITY, z.im);
    }
    let t = ((z.re.abs() + norm(z)) * 0.5).sqrt();
    if z.re >= 0.0 { C::new(t, z.im / (2.0 * t)) } else { C::new(z.im.abs() / (2.0 * t), t.copysign(z.im)) }
}

/// Returns one over the square root: as C divides, zero where the root is infinite, and infinity where it is zero.
pub(super) fn rsqrt(z: C) -> C {
    let root = sqrt(z);
    if root.re == 0.0 && root.im == 0.0 {
        return C::new(f64::INFINITY.copysign(root.re), f64::NAN);
    }
    if root.re.is_infinite() || root.im.is_infinite() {
        return C::new(0f64.copysign(root.re), -(0f64.copysign(root.im)));
    }
    root.inv()
}

pub(super) fn exp(z: C) -> C {
    let r = libm::exp(z.re);
    if z.im == 0.0 { C::new(r, z.im) } else { C::new(r * libm::cos(z.im), r * libm::sin(z.im)) }
}

pub(super) fn expm1(z: C) -> C {
    // Re = e^a cos b - 1 without cancellation.
    let half = libm::sin(z.im * 0.5);
    C::new(libm::expm1(z.re) * libm::cos(z.im) - 2.0 * half * half, libm::exp(z.re) * libm::sin(z.im))
}

pub(super) fn log(z: C) -> C {
    C::new(libm::log(norm(z)), libm::atan2(z.im, z.re))
}

pub(super) fn log1p(z: C) -> C {
    let size = z.re.abs().max(z.im.abs());
    // ln |1 + z| = ln(1 + (2a + a^2 + b^2)) / 2; large squares overflow, and need no care for the 1.
    let re = if size < 0.5 {
        0.5 * libm::log1p(z.re * (2.0 + z.re) + z.im * z.im)
    } else {
        libm::log(libm::hypot(1.0 + z.re, z.im))
    };
    C::new(re, libm::atan2(z.im, 1.0 + z.re))
}

pub(super) fn sigmoid(z: C) -> C {
    C::new(1.0, 0.0) / (exp(-z) + 1.0)
}

pub(super) fn sinh(z: C) -> C {
    C::new(libm::sinh(z.re) * libm::cos(z.im), libm::cosh(z.re) * libm::sin(z.im))
}

pub(super) fn cosh(z: C) -> C {
    C::new(libm::cosh(z.re) * libm::cos(z.im), libm::sinh(z.re) * libm::sin(z.im))
}

pub(super) fn tanh(z: C) -> C {
    let (double, twist) = (2.0 * z.re, 2.0 * z.im);
    // Past this the denominator is e^|2a| / 2 to the last digit, and soon overflows.
    if double.abs() > 40.0 {
        return C::new(1f64.copysign(z.re), 2.0 * libm::sin(twist) * libm::exp(-double.abs()));
    }
    let below = libm::cosh(double) + libm::cos(twist);
    C::new(libm::sinh(double) / below, libm::sin(twist) / below)
}

pub(super) fn sin(z: C) -> C {
    times_minus_i(sinh(times_i(z)))
}

pub(super) fn cos(z: C) -> C {
    cosh(times_i(z))
}

pub(super) fn tan(z: C) -> C {
    times_minus_i(tanh(times_i(z)))
}

pub(super) fn asin(z: C) -> C {
    let (minus, plus) = (sqrt(C::new(1.0 - z.re, -z.im)), sqrt(C::new(1.0 + z.re, z.im)));
    C::new(libm::atan2(z.re, (minus * plus).re), libm::asinh((minus.conj() * plus).im))
}

pub(super) fn acos(z: C) -> C {
    let (minus, plus) = (sqrt(C::new(1.0 - z.re, -z.im)), sqrt(C::new(1.0 + z.re, z.im)));
    C::new(2.0 * libm::atan2(minus.re, plus.re), libm::asinh((plus.conj() * minus).im))
}

pub(super) fn acosh(z: C) -> C {
    let (minus, plus) = (sqrt(C::new(z.re - 1.0, z.im)), sqrt(C::new(z.re + 1.0, z.im)));
    C::new(libm::asinh((minus.conj() * plus).re), 2.0 * libm::atan2(minus.im, plus.re))
}

pub(super) fn atanh(z: C) -> C {
    if z.re.is_infinite() || z.im.is_infinite() {
        let angle = if z.im.is_nan() { f64::NAN } else { std::f64::consts::FRAC_PI_2.copysign(z.im) };
        return C::new(0f64.copysign(z.re), angle);
    }
    (log1p(z) - log1p(-z)) * 0.5
}

pub(super) fn asinh(z: C) -> C {
    times_minus_i(asin(times_i(z)))
}

pub(super) fn atan(z: C) -> C {
    times_minus_i(atanh(times_i(z)))
}

/// Returns `a^b` by the principal logarithm; 1 where `b` is zero, and 0 where only `a` is and `b` has a positive real
/// part.
pub(super) fn pow(a: C, b: C) -> C {
    let zero = C::new(0.0, 0.0);
    if b == zero {
        return C::new(1.0, 0.0);
    }
    if a == zero && b.re > 0.0 {
        return zero;
    }
    exp(b * log(a))
}
