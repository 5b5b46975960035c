//! Comparisons of two elements into booleans.

use super::half_types::Half;
use super::isa::{Isa, for_each_isa};
use super::pair_loops::{Operand, with_spread};
use half::{bf16, f16};
use num_complex::Complex;

/// A comparison, named as its TensorFlow op; with a NaN only `NotEqual` holds.
#[repr(u8)]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Compare {
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

impl Compare {
    /// Every comparison, in declaration order.
    pub const ALL: [Compare; 6] = {
        use Compare::*;
        [Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual]
    };

    /// Returns true if the comparison exists for elements of type `T`.
    pub fn supports<T: Comparable>(self) -> bool {
        T::ORDERED || matches!(self, Compare::Equal | Compare::NotEqual)
    }
}

/// An element type with equality and, where `ORDERED`, an order.
pub trait Comparable: Copy + Send + Sync + 'static {
    /// True if `Less` and the other orderings exist; false for complex numbers and booleans.
    const ORDERED: bool;
    #[doc(hidden)]
    fn equal(a: Self, b: Self) -> bool;
    #[doc(hidden)]
    fn less(a: Self, b: Self) -> bool;
    #[doc(hidden)]
    fn less_equal(a: Self, b: Self) -> bool;
}

macro_rules! comparable {
    ($($t:ty),*; $a:ident, $b:ident: $equal:expr, $less:expr, $less_equal:expr, $ordered:expr) => {$(
        impl Comparable for $t {
            const ORDERED: bool = $ordered;
            #[inline(always)]
            fn equal($a: $t, $b: $t) -> bool { $equal }
            #[inline(always)]
            #[allow(unused_variables)]
            fn less($a: $t, $b: $t) -> bool { $less }
            #[inline(always)]
            #[allow(unused_variables)]
            fn less_equal($a: $t, $b: $t) -> bool { $less_equal }
        }
    )*};
}

comparable!(f32, f64, i8, i16, i32, i64, u8, u16, u32, u64; a, b: a == b, a < b, a <= b, true);
comparable!(f16, bf16; a, b: Half::to_f32(a) == Half::to_f32(b), Half::to_f32(a) < Half::to_f32(b),
    Half::to_f32(a) <= Half::to_f32(b), true);
comparable!(Complex<f32>, Complex<f64>, bool; a, b: a == b, false, false, false);

/// Writes the truth of `a[i] f b[i]` to `out[i]`.
///
/// Panics if the lengths differ or `f` does not support `T`: the caller has checked shapes and types before.
pub fn compare<T: Comparable>(f: Compare, a: Operand<T>, b: Operand<T>, out: &mut [bool]) {
    compare_with(Isa::current(), f, a, b, out);
}

/// Runs `compare` on a given instruction set.
pub fn compare_with<T: Comparable>(isa: Isa, f: Compare, a: Operand<T>, b: Operand<T>, out: &mut [bool]) {
    a.assert_length(out.len());
    b.assert_length(out.len());
    assert!(f.supports::<T>(), "{f:?} does not exist for {}", std::any::type_name::<T>());
    // Greater is Less with the operands exchanged.
    let (a, b) = if matches!(f, Compare::Greater | Compare::GreaterEqual) { (b, a) } else { (a, b) };
    let kernel = match f {
        Compare::Equal => pick_equal::<T>(isa),
        Compare::NotEqual => pick_not_equal::<T>(isa),
        Compare::Less | Compare::Greater => pick_less::<T>(isa),
        Compare::LessEqual | Compare::GreaterEqual => pick_less_equal::<T>(isa),
    };
    // SAFETY: an `Isa` exists only for what this machine has.
    let run = |a: &[T], b: &[T], out: &mut [bool]| unsafe { kernel(a, b, out) };
    match (a, b) {
        (Operand::Slice(a), Operand::Slice(b)) => run(a, b, out),
        (Operand::Slice(a), Operand::Scalar(b)) => with_spread(b, out.len(), |b| {
            for (a, out) in a.chunks(b.len()).zip(out.chunks_mut(b.len())) {
                run(a, &b[..a.len()], out);
            }
        }),
        (Operand::Scalar(a), Operand::Slice(b)) => with_spread(a, out.len(), |a| {
            for (b, out) in b.chunks(a.len()).zip(out.chunks_mut(a.len())) {
                run(&a[..b.len()], b, out);
            }
        }),
        (Operand::Scalar(a), Operand::Scalar(b)) => {
            let mut value = [false];
            run(&[a], &[b], &mut value);
            out.fill(value[0]);
        }
    }
}

macro_rules! comparison_loop {
    ($($body:ident, $pick:ident: $a:ident, $b:ident => $formula:expr;)*) => {$(
        #[inline(always)]
        fn $body<T: Comparable>(a: &[T], b: &[T], out: &mut [bool]) {
            for ((o, $a), $b) in out.iter_mut().zip(a).zip(b) {
                *o = $formula;
            }
        }
        for_each_isa!($pick = $body<T: Comparable>(a: &[T], b: &[T], out: &mut [bool]));
    )*};
}

comparison_loop! {
    equal_loop, pick_equal: a, b => T::equal(*a, *b);
    not_equal_loop, pick_not_equal: a, b => !T::equal(*a, *b);
    less_loop, pick_less: a, b => T::less(*a, *b);
    less_equal_loop, pick_less_equal: a, b => T::less_equal(*a, *b);
}
