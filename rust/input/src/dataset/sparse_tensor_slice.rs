//! SparseTensorSliceDataset: the rows of a sparse tensor as sparse tensors.

use super::cardinality::Cardinality;
use super::function::owned;
use super::position::Position;
use super::schema::source;
use super::value::{BoxedIterator, Dataset, DatasetIterator, Element, Pull, Signature, signed_kernel};
use ferroflow_graph::Registry;
use ferroflow_tensor::{DType, PartialShape, Result, Tensor, bail, by_size, ensure};
use std::sync::Arc;

struct Parts {
    indices: Tensor,
    values: Tensor,
    dense_shape: Vec<i64>,
}

#[derive(Clone)]
struct SparseSlices(Arc<Parts>);

struct SparseSlicesIterator {
    parts: Arc<Parts>,
    row: i64,
    /// The first entry of the next row.
    entry: usize,
}

impl Dataset for SparseSlices {
    fn iterator(&self) -> BoxedIterator {
        BoxedIterator::new(SparseSlicesIterator { parts: self.0.clone(), row: 0, entry: 0 })
    }

    fn cardinality(&self) -> Cardinality {
        let rows = self.0.dense_shape.first().copied().unwrap_or(0);
        Cardinality::Finite(u64::try_from(rows).unwrap_or(0))
    }
}

impl DatasetIterator for SparseSlicesIterator {
    fn next(&mut self, _: Pull<'_>) -> Result<Option<Element>> {
        let Parts { indices, values, dense_shape } = &*self.parts;
        let Some((&rows, row_shape)) = dense_shape.split_first() else { return Ok(None) };
        if self.row >= rows {
            return Ok(None);
        }
        let rank = dense_shape.len();
        let mut coordinates = Vec::new();
        let mut last = self.entry;
        for index in indices.slice::<i64>()?.chunks_exact(rank).skip(self.entry) {
            if index[0] != self.row {
                break;
            }
            coordinates.extend_from_slice(&index[1..]);
            last += 1;
        }
        let count = last - self.entry;
        let mut kept = Tensor::new(values.dtype(), [count])?;
        let range = self.entry..last;
        by_size!(values.dtype(), E, {
            let Some(from) = E::view(values)?.get(range) else { bail!(Internal, "entries without values") };
            E::view_mut(&mut kept)?.clone_from_slice(from);
            Ok(())
        })?;
        self.entry = last;
        self.row += 1;
        let indices = Tensor::from_slice([count, rank - 1], &coordinates)?;
        Ok(Some(vec![indices, kept, Tensor::from_slice([rank - 1], row_shape)?]))
    }

    fn position(&mut self, position: &mut Position<'_>) -> Result<()> {
        position.value(&mut self.row)?;
        position.value(&mut self.entry)
    }
}

fn checked(parts: Vec<Tensor>) -> Result<SparseSlices> {
    let Ok([indices, values, dense_shape]) = <[Tensor; 3]>::try_from(parts) else {
        bail!(Internal, "a sparse tensor has three parts")
    };
    ensure!(
        indices.rank() == 2,
        InvalidArgument,
        "Input indices should be a matrix but received shape {}",
        indices.shape()
    );
    ensure!(
        values.rank() == 1,
        InvalidArgument,
        "Input values should be a vector but received shape {}",
        values.shape()
    );
    ensure!(
        dense_shape.rank() == 1,
        InvalidArgument,
        "Input shape should be a vector but received shape {}",
        dense_shape.shape()
    );
    let dense_shape = dense_shape.slice::<i64>()?.to_vec();
    ensure!(
        !dense_shape.is_empty() && indices.shape()[1] == dense_shape.len() && indices.shape()[0] == values.elements(),
        InvalidArgument,
        "Indices of shape {}, {} values and a shape of {} dimensions make no sparse tensor with rows",
        indices.shape(),
        values.elements(),
        dense_shape.len()
    );
    let mut before = i64::MIN;
    for index in indices.slice::<i64>()?.chunks_exact(dense_shape.len()) {
        ensure!(
            index[0] >= before,
            Unimplemented,
            "The SparseTensor must be ordered in the batch dimension; handling arbitrarily ordered input is not \
             currently supported."
        );
        ensure!(
            (0..dense_shape[0]).contains(&index[0]),
            InvalidArgument,
            "Index {} of the batch dimension is not in [0, {})",
            index[0],
            dense_shape[0]
        );
        before = index[0];
    }
    Ok(SparseSlices(Arc::new(Parts { indices, values, dense_shape })))
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        source("SparseTensorSliceDataset")
            .input("indices: int64")
            .input("values: Tvalues")
            .input("dense_shape: int64")
            .attr("Tvalues: type")
            .doc("Returns a dataset whose elements are the rows of a sparse tensor.")
            .kernel(|init| {
                let signature = Signature {
                    types: [DType::I64, init.dtype("Tvalues")?, DType::I64].into(),
                    shapes: [
                        PartialShape::from_dims(&[None, None]),
                        PartialShape::vector(None),
                        PartialShape::vector(None),
                    ]
                    .into(),
                };
                signed_kernel(init, signature, |ctx| checked(owned(ctx, 0..3)?))
            }),
    );
}
