//! Parallel loops inside kernels: a handle to a thread pool, and the loops over index ranges and slices built on it.

mod aside;
mod pool;
mod rows;
mod stack;
mod watch;

pub use aside::{MOST_ASIDE, Refused, Work, run_aside};
pub use pool::shared_loops;
pub use rows::{Columns, Outputs, Piece, Pieces, Strips, for_rows_mut, try_for_rows_mut};
pub use stack::{StackExhausted, ensure_stack};
pub use watch::{Interrupted, is_watched, stopped, unwatched, watched};

use std::ops::Range;
use watch::Watch;

/// The most threads one pool holds; larger requests are cut to it.
pub const MAX_THREADS: usize = 256;

/// The number of threads that a kernel may use: a cheap handle to the process-wide pool of that size.
///
/// The pool is made on first use and kept. Work is cut by the caller from shapes alone, never from [`Threads::count`], so
/// that a result has the same bits at any number of threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Threads {
    count: usize,
}

impl Threads {
    /// Returns a handle to the pool of `n` threads, the calling one included; `n` is brought into `1..=MAX_THREADS`.
    pub fn new(n: usize) -> Threads {
        Threads { count: n.clamp(1, MAX_THREADS) }
    }

    /// Returns the calling thread alone.
    pub fn single() -> Threads {
        Threads { count: 1 }
    }

    /// Returns the number of threads, the calling one included.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Runs `f(0)` to `f(tasks - 1)`, each exactly once, in any order and on any thread, and returns when all are done.
    ///
    /// Runs on the calling thread alone if there is one task or one thread, or if called from inside a task. It does so
    /// while the pool is busy, too: it never waits for a thread to become free. A panic in a task is raised again here
    /// after the tasks under way have ended; tasks that had not begun by then are skipped. Nothing else skips a task:
    /// use `try_run` for a loop that the step's end may cut short.
    pub fn run(&self, tasks: usize, f: &(dyn Fn(usize) + Sync)) {
        let (_, _restore) = watch::take();
        let (Ok(()) | Err(Interrupted)) = self.run_under(Watch::NONE, tasks, f);
    }

    /// Runs `f` for each task as `run` does, but checks the calling thread's watch between tasks.
    ///
    /// Errors: `Interrupted` once the watch says to stop. Some tasks have not run then, so the caller must not keep what
    /// the loop wrote. A loop inside another loop's task, or without a watch, runs all its tasks.
    pub fn try_run(&self, tasks: usize, f: &(dyn Fn(usize) + Sync)) -> Result<(), Interrupted> {
        let (watch, _restore) = watch::take();
        self.run_under(watch, tasks, f)
    }

    fn run_under(&self, watch: Watch, tasks: usize, f: &(dyn Fn(usize) + Sync)) -> Result<(), Interrupted> {
        if tasks > 1
            && self.count > 1
            && let Some(ran) = pool::run(self.count, tasks, f, watch)
        {
            return ran;
        }
        for task in 0..tasks {
            watch.check()?;
            f(task);
        }
        Ok(())
    }
}

impl Default for Threads {
    fn default() -> Threads {
        Threads::new(default_count())
    }
}

/// Returns the number of threads this process may run at once, as the system says; 1 where it does not say.
pub fn default_count() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from).min(MAX_THREADS)
}

/// Cuts `0..len` into blocks of `block` (the last may be shorter; 0 counts as 1) and calls `f` for each.
pub fn for_blocks(threads: Threads, len: usize, block: usize, f: impl Fn(Range<usize>) + Sync) {
    threads.run(blocks(len, block), &|task| f(block_of(len, block, task)));
}

/// Calls `f` for each block as `for_blocks` does, but checks the calling thread's watch between blocks.
///
/// Errors: `Interrupted` once the watch says to stop, as [`Threads::try_run`].
pub fn try_for_blocks(
    threads: Threads,
    len: usize,
    block: usize,
    f: impl Fn(Range<usize>) + Sync,
) -> Result<(), Interrupted> {
    threads.try_run(blocks(len, block), &|task| f(block_of(len, block, task)))
}

fn blocks(len: usize, block: usize) -> usize {
    len.div_ceil(block.max(1))
}

fn block_of(len: usize, block: usize, task: usize) -> Range<usize> {
    let start = task * block.max(1);
    start..len.min(start.saturating_add(block.max(1)))
}

/// Cuts `data` into blocks of `block` elements and calls `f(start, block)` for each, `start` being the index of its
/// first element. The last block may be shorter; a `block` of 0 counts as 1.
pub fn for_chunks_mut<T: Send>(threads: Threads, data: &mut [T], block: usize, f: impl Fn(usize, &mut [T]) + Sync) {
    let shared = SharedSlice::new(data);
    for_blocks(threads, shared.len(), block, |range| {
        let start = range.start;
        // SAFETY: the ranges of one `for_blocks` call are disjoint, and each is visited once.
        f(start, unsafe { shared.range(range) });
    });
}

/// Calls `f` for each block of `data` as `for_chunks_mut` does, but checks the calling thread's watch between blocks.
///
/// Errors: `Interrupted` once the watch says to stop. Parts of `data` have their old values then.
pub fn try_for_chunks_mut<T: Send>(
    threads: Threads,
    data: &mut [T],
    block: usize,
    f: impl Fn(usize, &mut [T]) + Sync,
) -> Result<(), Interrupted> {
    let shared = SharedSlice::new(data);
    try_for_blocks(threads, shared.len(), block, |range| {
        let start = range.start;
        // SAFETY: the ranges of one `try_for_blocks` call are disjoint, and each is visited once.
        f(start, unsafe { shared.range(range) });
    })
}

/// Bytes of a block of `try_fill`.
const FILLED_BYTES: usize = 256 << 10;

/// Sets all elements to a value.
///
/// Errors: as for `try_for_chunks_mut`.
pub fn try_fill<T: Clone + Send + Sync>(threads: Threads, data: &mut [T], value: T) -> Result<(), Interrupted> {
    let block = FILLED_BYTES / size_of::<T>().clamp(1, FILLED_BYTES);
    try_for_chunks_mut(threads, data, block, |_, part| part.fill(value.clone()))
}

/// A mutable slice whose disjoint parts several tasks write at once.
pub struct SharedSlice<'a, T> {
    data: *mut T,
    len: usize,
    borrow: std::marker::PhantomData<&'a mut [T]>,
}

// SAFETY: it is a `&mut [T]` that hands out parts; `range` requires that parts in use at one time are disjoint.
unsafe impl<T: Send> Sync for SharedSlice<'_, T> {}
// SAFETY: as for `Sync`.
unsafe impl<T: Send> Send for SharedSlice<'_, T> {}

impl<'a, T> SharedSlice<'a, T> {
    /// Borrows `data` for the life of the handle.
    pub fn new(data: &'a mut [T]) -> SharedSlice<'a, T> {
        SharedSlice { data: data.as_mut_ptr(), len: data.len(), borrow: std::marker::PhantomData }
    }

    /// Returns the number of elements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns true if there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the elements of `range`, cut to the slice's bounds.
    ///
    /// # Safety
    /// No two parts that overlap may be alive at the same time.
    #[allow(clippy::mut_from_ref)]
    pub unsafe fn range(&self, range: Range<usize>) -> &mut [T] {
        // SAFETY: as the caller promises.
        unsafe { self.part(range) }
    }

    /// Returns the elements of `range`, cut to the slice's bounds, for as long as the slice is borrowed.
    ///
    /// # Safety
    /// No two parts that overlap may be alive at the same time.
    unsafe fn part(&self, range: Range<usize>) -> &'a mut [T] {
        let end = range.end.min(self.len);
        let start = range.start.min(end);
        // SAFETY: start <= end <= len, so the part lies in the borrowed slice; exclusiveness is the caller's promise.
        unsafe { std::slice::from_raw_parts_mut(self.data.add(start), end - start) }
    }

    /// Returns another handle to the same slice.
    fn alias(&self) -> SharedSlice<'a, T> {
        SharedSlice { data: self.data, len: self.len, borrow: self.borrow }
    }

    /// Returns the first element's address, for kernels that write a strided part of the slice.
    pub fn as_mut_ptr(&self) -> *mut T {
        self.data
    }
}

#[cfg(test)]
mod tests;
