//! `Element`: the types that matrices are made of; `Field`: those that the algorithms compute in; and the ways to fail.

use crate::Algorithms;
use crate::complex::norm;
use faer::traits::ComplexField;
use faer::{MatMut, MatRef};
use num_complex::{Complex, ComplexFloat};
use std::borrow::Cow;

/// float64 or complex128.
pub trait Field:
    ComplexField<Real = f64> + ComplexFloat<Real = f64> + Default + Send + Sync + std::fmt::Debug + 'static
{
    /// Returns the nearest element to a complex number; a real type drops the imaginary part.
    fn from_complex(x: Complex<f64>) -> Self;

    /// Returns the element as complex number.
    fn to_complex(self) -> Complex<f64>;

    /// Returns the element that is a real number.
    fn from_real(x: f64) -> Self {
        Self::from_complex(Complex::new(x, 0.0))
    }

    /// Returns the absolute value.
    fn magnitude(self) -> f64 {
        norm(self.to_complex())
    }

    /// Returns elements that are real numbers, as such; none of a complex type are.
    fn as_real(elements: &[Self]) -> Option<&[f64]> {
        let _ = elements;
        None
    }

    /// Returns `as_real` to write to.
    fn as_real_mut(elements: &mut [Self]) -> Option<&mut [f64]> {
        let _ = elements;
        None
    }
}

impl Field for f64 {
    fn from_complex(x: Complex<f64>) -> f64 {
        x.re
    }
    fn to_complex(self) -> Complex<f64> {
        Complex::new(self, 0.0)
    }
    fn magnitude(self) -> f64 {
        f64::abs(self)
    }
    fn as_real(elements: &[f64]) -> Option<&[f64]> {
        Some(elements)
    }
    fn as_real_mut(elements: &mut [f64]) -> Option<&mut [f64]> {
        Some(elements)
    }
}

impl Field for Complex<f64> {
    fn from_complex(x: Complex<f64>) -> Complex<f64> {
        x
    }
    fn to_complex(self) -> Complex<f64> {
        self
    }
}

/// float32, float64, complex64 or complex128. Single precision is computed in double, so that rounding happens once, at the
/// end, and so that the algorithms are there once.
pub trait Element: Copy + Default + Send + Sync + 'static {
    type Wide: Algorithms;

    /// The distance from 1 to the next number of this precision.
    const EPSILON: f64;

    /// Calls `f` with the inputs in double precision, and rounds what it writes to `outputs`. `scratch` may be used again.
    fn widened<R, const I: usize, const O: usize>(
        inputs: [&[Self]; I],
        outputs: [&mut [Self]; O],
        scratch: &mut Vec<Self::Wide>,
        f: impl FnOnce([&[Self::Wide]; I], [&mut [Self::Wide]; O]) -> R,
    ) -> R;
}

/// The type in which the algorithms for elements of a type compute.
pub type Wide<T> = <T as Element>::Wide;

macro_rules! double {
    ($($t:ty),*) => {$(
        impl Element for $t {
            type Wide = $t;
            const EPSILON: f64 = f64::EPSILON;

            fn widened<R, const I: usize, const O: usize>(
                inputs: [&[$t]; I],
                outputs: [&mut [$t]; O],
                _: &mut Vec<$t>,
                f: impl FnOnce([&[$t]; I], [&mut [$t]; O]) -> R,
            ) -> R {
                f(inputs, outputs)
            }
        }
    )*};
}
double!(f64, Complex<f64>);

macro_rules! single {
    ($($t:ty, $wide:ty, $epsilon:expr, $widen:expr, $narrow:expr;)*) => {$(
        impl Element for $t {
            type Wide = $wide;
            const EPSILON: f64 = $epsilon;

            fn widened<R, const I: usize, const O: usize>(
                inputs: [&[$t]; I],
                outputs: [&mut [$t]; O],
                scratch: &mut Vec<$wide>,
                f: impl FnOnce([&[$wide]; I], [&mut [$wide]; O]) -> R,
            ) -> R {
                scratch.clear();
                for input in inputs {
                    scratch.extend(input.iter().map(|&x| $widen(x)));
                }
                let read = scratch.len();
                scratch.resize(read + outputs.iter().map(|out| out.len()).sum::<usize>(), <$wide>::default());
                let (from, mut to) = scratch.split_at_mut(read);
                let mut from = &*from;
                let result = f(
                    inputs.map(|input| from.split_off(..input.len()).unwrap_or_default()),
                    outputs.each_ref().map(|out| to.split_off_mut(..out.len()).unwrap_or_default()),
                );
                let mut written = &scratch[read..];
                for out in outputs {
                    let wide = written.split_off(..out.len()).unwrap_or_default();
                    out.iter_mut().zip(wide).for_each(|(out, &x)| *out = $narrow(x));
                }
                result
            }
        }
    )*};
}
single! {
    half::f16, f64, half::f16::EPSILON.to_f64_const(), f64::from, half::f16::from_f64;
    f32, f64, f32::EPSILON as f64, f64::from, |x: f64| x as f32;
    Complex<f32>, Complex<f64>, f32::EPSILON as f64, |x: Complex<f32>| Complex::new(x.re.into(), x.im.into()),
        |x: Complex<f64>| Complex::new(x.re as f32, x.im as f32);
}

/// The reason why there is no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// A pivot is zero.
    Singular,
    /// A pivot of a Cholesky factorization is not positive.
    NotPositiveDefinite,
    /// An iteration ended without a result, as it does on elements that are not finite.
    NoConvergence,
}

/// Sizes of elements whose products and quotients are far from the ends of float64.
const MODERATE: std::ops::RangeInclusive<f64> = 1e-100..=1e100;

/// Returns a matrix divided by a power of two, and that power. The largest element is of moderate size then: algorithms
/// whose squares overflow or vanish otherwise compute with it. A matrix that is zero or not finite stays as it is.
pub(crate) fn scaled<T: Field>(a: &[T]) -> (Cow<'_, [T]>, f64) {
    let largest = a.iter().map(|x| x.magnitude()).fold(0.0, f64::max);
    if largest == 0.0 || !largest.is_finite() || MODERATE.contains(&largest) {
        return (Cow::Borrowed(a), 1.0);
    }
    // Without the digits behind the first one.
    let scale = f64::from_bits(largest.to_bits() & f64::INFINITY.to_bits()).max(f64::MIN_POSITIVE);
    (Cow::Owned(a.iter().map(|x| T::from_complex(x.to_complex().unscale(scale))).collect()), scale)
}

/// Multiplies elements by the power of two that `scaled` divided them by.
pub(crate) fn rescale<T: Field>(out: &mut [T], scale: f64) {
    if scale != 1.0 {
        out.iter_mut().for_each(|x| *x = T::from_complex(x.to_complex().scale(scale)));
    }
}

/// Returns true if the half of a square matrix below its diagonal, and the diagonal, hold finite numbers alone.
pub(crate) fn lower_is_finite<T: Field>(a: &[T], n: usize) -> bool {
    (0..n).all(|i| a[i * n..=i * n + i].iter().all(|x| x.magnitude().is_finite()))
}

/// Returns a row-major matrix.
pub(crate) fn view<T>(data: &[T], rows: usize, columns: usize) -> MatRef<'_, T> {
    MatRef::from_row_major_slice(data, rows, columns)
}

/// Returns `view` to write to.
pub(crate) fn view_mut<T>(data: &mut [T], rows: usize, columns: usize) -> MatMut<'_, T> {
    MatMut::from_row_major_slice_mut(data, rows, columns)
}
