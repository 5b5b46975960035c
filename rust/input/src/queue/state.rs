//! `Queue`: a bounded store of elements with two lines before it, of operations that wait for room and of those that
//! wait for elements.
//!
//! After every change the heads of both lines are tried until nothing moves; then no operation in a line could end. An
//! operation whose end has come finds its outcome in its `Ticket`, and its step's bell is rung. One that is withdrawn
//! gives back what it has taken.

use super::element::{Element, Tuple, alike, padded, stacked};
use super::store::Store;
use ferroflow_graph::{Bell, Cancellation, Pending};
use ferroflow_sync::{Mutex, is_lost};
use ferroflow_tensor::{DType, PartialShape, Result, Status, Tensor, bail, ensure};
use smallvec::SmallVec;
use std::collections::VecDeque;
use std::sync::Arc;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Fifo,
    PaddingFifo,
    RandomShuffle,
    Priority,
}

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Kind::Fifo => "FIFOQueue",
            Kind::PaddingFifo => "PaddingFIFOQueue",
            Kind::RandomShuffle => "RandomShuffleQueue",
            Kind::Priority => "PriorityQueue",
        }
    }
}

/// The attributes of a queue's node.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Spec {
    pub kind: Kind,
    /// `i32::MAX` where there is no bound.
    pub capacity: usize,
    pub types: Vec<DType>,
    /// Of each component, or none at all; only those of a PaddingFIFOQueue may be partial.
    pub shapes: Vec<PartialShape>,
    pub min_after_dequeue: usize,
    pub seeds: (i64, i64),
}

type Taken = SmallVec<[Element; 1]>;

/// The outcome of an operation in line.
struct Ticket {
    outcome: Mutex<Option<Result<Taken>>>,
    bell: Arc<Bell>,
    process: u32,
}

impl Ticket {
    fn new(bell: Arc<Bell>) -> Arc<Ticket> {
        Arc::new(Ticket { outcome: Mutex::new(None), bell, process: std::process::id() })
    }
}

/// In line for room.
enum Arrival {
    One(Option<Element>),
    Rows {
        batch: Arc<Tuple>,
        next: usize,
        len: usize,
    },
    /// Closes the queue when its turn comes.
    Close,
}

/// In line for elements.
struct Departure {
    remaining: usize,
    /// If true, fewer are enough once the queue is closed.
    up_to: bool,
    taken: Taken,
}

enum Progress {
    None,
    Some,
    Ended(Result<()>),
}

struct State {
    store: Store,
    is_closed: bool,
    arrivals: VecDeque<(Arc<Ticket>, Arrival)>,
    departures: VecDeque<(Arc<Ticket>, Departure)>,
}

impl State {
    /// Fails the waiting operations of a parent process: after a fork the child has the lines, but not the threads in
    /// them.
    fn fail_orphans(&mut self) -> Result<()> {
        if self.arrivals.is_empty() && self.departures.is_empty() {
            return Ok(());
        }
        let process = std::process::id();
        self.arrivals.retain(|(t, _)| t.process == process);
        if self.departures.iter().any(|(t, _)| t.process != process) {
            for (ticket, departure) in std::mem::take(&mut self.departures) {
                if ticket.process == process {
                    self.departures.push_back((ticket, departure));
                } else {
                    self.store.put_back(departure.taken.into_iter())?;
                }
            }
        }
        Ok(())
    }
}

pub(crate) struct Queue {
    pub(super) name: String,
    pub(super) spec: Spec,
    state: Mutex<State>,
}

/// The number of elements that an operation takes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Count {
    One,
    Many(usize),
    UpTo(usize),
}

/// The immediate outcome of an operation.
pub(crate) enum Begun {
    Ended(Tuple),
    Waits(Waiting),
}

impl Queue {
    /// Errors: `InvalidArgument` where the components do not fit the kind.
    pub(super) fn new(name: String, spec: Spec) -> Result<Queue> {
        ensure!(
            spec.shapes.is_empty() || spec.shapes.len() == spec.types.len(),
            InvalidArgument,
            "Different number of component types.  Types: {}, Shapes: {}",
            type_list(&spec.types),
            shape_list(&spec.shapes)
        );
        let store = match spec.kind {
            Kind::Fifo | Kind::PaddingFifo => Store::fifo(),
            Kind::RandomShuffle => Store::shuffle(spec.seeds, spec.min_after_dequeue),
            Kind::Priority => Store::priority(),
        };
        let (arrivals, departures) = (VecDeque::new(), VecDeque::new());
        Ok(Queue { name, spec, state: Mutex::new(State { store, is_closed: false, arrivals, departures }) })
    }

    /// Checks that a node of type `op` with attributes `requested` may share this queue.
    pub(super) fn check(&self, requested: &Spec, op: &str) -> Result<()> {
        let (own, name) = (&self.spec, &self.name);
        ensure!(own.kind == requested.kind, InvalidArgument, "Expected {}, found {op}", own.kind.name());
        ensure!(
            own.capacity == requested.capacity,
            InvalidArgument,
            "Shared queue '{name}' has capacity {} but requested capacity was {}",
            own.capacity,
            requested.capacity
        );
        if own.kind == Kind::RandomShuffle {
            ensure!(
                own.min_after_dequeue == requested.min_after_dequeue,
                InvalidArgument,
                "Shared queue '{name}' has min_after_dequeue {} but requested min_after_dequeue was {}.",
                own.min_after_dequeue,
                requested.min_after_dequeue
            );
            ensure!(
                requested.seeds == (0, 0) || own.seeds == requested.seeds,
                InvalidArgument,
                "Shared queue '{name}' has random seeds ({}, {}) but requested seeds are ({}, {}).",
                own.seeds.0,
                own.seeds.1,
                requested.seeds.0,
                requested.seeds.1
            );
        }
        ensure!(
            own.types == requested.types,
            InvalidArgument,
            "Shared queue '{name}' has component types {} but requested component types were {}",
            type_list(&own.types),
            type_list(&requested.types)
        );
        let is_same = match own.kind {
            Kind::PaddingFifo => {
                let compatible = |(a, b): (&PartialShape, &PartialShape)| a.is_compatible_with(b);
                own.shapes.len() == requested.shapes.len() && own.shapes.iter().zip(&requested.shapes).all(compatible)
            }
            _ => own.shapes == requested.shapes,
        };
        ensure!(
            is_same,
            InvalidArgument,
            "Shared queue '{name}' has component shapes {} but requested component shapes were {}",
            shape_list(&own.shapes),
            shape_list(&requested.shapes)
        );
        Ok(())
    }

    pub(crate) fn types(&self) -> &[DType] {
        &self.spec.types
    }

    pub(crate) fn len(&self) -> usize {
        self.state.lock().store.len()
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.state.lock().is_closed
    }

    /// Puts an element in, as soon as there is room.
    pub(crate) fn enqueue(self: &Arc<Self>, element: Tuple, step: &Cancellation) -> Result<Begun> {
        self.check_types(&element)?;
        for (i, (component, shape)) in element.iter().zip(&self.spec.shapes).enumerate() {
            self.check_shape(i, component, shape)?;
        }
        self.arrive(Arrival::One(Some(Element::Whole(element))), step)
    }

    /// Puts the rows of the components in, one after the other, as soon as there is room for them.
    pub(crate) fn enqueue_many(self: &Arc<Self>, batch: Tuple, step: &Cancellation) -> Result<Begun> {
        self.check_types(&batch)?;
        let mut len = None;
        for (i, component) in batch.iter().enumerate() {
            let Some(&rows) = component.shape().dims().first() else {
                bail!(InvalidArgument, "Input components must be at least vectors, but component {i} is a scalar");
            };
            let first = *len.get_or_insert(rows);
            if let Some(shape) = self.spec.shapes.get(i) {
                self.check_shape(i, component, &PartialShape::vector(Some(first)).concatenate(shape))?;
            }
            ensure!(
                rows == first,
                InvalidArgument,
                "All input tensors must have the same size in the 0th dimension. Component {i} has {rows}, and should have \
                 {first}"
            );
        }
        match len {
            Some(len) if len > 0 => self.arrive(Arrival::Rows { batch: Arc::new(batch), next: 0, len }, step),
            _ => Ok(Begun::Ended(Tuple::new())),
        }
    }

    /// Refuses all that comes later. What waits for room is let in first, or refused, too, with `cancel`.
    pub(crate) fn close(self: &Arc<Self>, cancel: bool, step: &Cancellation) -> Result<Begun> {
        if !cancel {
            return self.arrive(Arrival::Close, step);
        }
        let ended = {
            let mut state = self.state.lock();
            state.fail_orphans()?;
            state.is_closed = true;
            let mut ended: Vec<Arc<Ticket>> = Vec::new();
            for (ticket, _) in state.arrivals.drain(..) {
                *ticket.outcome.lock() = Some(Err(Status::cancelled("Enqueue operation was cancelled")));
                ended.push(ticket);
            }
            ended.extend(self.settle(&mut state));
            ended
        };
        ended.iter().for_each(|t| t.bell.ring());
        Ok(Begun::Ended(Tuple::new()))
    }

    /// Takes elements as soon as they are there: the components of one, or batches of many.
    pub(crate) fn dequeue(self: &Arc<Self>, count: Count, step: &Cancellation) -> Result<Begun> {
        self.dequeue_ringing(count, || step.bell().clone())
    }

    /// Returns `dequeue` where the bell of the step is at hand, and not the step.
    pub(crate) fn dequeue_ringing(self: &Arc<Self>, count: Count, bell: impl FnOnce() -> Arc<Bell>) -> Result<Begun> {
        let (requested, up_to) = match count {
            Count::One => (1, false),
            Count::Many(n) => (n, false),
            Count::UpTo(n) => (n, true),
        };
        if !matches!(count, Count::One) {
            ensure!(
                self.spec.shapes.len() == self.spec.types.len(),
                InvalidArgument,
                "{}'s DequeueMany and DequeueUpTo require the components to have specified shapes.",
                self.spec.kind.name()
            );
            if requested == 0 {
                return self.outputs(&Taken::new(), count).map(Begun::Ended);
            }
        }
        let mut departure = Departure { remaining: requested, up_to, taken: Taken::new() };
        let mut state = self.state.lock();
        state.fail_orphans()?;
        if state.departures.is_empty()
            && let Progress::Ended(outcome) = self.try_departure(&mut state, &mut departure)
        {
            let ended = if state.arrivals.is_empty() { SmallVec::new() } else { self.settle(&mut state) };
            drop(state);
            ended.iter().for_each(|t| t.bell.ring());
            outcome?;
            return match self.outputs(&departure.taken, count) {
                Ok(outputs) => Ok(Begun::Ended(outputs)),
                Err(e) => {
                    self.put_back(departure.taken);
                    Err(e)
                }
            };
        }
        let ticket = Ticket::new(bell());
        state.departures.push_back((ticket.clone(), departure));
        let ended = self.settle(&mut state);
        drop(state);
        self.begun(ticket, Some(count), &ended)
    }

    fn arrive(self: &Arc<Self>, mut arrival: Arrival, step: &Cancellation) -> Result<Begun> {
        let mut state = self.state.lock();
        state.fail_orphans()?;
        if state.arrivals.is_empty()
            && let Progress::Ended(outcome) = self.try_arrival(&mut state, &mut arrival)
        {
            let ended = if state.departures.is_empty() { SmallVec::new() } else { self.settle(&mut state) };
            drop(state);
            ended.iter().for_each(|t| t.bell.ring());
            return outcome.map(|()| Begun::Ended(Tuple::new()));
        }
        let ticket = Ticket::new(step.bell().clone());
        state.arrivals.push_back((ticket.clone(), arrival));
        let ended = self.settle(&mut state);
        drop(state);
        self.begun(ticket, None, &ended)
    }

    /// Returns the outcome of an operation that stood in line while the queue settled.
    fn begun(self: &Arc<Self>, ticket: Arc<Ticket>, takes: Option<Count>, ended: &[Arc<Ticket>]) -> Result<Begun> {
        ended.iter().filter(|t| !Arc::ptr_eq(t, &ticket)).for_each(|t| t.bell.ring());
        let mut waiting = Waiting { queue: self.clone(), ticket, takes, is_collected: false };
        match waiting.poll() {
            Some(outputs) => outputs.map(Begun::Ended),
            None => Ok(Begun::Waits(waiting)),
        }
    }

    /// Tries the heads of both lines until nothing moves; those that ended, whose bells are to be rung.
    fn settle(&self, state: &mut State) -> SmallVec<[Arc<Ticket>; 4]> {
        let mut ended = SmallVec::new();
        loop {
            let mut moved = false;
            while let Some((ticket, mut arrival)) = state.arrivals.pop_front() {
                match self.try_arrival(state, &mut arrival) {
                    Progress::Ended(outcome) => {
                        *ticket.outcome.lock() = Some(outcome.map(|()| Taken::new()));
                        ended.push(ticket);
                        moved = true;
                    }
                    progress => {
                        moved |= matches!(progress, Progress::Some);
                        state.arrivals.push_front((ticket, arrival));
                        break;
                    }
                }
            }
            while let Some((ticket, mut departure)) = state.departures.pop_front() {
                match self.try_departure(state, &mut departure) {
                    Progress::Ended(outcome) => {
                        *ticket.outcome.lock() = Some(outcome.map(|()| departure.taken));
                        ended.push(ticket);
                        moved = true;
                    }
                    progress => {
                        moved |= matches!(progress, Progress::Some);
                        state.departures.push_front((ticket, departure));
                        break;
                    }
                }
            }
            if !moved {
                return ended;
            }
        }
    }

    fn try_arrival(&self, state: &mut State, arrival: &mut Arrival) -> Progress {
        if state.is_closed {
            return Progress::Ended(Err(match arrival {
                Arrival::Close => Status::cancelled(format!("Queue '{}' is already closed.", self.name)),
                _ => Status::cancelled(format!("{} '{}' is closed.", self.spec.kind.name(), self.name)),
            }));
        }
        let mut progress = Progress::None;
        match arrival {
            Arrival::Close => {
                state.is_closed = true;
                return Progress::Ended(Ok(()));
            }
            Arrival::One(element) => {
                if state.store.len() < self.spec.capacity {
                    return Progress::Ended(element.take().map_or(Ok(()), |e| state.store.push(e)));
                }
            }
            Arrival::Rows { batch, next, len } => {
                while state.store.len() < self.spec.capacity {
                    progress = Progress::Some;
                    let row = match self.spec.kind {
                        Kind::Fifo | Kind::PaddingFifo => Ok(Element::Row(batch.clone(), *next)),
                        Kind::RandomShuffle | Kind::Priority => Element::row_of(batch, *next),
                    };
                    if let Err(e) = row.and_then(|row| state.store.push(row)) {
                        return Progress::Ended(Err(e));
                    }
                    *next += 1;
                    if next == len {
                        return Progress::Ended(Ok(()));
                    }
                }
            }
        }
        progress
    }

    fn try_departure(&self, state: &mut State, departure: &mut Departure) -> Progress {
        let size = state.store.len();
        if self.spec.kind == Kind::Priority {
            // A batch leaves in order only if all of it is there.
            let enough = size >= departure.remaining;
            if state.is_closed && (size == 0 || !(enough || departure.up_to)) {
                return Progress::Ended(Err(self.insufficient(departure.remaining, size)));
            }
            if !(enough || state.is_closed && departure.up_to) {
                return Progress::None;
            }
            departure.remaining = departure.remaining.min(size);
        } else if state.is_closed && size < departure.remaining {
            if let Err(e) = state.store.put_back(std::mem::take(&mut departure.taken).into_iter()) {
                return Progress::Ended(Err(e));
            }
            let size_now = state.store.len();
            if departure.up_to && size_now > 0 {
                departure.remaining = size_now;
            } else if departure.up_to && !state.arrivals.is_empty() {
                return Progress::Some;
            } else {
                return Progress::Ended(Err(self.insufficient(departure.remaining, size)));
            }
        }
        let kept = if state.is_closed { 0 } else { self.spec.min_after_dequeue };
        let mut progress = Progress::None;
        while state.store.len() > kept
            && let Some(element) = state.store.pop()
        {
            progress = Progress::Some;
            departure.taken.push(element);
            departure.remaining -= 1;
            if departure.remaining == 0 {
                return Progress::Ended(Ok(()));
            }
        }
        progress
    }

    /// Returns the error of too few elements. TF 1.x: programs match on these words.
    fn insufficient(&self, requested: usize, size: usize) -> Status {
        Status::out_of_range(format!(
            "{} '{}' is closed and has insufficient elements (requested {requested}, current size {size})",
            self.spec.kind.name(),
            self.name
        ))
    }

    fn check_types(&self, tuple: &Tuple) -> Result<()> {
        let types = &self.spec.types;
        ensure!(
            tuple.len() == types.len(),
            InvalidArgument,
            "Wrong number of components in tuple. Expected {}, got {}",
            types.len(),
            tuple.len()
        );
        for (i, (component, dtype)) in tuple.iter().zip(types).enumerate() {
            ensure!(
                component.dtype() == *dtype,
                InvalidArgument,
                "Type mismatch in tuple component {i}. Expected {}, got {}",
                dtype.schema_name(),
                component.dtype().schema_name()
            );
        }
        Ok(())
    }

    fn check_shape(&self, i: usize, component: &Tensor, shape: &PartialShape) -> Result<()> {
        ensure!(
            shape.is_compatible_with(&component.shape().into()),
            InvalidArgument,
            "Shape mismatch in tuple component {i}. Expected {shape}, got {}",
            component.shape()
        );
        Ok(())
    }

    /// Returns the outputs of an operation that has taken these elements.
    fn outputs(&self, taken: &[Element], count: Count) -> Result<Tuple> {
        if let (Count::One, [element]) = (count, taken) {
            return element.to_tuple();
        }
        let components = self.spec.types.iter().zip(&self.spec.shapes).enumerate();
        components
            .map(|(c, (&dtype, shape))| match shape.to_shape() {
                Some(shape) => stacked(taken, c, dtype, &shape),
                None if self.spec.kind == Kind::PaddingFifo => padded(taken, c, dtype, shape),
                None => alike(taken, c, dtype),
            })
            .collect()
    }

    fn put_back(&self, taken: Taken) {
        let mut state = self.state.lock();
        // The elements were in the store before, so there is room for them.
        let put = state.store.put_back(taken.into_iter());
        debug_assert!(put.is_ok());
        let ended = self.settle(&mut state);
        drop(state);
        ended.iter().for_each(|t| t.bell.ring());
    }

    /// Takes an operation out of its line; what it has taken goes back.
    fn withdraw(&self, ticket: &Arc<Ticket>) {
        let mut state = self.state.lock();
        state.arrivals.retain(|(t, _)| !Arc::ptr_eq(t, ticket));
        let mut taken = Taken::new();
        if let Some(i) = state.departures.iter().position(|(t, _)| Arc::ptr_eq(t, ticket)) {
            if let Some((_, departure)) = state.departures.remove(i) {
                taken = departure.taken;
            }
        } else if let Some(Ok(outcome)) = ticket.outcome.lock().take() {
            taken = outcome;
        }
        drop(state);
        self.put_back(taken);
    }
}

/// An operation in line.
pub(crate) struct Waiting {
    queue: Arc<Queue>,
    ticket: Arc<Ticket>,
    /// Number of elements that it takes; `None` if it adds some.
    takes: Option<Count>,
    is_collected: bool,
}

impl Pending for Waiting {
    fn poll(&mut self) -> Option<Result<Tuple>> {
        let outcome = self.ticket.outcome.lock().take()?;
        self.is_collected = true;
        Some(match (outcome, self.takes) {
            (Err(e), _) => Err(e),
            (Ok(_), None) => Ok(Tuple::new()),
            (Ok(taken), Some(count)) => self.queue.outputs(&taken, count).inspect_err(|_| self.queue.put_back(taken)),
        })
    }

    fn cancelled(&self) -> &'static str {
        if self.takes.is_some() { "Dequeue operation was cancelled" } else { "Enqueue operation was cancelled" }
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        if !self.is_collected && !is_lost(&self.queue.state) {
            self.queue.withdraw(&self.ticket);
        }
    }
}

pub(super) fn type_list(types: &[DType]) -> String {
    types.iter().map(|t| t.schema_name()).collect::<Vec<_>>().join(", ")
}

pub(super) fn shape_list(shapes: &[PartialShape]) -> String {
    let names: Vec<_> = shapes.iter().map(PartialShape::to_string).collect();
    format!("[{}]", names.join(", "))
}
