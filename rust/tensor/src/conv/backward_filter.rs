//! The gradient of a convolution's filter.

use super::scratch::Scratch;
use super::{ConvFloat, Geometry};
use crate::gemm::{self, MatRef};
use crate::status::{Result, Status};
use crate::threads::{Interrupted, Threads, try_for_chunks_mut};
use crate::transpose;
use ferroflow_sync::Mutex;

/// Multiplications worth a task of their own.
const TASK_PRODUCTS: usize = 1 << 21;
const MOST_TASKS: usize = 16;

/// The tasks' sums take at most this many elements, but at least `FEWEST_LARGE` tasks are made.
const SUM_ELEMENTS: usize = 16 << 20;
const FEWEST_LARGE: usize = 4;

/// Windows of a task are a multiple of this, as the product's blocks are.
const TASK_WINDOWS: usize = gemm::INNER;

/// Rows of the filter that are summed by one task.
const SUM_ROWS: usize = 64;

/// Returns the number of parts the windows are cut into; from sizes alone.
fn tasks(windows: usize, depth: usize, outputs: usize) -> usize {
    let size = depth.saturating_mul(outputs).max(1);
    let ideal = (windows.saturating_mul(size) / TASK_PRODUCTS).min(MOST_TASKS);
    let tasks = ideal.min((SUM_ELEMENTS / size).max(FEWEST_LARGE)).min(windows.div_ceil(TASK_WINDOWS));
    if tasks > 1 { tasks.next_multiple_of(2) } else { 1 }
}

/// Computes in `gradient` the gradient by the filter of the convolution whose output has the gradient `output`. Sums
/// over parts of the windows are added in order.
///
/// # Errors
/// `InvalidArgument` when a slice does not have the geometry's size; `ResourceExhausted` for lack of memory.
pub fn backward_filter<T: ConvFloat>(
    threads: Threads,
    geometry: &Geometry,
    input: &[T],
    output: &[T],
    gradient: &mut [T],
) -> Result<()> {
    let windows = geometry.windows(input)?;
    let (depth, outputs, count) = (windows.cols(), geometry.outputs, windows.rows());
    if count.checked_mul(outputs) != Some(output.len()) || depth.checked_mul(outputs) != Some(gradient.len()) {
        return Err(Status::invalid_argument(
            "the gradients of a convolution's output and filter do not have its sizes",
        ));
    }
    if gradient.is_empty() {
        return Ok(());
    }
    if count == 0 {
        gradient.fill(T::default());
        return Ok(());
    }
    if T::backward_filter_shorter(threads, geometry, input, output, gradient)? {
        return Ok(());
    }
    let size = depth * outputs;
    let part = count.div_ceil(tasks(count, depth, outputs)).next_multiple_of(TASK_WINDOWS);
    let parts = count.div_ceil(part);
    // The product adds up the same parts in the same order.
    let is_one_product = parts == 1 || part == TASK_WINDOWS;
    let mut sums = Scratch::<T>::new(&[if is_one_product { 1 } else { parts }, size])?;
    if is_one_product {
        let output = MatRef::new(output, outputs, count, 1, outputs)?;
        T::matrix_by_patches(threads, output, &windows, 0, sums.get_mut())?;
        add_transposed(threads, sums.get(), [depth, outputs], gradient)?;
        return Ok(());
    }
    let failure = Mutex::new(None);
    try_for_chunks_mut(threads, sums.get_mut(), size, |start, sum| {
        let first = start / size * part;
        let rows = part.min(count - first);
        let result = MatRef::new(&output[first * outputs..], outputs, rows, 1, outputs)
            .and_then(|output| T::matrix_by_patches(Threads::single(), output, &windows, first, sum));
        if let Err(e) = result {
            failure.lock().get_or_insert(e);
        }
    })?;
    if let Some(e) = failure.into_inner() {
        return Err(e);
    }
    add_transposed(threads, sums.get(), [depth, outputs], gradient)?;
    Ok(())
}

/// Computes in `total`, a matrix of this size, the sum of the transposes of `sums`, in order.
fn add_transposed<T: ConvFloat>(
    threads: Threads,
    sums: &[T],
    [rows, cols]: [usize; 2],
    total: &mut [T],
) -> Result<(), Interrupted> {
    try_for_chunks_mut(threads, total, SUM_ROWS * cols, |start, to| {
        let (first, size) = (start / cols, (cols, to.len() / cols));
        let mut sums = sums.chunks_exact(rows * cols);
        if let Some(sum) = sums.next() {
            transpose::matrix(&sum[first..], rows, size, to, cols);
        }
        let mut transposed = vec![T::default(); if sums.len() > 0 { to.len() } else { 0 }];
        for sum in sums {
            transpose::matrix(&sum[first..], rows, size, &mut transposed, cols);
            for (total, &value) in to.iter_mut().zip(&transposed) {
                *total = *total + value;
            }
        }
    })
}
