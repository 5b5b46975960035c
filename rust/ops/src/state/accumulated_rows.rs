//! `AccumulatedRows`: the sum of gradients given as slices, and how many of them each slice had a part in.

use super::conditional_accumulator::divided;
use ferroflow_tensor::vector::{Binary, Element, Operand, binary_in_place_left};
use ferroflow_tensor::{PartialShape, Result, Scalar, Shape, Tensor, bail, ensure};
use std::cmp::Ordering;

pub(super) struct AccumulatedRows {
    indices: Vec<i64>,
    counts: Vec<i64>,
    /// A row for each index.
    values: Tensor,
}

/// The combination of the gradients that takes get.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reduction {
    Sum,
    Mean,
}

/// Checks a gradient against the accumulator's shape and the sum so far.
fn check(
    before: Option<&AccumulatedRows>,
    shape: &PartialShape,
    indices: &Tensor,
    values: &Tensor,
    dense_shape: Option<&Tensor>,
) -> Result<()> {
    ensure!(
        indices.rank() == 1,
        InvalidArgument,
        "Input indices should be vector but received shape: {}",
        indices.shape()
    );
    ensure!(values.rank() > 0, InvalidArgument, "Values cannot be 0-dimensional.");
    ensure!(
        values.shape()[0] == indices.elements(),
        InvalidArgument,
        "Expected {} non-empty input values, got {}",
        indices.elements(),
        values.shape()[0]
    );
    let known = shape.dims().unwrap_or_default();
    if let Some(dense) = dense_shape {
        let dense = dense.to_i64s()?;
        ensure!(
            known.len() <= dense.len(),
            InvalidArgument,
            "Shape mismatch: expected shape rank at least {}, got {}",
            known.len(),
            dense.len()
        );
        for (i, (expected, &got)) in known.iter().zip(&dense).enumerate() {
            ensure!(
                expected.is_none_or(|expected| expected as i64 == got),
                InvalidArgument,
                "Shape mismatch: expected shape dim {i} to be {}, got {got}",
                expected.unwrap_or_default()
            );
        }
    }
    if let Some(Some(rows)) = known.first() {
        for (i, &index) in indices.slice::<i64>()?.iter().enumerate() {
            ensure!(
                index < *rows as i64,
                InvalidArgument,
                "Shape mismatch: index of slice {i} exceeded limits of shape; index is {index} exceeded {rows}"
            );
        }
    }
    let (rank, row): (usize, Vec<Option<usize>>) = match before {
        Some(sum) => {
            ensure!(
                sum.values.rank() == values.rank(),
                InvalidArgument,
                "Shape mismatch: expected values rank {}, got {}",
                sum.values.rank(),
                values.rank()
            );
            (values.rank(), sum.values.shape().iter().map(|&d| Some(d)).collect())
        }
        None => (known.len(), known.to_vec()),
    };
    ensure!(
        rank <= values.rank(),
        InvalidArgument,
        "Shape mismatch: expected values rank at least {rank}, got {}",
        values.rank()
    );
    for (i, expected) in row.iter().enumerate().skip(1) {
        let got = values.shape()[i];
        ensure!(
            expected.is_none_or(|expected| expected == got),
            InvalidArgument,
            "Shape mismatch: expected values dim {i} to be {}, got {got}",
            expected.unwrap_or_default()
        );
    }
    Ok(())
}

impl AccumulatedRows {
    /// Returns `before` and one more gradient, whose indices are in ascending order.
    ///
    /// Errors: `InvalidArgument` where the gradient does not fit the accumulator's shape or the sum so far.
    pub(super) fn sum<T: Scalar + Element>(
        before: Option<&AccumulatedRows>,
        shape: &PartialShape,
        indices: &Tensor,
        values: &Tensor,
        dense_shape: Option<&Tensor>,
    ) -> Result<AccumulatedRows> {
        check(before, shape, indices, values, dense_shape)?;
        let added = indices.slice::<i64>()?;
        let Some(before) = before else {
            let counts = vec![1; added.len()];
            return Ok(AccumulatedRows { indices: added.to_vec(), counts, values: values.clone().into_owned()? });
        };
        let (mut merged, mut counts, mut sources) = (Vec::new(), Vec::new(), Vec::new());
        let (mut i, mut j) = (0, 0);
        loop {
            let order = match (before.indices.get(i), added.get(j)) {
                (Some(a), Some(b)) => a.cmp(b),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (None, None) => break,
            };
            let (from_sum, from_new) = (order.is_le(), order.is_ge());
            merged.push(if from_sum { before.indices[i] } else { added[j] });
            counts.push(if from_sum { before.counts[i] } else { 0 } + i64::from(from_new));
            sources.push((from_sum.then_some(i), from_new.then_some(j)));
            i += usize::from(from_sum);
            j += usize::from(from_new);
        }
        let mut dims = values.shape().to_vec();
        dims[0] = merged.len();
        let width: usize = dims[1..].iter().product();
        let mut out = Tensor::new(T::DTYPE, Shape::new(&dims))?;
        if width > 0 {
            let (old, new) = (before.values.slice::<T>()?, values.slice::<T>()?);
            for (row, source) in out.slice_mut::<T>()?.chunks_exact_mut(width).zip(sources) {
                match source {
                    (Some(i), j) => {
                        row.copy_from_slice(&old[i * width..(i + 1) * width]);
                        if let Some(j) = j {
                            binary_in_place_left(Binary::Add, row, Operand::Slice(&new[j * width..(j + 1) * width]));
                        }
                    }
                    (None, Some(j)) => row.copy_from_slice(&new[j * width..(j + 1) * width]),
                    (None, None) => bail!(Internal, "a row of the sum comes from nowhere"),
                }
            }
        }
        Ok(AccumulatedRows { indices: merged, counts, values: out })
    }

    /// Returns the indices, the mean of each slice over its gradients (or the sum), and the dense shape. The shape has
    /// -1 if the accumulator has no number of rows.
    pub(super) fn finish<T: Scalar + Element>(
        mut self,
        shape: &PartialShape,
        reduction: Reduction,
    ) -> Result<[Tensor; 3]> {
        let width: usize = self.values.shape()[1..].iter().product();
        if reduction == Reduction::Mean && width > 0 {
            for (row, &count) in self.values.slice_mut::<T>()?.chunks_exact_mut(width).zip(&self.counts) {
                divided(row, count)?;
            }
        }
        let mut dims = self.values.shape().to_i64();
        if let Some(first) = dims.first_mut() {
            *first = shape.dim(0).map_or(-1, |rows| rows as i64);
        }
        let indices = Tensor::from_slice([self.indices.len()], &self.indices)?;
        Ok([indices, self.values, Tensor::from_slice([dims.len()], &dims)?])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn add(before: Option<&AccumulatedRows>, indices: &[i64], values: &[f32]) -> Result<AccumulatedRows> {
        let indices = Tensor::from_slice([indices.len()], indices)?;
        let values = Tensor::from_slice([indices.elements(), values.len() / indices.elements()], values)?;
        let shape = PartialShape::from_dims(&[Some(4), None]);
        AccumulatedRows::sum::<f32>(before, &shape, &indices, &values, None)
    }

    #[test]
    fn each_slice_is_divided_by_the_gradients_that_had_it() {
        let a = add(None, &[0, 2], &[2.0, 4.0, 1.0, 1.0]).unwrap();
        let b = add(Some(&a), &[1, 2], &[5.0, 5.0, 3.0, 7.0]).unwrap();
        let [indices, values, shape] =
            b.finish::<f32>(&PartialShape::from_dims(&[Some(4), None]), Reduction::Mean).unwrap();
        assert_eq!(indices.slice::<i64>().unwrap(), [0, 1, 2]);
        assert_eq!(values.slice::<f32>().unwrap(), [2.0, 4.0, 5.0, 5.0, 2.0, 4.0]);
        assert_eq!(shape.slice::<i64>().unwrap(), [4, 2]);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let message = |r: Result<AccumulatedRows>| r.err().unwrap().message().to_owned();
        assert!(message(add(None, &[4], &[1.0])).contains("index of slice 0 exceeded limits of shape; index is 4"));
        let a = add(None, &[0], &[1.0, 2.0]).unwrap();
        assert!(message(add(Some(&a), &[0], &[1.0])).contains("expected values dim 1 to be 2, got 1"));
    }
}
