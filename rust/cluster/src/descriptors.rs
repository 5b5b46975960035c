//! The number of descriptors that this process may open.

use std::sync::atomic::{AtomicBool, Ordering};

/// Raises the limit that was set for convenience to the one that must be kept: each session needs a descriptor or two.
pub fn raise_limit() {
    static RAISED: AtomicBool = AtomicBool::new(false);
    if RAISED.swap(true, Ordering::Relaxed) {
        return;
    }
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
        let limit = getrlimit(Resource::Nofile);
        // If this fails, the limit stays as it was.
        let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit });
    }
}

/// Returns the limit of descriptors, if the system reports one.
#[cfg(target_os = "linux")]
pub fn limit() -> Option<u64> {
    rustix::process::getrlimit(rustix::process::Resource::Nofile).current
}

#[cfg(not(target_os = "linux"))]
pub fn limit() -> Option<u64> {
    None
}
