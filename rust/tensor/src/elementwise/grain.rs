//! Number of elements in a block that is worth a thread.
//!
//! It depends on the function alone, never on the threads.

use crate::vector::{Binary, Unary};

/// Elements of a block of additions: 20 microseconds or more, twenty times what handing it over costs.
pub(crate) const LIGHT: usize = 1 << 16;
/// Elements of a block of exponentials.
pub(crate) const HEAVY: usize = 1 << 14;
/// Elements of a block of functions that do not vectorize.
pub(crate) const SLOW: usize = 1 << 12;

pub(crate) fn of_unary(f: Unary) -> usize {
    use Unary::*;
    match f {
        Identity | Neg | Abs | Sign | Square | Sqrt | Rsqrt | Reciprocal | Relu | Relu6 | Softsign | Floor | Ceil
        | Round | Rint | Conj | MaskNot | MaskToOne => LIGHT,
        Lgamma | Digamma => SLOW,
        _ => HEAVY,
    }
}

pub(crate) fn of_binary(f: Binary) -> usize {
    use Binary::*;
    match f {
        Pow | Atan2 | Xlogy | SoftplusGrad | FloorMod | TruncateMod => HEAVY,
        _ => LIGHT,
    }
}
