//! MatrixSolveLs: least-squares solutions.

use super::batch::{Batch, refused};
use super::matrix_shape::least_squares_solution;
use ferroflow_graph::{Kernel, KernelInit, Op, Registry, kernel, shape_rules};
use ferroflow_linalg::{Algorithms, Element, System, Wide};
use ferroflow_tensor::{Result, Tensor, dispatch, ensure};

const DEFICIENT: &str = "Input matrix was rank deficient or ill-conditioned. Try setting fast=False or provide a larger \
                         l2_regularizer > 0.";
const NOT_FINITE: &str = "The decomposition of the matrix was not successful. The input might not be valid.";

fn matrix_solve_ls(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let fast = init.bool("fast")?;
    let dtype = init.output_type(0)?;
    dispatch!(dtype, T in [F32, F64, Complex64, Complex128], {
        kernel(move |ctx| {
            let (a, b, regularizer) = (ctx.input(0)?, ctx.input(1)?, ctx.input(2)?);
            let left = Batch::of(a, 0)?;
            let right = left.beside(b)?;
            ensure!(left.rows == right.rows, InvalidArgument, "Input matrix and rhs are incompatible.");
            ensure!(
                regularizer.rank() == 0,
                InvalidArgument,
                "l2_regularizer must be scalar, got shape {}",
                regularizer.shape()
            );
            let regularizer = regularizer.to_scalar::<f64>()?;
            ensure!(regularizer >= 0.0, InvalidArgument, "l2_regularizer must be >= 0.");
            let (rows, columns, k) = (left.rows, left.columns, right.columns);
            let mut out = Tensor::zeros(dtype, left.shape_of(&[columns, k])?)?;
            let system = System { rows, columns, right: k, regularizer, epsilon: <T as Element>::EPSILON };
            let work = left.size() * (rows.min(columns) + k);
            left.for_each(ctx.threads(), work, [a.slice()?, b.slice()?], [out.slice_mut::<T>()?], |_, [a, b], [x]| {
                if fast {
                    Wide::<T>::least_squares_fast(a, b, system, x).map_err(refused(DEFICIENT))
                } else {
                    Wide::<T>::least_squares_by_norm(a, b, system, x).map_err(refused(NOT_FINITE))
                }
            })?;
            ctx.set_output(0, out);
            Ok(())
        })
    }, else Err(init.unsupported()))
}

pub(super) fn register(r: &mut Registry) {
    let op = |name: &str, types: &str| {
        Op::new(name)
            .input("matrix: T")
            .input("rhs: T")
            .input("l2_regularizer: double")
            .output("output: T")
            .attr(types)
            .attr("fast: bool = true")
            .doc(
                "Returns the X of least |A X - B|^2 + l2_regularizer |X|^2 for each pair of matrices A and B. Of \
                 several such X it is the smallest.",
            )
            .kernel(matrix_solve_ls)
    };
    r.add(op("MatrixSolveLs", "T: {double, float, half, complex64, complex128}").shape(least_squares_solution));
    r.add(op("BatchMatrixSolveLs", "T: {double, float}").shape(shape_rules::unknown));
}

#[cfg(test)]
mod tests {
    use crate::testing::run;
    use ferroflow_graph::AttrValue;
    use ferroflow_tensor::{DType, Tensor};

    fn solve(a: &[f64], shape: [usize; 2], b: &[f64], l2: f64, fast: bool) -> Vec<f64> {
        let inputs =
            [Tensor::from_slice(shape, a).unwrap(), Tensor::from_slice([shape[0], 1], b).unwrap(), Tensor::scalar(l2)];
        run("MatrixSolveLs", &inputs, &[("fast", AttrValue::Bool(fast))]).unwrap()[0].slice().unwrap().to_vec()
    }

    #[test]
    fn a_line_is_fitted_and_a_short_solution_found() {
        for fast in [false, true] {
            let line = solve(&[1.0, 0.0, 1.0, 1.0, 1.0, 2.0], [3, 2], &[1.0, 2.0, 4.0], 0.0, fast);
            assert!((line[0] - 5.0 / 6.0).abs() < 1e-13 && (line[1] - 1.5).abs() < 1e-13, "{line:?}");
            let short = solve(&[3.0, 4.0], [1, 2], &[5.0], 0.0, fast);
            assert!((short[0] - 0.6).abs() < 1e-14 && (short[1] - 0.8).abs() < 1e-14, "{short:?}");
        }
        assert!((solve(&[2.0], [1, 1], &[3.0], 1.0, true)[0] - 1.2).abs() < 1e-15);
    }

    #[test]
    fn a_matrix_of_low_rank_is_solved_slowly_and_refused_fast() {
        let x = solve(&[1.0, 1.0, 1.0, 1.0], [2, 2], &[1.0, 3.0], 0.0, false);
        assert!(x.iter().all(|x| (x - 1.0).abs() < 1e-14), "{x:?}");
        let zeros = |shape: [usize; 2]| Tensor::zeros(DType::F64, shape).unwrap();
        let error = run("MatrixSolveLs", &[zeros([2, 2]), zeros([2, 1]), Tensor::scalar(0.0f64)], &[]).unwrap_err();
        assert!(error.message().contains("rank deficient"));
        let negative = run("MatrixSolveLs", &[zeros([2, 2]), zeros([2, 1]), Tensor::scalar(-1.0f64)], &[]);
        assert!(negative.unwrap_err().message().contains("must be >= 0"));
    }
}
