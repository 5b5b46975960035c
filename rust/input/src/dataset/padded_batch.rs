//! PaddedBatchDataset(V2), DenseToSparseBatchDataset: elements of several shapes joined to one.

use super::batch::batch_size;
use super::cardinality::Cardinality;
use super::function::owned;
use super::held::Gathered;
use super::position::Position;
use super::schema::{described, unary};
use super::value::{
    BoxedIterator, Dataset, DatasetIterator, Element, Pull, SharedDataset, dataset_input, dataset_kernel, scalar,
};
use ferroflow_graph::{KernelContext, Op, Registry};
use ferroflow_tensor::{DType, Object, PartialShape, Result, Shape, Tensor, bail, by_size, ensure};
use std::sync::Arc;

struct Padding {
    /// Of each component; unknown dimensions are as large as the batch's largest element.
    shapes: Vec<PartialShape>,
    values: Vec<Tensor>,
}

struct PaddedBatch {
    input: SharedDataset,
    size: usize,
    drop_remainder: bool,
    padding: Arc<Padding>,
}

struct PaddedBatchIterator {
    input: Gathered,
    size: usize,
    drop_remainder: bool,
    padding: Arc<Padding>,
}

impl Dataset for PaddedBatch {
    fn iterator(&self) -> BoxedIterator {
        BoxedIterator::new(PaddedBatchIterator {
            input: Gathered::new(self.input.iterator()),
            size: self.size,
            drop_remainder: self.drop_remainder,
            padding: self.padding.clone(),
        })
    }

    fn cardinality(&self) -> Cardinality {
        self.input.cardinality().batches(self.size, self.drop_remainder)
    }
}

impl DatasetIterator for PaddedBatchIterator {
    fn next(&mut self, pull: Pull<'_>) -> Result<Option<Element>> {
        let elements = self.input.take(self.size, pull)?;
        if elements.is_empty() || (self.drop_remainder && elements.len() < self.size) {
            return Ok(None);
        }
        let mut batch = Element::with_capacity(self.padding.shapes.len());
        for (c, (shape, value)) in self.padding.shapes.iter().zip(&self.padding.values).enumerate() {
            let mut parts = Vec::with_capacity(elements.len());
            for element in &elements {
                match element.get(c) {
                    Some(t) => parts.push(t),
                    None => bail!(InvalidArgument, "An element has no component {c}"),
                }
            }
            batch.push(padded(c, &parts, shape, value)?);
        }
        Ok(Some(batch))
    }

    fn position(&mut self, position: &mut Position<'_>) -> Result<()> {
        self.input.position(position)
    }
}

/// Returns the parts, each filled up to a common shape, along a new first dimension.
fn padded(component: usize, parts: &[&Tensor], shape: &PartialShape, value: &Tensor) -> Result<Tensor> {
    let Some(expected) = shape.dims() else { bail!(Internal, "a padded shape without rank") };
    let mut dims: Vec<usize> = expected.iter().map(|d| d.unwrap_or(0)).collect();
    for part in parts {
        ensure!(
            part.rank() == expected.len(),
            InvalidArgument,
            "All elements in a batch must have the same rank as the padded shape for component{component}: expected rank \
             {} but got element with rank {}",
            expected.len(),
            part.rank()
        );
        ensure!(
            part.dtype() == value.dtype(),
            InvalidArgument,
            "Component {component} is {}, but its padding is {}",
            part.dtype().schema_name(),
            value.dtype().schema_name()
        );
        for (axis, &n) in part.shape().iter().enumerate() {
            match expected[axis] {
                Some(most) => {
                    ensure!(n <= most, DataLoss, "Attempted to pad to a smaller size than the input element.");
                }
                None => dims[axis] = dims[axis].max(n),
            }
        }
    }
    let whole: Vec<i64> = std::iter::once(parts.len()).chain(dims.iter().copied()).map(|d| d as i64).collect();
    let whole = Shape::checked(&whole)?;
    let mut out = Tensor::new(value.dtype(), whole)?;
    let element = Shape::new(&dims);
    by_size!(value.dtype(), E, {
        let to = E::view_mut(&mut out)?;
        if element.elements() > 0 {
            let [fill] = E::view(value)? else { bail!(Internal, "padding is a scalar") };
            for (part, block) in parts.iter().zip(to.chunks_exact_mut(element.elements())) {
                place(part.shape(), E::view(part)?, &element, block, fill);
            }
        }
        Ok(())
    })?;
    Ok(out)
}

/// Writes `from` to the corner of `to`, whose shape is nowhere smaller, and `fill` to the rest.
fn place<E: Clone>(small: &Shape, from: &[E], large: &Shape, to: &mut [E], fill: &E) {
    if small == large {
        to.clone_from_slice(from);
        return;
    }
    to.fill(fill.clone());
    let Some((&width, rows)) = small.split_last() else { return };
    if from.is_empty() {
        return;
    }
    let strides = large.strides();
    let mut at = vec![0; rows.len()];
    for line in from.chunks_exact(width) {
        let start: usize = at.iter().zip(&strides).map(|(i, s)| i * s).sum();
        to[start..start + width].clone_from_slice(line);
        for axis in (0..rows.len()).rev() {
            at[axis] += 1;
            if at[axis] < rows[axis] {
                break;
            }
            at[axis] = 0;
        }
    }
}

fn padded_batch(ctx: &KernelContext<'_>, components: usize, drop_remainder: bool) -> Result<PaddedBatch> {
    let input = dataset_input(ctx, 0)?;
    let types = &input.signature.types;
    ensure!(
        components == types.len(),
        InvalidArgument,
        "Number of padded shapes ({components}) must match the number of components in the input dataset's elements ({})",
        types.len()
    );
    let mut shapes = Vec::with_capacity(components);
    for i in 0..components {
        let shape = ctx.input(2 + i)?;
        ensure!(shape.rank() == 1, InvalidArgument, "All padded shapes must be vectors");
        let dims = shape.slice::<i64>()?;
        ensure!(dims.iter().all(|&d| d >= -1), InvalidArgument, "Dimensions of a padded shape must be >= -1");
        shapes.push(PartialShape::from_wire(Some(dims)));
    }
    let values = owned(ctx, 2 + components..2 + 2 * components)?;
    for (i, (value, &expected)) in values.iter().zip(types.iter()).enumerate() {
        ensure!(value.rank() == 0, InvalidArgument, "All padding values must be scalars");
        ensure!(
            value.dtype() == expected,
            InvalidArgument,
            "Mismatched type between padding value {i} and input dataset's component {i}: {} vs. {}",
            value.dtype().schema_name(),
            expected.schema_name()
        );
    }
    let padding = Arc::new(Padding { shapes, values });
    Ok(PaddedBatch { input: input.dataset, size: batch_size(ctx)?, drop_remainder, padding })
}

struct SparseBatch {
    input: SharedDataset,
    size: usize,
    row_shape: PartialShape,
}

struct SparseBatchIterator {
    input: Gathered,
    size: usize,
    row_shape: PartialShape,
}

impl Dataset for SparseBatch {
    fn iterator(&self) -> BoxedIterator {
        let input = Gathered::new(self.input.iterator());
        BoxedIterator::new(SparseBatchIterator { input, size: self.size, row_shape: self.row_shape.clone() })
    }

    fn cardinality(&self) -> Cardinality {
        self.input.cardinality().batches(self.size, false)
    }
}

impl DatasetIterator for SparseBatchIterator {
    fn next(&mut self, pull: Pull<'_>) -> Result<Option<Element>> {
        let elements = self.input.take(self.size, pull)?;
        if elements.is_empty() {
            return Ok(None);
        }
        let mut rows = Vec::with_capacity(elements.len());
        for element in &elements {
            match &element[..] {
                [one] => rows.push(one),
                _ => bail!(InvalidArgument, "DenseToSparseBatchDataset only supports inputs with a single component."),
            }
        }
        sparse(&rows, &self.row_shape).map(Some)
    }

    fn position(&mut self, position: &mut Position<'_>) -> Result<()> {
        self.input.position(position)
    }
}

/// Makes every element of every row an entry of a sparse tensor, whose three parts are a variant's.
fn sparse(rows: &[&Tensor], row_shape: &PartialShape) -> Result<Element> {
    let Some(expected) = row_shape.dims() else { bail!(Internal, "a row shape without rank") };
    let mut dense: Vec<usize> = expected.iter().map(|d| d.unwrap_or(0)).collect();
    let mut total = 0usize;
    let Some(dtype) = rows.first().map(|t| t.dtype()) else { bail!(Internal, "a batch without rows") };
    for row in rows {
        ensure!(
            row.rank() == expected.len() && row.dtype() == dtype,
            InvalidArgument,
            "Input element had shape ({}) that is incompatible with the row shape ({row_shape}).",
            row.shape()
        );
        for (axis, &n) in row.shape().iter().enumerate() {
            match expected[axis] {
                Some(most) => ensure!(
                    n <= most,
                    DataLoss,
                    "Input element had shape ({}) that is larger than the row shape ({row_shape}).",
                    row.shape()
                ),
                None => dense[axis] = dense[axis].max(n),
            }
        }
        total = total.saturating_add(row.elements());
    }
    let mut indices = Vec::with_capacity(total.saturating_mul(1 + dense.len()));
    let mut values = Tensor::new(dtype, Shape::checked(&[total as i64])?)?;
    by_size!(dtype, E, {
        let mut to = E::view_mut(&mut values)?;
        for row in rows {
            let (here, rest) = to.split_at_mut(row.elements());
            here.clone_from_slice(E::view(row)?);
            to = rest;
        }
        Ok(())
    })?;
    for (r, row) in rows.iter().enumerate() {
        let strides = row.shape().strides();
        for k in 0..row.elements() {
            indices.push(r as i64);
            indices.extend(strides.iter().zip(row.shape().iter()).map(|(s, n)| (k / s % n) as i64));
        }
    }
    let dense: Vec<i64> = std::iter::once(rows.len()).chain(dense).map(|d| d as i64).collect();
    let indices = Tensor::from_slice([total, dense.len()], &indices)?;
    let dense = Tensor::from_slice([dense.len()], &dense)?;
    let parts = vec![Object::new(indices), Object::new(values), Object::new(dense)];
    Ok(vec![Tensor::from_objects(DType::Variant, [3], parts)?])
}

fn padded_op(name: &str) -> Op {
    let op = unary(name).input("batch_size: int64").input("padded_shapes: N * int64");
    op.input("padding_values: Toutput_types")
}

fn with_attrs(op: Op) -> Op {
    op.attr("Toutput_types: list(type) >= 1").attr("output_shapes: list(shape) >= 1").attr("N: int >= 1")
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        with_attrs(padded_op("PaddedBatchDataset"))
            .doc("Returns batches of elements that are filled up to one shape.")
            .kernel(|init| {
                let n = usize::try_from(init.int("N")?).unwrap_or(0);
                dataset_kernel(init, move |ctx| padded_batch(ctx, n, false))
            }),
    );
    r.add(
        with_attrs(padded_op("PaddedBatchDatasetV2").input("drop_remainder: bool"))
            .attr("parallel_copy: bool = false")
            .doc("Returns batches of elements that are filled up to one shape, with or without a smaller last one.")
            .kernel(|init| {
                let n = usize::try_from(init.int("N")?).unwrap_or(0);
                dataset_kernel(init, move |ctx| padded_batch(ctx, n, scalar(ctx, 2 + 2 * n, "drop_remainder")?))
            }),
    );
    r.add(
        described(unary("DenseToSparseBatchDataset").input("batch_size: int64").input("row_shape: int64"))
            .doc("Returns batches of elements of several shapes as sparse tensors.")
            .kernel(|init| {
                dataset_kernel(init, |ctx| {
                    let row_shape = ctx.input(2)?;
                    ensure!(row_shape.rank() == 1, InvalidArgument, "row_shape must be a vector");
                    let dims = row_shape.slice::<i64>()?;
                    ensure!(dims.iter().all(|&d| d >= -1), InvalidArgument, "Dimensions of row_shape must be >= -1");
                    let row_shape = PartialShape::from_wire(Some(dims));
                    Ok(SparseBatch { input: dataset_input(ctx, 0)?.dataset, size: batch_size(ctx)?, row_shape })
                })
            }),
    );
}
