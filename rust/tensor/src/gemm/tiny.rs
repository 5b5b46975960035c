//! Products of few columns and few steps, whose sums fit in registers: no tile, no copy of a, no task for each.

use std::ops::Add;

use num_traits::{Float, Zero};

use super::matrix::MatRef;
use crate::status::Result;
use crate::threads::{Threads, try_for_chunks_mut};
use crate::vector::isa::{Isa, Pass, run_on};

/// Most columns and steps of a tiny product, and most of their products for a row.
const MOST_COLS: usize = 8;
const MOST_DEPTH: usize = 16;
const MOST_STEPS: usize = 64;

/// Steps worth a task of their own.
const TASK_STEPS: usize = 1 << 18;

/// Returns true if `multiply` is the fastest way. One column is a product with a vector, which adds up in another order.
pub(super) fn is_tiny<T>(b: &MatRef<'_, T>) -> bool {
    (2..=MOST_COLS).contains(&b.cols()) && b.rows() <= MOST_DEPTH && b.cols() * b.rows() <= MOST_STEPS
}

/// Computes `c = a * b`, or `c + a * b` with `accumulate`, of matrices that have been checked; `b` is tiny.
///
/// # Errors
/// `Cancelled` when the step is interrupted.
pub(super) fn multiply<T: Float + Zero + Add + Send + Sync>(
    isa: Isa,
    threads: Threads,
    a: MatRef<'_, T>,
    b: MatRef<'_, T>,
    c: &mut [T],
    accumulate: bool,
) -> Result<()> {
    let cols = b.cols();
    let task_rows = (TASK_STEPS / (cols * b.rows()).max(1)).max(1);
    try_for_chunks_mut(threads, c, task_rows * cols, |start, c| {
        let first = start / cols;
        match cols {
            2 => run_on(isa, Rows::<T, 2, 2> { a, b, c, first, accumulate }),
            3 => run_on(isa, Rows::<T, 3, 4> { a, b, c, first, accumulate }),
            4 => run_on(isa, Rows::<T, 4, 4> { a, b, c, first, accumulate }),
            5 => run_on(isa, Rows::<T, 5, 8> { a, b, c, first, accumulate }),
            6 => run_on(isa, Rows::<T, 6, 8> { a, b, c, first, accumulate }),
            7 => run_on(isa, Rows::<T, 7, 8> { a, b, c, first, accumulate }),
            _ => run_on(isa, Rows::<T, 8, 8> { a, b, c, first, accumulate }),
        }
    })?;
    Ok(())
}

/// Rows of a product of `COLS` columns, which are computed in `LANES` lanes.
struct Rows<'a, T, const COLS: usize, const LANES: usize> {
    a: MatRef<'a, T>,
    b: MatRef<'a, T>,
    c: &'a mut [T],
    first: usize,
    accumulate: bool,
}

impl<T: Float, const COLS: usize, const LANES: usize> Pass for Rows<'_, T, COLS, LANES> {
    /// Computes each element as the tiles do: one sum that starts at zero and takes the steps in order.
    #[inline(always)]
    fn run(self) {
        let Rows { a, b, c, first, accumulate } = self;
        let depth = b.rows().min(MOST_DEPTH);
        let mut factors = [[T::zero(); LANES]; MOST_DEPTH];
        for (step, factors) in factors[..depth].iter_mut().enumerate() {
            for (col, factor) in factors[..COLS].iter_mut().enumerate() {
                *factor = b.at(step, col);
            }
        }
        let (rows, _) = c.as_chunks_mut::<COLS>();
        for (offset, row) in rows.iter_mut().enumerate() {
            let mut sums = [T::zero(); LANES];
            for (step, factors) in factors[..depth].iter().enumerate() {
                let value = a.at(first + offset, step);
                for lane in 0..LANES {
                    sums[lane] = value.mul_add(factors[lane], sums[lane]);
                }
            }
            for col in 0..COLS {
                row[col] = if accumulate { row[col] + sums[col] } else { sums[col] };
            }
        }
    }
}
