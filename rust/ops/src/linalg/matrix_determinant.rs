//! MatrixDeterminant, LogMatrixDeterminant.

use super::batch::Batch;
use super::matrix_shape::squares;
use ferroflow_graph::{Kernel, KernelInit, Op, Registry, ShapeContext, kernel, shape_rules};
use ferroflow_linalg::{Algorithms, Wide};
use ferroflow_tensor::{Result, Tensor, dispatch};

fn matrix_determinant(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let dtype = init.output_type(0)?;
    dispatch!(dtype, T in [F16, F32, F64, Complex64, Complex128], {
        kernel(move |ctx| {
            let a = ctx.input(0)?;
            let batch = Batch::of_squares(a)?;
            let (n, size) = (batch.rows, batch.size());
            let mut out = Tensor::new(dtype, batch.shape_of(&[])?)?;
            batch.for_each(ctx.threads(), n * size, [a.slice()?], [out.slice_mut::<T>()?], |_, [a], [out]| {
                out.fill(Wide::<T>::determinant(a, n));
                Ok(())
            })?;
            ctx.set_output(0, out);
            Ok(())
        })
    }, else Err(init.unsupported()))
}

fn log_matrix_determinant(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let dtype = init.output_type(0)?;
    dispatch!(dtype, T in [F16, F32, F64, Complex64, Complex128], {
        kernel(move |ctx| {
            let a = ctx.input(0)?;
            let batch = Batch::of_squares(a)?;
            let (n, size) = (batch.rows, batch.size());
            let mut sign = Tensor::new(dtype, batch.shape_of(&[])?)?;
            let mut log = Tensor::new(dtype, batch.shape_of(&[])?)?;
            let outputs = [sign.slice_mut::<T>()?, log.slice_mut::<T>()?];
            batch.for_each(ctx.threads(), n * size, [a.slice()?], outputs, |_, [a], [sign, log]| {
                let (phase, logarithm) = Wide::<T>::log_determinant(a, n);
                sign.fill(phase);
                log.fill(logarithm);
                Ok(())
            })?;
            ctx.set_output(0, sign);
            ctx.set_output(1, log);
            Ok(())
        })
    }, else Err(init.unsupported()))
}

fn one_for_each(c: &mut ShapeContext<'_>) -> Result<()> {
    if let Some((batch, _)) = squares(c)? {
        for i in 0..c.num_outputs() {
            c.set_output(i, batch.clone());
        }
    }
    Ok(())
}

pub(super) fn register(r: &mut Registry) {
    let types = "T: {half, float, double, complex64, complex128}";
    let plain = |name: &str, types: &str| {
        Op::new(name)
            .input("input: T")
            .output("output: T")
            .attr(types)
            .doc("Returns the determinant of each square matrix.")
            .kernel(matrix_determinant)
    };
    r.add(plain("MatrixDeterminant", types).shape(one_for_each));
    r.add(plain("BatchMatrixDeterminant", "T: {float, double, complex64, complex128}").shape(shape_rules::unknown));
    r.add(
        Op::new("LogMatrixDeterminant")
            .input("input: T")
            .output("sign: T")
            .output("log_abs_determinant: T")
            .attr(types)
            .doc(
                "Returns the sign, or the phase, of each square matrix's determinant, and the logarithm of its absolute value.",
            )
            .shape(one_for_each)
            .kernel(log_matrix_determinant),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::run;
    use ferroflow_tensor::{DType, Tensor};

    fn det(op: &str, a: &[f64], n: usize) -> Vec<f64> {
        let out = run(op, &[Tensor::from_slice([n, n], a).unwrap()], &[]).unwrap();
        out.iter().map(|t| t.slice::<f64>().unwrap()[0]).collect()
    }

    #[test]
    fn exchanged_rows_change_the_sign() {
        let cycle = [0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 2.0, 0.0, 0.0];
        assert_eq!(det("MatrixDeterminant", &cycle, 3), [2.0]);
        assert_eq!(det("MatrixDeterminant", &[0.0, 3.0, 1.0, 0.0], 2), [-3.0]);
        let logarithm = det("LogMatrixDeterminant", &[0.0, 3.0, 1.0, 0.0], 2);
        assert!(logarithm[0] == -1.0 && (logarithm[1] - 3.0f64.ln()).abs() < 4e-16);
    }

    #[test]
    fn singular_empty_and_extreme_matrices_have_determinants() {
        assert_eq!(det("MatrixDeterminant", &[1.0, 2.0, 2.0, 4.0], 2), [0.0]);
        assert_eq!(det("LogMatrixDeterminant", &[1.0, 2.0, 2.0, 4.0], 2), [0.0, f64::NEG_INFINITY]);
        let empty = run("MatrixDeterminant", &[Tensor::zeros(DType::F32, [2, 0, 0]).unwrap()], &[]).unwrap();
        assert_eq!(empty[0].slice::<f32>().unwrap(), [1.0, 1.0]);
        let extreme = [1e200, 0.0, 0.0, 0.0, 1e200, 0.0, 0.0, 0.0, 1e-300];
        assert!((det("MatrixDeterminant", &extreme, 3)[0] / 1e100 - 1.0).abs() < 1e-12);
    }
}
