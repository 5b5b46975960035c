//! The process generation, which changes in the child of a fork, and what is raised where a lock has lost its holder.

use std::sync::atomic::{AtomicU32, Ordering};

static GENERATION: AtomicU32 = AtomicU32::new(0);

/// Returns the generation of this process; it differs from the parent's after a fork that [`watch_forks`] has seen.
#[inline]
pub fn generation() -> u32 {
    GENERATION.load(Ordering::Relaxed)
}

/// Arranges that the generation changes in the child of every later fork; to be called before the first thread starts.
pub fn watch_forks() {
    #[cfg(unix)]
    {
        static ONCE: std::sync::Once = std::sync::Once::new();
        ONCE.call_once(|| {
            // SAFETY: the handler has the type that pthread_atfork takes and lives as long as the process. It makes
            // nothing but an atomic add, which is allowed between fork and exec. Failure (no memory) leaves forks
            // unwatched.
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

/// The payload of the unwinding where a lock's holder does not exist in this process.
#[derive(Clone, Copy, Debug)]
pub struct LostLock;

impl std::fmt::Display for LostLock {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(
            "This process was forked while another thread of its parent was using the same graph, session or resource, \
             whose state may be incomplete here. Make a new graph and session in the forked process, or fork while no \
             thread is in Session.run.",
        )
    }
}

/// Unwinds with [`LostLock`], without the message of a panic.
#[cfg(target_os = "linux")]
#[cold]
pub(crate) fn lost() -> ! {
    std::panic::resume_unwind(Box::new(LostLock))
}
