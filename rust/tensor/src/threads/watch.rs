//! A watch that the caller of a kernel sets on it: parallel loops of the calling thread ask between tasks whether to stop.

use std::cell::Cell;

type Ask = *const (dyn Fn() -> bool + 'static);

thread_local! {
    /// What the innermost `watched` of this thread asks; null pointers are `None`.
    static WATCH: Cell<Option<Ask>> = const { Cell::new(None) };
}

/// Puts the outer watch back, also when the watched code panics.
struct Restore(Option<Ask>);

impl Drop for Restore {
    fn drop(&mut self) {
        WATCH.set(self.0);
    }
}

/// Runs `f`; once `stop` answers true, loops begun inside on this thread skip the tasks that have not begun. What they
/// computed is then incomplete, so the caller must throw the results away.
pub fn watched<R>(stop: &dyn Fn() -> bool, f: impl FnOnce() -> R) -> R {
    // SAFETY: only the lifetime changes. The pointer is replaced before this function returns, so it is never used after
    // `stop` is gone.
    let ask = unsafe { std::mem::transmute::<*const (dyn Fn() -> bool + '_), Ask>(std::ptr::from_ref(stop)) };
    let _restore = Restore(WATCH.replace(Some(ask)));
    f()
}

/// Runs `f` without the watch: for loops that must not be left half done.
pub fn unwatched<R>(f: impl FnOnce() -> R) -> R {
    let _restore = Restore(WATCH.replace(None));
    f()
}

/// Whether this thread has a watch.
pub fn is_watched() -> bool {
    WATCH.get().is_some()
}

/// Whether this thread's watch says to stop: what a kernel that waits asks from time to time.
pub fn stopped() -> bool {
    // SAFETY: a pointer in WATCH belongs to a `watched` call further up this thread's stack, which holds `stop` borrowed.
    WATCH.get().is_some_and(|ask| unsafe { (*ask)() })
}

#[cfg(test)]
mod tests {
    use super::super::Threads;
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    fn tasks_run(threads: usize, stop_after: usize) -> usize {
        let done = AtomicUsize::new(0);
        watched(&|| done.load(Ordering::Relaxed) >= stop_after, || {
            Threads::new(threads).run(1000, &|_| {
                done.fetch_add(1, Ordering::Relaxed);
                std::thread::yield_now();
            });
        });
        done.into_inner()
    }

    #[test]
    fn a_watched_loop_stops_between_tasks() {
        assert_eq!(tasks_run(1, 10), 10);
        assert!(tasks_run(2, 10) < 1000);
        assert_eq!(tasks_run(1, usize::MAX), 1000);
    }

    #[test]
    fn an_unwatched_loop_inside_runs_to_its_end() {
        let done = AtomicUsize::new(0);
        watched(&|| true, || {
            unwatched(|| {
                Threads::new(2).run(100, &|_| {
                    done.fetch_add(1, Ordering::Relaxed);
                })
            });
            Threads::single().run(100, &|_| {
                done.fetch_add(1, Ordering::Relaxed);
            });
        });
        assert_eq!(done.into_inner(), 100);
        assert!(!stopped());
    }
}
