//! Cholesky, CholeskyGrad.

use super::batch::{Batch, refused};
use super::matrix_shape::unchanged_square;
use ferroflow_graph::{Kernel, KernelInit, Op, Registry, kernel, shape_rules};
use ferroflow_linalg::{Algorithms, Element, Failure, Real, Wide};
use ferroflow_tensor::{DType, Result, Scalar, Tensor, dispatch, ensure};

const NOT_POSITIVE: &str = "Cholesky decomposition was not successful. The input might not be valid.";

/// Returns a kernel that factors each matrix by `factor`, which has its side and a scratch vector.
fn factoring<T: Element + Scalar>(
    dtype: DType,
    factor: impl Fn(&[T], usize, &mut [T], &mut Vec<Wide<T>>) -> Result<(), Failure> + Send + Sync + 'static,
) -> Result<Box<dyn Kernel>> {
    kernel(move |ctx| {
        let a = ctx.input(0)?;
        let batch = Batch::of_squares(a)?;
        let (n, size) = (batch.rows, batch.size());
        let mut out = Tensor::new(dtype, a.shape().clone())?;
        let outputs = [out.slice_mut::<T>()?];
        batch.for_each_as_is(ctx.threads(), n * size / 3, [a.slice()?], outputs, |_, [a], [out], scratch| {
            factor(a, n, out, scratch).map_err(refused(NOT_POSITIVE))
        })?;
        ctx.set_output(0, out);
        Ok(())
    })
}

/// Factors a matrix in double precision.
fn wide<T: Element>(a: &[T], n: usize, out: &mut [T], scratch: &mut Vec<Wide<T>>) -> Result<(), Failure> {
    T::widened([a], [out], scratch, |[a], [out]| Wide::<T>::cholesky(a, n, out))
}

/// Factors a matrix of real numbers, a small one with TensorFlow's bits.
fn real<T: Element + Real>(a: &[T], n: usize, out: &mut [T], scratch: &mut Vec<Wide<T>>) -> Result<(), Failure> {
    T::small_cholesky(a, n, out).unwrap_or_else(|| wide(a, n, out, scratch))
}

fn cholesky(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let dtype = init.output_type(0)?;
    match dtype {
        DType::F32 => factoring(dtype, real::<f32>),
        DType::F64 => factoring(dtype, real::<f64>),
        _ => dispatch!(dtype, T in [F16, Complex64, Complex128], factoring(dtype, wide::<T>), else {
            Err(init.unsupported())
        }),
    }
}

fn cholesky_grad(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let dtype = init.output_type(0)?;
    dispatch!(dtype, T in [F16, F32, F64], {
        kernel(move |ctx| {
            let (l, g) = (ctx.input(0)?, ctx.input(1)?);
            let batch = Batch::of(l, 0)?;
            let gradients = batch.beside(g)?;
            ensure!(
                (batch.rows, batch.columns) == (gradients.rows, gradients.columns),
                InvalidArgument,
                "Inputs (L and grad) must have the same shape."
            );
            ensure!(batch.rows == batch.columns, InvalidArgument, "Inputs must be a square matrices.");
            let (n, size) = (batch.rows, batch.size());
            let mut out = Tensor::new(dtype, l.shape().clone())?;
            let inputs = [l.slice()?, g.slice()?];
            batch.for_each(ctx.threads(), 3 * n * size, inputs, [out.slice_mut::<T>()?], |_, [l, g], [out]| {
                Wide::<T>::cholesky_gradient(l, g, n, out);
                Ok(())
            })?;
            ctx.set_output(0, out);
            Ok(())
        })
    }, else Err(init.unsupported()))
}

pub(super) fn register(r: &mut Registry) {
    let factor = |name: &str, types: &str| {
        Op::new(name)
            .input("input: T")
            .output("output: T")
            .attr(types)
            .doc(
                "Returns the lower triangular matrix whose product with its adjoint is the input, which is positive \
                 definite.",
            )
            .kernel(cholesky)
    };
    let gradient = |name: &str, types: &str| {
        Op::new(name)
            .input("l: T")
            .input("grad: T")
            .output("output: T")
            .attr(types)
            .doc("Returns the gradient of a Cholesky decomposition's input, of that of its result.")
            .kernel(cholesky_grad)
    };
    r.add(factor("Cholesky", "T: {double, float, half, complex64, complex128}").shape(unchanged_square));
    r.add(factor("BatchCholesky", "T: {double, float}").shape(shape_rules::unknown));
    r.add(gradient("CholeskyGrad", "T: {half, float, double}").shape(unchanged_square));
    r.add(gradient("BatchCholeskyGrad", "T: {float, double}").shape(shape_rules::unknown));
}

#[cfg(test)]
mod tests {
    use crate::testing::run;
    use ferroflow_tensor::{DType, Tensor};
    use num_complex::Complex;

    #[test]
    fn the_factor_times_its_adjoint_is_the_matrix() {
        let (i, one) = (Complex::new(0.0, 1.0), Complex::new(1.0, 0.0));
        let a = Tensor::from_slice([2, 2], &[one * 4.0, i * 9.0, i * 2.0, one * 3.0]).unwrap();
        let l = run("Cholesky", &[a], &[]).unwrap();
        let expected = [one * 2.0, one * 0.0, i, one * 2.0f64.sqrt()];
        let l = l[0].slice::<Complex<f64>>().unwrap();
        assert!(l.iter().zip(expected).all(|(a, b)| (a - b).norm() < 1e-15), "{l:?}");
    }

    #[test]
    fn the_gradient_is_that_of_the_square_root() {
        let gradient = |l: f64| {
            let l = Tensor::from_slice([1, 1, 1], &[l]).unwrap();
            run("CholeskyGrad", &[l, Tensor::from_slice([1, 1, 1], &[1.0f64]).unwrap()], &[]).unwrap()[0].clone()
        };
        assert_eq!(gradient(2.0).slice::<f64>().unwrap(), [0.25]);
    }

    #[test]
    fn what_is_not_positive_definite_is_refused() {
        for bad in [[1.0f32, 0.0, 0.0, -1.0], [1.0, 2.0, 2.0, 1.0]] {
            let error = run("Cholesky", &[Tensor::from_slice([2, 2], &bad).unwrap()], &[]).unwrap_err();
            assert!(error.message().starts_with("Cholesky decomposition was not successful."));
        }
        let empty = run("Cholesky", &[Tensor::zeros(DType::F32, [3, 0, 0]).unwrap()], &[]).unwrap();
        assert_eq!(empty[0].shape(), &[3, 0, 0].into());
    }
}
