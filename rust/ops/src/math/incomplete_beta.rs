//! Betainc: the regularized incomplete beta function.
//!
//! Source: the continued fraction of DLMF 8.17.22 by Lentz's method.

use super::incomplete_gamma::{DOUBLE, SINGLE, guarded};
use super::lanes::{BLOCK, Formulas, LANES, Lanes, groups, groups_mut, map_lanes};
use super::saddle_point::{beta_factor, single_beta_factor};
use ferroflow_graph::{Kernel, KernelContext, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::threads::try_for_chunks_mut;
use ferroflow_tensor::{DType, PartialShape, Result, Shape, Tensor, ensure};

/// Steps of the fraction at most: enough for a and b up to 10^9.
const STEPS: u32 = 200_000;

/// Returns the function for x below the mean, where the fraction converges fast; NaN where it takes too many steps.
fn below_mean(a: f64, b: f64, x: f64, y: f64) -> f64 {
    let n = a + b;
    let mut c = 1.0;
    let mut d = 1.0 / guarded(1.0 - n * x / (a + 1.0));
    let mut h = d;
    for m in 1..STEPS {
        let m = f64::from(m);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        d = 1.0 / guarded(1.0 + even * d);
        c = guarded(1.0 + even / c);
        h *= c * d;
        let odd = -(a + m) / (a + 2.0 * m) * ((n + m) / (a + 2.0 * m + 1.0)) * x;
        d = 1.0 / guarded(1.0 + odd * d);
        c = guarded(1.0 + odd / c);
        let factor = c * d;
        h *= factor;
        if (factor - 1.0).abs() <= 2.0 * DOUBLE {
            return beta_factor(a, b, x, y) / a * h;
        }
    }
    f64::NAN
}

fn betainc(a: f64, b: f64, x: f64) -> f64 {
    let is_shape = |v: f64| v > 0.0 && v.is_finite();
    if !(is_shape(a) && is_shape(b) && (0.0..=1.0).contains(&x)) {
        return f64::NAN;
    }
    if x == 0.0 || x == 1.0 {
        return x;
    }
    let y = 1.0 - x;
    if x < (a + 1.0) / (a + b + 2.0) { below_mean(a, b, x, y) } else { 1.0 - below_mean(b, a, y, x) }
}

/// Betainc with the digits of float32. Formula 0 is for x below the mean, 1 for x above it.
struct Single;

/// The largest parameters of the formulas: from here on the exponents of their powers cancel too many digits.
const MODERATE: f64 = 1e5;

/// Returns the fraction of `below_mean` for groups of elements.
#[inline(always)]
fn single_fraction(a: &Lanes, b: &Lanes, x: &Lanes, out: &mut Lanes) {
    let mut c = [1.0; LANES];
    let mut d: Lanes = std::array::from_fn(|i| 1.0 / guarded(1.0 - (a[i] + b[i]) * x[i] / (a[i] + 1.0)));
    let (mut h, mut change) = (d, [1.0; LANES]);
    for m in 1..STEPS {
        let m = f64::from(m);
        for i in 0..LANES {
            let (a, b, x) = (a[i], b[i], x[i]);
            let [before, at, after] = [a + 2.0 * m - 1.0, a + 2.0 * m, a + 2.0 * m + 1.0];
            let inverse = x / (before * at * after);
            let even = m * (b - m) * after * inverse;
            let odd = -(a + m) * (a + b + m) * before * inverse;
            let below = guarded(1.0 + even * d[i]);
            let inverse = 1.0 / (below * c[i]);
            d[i] = c[i] * inverse;
            c[i] = guarded(1.0 + even * below * inverse);
            let first = c[i] * d[i];
            let below = guarded(1.0 + odd * d[i]);
            let inverse = 1.0 / (below * c[i]);
            d[i] = c[i] * inverse;
            c[i] = guarded(1.0 + odd * below * inverse);
            let second = c[i] * d[i];
            let is_settled = change[i] <= 2.0 * SINGLE;
            h[i] *= if is_settled { 1.0 } else { first * second };
            change[i] = if is_settled { 0.0 } else { (second - 1.0).abs() };
        }
        if change.iter().all(|change| *change <= 2.0 * SINGLE) {
            break;
        }
    }
    *out = std::array::from_fn(|i| if change[i] <= 2.0 * SINGLE { h[i] } else { f64::NAN });
}

impl Formulas<3> for Single {
    const COUNT: usize = 2;

    #[inline(always)]
    fn choose([a, b, x]: [f64; 3]) -> usize {
        let is_moderate = |v: f64| v > 0.0 && v < MODERATE;
        if is_moderate(a) && is_moderate(b) && x > 0.0 && x < 1.0 {
            usize::from(x >= (a + 1.0) / (a + b + 2.0))
        } else {
            2
        }
    }

    #[inline(always)]
    fn compute(index: usize, [a, b, x]: [&[f64]; 3], out: &mut [f64]) {
        let (a, b) = if index == 0 { (a, b) } else { (b, a) };
        for (((a, b), x), out) in groups(a).zip(groups(b)).zip(groups(x)).zip(groups_mut(out)) {
            let x = if index == 0 { *x } else { x.map(|x| 1.0 - x) };
            single_fraction(a, b, &x, out);
        }
        for (((a, b), x), out) in a.iter().zip(b).zip(x).zip(out) {
            let (x, y) = if index == 0 { (*x, 1.0 - x) } else { (1.0 - x, *x) };
            let below = single_beta_factor(*a, *b, x, y) / a * *out;
            *out = if index == 0 { below } else { 1.0 - below };
        }
    }

    fn alone([a, b, x]: [f64; 3]) -> f64 {
        betainc(a, b, x)
    }
}

/// Sets the one shape of the arguments that are not scalars.
fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let (mut merged, mut scalars) = (PartialShape::unknown(), 0);
    for i in 0..3 {
        let s = c.input(i)?;
        match s.rank() {
            Some(0) => scalars += 1,
            // An argument of unknown rank may be a scalar.
            _ => merged = merged.merge(s)?,
        }
    }
    c.set_output(0, if scalars == 3 { PartialShape::scalar() } else { merged });
    Ok(())
}

/// Returns the shape of the result, and for each argument 1, or 0 for a scalar.
fn common_shape(arguments: [&Tensor; 3]) -> Result<(Shape, [usize; 3])> {
    for (i, j) in [(0, 1), (0, 2), (1, 2)] {
        let (s, t) = (arguments[i].shape(), arguments[j].shape());
        ensure!(
            s.rank() == 0 || t.rank() == 0 || s == t,
            InvalidArgument,
            "Shapes of {} and {} are inconsistent: {s} vs. {t}",
            ["a", "b", "x"][i],
            ["a", "b", "x"][j]
        );
    }
    let shape = arguments.iter().map(|t| t.shape()).max_by_key(|s| s.rank()).cloned().unwrap_or_default();
    Ok((shape, arguments.map(|t| usize::from(t.rank() > 0))))
}

fn compute_single(ctx: &mut KernelContext<'_>) -> Result<()> {
    let arguments = [ctx.input(0)?, ctx.input(1)?, ctx.input(2)?];
    let (shape, steps) = common_shape(arguments)?;
    let values = [arguments[0].slice::<f32>()?, arguments[1].slice::<f32>()?, arguments[2].slice::<f32>()?];
    let mut out = Tensor::new(DType::F32, shape)?;
    map_lanes::<Single, 3>(values, steps, ctx.threads(), out.slice_mut::<f32>()?)?;
    ctx.set_output(0, out);
    Ok(())
}

fn compute_double(ctx: &mut KernelContext<'_>) -> Result<()> {
    let arguments = [ctx.input(0)?, ctx.input(1)?, ctx.input(2)?];
    let (shape, steps) = common_shape(arguments)?;
    let values = [arguments[0].slice::<f64>()?, arguments[1].slice::<f64>()?, arguments[2].slice::<f64>()?];
    let mut out = Tensor::new(DType::F64, shape)?;
    try_for_chunks_mut(ctx.threads(), out.slice_mut::<f64>()?, BLOCK, |start, block| {
        for (i, slot) in block.iter_mut().enumerate() {
            let at = |k: usize| values[k][(start + i) * steps[k]];
            *slot = betainc(at(0), at(1), at(2));
        }
    })?;
    ctx.set_output(0, out);
    Ok(())
}

fn betainc_kernel(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    match init.input_type(0)? {
        DType::F32 => kernel(compute_single),
        DType::F64 => kernel(compute_double),
        _ => Err(init.unsupported()),
    }
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("Betainc")
            .input("a: T")
            .input("b: T")
            .input("x: T")
            .output("z: T")
            .attr("T: {float, double}")
            .doc(
                "Returns the integral of t^(a-1) (1-t)^(b-1) from 0 to x, over that from 0 to 1; all arguments have \
                 one shape or are scalars.",
            )
            .shape(shape)
            .kernel(betainc_kernel),
    );
}

#[cfg(test)]
mod tests {
    use super::super::lanes::one_by_one;
    use super::{Single, betainc};
    use crate::testing::run;
    use ferroflow_tensor::Tensor;

    /// (a, b, x, value) by mpmath with 60 digits.
    const GOLDEN: [(f64, f64, f64, f64); 17] = [
        (2.0, 3.0, 0.2, 0.180_800_000_000_000_02),
        (0.5, 0.5, 0.3, 0.369_010_119_565_545_36),
        (1.0, 1.0, 0.75, 0.75),
        (5.0, 1.0, 0.9, 0.590_490_000_000_000_1),
        (10.0, 20.0, 0.3, 0.364_004_081_071_944_2),
        (10.0, 20.0, 0.6, 0.998_477_777_826_912_9),
        (0.01, 2.0, 0.5, 0.998_057_957_914_221),
        (100.0, 150.0, 0.4, 0.503_435_610_298_540_3),
        (100.0, 150.0, 0.55, 0.999_999_028_065_852_8),
        (1000.0, 1000.0, 0.5, 0.5),
        (1000.0, 1000.0, 0.48, 0.036_779_483_278_639_57),
        (30_000.0, 50_000.0, 0.376, 0.720_604_128_600_230_7),
        (0.001, 0.001, 0.5, 0.5),
        (40.0, 0.5, 0.99, 0.371_386_023_253_984_45),
        (2.0, 3.0, 1e-10, 5.999_999_999_2e-20),
        (1.0, 5.0, 1e-20, 5e-20),
        (7.0, 2.0, 0.999_999, 0.999_999_999_972_000_1),
    ];

    #[test]
    fn agrees_with_sixty_digit_arithmetic() {
        for (a, b, x, expected) in GOLDEN {
            let got = betainc(a, b, x);
            // The condition of large powers: relative errors of x grow by a + b.
            let tolerance = 1e-14 * (1.0 + (a + b).sqrt());
            assert!((got - expected).abs() <= tolerance * expected + 2e-16, "I({a}, {b}, {x}) = {got} not {expected}");
            let single = one_by_one::<Single, 3>([a, b, x]);
            assert!((single - expected).abs() <= 4e-9 * expected + 4e-9, "{single} for ({a}, {b}, {x})");
        }
    }

    #[test]
    fn single_precision_has_its_digits_everywhere() {
        let parameters = || (0..24).map(|i| 1e-3 * 2.2f64.powi(i));
        for (a, b) in parameters().flat_map(|a| parameters().map(move |b| (a, b))) {
            for x in [1e-20, 1e-3, 0.2, 0.5, 0.77, 0.999, a / (a + b), 0.9 * a / (a + b)] {
                let (single, double) = (one_by_one::<Single, 3>([a, b, x]), betainc(a, b, x));
                assert!((single - double).abs() <= 8e-9 * double + 4e-9, "{single} not {double} for ({a}, {b}, {x})");
            }
        }
    }

    #[test]
    fn borders_and_faults() {
        assert_eq!([betainc(1.0, 1.0, 0.0), betainc(1.0, 1.0, 1.0)], [0.0, 1.0]);
        let inf = f64::INFINITY;
        for (a, b, x) in [
            (0.0, 1.0, 0.5),
            (1.0, 0.0, 0.5),
            (-1.0, 1.0, 0.5),
            (inf, 1.0, 0.5),
            (1.0, 1.0, -0.1),
            (1.0, 1.0, 1.1),
            (f64::NAN, 1.0, 0.5),
            (1.0, 1.0, f64::NAN),
        ] {
            assert!(betainc(a, b, x).is_nan());
        }
    }

    #[test]
    fn scalars_meet_every_element_of_the_others() {
        let x = Tensor::from_slice([2, 2], &[0.1f32, 0.25, 0.5, 1.0]).unwrap();
        let one = Tensor::scalar(1.0f32);
        let z = run("Betainc", &[one.clone(), one.clone(), x.clone()], &[]).unwrap();
        assert_eq!(z[0], x);
        let two = Tensor::from_slice([2], &[1.0f32; 2]).unwrap();
        assert!(run("Betainc", &[two, one, x], &[]).is_err());
    }
}
