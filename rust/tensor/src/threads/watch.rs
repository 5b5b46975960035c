//! A watch that the caller of a kernel sets on it: the `try_` loops of the calling thread check it between tasks.

use crate::status::Status;
use std::cell::Cell;

type Stop = *const (dyn Fn() -> bool + 'static);

thread_local! {
    /// The function of this thread's innermost `watched`.
    static WATCH: Cell<Option<Stop>> = const { Cell::new(None) };
}

/// A loop ended before all its tasks had run, because the watch requested a stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "what an interrupted loop wrote is incomplete and must not be kept"]
pub struct Interrupted;

impl From<Interrupted> for Status {
    #[cold]
    fn from(interrupted: Interrupted) -> Status {
        Status::cancelled("The step was interrupted.").because(interrupted)
    }
}

/// Puts the outer watch back, also when the watched code panics.
pub(super) struct Restore(Option<Stop>);

impl Drop for Restore {
    fn drop(&mut self) {
        WATCH.set(self.0);
    }
}

/// Runs `f`; once `stop` gives true, `try_` loops begun inside on this thread end with `Interrupted`.
pub fn watched<R>(stop: &dyn Fn() -> bool, f: impl FnOnce() -> R) -> R {
    // SAFETY: only the lifetime changes. The pointer is replaced before this function returns, so it is never used after
    // `stop` is gone.
    let stops = unsafe { std::mem::transmute::<*const (dyn Fn() -> bool + '_), Stop>(std::ptr::from_ref(stop)) };
    let _restore = Restore(WATCH.replace(Some(stops)));
    f()
}

/// Runs `f` without the watch: its `try_` loops run all their tasks.
pub fn unwatched<R>(f: impl FnOnce() -> R) -> R {
    let _restore = Restore(WATCH.replace(None));
    f()
}

/// Returns true if this thread has a watch.
pub fn is_watched() -> bool {
    WATCH.get().is_some()
}

/// The watch of a loop.
#[derive(Clone, Copy)]
pub(super) struct Watch(Option<Stop>);

impl Watch {
    /// Of loops that always run to their end.
    pub const NONE: Watch = Watch(None);

    /// Returns an error if the watch says to stop.
    pub fn check(self) -> Result<(), Interrupted> {
        // SAFETY: `take` found the pointer in WATCH, so it belongs to a `watched` call further up this thread's stack, which
        // holds `stop` borrowed. A pointer cannot be sent to another thread.
        if self.0.is_some_and(|stops| unsafe { (*stops)() }) { Err(Interrupted) } else { Ok(()) }
    }
}

/// Takes this thread's watch away from the tasks of a loop: a loop in a task runs to its end. The watch comes back when the
/// second value is dropped.
pub(super) fn take() -> (Watch, Restore) {
    let outer = WATCH.replace(None);
    (Watch(outer), Restore(outer))
}

/// Returns true if this thread's watch says to stop: kernels that wait check it from time to time.
pub fn stopped() -> bool {
    // SAFETY: a pointer in WATCH belongs to a `watched` call further up this thread's stack, which holds `stop` borrowed.
    WATCH.get().is_some_and(|stops| unsafe { (*stops)() })
}

#[cfg(test)]
mod tests {
    use super::super::Threads;
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// Returns a loop's result and the number of its 1000 tasks that ran, if the watch stops it after `stop_after` of them.
    fn tasks_run(threads: usize, stop_after: usize) -> (Result<(), Interrupted>, usize) {
        let done = AtomicUsize::new(0);
        let ran = watched(&|| done.load(Ordering::Relaxed) >= stop_after, || {
            Threads::new(threads).try_run(1000, &|_| {
                done.fetch_add(1, Ordering::Relaxed);
                std::thread::yield_now();
            })
        });
        (ran, done.into_inner())
    }

    fn count_all(threads: Threads, done: &AtomicUsize) {
        threads.run(100, &|_| {
            done.fetch_add(1, Ordering::Relaxed);
        });
    }

    #[test]
    fn a_loop_says_whether_all_its_tasks_ran() {
        assert_eq!(tasks_run(1, 10), (Err(Interrupted), 10));
        for threads in [1, 2, 3, 8] {
            for stop_after in [0, 1, 7, 500, 998, 999, 1000, 1001, usize::MAX] {
                let (ran, done) = tasks_run(threads, stop_after);
                // The last check comes before the last task of the calling thread.
                assert!(ran.is_ok() == (done == 1000), "{threads} threads, stop at {stop_after}: {ran:?} after {done}");
                assert!(ran.is_ok() || stop_after < 1000);
                assert!(done >= stop_after.min(1000));
            }
        }
    }

    #[test]
    fn a_loop_that_cannot_fail_runs_every_task_though_the_watch_says_stop() {
        let done = AtomicUsize::new(0);
        watched(&|| true, || {
            for threads in [1, 2, 4] {
                count_all(Threads::new(threads), &done);
            }
        });
        assert_eq!(done.into_inner(), 300);
    }

    #[test]
    fn a_loop_inside_a_task_runs_to_its_end() {
        let (checks, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
        // The watch stops the outer loop after its first task, in which the inner loop has already begun.
        let ran = watched(&|| checks.fetch_add(1, Ordering::Relaxed) > 0, || {
            Threads::new(2).try_run(2, &|_| {
                let inner = Threads::new(2).try_run(100, &|_| {
                    done.fetch_add(1, Ordering::Relaxed);
                });
                assert_eq!(inner, Ok(()));
            })
        });
        assert!(done.load(Ordering::Relaxed).is_multiple_of(100));
        assert_eq!(ran.is_ok(), done.into_inner() == 200);
    }

    #[test]
    fn an_unwatched_loop_inside_runs_to_its_end() {
        let done = AtomicUsize::new(0);
        watched(&|| true, || {
            let ran = unwatched(|| {
                Threads::new(2).try_run(100, &|_| {
                    done.fetch_add(1, Ordering::Relaxed);
                })
            });
            assert_eq!(ran, Ok(()));
            let stopped = Threads::single().try_run(100, &|_| {
                done.fetch_add(1, Ordering::Relaxed);
            });
            assert_eq!(stopped, Err(Interrupted));
        });
        assert_eq!(done.into_inner(), 100);
        assert!(!stopped());
    }
}
