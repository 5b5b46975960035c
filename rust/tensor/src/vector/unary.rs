//! Functions of one element: which exist for which type, their formulas, and the loops that apply them to a slice.

use super::complex;
use super::element::Element;
use super::error_function::{erf_f32, erfc_f32};
use super::exp_log::*;
use super::gamma::{digamma_f32, digamma_f64, lgamma_f32};
use super::hyperbolic::*;
use super::isa::{Isa, for_each_isa};
use super::trig::*;
use crate::denormals::Flushed;
use num_complex::Complex;

/// A function of one element, named as its TensorFlow op. Masks have no op: they are comparisons of floats.
#[repr(u8)]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Unary {
    Identity,
    Neg,
    Abs,
    /// -1, 0 or 1; NaN for NaN; `z / |z|` for complex numbers.
    Sign,
    Square,
    Sqrt,
    /// `1 / sqrt(x)`, both steps correctly rounded.
    Rsqrt,
    Reciprocal,
    Exp,
    Expm1,
    Log,
    Log1p,
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Sinh,
    Cosh,
    Tanh,
    Asinh,
    Acosh,
    Atanh,
    Sigmoid,
    Relu,
    Relu6,
    Elu,
    Selu,
    Softplus,
    Softsign,
    Erf,
    Erfc,
    /// `ln |gamma(x)|`.
    Lgamma,
    Digamma,
    Floor,
    Ceil,
    /// To the nearest integer, half to even.
    Round,
    /// As `Round`, with the sign of x where the result is zero.
    Rint,
    /// The conjugate of a complex number.
    Conj,
    /// The opposite of a mask, which has all bits of an element or none.
    MaskNot,
    /// One where a mask has all bits, else zero.
    MaskToOne,
}

impl Unary {
    /// Every function, in declaration order.
    pub const ALL: [Unary; 42] = {
        use Unary::*;
        [
            Identity, Neg, Abs, Sign, Square, Sqrt, Rsqrt, Reciprocal, Exp, Expm1, Log, Log1p, Sin, Cos, Tan, Asin,
            Acos, Atan, Sinh, Cosh, Tanh, Asinh, Acosh, Atanh, Sigmoid, Relu, Relu6, Elu, Selu, Softplus, Softsign,
            Erf, Erfc, Lgamma, Digamma, Floor, Ceil, Round, Rint, Conj, MaskNot, MaskToOne,
        ]
    };

    /// Returns true if the function exists for elements of type `T`.
    pub fn supports<T: Element>(self) -> bool {
        T::supports_unary(self)
    }
}

/// Writes `f(x[i])` to `out[i]`.
///
/// Panics if the lengths differ or `f` does not support `T`: the caller has checked shapes and types before.
pub fn unary<T: Element>(f: Unary, x: &[T], out: &mut [T]) {
    unary_with(Isa::current(), f, x, out);
}

/// Replaces each `x[i]` by `f(x[i])`; panics if `f` does not support `T`.
pub fn unary_in_place<T: Element>(f: Unary, x: &mut [T]) {
    unary_in_place_with(Isa::current(), f, x);
}

/// Runs `unary` on a given instruction set.
pub fn unary_with<T: Element>(isa: Isa, f: Unary, x: &[T], out: &mut [T]) {
    assert_eq!(x.len(), out.len(), "{f:?}: input and output lengths differ");
    let done = T::unary_into(f, isa, x, out);
    assert!(done, "{f:?} does not exist for {}", std::any::type_name::<T>());
}

/// Runs `unary_in_place` on a given instruction set.
pub fn unary_in_place_with<T: Element>(isa: Isa, f: Unary, x: &mut [T]) {
    let done = T::unary_in_place(f, isa, x);
    assert!(done, "{f:?} does not exist for {}", std::any::type_name::<T>());
}

/// The formula of a function at one element.
pub(super) trait Formula<T> {
    fn of(x: T) -> T;
}

/// A formula good on most inputs and another for the rest, so that loops without such inputs vectorize.
pub(super) trait BoundedFormula<T>: Formula<T> {
    fn is_outside(x: T) -> bool;
    fn of_outside(x: T) -> T;
}

#[inline(always)]
fn map_in_place<T: Copy, F: Formula<T>>(x: &mut [T]) {
    for v in x {
        *v = F::of(*v);
    }
}

#[inline(always)]
fn map_into<T: Copy, F: Formula<T>>(x: &[T], out: &mut [T]) {
    for (o, v) in out.iter_mut().zip(x) {
        *o = F::of(*v);
    }
}

#[inline(always)]
fn map_bounded<T: Copy, F: BoundedFormula<T>>(x: &mut [T]) {
    for block in x.chunks_mut(128) {
        let mut outside = false;
        for v in block.iter() {
            outside |= F::is_outside(*v);
        }
        if outside {
            for v in block {
                *v = if F::is_outside(*v) { F::of_outside(*v) } else { F::of(*v) };
            }
        } else {
            for v in block {
                *v = F::of(*v);
            }
        }
    }
}

#[inline(always)]
fn map_one<T: Copy, F: Formula<T>>(x: T) -> T {
    F::of(x)
}

#[inline(always)]
fn map_one_bounded<T: Copy, F: BoundedFormula<T>>(x: T) -> T {
    if F::is_outside(x) { F::of_outside(x) } else { F::of(x) }
}

for_each_isa!(pick_one = map_one<T: Copy, F: Formula<T>>(x: T) -> T);
for_each_isa!(pick_one_bounded = map_one_bounded<T: Copy, F: BoundedFormula<T>>(x: T) -> T);
for_each_isa!(pick_in_place = map_in_place<T: Copy, F: Formula<T>>(x: &mut [T]));
for_each_isa!(pick_into = map_into<T: Copy, F: Formula<T>>(x: &[T], out: &mut [T]));
for_each_isa!(pick_bounded = map_bounded<T: Copy, F: BoundedFormula<T>>(x: &mut [T]));

type IntoLoop<T> = unsafe fn(&[T], &mut [T]);

/// The loops of one function for one element type and instruction set.
#[derive(Clone, Copy)]
pub(super) struct UnaryKernel<T> {
    /// One element without a loop, for scalar graphs.
    pub(super) one: unsafe fn(T) -> T,
    in_place: unsafe fn(&mut [T]),
    /// Present where a separate pass to copy the input would cost as much as the function.
    into: Option<IntoLoop<T>>,
    /// If true, a short rest is padded to a whole vector, because its elements cost more than the padding.
    pads: bool,
}

impl<T: Copy + Default> UnaryKernel<T> {
    /// Elements of one 512-bit vector.
    const LANES: usize = if size_of::<T>() <= 64 { 64 / size_of::<T>() } else { 1 };
    /// The longest rest that is cheaper one by one: padding costs two copies whose bytes the vector load waits for.
    const LONGEST_UNPADDED: usize = 8;
    /// Elements copied at a time before an in-place loop runs on them: 8 KiB of f32, well within L1.
    const BLOCK: usize = 2048;

    const fn light<F: Formula<T>>(isa: Isa) -> Self {
        UnaryKernel {
            one: pick_one::<T, F>(isa),
            in_place: pick_in_place::<T, F>(isa),
            into: Some(pick_into::<T, F>(isa)),
            pads: false,
        }
    }

    const fn heavy<F: Formula<T>>(isa: Isa) -> Self {
        UnaryKernel { one: pick_one::<T, F>(isa), in_place: pick_in_place::<T, F>(isa), into: None, pads: true }
    }

    /// Returns a formula that does not vectorize: one loop serves every instruction set.
    const fn scalar<F: Formula<T>>(_isa: Isa) -> Self {
        UnaryKernel { one: map_one::<T, F>, in_place: map_in_place::<T, F>, into: None, pads: false }
    }

    const fn bounded<F: BoundedFormula<T>>(isa: Isa) -> Self {
        UnaryKernel { one: pick_one_bounded::<T, F>(isa), in_place: pick_bounded::<T, F>(isa), into: None, pads: true }
    }

    #[inline]
    fn call(&self, x: &mut [T]) {
        // SAFETY: an `Isa` exists only for what this machine has.
        unsafe { (self.in_place)(x) }
    }

    #[inline]
    pub(super) fn run_in_place(&self, x: &mut [T]) {
        if let [x] = x {
            // SAFETY: an `Isa` exists only for what this machine has.
            *x = unsafe { (self.one)(*x) };
            return;
        }
        let rest = x.len() % Self::LANES;
        if !self.pads || rest <= Self::LONGEST_UNPADDED {
            return self.call(x);
        }
        let (whole, rest) = x.split_at_mut(x.len() - rest);
        if !whole.is_empty() {
            self.call(whole);
        }
        let mut padded = [T::default(); 64];
        padded[..rest.len()].copy_from_slice(rest);
        self.call(&mut padded[..Self::LANES]);
        rest.copy_from_slice(&padded[..rest.len()]);
    }

    #[inline]
    pub(super) fn run(&self, x: &[T], out: &mut [T]) {
        if let ([x], [out]) = (x, &mut *out) {
            // SAFETY: an `Isa` exists only for what this machine has.
            *out = unsafe { (self.one)(*x) };
            return;
        }
        match self.into {
            // SAFETY: an `Isa` exists only for what this machine has.
            Some(into) => unsafe { into(x, out) },
            None => {
                for (o, v) in out.chunks_mut(Self::BLOCK).zip(x.chunks(Self::BLOCK)) {
                    o.copy_from_slice(v);
                    self.run_in_place(o);
                }
            }
        }
    }
}

/// `name(function, isa)`: the kernel of each listed formula. The word before a name says how its loop is built.
macro_rules! unary_table {
    (@each $($constructor:tt)*) => {
        [$($constructor)*(Isa::EACH[0]), $($constructor)*(Isa::EACH[1]), $($constructor)*(Isa::EACH[2])]
    };
    ($name:ident for $t:ty:
        $($kind:ident $f:ident($x:ident) = $formula:expr;)*
        $(@bounded $bf:ident($bx:ident) = $inside:expr, where $outside:expr => $beyond:expr;)*
    ) => {
        pub(super) fn $name(f: Unary, isa: Isa) -> Option<&'static UnaryKernel<$t>> {
            match f {
                $(Unary::$f => {
                    struct Row;
                    impl Formula<$t> for Row {
                        #[inline(always)]
                        fn of($x: $t) -> $t { $formula }
                    }
                    const ROW: &[UnaryKernel<$t>; 3] = &unary_table!(@each UnaryKernel::$kind::<Row>);
                    Some(&ROW[isa.index()])
                })*
                $(Unary::$bf => {
                    struct Row;
                    impl Formula<$t> for Row {
                        #[inline(always)]
                        fn of($bx: $t) -> $t { $inside }
                    }
                    impl BoundedFormula<$t> for Row {
                        #[inline(always)]
                        fn is_outside($bx: $t) -> bool { $outside }
                        #[inline(always)]
                        fn of_outside($bx: $t) -> $t { $beyond }
                    }
                    const ROW: &[UnaryKernel<$t>; 3] = &unary_table!(@each UnaryKernel::bounded::<Row>);
                    Some(&ROW[isa.index()])
                })*
                #[allow(unreachable_patterns)]
                _ => None,
            }
        }
    };
}

// Self-normalizing networks (Klambauer et al., 2017), with TensorFlow's digits.
pub(super) const SELU_SCALE: f64 = 1.0507009873554804934193349852946;
pub(super) const SELU_SCALE_ALPHA: f64 = 1.7580993408473768599402175208123;

/// The rows that read alike in both precisions; the arguments are the functions that differ.
macro_rules! float_unary_table {
    ($name:ident for $t:ident: $exp:ident $expm1:ident $log:ident $log1p:ident $tanh:ident $sigmoid:ident
        $softplus:ident; $($rest:tt)*) => {
        unary_table! { $name for $t:
            light Identity(x) = x;
            light Neg(x) = -x;
            light Abs(x) = x.abs();
            // TF 1.x: zero for NaN.
            light Sign(x) = if x > 0.0 { 1.0 } else if x < 0.0 { -1.0 } else { 0.0 };
            light Square(x) = x * x;
            light Sqrt(x) = x.sqrt();
            light Rsqrt(x) = 1.0 / x.sqrt();
            light Reciprocal(x) = 1.0 / x;
            // NaN compares false and stays.
            light Relu(x) = if x < 0.0 { 0.0 } else { x };
            light Relu6(x) = { let low = if x < 0.0 { 0.0 } else { x }; if low > 6.0 { 6.0 } else { low } };
            light Softsign(x) = x / (x.abs() + 1.0);
            light Floor(x) = x.flushed().floor();
            light Ceil(x) = x.flushed().ceil();
            // TF 1.x: zero for what is rounded up to it, but for -0.
            light Round(x) = if x == 0.0 { x } else { x.round_ties_even() + 0.0 };
            light Rint(x) = x.round_ties_even();
            light MaskNot(x) = $t::from_bits(!x.to_bits());
            light MaskToOne(x) = $t::from_bits(x.to_bits() & $t::to_bits(1.0));
            heavy Exp(x) = $exp(x);
            heavy Expm1(x) = $expm1(x);
            heavy Log(x) = $log(x);
            heavy Log1p(x) = $log1p(x);
            heavy Tanh(x) = $tanh(x);
            heavy Sigmoid(x) = $sigmoid(x);
            heavy Softplus(x) = $softplus(x);
            heavy Elu(x) = { let low = $expm1(x); if x < 0.0 { low } else { x } };
            heavy Selu(x) = {
                let low = SELU_SCALE_ALPHA as $t * $expm1(x);
                if x < 0.0 { low } else { SELU_SCALE as $t * x }
            };
            $($rest)*
        }
    };
}

float_unary_table! { f32_kernel for f32: exp_f32 expm1_f32 log_f32 log1p_f32 tanh_f32 sigmoid_f32 softplus_f32;
    heavy Asin(x) = asin_f32(x);
    heavy Acos(x) = acos_f32(x);
    heavy Atan(x) = atan_f32(x);
    heavy Sinh(x) = sinh_f32(x);
    heavy Cosh(x) = cosh_f32(x);
    heavy Asinh(x) = asinh_f32(x);
    heavy Acosh(x) = acosh_f32(x);
    heavy Atanh(x) = atanh_f32(x);
    heavy Erf(x) = erf_f32(x);
    heavy Erfc(x) = erfc_f32(x);
    heavy Lgamma(x) = lgamma_f32(x);
    heavy Digamma(x) = digamma_f32(x);
    @bounded Sin(x) = sin_f32(x), where x.is_nan() | (x.abs() > LARGEST_ANGLE_F32) => sin_of_large_f32(x);
    @bounded Cos(x) = cos_f32(x), where x.is_nan() | (x.abs() > LARGEST_ANGLE_F32) => cos_of_large_f32(x);
    @bounded Tan(x) = tan_f32(x), where x.is_nan() | (x.abs() > LARGEST_ANGLE as f32) => libm::tan(x as f64) as f32;
}

float_unary_table! { f64_kernel for f64: exp_f64 expm1_f64 log_f64 log1p_f64 tanh_f64 sigmoid_f64 softplus_f64;
    scalar Asin(x) = libm::asin(x);
    scalar Acos(x) = libm::acos(x);
    scalar Atan(x) = libm::atan(x);
    scalar Sinh(x) = libm::sinh(x);
    scalar Cosh(x) = libm::cosh(x);
    scalar Asinh(x) = libm::asinh(x);
    // libm's answer below -1 is a number.
    scalar Acosh(x) = if x < 1.0 { f64::NAN } else { libm::acosh(x) };
    scalar Atanh(x) = libm::atanh(x);
    scalar Erf(x) = libm::erf(x);
    scalar Erfc(x) = libm::erfc(x);
    scalar Lgamma(x) = libm::lgamma(x);
    scalar Digamma(x) = digamma_f64(x);
    @bounded Sin(x) = sin_f64(x), where x.is_nan() | (x.abs() > LARGEST_ANGLE) => libm::sin(x);
    @bounded Cos(x) = cos_f64(x), where x.is_nan() | (x.abs() > LARGEST_ANGLE) => libm::cos(x);
    @bounded Tan(x) = tan_f64(x), where x.is_nan() | (x.abs() > LARGEST_ANGLE) => libm::tan(x);
}

macro_rules! integer_unary_table {
    ($($name:ident for $t:ident: $abs:expr, $sign:expr;)*) => {$(
        unary_table! { $name for $t:
            light Identity(x) = x;
            light Neg(x) = x.wrapping_neg();
            light Abs(x) = $abs(x);
            light Sign(x) = $sign(x);
            light Square(x) = x.wrapping_mul(x);
            light Relu(x) = x.max(0);
            light Relu6(x) = x.clamp(0, 6);
            light Round(x) = x;
        }
    )*};
}

integer_unary_table! {
    i8_kernel for i8: i8::wrapping_abs, i8::signum;
    i16_kernel for i16: i16::wrapping_abs, i16::signum;
    i32_kernel for i32: i32::wrapping_abs, i32::signum;
    i64_kernel for i64: i64::wrapping_abs, i64::signum;
    u8_kernel for u8: |x| x, |x: u8| x.min(1);
    u16_kernel for u16: |x| x, |x: u16| x.min(1);
    u32_kernel for u32: |x| x, |x: u32| x.min(1);
    u64_kernel for u64: |x| x, |x: u64| x.min(1);
}

macro_rules! complex_unary_table {
    ($($name:ident for $t:ident;)*) => {$(
        unary_table! { $name for Complex<$t>:
            scalar Identity(z) = z;
            scalar Neg(z) = -z;
            scalar Conj(z) = z.conj();
            scalar Square(z) = z * z;
            scalar Reciprocal(z) = z.inv();
            scalar Rsqrt(z) = round(complex::rsqrt(wide(z)));
            scalar Sign(z) = round(complex::sign(wide(z)));
            scalar Sqrt(z) = round(complex::sqrt(wide(z)));
            scalar Exp(z) = round(complex::exp(wide(z)));
            scalar Expm1(z) = round(complex::expm1(wide(z)));
            scalar Log(z) = round(complex::log(wide(z)));
            scalar Log1p(z) = round(complex::log1p(wide(z)));
            scalar Sin(z) = round(complex::sin(wide(z)));
            scalar Cos(z) = round(complex::cos(wide(z)));
            scalar Tan(z) = round(complex::tan(wide(z)));
            scalar Asin(z) = round(complex::asin(wide(z)));
            scalar Acos(z) = round(complex::acos(wide(z)));
            scalar Atan(z) = round(complex::atan(wide(z)));
            scalar Sinh(z) = round(complex::sinh(wide(z)));
            scalar Cosh(z) = round(complex::cosh(wide(z)));
            scalar Tanh(z) = round(complex::tanh(wide(z)));
            scalar Asinh(z) = round(complex::asinh(wide(z)));
            scalar Acosh(z) = round(complex::acosh(wide(z)));
            scalar Atanh(z) = round(complex::atanh(wide(z)));
            scalar Sigmoid(z) = round(complex::sigmoid(wide(z)));
        }
    )*};
}

/// Returns a complex number in double precision, exactly.
pub(super) fn wide<T: Into<f64>>(z: Complex<T>) -> Complex<f64> {
    Complex::new(z.re.into(), z.im.into())
}

/// Returns a complex number rounded to `T`'s precision.
pub(super) fn round<T: Copy + 'static>(z: Complex<f64>) -> Complex<T>
where
    f64: num_traits::AsPrimitive<T>,
{
    use num_traits::AsPrimitive;
    Complex::new(z.re.as_(), z.im.as_())
}

complex_unary_table! {
    complex64_kernel for f32;
    complex128_kernel for f64;
}
