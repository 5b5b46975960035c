//! `RawRwLock`: readers and writers, counted in one word together with the process generation of its holders.

use crate::fork::{generation, lost};
use crate::futex;
use lock_api::GuardNoSend;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

const WRITER: u64 = 1 << 31;
/// Some thread waits: new readers wait behind it, so that writers are not starved.
const WAITED: u64 = 1 << 30;
const READERS: u64 = WAITED - 1;
const GENERATION_SHIFT: u32 = 32;

/// Reads of a held lock before the thread sleeps.
const SPINS: u32 = 100;

/// Readers of the parent that do not exist in a forked child stay counted there. Others may read beside them, since
/// they change nothing. A writer finds the lock lost.
pub struct RawRwLock {
    /// `generation << 32 | WRITER? | WAITED? | readers`; without writer and readers, the generation means nothing.
    state: AtomicU64,
    /// Changes when the lock becomes free while threads wait.
    epoch: AtomicU32,
}

fn now() -> u64 {
    u64::from(generation()) << GENERATION_SHIFT
}

fn is_free(state: u64) -> bool {
    state & (WRITER | READERS) == 0
}

/// Returns true if a holder belongs to another process generation.
fn is_foreign(state: u64) -> bool {
    !is_free(state) && state >> GENERATION_SHIFT != u64::from(generation())
}

impl RawRwLock {
    /// Returns the state with one more reader; None if a reader must wait.
    fn with_reader(state: u64) -> Option<u64> {
        if is_free(state) {
            let waited = if state >> GENERATION_SHIFT == u64::from(generation()) { state & WAITED } else { 0 };
            return (waited == 0).then(|| now() | 1);
        }
        if state & WRITER != 0 {
            return None;
        }
        if is_foreign(state) { Some((state & !WAITED) + 1) } else { (state & WAITED == 0).then_some(state + 1) }
    }

    #[cold]
    fn read_slowly(&self) {
        let mut spins = 0;
        loop {
            let epoch = self.epoch.load(Ordering::Acquire);
            let state = self.state.load(Ordering::Relaxed);
            if let Some(next) = Self::with_reader(state) {
                if self.state.compare_exchange_weak(state, next, Ordering::Acquire, Ordering::Relaxed).is_ok() {
                    return;
                }
                continue;
            }
            if is_foreign(state) {
                lost();
            }
            self.sleep(state, epoch, &mut spins);
        }
    }

    #[cold]
    fn write_slowly(&self) {
        let mut spins = 0;
        loop {
            let epoch = self.epoch.load(Ordering::Acquire);
            let state = self.state.load(Ordering::Relaxed);
            if is_free(state) {
                let next = now() | WRITER | state & WAITED;
                if self.state.compare_exchange_weak(state, next, Ordering::Acquire, Ordering::Relaxed).is_ok() {
                    return;
                }
                continue;
            }
            if is_foreign(state) {
                lost();
            }
            self.sleep(state, epoch, &mut spins);
        }
    }

    /// Waits for an epoch after `epoch`, once the state has the waiting bit.
    fn sleep(&self, state: u64, epoch: u32, spins: &mut u32) {
        if state & WAITED == 0 {
            *spins += 1;
            if *spins < SPINS {
                std::hint::spin_loop();
                return;
            }
            let waited = state | WAITED;
            if self.state.compare_exchange_weak(state, waited, Ordering::Relaxed, Ordering::Relaxed).is_err() {
                return;
            }
        }
        futex::wait(&self.epoch, epoch, None);
    }

    /// Wakes all who wait for the lock, which has become free.
    #[cold]
    fn next_epoch(&self) {
        self.state.fetch_and(!WAITED, Ordering::Relaxed);
        self.epoch.fetch_add(1, Ordering::Release);
        futex::wake(&self.epoch, i32::MAX);
    }
}

// SAFETY: a writer enters by a compare-and-swap with Acquire from a state without holders, which one thread wins. A
// reader enters by one from a state without a writer. Each leaves by a change with Release. Holders of another
// generation keep their place.
unsafe impl lock_api::RawRwLock for RawRwLock {
    #[allow(clippy::declare_interior_mutable_const, reason = "lock_api's way of making one")]
    const INIT: RawRwLock = RawRwLock { state: AtomicU64::new(0), epoch: AtomicU32::new(0) };
    type GuardMarker = GuardNoSend;

    #[inline]
    fn lock_shared(&self) {
        if !self.try_lock_shared() {
            self.read_slowly();
        }
    }

    #[inline]
    fn try_lock_shared(&self) -> bool {
        let state = self.state.load(Ordering::Relaxed);
        Self::with_reader(state)
            .is_some_and(|next| self.state.compare_exchange(state, next, Ordering::Acquire, Ordering::Relaxed).is_ok())
    }

    #[inline]
    unsafe fn unlock_shared(&self) {
        let before = self.state.fetch_sub(1, Ordering::Release);
        if before & (READERS | WAITED) == WAITED | 1 {
            self.next_epoch();
        }
    }

    #[inline]
    fn lock_exclusive(&self) {
        if !self.try_lock_exclusive() {
            self.write_slowly();
        }
    }

    #[inline]
    fn try_lock_exclusive(&self) -> bool {
        let state = self.state.load(Ordering::Relaxed);
        let next = now() | WRITER | state & WAITED;
        is_free(state) && self.state.compare_exchange(state, next, Ordering::Acquire, Ordering::Relaxed).is_ok()
    }

    #[inline]
    unsafe fn unlock_exclusive(&self) {
        let before = self.state.fetch_and(WAITED, Ordering::Release);
        if before & WAITED != 0 {
            self.next_epoch();
        }
    }

    #[inline]
    fn is_locked(&self) -> bool {
        !is_free(self.state.load(Ordering::Relaxed))
    }
}
