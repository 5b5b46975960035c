//! Lu: a lower and an upper triangular factor of a matrix with exchanged rows.

use super::batch::{Batch, refused};
use super::matrix_shape::{batch_of, squares};
use ferroflow_graph::{Kernel, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_linalg::{Algorithms, Wide};
use ferroflow_tensor::{DType, Result, Tensor, dispatch};
use std::sync::atomic::{AtomicUsize, Ordering};

fn lu(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let (dtype, index) = (init.output_type(0)?, init.output_type(1)?);
    dispatch!(dtype, T in [F32, F64, Complex64, Complex128], {
        kernel(move |ctx| {
            let a = ctx.input(0)?;
            let batch = Batch::of_squares(a)?;
            let n = batch.rows;
            let mut factors = Tensor::new(dtype, a.shape().clone())?;
            let places: Vec<AtomicUsize> = (0..batch.count * n).map(|_| AtomicUsize::new(0)).collect();
            batch.for_each(ctx.threads(), n * n * n, [a.slice()?], [factors.slice_mut::<T>()?], |i, [a], [out]| {
                let mut rows = vec![0; n];
                Wide::<T>::lu(a, n, out, &mut rows).map_err(refused("Input is not invertible."))?;
                for (place, row) in places[i * n..(i + 1) * n].iter().zip(rows) {
                    place.store(row, Ordering::Relaxed);
                }
                Ok(())
            })?;
            let shape = batch.shape_of(&[n])?;
            let rows = places.into_iter().map(AtomicUsize::into_inner);
            let rows = if index == DType::I64 {
                Tensor::from_slice(shape, &rows.map(|row| row as i64).collect::<Vec<_>>())?
            } else {
                Tensor::from_slice(shape, &rows.map(|row| row as i32).collect::<Vec<_>>())?
            };
            ctx.set_output(0, factors);
            ctx.set_output(1, rows);
            Ok(())
        })
    }, else Err(init.unsupported()))
}

fn shapes(c: &mut ShapeContext<'_>) -> Result<()> {
    let Some((batch, n)) = squares(c)? else { return Ok(()) };
    c.set_output(0, batch_of(&batch, &[n, n]));
    c.set_output(1, batch_of(&batch, &[n]));
    Ok(())
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("Lu")
            .input("input: T")
            .output("lu: T")
            .output("p: output_idx_type")
            .attr("T: {double, float, half, complex64, complex128}")
            .attr("output_idx_type: {int32, int64} = DT_INT32")
            .doc(
                "Returns a lower triangular matrix with ones on its diagonal and an upper one, in one square. `p` has the \
                 row of the input that each row of their product is.",
            )
            .shape(shapes)
            .kernel(lu),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::run;
    use ferroflow_graph::AttrValue;
    use ferroflow_tensor::{DType, Tensor};

    #[test]
    fn rows_are_exchanged_for_the_largest_pivot() {
        let a = Tensor::from_slice([1, 2, 2], &[1.0f64, 2.0, 4.0, 4.0]).unwrap();
        let index = [("output_idx_type", AttrValue::Type(DType::I64))];
        let out = run("Lu", &[a], &index).unwrap();
        assert_eq!(out[0].slice::<f64>().unwrap(), [4.0, 4.0, 0.25, 1.0]);
        assert_eq!((out[1].slice::<i64>().unwrap(), out[1].shape().dims()), (&[1i64, 0][..], &[1, 2][..]));
    }

    #[test]
    fn singular_and_ill_shaped_inputs_are_refused() {
        let zeros = |shape: &[usize]| Tensor::zeros(DType::F32, ferroflow_tensor::Shape::new(shape)).unwrap();
        assert_eq!(run("Lu", &[zeros(&[2, 2])], &[]).unwrap_err().message(), "Input is not invertible.");
        assert!(run("Lu", &[zeros(&[2, 3])], &[]).is_err());
        assert!(run("Lu", &[zeros(&[2])], &[]).is_err());
        assert_eq!(run("Lu", &[zeros(&[3, 0, 0])], &[]).unwrap()[1].shape().dims(), [3, 0]);
    }
}
