//! `Offloaded`: blocking work of a kernel on a thread of its own.

use ferroflow_graph::{Bell, Blocking, BlockingWork, Cancellation, Outputs};
use ferroflow_plan::Overlap;
use ferroflow_sync::Mutex;
use ferroflow_tensor::threads::{MOST_ASIDE, default_count, run_aside};
use ferroflow_tensor::{Code, Result, Status};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Most files that are read and written at once.
const MOST_FILES: usize = 64;

/// The state that thread and step share. The thread keeps it alive if the step has ended without the outcome.
#[derive(Default)]
struct Shared {
    cancellation: Cancellation,
    outcome: Mutex<Option<Result<Outputs>>>,
    has_ended: AtomicBool,
}

/// Work under way, or its outcome.
pub(crate) struct Offloaded {
    shared: Arc<Shared>,
    how: Blocking,
}

impl Offloaded {
    /// Starts the work; the bell rings when it has ended.
    ///
    /// Errors: `ResourceExhausted` where there is no thread for it.
    pub fn begin(work: BlockingWork, how: Blocking, overlap: &Arc<Overlap>, bell: &Arc<Bell>) -> Result<Offloaded> {
        // Code may wait for other code, so each needs a thread; the others would not be faster on more threads.
        let most = match how {
            Blocking::Code | Blocking::Pipeline => MOST_ASIDE,
            Blocking::Files => MOST_FILES,
            Blocking::Decoding => default_count(),
        };
        let shared = Arc::new(Shared::default());
        let (theirs, overlap, bell) = (shared.clone(), overlap.clone(), bell.clone());
        let run = move || {
            let began = Instant::now();
            let outcome = catch_unwind(AssertUnwindSafe(|| work(&theirs.cancellation)));
            overlap.note(began.elapsed());
            let failed = |_| Err(Status::internal("a kernel failed unexpectedly"));
            *theirs.outcome.lock() = Some(outcome.unwrap_or_else(failed));
            theirs.has_ended.store(true, Ordering::Release);
            bell.ring();
        };
        match run_aside(most, Box::new(run)) {
            Ok(()) => {}
            Err(refused) if how.may_hang() => return Err(refused.reason),
            Err(refused) => (refused.work)(),
        }
        Ok(Offloaded { shared, how })
    }

    /// Returns the outcome, once.
    pub fn poll(&self) -> Option<Result<Outputs>> {
        self.shared.outcome.lock().take()
    }

    pub fn has_ended(&self) -> bool {
        self.shared.has_ended.load(Ordering::Acquire)
    }

    /// Cancels the work: an iterator ends soon, other work in its own time.
    pub fn cancel(&self) {
        self.shared.cancellation.cancel(Status::cancelled("Step was cancelled"));
    }

    /// Returns whether the work may never end, so that an interrupt must not wait for it.
    pub fn may_hang(&self) -> bool {
        self.how.may_hang()
    }

    /// Returns the failure of the work that `poll` has not returned, other than its cancellation.
    pub fn failure(&self) -> Option<Status> {
        match &*self.shared.outcome.lock() {
            Some(Err(e)) if e.code() != Code::Cancelled => Some(e.clone()),
            _ => None,
        }
    }
}
