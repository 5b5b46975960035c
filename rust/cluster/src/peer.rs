//! `Peer`: a task in another process, as one session reaches it.

use crate::address::Address;
use crate::description::{Cluster, TaskName};
use crate::frame::Frame;
use crate::message::{Description, Empty, Hello, Outcome, Proof, VERSION, Welcome, kind};
use crate::token::{Token, check_nonce, nonce};
use crate::wires::{Link, Wires, ended_with};
use ferroflow_runtime::Poll;
use ferroflow_sync::Mutex;
use ferroflow_tensor::{Code, Result, Status, bail};
use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How often the caller is asked about signals and deadlines.
const LOOK: Duration = Duration::from_millis(50);
/// How long one attempt to reach a task may take.
const ATTEMPT: Duration = Duration::from_secs(3);
/// TF 1.x: how often a session says that it waits.
const NOTICE: Duration = Duration::from_secs(10);
/// How long a task that was there before may take to answer again.
const RETURN: Duration = Duration::from_millis(200);

/// Asks the caller; no answer: go on.
fn look(poll: Option<&Poll<'_>>) -> Result<()> {
    poll.map_or(Ok(()), |poll| poll())
}

/// A task in another process.
pub struct Peer {
    /// How it is called in messages.
    pub name: String,
    pub address: Address,
    /// The session on whose behalf.
    session: u64,
    /// The connection for all but steps. While it is there, the task keeps what the session has.
    control: Mutex<Option<Wires>>,
    /// The task's start, as of the last connection.
    incarnation: Mutex<Option<u64>>,
    /// Handles of parts that the session has no more use for, and the task does not know so yet.
    forgotten: Mutex<Vec<u64>>,
    is_left: AtomicBool,
}

impl Peer {
    pub fn new(name: String, address: Address, session: u64) -> Peer {
        Peer {
            name,
            address,
            session,
            control: Mutex::default(),
            incarnation: Mutex::default(),
            forgotten: Mutex::default(),
            is_left: AtomicBool::new(false),
        }
    }

    /// A connection with the task. The first time it is waited for; a task that was there before must answer at once.
    ///
    /// Errors: `Aborted` where the task was restarted since the last connection; `Unavailable` where it is no more there;
    /// `Unauthenticated` and `FailedPrecondition` where tokens are missing or differ; what `poll` says.
    pub fn connect(&self, poll: Option<&Poll<'_>>) -> Result<Link> {
        let token = Token::for_address(&self.address)?;
        let began = Instant::now();
        let mut noticed = began;
        let mut pause = Duration::from_millis(5);
        let known = *self.incarnation.lock();
        loop {
            look(poll)?;
            let failure = match self.attempt(&token, poll) {
                Ok((link, incarnation)) => {
                    self.note(incarnation)?;
                    return Ok(link);
                }
                Err(e) if e.code() == Code::Unavailable => e,
                Err(e) => return Err(e),
            };
            if known.is_some() && began.elapsed() >= RETURN {
                return Err(failure);
            }
            if noticed.elapsed() >= NOTICE {
                noticed = Instant::now();
                eprintln!("CreateSession still waiting for response from worker: {}", self.name);
            }
            let wake = Instant::now() + pause;
            while let Some(left) = wake.checked_duration_since(Instant::now()).filter(|l| !l.is_zero()) {
                look(poll)?;
                std::thread::sleep(left.min(LOOK));
            }
            pause = (pause * 2).min(Duration::from_secs(1));
        }
    }

    /// Errors: `Aborted` where the task is another start than before.
    fn note(&self, incarnation: u64) -> Result<()> {
        match self.incarnation.lock().replace(incarnation) {
            Some(before) if before != incarnation => {
                *self.control.lock() = None;
                bail!(
                    Aborted,
                    "{} was restarted: what the session had there is gone, its variables must be initialized or restored \
                     anew",
                    self.name
                )
            }
            _ => Ok(()),
        }
    }

    /// The start of the task that the session reached last.
    pub fn incarnation(&self) -> Option<u64> {
        *self.incarnation.lock()
    }

    /// Has the task forget a part when it is told of the next one.
    pub fn forget(&self, handle: u64) {
        self.forgotten.lock().push(handle);
    }

    /// The parts to forget, once.
    pub fn take_forgotten(&self) -> Vec<u64> {
        std::mem::take(&mut *self.forgotten.lock())
    }

    fn attempt(&self, token: &Token, poll: Option<&Poll<'_>>) -> Result<(Link, u64)> {
        let unreachable =
            |e: std::io::Error| Status::unavailable(format!("{} at {} does not answer: {e}", self.name, self.address));
        let mut found: Vec<SocketAddr> = (self.address.host.trim_matches(['[', ']']), self.address.port)
            .to_socket_addrs()
            .map_err(unreachable)?
            .collect();
        found.sort_by_key(|a| a.is_ipv6());
        let mut last = None;
        for address in found {
            match TcpStream::connect_timeout(&address, ATTEMPT) {
                Ok(socket) => {
                    let met = Link::new(socket).and_then(|link| self.introduce(link, token, poll));
                    return met.map_err(|e| ended_with(&self.name, e));
                }
                Err(e) => last = Some(e),
            }
        }
        Err(unreachable(last.unwrap_or_else(|| std::io::ErrorKind::NotFound.into())))
    }

    /// The handshake.
    fn introduce(&self, link: Link, token: &Token, poll: Option<&Poll<'_>>) -> Result<(Link, u64)> {
        let mut wires = Wires::new(vec![link])?;
        let own = nonce()?;
        let hello = Hello { version: VERSION, session: self.session, nonce: own.clone() };
        let deadline = Some(Instant::now() + ATTEMPT);
        let frame = call(&mut wires, Frame::new(kind::HELLO, &hello), deadline, poll)?;
        if frame.kind != kind::WELCOME {
            bail!(FailedPrecondition, "What answers at {} is no task of a ferroflow cluster", self.address);
        }
        let welcome: Welcome = frame.decode()?;
        if welcome.version != VERSION {
            bail!(
                FailedPrecondition,
                "{} at {} speaks version {} of the protocol, this process version {VERSION}: all tasks need one release of \
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
                "{} at {} asks for a token: set {} to the secret of its cluster",
                self.name,
                self.address,
                crate::token::VARIABLE
            );
        }
        token.check(b"server", &own, &welcome.nonce, &welcome.proof)?;
        if welcome.asks_proof {
            let proof = Proof { proof: token.proof(b"client", &own, &welcome.nonce) };
            wires.link(0)?.push(Frame::new(kind::PROOF, &proof))?;
        }
        let frame = receive(&mut wires, deadline, poll)?;
        if frame.kind == kind::OUTCOME {
            frame.decode::<Outcome>()?.into_result()?;
        }
        if frame.kind != kind::READY {
            bail!(FailedPrecondition, "What answers at {} is no task of a ferroflow cluster", self.address);
        }
        let mut link = wires.into_first()?;
        link.trust();
        Ok((link, welcome.incarnation))
    }

    /// One question on the connection that is not for steps.
    pub fn ask(&self, question: Frame, poll: Option<&Poll<'_>>) -> Result<Frame> {
        // Not with the lock held: closing a session waits for no answer.
        let held = self.control.lock().take();
        let mut wires = match held {
            Some(wires) => wires,
            None => Wires::new(vec![self.connect(poll)?])?,
        };
        let answer = call(&mut wires, question, None, poll).map_err(|e| ended_with(&self.name, e))?;
        // Only where all went well: an answer that comes later would be taken for that of another question.
        let mut control = self.control.lock();
        // Asked with the lock held, which `leave` takes after it has said so.
        if !self.is_left.load(Ordering::Acquire) {
            *control = Some(wires);
        }
        drop(control);
        Ok(answer)
    }

    /// `ask` for what is answered by how it went.
    pub fn order(&self, question: Frame, poll: Option<&Poll<'_>>) -> Result<()> {
        let answer = self.ask(question, poll)?;
        if answer.kind != kind::OUTCOME {
            bail!(Internal, "{} answers with a frame of kind {}", self.name, answer.kind);
        }
        answer.decode::<Outcome>()?.into_result()
    }

    /// The task's own description of itself and its cluster.
    pub fn describe(&self, poll: Option<&Poll<'_>>) -> Result<(TaskName, usize, Cluster)> {
        let answer = self.ask(Frame::new(kind::DESCRIBE, &Empty {}), poll)?;
        let description: Description = answer.decode()?;
        let mut tasks = Vec::new();
        for t in description.tasks {
            tasks.push((TaskName { job: t.job, index: t.index }, Address::parse(&t.address)?));
        }
        let cpus = usize::try_from(description.cpus).unwrap_or(1).clamp(1, 1 << 16);
        Ok((TaskName { job: description.job, index: description.index }, cpus, Cluster { tasks }))
    }

    /// Whether the connection that is not for steps still stands; without one, the task has forgotten the session.
    pub fn is_connected(&self) -> bool {
        let mut control = self.control.lock();
        if let Some(wires) = control.as_mut()
            && wires.pull().is_err()
        {
            *control = None;
        }
        control.is_some()
    }

    /// Gives up what the session has there.
    pub fn leave(&self) {
        self.is_left.store(true, Ordering::Release);
        *self.control.lock() = None;
    }
}

fn call(wires: &mut Wires, question: Frame, deadline: Option<Instant>, poll: Option<&Poll<'_>>) -> Result<Frame> {
    wires.link(0)?.push(question)?;
    receive(wires, deadline, poll)
}

fn receive(wires: &mut Wires, deadline: Option<Instant>, poll: Option<&Poll<'_>>) -> Result<Frame> {
    loop {
        if let Some(frame) = wires.pull()? {
            return Ok(frame);
        }
        look(poll)?;
        if deadline.is_some_and(|d| Instant::now() > d) {
            bail!(Unavailable, "The other side of a connection says nothing");
        }
        wires.sleep(Some(LOOK))?;
    }
}
