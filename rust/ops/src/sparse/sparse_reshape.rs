//! SparseReshape: the indices of a sparse tensor for another dense shape of as many elements.

use super::coordinates::{Coordinates, matrix, shape_vector};
use ferroflow_graph::{Kernel, KernelInit, Op, Registry, ShapeContext, kernel};
use ferroflow_tensor::{PartialShape, Result, Shape, Tensor, ensure};

fn shape(c: &mut ShapeContext<'_>) -> Result<()> {
    let indices = c.input(0)?.with_rank(2)?;
    c.input(1)?.with_rank(1)?;
    let target = c.input(2)?.with_rank(1)?;
    c.set_output(0, PartialShape::from_dims(&[indices.dim(0), target.dim(0)]));
    c.set_output(1, target);
    Ok(())
}

/// Returns the shape `target` describes for `elements` elements, one dimension of it being -1 where it is to be
/// inferred.
fn resolved(target: &[i64], elements: i64) -> Result<Shape> {
    let mut unknown: Option<usize> = None;
    let mut known = Vec::with_capacity(target.len());
    for (d, &size) in target.iter().enumerate() {
        if size == -1 {
            if let Some(first) = unknown {
                ensure!(false, InvalidArgument, "only one output dimension may be -1, not both {first} and {d}");
            }
            unknown = Some(d);
            known.push(1);
        } else {
            ensure!(size >= 0, InvalidArgument, "size {d} must be non-negative, not {size}");
            known.push(size);
        }
    }
    let product = Shape::checked(&known)?.to_i64().iter().product::<i64>();
    if let Some(d) = unknown {
        ensure!(
            product > 0,
            InvalidArgument,
            "reshape cannot infer the missing input size for an empty tensor unless all specified input sizes are \
             non-zero"
        );
        ensure!(
            elements % product == 0,
            InvalidArgument,
            "Input to reshape is a SparseTensor with {elements} dense values, but the requested shape requires a \
             multiple of {product}"
        );
        known[d] = elements / product;
    } else {
        ensure!(
            product == elements,
            InvalidArgument,
            "Input to reshape is a tensor with {elements} dense values, but the requested shape has {product}"
        );
    }
    Shape::checked(&known)
}

/// Returns the index matrix and shape vector of a sparse tensor of another shape.
pub(super) fn reshaped(indices: &Tensor, shape: &Tensor, target: &[i64]) -> Result<(Tensor, Tensor)> {
    let from = Coordinates::without_values(indices, shape)?;
    let to = resolved(target, from.shape.elements() as i64)?;
    from.check_bounds()?;
    let strides = to.strides();
    let mut numbers = Vec::with_capacity(from.len() * to.rank());
    for mut place in from.flat() {
        for &stride in &strides {
            numbers.push((place / stride.max(1)) as i64);
            place %= stride.max(1);
        }
    }
    Ok((matrix(from.len(), to.rank(), &numbers)?, shape_vector(&to)?))
}

fn reshape(_: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    kernel(|ctx| {
        let target = ctx.input(2)?;
        ensure!(
            target.rank() == 1,
            InvalidArgument,
            "Target shape should be a vector but received shape {}",
            target.shape()
        );
        let (indices, shape) = reshaped(ctx.input(0)?, ctx.input(1)?, &target.to_i64s()?)?;
        ctx.set_output(0, indices);
        ctx.set_output(1, shape);
        Ok(())
    })
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("SparseReshape")
            .input("input_indices: int64")
            .input("input_shape: int64")
            .input("new_shape: int64")
            .output("output_indices: int64")
            .output("output_shape: int64")
            .doc("Returns the indices that the elements have in a tensor of the dimensions `new_shape`.")
            .shape(shape)
            .kernel(reshape),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::run;
    use ferroflow_tensor::{Result, Tensor};

    fn reshape(indices: &[i64], shape: &[i64], target: &[i64]) -> Result<(Vec<i64>, Vec<i64>)> {
        let inputs = [
            Tensor::from_slice([indices.len() / shape.len(), shape.len()], indices)?,
            Tensor::from_slice([shape.len()], shape)?,
            Tensor::from_slice([target.len()], target)?,
        ];
        let out = run("SparseReshape", &inputs, &[])?;
        Ok((out[0].slice::<i64>()?.to_vec(), out[1].slice::<i64>()?.to_vec()))
    }

    #[test]
    fn elements_keep_their_row_major_place() {
        assert_eq!(reshape(&[0, 1, 2, 2], &[3, 4], &[2, -1]).unwrap(), (vec![0, 1, 1, 4], vec![2, 6]));
        assert_eq!(reshape(&[0, 1, 2, 2], &[3, 4], &[12]).unwrap(), (vec![1, 10], vec![12]));
        assert_eq!(reshape(&[0, 1], &[3, 4], &[3, 4]).unwrap(), (vec![0, 1], vec![3, 4]));
        assert_eq!(reshape(&[], &[0, 4], &[2, 0, 3]).unwrap(), (vec![], vec![2, 0, 3]));
    }

    #[test]
    fn shapes_of_other_sizes_are_refused() {
        let message = |shape: &[i64], target: &[i64]| reshape(&[0, 0], shape, target).unwrap_err().message().to_owned();
        assert!(message(&[3, 4], &[-1, -1]).contains("only one output dimension may be -1, not both 0 and 1"));
        assert!(message(&[3, 4], &[5, -1]).contains("requires a multiple of 5"));
        assert!(message(&[3, 4], &[13]).contains("tensor with 12 dense values, but the requested shape has 13"));
        assert!(message(&[3, 4], &[0, -1]).contains("cannot infer the missing input size"));
        assert!(message(&[3, 4], &[-2, 6]).contains("size 0 must be non-negative, not -2"));
        assert!(message(&[0, 4], &[0]).contains("out of bounds"));
        assert!(message(&[1 << 40, 1 << 40], &[0]).contains("2**63"));
    }
}
