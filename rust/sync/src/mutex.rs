//! `RawMutex`: a futex whose word holds the process generation of its holder.

use crate::fork::{generation, lost};
use crate::futex;
use lock_api::GuardNoSend;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

const LOCKED: u32 = 1;
/// Some thread waits, or did when the holder took the lock.
const CONTENDED: u32 = 2;
const GENERATION_SHIFT: u32 = 2;

/// Reads of a held lock before the thread sleeps.
const SPINS: u32 = 100;

/// 0 while free, else `generation << 2 | CONTENDED? | LOCKED`.
pub struct RawMutex(AtomicU32);

fn held_now() -> u32 {
    generation() << GENERATION_SHIFT | LOCKED
}

fn is_lost(word: u32) -> bool {
    word != 0 && word >> GENERATION_SHIFT != held_now() >> GENERATION_SHIFT
}

/// The outcome of an attempt to lock.
enum Outcome {
    Locked,
    /// The deadline has passed.
    Late,
    /// A thread holds it that does not exist in this process; the word that says so.
    Lost(u32),
}

impl RawMutex {
    /// Returns true if the holder does not exist in this process.
    pub(crate) fn is_lost(&self) -> bool {
        is_lost(self.0.load(Ordering::Relaxed))
    }

    /// Locks; true where that took it from a holder that does not exist in this process.
    pub(crate) fn lock_or_take_over(&self) -> bool {
        if self.take_free() {
            return false;
        }
        loop {
            match self.lock_slowly(None) {
                Outcome::Locked => return false,
                Outcome::Late => {}
                Outcome::Lost(word) => {
                    // Threads of this process may wait for it, too.
                    let own = held_now() | CONTENDED;
                    if self.0.compare_exchange(word, own, Ordering::Acquire, Ordering::Relaxed).is_ok() {
                        return true;
                    }
                }
            }
        }
    }

    #[inline]
    fn take_free(&self) -> bool {
        self.0.compare_exchange(0, held_now(), Ordering::Acquire, Ordering::Relaxed).is_ok()
    }

    #[cold]
    fn lock_slowly(&self, deadline: Option<Instant>) -> Outcome {
        let mut own = held_now();
        let mut spins = 0;
        loop {
            let word = self.0.load(Ordering::Relaxed);
            if word == 0 {
                if self.0.compare_exchange_weak(0, own, Ordering::Acquire, Ordering::Relaxed).is_ok() {
                    return Outcome::Locked;
                }
                continue;
            }
            if is_lost(word) {
                return Outcome::Lost(word);
            }
            if word & CONTENDED == 0 {
                spins += 1;
                if spins < SPINS {
                    std::hint::spin_loop();
                    continue;
                }
                let marked = word | CONTENDED;
                if self.0.compare_exchange_weak(word, marked, Ordering::Relaxed, Ordering::Relaxed).is_err() {
                    continue;
                }
            }
            if deadline.is_some_and(|d| Instant::now() >= d) {
                return Outcome::Late;
            }
            futex::wait(&self.0, word | CONTENDED, deadline);
            // Others may sleep still: whoever unlocks after this thread is to wake one of them.
            own = held_now() | CONTENDED;
        }
    }

    fn lock_until(&self, deadline: Option<Instant>) -> bool {
        match self.lock_slowly(deadline) {
            Outcome::Locked => true,
            Outcome::Late => false,
            Outcome::Lost(_) => lost(),
        }
    }
}

// SAFETY: the word goes from 0 to held by a compare-and-swap with Acquire, which one thread wins. It goes back to 0 by
// its holder's swap with Release. A lost word is taken over by a compare-and-swap that one thread wins, in a process
// without the holder.
unsafe impl lock_api::RawMutex for RawMutex {
    #[allow(clippy::declare_interior_mutable_const, reason = "lock_api's way of making one")]
    const INIT: RawMutex = RawMutex(AtomicU32::new(0));
    type GuardMarker = GuardNoSend;

    #[inline]
    fn lock(&self) {
        if !self.take_free() {
            self.lock_until(None);
        }
    }

    #[inline]
    fn try_lock(&self) -> bool {
        self.take_free()
    }

    #[inline]
    unsafe fn unlock(&self) {
        if self.0.swap(0, Ordering::Release) & CONTENDED != 0 {
            futex::wake(&self.0, 1);
        }
    }

    #[inline]
    fn is_locked(&self) -> bool {
        self.0.load(Ordering::Relaxed) != 0
    }
}

// SAFETY: as above; `Late` leaves the lock to others.
unsafe impl lock_api::RawMutexTimed for RawMutex {
    type Duration = Duration;
    type Instant = Instant;

    fn try_lock_for(&self, timeout: Duration) -> bool {
        self.take_free() || self.lock_until(Instant::now().checked_add(timeout))
    }

    fn try_lock_until(&self, deadline: Instant) -> bool {
        self.take_free() || self.lock_until(Some(deadline))
    }
}
