//! The convolution itself.

use super::{ConvFloat, Geometry, Placed};
use crate::gemm::{Epilogue, MatRef, patches_by_matrix_wrapping};
use crate::status::Result;
use crate::threads::Threads;

/// Computes `output = activation(input convolved with filter + bias)`.
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
    if output.is_empty() && (windows.rows() == 0 || geometry.outputs == 0) {
        return Ok(());
    }
    if geometry.is_product() {
        let points = MatRef::row_major(input, windows.rows(), geometry.inputs)?;
        return T::matrix_by_matrix(threads, points, matrix, output, epilogue);
    }
    let pass = geometry.pass();
    let places = pass.in_order(output.len())?;
    if T::forward_shorter(threads, &pass, input, filter, Placed { values: output, places: &places }, epilogue)? {
        return Ok(());
    }
    let image = geometry.image(threads, input, false)?;
    T::patches_by_matrix(threads, &image.windows(geometry.axes())?, matrix, output, epilogue)
}

/// Computes `output = input convolved with filter` for integers; overflow wraps around.
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
