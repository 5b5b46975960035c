//! `Line`: one connection, which its owner and the watch share.
//!
//! The owner (the thread of a step, or none while the connection is idle) sends and receives frames. The watch sends a
//! sign of life if nothing else was sent for a while, and receives while the owner computes. It ends the line if the
//! other side has been silent for too long. So a process that computes for minutes stays connected, and one whose
//! machine is gone does not.

use crate::frame::{Frame, Incoming, Limits, Outgoing, Received, is_gone};
use crate::message::{Empty, kind};
use crate::patience::Patience;
use crate::protection::Protection;
use crate::sleep::{Awaited, Doorbell, sleep};
use crate::watch::look_after;
use ferroflow_sync::{Mutex, OnceLock};
use ferroflow_tensor::{Result, Status, bail};
use smallvec::SmallVec;
use std::collections::VecDeque;
use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Milliseconds after which an owner who has not read counts as busy with something else, at most.
const ABSENT: u64 = 300;
/// Reads of `discard` in one call: others wait for its thread.
const DISCARDED: usize = 16;

/// Returns the milliseconds since the first call in this process.
pub fn now() -> u64 {
    static BEGAN: OnceLock<Instant> = OnceLock::new();
    BEGAN.get_or_init(Instant::now).elapsed().as_millis() as u64
}

/// Returns TF 1.x's failure of a task that died.
pub fn gone() -> Status {
    Status::unavailable("Socket closed")
}

/// Returns true for the last frame of a step, and for the answer to a request.
fn is_end(frame: &Frame) -> bool {
    matches!(frame.kind, kind::DONE | kind::OUTCOME | kind::DESCRIPTION)
}

struct Channel {
    protection: Protection,
    incoming: Incoming,
    outgoing: Outgoing,
    /// Frames that the watch received for the owner.
    inbox: VecDeque<Frame>,
    failure: Option<Status>,
    /// True while the owner sleeps until a frame arrives: no other thread may receive it.
    is_attended: bool,
    /// Time of the owner's last read.
    read: u64,
    /// True while frames of a cancelled step or request may still arrive.
    is_abandoned: bool,
}

/// A connection.
pub struct Line {
    socket: TcpStream,
    channel: Mutex<Channel>,
    /// Times of the last receipt and of the last send.
    received_at: AtomicU64,
    sent: AtomicU64,
    /// Time of the watch's last check.
    watched_at: AtomicU64,
    own: Patience,
    /// The process that made it: a forked one has a copy, which it may not use.
    process: u32,
    /// The other side's patience, once it is known.
    other: OnceLock<Patience>,
}

impl Channel {
    /// Returns true if nothing waits for the socket.
    fn is_sent(&self) -> bool {
        self.outgoing.is_empty() && !self.protection.has_unsent()
    }

    /// Writes what goes.
    fn write(&mut self, line: &Line) -> Result<()> {
        if self.is_sent() {
            return Ok(());
        }
        line.sent.store(now(), Ordering::Relaxed);
        let mut protected = self.protection.over(&line.socket);
        match self.outgoing.write(&mut protected).and_then(|_| protected.flush()) {
            Ok(()) => Ok(()),
            Err(e) if is_gone(&e) => Err(gone()),
            Err(e) => Err(Status::unavailable(format!("A connection failed: {e}"))),
        }
    }

    /// Receives one frame that is no sign of life, if one is whole.
    fn receive(&mut self, line: &Line) -> Result<Option<Frame>> {
        loop {
            let before = self.incoming.received();
            let received = self.incoming.read(&mut self.protection.over(&line.socket))?;
            if self.incoming.received() != before {
                line.received_at.store(now(), Ordering::Relaxed);
            }
            let frame = match received {
                Received::Frame(frame) => frame,
                Received::Nothing => return Ok(None),
                Received::End => return Err(gone()),
            };
            match (frame.kind, line.other.get().is_some()) {
                (kind::BEAT, true) => {}
                (kind::PING, true) => {
                    self.outgoing.push(Frame::new(kind::BEAT, &Empty {}))?;
                    self.write(line)?;
                }
                _ => return Ok(Some(frame)),
            }
        }
    }

    /// Receives for an owner who is not there.
    fn receive_ahead(&mut self, line: &Line) -> Result<()> {
        if !self.is_abandoned {
            // One at a time: an owner who is behind is not to hold all that is sent in memory.
            let frame = self.receive(line)?;
            self.inbox.extend(frame);
            return Ok(());
        }
        while let Some(frame) = self.receive(line)? {
            self.is_abandoned &= !is_end(&frame);
        }
        Ok(())
    }
}

impl Line {
    /// Returns the time between two checks of the watch.
    pub fn tick(&self) -> Duration {
        self.own.tick().min(self.other.get().map_or(Duration::MAX, |other| other.tick()))
    }

    /// Returns the socket, for a wait of a thread that only writes.
    pub fn awaited_to_write(&self) -> Awaited<'_> {
        Awaited::to_write(&self.socket)
    }

    /// Runs at each check of the watch.
    pub fn tend(&self, now: u64) {
        let gap = now.saturating_sub(self.watched_at.swap(now, Ordering::Relaxed));
        let tick = self.tick().as_millis() as u64;
        if gap > 4 * tick {
            // This process did not run, and the other one maybe neither: that was no silence.
            let received_at = self.received_at.load(Ordering::Relaxed);
            self.received_at.store(received_at.saturating_add(gap - tick).min(now), Ordering::Relaxed);
        }
        // A locked connection is in use at this moment: it needs no heartbeat.
        let Some(mut channel) = self.channel.try_lock() else { return };
        if channel.failure.is_some() {
            return;
        }
        if let Err(e) = self.tend_channel(&mut channel, now) {
            self.fail(&mut channel, e);
        }
    }

    fn tend_channel(&self, channel: &mut Channel, now: u64) -> Result<()> {
        let age = |time: &AtomicU64| now.saturating_sub(time.load(Ordering::Relaxed));
        let pace = self.other.get().and_then(|other| other.pace());
        if channel.is_sent() && pace.is_some_and(|pace| age(&self.sent) >= pace) {
            channel.outgoing.push(Frame::new(kind::BEAT, &Empty {}))?;
        }
        channel.write(self)?;
        let absent = self.own.silence().map_or(ABSENT, |silence| ABSENT.min(silence / 4));
        if !channel.is_attended && now.saturating_sub(channel.read) >= absent {
            channel.receive_ahead(self)?;
        }
        let silent = self.own.silence().filter(|&most| age(&self.received_at) >= most);
        // Bytes that wait to be received are a sign of life: this process itself may have been stopped.
        if silent.is_some() && matches!(self.socket.peek(&mut [0]), Err(e) if e.kind() == ErrorKind::WouldBlock) {
            let seconds = age(&self.received_at) as f64 / 1000.0;
            bail!(Unavailable, "Nothing was heard for {seconds:.1} s, its machine or process counts as lost");
        }
        Ok(())
    }

    /// Ends the line: what was sent and has not arrived never does, for its step may be run again.
    fn fail(&self, channel: &mut Channel, e: Status) {
        channel.failure.get_or_insert(e);
        if self.other.get().is_none() {
            // A stranger has no step. The reason of a refusal must arrive.
            return;
        }
        #[cfg(target_os = "linux")]
        let _ = rustix::net::sockopt::set_socket_linger(&self.socket, Some(Duration::ZERO));
        // An owner who sleeps wakes.
        let _ = self.socket.shutdown(Shutdown::Read);
    }
}

/// A connection, as its owner has it.
pub struct Link {
    line: Arc<Line>,
    /// The stay of the session at the other side that the connection belongs to.
    pub residence: u64,
}

impl Link {
    /// Errors: `Unavailable` where the socket is of no use.
    pub fn new(socket: TcpStream, own: Patience, protection: Protection) -> Result<Link> {
        let prepared = socket.set_nonblocking(true).and_then(|()| socket.set_nodelay(true));
        if let Err(e) = prepared.and_then(|()| keep_alive(&socket, own)) {
            bail!(Unavailable, "A connection failed: {e}");
        }
        let channel = Channel {
            protection,
            incoming: Incoming::new(Limits::STRANGER),
            outgoing: Outgoing::default(),
            inbox: VecDeque::new(),
            failure: None,
            is_attended: false,
            read: now(),
            is_abandoned: false,
        };
        let [received_at, sent, watched_at] = [(); 3].map(|()| AtomicU64::new(now()));
        let channel = Mutex::new(channel);
        let line = Arc::new(Line {
            socket,
            channel,
            received_at,
            sent,
            watched_at,
            own,
            process: std::process::id(),
            other: OnceLock::new(),
        });
        Ok(Link { line, residence: 0 })
    }

    /// Accepts frames between authenticated tasks, and registers the connection with the watch.
    pub fn trust(&mut self, other: Patience, residence: u64) -> Result<()> {
        self.line.channel.lock().incoming.set_limits(Limits::KNOWN);
        let _ = self.line.other.set(other);
        self.residence = residence;
        self.line.watched_at.store(now(), Ordering::Relaxed);
        look_after(&self.line)
    }

    /// Puts a frame on its way.
    pub fn push(&self, frame: Frame) -> Result<()> {
        self.line.channel.lock().outgoing.push(frame)
    }

    /// Writes what goes; whether all is gone.
    ///
    /// Errors: `Unavailable` where nobody is there.
    pub fn write(&self) -> Result<bool> {
        let mut channel = self.line.channel.lock();
        if let Some(failure) = &channel.failure {
            return Err(failure.clone());
        }
        channel.write(&self.line).inspect_err(|e| self.line.fail(&mut channel, e.clone()))?;
        Ok(channel.is_sent())
    }

    /// Returns a frame, if one is whole.
    ///
    /// Errors: `Unavailable` where the other side is no more there.
    pub fn read(&self) -> Result<Option<Frame>> {
        let mut channel = self.line.channel.lock();
        if let Some(frame) = channel.inbox.pop_front() {
            return Ok(Some(frame));
        }
        if let Some(failure) = &channel.failure {
            return Err(failure.clone());
        }
        channel.read = now();
        let received = channel.receive(&self.line);
        if let Err(e) = &received {
            self.line.fail(&mut channel, e.clone());
        }
        received
    }

    /// Returns true if nothing is being sent or received, and the other side answered the last check.
    pub fn is_quiet(&self) -> bool {
        let channel = self.line.channel.lock();
        channel.failure.is_none()
            && !channel.is_abandoned
            && channel.inbox.is_empty()
            && channel.is_sent()
            && !channel.incoming.is_amid()
    }

    /// Returns true if the other side has closed the connection.
    pub fn has_failed(&self) -> bool {
        self.line.channel.lock().failure.is_some()
    }

    /// Returns true in a forked process: the connection belongs to its parent.
    pub fn is_inherited(&self) -> bool {
        self.line.process != std::process::id()
    }

    /// Leaves the connection to the watch until what was given up ends at the other side, where it is still open.
    pub fn abandon(&self, is_open: bool) {
        let mut channel = self.line.channel.lock();
        let has_ended = channel.inbox.drain(..).any(|frame| is_end(&frame));
        channel.is_abandoned = is_open && !has_ended;
    }

    /// Returns the bytes that only the two sides of this connection share; none if it is without TLS.
    pub fn binding(&self) -> Vec<u8> {
        self.line.channel.lock().protection.binding()
    }

    /// Writes a last frame, also after a failure, and ends this direction. Call `discard` until the other side has ended
    /// its own: if the socket were closed before, the system would drop the frame when more arrives.
    pub fn refuse(&self, frame: Frame) {
        let mut channel = self.line.channel.lock();
        // A frame of this size fits at once. If the other side is gone, no one can receive the failure.
        let _ = channel.outgoing.push(frame).and_then(|()| channel.write(&self.line));
        let _ = self.line.socket.shutdown(Shutdown::Write);
    }

    /// Returns the socket of a refused side, for a wait until it sends something or ends.
    pub fn awaited_to_read(&self) -> Awaited<'_> {
        Awaited::new(&self.line.socket, false)
    }

    /// Drops what a refused side still sends; returns true at its end.
    pub fn discard(&self) -> bool {
        let mut dropped = [0; 4096];
        for _ in 0..DISCARDED {
            match (&mut &self.line.socket).read(&mut dropped) {
                Ok(0) => return true,
                Ok(_) => {}
                Err(e) => return e.kind() != ErrorKind::WouldBlock,
            }
        }
        false
    }

    /// Returns the number of bytes received.
    pub fn received(&self) -> u64 {
        self.line.channel.lock().incoming.received()
    }

    /// Has the other side give a sign of life: its watch does within half a second, whatever else it does.
    pub fn ping(&self) -> Result<()> {
        self.push(Frame::new(kind::PING, &Empty {}))
    }

    /// Begins to wait for what comes; whether also for room to send. `None`: there is something already.
    fn attend(&self) -> Option<bool> {
        let mut channel = self.line.channel.lock();
        channel.is_attended = true;
        (channel.inbox.is_empty() && channel.failure.is_none()).then(|| !channel.is_sent())
    }

    fn stop_attending(&self) {
        let mut channel = self.line.channel.lock();
        channel.is_attended = false;
        channel.read = now();
    }

    pub fn line(&self) -> &Arc<Line> {
        &self.line
    }

    /// Returns the socket, for a wait of a thread that receives nothing through a `Wires`.
    pub fn awaited(&self) -> Awaited<'_> {
        Awaited::new(&self.line.socket, !self.line.channel.lock().is_sent())
    }
}

/// Sleeps until one of the connections has something or takes something, the doorbell rings, or the time is over.
pub fn sleep_on(links: &[Link], doorbell: Option<&Doorbell>, at_most: Option<Duration>) -> std::io::Result<()> {
    let mut awaited: SmallVec<[Awaited<'_>; 4]> = SmallVec::new();
    let mut is_ready = false;
    for link in links {
        match link.attend() {
            Some(writes) => awaited.push(Awaited::new(&link.line.socket, writes)),
            None => is_ready = true,
        }
    }
    let slept = if is_ready { Ok(()) } else { sleep(&awaited, doorbell, at_most) };
    links.iter().for_each(Link::stop_attending);
    slept
}

/// Enables the system's checks of the other machine: they work while this process is stopped or watches nothing.
#[cfg(target_os = "linux")]
fn keep_alive(socket: &TcpStream, own: Patience) -> std::io::Result<()> {
    use rustix::net::sockopt;
    sockopt::set_socket_keepalive(socket, true)?;
    if own.ms() > 0 {
        let third = Duration::from_millis(own.ms() / 3).max(Duration::from_secs(1));
        sockopt::set_tcp_keepidle(socket, third)?;
        sockopt::set_tcp_keepintvl(socket, third)?;
        sockopt::set_tcp_keepcnt(socket, 3)?;
    }
    Ok(())
}

#[cfg(not(target_os = "linux"))]
fn keep_alive(_socket: &TcpStream, _own: Patience) -> std::io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferroflow_tensor::{Code, DType, Tensor};
    use std::io::Read;
    use std::net::TcpListener;

    const HANGS: Duration = Duration::from_secs(20);
    /// Known as lost within a fifth of a second.
    const SHORT: Patience = Patience::of_ms(200);

    fn sockets() -> (TcpStream, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let one = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        (one, listener.accept().unwrap().0)
    }

    fn trusted(socket: TcpStream, own: Patience, other: Patience) -> Link {
        let mut link = Link::new(socket, own, Protection::Plain).unwrap();
        link.trust(other, 1).unwrap();
        link
    }

    fn failure(link: Link) -> Status {
        let (began, links) = (Instant::now(), [link]);
        while began.elapsed() < HANGS {
            match links[0].read() {
                Err(e) => return e,
                Ok(frame) => assert!(frame.is_none()),
            }
            sleep_on(&links, None, None).unwrap();
        }
        panic!("the loss is not known");
    }

    #[test]
    fn a_silent_side_is_lost_and_who_sleeps_is_woken() {
        let (one, _silent) = sockets();
        let began = Instant::now();
        let e = failure(trusted(one, SHORT, SHORT));
        assert!(e.code() == Code::Unavailable && e.message().contains("Nothing was heard"), "{e}");
        assert!(began.elapsed() >= Duration::from_millis(170), "{:?}", began.elapsed());
    }

    #[test]
    fn sides_that_compute_and_look_at_nothing_are_not_lost() {
        let (one, other) = sockets();
        let links = [trusted(one, SHORT, SHORT), trusted(other, SHORT, SHORT)];
        std::thread::sleep(Duration::from_millis(1500));
        assert!(links.iter().all(|link| !link.has_failed()));
        links[0].push(Frame::new(kind::CANCEL, &Empty {})).unwrap();
        links[0].write().unwrap();
        let began = Instant::now();
        while links[1].read().unwrap().is_none() {
            assert!(began.elapsed() < HANGS);
        }
    }

    #[test]
    fn what_comes_while_the_owner_computes_is_kept_in_order() {
        let (one, other) = sockets();
        let (sender, receiver) = (trusted(one, SHORT, SHORT), [trusted(other, SHORT, SHORT)]);
        for key in 0..30u64 {
            let mut frame = Frame::new(kind::VALUES, &Empty {});
            frame.tensors = vec![(key, Tensor::zeros(DType::F32, [key as usize * 5000]).unwrap())];
            sender.push(frame).unwrap();
        }
        // The watches write and receive, some frames at least, while nobody else does.
        std::thread::sleep(Duration::from_millis(600));
        let (began, mut came) = (Instant::now(), Vec::new());
        while came.len() < 30 {
            assert!(began.elapsed() < HANGS);
            sender.write().unwrap();
            match receiver[0].read().unwrap() {
                Some(frame) => came.push((frame.tensors[0].0, frame.tensors[0].1.shape().elements())),
                None => sleep_on(&receiver, None, Some(Duration::from_millis(5))).unwrap(),
            }
        }
        assert!(came.into_iter().eq((0..30).map(|key| (key, key as usize * 5000))));
    }

    #[test]
    fn a_connection_whose_step_was_given_up_serves_again_when_the_step_has_ended() {
        let (one, other) = sockets();
        let (here, there) = (trusted(one, SHORT, SHORT), trusted(other, SHORT, SHORT));
        here.abandon(true);
        assert!(!here.is_quiet());
        for kind in [kind::VALUES, kind::DONE] {
            there.push(Frame::new(kind, &Empty {})).unwrap();
        }
        there.write().unwrap();
        let began = Instant::now();
        while !here.is_quiet() {
            assert!(began.elapsed() < HANGS);
            std::thread::yield_now();
        }
        assert!(here.read().unwrap().is_none());
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn what_was_on_its_way_to_a_lost_side_never_arrives() {
        let (one, mut silent) = sockets();
        let link = trusted(one, SHORT, SHORT);
        let mut frame = Frame::new(kind::VALUES, &Empty {});
        let bytes = 64 << 20;
        frame.tensors = vec![(1, Tensor::zeros(DType::U8, [bytes]).unwrap())];
        link.push(frame).unwrap();
        failure(link);
        let mut came = Vec::new();
        silent.set_read_timeout(Some(HANGS)).unwrap();
        assert!(silent.read_to_end(&mut came).is_err(), "the end was told as if all had been sent");
        assert!(came.len() < bytes);
    }
}
