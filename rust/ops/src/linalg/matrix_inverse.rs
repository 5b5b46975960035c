//! MatrixInverse: inverses of square matrices, or of their adjoints.

use super::batch::{Batch, refused};
use super::matrix_shape::unchanged_square;
use ferroflow_graph::{Kernel, KernelInit, Op, Registry, kernel, shape_rules};
use ferroflow_linalg::{Algorithms, Wide};
use ferroflow_tensor::{Result, Tensor, dispatch};

fn matrix_inverse(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let adjoint = init.bool("adjoint")?;
    let dtype = init.output_type(0)?;
    dispatch!(dtype, T in [F16, F32, F64, Complex64, Complex128], {
        kernel(move |ctx| {
            let a = ctx.input(0)?;
            let batch = Batch::of_squares(a)?;
            let (n, size) = (batch.rows, batch.size());
            let mut out = Tensor::new(dtype, a.shape().clone())?;
            batch.for_each(ctx.threads(), 2 * n * size, [a.slice()?], [out.slice_mut::<T>()?], |_, [a], [out]| {
                Wide::<T>::inverse(a, n, adjoint, out).map_err(refused("Input is not invertible."))
            })?;
            ctx.set_output(0, out);
            Ok(())
        })
    }, else Err(init.unsupported()))
}

pub(super) fn register(r: &mut Registry) {
    let op = |name: &str, types: &str| {
        Op::new(name)
            .input("input: T")
            .output("output: T")
            .attr("adjoint: bool = false")
            .attr(types)
            .doc("Returns the inverse of each square matrix, or of its adjoint.")
            .kernel(matrix_inverse)
    };
    r.add(op("MatrixInverse", "T: {double, float, half, complex64, complex128}").shape(unchanged_square));
    r.add(op("BatchMatrixInverse", "T: {double, float}").shape(shape_rules::unknown));
}

#[cfg(test)]
mod tests {
    use crate::testing::{Arg, run, run_args};
    use ferroflow_graph::AttrValue;
    use ferroflow_tensor::{DType, Tensor};
    use num_complex::Complex;

    /// Returns matrices far from singular.
    fn squares(count: usize, n: usize) -> Tensor {
        let element = |i: usize| ((i as f64 + 1.0) * 0.754_877_666).fract() - 0.5;
        let values: Vec<f64> = (0..count * n * n)
            .map(|i| element(i) + if (i % (n * n)).is_multiple_of(n + 1) { 2.0 + n as f64 / 4.0 } else { 0.0 })
            .collect();
        Tensor::from_slice([count, n, n], &values).unwrap()
    }

    #[test]
    fn a_matrix_times_its_inverse_is_one_at_any_number_of_threads() {
        for (count, n) in [(1, 1), (7, 3), (500, 4), (3, 33), (1, 150)] {
            let a = squares(count, n);
            let inverse = run("MatrixInverse", std::slice::from_ref(&a), &[]).unwrap();
            let product = run("BatchMatMul", &[a.clone(), inverse[0].clone()], &[]).unwrap();
            for (i, x) in product[0].slice::<f64>().unwrap().iter().enumerate() {
                assert!((x - f64::from((i % (n * n)).is_multiple_of(n + 1))).abs() < 1e-12);
            }
            for threads in [2, 4] {
                let again = run_args("MatrixInverse", vec![Arg::One(a.clone())], &[], threads).unwrap();
                assert!(again.values == inverse);
            }
        }
    }

    #[test]
    fn the_adjoint_is_inverted_where_asked() {
        let i = Complex::new(0.0, 1.0);
        let a = Tensor::from_slice([2, 2], &[Complex::new(2.0, 0.0), i, Complex::new(0.0, 0.0), i]).unwrap();
        let out = run("MatrixInverse", &[a], &[("adjoint", AttrValue::Bool(true))]).unwrap();
        let out = out[0].slice::<Complex<f64>>().unwrap();
        let expected = [Complex::new(0.5, 0.0), Complex::new(0.0, 0.0), Complex::new(-0.5, 0.0), i];
        assert!(out.iter().zip(expected).all(|(a, b)| (a - b).norm() < 1e-15), "{out:?}");
    }

    #[test]
    fn empty_matrices_pass_and_singular_ones_are_refused() {
        for shape in [[0, 2, 2], [3, 0, 0]] {
            let out = run("MatrixInverse", &[Tensor::zeros(DType::F32, shape).unwrap()], &[]).unwrap();
            assert_eq!(out[0].shape(), &shape.into());
        }
        let singular = Tensor::from_slice([2, 2], &[1.0f32, 1.0, 1.0, 1.0]).unwrap();
        assert_eq!(run("MatrixInverse", &[singular], &[]).unwrap_err().message(), "Input is not invertible.");
        assert!(run("MatrixInverse", &[Tensor::zeros(DType::F32, [2, 3]).unwrap()], &[]).is_err());
        assert!(run("BatchMatrixInverse", &[Tensor::zeros(DType::F32, [3]).unwrap()], &[]).is_err());
    }
}
