//! Rows of tensors along their first dimension: one taken out, and many put together.

use ferroflow_tensor::{DType, Movable, Object, Result, Shape, Tensor, bail, by_size, ensure};
use std::ops::Range;

/// Returns the shape of one row.
pub(crate) fn row_shape(batch: &Tensor) -> Result<Shape> {
    match batch.shape().dims() {
        [_, rest @ ..] => Ok(Shape::new(rest)),
        [] => bail!(InvalidArgument, "a scalar has no rows"),
    }
}

/// Returns the row `i`, with elements of its own.
///
/// Errors: `InvalidArgument` where there is no such row.
pub(crate) fn row(batch: &Tensor, i: usize) -> Result<Tensor> {
    let shape = row_shape(batch)?;
    ensure!(i < batch.shape()[0], InvalidArgument, "there is no row {i} in {batch:?}");
    let size = shape.elements();
    joined(batch.dtype(), shape, &[(batch, i * size..(i + 1) * size)])
}

fn is_object(dtype: DType) -> bool {
    matches!(dtype, DType::Resource | DType::Variant)
}

/// Returns a tensor of `shape` whose elements are those of the parts, one after the other: ranges of tensors' elements.
///
/// Errors: `Internal` where the parts do not fill the shape, `ResourceExhausted` where there is no memory for it.
pub(crate) fn joined(dtype: DType, shape: Shape, parts: &[(&Tensor, Range<usize>)]) -> Result<Tensor> {
    let total: usize = parts.iter().map(|(_, r)| r.len()).sum();
    let is_whole = parts.iter().all(|(t, r)| t.dtype() == dtype && r.end <= t.elements());
    ensure!(is_whole && total == shape.elements(), Internal, "parts of {total} elements do not fill {shape}");
    if is_object(dtype) {
        let mut all: Vec<Object> = Vec::with_capacity(total);
        for (t, r) in parts {
            all.extend_from_slice(&t.objects()?[r.clone()]);
        }
        return Tensor::from_objects(dtype, shape, all);
    }
    let mut out = Tensor::new(dtype, shape)?;
    by_size!(dtype, E, {
        let mut to = E::view_mut(&mut out)?;
        for (t, r) in parts {
            let (here, rest) = to.split_at_mut(r.len());
            here.clone_from_slice(&E::view(t)?[r.clone()]);
            to = rest;
        }
        Ok(())
    })?;
    Ok(out)
}

/// Returns a batch of tensors, each in the corner of its row; what they leave is zero (empty strings).
///
/// Errors: `InvalidArgument` where one is larger than a row.
pub(crate) fn padded(dtype: DType, row: &Shape, tensors: &[Tensor]) -> Result<Tensor> {
    let mut dims = vec![tensors.len() as i64];
    dims.extend(row.to_i64());
    let mut out = Tensor::zeros(dtype, Shape::checked(&dims)?)?;
    let size = row.elements();
    by_size!(dtype, E, {
        let to = E::view_mut(&mut out)?;
        for (i, t) in tensors.iter().enumerate() {
            let fits = t.rank() == row.rank() && t.shape().iter().zip(row.iter()).all(|(a, b)| a <= b);
            ensure!(
                fits && t.dtype() == dtype,
                InvalidArgument,
                "An element of shape {} does not fit a row of {row}",
                t.shape()
            );
            place(E::view(t)?, t.shape(), &mut to[i * size..(i + 1) * size], row);
        }
        Ok(())
    })?;
    Ok(out)
}

/// Copies an array into the corner of a larger one of equal rank.
fn place<E: Movable>(from: &[E], shape: &Shape, to: &mut [E], into: &Shape) {
    let Some(&inner) = shape.last() else {
        to.clone_from_slice(from);
        return;
    };
    if from.is_empty() {
        return;
    }
    let strides = into.strides();
    let mut at = vec![0usize; shape.rank()];
    for line in from.chunks_exact(inner) {
        let start: usize = at.iter().zip(&strides).map(|(i, s)| i * s).sum();
        to[start..start + inner].clone_from_slice(line);
        for axis in (0..shape.rank() - 1).rev() {
            at[axis] += 1;
            if at[axis] < shape[axis] {
                break;
            }
            at[axis] = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_what_the_batch_holds_there() {
        let batch = Tensor::from_slice([3, 2], &[1i32, 2, 3, 4, 5, 6]).unwrap();
        assert_eq!(row(&batch, 1).unwrap(), Tensor::from_slice([2], &[3i32, 4]).unwrap());
        assert!(row(&batch, 3).is_err() && row(&Tensor::scalar(1i32), 0).is_err());
    }

    #[test]
    fn smaller_tensors_lie_in_the_corner_of_their_rows() {
        let a = Tensor::from_slice([1, 2], &[1i32, 2]).unwrap();
        let b = Tensor::from_slice([2, 1], &[3i32, 4]).unwrap();
        let both = padded(DType::I32, &Shape::new(&[2, 2]), &[a.clone(), b]).unwrap();
        assert_eq!(both, Tensor::from_slice([2, 2, 2], &[1i32, 2, 0, 0, 3, 0, 4, 0]).unwrap());
        assert!(padded(DType::I32, &Shape::new(&[1, 1]), &[a]).is_err());
    }
}
