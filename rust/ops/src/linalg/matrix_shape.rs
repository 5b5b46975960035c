//! Shape rules that the matrix ops share.

use ferroflow_graph::ShapeContext;
use ferroflow_tensor::{PartialShape, Result, ensure};

pub(super) type Dim = Option<usize>;

/// Returns the outer dimensions, rows and columns of an input; `None` for unknown rank.
pub(super) fn split(shape: &PartialShape) -> Result<Option<(PartialShape, Dim, Dim)>> {
    let Some(dims) = shape.with_rank_at_least(2)?.dims() else { return Ok(None) };
    let [batch @ .., rows, columns] = &dims[..] else { return Ok(None) };
    Ok(Some((PartialShape::from_dims(batch), *rows, *columns)))
}

/// Returns the size that two dimensions state together; an error if they differ.
pub(super) fn equal(a: Dim, b: Dim) -> Result<Dim> {
    if let (Some(a), Some(b)) = (a, b) {
        ensure!(a == b, InvalidArgument, "Dimensions must be equal, but are {a} and {b}");
    }
    Ok(a.or(b))
}

/// Returns the smaller of two sizes, as far as it is known.
pub(super) fn smaller(a: Dim, b: Dim) -> Dim {
    match (a, b) {
        (Some(0), _) | (_, Some(0)) => Some(0),
        (Some(a), Some(b)) => Some(a.min(b)),
        _ => None,
    }
}

/// Returns `batch` followed by dimensions.
pub(super) fn batch_of(batch: &PartialShape, dims: &[Dim]) -> PartialShape {
    batch.concatenate(&PartialShape::from_dims(dims))
}

/// Returns the outer dimensions and the side of input 0, whose matrices are square.
pub(super) fn squares(c: &ShapeContext<'_>) -> Result<Option<(PartialShape, Dim)>> {
    let Some((batch, rows, columns)) = split(c.input(0)?)? else { return Ok(None) };
    Ok(Some((batch, equal(rows, columns)?)))
}

/// Sets output 0 to the shape of input 0, whose matrices are square.
pub(super) fn unchanged_square(c: &mut ShapeContext<'_>) -> Result<()> {
    if let Some((batch, n)) = squares(c)? {
        c.set_output(0, batch_of(&batch, &[n, n]));
    }
    Ok(())
}

/// Sets the shape of X in A X = B.
fn solution(c: &mut ShapeContext<'_>, is_square: bool) -> Result<()> {
    let unknown = || (PartialShape::unknown(), None, None);
    let (batch_a, rows, columns) = split(c.input(0)?)?.unwrap_or_else(unknown);
    let (batch_b, rows_b, right) = split(c.input(1)?)?.unwrap_or_else(unknown);
    let rows = equal(rows, rows_b)?;
    let columns = if is_square { equal(rows, columns)? } else { columns };
    c.set_output(0, batch_of(&batch_a.merge(&batch_b)?, &[columns, right]));
    Ok(())
}

/// Sets the shape of output 0, the solution of the square system of inputs 0 and 1.
pub(super) fn square_solution(c: &mut ShapeContext<'_>) -> Result<()> {
    solution(c, true)
}

/// Sets the shape of output 0, the solution of the system of inputs 0 and 1; input 2 is a scalar.
pub(super) fn least_squares_solution(c: &mut ShapeContext<'_>) -> Result<()> {
    c.input(2)?.with_rank(0)?;
    solution(c, false)
}
