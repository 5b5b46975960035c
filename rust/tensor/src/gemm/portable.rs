//! Matrix products by the `gemm` crate: for CPUs without AVX-512, and for complex numbers.

use num_traits::{One, Zero};

use super::epilogue::Epilogue;
use super::matrix::MatRef;
use crate::threads::{SharedSlice, Threads};

/// Multiplications worth a task of their own.
const TASK_PRODUCTS: usize = 1 << 20;
/// Rows or columns of a task are a multiple of this, so that few tiles of the kernel are cut.
const TASK_SIDE: usize = 48;

/// `c = c? + a * b`, cut along the longer side of c.
pub(super) fn multiply<T>(threads: Threads, a: MatRef<'_, T>, b: MatRef<'_, T>, c: &mut [T], accumulate: bool)
where
    T: Copy + Zero + One + Send + Sync + 'static,
{
    let (m, n, k) = (a.rows(), b.cols(), a.cols());
    let by_rows = m >= n;
    let (long, short) = if by_rows { (m, n) } else { (n, m) };
    let block = (TASK_PRODUCTS / (short * k).max(1)).next_multiple_of(TASK_SIDE).max(TASK_SIDE);
    let out = SharedSlice::new(c);
    threads.run(long.div_ceil(block), &|task| {
        let start = task * block;
        let size = block.min(long - start);
        let (row, rows, col, cols) = if by_rows { (start, size, 0, n) } else { (0, m, start, size) };
        let stride = |s: usize| s as isize;
        // SAFETY: `MatRef` holds all elements of a and b that are read, and c has m rows of n; tasks write disjoint parts of it.
        unsafe {
            gemm::gemm(
                rows,
                cols,
                k,
                out.as_mut_ptr().add(row * n + col),
                1,
                stride(n),
                accumulate,
                a.as_ptr().wrapping_add(row * a.row_stride()),
                stride(a.col_stride()),
                stride(a.row_stride()),
                b.as_ptr().wrapping_add(col * b.col_stride()),
                stride(b.col_stride()),
                stride(b.row_stride()),
                T::one(),
                T::one(),
                false,
                false,
                false,
                gemm::Parallelism::None,
            );
        }
    });
}

/// The same, then the epilogue.
pub(super) fn multiply_then<T>(
    threads: Threads,
    a: MatRef<'_, T>,
    b: MatRef<'_, T>,
    c: &mut [T],
    accumulate: bool,
    epilogue: Option<&Epilogue<'_, T>>,
) where
    T: Copy + Zero + One + PartialOrd + Send + Sync + 'static,
{
    multiply(threads, a, b, c, accumulate);
    if let Some(epilogue) = epilogue {
        epilogue.apply(c, b.cols());
    }
}
