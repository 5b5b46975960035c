//! Betainc: the regularized incomplete beta function.
//!
//! Source: the continued fraction of DLMF 8.17.22 by Lentz's method.

use super::incomplete_gamma::{DOUBLE, SINGLE, guarded, unit};
use super::saddle_point::beta_factor;
use ferroflow_graph::{Kernel, KernelContext, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::threads::try_for_chunks_mut;
use ferroflow_tensor::{DType, PartialShape, Result, Scalar, Tensor, ensure};
use num_traits::AsPrimitive;

/// Elements of one parallel block.
const BLOCK: usize = 256;
/// Steps of the fraction at most: enough for a and b up to 10^9.
const STEPS: u32 = 200_000;

/// Returns the function for x below the mean, where the fraction converges fast; NaN where it takes too many steps.
fn below_mean<const BITS: i32>(a: f64, b: f64, x: f64, y: f64) -> f64 {
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
        if (factor - 1.0).abs() <= 2.0 * unit(BITS) {
            return beta_factor(a, b, x, y) / a * h;
        }
    }
    f64::NAN
}

fn betainc<const BITS: i32>(a: f64, b: f64, x: f64) -> f64 {
    let is_shape = |v: f64| v > 0.0 && v.is_finite();
    if !(is_shape(a) && is_shape(b) && (0.0..=1.0).contains(&x)) {
        return f64::NAN;
    }
    if x == 0.0 || x == 1.0 {
        return x;
    }
    let y = 1.0 - x;
    if x < (a + 1.0) / (a + b + 2.0) { below_mean::<BITS>(a, b, x, y) } else { 1.0 - below_mean::<BITS>(b, a, y, x) }
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

fn compute<const BITS: i32, T: Scalar + AsPrimitive<f64>>(ctx: &mut KernelContext<'_>) -> Result<()>
where
    f64: AsPrimitive<T>,
{
    let arguments = [ctx.input(0)?, ctx.input(1)?, ctx.input(2)?];
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
    let values = [arguments[0].slice::<T>()?, arguments[1].slice::<T>()?, arguments[2].slice::<T>()?];
    let steps = arguments.map(|t| usize::from(t.rank() > 0));
    let mut out = Tensor::new(T::DTYPE, shape)?;
    try_for_chunks_mut(ctx.threads(), out.slice_mut::<T>()?, BLOCK, |start, block| {
        for (i, slot) in block.iter_mut().enumerate() {
            let at = |k: usize| values[k][(start + i) * steps[k]].as_();
            *slot = betainc::<BITS>(at(0), at(1), at(2)).as_();
        }
    })?;
    ctx.set_output(0, out);
    Ok(())
}

fn betainc_kernel(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    match init.input_type(0)? {
        DType::F32 => kernel(compute::<SINGLE, f32>),
        DType::F64 => kernel(compute::<DOUBLE, f64>),
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
    use super::{DOUBLE, SINGLE};
    use crate::testing::run;
    use ferroflow_tensor::Tensor;

    fn betainc(a: f64, b: f64, x: f64) -> f64 {
        super::betainc::<DOUBLE>(a, b, x)
    }

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
            let single = super::betainc::<SINGLE>(a, b, x);
            assert!((single - expected).abs() <= 4e-9 * expected + 4e-9, "{single} for ({a}, {b}, {x})");
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
