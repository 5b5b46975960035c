//! Locks that stay usable in the child of a fork: the only crate that makes locks.
//!
//! A fork copies the memory of all threads, but only the calling thread exists in the child. A lock that another thread
//! held at that moment is never released there. A table of waiting threads (parking_lot has one for the process) may be
//! locked or list threads that do not exist. So these locks keep all their state in their own words, and each word
//! holds the process generation of its holder. In the child such a lock is *lost*:
//!
//! * [`Mutex`] and [`RwLock`] unwind with [`LostLock`] instead of waiting for ever; what they protect may be half-written;
//! * [`ProcessMutex`], for state of the whole process, starts anew with a fresh value;
//! * [`OnceLock`] has no lock: threads that race each make a value, and one of them stays.
//!
//! On systems other than Linux the locks are parking_lot's, without this promise.

mod fork;
mod once;
mod process_mutex;

#[cfg(target_os = "linux")]
mod condvar;
#[cfg(target_os = "linux")]
mod futex;
#[cfg(target_os = "linux")]
mod mutex;
#[cfg(target_os = "linux")]
mod rw_lock;

#[cfg(target_os = "linux")]
pub use condvar::{Condvar, WaitTimeoutResult};
pub use fork::{LostLock, generation, watch_forks};
#[cfg(target_os = "linux")]
pub use mutex::RawMutex;
pub use once::OnceLock;
#[cfg(not(target_os = "linux"))]
pub use parking_lot::{Condvar, RawMutex, RawRwLock, WaitTimeoutResult};
pub use process_mutex::ProcessMutex;
#[cfg(target_os = "linux")]
pub use rw_lock::RawRwLock;

pub type Mutex<T> = lock_api::Mutex<RawMutex, T>;
pub type MutexGuard<'a, T> = lock_api::MutexGuard<'a, RawMutex, T>;
pub type RwLock<T> = lock_api::RwLock<RawRwLock, T>;
pub type RwLockReadGuard<'a, T> = lock_api::RwLockReadGuard<'a, RawRwLock, T>;
pub type RwLockWriteGuard<'a, T> = lock_api::RwLockWriteGuard<'a, RawRwLock, T>;

/// Returns true if locking would unwind with [`LostLock`]. Destructors check first, because they must not unwind.
pub fn is_lost<T: ?Sized>(mutex: &Mutex<T>) -> bool {
    #[cfg(target_os = "linux")]
    {
        // SAFETY: the raw lock is only read.
        unsafe { mutex.raw() }.is_lost()
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = mutex;
        false
    }
}
