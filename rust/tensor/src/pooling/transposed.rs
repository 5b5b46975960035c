//! Windows of parts whose elements lie next to each other without channels: several parts are pooled side by side.

use super::kept::Kept;
use super::windows::Windows;
use crate::threads::{Interrupted, SharedSlice, Threads, try_for_blocks};
use crate::transpose::{self, BLOCK_SIDE};
use std::sync::atomic::{AtomicBool, Ordering};

/// Returns true if parts are to be pooled side by side, as channels are.
pub(super) fn pays(windows: &Windows) -> bool {
    windows.inner == 1 && windows.outer > 1
}

/// Calls `f(windows, inputs, out)` for some parts at a time, whose elements then lie side by side.
pub(super) fn each<T: Copy + Default + Send + Sync, const N: usize>(
    windows: &Windows,
    threads: Threads,
    inputs: [&[T]; N],
    out: &mut [T],
    f: impl Fn(&Windows, [&[T]; N], &mut [T]) -> Result<(), Interrupted> + Sync,
) -> Result<(), Interrupted> {
    let outer = windows.outer;
    let (sizes, size) = (inputs.map(|x| x.len() / outer), out.len() / outer);
    let (shared, all_whole) = (SharedSlice::new(out), AtomicBool::new(true));
    try_for_blocks(threads, outer, BLOCK_SIDE, |parts| {
        let (first, count) = (parts.start, parts.len());
        let inputs: [Kept<T>; N] = std::array::from_fn(|k| {
            let mut transposed = Kept::new(count * sizes[k]);
            transpose::matrix(&inputs[k][first * sizes[k]..], sizes[k], (count, sizes[k]), transposed.get_mut(), count);
            transposed
        });
        let mut transposed = Kept::new(count * size);
        let windows = Windows { outer: 1, inner: count, ..windows.clone() };
        if let Err(Interrupted) = f(&windows, inputs.each_ref().map(Kept::get), transposed.get_mut()) {
            all_whole.store(false, Ordering::Relaxed);
            return;
        }
        // SAFETY: the parts of different blocks are disjoint.
        let out = unsafe { shared.range(first * size..(first + count) * size) };
        transpose::matrix(transposed.get(), count, (size, count), out, size);
    })?;
    if all_whole.into_inner() { Ok(()) } else { Err(Interrupted) }
}
