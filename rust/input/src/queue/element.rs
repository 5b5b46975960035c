//! Elements of queues: tuples of tensors, or rows of a batch that was enqueued at once.

use crate::rows;
use ferroflow_tensor::{DType, PartialShape, Result, Shape, Tensor, ensure};
use smallvec::SmallVec;
use std::ops::Range;
use std::sync::Arc;

/// The components of one element.
pub(crate) type Tuple = SmallVec<[Tensor; 2]>;

#[derive(Clone)]
pub(super) enum Element {
    Whole(Tuple),
    /// Row of a batch. The batch is kept while one of its rows is: for queues that give them back soon and in order.
    Row(Arc<Tuple>, usize),
}

impl Element {
    /// Returns a row that keeps nothing of the others.
    pub fn row_of(batch: &Tuple, i: usize) -> Result<Element> {
        Ok(Element::Whole(batch.iter().map(|c| rows::row(c, i)).collect::<Result<_>>()?))
    }

    pub fn to_tuple(&self) -> Result<Tuple> {
        match self {
            Element::Whole(tuple) => Ok(tuple.clone()),
            Element::Row(batch, i) => batch.iter().map(|c| rows::row(c, *i)).collect(),
        }
    }

    /// Returns the tensor that holds component `c`, and where in it; the whole of it where that is an element.
    fn part(&self, c: usize) -> Option<(&Tensor, Range<usize>)> {
        match self {
            Element::Whole(tuple) => tuple.get(c).map(|t| (t, 0..t.elements())),
            Element::Row(batch, i) => {
                let t = batch.get(c)?;
                let size = t.elements() / t.shape()[0].max(1);
                Some((t, i * size..(i + 1) * size))
            }
        }
    }
}

/// Returns component `c` of all elements as one batch. Their shape must be `shape`.
pub(super) fn stacked(elements: &[Element], c: usize, dtype: DType, shape: &Shape) -> Result<Tensor> {
    // A batch leaves as it came.
    if let [Element::Row(batch, 0), .., Element::Row(last, l)] = elements
        && let Some(t) = batch.get(c)
        && t.shape()[0] == elements.len()
        && l + 1 == elements.len()
        && Arc::ptr_eq(batch, last)
        && elements.iter().enumerate().all(|(i, e)| matches!(e, Element::Row(b, r) if *r == i && Arc::ptr_eq(b, batch)))
    {
        return Ok(t.clone());
    }
    let mut dims = vec![elements.len() as i64];
    dims.extend(shape.to_i64());
    let mut parts: Vec<(&Tensor, Range<usize>)> = Vec::new();
    for element in elements {
        let Some((tensor, range)) = element.part(c) else { continue };
        ensure!(range.len() == shape.elements(), Internal, "an element of {tensor:?} has not the shape {shape}");
        match parts.last_mut() {
            Some((t, r)) if std::ptr::eq(*t, tensor) && r.end == range.start => r.end = range.end,
            _ => parts.push((tensor, range)),
        }
    }
    rows::joined(dtype, Shape::checked(&dims)?, &parts)
}

/// Returns component `c` of all elements as one batch; their shapes, which nobody has declared, must be equal.
pub(super) fn alike(elements: &[Element], c: usize, dtype: DType) -> Result<Tensor> {
    let mut shape: Option<Shape> = None;
    for element in elements {
        let tuple = element.to_tuple()?;
        ensure!(c < tuple.len(), Internal, "an element has no component {c}");
        let own = tuple[c].shape();
        let first = shape.get_or_insert_with(|| own.clone());
        ensure!(first == own, InvalidArgument, "Elements of shapes {first} and {own} do not make up one batch");
    }
    stacked(elements, c, dtype, &shape.unwrap_or_default())
}

/// Returns component `c` of all elements as one batch, each padded with zeros to the largest where `shape` does not
/// say.
pub(super) fn padded(elements: &[Element], c: usize, dtype: DType, shape: &PartialShape) -> Result<Tensor> {
    if let Some(known) = shape.to_shape() {
        return stacked(elements, c, dtype, &known);
    }
    let mut tensors = Vec::with_capacity(elements.len());
    for element in elements {
        let tuple = element.to_tuple()?;
        ensure!(c < tuple.len(), Internal, "an element has no component {c}");
        tensors.push(tuple[c].clone());
    }
    let rank = shape.rank().unwrap_or(0);
    let largest = |axis| tensors.iter().map(|t| t.shape().dims().get(axis).copied().unwrap_or(0)).max().unwrap_or(0);
    let dims: Vec<usize> = (0..rank).map(|axis| shape.dim(axis).unwrap_or_else(|| largest(axis))).collect();
    rows::padded(dtype, &Shape::new(&dims), &tensors)
}
