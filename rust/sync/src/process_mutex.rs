//! `ProcessMutex`: the lock of a static, which the child of a fork always gets.

use crate::{Mutex, MutexGuard};

/// Protects state of the whole process. If a thread held it in the parent at a fork, the child's state starts anew. The
/// half-written one stays as it is, never freed.
///
/// No Python code may run, and so no fork be made, by the thread that holds it.
pub struct ProcessMutex<T> {
    inner: Mutex<T>,
    fresh: fn() -> T,
}

impl<T> ProcessMutex<T> {
    /// Returns a mutex: `value` is the first state, `fresh` makes that of a process that finds another one's
    /// half-written.
    pub const fn new(value: T, fresh: fn() -> T) -> ProcessMutex<T> {
        ProcessMutex { inner: Mutex::new(value), fresh }
    }

    #[cfg(target_os = "linux")]
    #[inline]
    pub fn lock(&self) -> MutexGuard<'_, T> {
        // SAFETY: the raw lock is locked here, and the guard made below unlocks it.
        let taken_over = unsafe { self.inner.raw() }.lock_or_take_over();
        if taken_over {
            self.renew();
        }
        // SAFETY: locked above.
        unsafe { self.inner.make_guard_unchecked() }
    }

    #[cfg(target_os = "linux")]
    #[cold]
    fn renew(&self) {
        // SAFETY: this thread holds the lock and the holder before it does not exist, so nobody else uses the value. It may be
        // half-written and is overwritten without being read or dropped.
        unsafe { self.inner.data_ptr().write((self.fresh)()) };
    }

    #[cfg(not(target_os = "linux"))]
    pub fn lock(&self) -> MutexGuard<'_, T> {
        let _ = self.fresh;
        self.inner.lock()
    }
}
