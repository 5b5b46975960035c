//! MatrixSolve, MatrixTriangularSolve: solutions of square systems.

use super::batch::{Batch, refused};
use super::matrix_shape::square_solution;
use ferroflow_graph::{Kernel, KernelContext, KernelInit, Op, Registry, kernel, shape_rules};
use ferroflow_linalg::{Algorithms, Triangle, Wide};
use ferroflow_tensor::{Result, Tensor, dispatch, ensure};

const SINGULAR: &str = "Input matrix is not invertible.";

/// Returns the batches of A and B, and a tensor for X.
fn system(ctx: &KernelContext<'_>) -> Result<(Batch, Batch, Tensor)> {
    let (a, b) = (ctx.input(0)?, ctx.input(1)?);
    let left = Batch::of(a, 0)?;
    let right = left.beside(b)?;
    ensure!(left.rows == left.columns, InvalidArgument, "First input (lhs) must be a square matrix.");
    ensure!(left.rows == right.rows, InvalidArgument, "Input matrix and rhs are incompatible.");
    Ok((left, right, Tensor::new(b.dtype(), b.shape().clone())?))
}

fn matrix_solve(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let adjoint = init.bool("adjoint")?;
    let dtype = init.output_type(0)?;
    dispatch!(dtype, T in [F32, F64, Complex64, Complex128], {
        kernel(move |ctx| {
            let (left, right, mut out) = system(ctx)?;
            let (n, k) = (left.rows, right.columns);
            let inputs = [ctx.input(0)?.slice()?, ctx.input(1)?.slice()?];
            left.for_each(ctx.threads(), n * n * (n + k), inputs, [out.slice_mut::<T>()?], |_, [a, b], [x]| {
                Wide::<T>::solve(a, n, b, k, adjoint, x).map_err(refused(SINGULAR))
            })?;
            ctx.set_output(0, out);
            Ok(())
        })
    }, else Err(init.unsupported()))
}

fn matrix_triangular_solve(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let adjoint = init.bool("adjoint")?;
    let triangle = if init.bool("lower")? { Triangle::Lower } else { Triangle::Upper };
    let dtype = init.output_type(0)?;
    dispatch!(dtype, T in [F32, F64, Complex64, Complex128], {
        kernel(move |ctx| {
            let (left, right, mut out) = system(ctx)?;
            let (n, k) = (left.rows, right.columns);
            let inputs = [ctx.input(0)?.slice()?, ctx.input(1)?.slice()?];
            left.for_each(ctx.threads(), n * n * k, inputs, [out.slice_mut::<T>()?], |_, [a, b], [x]| {
                Wide::<T>::solve_triangular(a, n, triangle, b, k, adjoint, x).map_err(refused(SINGULAR))
            })?;
            ctx.set_output(0, out);
            Ok(())
        })
    }, else Err(init.unsupported()))
}

pub(super) fn register(r: &mut Registry) {
    let all = "T: {double, float, half, complex64, complex128}";
    let real = "T: {double, float}";
    let op = |name: &str| Op::new(name).input("matrix: T").input("rhs: T").output("output: T");
    let general = |name: &str, types: &str| {
        op(name)
            .attr("adjoint: bool = false")
            .attr(types)
            .doc("Returns the X with A X = B for each pair of a square matrix A, or its adjoint, and a matrix B.")
            .kernel(matrix_solve)
    };
    let triangular = |name: &str, types: &str| {
        op(name)
            .attr("lower: bool = true")
            .attr("adjoint: bool = false")
            .attr(types)
            .doc("Returns the X with A X = B for each pair of a triangular matrix A, or its adjoint, and a matrix B.")
            .kernel(matrix_triangular_solve)
    };
    r.add(general("MatrixSolve", all).shape(square_solution));
    r.add(general("BatchMatrixSolve", real).shape(shape_rules::unknown));
    r.add(triangular("MatrixTriangularSolve", all).shape(square_solution));
    r.add(triangular("BatchMatrixTriangularSolve", real).shape(shape_rules::unknown));
}

#[cfg(test)]
mod tests {
    use crate::testing::run;
    use ferroflow_graph::AttrValue;
    use ferroflow_tensor::{DType, Tensor};

    fn flags(adjoint: bool, lower: Option<bool>) -> Vec<(&'static str, AttrValue)> {
        let mut flags = vec![("adjoint", AttrValue::Bool(adjoint))];
        flags.extend(lower.map(|lower| ("lower", AttrValue::Bool(lower))));
        flags
    }

    #[test]
    fn a_system_and_that_of_its_adjoint_are_solved() {
        let a = Tensor::from_slice([2, 2], &[1.0f64, 2.0, 3.0, 4.0]).unwrap();
        let b = Tensor::from_slice([2, 1], &[5.0f64, 6.0]).unwrap();
        for (adjoint, expected) in [(false, [-4.0, 4.5]), (true, [-1.0, 2.0])] {
            let x = run("MatrixSolve", &[a.clone(), b.clone()], &flags(adjoint, None)).unwrap();
            let x = x[0].slice::<f64>().unwrap();
            assert!(x.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-14), "{x:?}");
        }
    }

    #[test]
    fn a_triangular_system_reads_its_half_alone() {
        let a = Tensor::from_slice([2, 2], &[2.0f32, f32::NAN, 1.0, 4.0]).unwrap();
        let b = Tensor::from_slice([2, 1], &[2.0f32, 9.0]).unwrap();
        let x = run("MatrixTriangularSolve", &[a.clone(), b.clone()], &flags(false, Some(true))).unwrap();
        assert_eq!(x[0].slice::<f32>().unwrap(), [1.0, 2.0]);
        let x = run("MatrixTriangularSolve", &[a, b], &flags(true, Some(true))).unwrap();
        assert_eq!(x[0].slice::<f32>().unwrap(), [-0.125, 2.25]);
    }

    #[test]
    fn singular_and_ill_shaped_systems_are_refused() {
        let zeros = |shape: &[usize]| Tensor::zeros(DType::F64, ferroflow_tensor::Shape::new(shape)).unwrap();
        for op in ["MatrixSolve", "MatrixTriangularSolve"] {
            let error = run(op, &[zeros(&[2, 2]), zeros(&[2, 1])], &[]).unwrap_err();
            assert_eq!(error.message(), "Input matrix is not invertible.");
            let empty = run(op, &[zeros(&[3, 0, 0]), zeros(&[3, 0, 2])], &[]).unwrap();
            assert_eq!(empty[0].shape(), &[3, 0, 2].into());
            assert_eq!(run(op, &[zeros(&[2, 2]), zeros(&[2, 0])], &[]).unwrap()[0].shape(), &[2, 0].into());
            let batch = format!("Batch{op}");
            for (a, b) in [(&[2, 3][..], &[2, 1][..]), (&[2, 2], &[3, 1]), (&[4, 2, 2], &[2, 1]), (&[2], &[2])] {
                assert!(run(op, &[zeros(a), zeros(b)], &[]).is_err());
                assert!(run(&batch, &[zeros(a), zeros(b)], &[]).is_err());
            }
        }
    }
}
