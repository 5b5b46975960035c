//! A single row times a matrix that does not fit the caches: the matrix is read line after line, as memory gives most.

use std::ops::Range;

use super::lanes::{Lanes, for_lanes};
use super::{Columns, Operand, Product, inner_blocks, part};
use crate::threads::{Interrupted, Threads};

/// Bytes of a matrix, and columns, from which on it is read in lines. Smaller ones come from the caches.
const LEAST_BYTES: usize = 8 << 20;
const LEAST_COLS: usize = 2 * TASK_COLS;

/// Lines that are read at once.
const LINES: usize = 4;

/// Most columns of a task, whose sums then stay in the first-level cache.
const TASK_COLS: usize = 1024;

/// Lanes of a task's sums, of at least eight elements, and those of a part.
const MOST_LANES: usize = TASK_COLS / 8 + 1;

/// Returns the matrix, if lines suit the product.
pub(super) fn operand<E: Copy>(product: &Product<'_, E>) -> Option<Operand<E>> {
    match product.b {
        Columns::InPlace(b) if product.rows == 1 && b.col == 1 && product.spread.is_none() => {
            let bytes = product.depth.saturating_mul(product.cols).saturating_mul(size_of::<E>());
            (bytes >= LEAST_BYTES && product.cols >= LEAST_COLS).then_some(b)
        }
        _ => None,
    }
}

/// Computes `c = finish(c? + a * b)` for one row a, whose elements lie `a.col` apart.
///
/// # Safety
/// The CPU has the features of `L`; the product is valid, of these operands, and has one row; those of b lie side by side.
pub(super) unsafe fn multiply<L: Lanes>(
    threads: Threads,
    product: &Product<'_, L::Elem>,
    a: Operand<L::Elem>,
    b: Operand<L::Elem>,
) -> Result<(), Interrupted> {
    let tasks = product.cols.div_ceil(TASK_COLS).next_multiple_of(2);
    threads.try_run(tasks, &|task| {
        let cols = part(product.cols, L::N, tasks, task);
        // SAFETY: the caller keeps the contract; each task writes its own part of c.
        unsafe { columns::<L>(product, a, b, cols) };
    })
}

for_lanes! {
    /// Computes at most `TASK_COLS` columns of c.
    ///
    /// # Safety
    /// As for [`multiply`].
    unsafe fn columns = columns_body<L: Lanes>(
        product: &Product<'_, L::Elem>, a: Operand<L::Elem>, b: Operand<L::Elem>, cols: Range<usize>
    )
}

#[inline(always)]
unsafe fn columns_body<L: Lanes>(
    product: &Product<'_, L::Elem>,
    a: Operand<L::Elem>,
    b: Operand<L::Elem>,
    cols: Range<usize>,
) {
    let (whole, rest) = (cols.len() / L::N, cols.len() % L::N);
    // SAFETY: by the contract, every address is of an element of the operands, c or the bias. The last lanes are masked.
    unsafe {
        let mut sums = [L::zero(); MOST_LANES];
        let in_rest = L::first(rest);
        for (first, depth) in inner_blocks(product.depth) {
            sums[..whole + 1].fill(L::zero());
            let (mut step, end) = (first, first + depth);
            while step + LINES <= end {
                add_lines::<L, LINES>(&mut sums[..whole + 1], a.from(0, step), b.from(step, cols.start), in_rest);
                step += LINES;
            }
            for step in step..end {
                add_lines::<L, 1>(&mut sums[..whole + 1], a.from(0, step), b.from(step, cols.start), in_rest);
            }
            for (number, &sum) in sums[..cols.len().div_ceil(L::N)].iter().enumerate() {
                let at = cols.start + number * L::N;
                let in_c = if number < whole { L::first(L::N) } else { in_rest };
                let c = product.c.add(at);
                let mut value = sum;
                if product.accumulate || first > 0 {
                    value = L::load_part(c.cast_const(), in_c).add(value);
                }
                if end == product.depth {
                    if let Some(bias) = product.bias {
                        value = value.add(L::load_part(bias.as_ptr().add(at), in_c));
                    }
                    if product.relu {
                        value = value.relu();
                    }
                }
                value.store_part(c, in_c);
            }
        }
    }
}

/// Adds the products of `COUNT` elements of a with as many lines of b, of which the last lanes have the elements `in_rest`.
///
/// # Safety
/// As for [`multiply`], with whole lanes for all sums but the last.
#[inline(always)]
unsafe fn add_lines<L: Lanes, const COUNT: usize>(
    sums: &mut [L],
    a: Operand<L::Elem>,
    b: Operand<L::Elem>,
    in_rest: L::Mask,
) {
    // SAFETY: by the contract above.
    unsafe {
        let mut values = [L::zero(); COUNT];
        for (line, value) in values.iter_mut().enumerate() {
            *value = L::splat(a.at(0, line));
        }
        let whole = sums.len() - 1;
        for (number, sum) in sums[..whole].iter_mut().enumerate() {
            for (line, value) in values.iter().enumerate() {
                *sum = value.mul_add(L::load(b.at(line, number * L::N)), *sum);
            }
        }
        for (line, value) in values.iter().enumerate() {
            sums[whole] = value.mul_add(L::load_part(b.at(line, whole * L::N), in_rest), sums[whole]);
        }
    }
}
