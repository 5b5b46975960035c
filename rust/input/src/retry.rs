//! Operations that wait by trying again whenever their resource changes.

use ferroflow_graph::{Bell, KernelContext, Pending};
use ferroflow_sync::{Mutex, is_lost};
use ferroflow_tensor::{Result, Tensor};
use smallvec::SmallVec;
use std::sync::Arc;

pub(crate) type Outputs = SmallVec<[Tensor; 2]>;

/// The bells of those that wait at a resource.
#[derive(Default)]
pub(crate) struct Waiters(Mutex<Vec<Arc<Bell>>>);

impl Waiters {
    /// Lets all of them try again.
    pub fn changed(&self) {
        self.0.lock().iter().for_each(|bell| bell.ring());
    }
}

/// A resource at which operations wait.
pub(crate) trait Waited: Send + Sync + 'static {
    fn waiters(&self) -> &Waiters;
}

struct Retry<A: Waited, F> {
    resource: Arc<A>,
    attempt: F,
    bell: Arc<Bell>,
    cancelled: &'static str,
}

impl<A: Waited, F: FnMut(&A) -> Option<Result<Outputs>>> Pending for Retry<A, F> {
    fn poll(&mut self) -> Option<Result<Outputs>> {
        let outcome = (self.attempt)(&self.resource)?;
        self.resource.waiters().changed();
        Some(outcome)
    }

    fn cancelled(&self) -> &'static str {
        self.cancelled
    }
}

impl<A: Waited, F> Drop for Retry<A, F> {
    fn drop(&mut self) {
        if is_lost(&self.resource.waiters().0) {
            return;
        }
        let mut bells = self.resource.waiters().0.lock();
        if let Some(i) = bells.iter().position(|b| Arc::ptr_eq(b, &self.bell)) {
            bells.swap_remove(i);
        }
    }
}

/// Gives the outputs of `attempt` now, or once it has some. It is called again after every change of the resource, and
/// changes nothing if it has none. `cancelled` is the step's message if it is cancelled meanwhile.
pub(crate) fn try_or_wait<A: Waited>(
    ctx: &mut KernelContext<'_>,
    resource: Arc<A>,
    cancelled: &'static str,
    mut attempt: impl FnMut(&A) -> Option<Result<Outputs>> + 'static,
) -> Result<()> {
    let mut outcome = attempt(&resource);
    if outcome.is_none() {
        let bell = ctx.step.cancellation.bell().clone();
        resource.waiters().0.lock().push(bell.clone());
        let mut retry = Retry { resource: resource.clone(), attempt, bell, cancelled };
        // A change between the first attempt and the bell's registration rang no bell.
        outcome = retry.poll();
        if outcome.is_none() {
            ctx.wait_for(retry);
            return Ok(());
        }
    }
    resource.waiters().changed();
    if let Some(outputs) = outcome {
        outputs?.into_iter().enumerate().for_each(|(i, t)| ctx.set_output(i, t));
    }
    Ok(())
}
