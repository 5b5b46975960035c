//! The matrix exponential.

use crate::element::{Field, view, view_mut};
use faer::linalg::solvers::{PartialPivLu, Solve};
use faer::{Mat, Scale};

/// The coefficients of Padé approximants, and the largest 1-norm for which each is exact to double precision.
///
/// Source: Higham, The scaling and squaring method for the matrix exponential revisited, 2005, tables 2.3 and (2.3).
const PADE: [(f64, &[f64]); 5] = [
    (1.495_585_217_958_292e-2, &[120.0, 60.0, 12.0, 1.0]),
    (2.539_398_330_063_23e-1, &[30_240.0, 15_120.0, 3_360.0, 420.0, 30.0, 1.0]),
    (9.504_178_996_162_932e-1, &[17_297_280.0, 8_648_640.0, 1_995_840.0, 277_200.0, 25_200.0, 1_512.0, 56.0, 1.0]),
    (
        2.097_847_961_257_068,
        &[
            17_643_225_600.0,
            8_821_612_800.0,
            2_075_673_600.0,
            302_702_400.0,
            30_270_240.0,
            2_162_160.0,
            110_880.0,
            3_960.0,
            90.0,
            1.0,
        ],
    ),
    (
        5.371_920_351_148_152,
        &[
            64_764_752_532_480_000.0,
            32_382_376_266_240_000.0,
            7_771_770_303_897_600.0,
            1_187_353_796_428_800.0,
            129_060_195_264_000.0,
            10_559_470_521_600.0,
            670_442_572_800.0,
            33_522_128_640.0,
            1_323_241_920.0,
            40_840_800.0,
            960_960.0,
            16_380.0,
            182.0,
            1.0,
        ],
    ),
];

/// Computes exp(A) of an `n` by `n` matrix, by scaling and squaring a Padé approximant; NaN if an element is not
/// finite.
pub(crate) fn exponential<T: Field>(a: &[T], n: usize, out: &mut [T]) {
    if n == 0 {
        return;
    }
    let norm = (0..n).map(|j| (0..n).map(|i| a[i * n + j].magnitude()).sum::<f64>()).fold(0.0, f64::max);
    if !norm.is_finite() || a.iter().any(|x| x.magnitude().is_nan()) {
        out.fill(T::from_real(f64::NAN));
        return;
    }
    let largest = PADE[PADE.len() - 1];
    let (limit, coefficients) = PADE.into_iter().find(|(limit, _)| norm <= *limit).unwrap_or(largest);
    let squarings = if norm > limit { libm::log2(norm / limit).ceil() as i32 } else { 0 };
    let scale = T::from_real(0.5f64.powi(squarings));
    let a: Mat<T> = Scale(scale) * view(a, n, n);
    let square = &a * &a;
    // Odd and even powers by Horner's rule in A^2.
    let power_series = |parity: usize| {
        let mut sum: Mat<T> = Mat::zeros(n, n);
        for c in coefficients.iter().skip(parity).step_by(2).rev() {
            sum = &sum * &square;
            for i in 0..n {
                sum[(i, i)] += T::from_real(*c);
            }
        }
        sum
    };
    let (even, odd) = (power_series(0), &a * power_series(1));
    let mut result = PartialPivLu::new((&even - &odd).as_ref()).solve(&even + &odd);
    for _ in 0..squarings {
        result = &result * &result;
    }
    view_mut(out, n, n).copy_from(&result);
}
