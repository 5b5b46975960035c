//! Booleans: connectives, choice between two tensors' elements, and whether any or all hold.

use super::isa::{Isa, for_each_isa};
use super::pair_loops::{Operand, with_spread};
use half::{bf16, f16};
use num_complex::Complex;

/// A function of two booleans, named as its TensorFlow op.
#[repr(u8)]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Logical {
    And,
    Or,
}

/// Writes `a[i] f b[i]` to `out[i]`; panics if the lengths differ.
pub fn logical(f: Logical, a: Operand<bool>, b: Operand<bool>, out: &mut [bool]) {
    a.assert_length(out.len());
    b.assert_length(out.len());
    let run = |a: &[bool], b: &[bool], out: &mut [bool]| match f {
        Logical::And => out.iter_mut().zip(a).zip(b).for_each(|((o, a), b)| *o = *a & *b),
        Logical::Or => out.iter_mut().zip(a).zip(b).for_each(|((o, a), b)| *o = *a | *b),
    };
    match (a, b) {
        (Operand::Slice(a), Operand::Slice(b)) => run(a, b, out),
        (Operand::Slice(s), Operand::Scalar(v)) | (Operand::Scalar(v), Operand::Slice(s)) => {
            with_spread(v, out.len(), |v| {
                for (s, out) in s.chunks(v.len()).zip(out.chunks_mut(v.len())) {
                    run(s, &v[..s.len()], out);
                }
            });
        }
        (Operand::Scalar(a), Operand::Scalar(b)) => out.fill(match f {
            Logical::And => a & b,
            Logical::Or => a | b,
        }),
    }
}

/// Writes `!x[i]` to `out[i]`; panics if the lengths differ.
pub fn logical_not(x: &[bool], out: &mut [bool]) {
    assert_eq!(x.len(), out.len(), "input and output lengths differ");
    for (o, v) in out.iter_mut().zip(x) {
        *o = !*v;
    }
}

/// An element that can be chosen by its bits: a choice by a jump would cost more than the element.
pub trait Choice: Copy {
    /// Returns `a` if the condition holds, else `b`.
    #[doc(hidden)]
    fn choose(condition: bool, a: Self, b: Self) -> Self;
}

macro_rules! choice {
    ($($t:ty, $bits:ty: $v:ident => $to:expr, $w:ident => $from:expr;)*) => {$(
        impl Choice for $t {
            #[inline(always)]
            fn choose(condition: bool, a: $t, b: $t) -> $t {
                let mask = <$bits>::from(condition).wrapping_neg();
                let bits = |$v: $t| -> $bits { $to };
                let $w = (bits(a) & mask) | (bits(b) & !mask);
                $from
            }
        }
    )*};
}

choice! {
    bool, u8: v => v.into(), w => w != 0;
    i8, u8: v => v as u8, w => w as i8;
    u8, u8: v => v, w => w;
    i16, u16: v => v as u16, w => w as i16;
    u16, u16: v => v, w => w;
    f16, u16: v => v.to_bits(), w => f16::from_bits(w);
    bf16, u16: v => v.to_bits(), w => bf16::from_bits(w);
    i32, u32: v => v as u32, w => w as i32;
    u32, u32: v => v, w => w;
    f32, u32: v => v.to_bits(), w => f32::from_bits(w);
    i64, u64: v => v as u64, w => w as i64;
    u64, u64: v => v, w => w;
    f64, u64: v => v.to_bits(), w => f64::from_bits(w);
}

impl<T: Choice> Choice for Complex<T> {
    #[inline(always)]
    fn choose(condition: bool, a: Self, b: Self) -> Self {
        Complex::new(T::choose(condition, a.re, b.re), T::choose(condition, a.im, b.im))
    }
}

#[inline(always)]
fn select_loop<T: Choice>(condition: &[bool], a: &[T], b: &[T], out: &mut [T]) {
    for (((o, c), a), b) in out.iter_mut().zip(condition).zip(a).zip(b) {
        *o = T::choose(*c, *a, *b);
    }
}

for_each_isa!(pick_select = select_loop<T: Choice>(condition: &[bool], a: &[T], b: &[T], out: &mut [T]));

/// Writes `a[i]` to `out[i]` where `condition[i]` holds and `b[i]` elsewhere; panics if the lengths differ.
pub fn select<T: Choice>(condition: &[bool], a: &[T], b: &[T], out: &mut [T]) {
    let n = out.len();
    assert!(condition.len() == n && a.len() == n && b.len() == n, "condition, operand and output lengths differ");
    // SAFETY: an `Isa` exists only for what this machine has.
    unsafe { pick_select::<T>(Isa::current())(condition, a, b, out) }
}

/// Returns true if at least one holds.
pub fn any(x: &[bool]) -> bool {
    x.chunks(1024).any(|block| block.iter().fold(false, |found, v| found | *v))
}

/// Returns true if every one holds.
pub fn all(x: &[bool]) -> bool {
    x.chunks(1024).all(|block| block.iter().fold(true, |held, v| held & *v))
}

/// Computes `acc[j] = acc[j] or any of column j` of the row-major matrix `rows`; panics if the rows are not whole.
pub fn any_rows_into(acc: &mut [bool], rows: &[bool]) {
    each_row(acc, rows, |a, v| a | v);
}

/// Computes `acc[j] = acc[j] and all of column j` of the row-major matrix `rows`; panics if the rows are not whole.
pub fn all_rows_into(acc: &mut [bool], rows: &[bool]) {
    each_row(acc, rows, |a, v| a & v);
}

fn each_row(acc: &mut [bool], rows: &[bool], f: impl Fn(bool, bool) -> bool) {
    if acc.is_empty() {
        return;
    }
    assert_eq!(rows.len() % acc.len(), 0, "the last row is not whole");
    for row in rows.chunks_exact(acc.len()) {
        for (a, v) in acc.iter_mut().zip(row) {
            *a = f(*a, *v);
        }
    }
}
