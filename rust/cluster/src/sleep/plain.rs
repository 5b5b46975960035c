//! Linux: `poll` and an eventfd.

use crate::sleep::Awaited;
use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll};
use rustix::io::Errno;
use smallvec::SmallVec;
use std::io::Result;
use std::os::fd::{AsFd, OwnedFd};
use std::time::Duration;

/// Ends the sleep of another thread.
pub struct Doorbell {
    event: OwnedFd,
    pub process: u32,
}

impl Doorbell {
    pub fn new() -> Result<Doorbell> {
        let event = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        Ok(Doorbell { event, process: std::process::id() })
    }

    pub fn ring(&self) {
        // It fails where it was rung 2^64 times and is still ringing.
        let _ = rustix::io::write(&self.event, &1u64.to_ne_bytes());
    }
}

pub fn sleep(sockets: &[Awaited<'_>], doorbell: Option<&Doorbell>, at_most: Option<Duration>) -> Result<()> {
    let mut polled: SmallVec<[PollFd<'_>; 4]> = SmallVec::new();
    for awaited in sockets {
        let flag_if = |is_set, flag| if is_set { flag } else { PollFlags::empty() };
        let flags = flag_if(awaited.reads, PollFlags::IN) | flag_if(awaited.writes, PollFlags::OUT);
        polled.push(PollFd::from_borrowed_fd(awaited.socket, flags));
    }
    if let Some(doorbell) = doorbell {
        polled.push(PollFd::from_borrowed_fd(doorbell.event.as_fd(), PollFlags::IN));
    }
    let at_most = at_most
        .map(|d| Timespec { tv_sec: i64::try_from(d.as_secs()).unwrap_or(i64::MAX), tv_nsec: d.subsec_nanos().into() });
    match poll(&mut polled, at_most.as_ref()) {
        Ok(_) | Err(Errno::INTR) => {}
        Err(e) => return Err(e.into()),
    }
    let rang = doorbell.is_some() && polled.last().is_some_and(|p| !p.revents().is_empty());
    if let Some(doorbell) = doorbell.filter(|_| rang) {
        let _ = rustix::io::read(&doorbell.event, &mut [0; 8]);
    }
    Ok(())
}
