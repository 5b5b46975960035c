//! Row splits: `splits[i]..splits[i + 1]` are the places of row i's values.

use ferroflow_tensor::{DType, Result, Tensor, bail, ensure};
use std::ops::Range;

/// Returns splits as a tensor of int32 or int64.
pub(crate) fn to_tensor(dtype: DType, splits: &[usize]) -> Result<Tensor> {
    if dtype == DType::I64 {
        return Tensor::from_slice([splits.len()], &splits.iter().map(|&n| n as i64).collect::<Vec<_>>());
    }
    let last = splits.last().copied().unwrap_or(0);
    ensure!(i32::try_from(last).is_ok(), InvalidArgument, "int32 row splits cannot count {last} values");
    Tensor::from_slice([splits.len()], &splits.iter().map(|&n| n as i32).collect::<Vec<_>>())
}

/// The checked splits of one ragged dimension.
pub(super) struct Splits(Vec<usize>);

impl Splits {
    /// Reads splits of `count` values or rows.
    ///
    /// Errors: `InvalidArgument` where the splits are empty, negative, not ascending, or above `count`.
    pub(super) fn of(tensor: &Tensor, count: usize) -> Result<Splits> {
        ensure!(tensor.rank() == 1, InvalidArgument, "Ragged splits must be a vector, got shape {}", tensor.shape());
        let given = tensor.to_i64s()?;
        let (Some(&first), Some(&last)) = (given.first(), given.last()) else {
            bail!(InvalidArgument, "Ragged splits may not be empty")
        };
        ensure!(first >= 0, InvalidArgument, "Ragged splits must be non-negative");
        let is_inside = usize::try_from(last).is_ok_and(|last| last <= count);
        ensure!(last < first || is_inside, InvalidArgument, "Ragged splits must not point past values");
        ensure!(given.is_sorted(), InvalidArgument, "Ragged splits must be sorted");
        // All are between the first and the last, which are counts.
        Ok(Splits(given.into_iter().map(|n| n as usize).collect()))
    }

    /// Reads the splits of all dimensions, outermost first, above `count` values.
    pub(super) fn nested(tensors: &[Tensor], count: usize) -> Result<Vec<Splits>> {
        let below = |d: usize| tensors.get(d + 1).map_or(count, |next| next.elements().saturating_sub(1));
        tensors.iter().enumerate().map(|(d, splits)| Splits::of(splits, below(d))).collect()
    }

    pub(super) fn rows(&self) -> usize {
        self.0.len() - 1
    }

    pub(super) fn row(&self, row: usize) -> Range<usize> {
        self.0[row]..self.0[row + 1]
    }

    /// Returns the places of the values of several rows that follow each other.
    pub(super) fn values_of(&self, rows: &Range<usize>) -> Range<usize> {
        self.0[rows.start]..self.0[rows.end]
    }

    pub(super) fn longest_row(&self) -> usize {
        self.0.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap_or(0)
    }
}
