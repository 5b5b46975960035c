//! Products with windows that are copied part by part.

use super::matrix::MatRef;
use super::patches::Patches;
use crate::status::{Result, Status};
use crate::threads::{Threads, try_for_chunks_mut};
use ferroflow_sync::Mutex;

/// Elements of the part of a matrix of windows that is copied at a time.
const WINDOWS: usize = 1 << 16;

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
