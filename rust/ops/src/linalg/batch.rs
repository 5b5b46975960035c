//! Batches of matrices: their sizes, shapes of results, and the loop over them.

use ferroflow_linalg::{Element, Failure, Wide};
use ferroflow_sync::Mutex;
use ferroflow_tensor::threads::{Threads, try_for_rows_mut};
use ferroflow_tensor::{Result, Shape, Status, Tensor, bail, ensure, with_denormals};

/// Multiplications that are worth a thread.
const GRAIN: usize = 1 << 16;

/// The matrices in the last two dimensions of a tensor.
pub(super) struct Batch {
    dims: Vec<usize>,
    /// Number of matrices.
    pub count: usize,
    pub rows: usize,
    pub columns: usize,
}

impl Batch {
    /// Returns the matrices of input `number`.
    pub fn of(t: &Tensor, number: usize) -> Result<Batch> {
        let [dims @ .., rows, columns] = t.shape().dims() else {
            bail!(InvalidArgument, "Input tensor {number} must have rank >= 2, got {}", t.rank());
        };
        Ok(Batch { dims: dims.to_vec(), count: dims.iter().product(), rows: *rows, columns: *columns })
    }

    /// Returns `of` for the first input, whose matrices must be square.
    pub fn of_squares(t: &Tensor) -> Result<Batch> {
        let batch = Batch::of(t, 0)?;
        ensure!(batch.rows == batch.columns, InvalidArgument, "Input matrix must be square.");
        Ok(batch)
    }

    /// Returns the batch of a second input, with as many matrices in the same outer dimensions.
    pub fn beside(&self, t: &Tensor) -> Result<Batch> {
        let other = Batch::of(t, 1)?;
        ensure!(other.dims.len() == self.dims.len(), InvalidArgument, "All input tensors must have the same rank.");
        ensure!(other.dims == self.dims, InvalidArgument, "All input tensors must have the same outer dimensions.");
        Ok(other)
    }

    /// Returns the number of elements of one matrix.
    pub fn size(&self) -> usize {
        self.rows * self.columns
    }

    /// Returns the shape of as many results of shape `one`.
    pub fn shape_of(&self, one: &[usize]) -> Result<Shape> {
        Shape::checked(&self.dims.iter().chain(one).map(|&d| d as i64).collect::<Vec<_>>())
    }

    /// Calls `f` for each matrix with its number and its part of each input and output. `work` is the multiplications that one matrix
    /// takes.
    ///
    /// Errors: that of the first matrix that failed.
    pub fn for_each<T: Element, const I: usize, const O: usize>(
        &self,
        threads: Threads,
        work: usize,
        inputs: [&[T]; I],
        outputs: [&mut [T]; O],
        f: impl Fn(usize, [&[Wide<T>]; I], [&mut [Wide<T>]; O]) -> Result<()> + Sync,
    ) -> Result<()> {
        self.for_each_as_is(threads, work, inputs, outputs, |i, inputs, outputs, scratch| {
            T::widened(inputs, outputs, scratch, |inputs, outputs| f(i, inputs, outputs))
        })
    }

    /// Does what `for_each` does, without a change of the type. `f` also receives a vector that the calls of a thread
    /// may use again.
    pub fn for_each_as_is<T: Element, const I: usize, const O: usize>(
        &self,
        threads: Threads,
        work: usize,
        inputs: [&[T]; I],
        outputs: [&mut [T]; O],
        f: impl Fn(usize, [&[T]; I], [&mut [T]; O], &mut Vec<Wide<T>>) -> Result<()> + Sync,
    ) -> Result<()> {
        // Also spares a step over any number of empty matrices.
        if outputs.iter().all(|out| out.is_empty()) {
            return Ok(());
        }
        let sizes = outputs.each_ref().map(|out| out.len() / self.count);
        let failure: Mutex<Option<(usize, Status)>> = Mutex::new(None);
        try_for_rows_mut(threads, self.count, (GRAIN / work.max(1)).max(1), outputs, |range, mut rest| {
            let mut scratch = Vec::new();
            let mut compute = |i: usize| {
                let mut sizes = sizes.iter();
                let parts = rest.each_mut().map(|rest| {
                    let (part, after) = std::mem::take(rest).split_at_mut(sizes.next().copied().unwrap_or(0));
                    *rest = after;
                    part
                });
                let inputs = inputs.map(|input| {
                    let size = input.len() / self.count;
                    &input[i * size..(i + 1) * size]
                });
                f(i, inputs, parts, &mut scratch).map_err(|error| (i, error))
            };
            // faer keeps bits that are no numbers in registers of floats: as denormal numbers they would be lost.
            if let Err((i, error)) = with_denormals(|| range.into_iter().try_for_each(&mut compute)) {
                let mut first = failure.lock();
                if first.as_ref().is_none_or(|(at, _)| i < *at) {
                    *first = Some((i, error));
                }
            }
        })?;
        failure.into_inner().map_or(Ok(()), |(_, error)| Err(error))
    }
}

/// Returns a failure in the words of an op.
pub(super) fn refused(message: &'static str) -> impl Fn(Failure) -> Status {
    move |_| Status::invalid_argument(message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_matrix_has_its_part_and_the_first_error_is_told() {
        let t = Tensor::zeros(ferroflow_tensor::DType::F32, [2, 50, 3, 2]).unwrap();
        let batch = Batch::of(&t, 0).unwrap();
        assert_eq!((batch.count, batch.size()), (100, 6));
        let numbers: Vec<f32> = (0u8..100).map(f32::from).collect();
        for threads in [1, 2, 4] {
            let (mut a, mut b) = (vec![0.0f32; 100], vec![0.0; 300]);
            batch
                .for_each(
                    Threads::new(threads),
                    1 << 14,
                    [&numbers],
                    [&mut a[..], &mut b[..]],
                    |i, [number], [a, b]| {
                        a[0] = number[0];
                        b.fill(2.0 * i as f64);
                        Ok(())
                    },
                )
                .unwrap();
            assert!((0..100).all(|i| a[i] == i as f32 && b[3 * i..3 * i + 3] == [2.0 * i as f32; 3]));
            let failed = batch.for_each(Threads::new(threads), 1 << 20, [&numbers], [&mut a[..]], |i, _, _| match i {
                17 | 40 => Err(Status::invalid_argument(i.to_string())),
                _ => Ok(()),
            });
            assert_eq!(failed.unwrap_err().message(), "17");
        }
    }
}
