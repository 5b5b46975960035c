//! Booleans: connectives, choice between two operands, and whether any or all hold.

use super::binary::{Operand, with_spread};

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

/// Writes `a[i]` to `out[i]` where `condition[i]` holds and `b[i]` elsewhere; panics if the lengths differ.
pub fn select<T: Copy>(condition: &[bool], a: Operand<T>, b: Operand<T>, out: &mut [T]) {
    assert_eq!(condition.len(), out.len(), "condition and output lengths differ");
    a.assert_length(out.len());
    b.assert_length(out.len());
    let run = |condition: &[bool], a: &[T], b: &[T], out: &mut [T]| {
        for (((o, c), a), b) in out.iter_mut().zip(condition).zip(a).zip(b) {
            *o = if *c { *a } else { *b };
        }
    };
    match (a, b) {
        (Operand::Slice(a), Operand::Slice(b)) => run(condition, a, b, out),
        (Operand::Slice(a), Operand::Scalar(b)) => {
            for ((o, c), a) in out.iter_mut().zip(condition).zip(a) {
                *o = if *c { *a } else { b };
            }
        }
        (Operand::Scalar(a), Operand::Slice(b)) => {
            for ((o, c), b) in out.iter_mut().zip(condition).zip(b) {
                *o = if *c { a } else { *b };
            }
        }
        (Operand::Scalar(a), Operand::Scalar(b)) => {
            for (o, c) in out.iter_mut().zip(condition) {
                *o = if *c { a } else { b };
            }
        }
    }
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
