//! SparseSoftmax: softmax over the elements of each innermost row that are there.

use super::coordinates::{Coordinates, pick};
use super::shapes::parts;
use ferroflow_graph::{Kernel, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::vector::softmax_row;
use ferroflow_tensor::{PartialShape, Result, Scalar, Tensor, dispatch, ensure};

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let count = parts(c, 0)?.count;
    c.set_output(0, PartialShape::vector(count));
    Ok(())
}

fn softmax(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    dispatch!(init.dtype("T")?, T in [F32, F64], kernel(|ctx| {
        let (indices, values, shape) = (ctx.input(0)?, ctx.input(1)?, ctx.input(2)?);
        ensure!(
            indices.rank() == 2,
            InvalidArgument,
            "Input sp_indices should be a matrix but received shape: {}",
            indices.shape()
        );
        ensure!(
            values.rank() == 1 && shape.rank() == 1,
            InvalidArgument,
            "Inputs sp_values and sp_shape should be vectors but received shapes: {} and {}",
            values.shape(),
            shape.shape()
        );
        ensure!(
            shape.elements() >= 2,
            InvalidArgument,
            "Input should have rank >= 2, but received shape: {:?}",
            shape.to_i64s()?
        );
        let from = Coordinates::of(indices, values, shape)?;
        let order = from.sorted();
        let rows: Vec<usize> = (0..from.rank() - 1).collect();
        // TF 1.x: the results come in row-major order, also where the elements do not.
        let sorted = pick(values, &order)?;
        let mut out = Tensor::new(T::DTYPE, [from.len()])?;
        let (logits, to) = (sorted.slice::<T>()?, out.slice_mut::<T>()?);
        for group in from.groups(&order, &rows) {
            softmax_row(&logits[group.clone()], &mut to[group]);
        }
        ctx.set_output(0, out);
        Ok(())
    }), else Err(init.unsupported()))
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("SparseSoftmax")
            .input("sp_indices: int64")
            .input("sp_values: T")
            .input("sp_shape: int64")
            .output("output: T")
            .attr("T: {float, double}")
            .doc(
                "Returns the softmax of the elements of each innermost row; those that are not there count for \
                 nothing.",
            )
            .shape(shape)
            .kernel(softmax),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::run;
    use ferroflow_tensor::Tensor;

    #[test]
    fn rows_sum_to_one() {
        let indices = Tensor::from_slice([4, 2], &[0i64, 0, 0, 2, 1, 1, 2, 0]).unwrap();
        let values = Tensor::from_slice([4], &[0.0f64, 3f64.ln(), 5.0, 1000.0]).unwrap();
        let shape = Tensor::from_slice([2], &[3i64, 3]).unwrap();
        let out = run("SparseSoftmax", &[indices.clone(), values.clone(), shape], &[]).unwrap();
        for (got, expected) in out[0].slice::<f64>().unwrap().iter().zip([0.25, 0.75, 1.0, 1.0]) {
            assert!((got - expected).abs() < 1e-15);
        }
        let flat = Tensor::from_slice([1], &[3i64]).unwrap();
        assert!(run("SparseSoftmax", &[indices, values, flat], &[]).is_err());
    }
}
