//! Whole sparse tensors as rows of one, and rows of one as whole sparse tensors.

use super::coordinates::{Coordinates, matrix, pick, shape_vector};
use super::sparse_concat::joined;
use ferroflow_tensor::{DType, Result, Shape, Tensor, bail, ensure};
use std::ops::Range;

/// The three parts of a sparse tensor.
#[derive(Clone)]
pub(super) struct Parts {
    pub(super) indices: Tensor,
    pub(super) values: Tensor,
    pub(super) shape: Tensor,
}

impl Parts {
    /// Errors: `InvalidArgument` where the parts do not fit each other, `i` being what messages call the tensor.
    fn check(&self, i: usize, dtype: DType) -> Result<()> {
        let Parts { indices, values, shape } = self;
        ensure!(
            indices.rank() == 2 && indices.dtype() == DType::I64,
            InvalidArgument,
            "Expected serialized_sparse[{i}, 0] to represent an index matrix but received shape {}",
            indices.shape()
        );
        ensure!(
            values.rank() == 1,
            InvalidArgument,
            "Expected serialized_sparse[{i}, 1] to represent a values vector but received shape {}",
            values.shape()
        );
        ensure!(
            values.dtype() == dtype,
            InvalidArgument,
            "Requested SparseTensor of type {} but SparseTensor[{i}].values.dtype() == {}",
            dtype.schema_name(),
            values.dtype().schema_name()
        );
        ensure!(
            shape.rank() == 1 && shape.dtype() == DType::I64,
            InvalidArgument,
            "Expected serialized_sparse[{i}, 1] to be a shape vector but its shape is {}",
            shape.shape()
        );
        let [count, rank] = indices.shape()[..] else { bail!(Internal, "a matrix has two dimensions") };
        ensure!(
            count == values.elements(),
            InvalidArgument,
            "Expected row counts of SparseTensor[{i}].indices and SparseTensor[{i}].values to match but they do not: \
             {count} vs. {}",
            values.elements()
        );
        ensure!(
            rank == shape.elements(),
            InvalidArgument,
            "Expected column counts of SparseTensor[{i}].indices to match size of SparseTensor[{i}].shape but they do \
             not: {rank} vs. {}",
            shape.elements()
        );
        Ok(())
    }
}

/// Stacks sparse tensors to one of the dimensions `leading` and, after them, the largest of each dimension of
/// `tensors`.
///
/// Errors: `InvalidArgument` for tensors whose parts do not fit each other, of several ranks, or of another type.
pub(super) fn stacked(tensors: &[Parts], leading: &[usize], dtype: DType) -> Result<Parts> {
    let (mut largest, mut indices) = (Vec::<i64>::new(), Vec::new());
    let strides = Shape::new(leading).strides();
    for (i, tensor) in tensors.iter().enumerate() {
        tensor.check(i, dtype)?;
        let dims = tensor.shape.to_i64s()?;
        if i == 0 {
            largest.clone_from(&dims);
        }
        ensure!(
            dims.len() == largest.len(),
            InvalidArgument,
            "Inconsistent shape across SparseTensors: rank prior to SparseTensor[{i}] was: {} but rank of \
             SparseTensor[{i}] is: {}",
            largest.len(),
            dims.len()
        );
        largest.iter_mut().zip(dims).for_each(|(most, d)| *most = d.max(*most));
        let row = tensor.indices.slice::<i64>()?;
        for k in 0..tensor.values.elements() {
            indices.extend(strides.iter().zip(leading).map(|(s, d)| (i / s % d) as i64));
            indices.extend_from_slice(&row[k * largest.len()..(k + 1) * largest.len()]);
        }
    }
    let values: Vec<&Tensor> = tensors.iter().map(|t| &t.values).collect();
    let dims: Vec<i64> = leading.iter().map(|&d| d as i64).chain(largest).collect();
    let values = joined(&values)?;
    Ok(Parts {
        indices: matrix(values.elements(), dims.len(), &indices)?,
        shape: shape_vector(&Shape::checked(&dims)?)?,
        values,
    })
}

/// The elements of one row: where they are in the order of the whole, and which row it is.
pub(super) struct Row {
    pub(super) number: usize,
    elements: Range<usize>,
}

/// Returns the rows along the first dimension that have elements, in order.
///
/// Errors: `InvalidArgument` for a rank below 2, or indices outside the shape or out of order.
pub(super) fn rows(of: &Coordinates<'_>) -> Result<Vec<Row>> {
    ensure!(of.rank() > 1, InvalidArgument, "Rank of input SparseTensor should be > 1, but saw rank: {}", of.rank());
    of.check_order()?;
    let order: Vec<usize> = (0..of.len()).collect();
    Ok(of.groups(&order, &[0]).into_iter().map(|g| Row { number: of.row(g.start)[0] as usize, elements: g }).collect())
}

/// Returns a row as a sparse tensor of its own: indices and values without the first dimension.
pub(super) fn row_parts(of: &Coordinates<'_>, values: &Tensor, row: &Row) -> Result<(Tensor, Tensor)> {
    let mut indices = Vec::with_capacity(row.elements.len() * (of.rank() - 1));
    for i in row.elements.clone() {
        indices.extend_from_slice(&of.row(i)[1..]);
    }
    let picked: Vec<usize> = row.elements.clone().collect();
    Ok((matrix(picked.len(), of.rank() - 1, &indices)?, pick(values, &picked)?))
}

/// Returns a row without elements, of dtype `dtype`.
pub(super) fn empty_row(of: &Coordinates<'_>, dtype: DType) -> Result<(Tensor, Tensor)> {
    Ok((matrix(0, of.rank() - 1, &[])?, Tensor::new(dtype, [0])?))
}

/// Returns the dimensions of a row.
pub(super) fn row_shape(of: &Coordinates<'_>) -> Result<Tensor> {
    shape_vector(&Shape::new(&of.shape[1..]))
}
