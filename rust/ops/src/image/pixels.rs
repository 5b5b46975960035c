//! Functions of the three channels of a pixel, over whole images.

use super::sampling::BLOCK;
use ferroflow_tensor::threads::{Threads, try_for_chunks_mut};
use ferroflow_tensor::{Result, Scalar, Tensor};

/// Returns `f` of each pixel of images whose last dimension is 3.
pub(super) fn for_pixels<T: Scalar>(
    threads: Threads,
    images: &Tensor,
    f: impl Fn([T; 3]) -> [T; 3] + Sync,
) -> Result<Tensor> {
    let mut out = Tensor::new(T::DTYPE, images.shape().clone())?;
    let (from, _) = images.slice::<T>()?.as_chunks::<3>();
    let (to, _) = out.slice_mut::<T>()?.as_chunks_mut::<3>();
    try_for_chunks_mut(threads, to, BLOCK / 4, |start, chunk| {
        for (to, from) in chunk.iter_mut().zip(&from[start..]) {
            *to = f(*from);
        }
    })?;
    Ok(out)
}
