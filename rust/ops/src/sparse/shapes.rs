//! Shape rules that several sparse ops share.

use ferroflow_graph::ShapeContext;
use ferroflow_tensor::{PartialShape, Result, ensure};

/// The known shape of a sparse tensor, from its three parts.
pub(super) struct SparseShape {
    /// The number of elements.
    pub(super) count: Option<usize>,
    pub(super) rank: Option<usize>,
}

/// Checks the parts at inputs `i`, `i + 1` and `i + 2` against each other.
pub(super) fn parts(c: &ShapeContext<'_>, i: usize) -> Result<SparseShape> {
    let (indices, values) = (c.input(i)?.with_rank(2)?, c.input(i + 1)?.with_rank(1)?);
    let shape = c.input(i + 2)?.with_rank(1)?;
    let both = |x: Option<usize>, y: Option<usize>| x.zip(y).filter(|(x, y)| x != y);
    if let Some((x, y)) = both(indices.dim(0), values.dim(0)) {
        ensure!(false, InvalidArgument, "Number of elements in index ({x}) and values ({y}) do not match.");
    }
    if let Some((x, y)) = both(indices.dim(1), shape.dim(0)) {
        ensure!(false, InvalidArgument, "Index rank ({x}) and shape rank ({y}) do not match.");
    }
    Ok(SparseShape { count: indices.dim(0).or(values.dim(0)), rank: indices.dim(1).or(shape.dim(0)) })
}

/// Sets outputs `i`, `i + 1` and `i + 2` to the parts of a sparse tensor.
pub(super) fn set_parts(c: &mut ShapeContext<'_>, i: usize, count: Option<usize>, rank: Option<usize>) {
    c.set_output(i, PartialShape::from_dims(&[count, rank]));
    c.set_output(i + 1, PartialShape::vector(count));
    c.set_output(i + 2, PartialShape::vector(rank));
}
