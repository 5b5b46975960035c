//! Copies of blocks of the operands, in the order in which the kernel reads them.

use std::ops::Range;

use super::super::patches::{Patches, Run};
use super::lanes::{Lanes, for_lanes, prefetch};
use super::{LEAST_ROWS, Operand, PACKED_ROWS, tile_rows};

/// Steps between the prefetch of a line and its use.
const STEPS_AHEAD: usize = 8;

for_lanes! {
    /// Copies `depth` inner steps of `cols` columns of b, panel after panel. A panel has one row of `width` for each
    /// step, zero beyond the last column.
    ///
    /// # Safety
    /// The CPU has the features of `L`. `b` is valid for the block, `to` for writes of `depth` rows of `cols`, rounded
    /// up to whole panels. `width` is a multiple of `L::N`.
    pub(super) unsafe fn columns = columns_body<L: Lanes>(b: Operand<L::Elem>, depth: usize, cols: usize, width: usize, to: *mut L::Elem)
}

#[inline(always)]
unsafe fn columns_body<L: Lanes>(b: Operand<L::Elem>, depth: usize, cols: usize, width: usize, to: *mut L::Elem) {
    // SAFETY: all reads are of elements of the block, all writes inside the panels; parts of registers are masked.
    unsafe {
        if b.col == 1 {
            // Goes step by step across all panels, so that memory is read in order. The steps lie on different pages,
            // which the CPU does not prefetch by itself.
            for step in 0..depth {
                for line in (0..cols).step_by(64 / size_of::<L::Elem>()) {
                    prefetch::<true>(b.at(step + STEPS_AHEAD, line).cast());
                }
                for start in (0..cols).step_by(width) {
                    let (from, to) = (b.at(step, start), to.add(start * depth + step * width));
                    for lane in (0..width).step_by(L::N) {
                        if start + lane + L::N <= cols {
                            L::load(from.add(lane)).store(to.add(lane));
                        } else {
                            let part = L::first(cols.saturating_sub(start + lane));
                            L::load_part(from.wrapping_add(lane), part).store(to.add(lane));
                        }
                    }
                }
            }
            return;
        }
        for start in (0..cols).step_by(width) {
            let to = to.add(start * depth);
            for lane in (0..width).step_by(L::N) {
                let present = cols.saturating_sub(start + lane).min(L::N);
                let b = b.from(0, start + lane);
                for step in (0..depth).step_by(L::N) {
                    let (steps, to) = ((depth - step).min(L::N), to.add(step * width + lane));
                    if b.row == 1 {
                        L::transpose(b.at(step, 0), b.col, present, steps, to, width, L::first(L::N));
                        continue;
                    }
                    for row in 0..steps {
                        for col in 0..L::N {
                            *to.add(row * width + col) =
                                if col < present { *b.at(step + row, col) } else { L::Elem::default() };
                        }
                    }
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

/// Returns the first row and the height of each tile that a task packs, and how many tiles there are.
#[inline(always)]
fn tiles<L: Lanes>(rows: usize) -> ([(usize, usize); PACKED_ROWS / LEAST_ROWS + 1], usize) {
    let mut tiles = [(0, 0); PACKED_ROWS / LEAST_ROWS + 1];
    let mut count = 0;
    for (tile, slot) in tile_rows::<L>(rows).zip(&mut tiles) {
        *slot = (tile.start, tile.len());
        count += 1;
    }
    (tiles, count)
}

for_lanes! {
    /// Copies `depth` inner steps of `rows` rows of a whose rows are side by side, tile by tile. A tile has its rows
    /// side by side for each step. Tiles are `stride` elements per row apart; there are at most as many as a task
    /// packs.
    ///
    /// # Safety
    /// The CPU has the features of `L`; `a` is valid for the block and has `row == 1`; `to` for writes of `rows * stride`; `depth <= stride`.
    pub(super) unsafe fn rows_across = rows_across_body<L: Lanes>(a: Operand<L::Elem>, rows: usize, depth: usize, stride: usize, to: *mut L::Elem)
}

#[inline(always)]
unsafe fn rows_across_body<L: Lanes>(a: Operand<L::Elem>, rows: usize, depth: usize, stride: usize, to: *mut L::Elem) {
    let (tiles, count) = tiles::<L>(rows);
    // Goes step by step across all tiles, so that memory is read in order. The steps lie on different pages, which the
    // CPU does not prefetch by itself.
    for step in 0..depth {
        for line in (0..rows).step_by(64 / size_of::<L::Elem>()) {
            prefetch::<true>(a.at(line, step + STEPS_AHEAD).cast());
        }
        for &(start, height) in tiles.iter().take(count) {
            // SAFETY: reads and writes are masked to the tile's rows, which the contract above covers.
            unsafe {
                let (from, to) = (a.at(start, step), to.add(start * stride + step * height));
                for lane in (0..height).step_by(L::N) {
                    let part = L::first(height - lane);
                    L::load_part(from.add(lane), part).store_part(to.add(lane), part);
                }
            }
        }
    }
}

for_lanes! {
    /// Copies rows as [`rows_across`] does, from rows whose steps are side by side.
    ///
    /// # Safety
    /// The CPU has the features of `L`; `a` is valid for the block and has `col == 1`; `to` for writes of `rows * stride`; `depth <= stride`.
    pub(super) unsafe fn rows_transposed = rows_transposed_body<L: Lanes>(a: Operand<L::Elem>, rows: usize, depth: usize, stride: usize, to: *mut L::Elem)
}

#[inline(always)]
unsafe fn rows_transposed_body<L: Lanes>(
    a: Operand<L::Elem>,
    rows: usize,
    depth: usize,
    stride: usize,
    to: *mut L::Elem,
) {
    for tile in tile_rows::<L>(rows) {
        let height = tile.len();
        for lane in (0..height).step_by(L::N) {
            let present = (height - lane).min(L::N);
            let part = L::first(present);
            for step in (0..depth).step_by(L::N) {
                // The next tile's rows lie on other pages, which the CPU does not prefetch by itself.
                for row in 0..present {
                    prefetch::<false>(a.at(tile.end + lane + row, step).cast());
                }
                // SAFETY: the elements lie in the block, as do those written in the copy: the tile's, step by step.
                unsafe {
                    let to = to.add(tile.start * stride + step * height + lane);
                    L::transpose(
                        a.at(tile.start + lane, step),
                        a.row,
                        present,
                        (depth - step).min(L::N),
                        to,
                        height,
                        part,
                    );
                }
            }
        }
    }
}

for_lanes! {
    /// Copies a part of the matrix of windows, row by row, `stride` elements apart.
    ///
    /// # Safety
    /// The CPU has the features of `L`; the part lies in the matrix. `to` is valid for writes of the part, whose rows
    /// are at most `stride` long.
    pub(super) unsafe fn windows = windows_body<L: Lanes>(patches: &Patches<'_, L::Elem>, rows: Range<usize>, cols: Range<usize>, stride: usize, to: *mut L::Elem)
}

#[inline(always)]
unsafe fn windows_body<L: Lanes>(
    patches: &Patches<'_, L::Elem>,
    rows: Range<usize>,
    cols: Range<usize>,
    stride: usize,
    to: *mut L::Elem,
) {
    // SAFETY: a run's source lies in the data of the windows; what is written lies in the part.
    patches.runs(rows, cols, |run| unsafe { copy_run::<L>(&run, stride, to.add(run.row * stride + run.col)) });
}

for_lanes! {
    /// Copies columns of the matrix of windows as the rows of [`rows_across`], one window for each step.
    ///
    /// # Safety
    /// The CPU has the features of `L`; the part lies in the matrix of windows. `to` is valid for writes of `cols.len() * stride`;
    /// `windows.len() <= stride`; there are at most as many columns as a task packs rows.
    pub(super) unsafe fn windows_across = windows_across_body<L: Lanes>(patches: &Patches<'_, L::Elem>, windows: Range<usize>, cols: Range<usize>, stride: usize, to: *mut L::Elem)
}

#[inline(always)]
unsafe fn windows_across_body<L: Lanes>(
    patches: &Patches<'_, L::Elem>,
    windows: Range<usize>,
    cols: Range<usize>,
    stride: usize,
    to: *mut L::Elem,
) {
    let (tiles, count) = tiles::<L>(cols.len());
    let tiles = &tiles[..count];
    patches.runs(windows, cols, |run| {
        let end = run.col + run.len;
        for &(start, height) in tiles.iter().skip_while(|(start, height)| start + height <= run.col) {
            if start >= end {
                break;
            }
            let (first, last) = (run.col.max(start), end.min(start + height));
            let part = Run {
                from: run.from.map(|from| from.wrapping_add(first - run.col)),
                row: run.row,
                rows: run.rows,
                from_step: run.from_step,
                col: first,
                len: last - first,
            };
            // SAFETY: the part lies in the run, and what is written in the tile.
            unsafe { copy_run::<L>(&part, height, to.add(start * stride + run.row * height + first - start)) };
        }
    });
}

for_lanes! {
    /// Copies one run to `to`, rows `stride` apart.
    ///
    /// # Safety
    /// The CPU has the features of `L`; the run's source is valid, and `to` for writes of its rows.
    unsafe fn copy_run = copy_run_body<L: Lanes>(run: &Run<L::Elem>, stride: usize, to: *mut L::Elem)
}

#[inline(always)]
unsafe fn copy_run_body<L: Lanes>(run: &Run<L::Elem>, stride: usize, to: *mut L::Elem) {
    // SAFETY: whole registers are read and written only inside the run; the last ones are masked.
    unsafe {
        let whole = run.len / L::N * L::N;
        let part = L::first(run.len - whole);
        let (mut from, from_step) = match run.from {
            Some(from) => (from, run.from_step),
            None => {
                let mut to = to;
                for _ in 0..run.rows {
                    for lane in (0..whole).step_by(L::N) {
                        L::zero().store(to.add(lane));
                    }
                    L::zero().store_part(to.wrapping_add(whole), part);
                    to = to.wrapping_add(stride);
                }
                return;
            }
        };
        let mut to = to;
        for _ in 0..run.rows {
            for lane in (0..whole).step_by(L::N) {
                L::load(from.add(lane)).store(to.add(lane));
            }
            if whole < run.len {
                L::load_part(from.add(whole), part).store_part(to.add(whole), part);
            }
            from = from.wrapping_add(from_step);
            to = to.wrapping_add(stride);
        }
    }
}
