//! The gradient of a convolution's filter.

use super::scratch::Scratch;
use super::{ConvFloat, Geometry};
use crate::gemm::{self, MatRef};
use crate::status::{Result, Status};
use crate::threads::{Threads, try_for_chunks_mut};
use ferroflow_sync::Mutex;

/// Multiplications worth a task of their own.
const TASK_PRODUCTS: usize = 1 << 21;
const MOST_TASKS: usize = 16;

/// The tasks' sums take at most this many elements, but at least `FEWEST_LARGE` tasks are made.
const SUM_ELEMENTS: usize = 16 << 20;
const FEWEST_LARGE: usize = 4;

/// Windows of a task are a multiple of this, as the product's blocks are.
const TASK_WINDOWS: usize = gemm::INNER;

/// Elements of the filter that are summed by one task.
const SUMMED_ELEMENTS: usize = 1 << 12;

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
    if T::backward_filter_shorter(threads, &geometry.pass(), input, output, gradient)? {
        return Ok(());
    }
    let image = geometry.image(threads, input, true)?;
    let windows = image.windows(geometry.axes())?;
    let size = depth * outputs;
    let part = count.div_ceil(tasks(count, depth, outputs)).next_multiple_of(TASK_WINDOWS);
    let parts = count.div_ceil(part);
    let product = |threads: Threads, first: usize, len: usize, sum: &mut [T]| {
        let rows = first * outputs..(first + len) * outputs;
        let output = MatRef::row_major(&output[rows], len, outputs)?;
        T::transposed_patches_by_matrix(threads, &windows, first, output, sum)
    };
    if parts == 1 || part == TASK_WINDOWS {
        // The product adds up the same parts in the same order.
        return product(threads, 0, count, gradient);
    }
    let mut sums = Scratch::<T>::new(&[parts, size])?;
    let failure = Mutex::new(None);
    try_for_chunks_mut(threads, sums.get_mut(), size, |start, sum| {
        let first = start / size * part;
        if let Err(e) = product(Threads::single(), first, part.min(count - first), sum) {
            failure.lock().get_or_insert(e);
        }
    })?;
    if let Some(e) = failure.into_inner() {
        return Err(e);
    }
    let sums = sums.get();
    try_for_chunks_mut(threads, gradient, SUMMED_ELEMENTS, |start, total| {
        for (number, sum) in sums.chunks_exact(size).enumerate() {
            let values = &sum[start..start + total.len()];
            if number == 0 {
                total.copy_from_slice(values);
            } else {
                total.iter_mut().zip(values).for_each(|(total, &value)| *total = *total + value);
            }
        }
    })?;
    Ok(())
}
