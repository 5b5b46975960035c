//! Elementwise mathematics, reductions and conversions on plain slices: the one home of every formula.
//!
//! A result depends on nothing but the elements: not on the instruction set, the position in the slice, its length,
//! its alignment or how a caller splits it (a reduction: on the elements and their number). Callers split the work
//! between threads.

mod binary;
mod compare;
mod element;
mod error_function;
mod exp_log;
mod gamma;
mod half_types;
mod hyperbolic;
mod isa;
mod trig;
mod unary;

pub use binary::{
    Binary, Operand, binary, binary_in_place_left, binary_in_place_left_with, binary_in_place_right,
    binary_in_place_right_with, binary_with, has_negative, has_zero,
};
pub use compare::{Comparable, Compare, compare, compare_with};
pub use element::Element;
pub use isa::Isa;
pub use unary::{Unary, unary, unary_in_place, unary_in_place_with, unary_with};
