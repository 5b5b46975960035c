//! TridiagonalSolve, TridiagonalMatMul: systems and products of matrices that have three diagonals.

use super::batch::{Batch, refused};
use super::matrix_shape::{Dim, batch_of, equal, split};
use ferroflow_graph::{Kernel, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_linalg::{Algorithms, Wide};
use ferroflow_tensor::{PartialShape, Result, Tensor, dispatch, ensure};

const SINGULAR: &str = "The matrix is not invertible.";
const SINGULAR_SCALAR: &str = "The matrix is not invertible: it is a scalar with value zero.";
const PIVOT: &str = "The matrix is either not invertible, or requires pivoting. Try setting partial_pivoting = True.";

fn solve(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let pivoting = init.bool("partial_pivoting")?;
    let dtype = init.output_type(0)?;
    dispatch!(dtype, T in [F32, F64, Complex64, Complex128], {
        kernel(move |ctx| {
            let (diagonals, b) = (ctx.input(0)?, ctx.input(1)?);
            let left = Batch::of(diagonals, 0)?;
            let right = left.beside(b)?;
            let (n, k) = (left.columns, right.columns);
            ensure!(left.rows == 3, InvalidArgument, "Expected diagonals to have 3 rows, got {}", left.rows);
            ensure!(
                n == right.rows,
                InvalidArgument,
                "The length of diagonals and number of rows of rhs must be the same, got {n} and {}",
                right.rows
            );
            let singular = match (n, pivoting) {
                (1, _) => SINGULAR_SCALAR,
                (_, true) => SINGULAR,
                _ => PIVOT,
            };
            let mut out = Tensor::new(dtype, b.shape().clone())?;
            let inputs = [diagonals.slice()?, b.slice()?];
            left.for_each(ctx.threads(), n * (k + 2), inputs, [out.slice_mut::<T>()?], |_, [a, b], [x]| {
                Wide::<T>::solve_tridiagonal(a, n, b, k, pivoting, x).map_err(refused(singular))
            })?;
            ctx.set_output(0, out);
            Ok(())
        })
    }, else Err(init.unsupported()))
}

fn multiply(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let dtype = init.output_type(0)?;
    dispatch!(dtype, T in [F32, F64, Complex64, Complex128], {
        kernel(move |ctx| {
            let b = ctx.input(3)?;
            let right = Batch::of(b, 3)?;
            let (n, k) = (right.rows, right.columns);
            for i in 0..3 {
                let found = right.beside(ctx.input(i)?)?;
                ensure!(
                    (found.rows, found.columns) == (1, n),
                    InvalidArgument,
                    "Diagonal {i} must have shape [..., 1, {n}], got {}",
                    ctx.input(i)?.shape()
                );
            }
            let mut out = Tensor::new(dtype, b.shape().clone())?;
            let inputs = [ctx.input(0)?.slice()?, ctx.input(1)?.slice()?, ctx.input(2)?.slice()?, b.slice()?];
            right.for_each(ctx.threads(), 3 * n * k, inputs, [out.slice_mut::<T>()?], |_, inputs, [y]| {
                let [upper, main, lower, x] = inputs;
                let row = |r: usize| &x[r * k..(r + 1) * k];
                for (r, y) in y.chunks_exact_mut(k.max(1)).enumerate() {
                    for (j, y) in y.iter_mut().enumerate() {
                        let mut sum = main[r] * row(r)[j];
                        if r > 0 {
                            sum += lower[r] * row(r - 1)[j];
                        }
                        if r + 1 < n {
                            sum += upper[r] * row(r + 1)[j];
                        }
                        *y = sum;
                    }
                }
                Ok(())
            })?;
            ctx.set_output(0, out);
            Ok(())
        })
    }, else Err(init.unsupported()))
}

fn unknown() -> (PartialShape, Dim, Dim) {
    (PartialShape::unknown(), None, None)
}

fn solution(c: &mut ShapeContext<'_>) -> Result<()> {
    let (batch, rows, n) = split(c.input(0)?)?.unwrap_or_else(unknown);
    let (other, length, columns) = split(c.input(1)?)?.unwrap_or_else(unknown);
    equal(rows, Some(3))?;
    c.set_output(0, batch_of(&batch.merge(&other)?, &[equal(n, length)?, columns]));
    Ok(())
}

fn product(c: &mut ShapeContext<'_>) -> Result<()> {
    let (mut batch, mut n, columns) = split(c.input(3)?)?.unwrap_or_else(unknown);
    for i in 0..3 {
        let (other, rows, length) = split(c.input(i)?)?.unwrap_or_else(unknown);
        equal(rows, Some(1))?;
        batch = batch.merge(&other)?;
        n = equal(length, n)?;
    }
    c.set_output(0, batch_of(&batch, &[n, columns]));
    Ok(())
}

pub(super) fn register(r: &mut Registry) {
    let types = "T: {double, float, complex64, complex128}";
    r.add(
        Op::new("TridiagonalSolve")
            .input("diagonals: T")
            .input("rhs: T")
            .output("output: T")
            .attr("partial_pivoting: bool = true")
            .attr(types)
            .doc(
                "Returns the X with A X = B for each pair of a matrix A, given by its three diagonals, and a matrix B.",
            )
            .shape(solution)
            .kernel(solve),
    );
    r.add(
        Op::new("TridiagonalMatMul")
            .input("superdiag: T")
            .input("maindiag: T")
            .input("subdiag: T")
            .input("rhs: T")
            .output("output: T")
            .attr(types)
            .doc("Multiplies matrices that are given by their three diagonals by the matrices of a batch.")
            .shape(product)
            .kernel(multiply),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::run;
    use ferroflow_graph::AttrValue;
    use ferroflow_tensor::{DType, Tensor};

    #[test]
    fn the_product_with_a_solution_is_the_right_side() {
        let diagonals: Vec<f64> = (0..24).map(|i| ((f64::from(i) + 2.0) * 0.618_034).fract() + 0.1).collect();
        let b: Vec<f64> = (0..16).map(f64::from).collect();
        let b = Tensor::from_slice([2, 4, 2], &b).unwrap();
        let x = run("TridiagonalSolve", &[Tensor::from_slice([2, 3, 4], &diagonals).unwrap(), b.clone()], &[]).unwrap();
        let each = |d: usize| {
            let part: Vec<f64> = (0..2).flat_map(|i| diagonals[i * 12 + d * 4..][..4].to_vec()).collect();
            Tensor::from_slice([2, 1, 4], &part).unwrap()
        };
        let y = run("TridiagonalMatMul", &[each(0), each(1), each(2), x[0].clone()], &[]).unwrap();
        for (got, expected) in y[0].slice::<f64>().unwrap().iter().zip(b.slice::<f64>().unwrap()) {
            assert!((got - expected).abs() < 1e-9, "{got} {expected}");
        }
    }

    #[test]
    fn the_reason_for_a_refusal_depends_on_the_size_and_on_pivoting() {
        let refused = |n: usize, pivoting: bool| {
            let inputs = [Tensor::zeros(DType::F64, [3, n]).unwrap(), Tensor::zeros(DType::F64, [n, 1]).unwrap()];
            let attr = [("partial_pivoting", AttrValue::Bool(pivoting))];
            run("TridiagonalSolve", &inputs, &attr).unwrap_err().message().to_owned()
        };
        assert_eq!(refused(2, true), super::SINGULAR);
        assert_eq!(refused(2, false), super::PIVOT);
        assert_eq!(refused(1, true), super::SINGULAR_SCALAR);
        let two = Tensor::zeros(DType::F64, [2, 2]).unwrap();
        assert!(run("TridiagonalSolve", &[two.clone(), two], &[]).is_err());
    }
}
