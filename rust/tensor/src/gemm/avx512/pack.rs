//! Copies of blocks of the operands, in the order in which the kernel reads them.

use super::lanes::Lanes;
use super::{Operand, tile_rows};

/// Copies `depth` inner steps of `cols <= width` columns of b into rows of `width`, zero beyond `cols`.
///
/// # Safety
/// The CPU has AVX-512F; `b` is valid for the block, `to` for writes of `depth * width`; `width` is a multiple of `L::N`.
#[target_feature(enable = "avx512f")]
pub(super) unsafe fn columns<L: Lanes>(b: Operand<L::Elem>, depth: usize, cols: usize, width: usize, to: *mut L::Elem) {
    // SAFETY: all reads are of elements of the block, all writes inside `depth` rows of `width`; parts of registers are masked.
    unsafe {
        if b.col == 1 {
            for lane in (0..width).step_by(L::N) {
                let part = L::first(cols.saturating_sub(lane));
                let (mut from, mut to) = (b.at(0, lane.min(cols)), to.add(lane));
                for _ in 0..depth {
                    L::load_part(from, part).store(to);
                    from = from.wrapping_add(b.row);
                    to = to.wrapping_add(width);
                }
            }
        } else if b.row == 1 {
            for lane in (0..width).step_by(L::N) {
                let present = cols.saturating_sub(lane).min(L::N);
                for step in (0..depth).step_by(L::N) {
                    let from = b.at(step, lane.min(cols));
                    L::transpose(from, b.col, present, (depth - step).min(L::N), to.add(step * width + lane), width);
                }
            }
        } else {
            for step in 0..depth {
                for lane in 0..width {
                    *to.add(step * width + lane) = if lane < cols { *b.at(step, lane) } else { L::Elem::default() };
                }
            }
        }
    }
}

/// Copies `depth` inner steps of `rows` rows of a, each row's steps side by side, rows `stride` apart.
///
/// # Safety
/// `a` is valid for the block, `to` for writes of `rows * stride`; `depth <= stride`.
pub(super) unsafe fn rows_along<T: Copy>(a: Operand<T>, rows: usize, depth: usize, stride: usize, to: *mut T) {
    for row in 0..rows {
        // SAFETY: reads are of elements of the block, writes inside row `row` of the copy.
        unsafe {
            let to = to.add(row * stride);
            if a.col == 1 {
                std::ptr::copy_nonoverlapping(a.at(row, 0), to, depth);
            } else {
                for step in 0..depth {
                    *to.add(step) = *a.at(row, step);
                }
            }
        }
    }
}

/// Copies `depth` inner steps of `rows` rows of a whose rows are side by side, tile by tile: a tile's rows side by side for
/// each step, tiles `stride` elements per row apart.
///
/// # Safety
/// The CPU has AVX-512F; `a` is valid for the block and has `row == 1`; `to` for writes of `rows * stride`; `depth <= stride`.
#[target_feature(enable = "avx512f")]
pub(super) unsafe fn rows_across<L: Lanes>(
    a: Operand<L::Elem>,
    rows: usize,
    depth: usize,
    stride: usize,
    to: *mut L::Elem,
) {
    for tile in tile_rows(rows) {
        let height = tile.len();
        for lane in (0..height).step_by(L::N) {
            let part = L::first(height - lane);
            // SAFETY: reads and writes are masked to the tile's rows, which the contract above covers.
            unsafe {
                let (mut from, mut to) = (a.at(tile.start + lane, 0), to.add(tile.start * stride + lane));
                for _ in 0..depth {
                    L::load_part(from, part).store_part(to, part);
                    from = from.wrapping_add(a.col);
                    to = to.wrapping_add(height);
                }
            }
        }
    }
}
