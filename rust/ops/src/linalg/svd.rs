//! Svd: singular values and vectors.

use super::batch::{Batch, refused};
use super::matrix_shape::{batch_of, smaller, split};
use ferroflow_graph::{Kernel, KernelInit, Op, Registry, ShapeContext, kernel, shape_rules};
use ferroflow_linalg::{Algorithms, Wide};
use ferroflow_tensor::{PartialShape, Result, Tensor, dispatch};

const FAILED: &str = "SVD was not successful. The input might not be valid.";
/// Multiplications for one element of a matrix times its shorter side.
const WORK: usize = 12;

fn svd(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let (wants_vectors, full) = (init.bool("compute_uv")?, init.bool("full_matrices")?);
    let dtype = init.output_type(0)?;
    dispatch!(dtype, T in [F16, F32, F64, Complex64, Complex128], {
        kernel(move |ctx| {
            let a = ctx.input(0)?;
            let batch = Batch::of(a, 0)?;
            let (rows, columns, size) = (batch.rows, batch.columns, batch.size());
            let shortest = rows.min(columns);
            let vectors = |side: usize| match (wants_vectors, full) {
                (false, _) => Tensor::new(dtype, [0]),
                (true, true) => Tensor::new(dtype, batch.shape_of(&[side, side])?),
                (true, false) => Tensor::new(dtype, batch.shape_of(&[side, shortest])?),
            };
            let mut s = Tensor::new(dtype, batch.shape_of(&[shortest])?)?;
            let (mut u, mut v) = (vectors(rows)?, vectors(columns)?);
            let outputs = [s.slice_mut::<T>()?, u.slice_mut::<T>()?, v.slice_mut::<T>()?];
            batch.for_each(ctx.threads(), WORK * size * shortest, [a.slice()?], outputs, |_, [a], [s, u, v]| {
                if wants_vectors {
                    Wide::<T>::svd(a, (rows, columns), full, s, u, v).map_err(refused(FAILED))
                } else {
                    Wide::<T>::singular_values(a, (rows, columns), s).map_err(refused(FAILED))
                }
            })?;
            ctx.set_output(0, s);
            ctx.set_output(1, u);
            ctx.set_output(2, v);
            Ok(())
        })
    }, else Err(init.unsupported()))
}

fn shapes(c: &mut ShapeContext<'_>) -> Result<()> {
    let (wants_vectors, full) = (c.bool("compute_uv")?, c.bool("full_matrices")?);
    let found = split(c.input(0)?)?;
    if !wants_vectors {
        c.set_output(1, PartialShape::vector(Some(0)));
        c.set_output(2, PartialShape::vector(Some(0)));
    }
    let Some((batch, rows, columns)) = found else { return Ok(()) };
    let shortest = smaller(rows, columns);
    c.set_output(0, batch_of(&batch, &[shortest]));
    if wants_vectors {
        c.set_output(1, batch_of(&batch, &[rows, if full { rows } else { shortest }]));
        c.set_output(2, batch_of(&batch, &[columns, if full { columns } else { shortest }]));
    }
    Ok(())
}

pub(super) fn register(r: &mut Registry) {
    let op = |name: &str| {
        Op::new(name)
            .input("input: T")
            .output("s: T")
            .output("u: T")
            .output("v: T")
            .attr("compute_uv: bool = true")
            .attr("full_matrices: bool = false")
            .attr("T: {double, float, half, complex64, complex128}")
            .doc(
                "Returns the singular values, descending, and the left and right singular vectors, as columns, of each matrix.",
            )
            .kernel(svd)
    };
    r.add(op("Svd").shape(shapes));
    r.add(op("BatchSvd").shape(shape_rules::unknown));
}

#[cfg(test)]
mod tests {
    use crate::testing::run;
    use ferroflow_graph::AttrValue;
    use ferroflow_tensor::Tensor;

    fn decompose(a: &[f64], shape: [usize; 2], full: bool) -> Vec<Tensor> {
        let attrs = [("full_matrices", AttrValue::Bool(full))];
        run("Svd", &[Tensor::from_slice(shape, a).unwrap()], &attrs).unwrap()
    }

    #[test]
    fn the_factors_multiply_to_the_matrix() {
        for (m, n) in [(1, 1), (4, 3), (3, 4), (5, 5), (9, 2), (40, 30)] {
            let a: Vec<f64> = (0..m * n).map(|i| ((i as f64 + 1.0) * 0.754_877_666).fract() - 0.5).collect();
            for full in [false, true] {
                let out = decompose(&a, [m, n], full);
                let (s, u, v) =
                    (out[0].slice::<f64>().unwrap(), out[1].slice::<f64>().unwrap(), out[2].slice::<f64>().unwrap());
                let (p, pu, pv) = (m.min(n), out[1].shape()[1], out[2].shape()[1]);
                assert!(s.windows(2).all(|w| w[0] >= w[1]) && s[p - 1] >= 0.0);
                for c in 0..m * n {
                    let cell: f64 = (0..p).map(|k| u[c / n * pu + k] * s[k] * v[c % n * pv + k]).sum();
                    assert!((cell - a[c]).abs() < 1e-13);
                }
            }
        }
    }

    #[test]
    fn empty_matrices_have_no_values_but_full_vectors() {
        let out = decompose(&[], [0, 2], true);
        assert_eq!(out[0].shape(), &[0].into());
        assert_eq!(out[2].slice::<f64>().unwrap(), [1.0, 0.0, 0.0, 1.0]);
    }

    #[test]
    fn a_matrix_that_is_not_finite_has_no_numbers() {
        for computes in [false, true] {
            let a = [1.0f32, 0.0, f32::NAN, 1.0, 1.0, 0.0, f32::INFINITY, 1.0, 3.0, 0.0, 0.0, 2.0];
            let a = Tensor::from_slice([3, 2, 2], &a).unwrap();
            let out = run("Svd", &[a], &[("compute_uv", AttrValue::Bool(computes))]).unwrap();
            let values = out[0].slice::<f32>().unwrap();
            assert!(values[..4].iter().all(|x| x.is_nan()) && values[4..] == [3.0, 2.0]);
            let vectors = out[1].slice::<f32>().unwrap();
            assert_eq!(vectors.iter().filter(|x| x.is_nan()).count(), if computes { 8 } else { 0 });
        }
    }
}
