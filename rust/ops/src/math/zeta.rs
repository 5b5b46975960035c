//! Zeta and Polygamma: the Hurwitz zeta function and the derivatives of digamma.
//!
//! Source: Euler-Maclaurin summation, DLMF 25.11.43 (as in Cephes `zeta`).

use super::incomplete_gamma::{DOUBLE, SINGLE, kernel_to_precision, unit};
use ferroflow_graph::{Op, Registry, shape_rules};
use ferroflow_tensor::vector::scalar::pow;
use ferroflow_tensor::vector::{Unary, unary};

/// Returns the number of terms that are added one by one.
const fn terms(bits: i32) -> usize {
    if bits <= SINGLE { 4 } else { 12 }
}

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

/// Returns the sum of `(q + k)^-x` for x > 1 and q > 0.
fn positive<const BITS: i32>(x: f64, q: f64) -> f64 {
    if q.is_infinite() {
        return 0.0;
    }
    let (mut sum, mut at) = (0.0, q);
    for _ in 0..terms(BITS) {
        let term = pow(at, -x);
        sum += term;
        if sum.is_infinite() || term <= 0.25 * sum * unit(BITS) {
            return sum;
        }
        at += 1.0;
    }
    let power = pow(at, -x);
    let mut rest = power * (at / (x - 1.0) + 0.5);
    let mut factor = power * x / at;
    for (k, b) in BERNOULLI.iter().enumerate() {
        let term = factor * b;
        rest += term;
        if term.abs() <= 0.25 * (sum + rest) * unit(BITS) {
            break;
        }
        let k = 2.0 * k as f64;
        factor *= (x + k + 1.0) / at * ((x + k + 2.0) / at);
    }
    sum + rest
}

fn zeta<const BITS: i32>(x: f64, q: f64) -> f64 {
    if x == 1.0 && !q.is_nan() {
        return f64::INFINITY;
    }
    if x.is_nan() || q.is_nan() || x < 1.0 {
        return f64::NAN;
    }
    if q > 0.0 {
        return positive::<BITS>(x, q);
    }
    let is_even = x % 2.0 == 0.0;
    if q == q.floor() {
        // A pole. Even powers have the same sign on both sides.
        return if is_even { f64::INFINITY } else { f64::NAN };
    }
    if x != x.floor() || x.is_infinite() {
        return f64::NAN;
    }
    // The negative terms are those of a sum from their last one to -q; -q - floor(-q) is exact.
    let last = -q - (-q).floor();
    let negative = positive::<BITS>(x, last) - positive::<BITS>(x, 1.0 - q);
    positive::<BITS>(x, 1.0 - last) + if is_even { negative } else { -negative }
}

fn polygamma<const BITS: i32>(n: f64, x: f64) -> f64 {
    if n == 0.0 {
        let mut y = [0.0];
        unary(Unary::Digamma, &[x], &mut y);
        return y[0];
    }
    if !(n > 0.0 && n == n.floor()) {
        return f64::NAN;
    }
    let magnitude = libm::tgamma(n + 1.0) * zeta::<BITS>(n + 1.0, x);
    if n % 2.0 == 0.0 { -magnitude } else { magnitude }
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
            .kernel(|init| kernel_to_precision(init, zeta::<SINGLE>, zeta::<DOUBLE>)),
    );
    r.add(
        Op::new("Polygamma")
            .input("a: T")
            .input("x: T")
            .output("z: T")
            .attr("T: {float, double}")
            .doc("Returns the derivative of digamma of order `a`, a whole number, at x.")
            .shape(shape_rules::broadcast_binary)
            .kernel(|init| kernel_to_precision(init, polygamma::<SINGLE>, polygamma::<DOUBLE>)),
    );
}

#[cfg(test)]
mod tests {
    use super::{DOUBLE, SINGLE};
    use crate::testing::run;
    use ferroflow_tensor::Tensor;

    fn zeta(x: f64, q: f64) -> f64 {
        super::zeta::<DOUBLE>(x, q)
    }

    fn polygamma(n: f64, x: f64) -> f64 {
        super::polygamma::<DOUBLE>(n, x)
    }

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
                let (single, double) = (super::zeta::<SINGLE>(x, q), zeta(x, q));
                let agree = single == double || (single - double).abs() < 4e-9 * double + f64::MIN_POSITIVE;
                assert!(agree, "zeta({x}, {q}) = {single} not {double}");
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
            (inf, 2.0, 0.0),
            (inf, 1.0, 1.0),
            (inf, 0.5, inf),
            (2.0, inf, 0.0),
        ] {
            assert_eq!(zeta(x, q), expected, "zeta({x}, {q})");
        }
        for (x, q) in [(0.5, 1.0), (3.0, 0.0), (3.0, -1.0), (2.5, -1.0), (2.5, -0.5), (f64::NAN, 1.0), (2.0, f64::NAN)]
        {
            assert!(zeta(x, q).is_nan(), "zeta({x}, {q})");
        }
        assert_eq!(polygamma(1.0, -1.0), inf);
        assert_eq!(polygamma(0.0, 0.0), inf);
        for (n, x) in [(1.5, 1.0), (-1.0, 1.0), (2.0, 0.0), (f64::NAN, 1.0)] {
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
