//! A row-major matrix times a vector: one dot product per row, with the registers along the row.

use super::lanes::{Lanes, for_lanes};
use super::{Operand, Product};
use crate::threads::{Interrupted, Threads, try_for_blocks};

/// Sums in flight per row.
const SUMS: usize = 4;

/// Bytes of the matrix worth a task of their own.
const TASK_BYTES: usize = 128 << 10;

/// Computes `c = c? + a * b` for one column b whose elements are side by side, as are those of a's rows.
///
/// Element p of a row goes to lane `p % N` of sum `p / N % SUMS`, in order; then sums and lanes are added pairwise. So an element's
/// bits depend on its row alone.
///
/// # Safety
/// The CPU has the features of `L`; the product is valid, of these operands, has one column and no epilogue, `a.col == 1` and `b.row == 1`.
pub(super) unsafe fn multiply<L: Lanes>(
    threads: Threads,
    product: &Product<'_, L::Elem>,
    a: Operand<L::Elem>,
    b: Operand<L::Elem>,
) -> Result<(), Interrupted> {
    let row_bytes = product.depth * size_of::<L::Elem>();
    try_for_blocks(threads, product.rows, (TASK_BYTES / row_bytes.max(1)).max(1), |rows| {
        for row in rows {
            // SAFETY: the row lies in a, and only this task touches the row's element of c.
            unsafe {
                let c = product.c.wrapping_add(row);
                let sum = dot::<L>(a.from(row, 0), b, product.depth);
                *c = if product.accumulate { *c + sum } else { sum };
            }
        }
    })
}

for_lanes! {
    /// # Safety
    /// Returns the CPU has the features of `L`; both operands hold `depth` elements side by side.
    unsafe fn dot = dot_body<L: Lanes>(a: Operand<L::Elem>, b: Operand<L::Elem>, depth: usize) -> L::Elem
}

#[inline(always)]
unsafe fn dot_body<L: Lanes>(a: Operand<L::Elem>, b: Operand<L::Elem>, depth: usize) -> L::Elem {
    // SAFETY: whole registers are read only where all their elements exist; the last one is masked.
    unsafe {
        let (a, b) = (a.data, b.data);
        let mut sums = [L::zero(); SUMS];
        let mut step = 0;
        while step + SUMS * L::N <= depth {
            for (i, sum) in sums.iter_mut().enumerate() {
                let at = step + i * L::N;
                *sum = L::load(a.add(at)).mul_add(L::load(b.add(at)), *sum);
            }
            step += SUMS * L::N;
        }
        for sum in &mut sums {
            if step < depth {
                let part = L::first(depth - step);
                *sum = L::load_part(a.add(step), part).mul_add(L::load_part(b.add(step), part), *sum);
                step += L::N;
            }
        }
        sums[0].add(sums[1]).add(sums[2].add(sums[3])).sum()
    }
}
