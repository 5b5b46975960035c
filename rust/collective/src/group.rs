//! `Group`: the processes that take part in collective operations, as the kernels of one of them see it.

use crate::exchange::sum_alone;
use crate::member::Member;
use crate::operation::{Operation, Options, Place};
use crate::shared::{Promise, Shared, Submitted, Ticket};
use crate::transport::Transport;
use ferroflow_graph::{Bell, Outputs, Pending};
use ferroflow_sync::{ProcessMutex, generation};
use ferroflow_tensor::{Result, Status, Tensor, bail, ensure, flush_denormals};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The group of this process, from `hvd.init` to `hvd.shutdown`.
static CURRENT: ProcessMutex<Option<Arc<Group>>> = ProcessMutex::new(None, || None);

/// The processes that take part in collective operations.
pub struct Group {
    place: Place,
    shared: Arc<Shared>,
}

impl Group {
    /// Returns a group of this process alone.
    pub fn alone() -> Arc<Group> {
        Group::new(Place { rank: 0, size: 1 })
    }

    fn new(place: Place) -> Arc<Group> {
        Arc::new(Group { place, shared: Arc::new(Shared::new()) })
    }

    /// Joins a group as the rank `rank` of `size`.
    ///
    /// Errors: `InvalidArgument` where the rank is not below the size, `ResourceExhausted` where no thread can be started.
    pub fn join(transport: Box<dyn Transport>, rank: usize, size: usize, options: Options) -> Result<Arc<Group>> {
        ensure!(rank < size, InvalidArgument, "rank {rank} is not below the group's size {size}");
        let group = Group::new(Place { rank, size });
        let member = Member::new(transport, group.place, group.shared.clone(), options);
        let thread = std::thread::Builder::new().name("ferroflow-collective".into());
        if let Err(e) = thread.spawn(move || {
            flush_denormals();
            member.run();
        }) {
            bail!(ResourceExhausted, "the communication thread cannot be started: {e}");
        }
        Ok(group)
    }

    pub fn rank(&self) -> usize {
        self.place.rank
    }

    pub fn size(&self) -> usize {
        self.place.size
    }

    /// Makes this group the one that kernels use.
    pub fn make_current(self: &Arc<Group>) {
        *CURRENT.lock() = Some(self.clone());
    }

    /// Returns the group that kernels use.
    ///
    /// Errors: `FailedPrecondition` where this process has not joined one.
    pub fn current() -> Result<Arc<Group>> {
        match &*CURRENT.lock() {
            Some(group) => Ok(group.clone()),
            None => bail!(FailedPrecondition, "Horovod has not been initialized; use hvd.init()."),
        }
    }

    /// Submits this rank's tensor of a collective operation. `bell` rings when there is an outcome.
    ///
    /// Errors: the reason, if the group has ended. `InvalidArgument` if a tensor of this name has no outcome yet, or the
    /// root is not a rank. `FailedPrecondition` in a forked child.
    pub fn submit(&self, name: &str, operation: Operation, tensor: Tensor, bell: Arc<Bell>) -> Result<Ticket> {
        let size = self.place.size;
        if let Operation::Broadcast { root } = operation {
            ensure!(
                root < size,
                InvalidArgument,
                "broadcast: root rank {root} is not below the number of ranks {size}"
            );
        }
        if let Operation::Sum(_) = operation {
            let dtype = tensor.dtype();
            let is_number = dtype.is_floating() || dtype.is_integer();
            ensure!(is_number, InvalidArgument, "tensors of type {} cannot be summed", dtype.name());
        }
        if operation == Operation::Concatenate {
            ensure!(tensor.rank() > 0, InvalidArgument, "Rank zero tried to gather a rank-zero tensor");
        }
        ensure!(
            self.shared.generation == generation(),
            FailedPrecondition,
            "This process was forked after hvd.init(); collective operations run in the parent only."
        );
        let ticket = Ticket::new(bell);
        if size == 1 {
            let own = match operation {
                Operation::Sum(scale) => sum_alone(tensor, scale)?,
                Operation::Concatenate | Operation::Broadcast { .. } => tensor,
            };
            Promise::new(ticket.clone()).finish(Ok(own));
            return Ok(ticket);
        }
        // A value that is only lent to this step may change when the step has ended early.
        let tensor = tensor.into_owned()?;
        let mut state = self.shared.state.lock();
        if let Some(reason) = &state.ended {
            return Err(reason.clone());
        }
        ensure!(
            state.names.insert(name.to_owned()),
            InvalidArgument,
            "Duplicate tensor name {name}: a collective operation of this name has not ended yet on this rank"
        );
        let promise = Promise::new(ticket.clone());
        state.submitted.push(Submitted { name: name.to_owned(), operation, tensor, promise });
        drop(state);
        self.shared.changed.notify_all();
        Ok(ticket)
    }

    /// Returns the reason for which the exchange under way counts as lost; the group has ended then.
    fn overdue(&self) -> Option<Status> {
        let ends = self.shared.state.lock().exchange_ends?;
        if Instant::now() < ends {
            return None;
        }
        let reason = Status::unknown(
            "Horovod has been shut down: an exchange between the ranks has not ended in time. A rank or the network \
             between the ranks was lost.",
        );
        self.shared.end(&reason);
        Some(reason)
    }

    /// Leaves the group: what is under way fails, here and on the other ranks. Returns whether the communication
    /// thread has ended within `patience`.
    pub fn leave(&self, patience: Duration) -> bool {
        {
            let mut current = CURRENT.lock();
            if current.as_ref().is_some_and(|c| Arc::ptr_eq(&c.shared, &self.shared)) {
                *current = None;
            }
        }
        if self.place.size == 1 || self.shared.generation != generation() {
            return true;
        }
        let end = Instant::now() + patience;
        let mut state = self.shared.state.lock();
        state.is_stopping = true;
        self.shared.changed.notify_all();
        while !state.has_left {
            let now = Instant::now();
            if now >= end {
                return false;
            }
            self.shared.changed.wait_for(&mut state, end - now);
        }
        true
    }
}

/// A kernel's collective operation.
pub(crate) struct Awaited {
    pub group: Arc<Group>,
    pub ticket: Ticket,
}

impl Pending for Awaited {
    fn poll(&mut self) -> Option<Result<Outputs>> {
        match self.ticket.poll() {
            Some(outcome) => Some(outcome.map(|tensor| Outputs::from_iter([tensor]))),
            None => self.group.overdue().map(Err),
        }
    }
}
