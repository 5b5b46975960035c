//! `Member`: the thread that communicates for one rank.

use crate::coordinator::Coordinator;
use crate::exchange::{broadcast, concatenate, sum_together};
use crate::message::{FromCoordinator, Kind, Request, Response, ToCoordinator};
use crate::operation::{Operation, Options, Place, Scale};
use crate::shared::{Shared, Submitted};
use crate::transport::Transport;
use ferroflow_tensor::{Code, Result, Status, Tensor, bail};
use prost::Message;
use rustc_hash::FxHashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Time for which a rank polls for messages without sleeps, once it has done something. The message of a neighbour takes
/// a fraction of the shortest sleep.
const EAGER: Duration = Duration::from_micros(200);

/// Shortest and longest sleep between two polls for messages while a tensor of this rank waits.
const SHORTEST_SLEEP: Duration = Duration::from_micros(20);
const LONGEST_SLEEP: Duration = Duration::from_millis(1);

/// Longest sleep without a tensor of this rank.
const LONGEST_REST: Duration = Duration::from_secs(5);

/// Time for which a rank that leaves waits until its last messages have left.
const LAST_MESSAGES: Duration = Duration::from_secs(2);

/// Slowest network for which an exchange counts as under way, in bytes for each second.
const SLOWEST: u64 = 1 << 20;

/// The rank that coordinates the group.
const COORDINATOR: usize = 0;

pub(crate) struct Member {
    transport: Box<dyn Transport>,
    place: Place,
    shared: Arc<Shared>,
    options: Options,
    /// Tensors of this rank that wait for those of other ranks.
    waiting: FxHashMap<String, Submitted>,
    /// On rank 0 alone.
    coordinator: Option<Coordinator>,
    /// The time of the last message from each rank. On ranks other than 0, only that of rank 0 counts.
    heard: Vec<Instant>,
    /// The time of this rank's last message to the ranks that watch it.
    sent: Instant,
}

/// The reason for which the thread ends.
enum End {
    /// This process leaves the group.
    Left,
    /// The group has ended.
    Failed(Status),
}

impl From<Status> for End {
    fn from(status: Status) -> End {
        End::Failed(status)
    }
}

impl Member {
    pub fn new(transport: Box<dyn Transport>, place: Place, shared: Arc<Shared>, options: Options) -> Member {
        let coordinator = (place.rank == COORDINATOR).then(|| Coordinator::new(place.size, options.fusion_bytes));
        let now = Instant::now();
        let heard = vec![now; place.size];
        Member { transport, place, shared, options, waiting: FxHashMap::default(), coordinator, heard, sent: now }
    }

    /// Communicates until the group has ended.
    pub fn run(mut self) {
        if catch_unwind(AssertUnwindSafe(|| self.communicate())).is_err() {
            self.end(&Status::internal("the communication thread failed unexpectedly"));
        }
        self.shared.leave();
    }

    fn communicate(&mut self) {
        let end = loop {
            match self.turn() {
                Ok(()) => {}
                Err(end) => break end,
            }
        };
        let (reason, told) = match end {
            End::Left => (
                ended("hvd.shutdown() was called on this rank."),
                format!("Rank {} has ended or called hvd.shutdown().", self.place.rank),
            ),
            End::Failed(status) => (status.clone(), status.message().to_owned()),
        };
        self.end(&reason);
        // The group has ended already; whoever does not receive this finds out by its own limits.
        let _ = self.say_goodbye(told);
    }

    /// Ends all operations of this rank with an error.
    fn end(&mut self, reason: &Status) {
        self.shared.set_exchange_end(None);
        self.shared.end(reason);
        for (name, submitted) in self.waiting.drain() {
            self.shared.finish(&name, submitted.promise, Err(reason.clone()));
        }
    }

    /// Sends the others a message that this rank leaves.
    fn say_goodbye(&mut self, reason: String) -> Result<()> {
        if self.place.rank == COORDINATOR {
            self.send_to_all(&FromCoordinator { ended: Some(reason), ..FromCoordinator::default() })?;
        } else {
            let goodbye = ToCoordinator { leaves: Some(reason), ..ToCoordinator::default() };
            self.transport.send(COORDINATOR, &goodbye.encode_to_vec())?;
        }
        let end = Instant::now() + LAST_MESSAGES;
        while !self.transport.is_flushed()? && Instant::now() < end {
            std::thread::sleep(LONGEST_SLEEP);
        }
        Ok(())
    }

    /// Does what can be done now, then sleeps for a while if that was nothing.
    fn turn(&mut self) -> std::result::Result<(), End> {
        let began = Instant::now();
        loop {
            let Some(submitted) = self.shared.take() else { return Err(End::Left) };
            let mut is_idle = submitted.is_empty();
            self.announce(submitted)?;
            while let Some((from, message)) = self.transport.poll()? {
                is_idle = false;
                self.receive(from, &message)?;
            }
            self.respond()?;
            self.give_sign_of_life()?;
            self.check_limits()?;
            if !is_idle {
                return Ok(());
            }
            if !self.waiting.is_empty() && began.elapsed() < EAGER {
                std::thread::yield_now();
                continue;
            }
            // Without a tensor of this rank, no exchange can begin.
            let rest = self.options.lost_after.map_or(LONGEST_REST, |d| LONGEST_REST.min(d / 4));
            // At most an eighth of the wait is added to it.
            let sleep = (began.elapsed() / 8).clamp(SHORTEST_SLEEP, LONGEST_SLEEP);
            self.shared.sleep(if self.waiting.is_empty() { rest } else { sleep });
        }
    }

    /// Sends the names of new tensors to the coordinator.
    fn announce(&mut self, submitted: Vec<Submitted>) -> Result<()> {
        if submitted.is_empty() {
            return Ok(());
        }
        let requests: Vec<Request> = submitted.iter().map(request).collect();
        self.waiting.extend(submitted.into_iter().map(|s| (s.name.clone(), s)));
        match &mut self.coordinator {
            Some(coordinator) => coordinator.add(COORDINATOR, requests),
            None => {
                let message = ToCoordinator { requests, leaves: None };
                self.transport.send(COORDINATOR, &message.encode_to_vec())?;
                self.sent = Instant::now();
            }
        }
        Ok(())
    }

    fn receive(&mut self, from: usize, message: &[u8]) -> Result<()> {
        let unreadable =
            |e: prost::DecodeError| Status::internal(format!("a message of rank {from} is unreadable: {e}"));
        if let Some(heard) = self.heard.get_mut(from) {
            *heard = Instant::now();
        }
        if let Some(coordinator) = &mut self.coordinator {
            let message = ToCoordinator::decode(message).map_err(unreadable)?;
            coordinator.add(from, message.requests);
            match message.leaves {
                Some(reason) => Err(ended(&reason)),
                None => Ok(()),
            }
        } else {
            let message = FromCoordinator::decode(message).map_err(unreadable)?;
            self.perform_all(&message.responses)?;
            match message.ended {
                Some(reason) => Err(ended(&reason)),
                None => Ok(()),
            }
        }
    }

    /// Exchanges the tensors that all ranks have submitted. Does nothing on ranks other than 0.
    fn respond(&mut self) -> Result<()> {
        let responses = self.coordinator.as_mut().map(Coordinator::take_ready).unwrap_or_default();
        if responses.is_empty() {
            return Ok(());
        }
        let message = FromCoordinator { responses, ended: None };
        self.send_to_all(&message)?;
        self.perform_all(&message.responses)
    }

    fn send_to_all(&mut self, message: &FromCoordinator) -> Result<()> {
        let bytes = message.encode_to_vec();
        for to in (0..self.place.size).filter(|&to| to != COORDINATOR) {
            self.transport.send(to, &bytes)?;
        }
        self.sent = Instant::now();
        Ok(())
    }

    fn perform_all(&mut self, responses: &[Response]) -> Result<()> {
        responses.iter().try_for_each(|r| self.perform(r))
    }

    /// Exchanges tensors that all ranks have.
    fn perform(&mut self, response: &Response) -> Result<()> {
        let mut tensors = Vec::with_capacity(response.names.len());
        for name in &response.names {
            match self.waiting.remove(name) {
                Some(submitted) => tensors.push(submitted),
                None => bail!(Internal, "rank {} has no tensor {name} to exchange", self.place.rank),
            }
        }
        if let Some(error) = &response.error {
            for s in tensors {
                self.shared.finish(&s.name, s.promise, Err(Status::new(Code::FailedPrecondition, error)));
            }
            return Ok(());
        }
        let bytes: usize = tensors.iter().map(|s| s.tensor.byte_size()).sum();
        let limit =
            self.options.lost_after.map(|d| d + Duration::from_secs(bytes as u64 * self.place.size as u64 / SLOWEST));
        self.shared.set_exchange_end(limit.map(|d| Instant::now() + d));
        let outcome = self.exchange(&mut tensors, &response.rows);
        self.shared.set_exchange_end(None);
        if let Err(e) = outcome {
            // The other ranks are in the same exchange, so the group cannot go on.
            for s in tensors {
                self.shared.finish(&s.name, s.promise, Err(e.clone()));
            }
            return Err(e);
        }
        for s in tensors {
            self.shared.finish(&s.name, s.promise, Ok(s.tensor));
        }
        // All ranks took part.
        self.heard.fill(Instant::now());
        self.sent = Instant::now();
        Ok(())
    }

    /// Replaces tensors by their outcomes.
    fn exchange(&mut self, submitted: &mut [Submitted], rows: &[u64]) -> Result<()> {
        let (transport, place) = (self.transport.as_mut(), self.place);
        match submitted {
            [Submitted { operation: Operation::Concatenate, tensor, .. }] => {
                let rows: Vec<usize> = rows.iter().map(|&n| n as usize).collect();
                *tensor = concatenate(transport, place, tensor, &rows)?;
                Ok(())
            }
            [Submitted { operation: Operation::Broadcast { root }, tensor, .. }] => {
                *tensor = broadcast(transport, place, take(tensor), *root)?;
                Ok(())
            }
            [first, ..] => {
                let Operation::Sum(scale) = first.operation else {
                    bail!(Internal, "only sums are exchanged together");
                };
                let mut tensors: Vec<Tensor> = submitted.iter_mut().map(|s| take(&mut s.tensor)).collect();
                let (reduction, piece_bytes) = (self.options.reduction, self.options.piece_bytes);
                sum_together(transport, place, &mut tensors, scale, reduction, piece_bytes)?;
                submitted.iter_mut().zip(tensors).for_each(|(s, t)| s.tensor = t);
                Ok(())
            }
            [] => Ok(()),
        }
    }

    /// Sends an empty message, so that this rank does not count as lost.
    fn give_sign_of_life(&mut self) -> Result<()> {
        let Some(limit) = self.options.lost_after else { return Ok(()) };
        if self.sent.elapsed() < limit / 4 {
            return Ok(());
        }
        if self.coordinator.is_some() {
            return self.send_to_all(&FromCoordinator::default());
        }
        self.sent = Instant::now();
        self.transport.send(COORDINATOR, &ToCoordinator::default().encode_to_vec())
    }

    /// Warns of tensors that some ranks lack.
    ///
    /// Errors: that a rank is lost, or that such a tensor has waited for too long.
    fn check_limits(&mut self) -> Result<()> {
        let is_waiting = !self.waiting.is_empty() || self.coordinator.as_ref().is_some_and(Coordinator::is_waiting);
        if !is_waiting {
            return Ok(());
        }
        if let Some(limit) = self.options.lost_after {
            let watched = if self.coordinator.is_some() { 1..self.place.size } else { COORDINATOR..COORDINATOR + 1 };
            for rank in watched {
                if self.heard[rank].elapsed() > limit {
                    return Err(ended(&format!(
                        "Rank {rank} has sent nothing for {} s and counts as lost.",
                        limit.as_secs()
                    )));
                }
            }
        }
        let every = self.options.stall_warning.into_iter().chain(self.options.stall_limit).min();
        let (Some(every), Some(coordinator)) = (every, &mut self.coordinator) else { return Ok(()) };
        let Some((tensors, waited)) = coordinator.stalled(every) else { return Ok(()) };
        eprintln!(
            "ferroflow: some ranks wait since {} s for tensors that others have not submitted. Do all ranks run the \
             same operations? {tensors}",
            waited.as_secs()
        );
        match self.options.stall_limit {
            Some(limit) if waited >= limit => {
                Err(ended(&format!("These tensors waited for {} s: {tensors}", limit.as_secs())))
            }
            _ => Ok(()),
        }
    }
}

/// Returns the failure of all that follows the end of a group.
fn ended(reason: &str) -> Status {
    let begin = "Horovod has been shut down: ";
    let reason = reason.strip_prefix(begin).unwrap_or(reason);
    Status::unknown(format!("{begin}{reason}"))
}

/// Returns the tensor, without another owner left behind.
fn take(tensor: &mut Tensor) -> Tensor {
    std::mem::replace(tensor, Tensor::scalar(false))
}

fn request(s: &Submitted) -> Request {
    let (kind, root, scale) = match s.operation {
        Operation::Sum(scale) => (Kind::Allreduce, 0, scale),
        Operation::Concatenate => (Kind::Allgather, 0, Scale::default()),
        Operation::Broadcast { root } => (Kind::Broadcast, root, Scale::default()),
    };
    Request {
        name: s.name.clone(),
        kind: kind.into(),
        dtype: s.tensor.dtype().number(),
        shape: s.tensor.shape().to_i64(),
        root: root as i32,
        average: scale.is_average,
        prescale: scale.before,
        postscale: scale.after,
    }
}
