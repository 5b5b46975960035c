//! Copies of whole second factors: outer block after outer block, each in panels of the kernel's width.

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{__m256, __m256d, __m512, __m512d};
use std::ops::Range;

#[cfg(target_arch = "x86_64")]
use super::lanes::Pair;
use super::lanes::{Lanes, Plain};
use super::{INNER, OUTER_COLS, OUTER_DEPTH, Operand, Target, pack, panel_width};
use crate::threads::{Interrupted, Threads, try_for_blocks};
use crate::vector::{Isa, Level};

/// Most columns of a panel on any CPU.
pub(in crate::gemm) const WIDEST_PANEL: usize = 32;

/// Packs a matrix of f32 for products with an instruction set: (rows, columns) from `b` on.
///
/// # Safety
/// `b` is valid for the rows and columns.
pub(in crate::gemm) unsafe fn pack_f32(
    isa: Isa,
    threads: Threads,
    b: Operand<f32>,
    size: (usize, usize),
    to: &mut [f32],
) -> Result<(), Interrupted> {
    assert!(to.len() >= size.0 * size.1.next_multiple_of(WIDEST_PANEL));
    let to = to.as_mut_ptr();
    // SAFETY: by this function's contract and the check; the CPU has the features of an `Isa`.
    unsafe {
        match isa.level() {
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => pack_all::<__m512>(threads, b, size, to),
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => pack_all::<Pair<__m256>>(threads, b, size, to),
            _ => pack_all::<Plain<f32, 16>>(threads, b, size, to),
        }
    }
}

/// Packs a matrix of f64, as [`pack_f32`] does.
///
/// # Safety
/// As for [`pack_f32`].
pub(in crate::gemm) unsafe fn pack_f64(
    isa: Isa,
    threads: Threads,
    b: Operand<f64>,
    size: (usize, usize),
    to: &mut [f64],
) -> Result<(), Interrupted> {
    assert!(to.len() >= size.0 * size.1.next_multiple_of(WIDEST_PANEL));
    let to = to.as_mut_ptr();
    // SAFETY: as for `pack_f32`.
    unsafe {
        match isa.level() {
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => pack_all::<__m512d>(threads, b, size, to),
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => pack_all::<Pair<__m256d>>(threads, b, size, to),
            _ => pack_all::<Plain<f64, 8>>(threads, b, size, to),
        }
    }
}

/// Returns the columns and the inner steps of a product's outer blocks.
pub(super) fn outer_blocks(cols: usize, depth: usize) -> impl Iterator<Item = (Range<usize>, Range<usize>)> {
    (0..cols).step_by(OUTER_COLS).flat_map(move |col| {
        let cols = col..cols.min(col + OUTER_COLS);
        (0..depth).step_by(OUTER_DEPTH).map(move |step| (cols.clone(), step..depth.min(step + OUTER_DEPTH)))
    })
}

/// Returns the blocks of the inner dimension: first step, steps.
pub(super) fn inner_blocks(depth: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..depth.div_ceil(INNER)).map(move |index| (index * INNER, INNER.min(depth - index * INNER)))
}

/// Returns a number of columns rounded up to whole panels.
pub(super) fn padded<L: Lanes>(cols: usize) -> usize {
    cols.next_multiple_of(panel_width::<L>())
}

/// Packs all outer blocks of a matrix, one after the other.
///
/// # Safety
/// The CPU has the features of `L`; `b` is valid for the rows and columns, `to` for the rows times the padded columns.
unsafe fn pack_all<L: Lanes>(
    threads: Threads,
    b: Operand<L::Elem>,
    (depth, cols): (usize, usize),
    to: *mut L::Elem,
) -> Result<(), Interrupted> {
    let mut done = 0;
    for (cols, steps) in outer_blocks(cols, depth) {
        // SAFETY: the blocks lie in the matrix, and their copies follow each other.
        unsafe {
            pack_block::<L>(threads, b.from(steps.start, cols.start), (steps.len(), cols.len()), Target(to.add(done)))?
        };
        done += steps.len() * padded::<L>(cols.len());
    }
    Ok(())
}

/// Packs an outer block.
///
/// # Safety
/// The CPU has the features of `L`; `b` is valid for the block; the copy has room for it.
pub(super) unsafe fn pack_block<L: Lanes>(
    threads: Threads,
    b: Operand<L::Elem>,
    (depth, cols): (usize, usize),
    to: Target<L::Elem>,
) -> Result<(), Interrupted> {
    try_for_blocks(threads, cols, 4 * panel_width::<L>(), |part| {
        for (step, depth) in inner_blocks(depth) {
            let to = to.at(step * padded::<L>(cols) + part.start * depth);
            // SAFETY: the caller keeps the contract; each task fills its own panels.
            unsafe { pack::columns::<L>(b.from(step, part.start), depth, part.len(), panel_width::<L>(), to) };
        }
    })
}
