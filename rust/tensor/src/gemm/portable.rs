//! Products of complex matrices by the `gemm` crate, and products with windows that are copied part by part.

use num_traits::{One, Zero};

use super::matrix::MatRef;
use super::patches::Patches;
use crate::status::{Result, Status};
use crate::threads::{Interrupted, SharedSlice, Threads, try_for_chunks_mut};
use ferroflow_sync::Mutex;

/// Multiplications worth a task of their own.
const TASK_PRODUCTS: usize = 1 << 20;
/// Elements of the part of a matrix of windows that is copied at a time.
const WINDOWS: usize = 1 << 16;
/// Rows or columns of a task are a multiple of this, so that few tiles of the kernel are cut.
const TASK_SIDE: usize = 48;

/// Computes `c = c? + a * b`, cut along the longer side of c.
pub(super) fn multiply<T>(
    threads: Threads,
    a: MatRef<'_, T>,
    b: MatRef<'_, T>,
    c: &mut [T],
    accumulate: bool,
) -> Result<(), Interrupted>
where
    T: Copy + Zero + One + Send + Sync + 'static,
{
    let (m, n, k) = (a.rows(), b.cols(), a.cols());
    let by_rows = m >= n;
    let (long, short) = if by_rows { (m, n) } else { (n, m) };
    let block = (TASK_PRODUCTS / (short * k).max(1)).next_multiple_of(TASK_SIDE).max(TASK_SIDE);
    let out = SharedSlice::new(c);
    threads.try_run(long.div_ceil(block), &|task| {
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
    })
}

/// Calls `multiply` with parts of the windows, copied, and the rows of c that belong to them.
pub(super) fn in_blocks<T>(
    threads: Threads,
    patches: &Patches<'_, T>,
    cols: usize,
    c: &mut [T],
    multiply: impl Fn(MatRef<'_, T>, &mut [T]) -> Result<()> + Sync,
) -> Result<()>
where
    T: Copy + Default + Send + Sync,
{
    let (depth, failure) = (patches.cols(), Mutex::new(None));
    let rows = (WINDOWS / depth.max(1)).max(1);
    try_for_chunks_mut(threads, c, rows.saturating_mul(cols.max(1)), |start, c| {
        let first = start / cols.max(1);
        let rows = first..first + c.len() / cols.max(1);
        let result = copied(patches, rows.clone(), depth)
            .and_then(|copy| multiply(MatRef::row_major(&copy, rows.len(), depth)?, c));
        if let Err(e) = result {
            failure.lock().get_or_insert(e);
        }
    })?;
    failure.into_inner().map_or(Ok(()), Err)
}

fn copied<T: Copy + Default>(patches: &Patches<'_, T>, rows: std::ops::Range<usize>, depth: usize) -> Result<Vec<T>> {
    let mut copy = Vec::new();
    if copy.try_reserve_exact(rows.len() * depth).is_err() {
        return Err(Status::resource_exhausted("OOM when allocating a part of a convolution's windows"));
    }
    copy.resize(rows.len() * depth, T::default());
    patches.copy(rows, 0..depth, &mut copy);
    Ok(copy)
}
