//! `Wires`: the connections of one step, which are written and read together, so that neither side waits for the other to read.

use crate::frame::{Frame, Incoming, Limits, Outgoing, Received, is_gone};
use ferroflow_tensor::{Code, Result, Status, bail};
use polling::{Event, Events, PollMode, Poller};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Duration;

/// A connection.
pub struct Link {
    socket: TcpStream,
    incoming: Incoming,
    outgoing: Outgoing,
    asks_write: bool,
}

impl Link {
    /// Errors: `Unavailable` where the socket is of no use.
    pub fn new(socket: TcpStream) -> Result<Link> {
        let prepared = socket.set_nonblocking(true).and_then(|()| socket.set_nodelay(true));
        if let Err(e) = prepared {
            bail!(Unavailable, "A connection failed: {e}");
        }
        let (incoming, outgoing) = (Incoming::new(Limits::STRANGER), Outgoing::default());
        Ok(Link { socket, incoming, outgoing, asks_write: false })
    }

    /// Accepts what is sent between tasks that know each other.
    pub fn trust(&mut self) {
        self.incoming.set_limits(Limits::KNOWN);
    }

    pub fn push(&mut self, frame: Frame) -> Result<()> {
        self.outgoing.push(frame)
    }

    /// Whether nothing is on its way in or out.
    pub fn is_quiet(&self) -> bool {
        self.outgoing.is_empty() && !self.incoming.is_amid()
    }

    /// Writes what goes. Errors: `Unavailable` where nobody is there.
    fn write(&mut self) -> Result<()> {
        match self.outgoing.write(&mut self.socket) {
            Ok(_) => Ok(()),
            Err(e) if is_gone(&e) => Err(gone()),
            Err(e) => Err(Status::unavailable(format!("A connection failed: {e}"))),
        }
    }

    /// A frame, if one is whole.
    ///
    /// Errors: `Unavailable` where the other side is no more there.
    fn read(&mut self) -> Result<Option<Frame>> {
        match self.incoming.read(&mut self.socket)? {
            Received::Frame(frame) => Ok(Some(frame)),
            Received::Nothing => Ok(None),
            Received::End => Err(gone()),
        }
    }
}

/// TF 1.x: what programs read of a task that died.
pub fn gone() -> Status {
    Status::unavailable("Socket closed")
}

/// A failed connection's error, with whom it was.
pub fn ended_with(name: &str, e: Status) -> Status {
    if e.code() != Code::Unavailable || e.node().is_some() {
        return e;
    }
    Status::unavailable(format!("{}: the connection with {name} ended", e.message()))
}

/// Connections that are waited for together.
pub struct Wires {
    poller: Arc<Poller>,
    links: Vec<Link>,
    events: Events,
}

impl Drop for Wires {
    fn drop(&mut self) {
        for link in &self.links {
            let _ = self.poller.delete(&link.socket);
        }
    }
}

fn failed(e: &std::io::Error) -> Status {
    Status::unavailable(format!("Connections cannot be waited for: {e}"))
}

/// Waits until one of the sockets takes more, or the time is over.
pub fn until_writable(sockets: &[TcpStream], at_most: Duration) -> Result<()> {
    let poller = Poller::new().map_err(|e| failed(&e))?;
    for (i, socket) in sockets.iter().enumerate() {
        // SAFETY: the poller is dropped before the sockets are closed, at the end of this function.
        unsafe { poller.add(socket, Event::writable(i)) }.map_err(|e| failed(&e))?;
    }
    poller.wait(&mut Events::new(), Some(at_most)).map_err(|e| failed(&e))?;
    Ok(())
}

impl Wires {
    pub fn new(links: Vec<Link>) -> Result<Wires> {
        let poller = Arc::new(Poller::new().map_err(|e| failed(&e))?);
        for (i, link) in links.iter().enumerate() {
            // SAFETY: the socket is deleted from the poller before it is closed, when the wires are dropped.
            unsafe { poller.add_with_mode(&link.socket, Event::readable(i), PollMode::Level) }
                .map_err(|e| failed(&e))?;
        }
        Ok(Wires { poller, links, events: Events::new() })
    }

    /// The only connection, by itself.
    pub fn into_first(mut self) -> Result<Link> {
        for link in &self.links {
            let _ = self.poller.delete(&link.socket);
        }
        match std::mem::take(&mut self.links).into_iter().next() {
            Some(link) => Ok(link),
            None => bail!(Internal, "there is no connection"),
        }
    }

    /// Wakes who waits.
    pub fn poller(&self) -> &Arc<Poller> {
        &self.poller
    }

    pub fn link(&mut self, i: usize) -> Result<&mut Link> {
        match self.links.get_mut(i) {
            Some(link) => Ok(link),
            None => bail!(Internal, "there is no connection {i}"),
        }
    }

    /// Whether nothing is on its way: they may serve another step.
    pub fn are_quiet(&self) -> bool {
        self.links.iter().all(Link::is_quiet)
    }

    /// Writes what goes and hands over the frames that came; whether any did. `gone` names who is no more there.
    pub fn exchange(&mut self, mut on: impl FnMut(usize, Frame) -> Result<()>) -> Result<bool, (usize, Status)> {
        let mut any = false;
        for (i, link) in self.links.iter_mut().enumerate() {
            link.write().map_err(|e| (i, e))?;
            while let Some(frame) = link.read().map_err(|e| (i, e))? {
                any = true;
                on(i, frame).map_err(|e| (i, e))?;
            }
        }
        Ok(any)
    }

    /// Writes what goes; the sockets of the connections on which something is left.
    ///
    /// Errors: `Unavailable` where the other side is no more there.
    pub fn write(&mut self) -> Result<Vec<TcpStream>> {
        let mut unsent = Vec::new();
        for link in &mut self.links {
            link.write()?;
            if !link.outgoing.is_empty() {
                unsent.push(link.socket.try_clone().map_err(|e| failed(&e))?);
            }
        }
        Ok(unsent)
    }

    /// Writes what goes and takes one frame of the first connection, if one is whole.
    ///
    /// Errors: `Unavailable` where the other side is no more there.
    pub fn pull(&mut self) -> Result<Option<Frame>> {
        let link = self.link(0)?;
        link.write()?;
        link.read()
    }

    /// A frame of the first connection, if one is whole.
    pub fn take(&mut self) -> Result<Option<Frame>> {
        self.link(0)?.read()
    }

    /// Writes what goes; whether all is gone.
    pub fn flush(&mut self) -> Result<bool> {
        let link = self.link(0)?;
        link.write()?;
        Ok(link.outgoing.is_empty())
    }

    /// Sleeps until something can be read or written, the poller is woken, or the time is over.
    pub fn sleep(&mut self, at_most: Option<Duration>) -> Result<()> {
        for (i, link) in self.links.iter_mut().enumerate() {
            let asks = !link.outgoing.is_empty();
            if asks != link.asks_write {
                let event = if asks { Event::all(i) } else { Event::readable(i) };
                self.poller.modify_with_mode(&link.socket, event, PollMode::Level).map_err(|e| failed(&e))?;
                link.asks_write = asks;
            }
        }
        self.events.clear();
        self.poller.wait(&mut self.events, at_most).map_err(|e| failed(&e))?;
        Ok(())
    }
}
