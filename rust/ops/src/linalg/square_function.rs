//! MatrixExponential, MatrixLogarithm, MatrixSquareRoot: functions of square matrices that cannot fail.

use super::batch::Batch;
use super::matrix_shape::unchanged_square;
use ferroflow_graph::{Kernel, KernelInit, Op, Registry, kernel};
use ferroflow_linalg::{Algorithms, Wide};
use ferroflow_tensor::{Result, Tensor, dispatch};

/// Multiplications for one element of a matrix's cube.
const WORK: usize = 30;

macro_rules! square_function {
    ($init:expr, $f:ident, [$($v:ident),*]) => {{
        let init = $init;
        let dtype = init.output_type(0)?;
        dispatch!(dtype, T in [$($v),*], {
            kernel(move |ctx| {
                let a = ctx.input(0)?;
                let batch = Batch::of_squares(a)?;
                let (n, size) = (batch.rows, batch.size());
                let mut out = Tensor::new(dtype, a.shape().clone())?;
                let outputs = [out.slice_mut::<T>()?];
                batch.for_each(ctx.threads(), WORK * n * size, [a.slice::<T>()?], outputs, |_, [a], [out]| {
                    Wide::<T>::$f(a, n, out);
                    Ok(())
                })?;
                ctx.set_output(0, out);
                Ok(())
            })
        }, else Err(init.unsupported()))
    }};
}

fn matrix_exponential(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    square_function!(init, exponential, [F16, F32, F64, Complex64, Complex128])
}

fn matrix_logarithm(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    square_function!(init, logarithm, [Complex64, Complex128])
}

fn matrix_square_root(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    square_function!(init, square_root, [F16, F32, F64, Complex64, Complex128])
}

pub(super) fn register(r: &mut Registry) {
    let op = |name: &str| Op::new(name).input("input: T").output("output: T").shape(unchanged_square);
    r.add(
        op("MatrixExponential")
            .attr("T: {double, float, half, complex64, complex128}")
            .doc("Returns the matrix exponential of each matrix: the sum of its powers over the factorials.")
            .kernel(matrix_exponential),
    );
    r.add(
        op("MatrixLogarithm")
            .attr("T: {complex64, complex128}")
            .doc("Returns the principal matrix logarithm of each matrix.")
            .kernel(matrix_logarithm),
    );
    r.add(
        op("MatrixSquareRoot")
            .attr("T: {double, float, half, complex64, complex128}")
            .doc("Returns the principal matrix square root of each matrix.")
            .kernel(matrix_square_root),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::run;
    use ferroflow_tensor::Tensor;
    use num_complex::Complex;

    fn assert_close(a: &[f64], b: &[f64], tolerance: f64) {
        assert_eq!(a.len(), b.len());
        assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() < tolerance), "{a:?} {b:?}");
    }

    #[test]
    fn the_exponential_of_a_rotation_rate_is_a_rotation_at_any_speed() {
        for angle in [1e-3f64, 0.2, 0.9, 2.0, 5.0, 40.0] {
            let a = Tensor::from_slice([2, 2], &[0.0, -angle, angle, 0.0]).unwrap();
            let out = run("MatrixExponential", &[a], &[]).unwrap();
            let (s, c) = angle.sin_cos();
            assert_close(out[0].slice().unwrap(), &[c, -s, s, c], 1e-12);
        }
    }

    #[test]
    fn a_square_root_squared_is_the_matrix() {
        let a = [4.0, 1.0, 0.5, -2.0, 3.0, 1.0, 0.0, 0.25, 5.0];
        let root = &run("MatrixSquareRoot", &[Tensor::from_slice([3, 3], &a).unwrap()], &[]).unwrap()[0];
        let root = root.slice::<f64>().unwrap();
        let square: Vec<f64> =
            (0..9).map(|c| (0..3).map(|k| root[c / 3 * 3 + k] * root[3 * k + c % 3]).sum()).collect();
        assert_close(&square, &a, 1e-12);
    }

    #[test]
    fn a_logarithm_undoes_the_exponential() {
        let a: Vec<Complex<f64>> =
            (0..16).map(|i| Complex::new((f64::from(i) * 0.7).sin(), (f64::from(i) * 1.3).cos()) * 0.6).collect();
        let exp = run("MatrixExponential", &[Tensor::from_slice([4, 4], &a).unwrap()], &[]).unwrap();
        let log = run("MatrixLogarithm", &exp, &[]).unwrap();
        for (a, b) in a.iter().zip(log[0].slice::<Complex<f64>>().unwrap()) {
            assert!((a - b).norm() < 1e-12, "{a} {b}");
        }
    }

    #[test]
    fn elements_that_are_no_numbers_give_elements_that_are_none() {
        for op in ["MatrixExponential", "MatrixSquareRoot"] {
            let out = run(op, &[Tensor::from_slice([2, 2], &[1.0f32, f32::NAN, 0.0, 1.0]).unwrap()], &[]).unwrap();
            assert!(out[0].slice::<f32>().unwrap().iter().all(|x| x.is_nan()));
        }
    }
}
