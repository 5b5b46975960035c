//! `RemoteRendezvous`: the rendezvous of one step over its connections.

use crate::frame::Frame;
use crate::line::Link;
use crate::message::{Done, Empty, FETCHES, Outcome, kind};
use crate::peer::SIGN_OF_LIFE;
use crate::sleep::Held;
use crate::wires::{Wires, ended_with, until_writable};
use ferroflow_graph::{Bell, Rendezvous};
use ferroflow_sync::Mutex;
use ferroflow_tensor::threads::{MOST_ASIDE, run_aside};
use ferroflow_tensor::{Result, Status, Tensor, bail};
use rustc_hash::FxHashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Key of the end of the first connection's part.
pub const END: u64 = 1 << 62;

/// Time between two checks of a part that was cancelled.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// The destinations of values, by key.
pub enum Route {
    /// To the process that requested the step.
    Back,
    /// By edge, to that connection; `None`: they stay here.
    Out(Arc<[Option<usize>]>),
}

/// The end of a part: its outcome.
pub struct Ended {
    pub done: Done,
    pub fetches: Vec<(u64, Tensor)>,
}

/// A connection after a step, and what is left of the step at its other side.
pub struct Rest {
    pub link: Link,
    /// True until the part there has ended.
    pub is_open: bool,
    /// True if nothing was received since the part was cancelled.
    pub is_silent: bool,
}

struct State {
    wires: Option<Wires>,
    /// Rung by what the step waits for besides its connections; none before it first waits.
    doorbell: Option<Held>,
    /// Of each connection, whether a part was begun there.
    begun: Vec<bool>,
    /// For each connection, the bytes received when its part's cancellation was requested.
    cancelled_at: Vec<Option<u64>>,
    /// Values sent since the last exchange, by connection.
    leaving: Vec<Vec<(u64, Tensor)>>,
    arrived: FxHashMap<u64, Tensor>,
    /// Of each connection whose part has ended.
    ended: Vec<Option<Ended>>,
    failure: Option<Status>,
    /// True while a thread writes the bytes that the connections did not take at once.
    is_pumped: bool,
}

impl State {
    /// Puts what was sent on its way.
    fn push_leaving(&mut self) -> Result<()> {
        let Some(wires) = &mut self.wires else { bail!(Internal, "the step's connections were given back") };
        for (i, values) in self.leaving.iter_mut().enumerate() {
            if !values.is_empty() {
                let mut frame = Frame::new(kind::VALUES, &Empty {});
                frame.tensors = std::mem::take(values);
                wires.link(i)?.push(frame)?;
            }
        }
        Ok(())
    }
}

/// Longest wait of the writing thread for a connection, before it checks that the step still needs the value.
const PUMP_PERIOD: Duration = Duration::from_millis(20);

/// Writes what is on its way out, until it is gone or the step needs its connections no more.
fn pump(state: &Mutex<State>) -> Result<()> {
    loop {
        let mut locked = state.lock();
        let unsent = match &mut locked.wires {
            Some(wires) => wires.write(),
            None => Ok(Vec::new()),
        };
        // The step itself finds what is wrong with a connection.
        let unsent = unsent.unwrap_or_default();
        if unsent.is_empty() {
            locked.is_pumped = false;
            return Ok(());
        }
        drop(locked);
        until_writable(&unsent, PUMP_PERIOD)?;
    }
}

/// The meeting place of a step whose parts are connected.
pub struct RemoteRendezvous {
    route: Route,
    names: Vec<String>,
    state: Arc<Mutex<State>>,
}

impl RemoteRendezvous {
    /// Returns a crossing; `names` has the task at the end of each connection.
    pub fn new(route: Route, wires: Wires, names: Vec<String>) -> RemoteRendezvous {
        let n = names.len();
        let state = State {
            wires: Some(wires),
            doorbell: None,
            begun: vec![false; n],
            cancelled_at: vec![None; n],
            leaving: (0..n).map(|_| Vec::new()).collect(),
            arrived: FxHashMap::default(),
            ended: (0..n).map(|_| None).collect(),
            failure: None,
            is_pumped: false,
        };
        RemoteRendezvous { route, names, state: Arc::new(Mutex::new(state)) }
    }

    /// Puts the beginning of a part on its way.
    pub fn begin(&self, i: usize, frame: Frame) -> Result<()> {
        let mut state = self.state.lock();
        let State { wires: Some(wires), begun, .. } = &mut *state else {
            bail!(Internal, "the step's connections were given back")
        };
        wires.link(i)?.push(frame)?;
        if let Some(begun) = begun.get_mut(i) {
            *begun = true;
        }
        Ok(())
    }

    /// Stores values that came with the step's beginning.
    pub fn bring(&self, values: Vec<(u64, Tensor)>) {
        self.state.lock().arrived.extend(values);
    }

    /// Sends what is to be sent and takes what came.
    ///
    /// Errors: the first failure of another part, or of a connection.
    pub fn exchange(&self) -> Result<bool> {
        let mut state = self.state.lock();
        self.exchange_locked(&mut state)
    }

    fn exchange_locked(&self, state: &mut State) -> Result<bool> {
        if let Some(failure) = &state.failure {
            return Err(failure.clone());
        }
        let mut any = false;
        loop {
            state.push_leaving()?;
            let State { wires: Some(wires), leaving, arrived, ended, failure, .. } = &mut *state else {
                bail!(Internal, "the step's connections were given back");
            };
            let exchanged = wires.exchange(|i, frame| self.receive(i, frame, leaving, arrived, ended));
            match exchanged {
                Ok(came) => any |= came,
                Err((i, e)) => {
                    let e = self.of_task(i, e);
                    *failure = Some(e.clone());
                    return Err(e);
                }
            }
            // A value for another part is forwarded at once.
            if leaving.iter().all(Vec::is_empty) {
                return Ok(any);
            }
        }
    }

    fn of_task(&self, i: usize, e: Status) -> Status {
        match self.names.get(i) {
            Some(name) => ended_with(name, e),
            None => e,
        }
    }

    fn receive(
        &self,
        i: usize,
        frame: Frame,
        leaving: &mut [Vec<(u64, Tensor)>],
        arrived: &mut FxHashMap<u64, Tensor>,
        ended: &mut [Option<Ended>],
    ) -> Result<()> {
        let mut fetches = Vec::new();
        let is_done = frame.kind == kind::DONE;
        let done: Option<Done> = if is_done { Some(frame.decode()?) } else { None };
        match frame.kind {
            kind::VALUES | kind::DONE => {}
            kind::CANCEL => return Err(Status::cancelled("Step was cancelled by its session")),
            other => bail!(InvalidArgument, "A frame of kind {other} was received within a step"),
        }
        for (key, value) in frame.tensors {
            if is_done && key >= FETCHES {
                fetches.push((key - FETCHES, value));
                continue;
            }
            match &self.route {
                Route::Back => {
                    arrived.insert(key, value);
                }
                Route::Out(by_edge) => match usize::try_from(key).ok().and_then(|k| by_edge.get(k)) {
                    Some(Some(link)) => leaving[*link].push((key, value)),
                    Some(None) => {
                        arrived.insert(key, value);
                    }
                    None => bail!(InvalidArgument, "An unexpected value was received"),
                },
            }
        }
        if let (Some(done), Some(slot)) = (done, ended.get_mut(i)) {
            if done.outcome.as_ref().is_none_or(|o| o.code == 0) {
                // A receiver that waits for the part's end finds it here.
                arrived.insert(END + i as u64, Tensor::scalar(true));
            }
            *slot = Some(Ended { done, fetches });
        }
        Ok(())
    }

    /// Returns the first part that ended with a failure, by position, and its outcome.
    pub fn failed_part(&self) -> Option<(usize, Outcome)> {
        failed_part(&self.state.lock())
    }

    /// Requests that running parts end, and waits until they have ended or do not answer.
    pub fn cancel(&self, at_most: Duration) {
        let mut state = self.state.lock();
        state.leaving.iter_mut().for_each(Vec::clear);
        let State { wires: Some(wires), begun, cancelled_at, ended, .. } = &mut *state else { return };
        let n = ended.len();
        for i in 0..n {
            if begun[i]
                && ended[i].is_none()
                && let Ok(link) = wires.link(i)
            {
                let before = link.received();
                // A connection that takes nothing more is silent.
                let _ = link.push(Frame::new(kind::CANCEL, &Empty {})).and_then(|()| link.ping());
                cancelled_at[i] = Some(before);
            }
        }
        let began = Instant::now();
        loop {
            let mut waits = false;
            for i in 0..n {
                let (Some(before), Ok(link)) = (cancelled_at[i], wires.link(i)) else { continue };
                let _ = link.write();
                while let Ok(Some(frame)) = link.read() {
                    if frame.kind == kind::DONE && ended[i].is_none() {
                        let done = frame.decode().unwrap_or_default();
                        ended[i] = Some(Ended { done, fetches: Vec::new() });
                    }
                }
                let patience = if link.received() == before { SIGN_OF_LIFE.min(at_most) } else { at_most };
                waits |= ended[i].is_none() && !link.has_failed() && began.elapsed() < patience;
            }
            if !waits || wires.sleep(None, Some(POLL_INTERVAL)).is_err() {
                return;
            }
        }
    }

    /// Returns the connections as they are, and the end of each part, once the step is over.
    pub fn give_back(&self) -> (Vec<Rest>, Vec<Option<Ended>>) {
        let mut state = self.state.lock();
        state.doorbell = None;
        let links = state.wires.take().map(Wires::into_links).unwrap_or_default();
        let State { begun, cancelled_at, ended, .. } = &mut *state;
        let rest = links.into_iter().enumerate().map(|(i, link)| {
            let is_open = begun[i] && ended[i].is_none();
            let is_silent =
                is_open && cancelled_at[i].is_some_and(|before| link.has_failed() || link.received() == before);
            Rest { link, is_open, is_silent }
        });
        (rest.collect(), std::mem::take(ended))
    }

    /// Takes values that were sent and not yet written; they are sent with the part's end.
    pub fn take_leaving(&self) -> Vec<(u64, Tensor)> {
        std::mem::take(&mut self.state.lock().leaving).into_iter().flatten().collect()
    }
}

impl Rendezvous for RemoteRendezvous {
    fn send(&self, key: u64, value: Tensor) -> Result<()> {
        let link = match &self.route {
            Route::Back => Some(0),
            Route::Out(by_edge) => by_edge.get(key as usize).copied().flatten(),
        };
        let mut state = self.state.lock();
        match link.and_then(|l| state.leaving.get_mut(l)) {
            Some(values) => values.push((key, value)),
            None => {
                state.arrived.insert(key, value);
            }
        }
        Ok(())
    }

    fn take(&self, key: u64) -> Option<Tensor> {
        self.state.lock().arrived.remove(&key)
    }

    fn depart(&self) -> Result<()> {
        let mut state = self.state.lock();
        if let Some(failure) = &state.failure {
            return Err(failure.clone());
        }
        if state.leaving.iter().all(Vec::is_empty) {
            return Ok(());
        }
        state.push_leaving()?;
        let Some(wires) = &mut state.wires else { return Ok(()) };
        // A failure is found, with whom it was, by the next exchange.
        let is_all_gone = wires.write().is_ok_and(|unsent| unsent.is_empty());
        if !is_all_gone && !std::mem::replace(&mut state.is_pumped, true) {
            let shared = self.state.clone();
            let pumped = run_aside(MOST_ASIDE, Box::new(move || pump(&shared).unwrap_or(())));
            // Without a thread, what is left leaves when the step rests.
            state.is_pumped = pumped.is_ok();
        }
        Ok(())
    }

    fn rest(&self, bell: &Arc<Bell>, heard: &mut u64, at_most: Duration) -> Result<()> {
        let mut state = self.state.lock();
        let any = self.exchange_locked(&mut state)?;
        if let Some((_, outcome)) = failed_part(&state) {
            // The step's master names the node if the failure has one.
            return outcome.into_result().map_err(|e| e.inside(""));
        }
        if any {
            return Ok(());
        }
        let State { wires: Some(wires), doorbell, .. } = &mut *state else {
            bail!(Internal, "the step's connections were given back")
        };
        if doorbell.is_none() {
            let held = match Held::take() {
                Ok(held) => held,
                Err(e) => bail!(ResourceExhausted, "A step cannot wait: {e}"),
            };
            let shared = held.shared();
            bell.wake_by(move || shared.ring());
            *doorbell = Some(held);
        }
        if bell.rang(heard) {
            return Ok(());
        }
        wires.sleep(doorbell.as_deref(), Some(at_most))
    }
}

fn failed_part(state: &State) -> Option<(usize, Outcome)> {
    state.ended.iter().enumerate().find_map(|(i, e)| {
        let outcome = e.as_ref()?.done.outcome.clone()?;
        (outcome.code != 0).then_some((i, outcome))
    })
}
