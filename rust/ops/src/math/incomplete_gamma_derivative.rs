//! IgammaGradA: the derivative of the lower incomplete gamma function by its parameter.
//!
//! It also has the derivative of a gamma sample, which is the same over the density.
//!
//! Source: the series, the continued fraction and N. Temme's expansion of `incomplete_gamma`, differentiated term by term;
//! Figurnov, Mohamed, Mnih, "Implicit reparameterization gradients", 2018, for samples.

use super::incomplete_gamma::{FINE, LARGE, STEPS, TINY, guarded, is_outside, kernel_with_formulas};
use super::lanes::{Formulas, LANES, Lanes, groups, groups_mut};
use super::saddle_point::{gamma_factor, log_excess, single_digamma, single_gamma_factor};
use ferroflow_graph::{Op, Registry, shape_rules};
use ferroflow_tensor::vector::digamma_f64;
use ferroflow_tensor::vector::scalar::{log, log1p};

/// Ratio of the last terms to the sums.
const PRECISION: f64 = f64::EPSILON * 0.25;

/// Returns the change of the sample at `x` with `a`, where x <= a or x <= 1. It is -x times the derivative of P over
/// `x^a e^-x / gamma(a)`.
fn by_series(a: f64, x: f64) -> f64 {
    // The terms are x^n / (a (a + 1) ... (a + n)); the second sum is of their derivatives.
    let (mut n, mut term, mut falling) = (a, 1.0 / a, 1.0 / a);
    let (mut sum, mut change) = (term, -term * falling);
    for _ in 0..STEPS {
        n += 1.0;
        term *= x / n;
        falling += 1.0 / n;
        sum += term;
        change -= term * falling;
        if term <= sum * PRECISION && term * falling <= change.abs() * PRECISION {
            break;
        }
    }
    -x * ((log(x) - digamma_f64(a)) * sum + change)
}

/// Returns the same where x > a and x > 1: the continued fraction of Q and its derivative, by Lentz's method.
fn by_fraction(a: f64, x: f64) -> f64 {
    let mut b = x + 1.0 - a;
    let (mut c, mut c_change) = (1.0 / TINY, 0.0);
    let mut d = 1.0 / guarded(b);
    let mut d_change = d * d;
    let (mut h, mut h_change) = (d, d_change);
    for i in 1..STEPS {
        let i = i as f64;
        let numerator = i * (a - i);
        b += 2.0;
        let next = 1.0 / guarded(numerator * d + b);
        d_change = -next * next * (i * d + numerator * d_change - 1.0);
        d = next;
        c_change = i / c - numerator * c_change / (c * c) - 1.0;
        c = guarded(b + numerator / c);
        let (factor, factor_change) = (c * d, c_change * d + c * d_change);
        h_change = h_change * factor + h * factor_change;
        h *= factor;
        let settled =
            (factor - 1.0).abs() <= f64::EPSILON && (h * factor_change).abs() <= h_change.abs() * f64::EPSILON;
        if settled {
            break;
        }
    }
    x * ((log(x) - digamma_f64(a)) * h + h_change)
}

/// Returns the same for `a >= LARGE`: with u = eta sqrt(a), P is Phi(u) - phi(u) c0(eta) / sqrt(a).
fn by_expansion(a: f64, x: f64) -> f64 {
    let excess = (x - a) / a;
    let ratio = x / a;
    let half_square = log_excess(excess);
    let eta = (2.0 * half_square).sqrt().copysign(excess);
    if eta.abs() < 1e-7 {
        // The limit where x = a, and its slope.
        return 1.0 + excess / 2.0 + 1.0 / (6.0 * a);
    }
    let (c0, c0_slope) = if eta.abs() < 0.2 {
        let c0 = -1.0 / 3.0
            + eta
                * (1.0 / 12.0
                    + eta * (-2.0 / 135.0 + eta * (1.0 / 864.0 + eta * (1.0 / 2835.0 - eta * (139.0 / 777_600.0)))));
        let slope = 1.0 / 12.0
            + eta * (-4.0 / 135.0 + eta * (3.0 / 864.0 + eta * (4.0 / 2835.0 - eta * (5.0 * 139.0 / 777_600.0))));
        (c0, slope)
    } else {
        (1.0 / excess - 1.0 / eta, 1.0 / (eta * eta) - eta * ratio / (excess * excess * excess))
    };
    let root = a.sqrt();
    let u = eta * root;
    let (u_by_a, u_by_x) = (-log1p(excess) / u, excess / (ratio * u));
    let eta_by_a = u_by_a / root - u / (2.0 * a * root);
    let common = 1.0 + eta * c0;
    let by_a = u_by_a * common - c0_slope * eta_by_a / root + c0 / (2.0 * a * root);
    let by_x = u_by_x * common - c0_slope * u_by_x / root / root;
    -by_a / by_x
}

/// Returns the derivative by `a` of a sample `x` of Gamma(a, 1), where its quantile stays.
pub(crate) fn gamma_sample_derivative(a: f64, x: f64) -> f64 {
    if x == 0.0 && a > 0.0 {
        return 0.0;
    }
    if is_outside(a, x) || a.is_infinite() || x.is_infinite() {
        return f64::NAN;
    }
    if a >= LARGE {
        by_expansion(a, x)
    } else if x <= 1.0 || x <= a {
        by_series(a, x)
    } else {
        by_fraction(a, x)
    }
}

fn igamma_grad_a(a: f64, x: f64) -> f64 {
    if x == 0.0 && !a.is_nan() {
        return 0.0;
    }
    if is_outside(a, x) {
        return f64::NAN;
    }
    if a.is_infinite() || x.is_infinite() {
        return if a.is_infinite() && x.is_infinite() { f64::NAN } else { 0.0 };
    }
    -gamma_factor(a, x) / x * gamma_sample_derivative(a, x)
}

/// The derivative of P (`OF_INTEGRAL`) or of a sample, with the digits of float32.
pub(crate) struct SingleDerivative<const OF_INTEGRAL: bool>;

/// Computes the two sums of `by_series` for groups of elements.
#[inline(always)]
fn single_series(a: &Lanes, x: &Lanes) -> (Lanes, Lanes) {
    let mut n = *a;
    let mut term = a.map(|a| 1.0 / a);
    let mut falling = term;
    let mut sum = term;
    let mut change: Lanes = std::array::from_fn(|i| -term[i] * falling[i]);
    for _ in 0..STEPS {
        for i in 0..LANES {
            n[i] += 1.0;
            let inverse = 1.0 / n[i];
            term[i] *= x[i] * inverse;
            falling[i] += inverse;
            sum[i] += term[i];
            let by_term = term[i] * falling[i];
            change[i] -= by_term;
            let is_settled = (term[i] <= sum[i] * FINE) & (by_term <= change[i].abs() * FINE);
            term[i] = if is_settled { 0.0 } else { term[i] };
        }
        if term.iter().sum::<f64>() == 0.0 {
            break;
        }
    }
    (sum, change)
}

/// Computes the fraction of `by_fraction` and its derivative for groups of elements, with one division a step.
#[inline(always)]
fn single_fraction(a: &Lanes, x: &Lanes) -> (Lanes, Lanes) {
    let mut b: Lanes = std::array::from_fn(|i| x[i] + 1.0 - a[i]);
    // More than any denominator, and a square that is finite.
    let (mut c, mut c_change) = ([1e30; LANES], [0.0; LANES]);
    let mut d = b.map(|b| 1.0 / b);
    let mut d_change = d.map(|d| d * d);
    let (mut h, mut h_change) = (d, d_change);
    let mut left = [1.0; LANES];
    for step in 1..STEPS {
        let step = step as f64;
        for i in 0..LANES {
            let numerator = step * (a[i] - step);
            b[i] += 2.0;
            let below = numerator * d[i] + b[i];
            let inverse = 1.0 / (below * c[i]);
            let (next, over_c) = (c[i] * inverse, below * inverse);
            d_change[i] = -next * next * (step * d[i] + numerator * d_change[i] - 1.0);
            d[i] = next;
            c_change[i] = step * over_c - numerator * c_change[i] * over_c * over_c - 1.0;
            c[i] = b[i] + numerator * over_c;
            let factor = if left[i] == 0.0 { 1.0 } else { c[i] * d[i] };
            let change = if left[i] == 0.0 { 0.0 } else { c_change[i] * d[i] + c[i] * d_change[i] };
            h_change[i] = h_change[i] * factor + h[i] * change;
            h[i] *= factor;
            let is_settled = ((factor - 1.0).abs() <= FINE) & ((h[i] * change).abs() <= h_change[i].abs() * FINE);
            left[i] = if is_settled { 0.0 } else { 1.0 };
        }
        if left.iter().sum::<f64>() == 0.0 {
            break;
        }
    }
    (h, h_change)
}

impl<const OF_INTEGRAL: bool> Formulas<2> for SingleDerivative<OF_INTEGRAL> {
    const COUNT: usize = 2;

    #[inline(always)]
    fn choose([a, x]: [f64; 2]) -> usize {
        if !(a > 0.0 && a < LARGE && x > 0.0 && x < f64::INFINITY) {
            return 2;
        }
        usize::from(!(x <= 1.0 || x <= a))
    }

    #[inline(always)]
    fn compute(index: usize, [a, x]: [&[f64]; 2], out: &mut [f64]) {
        for ((a, x), out) in groups(a).zip(groups(x)).zip(groups_mut(out)) {
            let (value, change) = if index == 0 { single_series(a, x) } else { single_fraction(a, x) };
            for i in 0..LANES {
                out[i] = x[i] * ((log(x[i]) - single_digamma(a[i])) * value[i] + change[i]);
            }
        }
        for ((a, x), out) in a.iter().zip(x).zip(out) {
            *out = if index == 0 { -*out } else { *out };
            *out *= if OF_INTEGRAL { -single_gamma_factor(*a, *x) / x } else { 1.0 };
        }
    }

    fn alone([a, x]: [f64; 2]) -> f64 {
        if OF_INTEGRAL { igamma_grad_a(a, x) } else { gamma_sample_derivative(a, x) }
    }
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("IgammaGradA")
            .input("a: T")
            .input("x: T")
            .output("z: T")
            .attr("T: {float, double}")
            .doc("Returns the derivative of `Igamma` by `a`.")
            .shape(shape_rules::broadcast_binary)
            .kernel(|init| kernel_with_formulas::<SingleDerivative<true>>(init, igamma_grad_a)),
    );
}

#[cfg(test)]
mod tests {
    use super::super::lanes::one_by_one;
    use super::*;

    /// (a, x, change of a sample, derivative of P) by TensorFlow 2.21.
    const GOLDEN: [(f64, f64, f64, f64); 16] = [
        (0.01, 1e-9, 2.016_238_040_002_079e-6, -16.482_120_053_118_08),
        (0.1, 0.5, 5.119_691_567_209_468, -0.609_091_977_211_122),
        (0.5, 0.25, 0.908_014_491_764_111_4, -0.797_947_316_783_223),
        (1.0, 1.0, 1.173_563_027_224_727_5, -0.431_729_710_634_898_96),
        (1.0, 3.0, 1.937_911_693_824_958_5, -0.096_482_941_991_346_24),
        (2.5, 0.1, 0.140_549_792_973_669_9, -0.003_025_272_936_681_215),
        (3.0, 10.0, 1.815_188_191_311_401_2, -0.004_120_470_819_561_479),
        (10.0, 5.0, 0.704_579_922_386_839, -0.025_551_997_720_828_133),
        (10.0, 10.0, 1.016_823_490_431_075_8, -0.127_214_823_209_919_67),
        (10.0, 25.0, 1.552_243_990_900_601_6, -0.000_226_618_303_932_580_48),
        (50.0, 40.0, 0.895_549_702_746_075_1, -0.019_821_892_882_228_898),
        (100.0, 130.0, 1.138_804_445_837_226_4, -0.000_810_130_028_562_240_1),
        (1000.0, 1000.0, 1.000_166_683_323_824_3, -0.012_616_713_994_069_093),
        (1000.0, 900.0, 0.948_402_638_179_41, -6.245_709_035_843_07e-5),
        (0.3, 8.0, 5.270_421_589_631_534_5, -0.000_137_856_576_137_628),
        (20000.0, 20100.0, 1.002_504_197_887_019_5, -0.002_193_311_604_201_210_6),
    ];

    #[test]
    fn the_derivative_is_tensorflows() {
        for (a, x, sample, p) in GOLDEN {
            let close = |got: f64, expected: f64| (got / expected - 1.0).abs() <= 4e-12;
            assert!(close(gamma_sample_derivative(a, x), sample), "{a} {x}: {}", gamma_sample_derivative(a, x));
            assert!(close(igamma_grad_a(a, x), p), "{a} {x}: {}", igamma_grad_a(a, x));
        }
    }

    #[test]
    fn single_precision_has_its_digits_everywhere() {
        for a in (0..60).map(|i| 1e-3 * 1.41f64.powi(i)) {
            for x in (0..80).map(|i| 1e-3 * 1.31f64.powi(i)).chain([0.9 * a, a, 1.01 * a, a + 1.0, a + 1.5]) {
                for (single, double) in [
                    (one_by_one::<SingleDerivative<false>, 2>([a, x]), gamma_sample_derivative(a, x)),
                    (one_by_one::<SingleDerivative<true>, 2>([a, x]), igamma_grad_a(a, x)),
                ] {
                    let agree = (single - double).abs() <= 2e-8 * double.abs() + f64::from(f32::MIN_POSITIVE);
                    assert!(agree, "{single} not {double} for ({a}, {x})");
                }
            }
        }
    }

    #[test]
    fn the_forms_agree_where_they_meet() {
        for a in [0.3, 1.0, 4.5, 90.0, 4e4] {
            let (below, above) = (by_series(a, a.max(1.0)), by_fraction(a, a.max(1.0)));
            assert!((below / above - 1.0).abs() < 1e-9, "{a}: {below} {above}");
        }
        for at in [-6.0, -3.0, -0.1, 0.1, 3.0, 6.0] {
            let a = 9e5;
            let x = a + at * f64::sqrt(a);
            let (exact, expanded) = (if x <= a { by_series(a, x) } else { by_fraction(a, x) }, by_expansion(a, x));
            assert!((exact / expanded - 1.0).abs() < 1e-8, "{at}: {exact} {expanded}");
        }
    }

    #[test]
    fn borders_and_faults() {
        assert_eq!(gamma_sample_derivative(1.5, 0.0), 0.0);
        for (a, x) in [(0.0, 1.0), (-1.0, 1.0), (1.0, -1.0), (f64::NAN, 1.0), (1.0, f64::NAN)] {
            assert!(gamma_sample_derivative(a, x).is_nan() && igamma_grad_a(a, x).is_nan());
        }
        for a in [1e7, 1e12, 1e300] {
            assert!((gamma_sample_derivative(a, a) - 1.0).abs() < 1e-6);
            assert!(gamma_sample_derivative(a, a * 1e-3).is_finite());
        }
    }
}
