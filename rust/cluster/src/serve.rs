//! Answers other processes: one thread for each connection, which runs the requested steps.

use crate::codec::Decoder;
use crate::frame::Frame;
use crate::guests::{Guest, Registered, Stay};
use crate::line::{Link, gone};
use crate::message::{
    Description, Done, EventMessage, FETCHES, Outcome, Register, Reset, StepMessage, TaskAddress, UNKNOWN_PART, kind,
};
use crate::remote_rendezvous::{RemoteRendezvous, Route};
use crate::task::Task;
use crate::wires::Wires;
use ferroflow_graph::{Graph, Registry, Rendezvous};
use ferroflow_plan::{Devices, PlanOptions, Rewrites};
use ferroflow_runtime::{RunOptions, Session, SessionOptions};
use ferroflow_sync::{Mutex, RwLock};
use ferroflow_tensor::{Code, Result, Status, bail};
use smallvec::SmallVec;
use std::sync::Arc;

/// Returns the next frame.
fn next(wires: &Wires) -> Result<Frame> {
    loop {
        if let Some(frame) = wires.pull()? {
            return Ok(frame);
        }
        wires.sleep(None, None)?;
    }
}

/// Sends a frame to its end.
fn send(wires: &Wires, frame: Frame) -> Result<()> {
    wires.link(0)?.push(frame)?;
    while !wires.flush()? {
        wires.sleep(None, None)?;
    }
    Ok(())
}

/// Serves a member's connection until its end.
pub fn serve(task: &Task, link: Link, stay: &Stay, registry: &Arc<Registry>) -> Result<()> {
    answer(task, Wires::new(vec![link]), stay.session, registry)
}

fn answer(task: &Task, mut wires: Wires, session: u64, registry: &Arc<Registry>) -> Result<()> {
    loop {
        let frame = next(&wires)?;
        let reply = match frame.kind {
            kind::DESCRIBE => Frame::new(kind::DESCRIPTION, &describe(task)),
            kind::REGISTER => Frame::new(kind::OUTCOME, &Outcome::of(register(task, session, &frame, registry))),
            kind::RESET => {
                let reset: Reset = frame.decode()?;
                if reset.ends_sessions {
                    task.end_sessions();
                }
                task.clear(&reset.containers);
                Frame::new(kind::OUTCOME, &Outcome::default())
            }
            kind::STEP => {
                // The connection is the step's until it ends.
                wires = step(task, wires, session, frame)?;
                continue;
            }
            // A step that was given up when it had ended.
            kind::CANCEL | kind::VALUES => continue,
            other => bail!(InvalidArgument, "A frame of kind {other} was received between steps"),
        };
        send(&wires, reply)?;
    }
}

fn describe(task: &Task) -> Description {
    Description {
        job: task.name.job.clone(),
        index: task.name.index,
        cpus: task.cpus as u64,
        tasks: task
            .cluster
            .tasks
            .iter()
            .map(|(n, a)| TaskAddress { job: n.job.clone(), index: n.index, address: a.to_string() })
            .collect(),
    }
}

fn register(task: &Task, session: u64, frame: &Frame, registry: &Arc<Registry>) -> Result<()> {
    let message: Register = frame.decode()?;
    let decoder = Decoder { tensors: &frame.tensors };
    let Some(part) = &message.part else { bail!(InvalidArgument, "A part was received without its nodes") };
    let part = decoder.part(part)?;
    let make = || {
        let graph = Arc::new(RwLock::new(Graph::new(registry.clone())));
        let resources = if message.isolate { Arc::default() } else { task.resources.clone() };
        let devices = Devices::local(1, true);
        let plan = PlanOptions { devices, rewrites: Rewrites::from_bits(message.rewrites) };
        let options = SessionOptions { plan, ..SessionOptions::default() };
        let session = Session::with_resources(graph, options, resources);
        Guest { session, parts: RwLock::default(), functions: Mutex::default() }
    };
    let Some(guest) = task.guests.get_or_make(session, make) else { bail!(Internal, "a session has no connection") };
    guest.parts.write().retain(|handle, _| !message.forgotten.contains(handle));
    {
        let library = guest.session.graph().read().functions().clone();
        let mut known = guest.functions.lock();
        for function in &message.functions {
            if !known.contains(&function.name) {
                library.add(decoder.function(function, registry)?)?;
                known.push(function.name.clone());
            }
        }
    }
    // Before the part is planned: what is cleared meanwhile makes it stale.
    let generation = task.generation();
    let prepared = Arc::new(guest.session.prepare_part(&part)?);
    guest.parts.write().insert(message.handle, Registered { prepared, generation });
    Ok(())
}

/// Runs a part of a step and reports how it ended.
fn step(task: &Task, wires: Wires, session: u64, frame: Frame) -> Result<Wires> {
    let message: StepMessage = frame.decode()?;
    let remote = Arc::new(RemoteRendezvous::new(Route::Back, wires, vec!["the session".to_owned()]));
    remote.bring(frame.tensors);
    let guest = task.guests.get(session);
    let generation = task.generation();
    let prepared = guest.as_ref().and_then(|g| {
        let parts = g.parts.read();
        parts.get(&message.handle).filter(|p| p.generation == generation).map(|p| p.prepared.clone())
    });
    let result = match (&guest, prepared) {
        (Some(guest), Some(prepared)) => {
            let rendezvous: Arc<dyn Rendezvous> = remote.clone();
            // While it computes, too, the session may give up or be no more there.
            let poll = || remote.exchange().map(|_| ());
            let options = RunOptions {
                trace: message.trace,
                poll: Some(&poll),
                may_miss: message.may_miss,
                rendezvous: Some(&rendezvous),
            };
            let run = || guest.session.run(&prepared, SmallVec::new(), &options);
            match std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)) {
                Ok(result) => result,
                Err(_) => Err(Status::internal("the engine failed unexpectedly")),
            }
        }
        _ => Err(Status::new(Code::NotFound, UNKNOWN_PART)),
    };
    let mut done = Done::default();
    let mut tensors = remote.take_leaving();
    match result {
        Ok(outcome) => {
            let fetched = outcome.values.into_iter().enumerate();
            tensors.extend(fetched.filter_map(|(k, v)| Some((FETCHES + k as u64, v?))));
            let events = outcome.trace.map(|t| t.events).unwrap_or_default();
            done.events = events
                .into_iter()
                .map(|e| EventMessage {
                    nodes: e.nodes,
                    start: e.start.as_nanos() as u64,
                    end: e.end.as_nanos() as u64,
                })
                .collect();
        }
        Err(e) => {
            tensors.clear();
            done.outcome = Some(Outcome::of(Err(e)));
        }
    }
    let links: Vec<Link> = remote.give_back().0.into_iter().map(|rest| rest.link).collect();
    if links.is_empty() {
        return Err(gone());
    }
    let wires = Wires::new(links);
    let mut reply = Frame::new(kind::DONE, &done);
    reply.tensors = tensors;
    send_last(&wires, reply)?;
    Ok(wires)
}

/// Sends as `send` does; drops the frames of the step that ends (values for it, its cancellation).
fn send_last(wires: &Wires, frame: Frame) -> Result<()> {
    wires.link(0)?.push(frame)?;
    // The other side sends no new request before it has all of this: frames until then are of this step.
    while !wires.flush()? {
        match wires.take()? {
            Some(late) if matches!(late.kind, kind::VALUES | kind::CANCEL) => {}
            Some(late) => bail!(InvalidArgument, "A frame of kind {} was received within a step", late.kind),
            None => wires.sleep(None, None)?,
        }
    }
    Ok(())
}
