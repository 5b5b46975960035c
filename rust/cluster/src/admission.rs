//! Accepts connections on one thread, and authenticates the processes at their other ends.
//!
//! A stranger is a connection that has not yet proved that it belongs to the cluster. It has a descriptor and 16 KiB
//! here, for two seconds at most, and no thread. Strangers have a limit of their own, so that silent ones take no room
//! from members. If there are too many, the oldest is closed for the next one: a member needs two round trips to be
//! authenticated.

use crate::description::TaskName;
use crate::descriptors;
use crate::frame::Frame;
use crate::line::Link;
use crate::message::{Hello, Outcome, Proof, Ready, VERSION, Welcome, kind};
use crate::patience::Patience;
use crate::protection::Protection;
use crate::serve::serve;
use crate::sleep::{Awaited, sleep};
use crate::task::Task;
use crate::token::{Meeting, Token, check_nonce, nonce};
use ferroflow_graph::Registry;
use ferroflow_tensor::{Code, Result, Status, bail};
use std::collections::VecDeque;
use std::io::ErrorKind;
use std::net::TcpListener;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Time that a connection has to authenticate.
const INTRODUCTION: Duration = Duration::from_secs(2);
/// Least time that a connection gets to authenticate, however many others arrive.
const LEAST_STAY: Duration = Duration::from_millis(250);
/// Pause after the system refused to accept a connection.
const REFUSED: Duration = Duration::from_millis(100);
/// Least time between two reports of refused connections.
const REPORT: Duration = Duration::from_secs(10);

/// Connections that may be unauthenticated at once: an eighth of the descriptors that this process may open.
fn most_strangers() -> usize {
    descriptors::limit().map_or(512, |n| usize::try_from(n / 8).unwrap_or(512).clamp(16, 512))
}

/// Somebody who has connected and not proved yet that it belongs to the cluster.
struct Stranger {
    link: Link,
    since: Instant,
    /// The other side's greeting, and this side's nonce.
    hello: Option<(Hello, Vec<u8>)>,
    /// True if the reason of its refusal is on its way.
    is_refused: bool,
}

impl Stranger {
    /// Continues a connection's introduction as far as its frames allow; returns its first request once it is
    /// authenticated.
    ///
    /// Errors: it is none of the cluster.
    fn advance(&mut self, task: &Task, token: &Token, patience: Patience) -> Result<Option<Hello>> {
        loop {
            self.link.write()?;
            let frame = match self.link.read() {
                Ok(Some(frame)) => frame,
                Ok(None) => return Ok(None),
                Err(e) => {
                    if matches!(e.code(), Code::Unauthenticated | Code::FailedPrecondition) {
                        self.refuse(Err(e.clone()));
                    }
                    return Err(e);
                }
            };
            let (hello, own) = match self.hello.take() {
                None => {
                    if frame.kind != kind::HELLO {
                        bail!(InvalidArgument, "A connection begins with a frame of kind {}", frame.kind);
                    }
                    let hello: Hello = frame.decode()?;
                    let own = self.welcome(&hello, task, token, patience)?;
                    if token.is_set() {
                        self.hello = Some((hello, own));
                        continue;
                    }
                    return Ok(Some(hello));
                }
                Some(said) => said,
            };
            let proof: Proof = frame.decode()?;
            let binding = self.link.binding();
            let met = Meeting { client: &hello.nonce, server: &own, binding: &binding };
            let checked = token.check(b"client", &met, &proof.proof);
            if frame.kind != kind::PROOF || checked.is_err() {
                self.refuse(checked.clone());
                checked?;
                bail!(InvalidArgument, "A frame of kind {} was received in place of a proof", frame.kind);
            }
            return Ok(Some(hello));
        }
    }

    /// Answers a hello; the nonce of the answer.
    fn welcome(&self, hello: &Hello, task: &Task, token: &Token, patience: Patience) -> Result<Vec<u8>> {
        check_nonce(&hello.nonce)?;
        let (own, binding) = (nonce()?, self.link.binding());
        let met = Meeting { client: &hello.nonce, server: &own, binding: &binding };
        let welcome = Welcome {
            version: VERSION,
            incarnation: task.incarnation,
            nonce: own.clone(),
            asks_proof: token.is_set(),
            proof: token.proof(b"server", &met),
            patience_ms: patience.ms(),
        };
        self.link.push(Frame::new(kind::WELCOME, &welcome))?;
        self.link.write()?;
        if hello.version != VERSION {
            bail!(FailedPrecondition, "The other side uses version {} of the protocol", hello.version);
        }
        Ok(own)
    }

    fn awaited(&self) -> Awaited<'_> {
        if self.is_refused { self.link.awaited_to_read() } else { self.link.awaited() }
    }

    /// Says why the connection ends.
    fn refuse(&mut self, reason: Result<()>) {
        self.link.refuse(Frame::new(kind::OUTCOME, &Outcome::of(reason)));
        self.is_refused = true;
    }
}

/// The door of a task: its listener and who stands before it.
struct Door {
    task: Arc<Task>,
    listener: TcpListener,
    token: Token,
    patience: Patience,
    registry: Arc<Registry>,
    /// Oldest first.
    strangers: VecDeque<Stranger>,
    most: usize,
    /// Nothing is accepted before.
    refused_until: Option<Instant>,
    reported: Option<Instant>,
}

impl Door {
    fn run(mut self) {
        loop {
            let now = Instant::now();
            self.strangers.retain(|s| now.saturating_duration_since(s.since) < INTRODUCTION);
            self.refused_until = self.refused_until.filter(|&until| until > now);
            let opens = self.refused_until.or_else(|| self.has_room_at(now));
            let cuts = self.strangers.front().map(|s| s.since + INTRODUCTION);
            let wake = [opens, cuts].into_iter().flatten().min().map(|at| at.saturating_duration_since(now));
            let slept = {
                let listener = opens.is_none().then(|| Awaited::new(&self.listener, false));
                let awaited: Vec<_> = self.strangers.iter().map(Stranger::awaited).chain(listener).collect();
                sleep(&awaited, None, wake)
            };
            if slept.is_err() {
                std::thread::sleep(REFUSED);
            }
            self.accept();
            self.introduce();
        }
    }

    /// Returns the time at which the next stranger may be let in; `None`: now.
    fn has_room_at(&self, now: Instant) -> Option<Instant> {
        let first = self.strangers.front().filter(|_| self.strangers.len() >= self.most)?;
        Some(first.since + LEAST_STAY).filter(|&at| at > now)
    }

    fn accept(&mut self) {
        let now = Instant::now();
        while self.refused_until.is_none() && self.has_room_at(now).is_none() {
            let socket = match self.listener.accept() {
                Ok((socket, _)) => socket,
                Err(e) if e.kind() == ErrorKind::WouldBlock => return,
                // The other side left before it was let in.
                Err(e) if matches!(e.kind(), ErrorKind::ConnectionAborted | ErrorKind::Interrupted) => continue,
                Err(e) => {
                    self.report(&format!("a connection cannot be accepted, which is tried again: {e}"));
                    self.refused_until = Some(now + REFUSED);
                    // The descriptor that it holds may be the one that is missing.
                    self.strangers.pop_front();
                    return;
                }
            };
            if self.strangers.len() >= self.most {
                // Connections that have sent nothing are closed first.
                let is_old = |s: &Stranger| now.saturating_duration_since(s.since) >= LEAST_STAY;
                let refused = self.strangers.iter().position(|s| s.is_refused);
                let silent = || self.strangers.iter().position(|s| s.hello.is_none() && is_old(s));
                self.strangers.remove(refused.or_else(silent).unwrap_or(0));
            }
            let protection = Protection::Undecided(self.task.security.clone());
            if let Ok(link) = Link::new(socket, self.patience, protection) {
                self.strangers.push_back(Stranger { link, since: now, hello: None, is_refused: false });
            }
        }
    }

    /// Goes on with all introductions.
    fn introduce(&mut self) {
        let mut i = 0;
        while let Some(stranger) = self.strangers.get_mut(i) {
            if stranger.is_refused {
                if stranger.link.discard() {
                    self.strangers.remove(i);
                } else {
                    i += 1;
                }
                continue;
            }
            match stranger.advance(&self.task, &self.token, self.patience) {
                Ok(None) => i += 1,
                // It stays until the reason has arrived.
                Err(_) if stranger.is_refused => i += 1,
                // Whoever is at the other end sees the connection end.
                Err(_) => drop(self.strangers.remove(i)),
                Ok(Some(hello)) => {
                    if let Some(member) = self.strangers.remove(i)
                        && let Err((refused, e)) = self.admit(member, &hello)
                    {
                        self.strangers.extend(refused);
                        self.report(e.message());
                    }
                }
            }
        }
    }

    /// Serves a member from now on, on a thread of its own. An error comes with the member that was refused, if it is
    /// still there.
    fn admit(&self, mut member: Stranger, hello: &Hello) -> Result<(), (Option<Stranger>, Status)> {
        let stay = match self.task.guests.enter(hello.session) {
            Ok(stay) => stay,
            Err(e) => {
                member.refuse(Err(e.clone()));
                return Err((Some(member), e));
            }
        };
        let ready = Frame::new(kind::READY, &Ready { residence: stay.residence });
        member.link.push(ready).map_err(|e| (None, e))?;
        // The thread takes it; where none can be started it is still here.
        let waiting = Arc::new(ferroflow_sync::Mutex::new(Some((member, stay))));
        let (handed, task, registry) = (waiting.clone(), self.task.clone(), self.registry.clone());
        let other = Patience::of_ms(hello.patience_ms);
        let run = move || {
            let Some((Stranger { mut link, .. }, stay)) = handed.lock().take() else { return };
            // Whoever is at the other end sees the connection end.
            let _ = link.trust(other, stay.residence).and_then(|()| serve(&task, link, &stay, &registry));
        };
        if let Err(e) = std::thread::Builder::new().name("ferroflow-serve".into()).spawn(run) {
            let why = Status::unavailable(format!("the thread of a connection cannot be started, which ends it: {e}"));
            let mut member = waiting.lock().take().map(|(member, _)| member);
            if let Some(member) = &mut member {
                member.refuse(Err(why.clone()));
            }
            return Err((member, why));
        }
        Ok(())
    }

    /// Writes a line for whoever runs the task, now and then.
    fn report(&mut self, what: &str) {
        let now = Instant::now();
        if self.reported.is_some_and(|at| now.saturating_duration_since(at) < REPORT) {
            return;
        }
        self.reported = Some(now);
        let TaskName { job, index } = &self.task.name;
        let most = descriptors::limit().map_or(String::new(), |n| format!(" (ulimit -n: {n})"));
        eprintln!("ferroflow: /job:{job}/task:{index}: {what}{most}");
    }
}

/// Accepts connections from now on, on a thread of its own.
fn listen(task: Arc<Task>, listener: TcpListener, token: Token, registry: Arc<Registry>) -> Result<()> {
    let failed = |e: std::io::Error| Status::unknown(format!("Could not start server: {e}"));
    listener.set_nonblocking(true).map_err(failed)?;
    let (strangers, most, patience) = (VecDeque::new(), most_strangers(), Patience::of_environment()?);
    let door = Door { task, listener, token, patience, registry, strangers, most, refused_until: None, reported: None };
    let accepts = std::thread::Builder::new().name("ferroflow-accept".into()).spawn(move || door.run());
    accepts.map(|_| ()).map_err(failed)
}

impl Task {
    /// Answers other processes from now on.
    pub fn start(self: &Arc<Self>, registry: Arc<Registry>) -> Result<()> {
        match self.listener.lock().take() {
            Some(listener) => listen(self.clone(), listener, self.token.clone(), registry),
            None => Ok(()),
        }
    }
}
