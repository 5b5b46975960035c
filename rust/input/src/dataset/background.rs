//! Threads that work ahead of an iterator, and waiting for them.

use super::value::Pull;
use ferroflow_graph::Cancellation;
use ferroflow_sync::{Condvar, LostLock, Mutex, MutexGuard, is_lost};
use ferroflow_tensor::threads::stopped;
use ferroflow_tensor::{Result, Status, bail, flush_denormals};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

/// Time between two checks by a waiting thread.
const LOOK_UP: Duration = Duration::from_millis(20);

/// Starts a thread; it is never joined, for it may be the one that drops its iterator.
pub(super) fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> Result<()> {
    let started = std::thread::Builder::new().name(format!("ferroflow-{name}")).spawn(|| {
        flush_denormals();
        work();
    });
    match started {
        Ok(_) => Ok(()),
        Err(e) => bail!(ResourceExhausted, "no thread could be started: {e}"),
    }
}

/// Returns `f`'s result; a panic as an `Internal` error, for on a thread of its own it would be lost.
pub(super) fn caught<T>(f: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(f)).unwrap_or_else(|payload| match payload.downcast_ref::<LostLock>() {
        Some(&lost) => Err(lost.into()),
        None => Err(Status::internal("an iterator failed unexpectedly")),
    })
}

/// Waits until `ready` has something, at most until the pull is cancelled.
pub(super) fn wait<S, R>(
    state: &Mutex<S>,
    changed: &Condvar,
    pull: Pull<'_>,
    mut ready: impl FnMut(&mut S) -> Option<R>,
) -> Result<R> {
    let mut guard = state.lock();
    loop {
        if let Some(found) = ready(&mut guard) {
            return Ok(found);
        }
        pull.cancellation.check()?;
        if changed.wait_for(&mut guard, LOOK_UP).timed_out() {
            // Without the lock: the poll may run the program's signal handlers.
            MutexGuard::unlocked(&mut guard, stopped);
            // Checked before an element is taken, which would be lost with the step.
            pull.cancellation.check()?;
        }
    }
}

/// Returns `wait` of a thread that works ahead: `cancellation` is set under the lock, so that it need not look up.
pub(super) fn wait_ahead<S, R>(
    state: &Mutex<S>,
    changed: &Condvar,
    cancellation: &Cancellation,
    mut ready: impl FnMut(&mut S) -> Option<R>,
) -> Result<R> {
    let mut guard = state.lock();
    loop {
        cancellation.check()?;
        if let Some(found) = ready(&mut guard) {
            return Ok(found);
        }
        changed.wait(&mut guard);
    }
}

/// Ends what waits in `wait_ahead`.
pub(super) fn end<S>(state: &Mutex<S>, changed: &Condvar, cancellation: &Cancellation) {
    if is_lost(state) {
        return;
    }
    let guard = state.lock();
    cancellation.cancel(Status::cancelled("The iterator is gone."));
    drop(guard);
    changed.notify_all();
}

/// Returns the lock, at most until the pull is cancelled.
pub(super) fn lock<'m, T>(mutex: &'m Mutex<T>, pull: Pull<'_>) -> Result<MutexGuard<'m, T>> {
    loop {
        if let Some(guard) = mutex.try_lock_for(LOOK_UP) {
            return Ok(guard);
        }
        stopped();
        pull.cancellation.check()?;
    }
}

/// Fails in a forked process: it has the iterators of its parent, but none of their threads.
pub(super) fn check_process(started_in: u32) -> Result<()> {
    if started_in != std::process::id() {
        bail!(
            FailedPrecondition,
            "The iterator reads ahead in threads of the process that this one was forked from. Initialize the iterator \
             after the fork."
        );
    }
    Ok(())
}
