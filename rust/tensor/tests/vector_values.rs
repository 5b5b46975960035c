//! Special values and formulas as TensorFlow has them: tables of (input, expected).

#![allow(clippy::disallowed_methods, reason = "references of tests")]

use ferroflow_tensor::vector::*;
use half::{bf16, f16};
use num_complex::Complex;

const INF: f32 = f32::INFINITY;
const NAN: f32 = f32::NAN;

/// Arguments and the value expected.
type Rows = &'static [(f32, f32, f32)];
type Plain = fn(i32, i32) -> i32;

fn one<T: Element>(f: Unary, x: T) -> T {
    let mut out = [x];
    unary_in_place(f, &mut out);
    out[0]
}

fn two<T: Element>(f: Binary, a: T, b: T) -> T {
    let mut out = [T::default()];
    binary(f, Operand::Slice(&[a]), Operand::Slice(&[b]), &mut out);
    out[0]
}

/// Compares bits, any NaN being equal to any other.
fn same(a: f32, b: f32) -> bool {
    a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
}

#[test]
fn special_values_of_f32_functions() {
    let table: [(Unary, &[(f32, f32)]); 25] = [
        (Unary::Exp, &[(NAN, NAN), (INF, INF), (-INF, 0.0), (0.0, 1.0), (-0.0, 1.0), (89.0, INF), (-104.0, 0.0)]),
        (Unary::Expm1, &[(NAN, NAN), (INF, INF), (-INF, -1.0), (-0.0, -0.0), (89.0, INF), (1e-40, 1e-40)]),
        (Unary::Log, &[(NAN, NAN), (INF, INF), (-INF, NAN), (0.0, -INF), (-0.0, -INF), (-1.0, NAN), (1.0, 0.0)]),
        (Unary::Log1p, &[(NAN, NAN), (INF, INF), (-1.0, -INF), (-1.5, NAN), (-0.0, -0.0), (-1e-40, -1e-40)]),
        (Unary::Tanh, &[(NAN, NAN), (INF, 1.0), (-INF, -1.0), (-0.0, -0.0), (1e-40, 1e-40), (9.5, 1.0)]),
        (Unary::Sigmoid, &[(NAN, NAN), (INF, 1.0), (-INF, 0.0), (0.0, 0.5), (-200.0, 0.0), (200.0, 1.0)]),
        (Unary::Softplus, &[(NAN, NAN), (INF, INF), (-INF, 0.0), (50.0, 50.0), (-200.0, 0.0)]),
        (Unary::Erf, &[(NAN, NAN), (INF, 1.0), (-INF, -1.0), (-0.0, -0.0)]),
        (Unary::Erfc, &[(NAN, NAN), (INF, 0.0), (-INF, 2.0), (0.0, 1.0)]),
        (Unary::Sin, &[(NAN, NAN), (INF, NAN), (-INF, NAN), (-0.0, -0.0), (1e-40, 1e-40)]),
        (Unary::Cos, &[(NAN, NAN), (INF, NAN), (0.0, 1.0)]),
        (Unary::Asin, &[(NAN, NAN), (1.5, NAN), (-0.0, -0.0), (1.0, std::f32::consts::FRAC_PI_2)]),
        (Unary::Acos, &[(NAN, NAN), (-1.5, NAN), (1.0, 0.0), (-1.0, std::f32::consts::PI)]),
        (Unary::Atanh, &[(1.0, INF), (-1.0, -INF), (1.5, NAN), (INF, NAN), (-0.0, -0.0)]),
        (Unary::Acosh, &[(1.0, 0.0), (0.5, NAN), (-5.0, NAN), (INF, INF), (-INF, NAN)]),
        (Unary::Asinh, &[(INF, INF), (-INF, -INF), (-0.0, -0.0)]),
        (Unary::Sign, &[(NAN, 0.0), (-0.0, 0.0), (-INF, -1.0), (1e-40, 1.0)]),
        (Unary::Relu, &[(NAN, NAN), (-0.0, -0.0), (-1.0, 0.0), (INF, INF)]),
        (Unary::Relu6, &[(NAN, NAN), (7.0, 6.0), (-1.0, 0.0), (INF, 6.0)]),
        (Unary::Elu, &[(NAN, NAN), (-INF, -1.0), (2.0, 2.0)]),
        (Unary::Rsqrt, &[(0.0, INF), (-0.0, -INF), (-1.0, NAN), (INF, 0.0)]),
        (Unary::Round, &[(0.5, 0.0), (1.5, 2.0), (2.5, 2.0), (-0.5, 0.0), (-0.0, -0.0), (-1.5, -2.0), (NAN, NAN)]),
        (Unary::Rint, &[(0.5, 0.0), (-0.5, -0.0), (-0.0, -0.0), (-1.5, -2.0), (NAN, NAN)]),
        (Unary::Lgamma, &[(0.0, INF), (-1.0, INF), (1.0, 0.0), (INF, INF), (-INF, INF), (NAN, NAN)]),
        (Unary::Digamma, &[(0.0, INF), (-1.0, INF), (INF, INF), (-INF, INF), (NAN, NAN)]),
    ];
    for (f, rows) in table {
        for (x, expected) in rows {
            let got = one(f, *x);
            assert!(same(got, *expected), "{f:?}({x:e}) = {got:e}, not {expected:e}");
            let got = one(f, *x as f64) as f32;
            assert!(same(got, *expected) || *x == 1e-40, "f64 {f:?}({x:e}) = {got:e}, not {expected:e}");
        }
    }
}

#[test]
fn special_values_of_f32_functions_of_two() {
    let table: [(Binary, Rows); 18] = [
        (Binary::Maximum, &[(NAN, 1.0, NAN), (1.0, NAN, 1.0), (0.0, -0.0, 0.0), (-0.0, 0.0, -0.0), (1.0, 2.0, 2.0)]),
        (Binary::Minimum, &[(NAN, 1.0, NAN), (1.0, NAN, 1.0), (1.0, 2.0, 1.0), (2.0, 1.0, 1.0)]),
        (Binary::FloorMod, &[(-1.0, INF, INF), (1.0, INF, 1.0), (-0.0, 1.0, -0.0), (3.0, -3.0, 0.0), (1.0, 0.0, NAN)]),
        (Binary::FloorDiv, &[(-7.0, 2.0, -4.0), (7.0, -2.0, -4.0), (1.0, 0.0, INF), (-0.0, 1.0, -0.0)]),
        (Binary::TruncateDiv, &[(-7.0, 2.0, -3.5), (7.0, -2.0, -3.5)]),
        (Binary::TruncateMod, &[(-7.0, 2.0, -1.0), (7.0, -2.0, 1.0)]),
        (Binary::DivNoNan, &[(1.0, 0.0, 0.0), (NAN, 0.0, 0.0), (INF, -0.0, 0.0), (1.0, 2.0, 0.5)]),
        (Binary::Xlogy, &[(0.0, 0.0, 0.0), (0.0, NAN, 0.0), (0.0, INF, 0.0), (2.0, -1.0, NAN)]),
        (Binary::Xdivy, &[(0.0, 0.0, 0.0), (NAN, 0.0, NAN), (1.0, 2.0, 0.5)]),
        (Binary::MulNoNan, &[(NAN, 0.0, 0.0), (INF, 0.0, 0.0), (1.0, 2.0, 2.0)]),
        (
            Binary::NextAfter,
            &[(1.0, 1.0, 1.0), (INF, 0.0, f32::MAX), (0.0, -0.0, -0.0), (1.0, NAN, NAN), (NAN, 1.0, NAN)],
        ),
        (Binary::Pow, &[(0.0, 0.0, 1.0), (0.0, -1.0, INF), (-8.0, 1.0 / 3.0, NAN), (1.0, NAN, 1.0), (NAN, 0.0, 1.0)]),
        (Binary::ReluGrad, &[(1.0, NAN, 0.0), (1.0, 0.0, 0.0), (NAN, 0.0, NAN), (INF, 0.0, NAN), (2.0, 3.0, 2.0)]),
        (Binary::Relu6Grad, &[(1.0, 6.0, 0.0), (1.0, NAN, 0.0), (NAN, 7.0, NAN), (2.0, 3.0, 2.0)]),
        (Binary::EluGrad, &[(2.0, NAN, 2.0), (1.0, 0.0, 1.0), (2.0, -0.5, 1.0)]),
        (Binary::TanhGrad, &[(0.3, 0.1, 0.091), (0.7, 0.9, 0.459)]),
        (Binary::SeluGrad, &[(0.3, 0.1, 0.3152103), (0.7, -0.9, 0.6006695)]),
        (Binary::SigmoidGrad, &[(0.3, 0.1, 0.021), (0.7, 0.9, 0.18900001)]),
    ];
    for (f, rows) in table {
        for (a, b, expected) in rows {
            let got = two(f, *a, *b);
            assert!(
                same(got, *expected) || (got - expected).abs() <= 1e-7 * expected.abs(),
                "{f:?}({a:e}, {b:e}) = {got:e}, not {expected:e}"
            );
        }
    }
}

#[test]
fn gradients_of_f64_are_the_derivatives_of_their_functions() {
    let of_output = [
        (Unary::Tanh, Binary::TanhGrad),
        (Unary::Sigmoid, Binary::SigmoidGrad),
        (Unary::Sqrt, Binary::SqrtGrad),
        (Unary::Rsqrt, Binary::RsqrtGrad),
        (Unary::Reciprocal, Binary::ReciprocalGrad),
    ];
    let of_gradient = [
        (Unary::Relu, Binary::ReluGrad, false),
        (Unary::Relu6, Binary::Relu6Grad, false),
        (Unary::Elu, Binary::EluGrad, true),
        (Unary::Selu, Binary::SeluGrad, true),
        (Unary::Softplus, Binary::SoftplusGrad, false),
        (Unary::Softsign, Binary::SoftsignGrad, false),
    ];
    let step = 1e-6;
    for x in [-2.3, -0.4, 0.2, 0.7, 3.1, 7.5f64] {
        let slope = |f| (one(f, x + step) - one(f, x - step)) / (2.0 * step);
        for (f, gradient) in of_output {
            if x > 0.0 || matches!(f, Unary::Tanh | Unary::Sigmoid) {
                let got = two(gradient, one(f, x), 1.5);
                assert!((got - 1.5 * slope(f)).abs() < 1e-7, "{gradient:?} at {x}: {got}");
            }
        }
        for (f, gradient, takes_output) in of_gradient {
            let got = two(gradient, 1.5, if takes_output { one(f, x) } else { x });
            assert!((got - 1.5 * slope(f)).abs() < 1e-7, "{gradient:?} at {x}: {got}");
        }
    }
}

#[test]
fn integers_wrap_and_divide_as_python_or_c() {
    assert_eq!(two(Binary::Add, i32::MAX, 1), i32::MIN);
    assert_eq!(two(Binary::Mul, 200u8, 2), 144);
    assert_eq!(one(Unary::Abs, i8::MIN), i8::MIN);
    assert_eq!(one(Unary::Neg, i64::MIN), i64::MIN);
    for (a, b, floor_div, floor_mod, div, rem) in
        [(7, 2, 3, 1, 3, 1), (-7, 2, -4, 1, -3, -1), (7, -2, -4, -1, -3, 1), (-7, -2, 3, -1, 3, -1)]
    {
        assert_eq!(two::<i32>(Binary::FloorDiv, a, b), floor_div);
        assert_eq!(two::<i32>(Binary::FloorMod, a, b), floor_mod);
        assert_eq!(two::<i32>(Binary::TruncateDiv, a, b), div);
        assert_eq!(two::<i32>(Binary::Div, a, b), div);
        assert_eq!(two::<i32>(Binary::TruncateMod, a, b), rem);
    }
    for f in [Binary::FloorDiv, Binary::FloorMod, Binary::TruncateDiv, Binary::TruncateMod, Binary::Div] {
        two(f, i32::MIN, -1);
        two(f, i64::MIN, -1);
        assert_eq!(two(f, 5i32, 0), 0, "{f:?} by zero must not trap");
        assert_eq!(two(f, 5u64, 0), 0, "{f:?} by zero must not trap");
    }
    assert_eq!(two(Binary::Pow, -2i32, 3), -8);
    assert_eq!(two(Binary::Pow, 3i64, 40), 3i64.wrapping_pow(40));
    assert_eq!(two(Binary::Pow, 3u8, 7), 3u8.wrapping_pow(7));
    assert!(has_zero(&[1i32, 0, 2]) && !has_zero(&[1i32, 2]));
    assert!(has_negative(&[1i32, -1]) && !has_negative(&[1i32, 0]));
}

/// Checks quotients and remainders of vectors against those of i64. The least number divided by -1 wraps around.
fn divides<T: Element + PartialEq + std::fmt::Debug>(a: &[i64], b: &[i64], of: impl Fn(i64) -> T) {
    let floor = |a: i64, b: i64| a.div_euclid(b) - i64::from(b < 0 && a.rem_euclid(b) != 0);
    let expected = |f: Binary, a: i64, b: i64| match f {
        _ if b == 0 => 0,
        Binary::FloorDiv => floor(a, b),
        Binary::FloorMod => a - b * floor(a, b),
        Binary::TruncateMod => a % b,
        _ => a / b,
    };
    let [x, y] = [a, b].map(|values| values.iter().map(|&v| of(v)).collect::<Vec<T>>());
    for f in [Binary::FloorDiv, Binary::FloorMod, Binary::TruncateDiv, Binary::TruncateMod, Binary::Div] {
        let mut out = x.clone();
        binary(f, Operand::Slice(&x), Operand::Slice(&y), &mut out);
        for ((&a, &b), &q) in a.iter().zip(b).zip(&out) {
            assert_eq!(q, of(expected(f, a, b)), "{f:?} {a} {b}");
        }
    }
}

#[test]
fn integers_of_every_width_are_divided_exactly() {
    let pairs = |values: Vec<i64>| -> (Vec<i64>, Vec<i64>) {
        values.iter().flat_map(|&a| values.iter().map(move |&b| (a, b))).unzip()
    };
    let near = |bits: u32| {
        let powers = (0..=bits).flat_map(|n| (-3..=3).flat_map(move |d| [(1i64 << n) + d, -(1i64 << n) + d]));
        powers.chain((0..150).map(|i| (i * i * i * 7919) % (1 << bits))).collect::<Vec<_>>()
    };
    macro_rules! check {
        ($t:ty, $values:expr) => {
            let values: Vec<i64> = $values.into_iter().filter(|&v| <$t>::try_from(v).is_ok()).collect();
            let (a, b) = pairs(values);
            divides(&a, &b, |v| v as $t);
        };
    }
    check!(i8, -128..=127);
    check!(u8, 0..=255);
    check!(i16, near(15));
    check!(u16, near(16));
    check!(i32, near(31));
    check!(u32, near(32));
    check!(i64, near(40));
}

#[test]
fn comparisons_with_nan_hold_for_not_equal_alone() {
    for f in Compare::ALL {
        let mut out = [false; 2];
        compare(f, Operand::Slice(&[NAN, 1.0]), Operand::Slice(&[1.0, NAN]), &mut out);
        assert_eq!(out, [f == Compare::NotEqual; 2], "{f:?}");
        let mut out = [false; 3];
        compare(f, Operand::Slice(&[1, 2, 3]), Operand::Scalar(2), &mut out);
        let expected = match f {
            Compare::Equal => [false, true, false],
            Compare::NotEqual => [true, false, true],
            Compare::Less => [true, false, false],
            Compare::LessEqual => [true, true, false],
            Compare::Greater => [false, false, true],
            Compare::GreaterEqual => [false, true, true],
        };
        assert_eq!(out, expected, "{f:?}");
        compare(f, Operand::Scalar(2), Operand::Slice(&[3, 2, 1]), &mut out);
        assert_eq!(out, expected, "{f:?} with a scalar on the left");
    }
    assert!(!Compare::Less.supports::<Complex<f32>>() && Compare::Equal.supports::<bool>());
}

#[test]
fn masks_choose_as_booleans_do() {
    let numbers = [0.0, -0.0, 1.5, -1.5, f32::NAN, -f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MIN_POSITIVE];
    let of_masks = [
        (Compare::Equal, Binary::MaskEqual),
        (Compare::NotEqual, Binary::MaskNotEqual),
        (Compare::Less, Binary::MaskLess),
        (Compare::LessEqual, Binary::MaskLessEqual),
    ];
    for (a, b) in numbers.iter().flat_map(|a| numbers.map(|b| (*a, b))) {
        for (compared, masked) in of_masks {
            let mut holds = [false];
            compare(compared, Operand::Slice(&[a]), Operand::Slice(&[b]), &mut holds);
            let (narrow, wide) = (two(masked, a, b), two(masked, f64::from(a), f64::from(b)));
            for (mask, holds) in [(narrow, holds[0]), (one(Unary::MaskNot, narrow), !holds[0])] {
                let chosen = two(Binary::BitOr, two(Binary::BitAnd, mask, a), two(Binary::BitAndNot, mask, b));
                assert_eq!(chosen.to_bits(), if holds { a } else { b }.to_bits(), "{masked:?} of {a} and {b}");
                assert_eq!(one(Unary::MaskToOne, mask).to_bits(), f32::from(u8::from(holds)).to_bits());
            }
            assert_eq!(one(Unary::MaskToOne, wide).to_bits(), f64::from(u8::from(holds[0])).to_bits());
        }
    }
}

#[test]
fn a_complex_root_that_is_infinite_or_zero_has_tensorflows_reciprocal() {
    for (re, im) in [(0.5, INF), (0.5, -INF), (INF, 1.0), (-INF, 1.0), (INF, INF), (-INF, -INF), (INF, -2.0)] {
        let double = Complex::new(f64::from(re), f64::from(im));
        assert_eq!(one(Unary::Rsqrt, Complex::new(re, im)), Complex::new(0.0, 0.0), "{re}+{im}i");
        assert_eq!(one(Unary::Rsqrt, double), Complex::new(0.0, 0.0), "{re}+{im}i");
    }
    let infinite = one(Unary::Rsqrt, Complex::new(0.0, 0.0));
    assert!(infinite.re == INF && infinite.im.is_nan(), "{infinite}");
}

#[test]
fn complex_functions_agree_with_tensorflow() {
    let z = [Complex::new(0.3, 1.0), Complex::new(-2.0, -0.5)];
    let table: [(Unary, [(f64, f64); 2]); 8] = [
        (Unary::Expm1, [(-0.27066817, 1.13586702), (-0.88123212, -0.06488319)]),
        (Unary::Log1p, [(0.4947706, 0.65569563), (0.11157178, -2.67794504)]),
        (Unary::Sigmoid, [(0.59602436, 0.26534098), (0.10915585, -0.0516647)]),
        (Unary::Tanh, [(0.8275554, 1.18195204), (-0.97994085, -0.03021599)]),
        (Unary::Rsqrt, [(0.78519286, -0.58420755), (0.08509705, 0.6912523)]),
        (Unary::Atan, [(0.85984314, 0.95412264), (-1.12655644, -0.09641562)]),
        (Unary::Acosh, [(0.89736722, 1.35949425), (1.3618009, -2.8638384)]),
        (Unary::Asin, [(0.21130208, 0.89736722), (-1.29304207, -1.3618009)]),
    ];
    for (f, expected) in table {
        for (z, (re, im)) in z.into_iter().zip(expected) {
            let got = one(f, z);
            assert!((got - Complex::new(re, im)).norm() < 1e-7, "{f:?}({z}) = {got}, not {re}+{im}i");
        }
    }
    let (y, dy) = (Complex::new(0.3f32, 1.0), Complex::new(0.1f32, 2.0));
    for (f, re, im) in [
        (Binary::SigmoidGrad, -0.679, 2.46),
        (Binary::RsqrtGrad, 0.77365, 0.8365),
        (Binary::SqrtGrad, -0.9036697, 0.32110092),
        (Binary::ReciprocalGrad, -1.109, 1.88),
        (Binary::TanhGrad, 1.391, 3.76),
    ] {
        let got = two(f, y, dy);
        assert!((got - Complex::new(re, im)).norm() < 1e-6, "{f:?} = {got}");
    }
    assert_eq!(
        two(Binary::SquaredDifference, Complex::new(1.0f32, 2.0), Complex::new(0.0, 3.0)),
        Complex::new(2.0, 0.0)
    );
}

#[test]
fn complex_functions_agree_with_another_implementation() {
    type Other = fn(Complex<f64>) -> Complex<f64>;
    let table: [(Unary, Other); 18] = [
        (Unary::Sqrt, |z| z.sqrt()),
        (Unary::Exp, |z| z.exp()),
        (Unary::Log, |z| z.ln()),
        (Unary::Sin, |z| z.sin()),
        (Unary::Cos, |z| z.cos()),
        (Unary::Tan, |z| z.tan()),
        (Unary::Sinh, |z| z.sinh()),
        (Unary::Cosh, |z| z.cosh()),
        (Unary::Tanh, |z| z.tanh()),
        (Unary::Asin, |z| z.asin()),
        (Unary::Acos, |z| z.acos()),
        (Unary::Atan, |z| z.atan()),
        (Unary::Asinh, |z| z.asinh()),
        (Unary::Acosh, |z| z.acosh()),
        (Unary::Atanh, |z| z.atanh()),
        (Unary::Expm1, |z| z.exp() - 1.0),
        (Unary::Log1p, |z| (z + 1.0).ln()),
        (Unary::Sign, |z| z / z.norm()),
    ];
    for i in 0..20 {
        for j in 0..20 {
            let z = Complex::new(i as f64 * 0.31 - 3.0, j as f64 * 0.29 - 2.8);
            for (f, other) in table {
                let (got, expected) = (one(f, z), other(z));
                assert!(
                    (got - expected).norm() <= 1e-12 * (1.0 + expected.norm()),
                    "{f:?}({z}) = {got}, not {expected}"
                );
                let single = Complex::new(z.re as f32, z.im as f32);
                let (got, expected) = (one(f, single), other(Complex::new(single.re.into(), single.im.into())));
                let got = Complex::new(got.re as f64, got.im as f64);
                assert!(
                    (got - expected).norm() <= 2e-7 * (1.0 + expected.norm()),
                    "f32 {f:?}({z}) = {got}, not {expected}"
                );
            }
            let (b, expected) = (Complex::new(0.7, -1.1), z.powc(Complex::new(0.7, -1.1)));
            assert!(
                (two(Binary::Pow, z, b) - expected).norm() <= 1e-12 * (1.0 + expected.norm()),
                "{z} to the power {b}"
            );
        }
    }
    assert_eq!(two(Binary::Pow, Complex::new(0.0, 0.0), Complex::new(2.0, 0.0)), Complex::new(0.0, 0.0));
    assert_eq!(one(Unary::Tanh, Complex::new(400.0, 1.0)).re, 1.0);
    assert_eq!(one(Unary::Log1p, Complex::new(1e200, 1.0)).re, 1e200f64.ln());
}

#[test]
fn sixteen_bit_floats_round_once_from_f32() {
    for bits in 0..=u16::MAX {
        let (h, b) = (f16::from_bits(bits), bf16::from_bits(bits));
        let (mut wide_h, mut wide_b) = ([0.0f32], [0.0f32]);
        cast(&[h], &mut wide_h);
        cast(&[b], &mut wide_b);
        assert!(same(wide_h[0], h.to_f32()), "f16 {bits:#x}");
        assert!(same(wide_b[0], b.to_f32()), "bf16 {bits:#x}");
        if !h.is_nan() {
            assert_eq!(one(Unary::Tanh, h), f16::from_f32(one(Unary::Tanh, h.to_f32())));
        }
    }
    for x in
        (0..=u32::MAX).step_by(997).map(f32::from_bits).chain([65519.0, 65520.0, -65520.0, 5.9604645e-8, 2.9802322e-8])
    {
        let (mut h, mut b) = ([f16::ZERO], [bf16::ZERO]);
        cast(&[x], &mut h);
        cast(&[x], &mut b);
        let (want_h, want_b) = (f16::from_f32(x), bf16::from_f32(x));
        assert!(h[0].to_bits() == want_h.to_bits() || (h[0].is_nan() && want_h.is_nan()), "f16 of {x:e}");
        assert!(b[0].to_bits() == want_b.to_bits() || (b[0].is_nan() && want_b.is_nan()), "bf16 of {x:e}");
    }
}

#[test]
fn floats_become_the_low_bits_of_wider_integers_in_small_types_and_in_others_what_an_x86_processor_gives() {
    let mut x: Vec<f64> = vec![0.0, -0.0, -0.5, 0.99, 127.0, 127.5, 128.0, -128.9, -129.0, 255.5, 256.0, 300.7, -1.5];
    x.extend([32767.9, 65535.9, 65536.0, 2147483647.5, 2147483648.0, -2147483648.9, -2147483649.0, 4294967295.9]);
    x.extend([4294967296.0, 9.2e18, 9.3e18, -9.3e18, 1.8e19, 1.9e19, 1e300, -1e300, f64::INFINITY, f64::NEG_INFINITY]);
    x.push(f64::NAN);
    let single: Vec<f32> = x.iter().map(|v| *v as f32).collect();
    macro_rules! check {
        ($wide:ident: $($t:ident),*) => {$(
            let low_bits = |v: f64| {
                let least = $wide::MIN as f64;
                let wide = if (least..-least).contains(&v) { v as $wide } else { $wide::MIN };
                wide as $t
            };
            let mut out = vec![0 as $t; x.len()];
            cast(&x, &mut out);
            assert_eq!(out, x.iter().map(|v| low_bits(*v)).collect::<Vec<_>>(), "f64 to {}", stringify!($t));
            cast(&single, &mut out);
            assert_eq!(out, single.iter().map(|v| low_bits(f64::from(*v))).collect::<Vec<_>>(), "f32 to {}", stringify!($t));
        )*};
    }
    check!(i32: i8, i16, u8, u16);
    check!(i64: u32);

    // Within the type an integer is its float's integer part; all others become the least integer, NaN among them.
    macro_rules! check_signed {
        ($($t:ident),*) => {$(
            let mut out = vec![0 as $t; x.len()];
            cast(&x, &mut out);
            let least = $t::MIN as f64;
            let wanted = |v: &f64| if v.trunc() >= least && v.trunc() < -least { *v as $t } else { $t::MIN };
            assert_eq!(out, x.iter().map(wanted).collect::<Vec<_>>(), "f64 to {}", stringify!($t));
            cast(&single, &mut out);
            let wide: Vec<f64> = single.iter().map(|v| f64::from(*v)).collect();
            assert_eq!(out, wide.iter().map(wanted).collect::<Vec<_>>(), "f32 to {}", stringify!($t));
        )*};
    }
    check_signed!(i32, i64);
}

#[test]
fn casts_between_the_other_types_follow_tensorflow() {
    fn to<S: CastTo<D>, D: Copy + Default + 'static>(x: S) -> D {
        let mut out = [D::default()];
        cast(&[x], &mut out);
        out[0]
    }
    assert!(to::<_, bool>(NAN) && to::<_, bool>(0.5f32) && !to::<_, bool>(-0.0f32));
    assert!(!to::<_, bool>(Complex::new(0.0f32, 1.0)) && to::<_, bool>(Complex::new(2.0f32, 1.0)));
    assert_eq!(to::<_, f32>(Complex::new(2.0f64, 1.0)), 2.0);
    assert_eq!(to::<_, Complex<f64>>(3i32), Complex::new(3.0, 0.0));
    assert_eq!(to::<_, u8>(-1i32), 255);
    assert_eq!(to::<_, u8>(300i64), 44);
    assert_eq!(to::<_, i32>(true), 1);
    assert_eq!(to::<_, f16>(1e10f64), f16::INFINITY);
    // TF 1.x: double to half goes through float, and so rounds twice.
    assert_eq!(to::<_, f16>(1.0 + 2f64.powi(-11) + 2f64.powi(-40)), f16::ONE);
    assert_eq!(to::<_, i32>(f16::from_f32(-2.5)), -2);
}

#[test]
fn long_f32_sums_keep_their_digits() {
    let x: Vec<f32> = (0..10_000_000).map(|i| 0.1 + (i % 7) as f32 * 1e-3).collect();
    let exact: f64 = x.iter().map(|v| *v as f64).sum();
    let got = reduce_slice(Reduce::Sum, &x) as f64;
    assert!((got - exact).abs() / exact < 2e-7, "{got} against {exact}");
    let mut columns = [0.0f32; 10];
    reduce_rows_into(Reduce::Sum, &mut columns, &x);
    let exact: f64 = x.iter().step_by(10).map(|v| *v as f64).sum();
    assert!((columns[0] as f64 - exact).abs() / exact < 5e-7, "{} against {exact}", columns[0]);
    let half = vec![f16::from_f32(0.25); 4000];
    assert_eq!(reduce_slice(Reduce::Sum, &half), f16::from_f32(1000.0));
}

#[test]
fn reductions_of_small_integers_are_exact_and_match_a_plain_loop() {
    for (rows, columns) in [(1, 1), (3, 5), (130, 7), (257, 300), (1000, 2)] {
        let x: Vec<i32> = (0..rows * columns).map(|i| (i * 7919 % 1013) as i32 - 500).collect();
        let column = |f: Plain, start: i32| -> Vec<i32> {
            (0..columns).map(|j| (0..rows).fold(start, |a, i| f(a, x[i * columns + j]))).collect()
        };
        let table: [(Reduce, Plain, i32); 4] = [
            (Reduce::Sum, i32::wrapping_add, 5),
            (Reduce::Prod, i32::wrapping_mul, 1),
            (Reduce::Min, i32::min, -499),
            (Reduce::Max, i32::max, 100),
        ];
        for (f, plain, start) in table {
            let mut acc = vec![start; columns];
            reduce_rows_into(f, &mut acc, &x);
            assert_eq!(acc, column(plain, start), "{f:?} of {rows} rows of {columns}");
            let all = reduce_slice(f, &x);
            assert_eq!(all, x[1..].iter().fold(x[0], |a, v| plain(a, *v)), "{f:?} of {}", x.len());
        }
    }
}

#[test]
fn reductions_of_nothing_and_of_nan() {
    assert_eq!(reduce_slice::<f32>(Reduce::Sum, &[]), 0.0);
    assert_eq!(reduce_slice::<f32>(Reduce::Prod, &[]), 1.0);
    assert_eq!(reduce_slice::<f32>(Reduce::Min, &[]), INF);
    assert_eq!(reduce_slice::<i32>(Reduce::Max, &[]), i32::MIN);
    assert!(mean_slice::<f32>(&[]).is_nan());
    assert_eq!((mean_slice(&[-7, 0]), mean_slice(&[7, 0])), (-3, 3));
    for place in [0, 40, 99] {
        let mut x = vec![1.0f32; 100];
        x[place] = NAN;
        assert_eq!((reduce_slice(Reduce::Max, &x), reduce_slice(Reduce::Min, &x)), (1.0, 1.0));
    }
    assert_eq!((reduce_slice(Reduce::Max, &[NAN; 5]), reduce_slice(Reduce::Min, &[NAN; 5])), (-INF, INF));
    assert!(!Reduce::Max.supports::<Complex<f32>>());
}

#[test]
fn arg_extremes_take_the_first_and_pass_over_nan() {
    assert_eq!((arg_max(&[1, 3, 3, 2]), arg_min(&[2, 1, 1, 3])), (1, 1));
    assert_eq!((arg_max(&[NAN, 1.0]), arg_max(&[1.0, NAN, 2.0]), arg_max(&[NAN, NAN])), (1, 2, 0));
    assert_eq!((arg_min(&[NAN, 1.0, 0.5]), arg_max(&[-INF, -INF]), arg_max::<f32>(&[])), (2, 0, 0));
    for length in [31, 32, 33, 500] {
        for place in [0, length / 2, length - 1] {
            let mut x: Vec<f64> = (0..length).map(|i| (i % 17) as f64).collect();
            x[place] = 100.0;
            for isa in Isa::available() {
                assert_eq!(arg_max_with(isa, &x), place, "{length} on {isa:?}");
            }
        }
    }
}

#[test]
fn softmax_rows_match_double_precision() {
    const ROWS: usize = 37;
    for classes in [1usize, 2, 10, 16, 17, 32, 33, 100, 5000] {
        let x: Vec<f32> = (0..ROWS * classes).map(|i| (i * 31 % 97) as f32 * 0.3 - 12.0).collect();
        let labels: Vec<f32> = (0..ROWS * classes).map(|i| (i % 5) as f32 * 0.1).collect();
        let (mut soft, mut log_soft, mut backprops) = (x.clone(), x.clone(), x.clone());
        let (mut losses, mut sparse_losses, mut sparse_backprops) = ([0.0; ROWS], [0.0; ROWS], x.clone());
        let classes_of_rows = [classes as i64 / 2; ROWS];
        softmax_rows(&x, classes, &mut soft);
        log_softmax_rows(&x, classes, &mut log_soft);
        xent_rows(&x, &labels, &mut losses, &mut backprops);
        sparse_xent_rows(&x, &classes_of_rows, &mut sparse_losses, &mut sparse_backprops);
        for row in 0..ROWS {
            let part = row * classes..(row + 1) * classes;
            let logits = &x[part.clone()];
            let largest = logits.iter().fold(f32::MIN, |a, v| a.max(*v)) as f64;
            let sum: f64 = logits.iter().map(|v| (*v as f64 - largest).exp()).sum();
            let mut loss = 0.0;
            let (got, backprop) = (losses[row], &backprops[part.clone()]);
            // Rows do not depend on their neighbours.
            let (mut alone, mut its_loss) = (vec![0.0; classes], [0.0]);
            softmax_rows(logits, classes, &mut alone);
            assert_eq!(alone, soft[part.clone()]);
            xent_rows(logits, &labels[part.clone()], &mut its_loss, &mut alone);
            assert_eq!((its_loss[0], &alone[..]), (got, backprop));
            for (i, v) in logits.iter().enumerate() {
                let log = *v as f64 - largest - sum.ln();
                let label = labels[part.start + i] as f64;
                loss -= label * log;
                // The difference of two logits below 64 is rounded to 2^-19 at worst.
                assert!((soft[part.start + i] as f64 - log.exp()).abs() <= 3e-6 * log.exp());
                assert!((log_soft[part.start + i] as f64 - log).abs() <= 1e-6 * log.abs() + 1e-6);
                assert!((backprop[i] as f64 - (log.exp() - label)).abs() < 1e-6);
            }
            assert!((got as f64 - loss).abs() <= 1e-5 * loss.abs() + 1e-6, "{got} against {loss}");
            let (got, backprop) = (sparse_losses[row], &sparse_backprops[part.clone()]);
            let expected = largest + sum.ln() - logits[classes / 2] as f64;
            assert!((got as f64 - expected).abs() < 1e-5);
            assert!(backprop.iter().map(|v| *v as f64).sum::<f64>().abs() < 1e-5);
        }
    }
}

#[test]
fn softmax_at_the_edges() {
    let mut out = [0.0f32; 2];
    log_softmax_row(&[-INF, 1.0], &mut out);
    assert_eq!(out, [-INF, 0.0]);
    softmax_row(&[-INF, -INF], &mut out);
    assert!(out[0].is_nan() && out[1].is_nan());
    let mut loss = [0.0];
    xent_rows(&[1.0, -INF], &[1.0, 0.0], &mut loss, &mut out);
    assert!(loss[0].is_nan());
    assert_eq!(out, [0.0, 0.0]);
    xent_rows(&[1.0, -INF], &[0.0, 1.0], &mut loss, &mut out);
    assert_eq!(loss, [INF]);
    assert_eq!(out, [1.0, -1.0]);
    sparse_xent_rows(&[1.0, -INF], &[1], &mut loss, &mut out);
    assert_eq!(loss, [INF]);
    let mut out = [bf16::ZERO; 2];
    softmax_row(&[bf16::ONE, bf16::ONE], &mut out);
    assert_eq!(out, [bf16::from_f32(0.5); 2]);
    softmax_rows::<f32>(&[], 0, &mut []);
    softmax_rows::<f16>(&[], 0, &mut []);
}

#[test]
fn booleans() {
    let (a, b) = ([true, true, false, false], [true, false, true, false]);
    let mut out = [false; 4];
    logical(Logical::And, Operand::Slice(&a), Operand::Slice(&b), &mut out);
    assert_eq!(out, [true, false, false, false]);
    logical(Logical::Or, Operand::Slice(&a), Operand::Scalar(true), &mut out);
    assert_eq!(out, [true; 4]);
    logical_not(&a, &mut out);
    assert_eq!(out, [false, false, true, true]);
    let mut chosen = [0; 4];
    select(&b, &[1, 2, 3, 4], &[-1; 4], &mut chosen);
    assert_eq!(chosen, [1, -1, 3, -1]);
    let (x, y) = (Complex::new(-0.0, f32::NAN), Complex::new(f32::INFINITY, 1.5));
    let mut chosen = [Complex::default(); 4];
    select(&b, &[x; 4], &[y; 4], &mut chosen);
    assert_eq!(
        chosen.map(|z| (z.re.to_bits(), z.im.to_bits())),
        [x, y, x, y].map(|z| (z.re.to_bits(), z.im.to_bits()))
    );
    let mut chosen = [true; 4];
    select(&b, &a, &[false; 4], &mut chosen);
    assert_eq!(chosen, [true, false, false, false]);
    assert!(any(&a) && !all(&a) && !any(&[]) && all(&[]));
    let (mut some, mut every) = ([false, false], [true, true]);
    any_rows_into(&mut some, &[false, true, false, false]);
    all_rows_into(&mut every, &[true, true, true, false]);
    assert_eq!((some, every), ([false, true], [true, false]));
}
