//! SparseTensorDenseAdd: a sparse tensor added to a dense one of the same shape.

use super::coordinates::numbers;
use crate::sums::Summed;
use ferroflow_graph::{Kernel, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::{PartialShape, Result, Tensor, dispatch, ensure};

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    c.input(0)?.with_rank(2)?;
    c.input(1)?.with_rank(1)?;
    let sparse = c.input_as_shape(2)?;
    let dense: PartialShape = c.input(3)?.clone();
    c.set_output(0, if sparse.is_compatible_with(&dense) { dense.merge(&sparse)? } else { dense });
    Ok(())
}

/// Returns the flat position in `dense` of each index.
fn places(indices: &Tensor, values: &Tensor, shape: &Tensor, dense: &Tensor) -> Result<Vec<usize>> {
    ensure!(
        indices.rank() == 2,
        InvalidArgument,
        "Input a_indices should be a matrix but received shape: {}",
        indices.shape()
    );
    ensure!(
        values.rank() == 1 && shape.rank() == 1,
        InvalidArgument,
        "Inputs a_values and a_shape should be vectors but received shapes: {} and {}",
        values.shape(),
        shape.shape()
    );
    ensure!(
        indices.shape()[0] == values.elements(),
        InvalidArgument,
        "Dimensions {} and {} are not compatible",
        indices.shape()[0],
        values.elements()
    );
    ensure!(
        shape.elements() == dense.rank() && indices.shape()[1] == dense.rank(),
        InvalidArgument,
        "Two operands have different ranks; received: {} and {}",
        shape.elements(),
        dense.rank()
    );
    for (i, (sparse, &side)) in shape.to_i64s()?.into_iter().zip(dense.shape().iter()).enumerate() {
        ensure!(
            sparse == side as i64,
            InvalidArgument,
            "Dimension {i} does not equal (no broadcasting is supported): sparse side {sparse} vs dense side {side}"
        );
    }
    ensure!(dense.rank() > 0, InvalidArgument, "Only tensors with ranks of at least 1 are supported.  Tensor rank: 0");
    let strides = dense.shape().strides();
    let mut places = Vec::with_capacity(values.elements());
    for row in numbers(indices)?.chunks_exact(dense.rank()) {
        let mut place = 0;
        for (d, (&i, &size)) in row.iter().zip(dense.shape().iter()).enumerate() {
            ensure!(
                (0..size as i64).contains(&i),
                InvalidArgument,
                "Sparse tensor has some invalid index on dimension {d}; dense tensor shape: {}",
                dense.shape()
            );
            place += i as usize * strides[d];
        }
        places.push(place);
    }
    Ok(places)
}

fn add_at<T: Summed>(out: &mut Tensor, places: &[usize], values: &Tensor) -> Result<()> {
    let out = out.slice_mut::<T>()?;
    for (&place, &value) in places.iter().zip(values.slice::<T>()?) {
        out[place] = out[place].plus(value);
    }
    Ok(())
}

fn add(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    dispatch!(init.dtype("T")?, T in number, kernel(|ctx| {
        let places = places(ctx.input(0)?, ctx.input(1)?, ctx.input(2)?, ctx.input(3)?)?;
        let mut out = ctx.take_unique(3)?;
        add_at::<T>(&mut out, &places, ctx.input(1)?)?;
        ctx.set_output(0, out);
        Ok(())
    }), else Err(init.unsupported()))
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("SparseTensorDenseAdd")
            .input("a_indices: Tindices")
            .input("a_values: T")
            .input("a_shape: Tindices")
            .input("b: T")
            .output("output: T")
            .attr("T: numbertype")
            .attr("Tindices: {int32, int64}")
            .doc("Returns the dense tensor with the elements of the sparse one added at their indices, in their order.")
            .shape(shape)
            .kernel(add),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::run;
    use ferroflow_tensor::Tensor;

    fn add(indices: &[i32], shape: &[i32]) -> ferroflow_tensor::Result<Vec<f32>> {
        let n = indices.len() / 2;
        let inputs = [
            Tensor::from_slice([n, 2], indices)?,
            Tensor::from_slice([n], &vec![10.0f32; n])?,
            Tensor::from_slice([shape.len()], shape)?,
            Tensor::from_slice([2, 2], &[1.0f32, 2.0, 3.0, 4.0])?,
        ];
        Ok(run("SparseTensorDenseAdd", &inputs, &[])?[0].slice::<f32>()?.to_vec())
    }

    #[test]
    fn elements_are_added_where_they_are_and_repeated_ones_twice() {
        assert_eq!(add(&[0, 1, 1, 0, 0, 1], &[2, 2]).unwrap(), [1.0, 22.0, 13.0, 4.0]);
        assert_eq!(add(&[], &[2, 2]).unwrap(), [1.0, 2.0, 3.0, 4.0]);
    }

    #[test]
    fn other_shapes_and_indices_outside_are_refused() {
        let message = |indices: &[i32], shape: &[i32]| add(indices, shape).unwrap_err().message().to_owned();
        assert!(message(&[0, 2], &[2, 2]).contains("invalid index on dimension 1; dense tensor shape: [2,2]"));
        assert!(message(&[-1, 0], &[2, 2]).contains("invalid index on dimension 0"));
        assert!(message(&[0, 0], &[2, 3]).contains("sparse side 3 vs dense side 2"));
        assert!(message(&[0, 0], &[2]).contains("different ranks"));
    }
}
