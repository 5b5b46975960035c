//! Laws of elementwise accuracy: how far each f32 function may be from the double-precision one, over the whole line.

#![allow(clippy::disallowed_methods, reason = "references of tests")]

use ferroflow_tensor::vector::{Binary, Operand, Unary, binary, unary, unary_in_place};
use std::collections::BTreeMap;

/// Returns the distance of `got` from `expected` in units of the last place of f32 at `expected`.
fn ulps(got: f32, expected: f64) -> f64 {
    if expected.is_nan() || got.is_nan() {
        return if expected.is_nan() && got.is_nan() { 0.0 } else { f64::INFINITY };
    }
    if got as f64 == expected || got == expected as f32 {
        return if got as f64 == expected { 0.0 } else { 0.5 };
    }
    if got.is_infinite() || expected.is_infinite() {
        return f64::INFINITY;
    }
    let exponent = (expected.abs().max(f32::MIN_POSITIVE as f64).log2().floor() as i32).max(-126);
    (got as f64 - expected).abs() / 2f64.powi(exponent - 23)
}

/// Returns every 1,021st float of the whole line (4.2 million), with the special ones.
fn line() -> Vec<f32> {
    let mut x: Vec<f32> = (0..=u32::MAX).step_by(1021).map(f32::from_bits).collect();
    x.extend([0.0, -0.0, 1.0, -1.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, f32::MAX, f32::MIN]);
    x.extend([f32::MIN_POSITIVE, -f32::MIN_POSITIVE, f32::from_bits(1), -f32::from_bits(1)]);
    for edge in [1.0f32, 0.5, 88.72284, 88.72283, -87.33655, -103.97208, -103.27893, 9.0, 16.0, 0.921875, 30_000.0] {
        for step in 0..50u32 {
            x.extend([f32::from_bits(edge.to_bits() + step), f32::from_bits(edge.to_bits() - step)]);
        }
    }
    x
}

fn worst(f: Unary, reference: fn(f64) -> f64) -> (f64, f32) {
    let x = line();
    let mut y = vec![0.0f32; x.len()];
    unary(f, &x, &mut y);
    let mut worst = (0.0, 0.0);
    for (x, y) in x.iter().zip(&y) {
        let expected = reference(*x as f64);
        let distance = ulps(*y, expected);
        if distance > worst.0 {
            worst = (distance, *x);
        }
        if expected == 0.0 && !x.is_nan() {
            assert_eq!(y.is_sign_negative(), expected.is_sign_negative(), "{f:?}({x:e}) has the wrong sign of zero");
        }
    }
    worst
}

/// A function, the same in double precision, and the units in the last place allowed between them.
type Row = (Unary, fn(f64) -> f64, f64);

fn sigmoid(x: f64) -> f64 {
    if x < 0.0 { x.exp() / (1.0 + x.exp()) } else { 1.0 / (1.0 + (-x).exp()) }
}

fn softplus(x: f64) -> f64 {
    x.max(0.0) + (-x.abs()).exp().ln_1p() + if x.is_nan() { x } else { 0.0 }
}

#[test]
fn f32_functions_stay_within_their_ulps() {
    let table: [Row; 27] = [
        (Unary::Exp, f64::exp, 1.0),
        (Unary::Expm1, f64::exp_m1, 1.6),
        (Unary::Log, f64::ln, 1.0),
        (Unary::Log1p, f64::ln_1p, 1.5),
        (Unary::Tanh, f64::tanh, 1.6),
        (Unary::Sigmoid, sigmoid, 1.5),
        (Unary::Softplus, softplus, 1.5),
        (Unary::Erf, libm::erf, 1.5),
        (Unary::Erfc, libm::erfc, 0.51),
        (Unary::Sin, f64::sin, 1.5),
        (Unary::Cos, f64::cos, 1.5),
        (Unary::Tan, f64::tan, 0.51),
        (Unary::Asin, f64::asin, 1.5),
        (Unary::Acos, f64::acos, 1.1),
        (Unary::Atan, f64::atan, 1.5),
        (Unary::Sinh, f64::sinh, 0.51),
        (Unary::Cosh, f64::cosh, 0.51),
        (Unary::Asinh, f64::asinh, 0.51),
        (Unary::Acosh, f64::acosh, 0.51),
        (Unary::Atanh, f64::atanh, 0.51),
        (Unary::Sqrt, f64::sqrt, 0.5),
        (Unary::Rsqrt, |x| 1.0 / x.sqrt(), 1.5),
        (Unary::Reciprocal, |x| 1.0 / x, 0.5),
        (Unary::Softsign, |x| if x.is_infinite() { f64::NAN } else { x / (x.abs() + 1.0) }, 1.5),
        (Unary::Lgamma, libm::lgamma, 0.51),
        (Unary::Elu, |x| if x < 0.0 { x.exp_m1() } else { x }, 1.0),
        (Unary::Rint, f64::round_ties_even, 0.0),
    ];
    let mut failed = Vec::new();
    for (f, reference, allowed) in table {
        let (distance, at) = worst(f, reference);
        println!("{f:?}: {distance:.3} ulp at {at:e}");
        if distance > allowed {
            failed.push(format!("{f:?}: {distance} ulp at {at:e}, more than {allowed}"));
        }
    }
    assert!(failed.is_empty(), "{failed:#?}");
}

#[test]
fn f64_functions_stay_within_their_ulps_of_the_golden_table() {
    let mut worst: BTreeMap<String, (f64, f64)> = BTreeMap::new();
    for line in include_str!("golden/f64_functions.txt").lines() {
        let fields: Vec<&str> = line.split(' ').collect();
        let f = Unary::ALL.into_iter().find(|f| format!("{f:?}") == fields[0]).unwrap();
        let x = f64::from_bits(u64::from_str_radix(fields[1], 16).unwrap());
        let expected = f64::from_bits(u64::from_str_radix(fields[2], 16).unwrap());
        let mut got = [x];
        unary_in_place(f, &mut got);
        let ulp = f64::from_bits(expected.abs().to_bits() + 1) - expected.abs();
        let mut distance = (got[0] - expected).abs() / ulp;
        // Near its zeros the logarithm of the gamma function is only as good as its argument.
        if matches!(f, Unary::Lgamma | Unary::Digamma) && expected.abs() < 1.0 {
            distance = (got[0] - expected).abs() / f64::EPSILON;
        }
        assert!(!distance.is_nan(), "{f:?}({x:e}) is {}", got[0]);
        let entry = worst.entry(format!("{f:?}")).or_default();
        if distance > entry.0 {
            *entry = (distance, x);
        }
    }
    for (f, (distance, x)) in &worst {
        println!("{f}: {distance} ulp at {x:e}");
    }
    for (f, (distance, x)) in worst {
        let allowed = match f.as_str() {
            "Lgamma" | "Digamma" => 4.0,
            _ => 1.0,
        };
        assert!(distance <= allowed, "{f}: {distance} ulp at {x:e}, more than {allowed}");
    }
}

#[test]
fn f32_powers_are_rounded_from_double_precision_with_the_special_cases_of_c() {
    let mut points = vec![0.0f32, -0.0, 1.0, -1.0, 2.0, -2.0, 0.5, -0.5, 3.0, -3.0, 1e30, -1e30, 1e-40, 7.25, -7.25];
    points.extend([f32::INFINITY, f32::NEG_INFINITY, f32::NAN, f32::MAX, f32::MIN_POSITIVE, 16777215.0, 1.0000001]);
    points.extend((0..200).map(|i| (i as f32 - 100.0) * 0.37));
    for a in &points {
        for b in &points {
            let mut out = [0.0f32];
            binary(Binary::Pow, Operand::Slice(&[*a]), Operand::Slice(&[*b]), &mut out);
            let expected = libm::pow(*a as f64, *b as f64);
            assert!(ulps(out[0], expected) <= 1.5, "pow({a:e}, {b:e}) = {:e}, not {expected:e}", out[0]);
        }
        // One exponent for all has loops of its own, which give the same bits.
        for exponent in [2.0, 3.0, 2.5, -1.0] {
            let bases: Vec<f32> = (0..700).map(|i| a * (1.0 + i as f32 / 7.0)).collect();
            let (mut one, mut each) = (vec![0.0; 700], vec![0.0; 700]);
            let mut exponents = vec![exponent; 700];
            binary(Binary::Pow, Operand::Slice(&bases), Operand::Scalar(exponent), &mut one);
            exponents[511] = 0.5;
            exponents[699] = 0.5;
            binary(Binary::Pow, Operand::Slice(&bases), Operand::Slice(&exponents), &mut each);
            let bits = |x: &[f32]| x[..511].iter().chain(&x[512..699]).map(|v| v.to_bits()).collect::<Vec<_>>();
            assert_eq!(bits(&one), bits(&each), "{a:e} to the power of {exponent}");
        }
    }
}

#[test]
fn f32_angles_are_rounded_from_double_precision_with_the_special_cases_of_c() {
    let mut points = vec![0.0f32, -0.0, 1.0, -1.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, 1e-40, -3e38, 2.5];
    points.extend((0..200).map(|i| (i as f32 - 100.0) * 0.37));
    for y in &points {
        for x in &points {
            let mut out = [0.0f32];
            binary(Binary::Atan2, Operand::Slice(&[*y]), Operand::Slice(&[*x]), &mut out);
            let expected = libm::atan2(*y as f64, *x as f64);
            assert!(ulps(out[0], expected) <= 1.5, "atan2({y:e}, {x:e}) = {:e}, not {expected:e}", out[0]);
        }
    }
}
