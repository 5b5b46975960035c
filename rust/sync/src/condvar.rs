//! `Condvar`: a counter of notifications that threads wait on; it lists nobody.

use crate::MutexGuard;
use crate::futex;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// Wakes threads that wait for a change of what a mutex protects; they may also wake for no reason.
#[derive(Default)]
pub struct Condvar {
    notified: AtomicU32,
    /// Threads that wait, so that a notification without any costs no system call.
    waiting: AtomicU32,
}

/// The outcome of a wait: true if its time was over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WaitTimeoutResult(bool);

impl WaitTimeoutResult {
    pub fn timed_out(self) -> bool {
        self.0
    }
}

impl Condvar {
    pub const fn new() -> Condvar {
        Condvar { notified: AtomicU32::new(0), waiting: AtomicU32::new(0) }
    }

    /// Releases the lock, waits for a notification, and locks again.
    pub fn wait<T: ?Sized>(&self, guard: &mut MutexGuard<'_, T>) {
        self.wait_at_most(guard, None);
    }

    /// Waits as `wait` does, at most for `timeout`.
    pub fn wait_for<T: ?Sized>(&self, guard: &mut MutexGuard<'_, T>, timeout: Duration) -> WaitTimeoutResult {
        self.wait_at_most(guard, Instant::now().checked_add(timeout))
    }

    /// Waits as `wait` does, at most until `deadline`.
    pub fn wait_until<T: ?Sized>(&self, guard: &mut MutexGuard<'_, T>, deadline: Instant) -> WaitTimeoutResult {
        self.wait_at_most(guard, Some(deadline))
    }

    fn wait_at_most<T: ?Sized>(&self, guard: &mut MutexGuard<'_, T>, deadline: Option<Instant>) -> WaitTimeoutResult {
        // Both before the lock is released: whoever changes what it protects then sees this thread, and changes the counter.
        self.waiting.fetch_add(1, Ordering::SeqCst);
        let seen = self.notified.load(Ordering::SeqCst);
        let _waits = Waits(&self.waiting);
        MutexGuard::unlocked(guard, || futex::wait(&self.notified, seen, deadline));
        let notified = self.notified.load(Ordering::SeqCst) != seen;
        WaitTimeoutResult(!notified && deadline.is_some_and(|d| Instant::now() >= d))
    }

    pub fn notify_one(&self) {
        self.notify(1);
    }

    pub fn notify_all(&self) {
        self.notify(i32::MAX);
    }

    #[inline]
    fn notify(&self, count: i32) {
        if self.waiting.load(Ordering::SeqCst) != 0 {
            self.notified.fetch_add(1, Ordering::SeqCst);
            futex::wake(&self.notified, count);
        }
    }
}

/// A thread among those that wait, also while locking again unwinds.
struct Waits<'a>(&'a AtomicU32);

impl Drop for Waits<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}
