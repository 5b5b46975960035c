//! Zeta and Polygamma: the Hurwitz zeta function and the derivatives of digamma.
//!
//! Source: Euler-Maclaurin summation, DLMF 25.11.43 (as in Cephes `zeta`).

use super::incomplete_gamma::{DOUBLE, SINGLE, kernel_with_formulas};
use super::lanes::{Formulas, LANES, Lanes, groups, groups_mut};
use ferroflow_graph::{Op, Registry, shape_rules};
use ferroflow_tensor::vector::scalar::{exp, log, pow};
use ferroflow_tensor::vector::{Unary, unary};

/// Terms that are added one by one in double precision.
const TERMS: usize = 12;
/// The same with the digits of float32.
const SINGLE_TERMS: usize = 4;

/// B(2k) / (2k)! of the Bernoulli numbers.
const BERNOULLI: [f64; 12] = [
    1.0 / 12.0,
    -1.0 / 720.0,
    1.0 / 30_240.0,
    -1.0 / 1_209_600.0,
    1.0 / 47_900_160.0,
    -691.0 / 1_307_674_368_000.0,
    1.0 / 74_724_249_600.0,
    -3617.0 / 10_670_622_842_880_000.0,
    43_867.0 / 5_109_094_217_170_944_000.0,
    -174_611.0 / 802_857_662_698_291_200_000.0,
    77_683.0 / 14_101_100_039_391_805_440_000.0,
    -236_364_091.0 / 1_693_824_136_731_743_669_452_800_000.0,
];

/// The largest exponent whose products round less than `pow`.
const WHOLE: f64 = 8.0;

/// Returns `base^-x`.
fn inverse_power(base: f64, x: f64) -> f64 {
    if x > WHOLE || x != x.trunc() {
        return pow(base, -x);
    }
    1.0 / (1..x as usize).fold(base, |power, _| power * base)
}

/// Returns the sum of `(q + k)^-x` for x > 1 and q > 0.
fn positive(x: f64, q: f64) -> f64 {
    if q.is_infinite() {
        return 0.0;
    }
    let (mut sum, mut at) = (0.0, q);
    for _ in 0..TERMS {
        let term = inverse_power(at, x);
        sum += term;
        if sum.is_infinite() || term <= 0.25 * sum * DOUBLE {
            return sum;
        }
        at += 1.0;
    }
    let power = inverse_power(at, x);
    let mut rest = power * (at / (x - 1.0) + 0.5);
    let mut factor = power * x / at;
    for (k, b) in BERNOULLI.iter().enumerate() {
        let term = factor * b;
        rest += term;
        if term.abs() <= 0.25 * (sum + rest) * DOUBLE {
            break;
        }
        let k = 2.0 * k as f64;
        factor *= (x + k + 1.0) / at * ((x + k + 2.0) / at);
    }
    sum + rest
}

fn zeta(x: f64, q: f64) -> f64 {
    if x == 1.0 && !q.is_nan() {
        return f64::INFINITY;
    }
    if x.is_nan() || q.is_nan() || x < 1.0 {
        return f64::NAN;
    }
    if q > 0.0 {
        return positive(x, q);
    }
    // TF 1.x: every pole is infinity, also where the two sides have different signs.
    if q == q.floor() || x.is_infinite() {
        return f64::INFINITY;
    }
    if x != x.floor() {
        return f64::NAN;
    }
    let is_even = x % 2.0 == 0.0;
    // The negative terms are those of a sum from their last one to -q; -q - floor(-q) is exact.
    let last = -q - (-q).floor();
    let negative = positive(x, last) - positive(x, 1.0 - q);
    positive(x, 1.0 - last) + if is_even { negative } else { -negative }
}

fn polygamma(n: f64, x: f64) -> f64 {
    if n == 0.0 {
        let mut y = [0.0];
        unary(Unary::Digamma, &[x], &mut y);
        return y[0];
    }
    if !(n > 0.0 && n == n.floor()) {
        return f64::NAN;
    }
    let magnitude = libm::tgamma(n + 1.0) * zeta(n + 1.0, x);
    if n % 2.0 == 0.0 { -magnitude } else { magnitude }
}

/// Returns the sums of `(q + k)^-x` with the digits of float32 for finite x > 1 and q > 0, without a branch.
#[inline(always)]
fn single_positive(x: &Lanes, q: &Lanes) -> Lanes {
    let mut powers = [[0.0; LANES]; SINGLE_TERMS + 1];
    for (k, powers) in powers.iter_mut().enumerate() {
        for ((power, x), q) in powers.iter_mut().zip(x).zip(q) {
            *power = exp(-x * log(q + k as f64));
        }
    }
    let mut sum = [0.0; LANES];
    for power in &powers[..SINGLE_TERMS] {
        sum.iter_mut().zip(power).for_each(|(sum, power)| *sum += power);
    }
    let (last, next) = (&powers[SINGLE_TERMS - 1], &powers[SINGLE_TERMS]);
    let (mut rest, mut inverse, mut factor) = ([0.0; LANES], [0.0; LANES], [0.0; LANES]);
    for i in 0..LANES {
        let at = q[i] + SINGLE_TERMS as f64;
        rest[i] = next[i] * (at / (x[i] - 1.0) + 0.5);
        inverse[i] = 1.0 / at;
        factor[i] = next[i] * x[i] * inverse[i];
    }
    for (k, b) in BERNOULLI.iter().enumerate() {
        let k = 2.0 * k as f64;
        for i in 0..LANES {
            let term = factor[i] * b;
            rest[i] += term;
            // The series diverges in the end: it stops at the first term that does not count.
            let counts = term.abs() > 0.25 * (sum[i] + rest[i]) * SINGLE;
            let following = factor[i] * ((x[i] + k + 1.0) * inverse[i] * ((x[i] + k + 2.0) * inverse[i]));
            factor[i] = if counts { following } else { 0.0 };
        }
        if factor == [0.0; LANES] {
            break;
        }
    }
    std::array::from_fn(|i| sum[i] + if last[i] > 0.25 * sum[i] * SINGLE { rest[i] } else { 0.0 })
}

/// Zeta with the digits of float32.
struct SingleZeta;

impl Formulas<2> for SingleZeta {
    const COUNT: usize = 1;

    #[inline(always)]
    fn choose([x, q]: [f64; 2]) -> usize {
        usize::from(!(x > 1.0 && x < f64::INFINITY && q > 0.0 && q < f64::INFINITY))
    }

    #[inline(always)]
    fn compute(_: usize, [x, q]: [&[f64]; 2], out: &mut [f64]) {
        for ((x, q), out) in groups(x).zip(groups(q)).zip(groups_mut(out)) {
            *out = single_positive(x, q);
        }
    }

    fn alone([x, q]: [f64; 2]) -> f64 {
        zeta(x, q)
    }
}

/// Polygamma with the digits of float32.
struct SinglePolygamma;

/// The largest whole number with a finite factorial.
const LARGEST_FACTORIAL: usize = 170;

/// `FACTORIALS[n]` is (-1)^(n + 1) n!.
const FACTORIALS: [f64; LARGEST_FACTORIAL + 1] = {
    let mut factorials = [-1.0; LARGEST_FACTORIAL + 1];
    let mut n = 1;
    while n <= LARGEST_FACTORIAL {
        factorials[n] = -factorials[n - 1] * n as f64;
        n += 1;
    }
    factorials
};

impl Formulas<2> for SinglePolygamma {
    const COUNT: usize = 1;

    #[inline(always)]
    fn choose([n, x]: [f64; 2]) -> usize {
        let is_order = n >= 1.0 && n <= LARGEST_FACTORIAL as f64 && n == n.trunc();
        usize::from(!(is_order && x > 0.0 && x < f64::INFINITY))
    }

    #[inline(always)]
    fn compute(_: usize, [n, x]: [&[f64]; 2], out: &mut [f64]) {
        for ((n, x), out) in groups(n).zip(groups(x)).zip(groups_mut(out)) {
            *out = single_positive(&n.map(|n| n + 1.0), x);
        }
        for (n, out) in n.iter().zip(out) {
            *out *= FACTORIALS[*n as usize];
        }
    }

    fn alone([n, x]: [f64; 2]) -> f64 {
        polygamma(n, x)
    }
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("Zeta")
            .input("x: T")
            .input("q: T")
            .output("z: T")
            .attr("T: {float, double}")
            .doc("Returns the sum of (q + k)^-x over k = 0, 1, 2 ...")
            .shape(shape_rules::broadcast_binary)
            .kernel(|init| kernel_with_formulas::<SingleZeta>(init, zeta)),
    );
    r.add(
        Op::new("Polygamma")
            .input("a: T")
            .input("x: T")
            .output("z: T")
            .attr("T: {float, double}")
            .doc("Returns the derivative of digamma of order `a`, a whole number, at x.")
            .shape(shape_rules::broadcast_binary)
            .kernel(|init| kernel_with_formulas::<SinglePolygamma>(init, polygamma)),
    );
}

#[cfg(test)]
mod tests {
    use super::super::lanes::one_by_one;
    use super::{SinglePolygamma, SingleZeta, polygamma, zeta};
    use crate::testing::run;
    use ferroflow_tensor::Tensor;

    /// (x, q, zeta) by mpmath with 60 digits.
    const ZETAS: [(f64, f64, f64); 17] = [
        (2.0, 1.0, 1.644_934_066_848_226_4),
        (1.5, 1.0, 2.612_375_348_685_488),
        (1.001, 1.0, 1_000.577_288_476_011_6),
        (3.0, 0.5, 8.414_398_322_117_16),
        (4.0, 10.0, 0.000_386_650_217_381_644_74),
        (2.0, 1000.0, 0.001_000_500_166_666_633_3),
        (2.5, 1_000_000.0, 6.666_671_666_668_75e-10),
        (10.0, 2.25, 0.000_308_932_353_926_745_1),
        (40.0, 3.0, 8.225_346_069_033_828e-20),
        (100.0, 0.75, 3_117_982_410_207.942),
        (1.1, 0.001, 2_005.845_048_561_170_2),
        (5.0, 20.5, 1.559_254_713_769_755_8e-6),
        (2.0, -0.5, 8.934_802_200_544_679),
        (3.0, -0.25, -61.348_683_391_831_18),
        (3.0, -2.25, -61.948_474_887_030_08),
        (4.0, -100.75, 259.757_575_769_549_36),
        (2.0, -1000.125, 67.392_875_027_605_75),
    ];
    /// (n, x, polygamma) by mpmath with 60 digits.
    const POLYGAMMAS: [(f64, f64, f64); 11] = [
        (1.0, 1.0, 1.644_934_066_848_226_4),
        (1.0, 0.25, 17.197_329_154_507_11),
        (2.0, 1.0, -2.404_113_806_319_188_5),
        (3.0, 7.5, 0.005_772_436_656_578_694),
        (5.0, 0.5, 7_691.113_548_602_436),
        (10.0, 2.0, -1_793.311_606_628_713),
        (20.0, 30.0, -4.786_085_204_571_764e-13),
        (1.0, 10_000.0, 0.000_100_005_000_166_666_66),
        (1.0, -0.25, 18.541_879_647_671_607),
        (2.0, -0.375, 29.057_344_543_766_245),
        (3.0, -4.25, 1_558.527_193_402_683),
    ];

    #[test]
    fn agree_with_sixty_digit_arithmetic() {
        for (x, q, expected) in ZETAS {
            assert!((zeta(x, q) / expected - 1.0).abs() < 4e-15, "zeta({x}, {q}) = {} not {expected}", zeta(x, q));
        }
        for (n, x, expected) in POLYGAMMAS {
            assert!(
                (polygamma(n, x) / expected - 1.0).abs() < 8e-15,
                "psi({n}, {x}) = {} not {expected}",
                polygamma(n, x)
            );
        }
    }

    #[test]
    fn single_precision_has_its_digits_everywhere() {
        for x in [1.000_001, 1.1, 1.5, 2.0, 3.0, 4.5, 7.0, 10.0, 15.5, 20.0, 33.0, 60.0, 130.0] {
            for q in (0..400).map(|i| 1e-3 * 1.05f64.powi(i)) {
                let mut pairs = vec![("zeta", one_by_one::<SingleZeta, 2>([x, q]), zeta(x, q))];
                if x == x.trunc() {
                    pairs.push(("psi", one_by_one::<SinglePolygamma, 2>([x, q]), polygamma(x, q)));
                }
                for (name, single, double) in pairs {
                    let least = f64::from(f32::MIN_POSITIVE);
                    let agree = single == double || (single - double).abs() < 4e-9 * double.abs() + least;
                    assert!(agree, "{name}({x}, {q}) = {single} not {double}");
                }
            }
        }
    }

    #[test]
    fn poles_and_faults() {
        let inf = f64::INFINITY;
        for (x, q, expected) in [
            (1.0, 1.0, inf),
            (1.0, -1.0, inf),
            (2.0, 0.0, inf),
            (2.0, -1.0, inf),
            (3.0, 0.0, inf),
            (3.0, -0.0, inf),
            (3.0, -1.0, inf),
            (2.5, -1.0, inf),
            (inf, -0.5, inf),
            (inf, -1.5, inf),
            (inf, 2.0, 0.0),
            (inf, 1.0, 1.0),
            (inf, 0.5, inf),
            (2.0, inf, 0.0),
        ] {
            assert_eq!(zeta(x, q), expected, "zeta({x}, {q})");
        }
        for (x, q) in [(0.5, 1.0), (2.5, -0.5), (f64::NAN, 1.0), (2.0, f64::NAN)] {
            assert!(zeta(x, q).is_nan(), "zeta({x}, {q})");
        }
        assert_eq!(polygamma(1.0, -1.0), inf);
        assert_eq!(polygamma(2.0, 0.0), -inf);
        assert_eq!(polygamma(2.0, -1.0), -inf);
        assert_eq!(polygamma(0.0, 0.0), inf);
        for (n, x) in [(1.5, 1.0), (-1.0, 1.0), (f64::NAN, 1.0)] {
            assert!(polygamma(n, x).is_nan(), "psi({n}, {x})");
        }
    }

    #[test]
    fn single_precision_is_the_rounded_double() {
        let z = run("Zeta", &[Tensor::scalar(2.0f32), Tensor::scalar(1.0f32)], &[]).unwrap();
        assert_eq!(z[0].to_scalar::<f32>().unwrap(), (std::f64::consts::PI.powi(2) / 6.0) as f32);
        let z = run("Polygamma", &[Tensor::scalar(1.0f32), Tensor::scalar(1.0f32)], &[]).unwrap();
        assert_eq!(z[0].to_scalar::<f32>().unwrap(), (std::f64::consts::PI.powi(2) / 6.0) as f32);
    }
}
