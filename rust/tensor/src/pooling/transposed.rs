//! Windows of parts whose elements lie next to each other without channels: several parts are pooled side by side.

use super::kept::Kept;
use super::windows::Windows;
use crate::threads::{Interrupted, SharedSlice, Threads, try_for_blocks};
use crate::transpose::{BLOCK_SIDE, block_of_4_bytes, block_of_8_bytes};
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
            transpose(&inputs[k][first * sizes[k]..], count, sizes[k], transposed.get_mut());
            transposed
        });
        let mut transposed = Kept::new(count * size);
        let windows = Windows { outer: 1, inner: count, ..windows.clone() };
        if let Err(Interrupted) = f(&windows, inputs.each_ref().map(Kept::get), transposed.get_mut()) {
            all_whole.store(false, Ordering::Relaxed);
            return;
        }
        // SAFETY: the parts of different blocks are disjoint.
        transpose(transposed.get(), size, count, unsafe { shared.range(first * size..(first + count) * size) });
    })?;
    if all_whole.into_inner() { Ok(()) } else { Err(Interrupted) }
}

/// Computes `to[c * rows + r] = from[r * columns + c]`.
fn transpose<T: Copy>(from: &[T], rows: usize, columns: usize, to: &mut [T]) {
    for r in (0..rows).step_by(BLOCK_SIDE) {
        for c in (0..columns).step_by(BLOCK_SIDE) {
            let (r_end, c_end) = (rows.min(r + BLOCK_SIDE), columns.min(c + BLOCK_SIDE));
            let whole = r_end - r == BLOCK_SIDE && c_end - c == BLOCK_SIDE;
            if whole && turn_block(&from[r * columns + c..], columns, &mut to[c * rows + r..], rows) {
                continue;
            }
            for r in r..r_end {
                for c in c..c_end {
                    to[c * rows + r] = from[r * columns + c];
                }
            }
        }
    }
}

/// Transposes a whole block in registers; false, with nothing done, where there is no way.
fn turn_block<T: Copy>(from: &[T], stride: usize, to: &mut [T], row: usize) -> bool {
    let (to_len, to_at) = (to.len(), to.as_mut_ptr());
    if align_of::<T>() != size_of::<T>() {
        return false;
    }
    match size_of::<T>() {
        // SAFETY: plain elements of this size and alignment are moved as bits; the borrows are those of the slices.
        4 => unsafe {
            let from = std::slice::from_raw_parts(from.as_ptr().cast(), from.len());
            block_of_4_bytes(from, stride, std::slice::from_raw_parts_mut(to_at.cast(), to_len), row)
        },
        // SAFETY: as above.
        8 => unsafe {
            let from = std::slice::from_raw_parts(from.as_ptr().cast(), from.len());
            block_of_8_bytes(from, stride, std::slice::from_raw_parts_mut(to_at.cast(), to_len), row)
        },
        _ => false,
    }
}
