//! `Queue`: collects the inputs of several steps into batches.
//!
//! A step waits on its own thread. The first one of a batch waits until the batch is full, its time has passed or a next
//! batch is begun. It then takes the batch out of the queue and computes the results of all its steps.

use ferroflow_graph::{Bell, Cancellation, KernelContext, KernelInit, ResourceName, Unnamed};
use ferroflow_sync::Mutex;
use ferroflow_tensor::threads::stopped;
use ferroflow_tensor::{Result, Tensor, bail, ensure};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant};

/// Longest time between two polls for interrupts. A bell rings before, if something changes in the queue.
const LONGEST_WAIT: Duration = Duration::from_millis(50);

/// The sizes and times of a queue.
#[derive(Clone)]
pub(super) struct Limits {
    /// Most rows of a batch.
    largest: usize,
    /// Most batches in the queue.
    batches: usize,
    /// Longest time that a batch waits for more rows.
    timeout: Duration,
    /// Most batches that are computed at the same time.
    threads: usize,
    /// The sizes that a batch may have, rising; any if empty.
    allowed: Vec<usize>,
}

impl Limits {
    /// Reads the attributes of a node.
    ///
    /// Errors: `InvalidArgument` for numbers below 1, and for sizes that do not rise up to `max_batch_size`.
    pub fn of(init: &KernelInit<'_>) -> Result<Limits> {
        let number = |name: &str| {
            let value = init.int32(name)?;
            match usize::try_from(value) {
                Ok(value) if value > 0 => Ok(value),
                _ => bail!(InvalidArgument, "{name} must be positive; was {value}"),
            }
        };
        let largest = number("max_batch_size")?;
        let timeout = init.int32("batch_timeout_micros")?;
        let Ok(timeout) = u64::try_from(timeout) else {
            bail!(InvalidArgument, "batch_timeout_micros must be >= 0; was {timeout}");
        };
        let mut allowed = Vec::new();
        for size in init.int32s("allowed_batch_sizes")? {
            let is_more = usize::try_from(size).is_ok_and(|s| s > allowed.last().copied().unwrap_or(0));
            ensure!(is_more, InvalidArgument, "allowed_batch_sizes entries must be monotonically increasing");
            allowed.push(size as usize);
        }
        ensure!(
            allowed.last().is_none_or(|&last| last == largest),
            InvalidArgument,
            "final entry in allowed_batch_sizes must equal max_batch_size"
        );
        let (batches, threads) = (number("max_enqueued_batches")?, number("num_batch_threads")?);
        Ok(Limits { largest, batches, timeout: Duration::from_micros(timeout), threads, allowed })
    }

    /// Returns the smallest allowed size with room for `rows`.
    pub fn padded(&self, rows: usize) -> usize {
        self.allowed.iter().copied().find(|&size| size >= rows).unwrap_or(rows)
    }
}

/// The inputs of one step: tensors with the same number of rows.
pub(super) struct Task {
    pub number: i64,
    pub inputs: Vec<Tensor>,
    pub rows: usize,
    bell: Arc<Bell>,
}

struct Batch {
    tasks: Vec<Task>,
    rows: usize,
    opened: Instant,
}

#[derive(Default)]
struct State {
    /// The last one takes more tasks.
    batches: VecDeque<Batch>,
    /// Number of batches that are being computed.
    running: usize,
    /// By the number of a waiting step: its results, once they are computed.
    outcomes: FxHashMap<i64, Option<Result<Vec<Tensor>>>>,
}

impl State {
    /// Wakes the step that computes the next batch.
    fn ring_first(&self) {
        if let Some(task) = self.batches.front().and_then(|b| b.tasks.first()) {
            task.bell.ring();
        }
    }
}

/// The batches of one queue, which steps and sessions share by its name.
pub(super) struct Queue {
    pub limits: Limits,
    state: Mutex<State>,
}

/// The result of one search of a step in the queue.
enum Found {
    Outcome(Result<Vec<Tensor>>),
    /// The step's batch, for it to compute.
    Batch(Batch),
    Nothing(Duration),
}

/// The name of a node's queue: nodes with the same names share it.
#[derive(Clone)]
pub(super) struct QueueName(ResourceName);

impl QueueName {
    pub fn of(init: &KernelInit<'_>) -> Result<QueueName> {
        let mut name = ResourceName::of(init, Unnamed::NodeName)?;
        name.name = format!("{}/{}", name.name, init.str("batching_queue")?);
        Ok(QueueName(name))
    }

    /// Returns the queue, made at the first use.
    pub fn queue(&self, ctx: &KernelContext<'_>, limits: &Limits) -> Result<Arc<Queue>> {
        let made = || Ok(Queue { limits: limits.clone(), state: Mutex::default() });
        ctx.step.resources.lookup_or_create(&self.0.container, &self.0.name, made)
    }
}

/// A step's place in a queue. Dropped without an outcome, it takes the step's inputs out of the queue.
struct Place<'a> {
    queue: &'a Queue,
    number: i64,
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let mut state = self.queue.state.lock();
        state.outcomes.remove(&self.number);
        for batch in &mut state.batches {
            let before = batch.tasks.len();
            batch.tasks.retain(|t| t.number != self.number);
            if batch.tasks.len() != before {
                batch.rows = batch.tasks.iter().map(|t| t.rows).sum();
            }
        }
        state.batches.retain(|b| !b.tasks.is_empty());
        state.ring_first();
    }
}

/// A batch that its first step computes. Dropped without results, it returns to the queue without this step: the
/// interrupt or panic of one step does not end the others.
struct Computing<'a> {
    queue: &'a Queue,
    batch: Batch,
}

impl Computing<'_> {
    /// Returns the results of the first step, and stores those of the other steps.
    fn share(mut self, outcome: Result<Vec<Vec<Tensor>>>) -> Result<Vec<Tensor>> {
        let tasks = std::mem::take(&mut self.batch.tasks);
        let outcomes = match outcome {
            Ok(results) => results.into_iter().map(Ok).collect::<Vec<_>>(),
            Err(failure) => vec![Err(failure); tasks.len()],
        };
        let mut outcomes = outcomes.into_iter();
        let own = outcomes.next();
        let mut state = self.queue.state.lock();
        for (task, outcome) in tasks.iter().skip(1).zip(outcomes) {
            // A step that was interrupted meanwhile does not wait any more.
            if let Some(waiting) = state.outcomes.get_mut(&task.number) {
                *waiting = Some(outcome);
                task.bell.ring();
            }
        }
        drop(state);
        match own {
            Some(outcome) => outcome,
            None => bail!(Internal, "a batch has no results"),
        }
    }
}

impl Drop for Computing<'_> {
    fn drop(&mut self) {
        let mut state = self.queue.state.lock();
        state.running -= 1;
        let left = std::mem::take(&mut self.batch.tasks).into_iter().skip(1);
        let tasks: Vec<Task> = left.filter(|t| state.outcomes.contains_key(&t.number)).collect();
        if !tasks.is_empty() {
            let rows = tasks.iter().map(|t| t.rows).sum();
            state.batches.push_front(Batch { tasks, rows, opened: self.batch.opened });
        }
        state.ring_first();
    }
}

impl Queue {
    /// Returns the results for the inputs of a step, which are computed together with those of others.
    ///
    /// `compute` returns the results of each task of a batch. It is called by the first step of the batch.
    ///
    /// Errors: `InvalidArgument` for inputs that are scalars, differ in rows, or have more than a batch takes.
    /// `Unavailable` if the queue is full. Errors of `compute` are those of all tasks of the batch. An interrupt's
    /// reason, for the interrupted step alone.
    pub fn run(
        &self,
        inputs: Vec<Tensor>,
        cancellation: &Cancellation,
        compute: impl FnOnce(&[Task]) -> Result<Vec<Vec<Tensor>>>,
    ) -> Result<Vec<Tensor>> {
        static NEXT: AtomicI64 = AtomicI64::new(1);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let bell = cancellation.bell().clone();
        let mut heard = 0;
        bell.rang(&mut heard);
        self.enter(Task { number, rows: rows_of(&inputs)?, inputs, bell: bell.clone() })?;
        let place = Place { queue: self, number };
        loop {
            match self.look(place.number) {
                Found::Outcome(outcome) => return outcome,
                Found::Batch(batch) => {
                    let computing = Computing { queue: self, batch };
                    let outcome = compute(&computing.batch.tasks);
                    if outcome.is_err() {
                        check(cancellation)?;
                    }
                    return computing.share(outcome);
                }
                Found::Nothing(at_most) => {
                    check(cancellation)?;
                    bell.wait(&mut heard, at_most.min(LONGEST_WAIT));
                }
            }
        }
    }

    fn enter(&self, task: Task) -> Result<()> {
        let Limits { largest, batches, .. } = self.limits;
        ensure!(
            task.rows <= largest,
            InvalidArgument,
            "Task size {} is larger than maximum batch size {largest}",
            task.rows
        );
        let number = task.number;
        let mut state = self.state.lock();
        match state.batches.back_mut() {
            Some(open) if open.rows + task.rows <= largest => {
                open.rows += task.rows;
                open.tasks.push(task);
            }
            _ => {
                if state.batches.len() >= batches {
                    return Err(ferroflow_tensor::Status::new(
                        ferroflow_tensor::Code::Unavailable,
                        "The batch scheduling queue to which this task was submitted is full",
                    ));
                }
                let rows = task.rows;
                state.batches.push_back(Batch { tasks: vec![task], rows, opened: Instant::now() });
            }
        }
        state.outcomes.insert(number, None);
        state.ring_first();
        Ok(())
    }

    fn look(&self, number: i64) -> Found {
        let mut state = self.state.lock();
        if let Some(outcome) = state.outcomes.get_mut(&number).and_then(Option::take) {
            return Found::Outcome(outcome);
        }
        let is_last = state.batches.len() == 1;
        let Some(front) = state.batches.front() else { return Found::Nothing(LONGEST_WAIT) };
        if front.tasks.first().is_none_or(|t| t.number != number) || state.running >= self.limits.threads {
            return Found::Nothing(LONGEST_WAIT);
        }
        let rest = self.limits.timeout.saturating_sub(front.opened.elapsed());
        if is_last && front.rows < self.limits.largest && !rest.is_zero() {
            return Found::Nothing(rest);
        }
        let Some(batch) = state.batches.pop_front() else { return Found::Nothing(LONGEST_WAIT) };
        state.running += 1;
        state.ring_first();
        Found::Batch(batch)
    }
}

/// Fails for the reason of an interrupt. A step that waits on its own thread polls for signals and deadlines here.
pub(super) fn check(cancellation: &Cancellation) -> Result<()> {
    if stopped() {
        cancellation.check()?;
    }
    cancellation.check()
}

/// Returns the number of rows that all inputs of a step have.
fn rows_of(inputs: &[Tensor]) -> Result<usize> {
    let mut rows = None;
    for input in inputs {
        ensure!(input.rank() > 0, InvalidArgument, "Batching input tensors must have at least one dimension");
        let own = input.shape()[0];
        ensure!(
            rows.is_none_or(|known| known == own),
            InvalidArgument,
            "Batching input tensors supplied in a given op invocation must have equal 0th-dimension size"
        );
        rows = Some(own);
    }
    Ok(rows.unwrap_or(0))
}
