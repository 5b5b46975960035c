//! Linear algebra: factorizations, inverses, solutions and functions of matrices.

mod batch;
mod cholesky;
mod lu;
mod matrix_determinant;
mod matrix_inverse;
mod matrix_shape;
mod matrix_solve;
mod matrix_solve_ls;
mod qr;
mod self_adjoint_eig;
mod square_function;
mod svd;
mod tridiagonal;

use ferroflow_graph::Registry;

pub(crate) fn register(r: &mut Registry) {
    cholesky::register(r);
    lu::register(r);
    matrix_determinant::register(r);
    matrix_inverse::register(r);
    matrix_solve::register(r);
    matrix_solve_ls::register(r);
    qr::register(r);
    self_adjoint_eig::register(r);
    square_function::register(r);
    svd::register(r);
    tridiagonal::register(r);
}
