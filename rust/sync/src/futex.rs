//! Waiting for a word of memory to change, by the kernel's futexes: they keep nothing in this process's memory.

use std::sync::atomic::AtomicU32;
use std::time::Instant;

/// Waits while the word is `expected`, at most until `deadline`; may return sooner for no reason.
pub fn wait(word: &AtomicU32, expected: u32, deadline: Option<Instant>) {
    let left = deadline.map(|d| d.saturating_duration_since(Instant::now()));
    let timeout = left.map(|left| libc::timespec {
        tv_sec: libc::time_t::try_from(left.as_secs()).unwrap_or(libc::time_t::MAX),
        tv_nsec: left.subsec_nanos() as libc::c_long,
    });
    let timeout = timeout.as_ref().map_or(std::ptr::null(), std::ptr::from_ref);
    // SAFETY: the word is alive during the call, and `timeout` is null or points to a value that is.
    unsafe {
        libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAIT | libc::FUTEX_PRIVATE_FLAG, expected, timeout);
    }
}

/// Wakes at most `count` of the threads that wait for the word.
pub fn wake(word: &AtomicU32, count: i32) {
    // SAFETY: the kernel uses the address as a key alone; no memory is read or written.
    unsafe { libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG, count) };
}
