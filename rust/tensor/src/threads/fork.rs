//! The process generation: a number that changes in the child of a fork, where a pool's worker threads no longer exist.

use std::sync::atomic::{AtomicUsize, Ordering};

static GENERATION: AtomicUsize = AtomicUsize::new(0);

/// The generation of this process; differs from the parent's after a fork.
pub(super) fn generation() -> usize {
    GENERATION.load(Ordering::Relaxed)
}

/// Arranges that the generation changes in the child of every later fork; asked for before the first worker starts.
pub(super) fn watch() {
    #[cfg(unix)]
    {
        static ONCE: std::sync::Once = std::sync::Once::new();
        ONCE.call_once(|| {
            // SAFETY: the handler has the type that pthread_atfork takes, lives as long as the process, and does nothing but
            // an atomic add, which is allowed between fork and exec. Failure (no memory) leaves forks unwatched.
            unsafe { pthread_atfork(None, None, Some(in_child)) };
        });
    }
}

#[cfg(unix)]
extern "C" fn in_child() {
    GENERATION.fetch_add(1, Ordering::Relaxed);
}

#[cfg(unix)]
unsafe extern "C" {
    fn pthread_atfork(
        prepare: Option<extern "C" fn()>,
        parent: Option<extern "C" fn()>,
        child: Option<extern "C" fn()>,
    ) -> i32;
}
