//! Igamma and Igammac: the regularized lower and upper incomplete gamma functions.
//!
//! Source: the series and the continued fraction of DLMF 8.7 and 8.9 (as in Cephes `igam`), N. Temme's uniform
//! expansion (DLMF 8.12) for large `a`.

use super::lanes::{Formulas, LANES, Lanes, groups, groups_mut, zip_lanes};
use super::pairwise::zip_numbers;
use super::saddle_point::{gamma_factor, log_excess, single_gamma_factor};
use ferroflow_graph::{Kernel, KernelInit, Op, Registry, kernel, shape_rules};
use ferroflow_tensor::vector::scalar::exp;
use ferroflow_tensor::{DType, Result};
use std::f64::consts::PI;

/// Elements of one parallel block.
const BLOCK: usize = 256;
/// From here on the uniform expansion has double precision, while the series would take thousands of terms.
pub(super) const LARGE: f64 = 1e6;
/// More steps than the series and the fraction take below `LARGE`.
pub(super) const STEPS: usize = 20_000;
/// Keeps the denominators of continued fractions from zero.
pub(super) const TINY: f64 = 1e-300;

/// The least term that counts, relative to the sum. The rest of a series is up to 200 times its last term.
pub(super) const SINGLE: f64 = power_of_half(36);
pub(super) const DOUBLE: f64 = power_of_half(54);
/// As `SINGLE`, where a hundredth of the result counts as much.
pub(super) const FINE: f64 = power_of_half(46);

const fn power_of_half(bits: i32) -> f64 {
    1.0 / (1u64 << bits) as f64
}

/// Returns the lower function P for 0 < x <= a + 1.
fn series(a: f64, x: f64) -> f64 {
    let (mut term, mut sum, mut n) = (1.0, 1.0, a);
    for _ in 0..STEPS {
        n += 1.0;
        term *= x / n;
        sum += term;
        if term <= sum * DOUBLE {
            break;
        }
    }
    gamma_factor(a, x) / a * sum
}

/// Returns the upper function Q for x > a, by Lentz's method.
fn fraction(a: f64, x: f64) -> f64 {
    let mut b = x + 1.0 - a;
    let mut c = 1.0 / TINY;
    let mut d = 1.0 / if b == 0.0 { TINY } else { b };
    let mut h = d;
    for i in 1..STEPS {
        let numerator = i as f64 * (a - i as f64);
        b += 2.0;
        d = 1.0 / guarded(numerator * d + b);
        c = guarded(b + numerator / c);
        let factor = c * d;
        h *= factor;
        if (factor - 1.0).abs() <= 2.0 * DOUBLE {
            break;
        }
    }
    gamma_factor(a, x) * h
}

/// Returns a denominator that is not zero.
pub(super) fn guarded(v: f64) -> f64 {
    if v.abs() < TINY { TINY } else { v }
}

/// Returns (P, Q) for `a >= LARGE`.
fn uniform(a: f64, x: f64) -> (f64, f64) {
    let half_square = log_excess((x - a) / a);
    let eta = (2.0 * half_square).sqrt().copysign(x - a);
    // If eta is too large for these terms, the exponential is zero.
    let c0 = -1.0 / 3.0
        + eta
            * (1.0 / 12.0
                + eta * (-2.0 / 135.0 + eta * (1.0 / 864.0 + eta * (1.0 / 2835.0 - eta * (139.0 / 777_600.0)))));
    let c1 = -1.0 / 540.0 - eta / 288.0;
    let exponential = exp(-a * half_square);
    let rest = if exponential == 0.0 { 0.0 } else { exponential / (2.0 * PI * a).sqrt() * (c0 + c1 / a) };
    let argument = eta * (0.5 * a).sqrt();
    (0.5 * libm::erfc(-argument) - rest, 0.5 * libm::erfc(argument) + rest)
}

/// Returns (P, Q) for 0 < x.
fn both(a: f64, x: f64) -> (f64, f64) {
    if a.is_infinite() {
        // TF 1.x: both functions are zero where both arguments are infinite.
        return if x.is_infinite() { (0.0, 0.0) } else { (0.0, 1.0) };
    }
    if x.is_infinite() {
        return (1.0, 0.0);
    }
    if a >= LARGE {
        return uniform(a, x);
    }
    if x <= a || x <= 1.0 {
        let p = series(a, x);
        return (p, 1.0 - p);
    }
    let q = fraction(a, x);
    (1.0 - q, q)
}

pub(super) fn is_outside(a: f64, x: f64) -> bool {
    a.is_nan() || x.is_nan() || x < 0.0 || a <= 0.0
}

fn igamma(a: f64, x: f64) -> f64 {
    // TF 1.x: zero at x = 0 even where `a` is not positive.
    if x == 0.0 && !a.is_nan() {
        return 0.0;
    }
    if is_outside(a, x) { f64::NAN } else { both(a, x).0 }
}

fn igammac(a: f64, x: f64) -> f64 {
    if is_outside(a, x) {
        return f64::NAN;
    }
    if x == 0.0 { 1.0 } else { both(a, x).1 }
}

/// Igamma (`UPPER` is false) and Igammac with the digits of float32.
struct Single<const UPPER: bool>;

/// Returns the lower function for groups of elements with x <= a + 1.
#[inline(always)]
fn single_series(a: &Lanes, x: &Lanes, out: &mut Lanes) {
    let (mut term, mut sum, mut n) = ([1.0; LANES], [1.0; LANES], *a);
    for _ in 0..STEPS {
        for i in 0..LANES {
            n[i] += 1.0;
            term[i] *= x[i] / n[i];
            sum[i] += term[i];
            let least = if x[i] <= a[i] { SINGLE } else { FINE };
            term[i] = if term[i] <= sum[i] * least { 0.0 } else { term[i] };
        }
        if term.iter().sum::<f64>() == 0.0 {
            break;
        }
    }
    *out = sum;
}

/// Returns the continued fraction for groups of elements with x > a + 1, by Lentz's method with one division a step.
#[inline(always)]
fn single_fraction(a: &Lanes, x: &Lanes, out: &mut Lanes) {
    // More than any denominator, and a square that is finite.
    let mut c = [1e30; LANES];
    let mut b: Lanes = std::array::from_fn(|i| x[i] + 1.0 - a[i]);
    let mut d: Lanes = b.map(|b| 1.0 / b);
    let (mut h, mut change) = (d, [1.0; LANES]);
    for step in 1..STEPS {
        let step = step as f64;
        for i in 0..LANES {
            let numerator = step * (a[i] - step);
            b[i] += 2.0;
            let below = numerator * d[i] + b[i];
            let inverse = 1.0 / (below * c[i]);
            d[i] = c[i] * inverse;
            c[i] = b[i] + numerator * below * inverse;
            let factor = if change[i] <= 2.0 * SINGLE { 1.0 } else { c[i] * d[i] };
            h[i] *= factor;
            change[i] = (factor - 1.0).abs();
        }
        if change.iter().all(|change| *change <= 2.0 * SINGLE) {
            break;
        }
    }
    *out = h;
}

impl<const UPPER: bool> Formulas<2> for Single<UPPER> {
    const COUNT: usize = 2;

    #[inline(always)]
    fn choose([a, x]: [f64; 2]) -> usize {
        let is_regular = a > 0.0 && a < LARGE && x > 0.0 && x < f64::INFINITY;
        if !is_regular || x > a && x <= 1.0 && a < 0.01 { 2 } else { usize::from(x > a + 1.0) }
    }

    #[inline(always)]
    fn compute(index: usize, [a, x]: [&[f64]; 2], out: &mut [f64]) {
        for ((a, x), out) in groups(a).zip(groups(x)).zip(groups_mut(out)) {
            if index == 0 { single_series(a, x, out) } else { single_fraction(a, x, out) }
        }
        for ((a, x), out) in a.iter().zip(x).zip(out) {
            let factor = single_gamma_factor(*a, *x);
            *out *= if index == 0 { factor / a } else { factor };
            *out = if UPPER == (index == 1) { *out } else { 1.0 - *out };
        }
    }

    fn alone([a, x]: [f64; 2]) -> f64 {
        if UPPER { igammac(a, x) } else { igamma(a, x) }
    }
}

/// Returns the kernel of a function of two numbers that is computed in double precision.
pub(crate) fn double_kernel(init: &KernelInit<'_>, f: fn(f64, f64) -> f64) -> Result<Box<dyn Kernel>> {
    match init.input_type(0)? {
        DType::F64 => kernel(move |ctx| {
            let z = zip_numbers::<f64>(ctx.input(0)?, ctx.input(1)?, ctx.threads(), BLOCK, f)?;
            ctx.set_output(0, z);
            Ok(())
        }),
        DType::F32 => kernel(move |ctx| {
            let f = |x: f32, y: f32| f(x.into(), y.into()) as f32;
            let z = zip_numbers::<f32>(ctx.input(0)?, ctx.input(1)?, ctx.threads(), BLOCK, f)?;
            ctx.set_output(0, z);
            Ok(())
        }),
        _ => Err(init.unsupported()),
    }
}

/// Returns the kernel of a function that has formulas for float32; `double` is that of float64.
pub(crate) fn kernel_with_formulas<F: Formulas<2>>(
    init: &KernelInit<'_>,
    double: fn(f64, f64) -> f64,
) -> Result<Box<dyn Kernel>> {
    if init.input_type(0)? != DType::F32 {
        return double_kernel(init, double);
    }
    kernel(|ctx| {
        let z = zip_lanes::<F>(ctx.input(0)?, ctx.input(1)?, ctx.threads())?;
        ctx.set_output(0, z);
        Ok(())
    })
}

pub(super) fn register(r: &mut Registry) {
    let op = |name: &str, doc: &'static str| {
        let op = Op::new(name).input("a: T").input("x: T").output("z: T").attr("T: {float, double}");
        op.doc(doc).shape(shape_rules::broadcast_binary)
    };
    r.add(
        op("Igamma", "Returns the integral of t^(a-1) e^-t from 0 to x, over gamma(a).")
            .kernel(|init| kernel_with_formulas::<Single<false>>(init, igamma)),
    );
    r.add(
        op("Igammac", "Returns the integral of t^(a-1) e^-t from x to infinity, over gamma(a).")
            .kernel(|init| kernel_with_formulas::<Single<true>>(init, igammac)),
    );
}

#[cfg(test)]
mod tests {
    use super::super::lanes::one_by_one;
    use super::{Single, igamma, igammac};
    use crate::testing::{Arg, run, run_args};
    use ferroflow_tensor::Tensor;

    /// (a, x, P, Q) by mpmath with 60 digits.
    const GOLDEN: [(f64, f64, f64, f64); 20] = [
        (0.5, 0.25, 0.520_499_877_813_046_5, 0.479_500_122_186_953_5),
        (1.0, 1.0, 0.632_120_558_828_557_7, 0.367_879_441_171_442_33),
        (0.001, 0.5, 0.999_439_933_343_529_2, 0.000_560_066_656_470_749_8),
        (0.1, 3.0, 0.998_434_728_252_885_6, 0.001_565_271_747_114_354),
        (2.5, 0.1, 0.000_886_138_788_812_442_6, 0.999_113_861_211_187_5),
        (3.0, 10.0, 0.997_230_604_284_488_4, 0.002_769_395_715_511_576),
        (10.0, 5.0, 0.031_828_057_306_204_81, 0.968_171_942_693_795_1),
        (10.0, 10.0, 0.542_070_285_528_147_8, 0.457_929_714_471_852_2),
        (10.0, 25.0, 0.999_778_523_361_751_2, 0.000_221_476_638_248_783_57),
        (50.0, 40.0, 0.070_335_066_659_394_96, 0.929_664_933_340_605_1),
        (100.0, 130.0, 0.997_249_591_632_693_4, 0.002_750_408_367_306_526),
        (1000.0, 1000.0, 0.504_205_244_180_215_5, 0.495_794_755_819_784_5),
        (1000.0, 900.0, 0.000_549_902_265_711_782_9, 0.999_450_097_734_288_2),
        (100_000.0, 100_200.0, 0.736_662_010_005_198_7, 0.263_337_989_994_801_3),
        (999_999.0, 1_000_000.0, 0.500_531_923_008_028_8, 0.499_468_076_991_971_15),
        (10_000_000.0, 10_000_000.0, 0.500_042_052_208_723_7, 0.499_957_947_791_276_3),
        (10_000_000.0, 10_002_000.0, 0.736_476_029_848_705_2, 0.263_523_970_151_294_86),
        (1_000_000_000.0, 999_990_000.0, 0.375_918_417_146_170_2, 0.624_081_582_853_829_9),
        (1e-8, 0.9, 0.999_999_997_398_160_6, 2.601_839_417_844_025_4e-9),
        (170.5, 250.0, 0.999_999_958_918_913_5, 4.108_108_656_712_207e-8),
    ];

    #[test]
    fn agree_with_sixty_digit_arithmetic() {
        for (a, x, p, q) in GOLDEN {
            // The condition of a large power: relative errors of x / a grow by `a`.
            let tolerance = 4e-15 * (1.0 + (x - a).abs() / a.sqrt());
            // One of the two is one minus the other.
            let close = |got: f64, expected: f64| (got - expected).abs() <= tolerance * expected.abs() + 6e-16;
            let single = (one_by_one::<Single<false>, 2>([a, x]), one_by_one::<Single<true>, 2>([a, x]));
            let near = |got: f64, expected: f64| (got - expected).abs() <= 4e-9 * expected + 6e-16;
            assert!(near(single.0, p) && near(single.1, q), "{single:?} for ({a}, {x})");
            assert!(close(igamma(a, x), p), "P({a}, {x}) = {} not {p}", igamma(a, x));
            assert!(close(igammac(a, x), q), "Q({a}, {x}) = {} not {q}", igammac(a, x));
        }
    }

    #[test]
    fn single_precision_has_its_digits_everywhere() {
        for a in (0..60).map(|i| 1e-3 * 1.41f64.powi(i)) {
            for x in (0..80).map(|i| 1e-3 * 1.31f64.powi(i)).chain([0.9 * a, a, 1.01 * a, a + 1.0, a + 1.5]) {
                for (single, double) in [
                    (one_by_one::<Single<false>, 2>([a, x]), igamma(a, x)),
                    (one_by_one::<Single<true>, 2>([a, x]), igammac(a, x)),
                ] {
                    let agree = (single - double).abs() <= 8e-9 * double + f64::from(f32::MIN_POSITIVE);
                    assert!(agree, "{single} not {double} for ({a}, {x})");
                }
            }
        }
    }

    #[test]
    fn borders_and_faults() {
        let inf = f64::INFINITY;
        for (a, x, p, q) in [(1.0, 0.0, 0.0, 1.0), (1.0, inf, 1.0, 0.0), (inf, 1.0, 0.0, 1.0), (inf, inf, 0.0, 0.0)] {
            assert_eq!((igamma(a, x), igammac(a, x)), (p, q));
        }
        for (a, x) in [(0.0, 1.0), (-1.0, 1.0), (1.0, -1.0), (f64::NAN, 1.0), (1.0, f64::NAN)] {
            assert!(igamma(a, x).is_nan() && igammac(a, x).is_nan());
        }
        assert_eq!(igamma(0.0, 0.0), 0.0);
        for a in [1e-300, 1e12, 1e300] {
            for x in [1e-300, 1.0, 1e12, 1e300] {
                assert!((igamma(a, x) + igammac(a, x) - 1.0).abs() < 1e-15, "{a} {x}");
            }
        }
    }

    #[test]
    fn arguments_broadcast_at_any_number_of_threads() {
        let a: Vec<f32> = (1..=3000).map(|i| i as f32 * 0.01).collect();
        let a = Tensor::from_slice([3000, 1], &a).unwrap();
        let x = Tensor::from_slice([2], &[0.5f32, 20.0]).unwrap();
        let by = |n| run_args("Igamma", vec![Arg::One(a.clone()), Arg::One(x.clone())], &[], n).unwrap();
        assert_eq!(by(1).shapes[0].to_shape().unwrap(), [3000, 2].into());
        assert_eq!(by(1).values, by(4).values);
        assert_eq!(by(1).values[0].slice::<f32>().unwrap()[199], igamma(1.0, 20.0) as f32);
        assert!(run("Igammac", &[Tensor::zeros(ferroflow_tensor::DType::F32, [2]).unwrap(), a], &[]).is_ok());
    }
}
