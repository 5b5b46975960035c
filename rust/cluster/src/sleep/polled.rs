//! Systems without an eventfd: a poller of the `polling` crate is the doorbell, and is borrowed for each sleep.

use crate::sleep::Awaited;
use ferroflow_sync::Mutex;
use polling::{Event, Events, PollMode, Poller};
use std::io::Result;
use std::time::Duration;

/// Ends the sleep of another thread.
pub struct Doorbell {
    poller: Poller,
    /// Held by the one who sleeps.
    events: Mutex<Events>,
    #[cfg_attr(target_os = "linux", allow(dead_code, reason = "only tests make one there"))]
    pub process: u32,
}

impl Doorbell {
    pub fn new() -> Result<Doorbell> {
        let (poller, events) = (Poller::new()?, Mutex::new(Events::new()));
        Ok(Doorbell { poller, events, process: std::process::id() })
    }

    pub fn ring(&self) {
        // The poller is there as long as this is.
        let _ = self.poller.notify();
    }
}

pub fn sleep(sockets: &[Awaited<'_>], doorbell: Option<&Doorbell>, at_most: Option<Duration>) -> Result<()> {
    let own;
    let Doorbell { poller, events, .. } = match doorbell {
        Some(doorbell) => doorbell,
        None => {
            own = Doorbell::new()?;
            &own
        }
    };
    let mut events = events.lock();
    events.clear();
    let mut slept = Ok(());
    let mut added = 0;
    for (key, awaited) in sockets.iter().enumerate() {
        let event = Event::new(key, awaited.reads, awaited.writes);
        // SAFETY: the socket is borrowed for this call, which deletes it from the poller before it returns.
        slept = unsafe { poller.add_with_mode(&awaited.socket, event, PollMode::Level) };
        if slept.is_err() {
            break;
        }
        added += 1;
    }
    let slept = slept.and_then(|()| poller.wait(&mut events, at_most).map(|_| ()));
    for awaited in &sockets[..added] {
        // A socket that has left the poller already is the requested state.
        let _ = poller.delete(awaited.socket);
    }
    slept
}
