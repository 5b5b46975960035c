//! The convolution itself.

use super::{ConvFloat, Geometry};
use crate::gemm::{Epilogue, MatRef, patches_by_matrix_wrapping};
use crate::status::Result;
use crate::threads::Threads;

/// `output = activation(input convolved with filter + bias)`.
///
/// # Errors
/// `InvalidArgument` when a slice does not have the geometry's size; `ResourceExhausted` for lack of memory.
pub fn forward<T: ConvFloat>(
    threads: Threads,
    geometry: &Geometry,
    input: &[T],
    filter: &[T],
    output: &mut [T],
    epilogue: Option<&Epilogue<'_, T>>,
) -> Result<()> {
    let windows = geometry.windows(input)?;
    let matrix = geometry.filter(filter)?;
    if geometry.is_product() {
        let points = MatRef::row_major(input, windows.rows(), geometry.inputs)?;
        return T::matrix_by_matrix(threads, points, matrix, output, epilogue);
    }
    if T::forward_shorter(threads, geometry, input, filter, output, epilogue)? {
        return Ok(());
    }
    T::patches_by_matrix(threads, &windows, matrix, output, epilogue)
}

/// `output = input convolved with filter` for integers; overflow wraps around.
///
/// # Errors
/// As for [`forward`].
pub fn forward_wrapping(
    threads: Threads,
    geometry: &Geometry,
    input: &[i32],
    filter: &[i32],
    output: &mut [i32],
) -> Result<()> {
    patches_by_matrix_wrapping(threads, &geometry.windows(input)?, geometry.filter(filter)?, output)
}
