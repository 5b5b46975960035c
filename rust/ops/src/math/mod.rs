//! Arithmetic: elementwise functions, comparisons, matrix products, reductions, conversions.

mod add_n;
pub(crate) mod binary;
mod cast;
mod comparison;
mod logical;
mod mat_mul;
mod qr;
mod reduction;
mod select;
mod text;
pub(crate) mod unary;

use ferroflow_graph::Registry;

pub(crate) fn register(r: &mut Registry) {
    add_n::register(r);
    binary::register(r);
    cast::register(r);
    comparison::register(r);
    logical::register(r);
    mat_mul::register(r);
    qr::register(r);
    reduction::register(r);
    select::register(r);
    unary::register(r);
}
