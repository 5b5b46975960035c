//! Rows of several steps in one tensor, and back.

use super::queue::Task;
use crate::array::rows::{cut, join};
use ferroflow_tensor::threads::Threads;
use ferroflow_tensor::{Result, Shape, Tensor, bail, ensure};

/// Returns a tensor with the rows of all parts.
///
/// Errors: `InvalidArgument` if their rows differ in shape, or they in dtype.
pub(super) fn joined(parts: &[Tensor]) -> Result<Tensor> {
    let Some(first) = parts.first() else { bail!(Internal, "there are no rows to join") };
    let mut dims = first.shape().to_i64();
    for (i, part) in parts.iter().enumerate() {
        ensure!(
            part.rank() == first.rank() && part.shape()[1..] == first.shape()[1..] && part.dtype() == first.dtype(),
            InvalidArgument,
            "ConcatOp : Dimensions of inputs should match: shape[0] = {} vs. shape[{i}] = {}",
            first.shape(),
            part.shape()
        );
    }
    dims[0] = parts.iter().map(|p| p.shape()[0] as i64).sum();
    join(Threads::single(), parts, 1, Shape::checked(&dims)?)
}

/// Returns consecutive parts of a tensor with these numbers of rows; the rows behind them are dropped.
pub(super) fn divided(x: &Tensor, sizes: &[usize]) -> Result<Vec<Tensor>> {
    let mut rest = x.shape()[0];
    let mut shapes = Vec::with_capacity(sizes.len() + 1);
    let part = |rows: usize| [rows].into_iter().chain(x.shape()[1..].iter().copied()).collect::<Shape>();
    for &rows in sizes {
        let Some(left) = rest.checked_sub(rows) else {
            bail!(InvalidArgument, "A batch of {} rows cannot be divided into parts of {sizes:?}", x.shape()[0]);
        };
        rest = left;
        shapes.push(part(rows));
    }
    shapes.push(part(rest));
    let mut parts = cut(Threads::single(), x, 1, &shapes)?;
    parts.truncate(sizes.len());
    Ok(parts)
}

/// Returns a tensor like `x` without rows.
pub(super) fn without_rows(x: &Tensor) -> Result<Tensor> {
    let dims: Vec<usize> = [0].into_iter().chain(x.shape().iter().skip(1).copied()).collect();
    Tensor::zeros(x.dtype(), Shape::new(&dims))
}

/// Returns each input of a batch with the rows of all tasks, up to `size` rows: the first row fills it up.
pub(super) fn batched(tasks: &[Task], size: usize) -> Result<Vec<Tensor>> {
    let Some(first) = tasks.first() else { bail!(Internal, "a batch has no tasks") };
    let rows: usize = tasks.iter().map(|t| t.rows).sum();
    let filler = tasks.iter().find(|t| t.rows > 0);
    let mut out = Vec::with_capacity(first.inputs.len());
    for i in 0..first.inputs.len() {
        let mut parts: Vec<Tensor> = tasks.iter().filter_map(|t| t.inputs.get(i).cloned()).collect();
        if let Some(input) = filler.and_then(|t| t.inputs.get(i)).filter(|_| size > rows) {
            let row = divided(input, &[1])?;
            parts.extend(std::iter::repeat_n(row, size - rows).flatten());
        }
        out.push(joined(&parts)?);
    }
    Ok(out)
}
