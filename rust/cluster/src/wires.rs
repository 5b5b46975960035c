//! `Wires`: the connections of one step, which are written and read together, so that neither side waits for the other to read.

use crate::frame::Frame;
use crate::line::{Line, Link, sleep_on};
use crate::sleep::{Awaited, Doorbell, sleep};
use ferroflow_tensor::{Code, Result, Status, bail};
use smallvec::SmallVec;
use std::sync::Arc;
use std::time::Duration;

/// Returns a failed connection's error, with the name of the other side.
pub fn ended_with(name: &str, e: Status) -> Status {
    if e.code() != Code::Unavailable || e.node().is_some() {
        return e;
    }
    Status::unavailable(format!("{}: the connection with {name} ended", e.message()))
}

/// Connections that are waited for together.
pub struct Wires {
    links: Vec<Link>,
}

/// Waits until one of the connections takes more, or the time is over.
pub fn until_writable(lines: &[Arc<Line>], at_most: Duration) -> Result<()> {
    let awaited: SmallVec<[Awaited<'_>; 4]> = lines.iter().map(|line| line.awaited_to_write()).collect();
    sleep(&awaited, None, Some(at_most)).map_err(failed)
}

fn failed(e: std::io::Error) -> Status {
    Status::unavailable(format!("Connections cannot be waited for: {e}"))
}

impl Wires {
    pub fn new(links: Vec<Link>) -> Wires {
        Wires { links }
    }

    /// Returns the connections, each by itself.
    pub fn into_links(self) -> Vec<Link> {
        self.links
    }

    pub fn link(&self, i: usize) -> Result<&Link> {
        match self.links.get(i) {
            Some(link) => Ok(link),
            None => bail!(Internal, "there is no connection {i}"),
        }
    }

    /// Writes what goes and hands over the frames that came; whether any did. An error has the position of the connection.
    pub fn exchange(&self, mut on: impl FnMut(usize, Frame) -> Result<()>) -> Result<bool, (usize, Status)> {
        let mut any = false;
        for (i, link) in self.links.iter().enumerate() {
            link.write().map_err(|e| (i, e))?;
            while let Some(frame) = link.read().map_err(|e| (i, e))? {
                any = true;
                on(i, frame).map_err(|e| (i, e))?;
            }
        }
        Ok(any)
    }

    /// Writes what goes; the connections on which something is left.
    ///
    /// Errors: `Unavailable` where the other side is no more there.
    pub fn write(&self) -> Result<Vec<Arc<Line>>> {
        let mut unsent = Vec::new();
        for link in &self.links {
            if !link.write()? {
                unsent.push(link.line().clone());
            }
        }
        Ok(unsent)
    }

    /// Writes what goes and takes one frame of the first connection, if one is whole.
    ///
    /// Errors: `Unavailable` where the other side is no more there.
    pub fn pull(&self) -> Result<Option<Frame>> {
        let link = self.link(0)?;
        link.write()?;
        link.read()
    }

    /// Returns a frame of the first connection, if one is whole.
    pub fn take(&self) -> Result<Option<Frame>> {
        self.link(0)?.read()
    }

    /// Writes what goes; whether all is gone.
    pub fn flush(&self) -> Result<bool> {
        self.link(0)?.write()
    }

    /// Sleeps until something can be read or written, the doorbell rings, or the time is over.
    pub fn sleep(&self, doorbell: Option<&Doorbell>, at_most: Option<Duration>) -> Result<()> {
        sleep_on(&self.links, doorbell, at_most).map_err(failed)
    }
}
