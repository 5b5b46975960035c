//! Answers other processes: one thread for each connection, which runs the steps it asks for.

use crate::codec::Decoder;
use crate::crossing::{Crossing, Route};
use crate::frame::Frame;
use crate::message::{
    Description, Done, Empty, EventMessage, FETCHES, Hello, Outcome, Proof, Register, Reset, StepMessage, TaskAddress,
    VERSION, Welcome, kind,
};
use crate::task::Task;
use crate::token::{Token, check_nonce, nonce};
use crate::wires::{Link, Wires, gone};
use ferroflow_graph::{Graph, Registry, Rendezvous};
use ferroflow_runtime::{Devices, Prepared, RunOptions, Session, SessionOptions};
use ferroflow_sync::{Mutex, RwLock};
use ferroflow_tensor::{Code, Result, Status, bail};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long a stranger may take to say who it is.
const INTRODUCTION: Duration = Duration::from_secs(20);
const MAX_CONNECTIONS: usize = 16384;

/// What a session in another process has at this task.
struct Guest {
    session: Session,
    parts: RwLock<FxHashMap<u64, Registered>>,
    /// Names of the functions it brought.
    functions: Mutex<Vec<String>>,
}

/// A part, and the generation of the task's state that its plan holds.
struct Registered {
    prepared: Arc<Prepared>,
    generation: u64,
}

/// The sessions of other processes by their numbers.
#[derive(Default)]
pub struct Guests(Mutex<FxHashMap<u64, Entry>>);

/// A session's number of connections, and what it has here once it registered something.
#[derive(Default)]
struct Entry {
    connections: usize,
    guest: Option<Arc<Guest>>,
}

impl Guests {
    fn enter(&self, session: u64) -> Result<()> {
        let mut all = self.0.lock();
        if all.values().map(|e| e.connections).sum::<usize>() >= MAX_CONNECTIONS {
            bail!(ResourceExhausted, "The task has {MAX_CONNECTIONS} connections");
        }
        all.entry(session).or_default().connections += 1;
        Ok(())
    }

    fn leave(&self, session: u64) {
        let mut all = self.0.lock();
        if let Some(entry) = all.get_mut(&session) {
            entry.connections -= 1;
            if entry.connections == 0 {
                all.remove(&session);
            }
        }
    }

    fn get(&self, session: u64) -> Option<Arc<Guest>> {
        self.0.lock().get(&session)?.guest.clone()
    }

    fn get_or_make(&self, session: u64, make: impl FnOnce() -> Guest) -> Arc<Guest> {
        let mut all = self.0.lock();
        all.entry(session).or_default().guest.get_or_insert_with(|| Arc::new(make())).clone()
    }

    /// Number of parts that sessions have registered.
    pub fn parts(&self) -> usize {
        self.0.lock().values().filter_map(|e| e.guest.as_ref()).map(|guest| guest.parts.read().len()).sum()
    }

    /// Forgets all parts: their plans hold state that was cleared.
    pub fn forget_parts(&self) {
        for entry in self.0.lock().values() {
            if let Some(guest) = &entry.guest {
                guest.parts.write().clear();
            }
        }
    }
}

/// Accepts connections from now on, on a thread of its own.
pub fn listen(task: Arc<Task>, listener: TcpListener, token: Token, registry: Arc<Registry>) -> Result<()> {
    let accept = move || {
        for socket in listener.incoming() {
            let Ok(socket) = socket else {
                // Out of file descriptors, say: what holds them may end.
                std::thread::sleep(Duration::from_millis(20));
                continue;
            };
            let (task, token, registry) = (task.clone(), token.clone(), registry.clone());
            let serve = move || {
                // Whoever is at the other end sees the connection end.
                let _ = serve(&task, socket, &token, &registry);
            };
            let _ = std::thread::Builder::new().name("ferroflow-serve".into()).spawn(serve);
        }
    };
    match std::thread::Builder::new().name("ferroflow-accept".into()).spawn(accept) {
        Ok(_) => Ok(()),
        Err(e) => bail!(Unknown, "Could not start server: {e}"),
    }
}

/// The next frame.
fn next(wires: &mut Wires, deadline: Option<Instant>) -> Result<Frame> {
    loop {
        if let Some(frame) = wires.pull()? {
            return Ok(frame);
        }
        let left = deadline.map(|d| d.saturating_duration_since(Instant::now()));
        if left.is_some_and(|l| l.is_zero()) {
            bail!(DeadlineExceeded, "The other side of a connection says nothing");
        }
        wires.sleep(left)?;
    }
}

/// Sends a frame to its end.
fn send(wires: &mut Wires, frame: Frame) -> Result<()> {
    wires.link(0)?.push(frame)?;
    while !wires.flush()? {
        wires.sleep(None)?;
    }
    Ok(())
}

/// A connection from its beginning to its end.
fn serve(task: &Arc<Task>, socket: TcpStream, token: &Token, registry: &Arc<Registry>) -> Result<()> {
    let mut wires = Wires::new(vec![Link::new(socket)?])?;
    let session = introduce(task, &mut wires, token)?;
    task.guests.enter(session)?;
    let result = answer(task, wires, session, registry);
    task.guests.leave(session);
    result
}

/// The handshake; the session on whose behalf the other side connects.
fn introduce(task: &Task, wires: &mut Wires, token: &Token) -> Result<u64> {
    let deadline = Some(Instant::now() + INTRODUCTION);
    let frame = next(wires, deadline)?;
    if frame.kind != kind::HELLO {
        bail!(InvalidArgument, "A connection begins with a frame of kind {}", frame.kind);
    }
    let hello: Hello = frame.decode()?;
    check_nonce(&hello.nonce)?;
    let own = nonce()?;
    let welcome = Welcome {
        version: VERSION,
        incarnation: task.incarnation,
        nonce: own.clone(),
        asks_proof: token.is_set(),
        proof: token.proof(b"server", &hello.nonce, &own),
    };
    send(wires, Frame::new(kind::WELCOME, &welcome))?;
    if hello.version != VERSION {
        bail!(FailedPrecondition, "The other side speaks version {} of the protocol", hello.version);
    }
    if token.is_set() {
        let frame = next(wires, deadline)?;
        let proof: Proof = frame.decode()?;
        let checked = token.check(b"client", &hello.nonce, &own, &proof.proof);
        if frame.kind != kind::PROOF || checked.is_err() {
            send(wires, Frame::new(kind::OUTCOME, &Outcome::of(checked.clone())))?;
            return checked.map(|()| 0);
        }
    }
    wires.link(0)?.trust();
    send(wires, Frame::new(kind::READY, &Empty {}))?;
    Ok(hello.session)
}

fn answer(task: &Arc<Task>, mut wires: Wires, session: u64, registry: &Arc<Registry>) -> Result<()> {
    loop {
        let frame = next(&mut wires, None)?;
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
        send(&mut wires, reply)?;
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
        let options = SessionOptions { devices, optimize: message.optimize, ..SessionOptions::default() };
        let session = Session::new(graph, options, resources);
        Guest { session, parts: RwLock::default(), functions: Mutex::default() }
    };
    let guest = task.guests.get_or_make(session, make);
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

/// Runs a part of a step and tells how it ended.
fn step(task: &Task, wires: Wires, session: u64, frame: Frame) -> Result<Wires> {
    let message: StepMessage = frame.decode()?;
    let crossing = Arc::new(Crossing::new(Route::Back, wires, vec!["the session".to_owned()]));
    crossing.bring(frame.tensors);
    let guest = task.guests.get(session);
    let generation = task.generation();
    let prepared = guest.as_ref().and_then(|g| {
        let parts = g.parts.read();
        parts.get(&message.handle).filter(|p| p.generation == generation).map(|p| p.prepared.clone())
    });
    let result = match (&guest, prepared) {
        (Some(guest), Some(prepared)) => {
            let rendezvous: Arc<dyn Rendezvous> = crossing.clone();
            // While it computes, too, the session may give up or be no more there.
            let poll = || crossing.exchange().map(|_| ());
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
    let mut tensors = crossing.take_leaving();
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
    let (Some(mut wires), _) = crossing.give_back() else { return Err(gone()) };
    let mut reply = Frame::new(kind::DONE, &done);
    reply.tensors = tensors;
    send_last(&mut wires, reply)?;
    Ok(wires)
}

/// What a session is told that asks for a part that is not known: the task was restarted or reset.
pub const UNKNOWN_PART: &str = "Graph handle is not found. Possibly, this worker just restarted.";

/// `send`, with what belongs to the step that ends (values for it, its cancellation) let go.
fn send_last(wires: &mut Wires, frame: Frame) -> Result<()> {
    wires.link(0)?.push(frame)?;
    // The other side asks for no more before it has all of this: what comes until then is of this step.
    while !wires.flush()? {
        match wires.take()? {
            Some(late) if matches!(late.kind, kind::VALUES | kind::CANCEL) => {}
            Some(late) => bail!(InvalidArgument, "A frame of kind {} was received within a step", late.kind),
            None => wires.sleep(None)?,
        }
    }
    Ok(())
}
