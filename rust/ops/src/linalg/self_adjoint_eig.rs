//! SelfAdjointEig, SelfAdjointEigV2: eigenvalues and eigenvectors of self-adjoint matrices.

use super::batch::{Batch, refused};
use super::matrix_shape::{batch_of, squares};
use ferroflow_graph::{Kernel, KernelInit, Op, Registry, ShapeContext, kernel, shape_rules};
use ferroflow_linalg::{Algorithms, Wide};
use ferroflow_tensor::{PartialShape, Result, Tensor, dispatch};

const FAILED: &str = "Self-adjoint eigen decomposition was not successful. The input might not be valid.";
/// Multiplications for one element of a matrix's cube.
const WORK: usize = 9;

fn with_vectors(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let wants_vectors = init.bool("compute_v")?;
    let dtype = init.output_type(0)?;
    dispatch!(dtype, T in [F16, F32, F64, Complex64, Complex128], {
        kernel(move |ctx| {
            let a = ctx.input(0)?;
            let batch = Batch::of_squares(a)?;
            let (n, size) = (batch.rows, batch.size());
            let mut values = Tensor::new(dtype, batch.shape_of(&[n])?)?;
            let mut vectors =
                if wants_vectors { Tensor::new(dtype, a.shape().clone())? } else { Tensor::new(dtype, [0])? };
            let outputs = [values.slice_mut::<T>()?, vectors.slice_mut::<T>()?];
            batch.for_each(ctx.threads(), WORK * n * size, [a.slice()?], outputs, |_, [a], [values, vectors]| {
                if wants_vectors {
                    Wide::<T>::self_adjoint_eigen(a, n, values, vectors).map_err(refused(FAILED))
                } else {
                    Wide::<T>::self_adjoint_eigenvalues(a, n, values).map_err(refused(FAILED))
                }
            })?;
            ctx.set_output(0, values);
            ctx.set_output(1, vectors);
            Ok(())
        })
    }, else Err(init.unsupported()))
}

/// Eigenvalues in the first row, eigenvectors in the columns below.
fn stacked(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let dtype = init.output_type(0)?;
    dispatch!(dtype, T in [F16, F32, F64], {
        kernel(move |ctx| {
            let a = ctx.input(0)?;
            let batch = Batch::of_squares(a)?;
            let (n, size) = (batch.rows, batch.size());
            let mut out = Tensor::new(dtype, batch.shape_of(&[n + 1, n])?)?;
            batch.for_each(ctx.threads(), WORK * n * size, [a.slice()?], [out.slice_mut::<T>()?], |_, [a], [out]| {
                let (values, vectors) = out.split_at_mut(n);
                Wide::<T>::self_adjoint_eigen(a, n, values, vectors).map_err(refused(FAILED))
            })?;
            ctx.set_output(0, out);
            Ok(())
        })
    }, else Err(init.unsupported()))
}

fn shapes(c: &mut ShapeContext<'_>) -> Result<()> {
    let wants_vectors = c.bool("compute_v")?;
    let found = squares(c)?;
    if let Some((batch, n)) = &found {
        c.set_output(0, batch_of(batch, &[*n]));
    }
    match found {
        Some((batch, n)) if wants_vectors => c.set_output(1, batch_of(&batch, &[n, n])),
        None if wants_vectors => {}
        _ => c.set_output(1, PartialShape::vector(Some(0))),
    }
    Ok(())
}

fn stacked_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    if let Some((batch, n)) = squares(c)? {
        c.set_output(0, batch_of(&batch, &[n.map(|n| n + 1), n]));
    }
    Ok(())
}

pub(super) fn register(r: &mut Registry) {
    let op = |name: &str, types: &str| {
        Op::new(name)
            .input("input: T")
            .output("e: T")
            .output("v: T")
            .attr("compute_v: bool = true")
            .attr(types)
            .doc("Returns the eigenvalues, ascending, and the eigenvectors, as columns, of each self-adjoint matrix.")
            .kernel(with_vectors)
    };
    let old = |name: &str| {
        Op::new(name)
            .input("input: T")
            .output("output: T")
            .attr("T: {double, float}")
            .doc(
                "Returns the eigenvalues of each self-adjoint matrix in a first row, the eigenvectors in the columns \
                 below.",
            )
            .kernel(stacked)
    };
    r.add(op("SelfAdjointEigV2", "T: {double, float, half, complex64, complex128}").shape(shapes));
    r.add(op("BatchSelfAdjointEigV2", "T: {double, float}").shape(shape_rules::unknown));
    r.add(old("SelfAdjointEig").shape(stacked_shape));
    r.add(old("BatchSelfAdjointEig").shape(shape_rules::unknown));
}

#[cfg(test)]
mod tests {
    use crate::testing::run;
    use ferroflow_graph::AttrValue;
    use ferroflow_tensor::Tensor;
    use num_complex::Complex;

    #[test]
    fn values_ascend_and_vectors_are_kept_in_direction() {
        let a = Tensor::from_slice([2, 2], &[1.0f64, f64::NAN, 2.0, 1.0]).unwrap();
        let out = run("SelfAdjointEigV2", std::slice::from_ref(&a), &[]).unwrap();
        let (e, v) = (out[0].slice::<f64>().unwrap(), out[1].slice::<f64>().unwrap());
        assert!((e[0] + 1.0).abs() < 1e-15 && (e[1] - 3.0).abs() < 1e-15);
        assert!((v[0] + v[2]).abs() < 1e-15 && (v[1] - v[3]).abs() < 1e-15);
        let old = run("SelfAdjointEig", &[a], &[]).unwrap();
        assert_eq!(old[0].slice::<f64>().unwrap(), [e, v].concat());
    }

    #[test]
    fn complex_values_are_real_with_and_without_vectors() {
        let (i, one) = (Complex::new(0.0f32, 1.0), Complex::new(1.0f32, 0.0));
        let a = Tensor::from_slice([2, 2], &[one, -i, i, one]).unwrap();
        for computes in [false, true] {
            let attrs = [("compute_v", AttrValue::Bool(computes))];
            let out = run("SelfAdjointEigV2", std::slice::from_ref(&a), &attrs).unwrap();
            let e = out[0].slice::<Complex<f32>>().unwrap();
            assert!(e[0].norm() < 1e-6 && (e[1] - 2.0).norm() < 1e-6);
            assert_eq!(out[1].elements(), if computes { 4 } else { 0 });
        }
    }

    #[test]
    fn elements_that_are_not_finite_are_refused() {
        let a = Tensor::from_slice([2, 2], &[1.0f32, 0.0, f32::INFINITY, 1.0]).unwrap();
        assert!(run("SelfAdjointEigV2", &[a], &[]).unwrap_err().message().starts_with("Self-adjoint eigen"));
    }
}
