//! Functions of two elements: which exist for which type, and their formulas.

use super::complex;
use super::element::Element;
use super::exp_log::{exp_f32, exp_f64, log_f32, log_f64, pow_f32};
use super::isa::Isa;
use super::pair_loops::{BinaryKernel, Formula, Operand};
use super::trig::atan2_f32;
use super::unary::{SELU_SCALE, SELU_SCALE_ALPHA, round, wide};
use num_complex::Complex;

/// A function of two elements, named as its TensorFlow op and with that op's order of arguments. Masks have no op: they
/// are comparisons of floats.
#[repr(u8)]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Binary {
    Add,
    Sub,
    Mul,
    /// The quotient; of integers, rounded to zero as in C. An integer divided by zero gives zero here: see `has_zero`.
    Div,
    /// `Div` where the divisor is not zero, and zero where it is.
    DivNoNan,
    /// The quotient rounded down.
    FloorDiv,
    /// The remainder with the divisor's sign.
    FloorMod,
    TruncateDiv,
    /// The remainder with the dividend's sign.
    TruncateMod,
    /// Integers wrap; a negative integer exponent is the caller's error (see `has_negative`) and rounds to zero here.
    Pow,
    /// NaN where either is NaN; the first where they are equal.
    Maximum,
    /// NaN where either is NaN; the first where they are equal.
    Minimum,
    SquaredDifference,
    /// The angle of the point (b, a).
    Atan2,
    /// `a ln b`, and zero where `a` is zero.
    Xlogy,
    /// `a / b`, and zero where `a` is zero.
    Xdivy,
    /// `a * b`, and zero where `b` is zero.
    MulNoNan,
    /// The number beside `a` on the way to `b`; `b` where they are equal.
    NextAfter,
    /// (y, dy) for y = tanh x.
    TanhGrad,
    /// (y, dy) for y = sigmoid x.
    SigmoidGrad,
    /// (y, dy) for y = sqrt x.
    SqrtGrad,
    /// (y, dy) for y = 1 / sqrt x.
    RsqrtGrad,
    /// (y, dy) for y = 1 / x.
    ReciprocalGrad,
    /// (gradients, features).
    ReluGrad,
    /// (gradients, features).
    Relu6Grad,
    /// (gradients, outputs).
    EluGrad,
    /// (gradients, outputs).
    SeluGrad,
    /// (gradients, features).
    SoftplusGrad,
    /// (gradients, features).
    SoftsignGrad,
    /// A mask: all bits of an element where the two are equal, else none.
    MaskEqual,
    MaskNotEqual,
    MaskLess,
    MaskLessEqual,
    /// The bits that both have: of two masks, or of an element where the mask is set.
    BitAnd,
    /// The bits of `b` that `a` has not.
    BitAndNot,
    BitOr,
}

impl Binary {
    /// TF 1.x: the op of the reciprocal's gradient is called `InvGrad` as well.
    pub const INV_GRAD: Binary = Binary::ReciprocalGrad;

    /// Every function, in declaration order.
    pub const ALL: [Binary; 36] = {
        use Binary::*;
        [
            Add,
            Sub,
            Mul,
            Div,
            DivNoNan,
            FloorDiv,
            FloorMod,
            TruncateDiv,
            TruncateMod,
            Pow,
            Maximum,
            Minimum,
            SquaredDifference,
            Atan2,
            Xlogy,
            Xdivy,
            MulNoNan,
            NextAfter,
            TanhGrad,
            SigmoidGrad,
            SqrtGrad,
            RsqrtGrad,
            ReciprocalGrad,
            ReluGrad,
            Relu6Grad,
            EluGrad,
            SeluGrad,
            SoftplusGrad,
            SoftsignGrad,
            MaskEqual,
            MaskNotEqual,
            MaskLess,
            MaskLessEqual,
            BitAnd,
            BitAndNot,
            BitOr,
        ]
    };

    /// Returns true if the function exists for elements of type `T`.
    pub fn supports<T: Element>(self) -> bool {
        T::supports_binary(self)
    }
}

/// Writes `f(a[i], b[i])` to `out[i]`.
///
/// Panics if the lengths differ or `f` does not support `T`: the caller has checked shapes and types before.
pub fn binary<T: Element>(f: Binary, a: Operand<T>, b: Operand<T>, out: &mut [T]) {
    binary_with(Isa::current(), f, a, b, out);
}

/// Replaces each `a[i]` by `f(a[i], b[i])`; panics as `binary` does.
pub fn binary_in_place_left<T: Element>(f: Binary, a: &mut [T], b: Operand<T>) {
    binary_in_place_left_with(Isa::current(), f, a, b);
}

/// Replaces each `b[i]` by `f(a[i], b[i])`; panics as `binary` does.
pub fn binary_in_place_right<T: Element>(f: Binary, a: Operand<T>, b: &mut [T]) {
    binary_in_place_right_with(Isa::current(), f, a, b);
}

/// Runs `binary` on a given instruction set.
pub fn binary_with<T: Element>(isa: Isa, f: Binary, a: Operand<T>, b: Operand<T>, out: &mut [T]) {
    a.assert_length(out.len());
    b.assert_length(out.len());
    let done = T::binary_into(f, isa, a, b, out);
    assert!(done, "{f:?} does not exist for {}", std::any::type_name::<T>());
}

/// Runs `binary_in_place_left` on a given instruction set.
pub fn binary_in_place_left_with<T: Element>(isa: Isa, f: Binary, a: &mut [T], b: Operand<T>) {
    b.assert_length(a.len());
    let done = T::binary_left(f, isa, a, b);
    assert!(done, "{f:?} does not exist for {}", std::any::type_name::<T>());
}

/// Runs `binary_in_place_right` on a given instruction set.
pub fn binary_in_place_right_with<T: Element>(isa: Isa, f: Binary, a: Operand<T>, b: &mut [T]) {
    a.assert_length(b.len());
    let done = T::binary_right(f, isa, a, b);
    assert!(done, "{f:?} does not exist for {}", std::any::type_name::<T>());
}

/// Returns true if any element is zero: an integer division by it must be refused.
pub fn has_zero<T: Element>(x: &[T]) -> bool {
    x.chunks(1024).any(|block| block.iter().fold(false, |found, v| found | (*v == T::default())))
}

/// Returns true if any element is negative: an integer power with it must be refused.
pub fn has_negative<T: Element + PartialOrd>(x: &[T]) -> bool {
    x.chunks(1024).any(|block| block.iter().fold(false, |found, v| found | (*v < T::default())))
}

/// `name(function, isa)`: the kernel of each listed formula. The word before a name says how its loop is built.
macro_rules! binary_table {
    ($name:ident for $t:ty: $($kind:ident $f:ident($a:ident, $b:ident) = $formula:expr;)*) => {
        pub(super) fn $name(f: Binary, isa: Isa) -> Option<&'static BinaryKernel<$t>> {
            match f {
                $(Binary::$f => {
                    struct Row;
                    impl Formula<$t> for Row {
                        #[inline(always)]
                        fn of($a: $t, $b: $t) -> $t { $formula }
                    }
                    const ROW: &[BinaryKernel<$t>; 3] = &[
                        BinaryKernel::$kind::<Row>(Isa::EACH[0]),
                        BinaryKernel::$kind::<Row>(Isa::EACH[1]),
                        BinaryKernel::$kind::<Row>(Isa::EACH[2]),
                    ];
                    Some(&ROW[isa.index()])
                })*
                #[allow(unreachable_patterns)]
                _ => None,
            }
        }
    };
}

macro_rules! mask {
    ($t:ident, $holds:expr) => {
        if $holds { $t::from_bits(!0) } else { 0.0 }
    };
}

macro_rules! float_binary_table {
    ($name:ident for $t:ident: $exp:ident $log:ident; $($rest:tt)*) => {
        binary_table! { $name for $t:
            light Add(a, b) = a + b;
            light Sub(a, b) = a - b;
            light Mul(a, b) = a * b;
            light Div(a, b) = a / b;
            light DivNoNan(a, b) = if b == 0.0 { 0.0 } else { a / b };
            light FloorDiv(a, b) = (a / b).floor();
            // TF 1.x: only integers are rounded.
            light TruncateDiv(a, b) = a / b;
            // The C remainder is exact, so every implementation of it agrees.
            scalar TruncateMod(a, b) = a % b;
            scalar FloorMod(a, b) = {
                let r = a % b;
                if (r != 0.0) & ((b < 0.0) != (r < 0.0)) { r + b } else { r }
            };
            // TF 1.x: a NaN in b is passed over, one in a stays.
            light Maximum(a, b) = if a < b { b } else { a };
            light Minimum(a, b) = if b < a { b } else { a };
            light SquaredDifference(a, b) = { let d = a - b; d * d };
            heavy Xlogy(a, b) = { let v = a * $log(b); if a == 0.0 { 0.0 } else { v } };
            light Xdivy(a, b) = if a == 0.0 { 0.0 } else { a / b };
            light MulNoNan(a, b) = if b == 0.0 { 0.0 } else { a * b };
            light NextAfter(a, b) = if a == b { b } else if a < b { a.next_up() } else if a > b { a.next_down() } else { a + b };
            light TanhGrad(y, dy) = dy * (1.0 - y * y);
            light SigmoidGrad(y, dy) = dy * y * (1.0 - y);
            // TF 1.15: nothing flows back where the gradient is zero, be the derivative infinite or NaN.
            light SqrtGrad(y, dy) = if dy == 0.0 { 0.0 } else { 0.5 * dy / y };
            light RsqrtGrad(y, dy) = if dy == 0.0 { 0.0 } else { -0.5 * (dy * y) * (y * y) };
            light ReciprocalGrad(y, dy) = if dy == 0.0 { 0.0 } else { dy * -(y * y) };
            // A product, as TensorFlow has it: a NaN or infinite gradient shows even where the unit was off.
            light ReluGrad(g, x) = g * if x > 0.0 { 1.0 } else { 0.0 };
            light Relu6Grad(g, x) = g * if (x > 0.0) & (x < 6.0) { 1.0 } else { 0.0 };
            light EluGrad(g, y) = if y < 0.0 { (y + 1.0) * g } else { g };
            light SeluGrad(g, y) = if y < 0.0 { g * (y + SELU_SCALE_ALPHA as $t) } else { g * SELU_SCALE as $t };
            heavy SoftplusGrad(g, x) = g / ($exp(-x) + 1.0);
            light SoftsignGrad(g, x) = { let d = 1.0 + x.abs(); g / (d * d) };
            light MaskEqual(a, b) = mask!($t, a == b);
            light MaskNotEqual(a, b) = mask!($t, a != b);
            light MaskLess(a, b) = mask!($t, a < b);
            light MaskLessEqual(a, b) = mask!($t, a <= b);
            light BitAnd(a, b) = $t::from_bits(a.to_bits() & b.to_bits());
            light BitAndNot(a, b) = $t::from_bits(!a.to_bits() & b.to_bits());
            light BitOr(a, b) = $t::from_bits(a.to_bits() | b.to_bits());
            $($rest)*
        }
    };
}

float_binary_table! { f32_kernel for f32: exp_f32 log_f32;
    power Pow(a, b) = pow_f32(a, b);
    heavy Atan2(a, b) = atan2_f32(a, b);
}

float_binary_table! { f64_kernel for f64: exp_f64 log_f64;
    scalar Pow(a, b) = libm::pow(a, b);
    scalar Atan2(a, b) = libm::atan2(a, b);
}

macro_rules! integer_binary_table {
    ($($name:ident for $t:ident: $division:ident $quotient:ident, $power:ident;)*) => {$(
        binary_table! { $name for $t:
            light Add(a, b) = a.wrapping_add(b);
            light Sub(a, b) = a.wrapping_sub(b);
            light Mul(a, b) = a.wrapping_mul(b);
            $division Div(a, b) = $quotient!($t, a, b);
            $division TruncateDiv(a, b) = $quotient!($t, a, b);
            $division TruncateMod(a, b) = remainder!($t, a, b, $quotient!($t, a, b));
            $division FloorDiv(a, b) = {
                let q = $quotient!($t, a, b);
                let r = remainder!($t, a, b, q);
                if (r != 0) & is_negative!($t, a ^ b) { q.wrapping_sub(1) } else { q }
            };
            $division FloorMod(a, b) = {
                let r = remainder!($t, a, b, $quotient!($t, a, b));
                if (r != 0) & is_negative!($t, r ^ b) { r.wrapping_add(b) } else { r }
            };
            whole_power Pow(a, b) = $power(a as _, b as _) as $t;
            light Maximum(a, b) = a.max(b);
            light Minimum(a, b) = a.min(b);
            light SquaredDifference(a, b) = { let d = a.wrapping_sub(b); d.wrapping_mul(d) };
            light ReluGrad(g, x) = if x > 0 { g } else { 0 };
            light Relu6Grad(g, x) = if (x > 0) & (x < 6) { g } else { 0 };
        }
    )*};
}

// The quotient rounded to zero; zero for a division by zero. No processor here divides vectors of integers. So those of up
// to 16 bits are divided as f32, and those of 32 as f64. This is exact: a quotient that is no integer differs from the next
// one by more than 1 / |a| of its value. The float differs by less.

macro_rules! quotient_as_f32 {
    ($t:ident, $a:expr, $b:expr) => {
        if $b == 0 { 0 } else { (f32::from($a) / f32::from($b)) as i32 as $t }
    };
}

macro_rules! quotient_as_f64 {
    ($t:ident, $a:expr, $b:expr) => {
        if $b == 0 { 0 } else { (f64::from($a) / f64::from($b)) as $t }
    };
}

macro_rules! signed_quotient_as_f64 {
    ($t:ident, $a:expr, $b:expr) => {
        // The least i32 divided by -1 is no i32, and wraps around.
        if $b == -1 { $a.wrapping_neg() } else { quotient_as_f64!($t, $a, $b) }
    };
}

macro_rules! quotient {
    ($t:ident, $a:expr, $b:expr) => {
        if $b == 0 { 0 } else { $a.wrapping_div($b) }
    };
}

/// Returns the remainder that belongs to a quotient; zero for a division by zero.
macro_rules! remainder {
    ($t:ident, $a:expr, $b:expr, $q:expr) => {
        if $b == 0 { 0 } else { $a.wrapping_sub($q.wrapping_mul($b)) }
    };
}

macro_rules! is_negative {
    ($t:ident, $x:expr) => {
        // The same comparison serves types without a sign.
        (($x) as i128) < 0
    };
}

/// Returns `base^exponent` modulo 2^64, which truncates to the wrapped power in every narrower type.
fn unsigned_power(mut base: u64, mut exponent: u64) -> u64 {
    let mut value = 1u64;
    while exponent > 0 {
        if exponent & 1 == 1 {
            value = value.wrapping_mul(base);
        }
        base = base.wrapping_mul(base);
        exponent >>= 1;
    }
    value
}

/// Returns `unsigned_power` of sign-extended numbers; a negative exponent gives the truncated quotient.
fn signed_power(base: i64, exponent: i64) -> i64 {
    if exponent >= 0 {
        return unsigned_power(base as u64, exponent as u64) as i64;
    }
    match base {
        1 => 1,
        -1 => 1 - 2 * (exponent & 1),
        _ => 0,
    }
}

integer_binary_table! {
    i8_kernel for i8: light quotient_as_f32, signed_power;
    i16_kernel for i16: light quotient_as_f32, signed_power;
    i32_kernel for i32: light signed_quotient_as_f64, signed_power;
    i64_kernel for i64: scalar quotient, signed_power;
    u8_kernel for u8: light quotient_as_f32, unsigned_power;
    u16_kernel for u16: light quotient_as_f32, unsigned_power;
    u32_kernel for u32: light quotient_as_f64, unsigned_power;
    u64_kernel for u64: scalar quotient, unsigned_power;
}

macro_rules! complex_binary_table {
    ($($name:ident for $t:ident;)*) => {$(
        binary_table! { $name for Complex<$t>:
            light Add(a, b) = a + b;
            light Sub(a, b) = a - b;
            light Mul(a, b) = a * b;
            scalar Div(a, b) = a / b;
            scalar DivNoNan(a, b) = if b == Complex::new(0.0, 0.0) { b } else { a / b };
            scalar Pow(a, b) = round(complex::pow(wide(a), wide(b)));
            light SquaredDifference(a, b) = { let d = a - b; d.conj() * d };
            scalar Xlogy(a, b) = if a == Complex::new(0.0, 0.0) { a } else { round(wide(a) * complex::log(wide(b))) };
            scalar Xdivy(a, b) = if a == Complex::new(0.0, 0.0) { a } else { a / b };
            light MulNoNan(a, b) = if b == Complex::new(0.0, 0.0) { b } else { a * b };
            // TF 1.x: these two take y as it is (its gradient rules conjugate first), the next three conjugate it.
            light TanhGrad(y, dy) = dy * (Complex::new(1.0, 0.0) - y * y);
            light SigmoidGrad(y, dy) = dy * y * (Complex::new(1.0, 0.0) - y);
            scalar SqrtGrad(y, dy) = if dy == Complex::new(0.0, 0.0) { Complex::new(0.0, 0.0) } else { dy * 0.5 / y.conj() };
            light RsqrtGrad(y, dy) = {
                let y = y.conj();
                if dy == Complex::new(0.0, 0.0) { Complex::new(0.0, 0.0) } else { (dy * y) * -0.5 * (y * y) }
            };
            light ReciprocalGrad(y, dy) = {
                let y = y.conj();
                if dy == Complex::new(0.0, 0.0) { Complex::new(0.0, 0.0) } else { dy * -(y * y) }
            };
        }
    )*};
}

complex_binary_table! {
    complex64_kernel for f32;
    complex128_kernel for f64;
}
