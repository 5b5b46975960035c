//! Elementwise mathematics, reductions and conversions on plain slices: the one home of every formula.
//!
//! A result depends on the elements alone (a reduction: on the elements and their number). It does not depend on the
//! instruction set, or on the slice's position, length, alignment or split. Callers split the work between threads.

mod arg_extreme;
mod binary;
mod channels;
mod compare;
mod complex;
mod convert;
mod element;
mod error_function;
mod exp_log;
mod gamma;
mod half_types;
mod hyperbolic;
pub(crate) mod isa;
mod logical;
mod pair_loops;
mod reduce;
pub mod scalar;
mod scaled_rows;
mod single;
mod softmax;
mod trig;
mod unary;
mod update;
mod wide;

pub use arg_extreme::{
    ARG_COLUMNS, Ordered, arg_max, arg_max_columns, arg_max_with, arg_min, arg_min_columns, arg_min_with,
};
pub use binary::{
    Binary, binary, binary_in_place_left, binary_in_place_left_with, binary_in_place_right, binary_in_place_right_with,
    binary_with, has_negative, has_zero,
};
pub use channels::{add_products, add_squared_deviations, normalize_rows, unnormalize_rows};
pub use compare::{Comparable, Compare, compare, compare_with};
pub use convert::{CastTo, cast, cast_with};
pub use element::Element;
pub use gamma::digamma_f64;
pub(crate) use isa::Level;
pub use isa::{Isa, Loops, loops_on_best_isa, on_best_isa};
pub use logical::{Choice, Logical, all, all_rows_into, any, any_rows_into, logical, logical_not, select};
pub use pair_loops::Operand;
pub use reduce::{
    LOW, Reduce, Reducible, SHORT_ROW, combine, mean_of_sum, mean_slice, reduce_low_matrices, reduce_low_matrices_with,
    reduce_rows_into, reduce_rows_into_with, reduce_short_rows, reduce_short_rows_with, reduce_slice,
    reduce_slice_wide, reduce_slice_wide_with, split_point,
};
pub use scaled_rows::{Scaled, add_scaled_rows, add_scaled_rows_with};
pub use single::{Number, Single, Word};
pub use softmax::{Logits, log_softmax_row, log_softmax_rows, softmax_row, softmax_rows, sparse_xent_row, xent_row};
pub use unary::{Unary, unary, unary_in_place, unary_in_place_with, unary_with};
pub use update::{Formula, update_in_place, update_rows_in_place};
pub use wide::Wide;
