//! The adjoint of a resize: each pixel of the original sums what the pixels that sampled it got.

use super::pixel::Sum;
use super::sampling::{Taps, for_rows, transposed};
use ferroflow_tensor::threads::Threads;
use ferroflow_tensor::{Result, Shape, Tensor};

/// Returns the gradient of the original images, of shape `original`, from that of the resized ones, `grads` of shape
/// `resized`.
///
/// Computes each row of the original from the rows of `grads` that its pixels were sampled for, in their order. The
/// sums have the same bits at any number of threads.
pub(super) fn adjoint<T: Sum, const N: usize>(
    threads: Threads,
    grads: &[f32],
    resized: &Shape,
    original: Shape,
    rows: &[Taps<N>],
    columns: &[Taps<N>],
) -> Result<Tensor> {
    let mut out = Tensor::new(T::DTYPE, original.clone())?;
    let (height, width, channels) = (resized[1], resized[2], resized[3]);
    let rows = transposed(rows, original[1]);
    let row = original[2] * channels;
    for_rows(
        threads,
        &original,
        out.slice_mut::<T>()?,
        || vec![T::Total::default(); row],
        |totals, image, y, line| {
            totals.fill(T::Total::default());
            for &(gy, wy) in &rows[y] {
                let from = (image * height + gy) * width * channels;
                let grads = &grads[from..from + width * channels];
                for (taps, grads) in columns.iter().zip(grads.chunks_exact(channels)) {
                    for &(x, wx) in taps {
                        for (total, &g) in totals[x * channels..(x + 1) * channels].iter_mut().zip(grads) {
                            *total += T::of_product(g * wy * wx);
                        }
                    }
                }
            }
            for (to, &total) in line.iter_mut().zip(totals.iter()) {
                *to = T::narrow(total);
            }
        },
    )?;
    Ok(out)
}
