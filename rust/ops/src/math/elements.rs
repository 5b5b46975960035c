//! `Elements`: what a reduction reads, in memory or computed as it is read.

use ferroflow_sync::Mutex;
use ferroflow_tensor::elementwise::Ranges;
use ferroflow_tensor::threads::{Threads, try_for_chunks_mut};
use ferroflow_tensor::vector::Element;
use ferroflow_tensor::{Result, Scalar, Tensor};
use std::ops::Range;

/// Memory for elements that are computed.
#[derive(Default)]
pub(super) struct Scratch(Option<Tensor>);

impl Scratch {
    /// Returns the memory of `n` elements, which have any values.
    pub fn of<T: Scalar>(&mut self, n: usize) -> Result<&mut [T]> {
        let fits = |t: &Tensor| t.elements() >= n && t.dtype() == T::DTYPE;
        let tensor = match self.0.take().filter(fits) {
            Some(tensor) => tensor,
            None => Tensor::new(T::DTYPE, [n])?,
        };
        Ok(&mut self.0.insert(tensor).slice_mut::<T>()?[..n])
    }
}

/// Elements that are computed at once: they stay in L1 until they are read.
pub(super) const COMPUTED: usize = 1 << 12;

pub(super) trait Elements<T>: Sync {
    /// The elements that are best read at once.
    const PORTION: usize;

    /// Returns a range of the elements.
    fn read<'a>(&'a self, range: Range<usize>, scratch: &'a mut Scratch) -> Result<&'a [T]>;
}

impl<T: Sync> Elements<T> for &[T] {
    const PORTION: usize = usize::MAX;

    fn read<'a>(&'a self, range: Range<usize>, _: &'a mut Scratch) -> Result<&'a [T]> {
        Ok(&self[range])
    }
}

impl<T: Scalar + Element> Elements<T> for Ranges<T> {
    const PORTION: usize = COMPUTED;

    fn read<'a>(&'a self, range: Range<usize>, scratch: &'a mut Scratch) -> Result<&'a [T]> {
        let out = scratch.of::<T>(range.len())?;
        self.compute(range.start, out)?;
        Ok(out)
    }
}

/// Calls `f` as `try_for_chunks_mut` does, and returns the first failure.
pub(super) fn try_chunks<T: Send>(
    threads: Threads,
    out: &mut [T],
    block: usize,
    f: impl Fn(usize, &mut [T]) -> Result<()> + Sync,
) -> Result<()> {
    let failure = Mutex::new(None);
    try_for_chunks_mut(threads, out, block, |start, out| {
        if let Err(e) = f(start, out) {
            failure.lock().get_or_insert(e);
        }
    })?;
    failure.into_inner().map_or(Ok(()), Err)
}
