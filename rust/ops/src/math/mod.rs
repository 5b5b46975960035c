//! Arithmetic: elementwise functions, comparisons, matrix products, reductions, conversions.

mod add_n;
mod arg_extreme;
mod batch_mat_mul;
pub(crate) mod binary;
mod bincount;
mod bitwise;
mod bucketize;
mod cast;
mod clip;
mod comparison;
mod complex;
mod cross;
mod fold;
mod histogram_fixed_width;
mod incomplete_beta;
pub(crate) mod incomplete_gamma;
pub(crate) mod incomplete_gamma_derivative;
mod logical;
mod mat_mul;
mod mat_mul_slice;
mod mat_mul_sum;
pub(crate) mod pairwise;
mod population_count;
mod reduction;
mod saddle_point;
mod scan;
mod segment;
mod select;
mod sequence;
mod sparse_segment;
mod text;
pub(crate) mod unary;
mod zeta;

use ferroflow_graph::Registry;

pub(crate) fn register(r: &mut Registry) {
    add_n::register(r);
    arg_extreme::register(r);
    batch_mat_mul::register(r);
    binary::register(r);
    bincount::register(r);
    bitwise::register(r);
    bucketize::register(r);
    cast::register(r);
    clip::register(r);
    comparison::register(r);
    complex::register(r);
    cross::register(r);
    histogram_fixed_width::register(r);
    incomplete_beta::register(r);
    incomplete_gamma::register(r);
    incomplete_gamma_derivative::register(r);
    logical::register(r);
    mat_mul::register(r);
    mat_mul_slice::register(r);
    mat_mul_sum::register(r);
    population_count::register(r);
    reduction::register(r);
    scan::register(r);
    segment::register(r);
    select::register(r);
    sequence::register(r);
    sparse_segment::register(r);
    unary::register(r);
    zeta::register(r);
}
