//! `Shared`: what the kernels of a process and its communication thread share.

use crate::operation::Operation;
use ferroflow_graph::Bell;
use ferroflow_sync::{Condvar, Mutex, generation};
use ferroflow_tensor::{Result, Status, Tensor};
use rustc_hash::FxHashSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A tensor that a kernel has submitted.
pub(crate) struct Submitted {
    pub name: String,
    pub operation: Operation,
    pub tensor: Tensor,
    pub promise: Promise,
}

#[derive(Default)]
pub(crate) struct State {
    pub submitted: Vec<Submitted>,
    /// The names of all tensors that have no outcome yet.
    pub names: FxHashSet<String>,
    /// The reason for which the group has ended.
    pub ended: Option<Status>,
    pub is_stopping: bool,
    pub has_left: bool,
    /// The time by which the exchange under way must have ended.
    pub exchange_ends: Option<Instant>,
}

/// The state that kernels and the communication thread share.
pub(crate) struct Shared {
    pub state: Mutex<State>,
    pub changed: Condvar,
    /// The process generation of the group's process.
    pub generation: u32,
}

impl Shared {
    pub fn new() -> Shared {
        Shared { state: Mutex::default(), changed: Condvar::new(), generation: generation() }
    }

    /// Returns the new tensors; None if the group is to stop.
    pub fn take(&self) -> Option<Vec<Submitted>> {
        let mut state = self.state.lock();
        (!state.is_stopping).then(|| std::mem::take(&mut state.submitted))
    }

    /// Sleeps until a tensor is submitted, the group is to stop, or `at_most` has passed.
    pub fn sleep(&self, at_most: Duration) {
        let mut state = self.state.lock();
        if state.submitted.is_empty() && !state.is_stopping {
            self.changed.wait_for(&mut state, at_most);
        }
    }

    /// Gives a submitted tensor its outcome.
    pub fn finish(&self, name: &str, promise: Promise, outcome: Result<Tensor>) {
        self.state.lock().names.remove(name);
        promise.finish(outcome);
    }

    /// Ends the group: everything that is submitted from now on fails. The first reason stays.
    pub fn end(&self, reason: &Status) {
        let submitted = {
            let mut state = self.state.lock();
            state.ended.get_or_insert_with(|| reason.clone());
            std::mem::take(&mut state.submitted)
        };
        for s in submitted {
            self.finish(&s.name, s.promise, Err(reason.clone()));
        }
    }

    /// Notes by which time an exchange must have ended, or that it has.
    pub fn set_exchange_end(&self, at: Option<Instant>) {
        self.state.lock().exchange_ends = at;
    }

    /// Notes that the communication thread has ended.
    pub fn leave(&self) {
        self.state.lock().has_left = true;
        self.changed.notify_all();
    }
}

struct Waiting {
    outcome: Mutex<Option<Result<Tensor>>>,
    bell: Arc<Bell>,
}

/// A collective operation under way. Dropping it does not withdraw the tensor: the other ranks may have theirs already.
#[derive(Clone)]
pub struct Ticket(Arc<Waiting>);

impl Ticket {
    pub(crate) fn new(bell: Arc<Bell>) -> Ticket {
        Ticket(Arc::new(Waiting { outcome: Mutex::new(None), bell }))
    }

    /// Sets the outcome.
    fn finish(&self, outcome: Result<Tensor>) {
        *self.0.outcome.lock() = Some(outcome);
        self.0.bell.ring();
    }

    /// Returns the outcome, once.
    pub fn poll(&self) -> Option<Result<Tensor>> {
        self.0.outcome.lock().take()
    }
}

/// The other side of a ticket. If it is dropped without an outcome, the operation fails: its step would wait forever.
pub(crate) struct Promise(Option<Ticket>);

impl Promise {
    pub fn new(ticket: Ticket) -> Promise {
        Promise(Some(ticket))
    }

    /// Sets the outcome of the operation.
    pub fn finish(mut self, outcome: Result<Tensor>) {
        if let Some(ticket) = self.0.take() {
            ticket.finish(outcome);
        }
    }
}

impl Drop for Promise {
    fn drop(&mut self) {
        if let Some(ticket) = self.0.take() {
            ticket.finish(Err(Status::unknown("Horovod has been shut down: the operation was given up.")));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operation_that_is_given_up_fails() {
        let ticket = Ticket::new(Arc::new(Bell::default()));
        drop(Promise::new(ticket.clone()));
        assert!(ticket.poll().unwrap().unwrap_err().message().contains("was given up"));
    }

    #[test]
    fn tensors_that_are_submitted_while_the_group_stops_fail() {
        let shared = Shared::new();
        let ticket = Ticket::new(Arc::new(Bell::default()));
        let operation = Operation::Concatenate;
        let promise = Promise::new(ticket.clone());
        {
            let mut state = shared.state.lock();
            state.is_stopping = true;
            state.submitted.push(Submitted { name: "x".into(), operation, tensor: Tensor::scalar(1f32), promise });
        }
        assert!(shared.take().is_none());
        shared.end(&Status::unknown("the end"));
        assert_eq!(ticket.poll().unwrap().unwrap_err().message(), "the end");
    }
}
