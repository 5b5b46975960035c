//! `SplitPlan`: the plan of a step whose parts run in several processes.

use crate::codec::Encoder;
use crate::connected::Connected;
use crate::frame::Frame;
use crate::line::Link;
use crate::message::{Register, StepMessage, UNKNOWN_PART, kind};
use crate::peer::{Peer, while_unreachable};
use crate::random::random;
use crate::remote_rendezvous::{END, Ended, RemoteRendezvous, Route};
use crate::wires::Wires;
use ferroflow_graph::{AttrMap, AttrValue, NodeId, Rendezvous, written};
use ferroflow_plan::{EdgeSource, Part, PartNode, Placed, Request, Split};
use ferroflow_runtime::{Event, Poll, Prepared, RunOptions, StepOutcome, Trace};
use ferroflow_sync::Mutex;
use ferroflow_tensor::{Code, DType, PartialShape, Result, Status, Tensor, bail};
use smallvec::SmallVec;
use std::sync::Arc;
use std::time::Duration;

/// Time between two checks of the caller, for a thread that waits for another one's registration.
const POLL_INTERVAL: Duration = Duration::from_millis(50);
/// Longest time for tasks to end a cancelled step.
const GIVE_UP: Duration = Duration::from_secs(2);

/// A part that runs in another process, which forgets it when this is dropped.
struct Distant {
    site: usize,
    peer: Arc<Peer>,
    part: Part,
    handle: u64,
    /// The edges by which it receives feeds, and which feeds.
    feeds: Vec<(u64, usize)>,
    /// The session at the task that has registered the part.
    registered: Mutex<Option<u64>>,
}

impl Drop for Distant {
    fn drop(&mut self) {
        if self.registered.get_mut().is_some() {
            self.peer.forget(self.handle);
        }
    }
}

pub(crate) struct SplitPlan {
    here: Prepared,
    origin: Vec<NodeId>,
    /// Which of the step's feeds the part of this process takes.
    feeds: Vec<usize>,
    /// Which of the step's fetches the part of this process gives.
    fetches: Vec<usize>,
    fetch_count: usize,
    distant: Vec<Distant>,
    /// By edge: the position in `distant` of the part that receives it.
    routes: Arc<[Option<usize>]>,
    pub placement: Vec<Placed>,
    pub graph_version: u64,
}

/// Returns the operation that waits for the end of a part.
fn wait_for_end(position: usize) -> PartNode {
    let mut attrs = AttrMap::default();
    attrs.set("tensor_type", AttrValue::Type(DType::Bool));
    for name in ["tensor_name", "send_device", "recv_device"] {
        attrs.set(name, AttrValue::Str(Vec::new()));
    }
    attrs.set("send_device_incarnation", AttrValue::Int(0));
    attrs.set("client_terminated", AttrValue::Bool(false));
    attrs.set("_edge", AttrValue::Int((END + position as u64) as i64));
    PartNode {
        name: format!("_end/{position}"),
        op: written::RECV.to_owned(),
        inputs: Vec::new(),
        control_inputs: Vec::new(),
        attrs,
        shapes: vec![PartialShape::scalar()],
    }
}

impl SplitPlan {
    pub fn new(split: Split, connected: &Connected, request: &Request) -> Result<SplitPlan> {
        let Split { parts, edges, placement } = split;
        let mut parts = parts.into_iter();
        let Some(mut own) = parts.next() else { bail!(Internal, "a step has no part") };
        let mut distant = Vec::new();
        for ((site, part), peer) in (1..).zip(parts).zip(&connected.peers) {
            if part.nodes.is_empty() {
                continue;
            }
            let feeds = edges.iter().enumerate().filter_map(|(key, edge)| match edge.from {
                EdgeSource::Feed(feed) if edge.to == site => Some((key as u64, feed)),
                _ => None,
            });
            let feeds = feeds.collect();
            let (peer, handle, registered) = (peer.clone(), random()?, Mutex::default());
            distant.push(Distant { site, peer, part, handle, feeds, registered });
        }
        let route = |to: usize| distant.iter().position(|d| d.site == to);
        let routes = edges.iter().map(|edge| route(edge.to)).collect();
        for (position, d) in distant.iter().enumerate() {
            own.targets.push(own.nodes.len() as u32);
            own.origin.push(d.part.origin.first().copied().unwrap_or(0));
            own.nodes.push(wait_for_end(position));
        }
        let here = connected.session.prepare_part(&own)?;
        let graph_version = here.graph_version;
        Ok(SplitPlan {
            here,
            origin: own.origin,
            feeds: own.feeds.iter().map(|(_, feed)| *feed).collect(),
            fetches: own.fetches.iter().map(|(_, fetch)| *fetch).collect(),
            fetch_count: request.fetches.len(),
            distant,
            routes,
            placement,
            graph_version,
        })
    }

    /// Returns a connection with each task, after registering its part there.
    fn links(&self, connected: &Connected, poll: Option<&Poll<'_>>) -> Result<Vec<Link>> {
        let mut links: Vec<Link> = Vec::with_capacity(self.distant.len());
        for d in &self.distant {
            let ready = d.peer.take(poll).and_then(|link| self.register(d, link, connected, poll));
            match ready {
                Ok(link) => links.push(link),
                Err(e) => {
                    self.distant.iter().zip(links).for_each(|(d, link)| d.peer.give_back(link, false));
                    return Err(e);
                }
            }
        }
        Ok(links)
    }

    /// Registers the part at its task, if it is not registered.
    fn register(&self, d: &Distant, link: Link, connected: &Connected, poll: Option<&Poll<'_>>) -> Result<Link> {
        let peer = &d.peer;
        let mut registered = loop {
            // Another thread may hold it until its task answers.
            if let Some(registered) = d.registered.try_lock_for(POLL_INTERVAL) {
                break registered;
            }
            if let Err(e) = poll.map_or(Ok(()), |poll| poll()) {
                peer.give_back(link, false);
                return Err(e);
            }
        };
        if *registered == Some(link.residence) {
            return Ok(link);
        }
        *registered = None;
        let mut encoder = Encoder::default();
        let part = encoder.part(&d.part);
        let library = connected.session.graph().read().functions().clone();
        let functions = encoder.functions(&library)?;
        let message = Register {
            handle: d.handle,
            isolate: connected.isolate,
            rewrites: connected.rewrites.bits(),
            part: Some(part),
            functions,
            forgotten: peer.take_forgotten(),
        };
        let mut frame = Frame::new(kind::REGISTER, &message);
        frame.tensors = encoder.tensors;
        let link = peer.order_on(link, frame, poll).map_err(|e| self.named(d, e))?;
        *registered = Some(link.residence);
        Ok(link)
    }

    /// Returns a failure with the node of the whole graph in place of that of the part.
    fn named(&self, d: &Distant, e: Status) -> Status {
        match e.node().and_then(|n| d.part.origin.get(n as usize)) {
            Some(&id) => e.inside("").at_node(id),
            None => e,
        }
    }

    pub fn run(
        &self,
        connected: &Connected,
        values: SmallVec<[Tensor; 4]>,
        options: &RunOptions<'_>,
    ) -> Result<StepOutcome> {
        let wires = Wires::new(self.links(connected, options.poll)?);
        let names = self.distant.iter().map(|d| d.peer.name.clone()).collect();
        let remote = Arc::new(RemoteRendezvous::new(Route::Out(self.routes.clone()), wires, names));
        let result = self.run_across(connected, &remote, values, options);
        // Parts that are cancelled fail because of that: an earlier failure counts.
        let failed = if result.is_err() { remote.failed_part() } else { None };
        if result.is_err() {
            remote.cancel(GIVE_UP);
        }
        let (rest, ended) = remote.give_back();
        let mut silent = None;
        for (d, rest) in self.distant.iter().zip(rest) {
            if rest.is_silent {
                silent.get_or_insert(format!("{} does not answer", d.peer.name));
            }
            d.peer.give_back(rest.link, rest.is_open);
        }
        let outcome = result.map_err(|e| {
            let e = self.cause(e, failed);
            silent.map_or(e.clone(), |why| while_unreachable(e, &why))
        })?;
        self.collect(outcome, ended, options)
    }

    /// Returns the failure of the part that made the step fail, if `e` reports that failure.
    fn cause(&self, e: Status, failed: Option<(usize, crate::message::Outcome)>) -> Status {
        let Some((position, outcome)) = failed else {
            return match e.node().and_then(|n| self.origin.get(n as usize)) {
                Some(&id) => e.inside("").at_node(id),
                None => e,
            };
        };
        let code = outcome.code;
        let failure = outcome.into_result().err().unwrap_or_else(|| e.clone());
        if (code == Code::NotFound as i32) && failure.message() == UNKNOWN_PART {
            *self.distant[position].registered.lock() = None;
            return Status::aborted(UNKNOWN_PART);
        }
        self.named(&self.distant[position], failure)
    }

    fn run_across(
        &self,
        connected: &Connected,
        remote: &Arc<RemoteRendezvous>,
        values: SmallVec<[Tensor; 4]>,
        options: &RunOptions<'_>,
    ) -> Result<StepOutcome> {
        for (i, d) in self.distant.iter().enumerate() {
            let message = StepMessage { handle: d.handle, trace: options.trace, may_miss: options.may_miss };
            let mut frame = Frame::new(kind::STEP, &message);
            let value = |&(key, feed): &(u64, usize)| Some((key, values.get(feed)?.clone()));
            frame.tensors = d.feeds.iter().filter_map(value).collect();
            remote.begin(i, frame)?;
        }
        remote.exchange()?;
        let own: SmallVec<[Tensor; 4]> = self.feeds.iter().filter_map(|&f| values.get(f).cloned()).collect();
        drop(values);
        let rendezvous: Arc<dyn Rendezvous> = remote.clone();
        let poll = || {
            if let Some(poll) = options.poll {
                poll()?;
            }
            remote.exchange()?;
            match remote.failed_part() {
                Some((_, outcome)) => outcome.into_result().map_err(|e| e.inside("")),
                None => Ok(()),
            }
        };
        let options = RunOptions {
            trace: options.trace,
            poll: Some(&poll),
            may_miss: options.may_miss,
            rendezvous: Some(&rendezvous),
        };
        connected.session.run(&self.here, own, &options)
    }

    /// Puts the values and events of all parts together.
    fn collect(
        &self,
        outcome: StepOutcome,
        ended: Vec<Option<Ended>>,
        options: &RunOptions<'_>,
    ) -> Result<StepOutcome> {
        let mut values: Vec<Option<Tensor>> = vec![None; self.fetch_count];
        for (value, &fetch) in outcome.values.into_iter().zip(&self.fetches) {
            values[fetch] = value;
        }
        let mut trace = outcome.trace;
        let named = |nodes: &[u32], origin: &[NodeId]| -> Vec<NodeId> {
            nodes.iter().filter_map(|&n| origin.get(n as usize).copied()).collect()
        };
        if let Some(Trace { events, .. }) = &mut trace {
            events.iter_mut().for_each(|e| e.nodes = named(&e.nodes, &self.origin));
        }
        for (end, d) in ended.into_iter().zip(&self.distant) {
            let Some(end) = end else { bail!(Internal, "a part has not ended") };
            for (position, value) in end.fetches {
                if let Some((_, fetch)) = d.part.fetches.get(position as usize) {
                    values[*fetch] = Some(value);
                }
            }
            if let Some(trace) = &mut trace {
                trace.events.extend(end.done.events.iter().map(|e| Event {
                    nodes: named(&e.nodes, &d.part.origin),
                    start: Duration::from_nanos(e.start),
                    end: Duration::from_nanos(e.end),
                    made: Vec::new(),
                }));
            }
        }
        if let Some(missing) = values.iter().position(Option::is_none).filter(|_| !options.may_miss) {
            bail!(InvalidArgument, "Retval[{missing}] does not have value");
        }
        Ok(StepOutcome { values, trace })
    }
}
