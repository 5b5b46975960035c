//! Remaining stack of a thread: unbounded nesting ends with an error before the stack ends.

use crate::status::{Result, Status};
use std::cell::Cell;

/// Bytes that are kept free for what runs at the innermost level, a kernel for example.
const RESERVE: usize = 256 << 10;
/// Stack that a thread is assumed to have below its first check, if the system does not report it.
const LEAST: usize = 512 << 10;

/// The cause of the failures of `ensure_stack`.
pub struct StackExhausted;

thread_local! {
    /// The address at which the reserve begins; 0: not known yet.
    static LIMIT: Cell<usize> = const { Cell::new(0) };
}

/// Returns the lowest address of the calling thread's stack and its size.
#[cfg(target_os = "linux")]
fn bounds() -> Option<(usize, usize)> {
    let mut attributes = std::mem::MaybeUninit::<libc::pthread_attr_t>::uninit();
    let (mut low, mut size) = (std::ptr::null_mut(), 0);
    // SAFETY: `attributes` is filled by the first call, read by the second and destroyed by the third. This happens
    // only in the branch where the first one succeeded. The other pointers are to live variables.
    let found = unsafe {
        libc::pthread_getattr_np(libc::pthread_self(), attributes.as_mut_ptr()) == 0 && {
            let got = libc::pthread_attr_getstack(attributes.as_ptr(), &mut low, &mut size) == 0;
            libc::pthread_attr_destroy(attributes.as_mut_ptr());
            got
        }
    };
    found.then_some((low.addr(), size))
}

#[cfg(target_os = "macos")]
fn bounds() -> Option<(usize, usize)> {
    // SAFETY: plain queries about the calling thread.
    let (high, size) = unsafe {
        let this = libc::pthread_self();
        (libc::pthread_get_stackaddr_np(this).addr(), libc::pthread_get_stacksize_np(this))
    };
    Some((high.checked_sub(size)?, size))
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
fn bounds() -> Option<(usize, usize)> {
    None
}

#[cold]
fn find_limit(here: usize) -> usize {
    let limit = match bounds() {
        // The system keeps a part of a small stack for itself.
        Some((low, size)) if (low..low.saturating_add(size)).contains(&here) => low + RESERVE.min(size / 4),
        _ => here.saturating_sub(LEAST - RESERVE).max(1),
    };
    LIMIT.set(limit);
    limit
}

/// Errors: `ResourceExhausted` where the calling thread's stack is nearly used up; `what` is the thing that is nested, in the
/// plural.
#[inline]
pub fn ensure_stack(what: &str) -> Result<()> {
    let marker = 0u8;
    let here = std::ptr::from_ref(&marker).addr();
    let limit = match LIMIT.get() {
        0 => find_limit(here),
        limit => limit,
    };
    if here > limit { Ok(()) } else { Err(too_deep(what)) }
}

#[cold]
fn too_deep(what: &str) -> Status {
    Status::resource_exhausted(format!(
        "{what} are nested too deeply for the stack of the thread. Nest fewer of them, or run this in a thread with a larger \
         stack (threading.stack_size)."
    ))
    .because(StackExhausted)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn levels(at: usize) -> usize {
        let filler = std::hint::black_box([at; 64]);
        match ensure_stack("Levels") {
            Ok(()) => levels(filler[at % 64] + 1),
            Err(e) => {
                assert_eq!(e.code(), crate::Code::ResourceExhausted);
                assert!(e.message().starts_with("Levels are nested too deeply"), "{}", e.message());
                at
            }
        }
    }

    #[test]
    fn recursion_ends_with_an_error_on_stacks_of_any_size() {
        let reached = [128 << 10, 1 << 20, 8 << 20].map(|size| {
            let thread = std::thread::Builder::new().stack_size(size);
            thread.spawn(|| levels(0)).unwrap().join().unwrap()
        });
        assert!(reached[0] > 10 && reached[0] < reached[1] && reached[1] < reached[2], "{reached:?}");
    }
}
