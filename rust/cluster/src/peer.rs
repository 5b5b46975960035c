//! `Peer`: a task in another process, as one session reaches it.

use crate::address::Address;
use crate::description::{Cluster, TaskName};
use crate::frame::Frame;
use crate::line::Link;
use crate::message::{Description, Empty, Hello, Outcome, Proof, Ready, VERSION, Welcome, kind};
use crate::patience::Patience;
use crate::protection::Protection;
use crate::reach::{connect, resolve};
use crate::security::{ClientSecurity, Security};
use crate::token::{Meeting, Token, check_nonce, nonce};
use crate::wires::{Wires, ended_with};
use ferroflow_runtime::Poll;
use ferroflow_sync::Mutex;
use ferroflow_tensor::{Code, Result, Status, bail};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Time between two checks of the caller's signals and deadlines.
const POLL_INTERVAL: Duration = Duration::from_millis(50);
/// Longest time for one attempt to connect to a task.
const ATTEMPT: Duration = Duration::from_secs(3);
/// Time until a session first reports that it waits, and between two reports; TF 1.x repeats it as often.
const FIRST_NOTICE: Duration = Duration::from_secs(4);
const NOTICE: Duration = Duration::from_secs(10);
/// Longest time for a task that has answered before to answer again.
const RETURN: Duration = Duration::from_millis(200);
/// Longest time for a connected task to send a heartbeat.
pub const SIGN_OF_LIFE: Duration = Duration::from_secs(1);

/// Marks a `DeadlineExceeded` whose cause is a task that does not answer: a retry may succeed when the task is back.
#[derive(Debug)]
pub struct Unreachable;

/// Polls the caller; without an answer, the wait continues.
fn check_caller(poll: Option<&Poll<'_>>) -> Result<()> {
    poll.map_or(Ok(()), |poll| poll())
}

/// Returns the failure of a wait that ended because the task did not answer: `why` is added to a passed deadline.
pub fn while_unreachable(e: Status, why: &str) -> Status {
    if e.code() != Code::DeadlineExceeded {
        return e;
    }
    let failure = Status::deadline_exceeded(format!("{}: {why}", e.message())).because(Unreachable);
    match e.node() {
        Some(node) => failure.at_node(node),
        None => failure,
    }
}

/// The task's state as of the last connection.
#[derive(Clone, Copy)]
struct Met {
    /// The task's start.
    incarnation: u64,
    /// The session's stay there.
    residence: u64,
}

/// A task in another process.
pub struct Peer {
    /// The task's name in messages.
    pub name: String,
    pub address: Address,
    /// The session on whose behalf.
    session: u64,
    /// True if the session has state of its own there, which ends with its last connection.
    isolate: bool,
    /// Connections that serve nothing now. While there is any, the task keeps what the session has.
    idle: Mutex<Vec<Link>>,
    /// Connections of steps that were given up and have not ended there.
    abandoned: Mutex<Vec<Link>>,
    met: Mutex<Option<Met>>,
    /// Handles of parts that the session needs no more, before the task has dropped them.
    forgotten: Mutex<Vec<u64>>,
    is_left: AtomicBool,
}

impl Peer {
    pub fn new(name: String, address: Address, session: u64, isolate: bool) -> Peer {
        Peer {
            name,
            address,
            session,
            isolate,
            idle: Mutex::default(),
            abandoned: Mutex::default(),
            met: Mutex::default(),
            forgotten: Mutex::default(),
            is_left: AtomicBool::new(false),
        }
    }

    /// Returns a connection that serves nothing else, an open one or a new one.
    ///
    /// Errors: those of `connect`.
    pub fn take(&self, poll: Option<&Poll<'_>>) -> Result<Link> {
        self.reclaim();
        loop {
            let Some(link) = self.idle.lock().pop() else { return self.connect(poll) };
            // An idle connection that has ended is dropped.
            if !link.is_inherited() && matches!(link.read(), Ok(None)) {
                return Ok(link);
            }
        }
    }

    /// Takes a connection back for other steps. If its own step was given up and has not ended, the connection is
    /// checked again later.
    pub fn give_back(&self, link: Link, step_is_open: bool) {
        if link.has_failed() {
            return;
        }
        let is_free = !step_is_open && link.is_quiet();
        let mut kept = if is_free { self.idle.lock() } else { self.abandoned.lock() };
        if !is_free {
            link.abandon(step_is_open);
        }
        // Checked with the lock held, which `leave` takes after it has set the flag.
        if !self.is_left.load(Ordering::Acquire) {
            kept.push(link);
        }
    }

    /// Connections whose steps were given up serve others once these have ended.
    fn reclaim(&self) {
        let mut abandoned = self.abandoned.lock();
        if abandoned.is_empty() {
            return;
        }
        let mut kept = Vec::new();
        let mut free = Vec::new();
        for link in abandoned.drain(..).filter(|link| !link.is_inherited() && !link.has_failed()) {
            if link.is_quiet() { free.push(link) } else { kept.push(link) }
        }
        *abandoned = kept;
        self.idle.lock().extend(free);
    }

    /// Opens a connection with the task. The first one is waited for; later ones must be answered at once.
    ///
    /// Errors: `Aborted` if the task was restarted since the last connection, `Unavailable` if it is gone.
    /// `Unauthenticated` and `FailedPrecondition` if tokens are missing or differ. Also the errors of `poll`.
    fn connect(&self, poll: Option<&Poll<'_>>) -> Result<Link> {
        let token = Token::for_address(&self.address)?;
        let security = Security::of_environment(&token)?.client(&self.address)?;
        let patience = Patience::of_environment()?;
        let began = Instant::now();
        let mut notice = FIRST_NOTICE;
        let mut pause = Duration::from_millis(5);
        let mut failure = Status::unavailable("it has not answered yet");
        let was_there = self.met.lock().is_some();
        check_caller(poll)?;
        loop {
            let unreachable = |e: Status, failure: &Status| {
                while_unreachable(e, &format!("{} cannot be reached ({})", self.name, failure.message()))
            };
            match self.attempt(&token, &security, patience, poll) {
                Ok((link, incarnation)) => {
                    self.note(Met { incarnation, residence: link.residence })?;
                    return Ok(link);
                }
                Err(e) if e.code() == Code::Unavailable => failure = e,
                Err(e) => return Err(unreachable(e, &failure)),
            }
            if was_there && began.elapsed() >= RETURN {
                return Err(failure);
            }
            if began.elapsed() >= notice {
                notice = began.elapsed() + NOTICE;
                // The reason names the task itself where it could not be reached.
                let why = failure.message();
                let reason =
                    if why.starts_with(&self.name) { why.to_owned() } else { format!("{} ({why})", self.name) };
                eprintln!("CreateSession still waiting for response from worker: {reason}");
            }
            let wake = Instant::now() + pause;
            while let Some(left) = wake.checked_duration_since(Instant::now()).filter(|l| !l.is_zero()) {
                check_caller(poll).map_err(|e| unreachable(e, &failure))?;
                std::thread::sleep(left.min(POLL_INTERVAL));
            }
            pause = (pause * 2).min(Duration::from_secs(1));
        }
    }

    /// Errors: `Aborted` where what the session had at the task is gone.
    fn note(&self, met: Met) -> Result<()> {
        let before = self.met.lock().replace(met);
        let gone = match before {
            Some(before) if before.incarnation != met.incarnation => "was restarted",
            Some(before) if self.isolate && before.residence != met.residence => "was not connected for a while",
            _ => return Ok(()),
        };
        self.idle.lock().clear();
        bail!(
            Aborted,
            "{} {gone}: what the session had there is gone, its variables must be initialized or restored anew",
            self.name
        )
    }

    /// Makes the task drop a part with the next message to it.
    pub fn forget(&self, handle: u64) {
        self.forgotten.lock().push(handle);
    }

    /// Takes the parts to drop, once.
    pub fn take_forgotten(&self) -> Vec<u64> {
        std::mem::take(&mut *self.forgotten.lock())
    }

    fn attempt(
        &self,
        token: &Token,
        security: &ClientSecurity,
        patience: Patience,
        poll: Option<&Poll<'_>>,
    ) -> Result<(Link, u64)> {
        let deadline = Instant::now() + ATTEMPT;
        let check = || check_caller(poll);
        let unreachable = |e: std::io::Error, at: &str| {
            Status::unavailable(format!("{} at {}{at} does not answer: {e}", self.name, self.address))
        };
        let found = resolve(&self.address, deadline, &check)?.map_err(|e| unreachable(e, ""))?;
        let mut last = None;
        for &address in &found {
            match connect(address, deadline, &check)? {
                Ok(socket) => {
                    let met = Link::new(socket, patience, Protection::of_client(security.connect()?))
                        .and_then(|link| self.introduce(link, token, patience, deadline, poll));
                    return met.map_err(|e| ended_with(&format!("{} at {}", self.name, self.address), e));
                }
                Err(e) => last = Some((e, address)),
            }
        }
        let (e, at) = last.map_or_else(
            || (std::io::ErrorKind::NotFound.into(), String::new()),
            |(e, address)| (e, self.place(address)),
        );
        Err(unreachable(e, &at))
    }

    /// Returns the resolved address of a host name, for messages; empty for an IP address.
    fn place(&self, found: SocketAddr) -> String {
        if self.address.bare_host().parse() == Ok(found.ip()) {
            return String::new();
        }
        let own = found.ip().to_canonical().is_loopback() && !self.address.is_loopback();
        let hint = if own { ", which is this machine itself: see its /etc/hosts" } else { "" };
        format!(" ({}{hint})", found.ip())
    }

    /// Runs the handshake.
    fn introduce(
        &self,
        link: Link,
        token: &Token,
        patience: Patience,
        deadline: Instant,
        poll: Option<&Poll<'_>>,
    ) -> Result<(Link, u64)> {
        let wires = Wires::new(vec![link]);
        let own = nonce()?;
        let hello = Hello { version: VERSION, session: self.session, nonce: own.clone(), patience_ms: patience.ms() };
        let deadline = Some(deadline);
        let frame = call(&wires, Frame::new(kind::HELLO, &hello), deadline, poll)?;
        if frame.kind == kind::OUTCOME {
            frame.decode::<Outcome>()?.into_result()?;
        }
        if frame.kind != kind::WELCOME {
            bail!(FailedPrecondition, "What answers at {} is no task of a ferroflow cluster", self.address);
        }
        let welcome: Welcome = frame.decode()?;
        if welcome.version != VERSION {
            bail!(
                FailedPrecondition,
                "{} at {} uses version {} of the protocol, this process version {VERSION}: all tasks need one release of \
                 ferroflow",
                self.name,
                self.address,
                welcome.version
            );
        }
        check_nonce(&welcome.nonce)?;
        if welcome.asks_proof && !token.is_set() {
            bail!(
                FailedPrecondition,
                "{} at {} requires a token: set {} to the secret of its cluster",
                self.name,
                self.address,
                crate::token::VARIABLE
            );
        }
        let binding = wires.link(0)?.binding();
        let met = Meeting { client: &own, server: &welcome.nonce, binding: &binding };
        token.check(b"server", &met, &welcome.proof)?;
        if welcome.asks_proof {
            let proof = Proof { proof: token.proof(b"client", &met) };
            wires.link(0)?.push(Frame::new(kind::PROOF, &proof))?;
        }
        let frame = receive(&wires, deadline, poll)?;
        if frame.kind == kind::OUTCOME {
            frame.decode::<Outcome>()?.into_result()?;
        }
        if frame.kind != kind::READY {
            bail!(FailedPrecondition, "What answers at {} is no task of a ferroflow cluster", self.address);
        }
        let ready: Ready = frame.decode()?;
        let Some(mut link) = wires.into_links().pop() else { bail!(Internal, "there is no connection") };
        link.trust(Patience::of_ms(welcome.patience_ms), ready.residence)?;
        Ok((link, welcome.incarnation))
    }

    /// Sends a question on a connection that serves nothing else; returns the answer.
    ///
    /// Errors: `Unavailable` where the task is no more there; what `poll` says.
    pub fn query_on(&self, link: Link, question: Frame, poll: Option<&Poll<'_>>) -> Result<(Frame, Link)> {
        let wires = Wires::new(vec![link]);
        let answer = call(&wires, question, None, poll);
        let is_silent = matches!(&answer, Err(e) if e.code() == Code::DeadlineExceeded) && is_silent(&wires);
        let Some(link) = wires.into_links().pop() else { bail!(Internal, "there is no connection") };
        match answer {
            Ok(answer) => Ok((answer, link)),
            Err(e) => {
                // The answer may come later.
                self.give_back(link, true);
                let e = if is_silent { while_unreachable(e, &format!("{} does not answer", self.name)) } else { e };
                Err(ended_with(&self.name, e))
            }
        }
    }

    /// Sends a question as `query_on` does, if the answer is a status.
    pub fn order_on(&self, link: Link, question: Frame, poll: Option<&Poll<'_>>) -> Result<Link> {
        let (answer, link) = self.query_on(link, question, poll)?;
        let outcome: Result<Outcome> = match answer.kind {
            kind::OUTCOME => answer.decode(),
            other => Err(Status::internal(format!("{} answers with a frame of kind {other}", self.name))),
        };
        match outcome.and_then(|outcome| outcome.into_result()) {
            Ok(()) => Ok(link),
            Err(e) => {
                self.give_back(link, false);
                Err(e)
            }
        }
    }

    /// Sends a question as `order_on` does, on any connection.
    pub fn order(&self, question: Frame, poll: Option<&Poll<'_>>) -> Result<()> {
        let link = self.order_on(self.take(poll)?, question, poll)?;
        self.give_back(link, false);
        Ok(())
    }

    /// Returns the task's own description of itself and its cluster.
    pub fn describe(&self, poll: Option<&Poll<'_>>) -> Result<(TaskName, usize, Cluster)> {
        let (answer, link) = self.query_on(self.take(poll)?, Frame::new(kind::DESCRIBE, &Empty {}), poll)?;
        self.give_back(link, false);
        let description: Description = answer.decode()?;
        let mut tasks = Vec::new();
        for t in description.tasks {
            tasks.push((TaskName { job: t.job, index: t.index }, Address::parse(&t.address)?));
        }
        let cpus = usize::try_from(description.cpus).unwrap_or(1).clamp(1, 1 << 16);
        Ok((TaskName { job: description.job, index: description.index }, cpus, Cluster { tasks }))
    }

    /// Gives up what the session has there.
    pub fn leave(&self) {
        self.is_left.store(true, Ordering::Release);
        self.idle.lock().clear();
        self.abandoned.lock().clear();
    }
}

fn call(wires: &Wires, question: Frame, deadline: Option<Instant>, poll: Option<&Poll<'_>>) -> Result<Frame> {
    wires.link(0)?.push(question)?;
    receive(wires, deadline, poll)
}

fn receive(wires: &Wires, deadline: Option<Instant>, poll: Option<&Poll<'_>>) -> Result<Frame> {
    loop {
        if let Some(frame) = wires.pull()? {
            return Ok(frame);
        }
        check_caller(poll)?;
        if deadline.is_some_and(|d| Instant::now() > d) {
            bail!(Unavailable, "No answer came. Socket closed");
        }
        wires.sleep(None, Some(POLL_INTERVAL))?;
    }
}

/// Returns true if the other side answers no heartbeat.
fn is_silent(wires: &Wires) -> bool {
    let deadline = Instant::now() + SIGN_OF_LIFE;
    let Ok(link) = wires.link(0) else { return true };
    let before = link.received();
    if link.ping().is_err() {
        return true;
    }
    while Instant::now() < deadline {
        if wires.pull().is_err() {
            return true;
        }
        if link.received() != before {
            return false;
        }
        if wires.sleep(None, Some(POLL_INTERVAL)).is_err() {
            return true;
        }
    }
    true
}
