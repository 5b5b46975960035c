//! Puts a thread to sleep until one of its sockets can be read or written, or a doorbell rings.
//!
//! On Linux a sleep needs no descriptor but the sockets' own, and a doorbell is one. Elsewhere each sleep borrows a poller.

#[cfg(target_os = "linux")]
mod plain;
#[cfg(any(test, not(target_os = "linux")))]
mod polled;

#[cfg(target_os = "linux")]
use plain as system;
#[cfg(not(target_os = "linux"))]
use polled as system;

use ferroflow_sync::ProcessMutex;
use std::io::Result;
use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

pub use system::Doorbell;

#[cfg(unix)]
pub type Socket<'a> = std::os::fd::BorrowedFd<'a>;
#[cfg(windows)]
pub type Socket<'a> = std::os::windows::io::BorrowedSocket<'a>;

/// A socket to wait for: until it can be read, written, or either.
#[derive(Clone, Copy)]
pub struct Awaited<'a> {
    pub socket: Socket<'a>,
    pub reads: bool,
    pub writes: bool,
}

impl<'a> Awaited<'a> {
    #[cfg(unix)]
    pub fn new(socket: &'a impl std::os::fd::AsFd, writes: bool) -> Awaited<'a> {
        Awaited { socket: socket.as_fd(), reads: true, writes }
    }

    #[cfg(windows)]
    pub fn new(socket: &'a impl std::os::windows::io::AsSocket, writes: bool) -> Awaited<'a> {
        Awaited { socket: socket.as_socket(), reads: true, writes }
    }

    /// Waits until it can be written, and for nothing else.
    pub fn to_write(socket: &'a std::net::TcpStream) -> Awaited<'a> {
        Awaited { reads: false, ..Awaited::new(socket, true) }
    }
}

/// Sleeps until a socket is ready, the doorbell rings, or the time is over. It may also return without a reason.
pub fn sleep(sockets: &[Awaited<'_>], doorbell: Option<&Doorbell>, at_most: Option<Duration>) -> Result<()> {
    system::sleep(sockets, doorbell, at_most)
}

/// Doorbells that nobody holds: as many are kept as a few concurrent steps need.
static IDLE: ProcessMutex<Vec<Arc<Doorbell>>> = ProcessMutex::new(Vec::new(), Vec::new);
const MAX_IDLE: usize = 16;

/// A doorbell of one step, which returns to the others when this is dropped.
pub struct Held(Arc<Doorbell>);

impl Held {
    pub fn take() -> Result<Held> {
        let idle = IDLE.lock().pop();
        // A forked process shares the descriptors of its parent: it would take the parent's rings for its own.
        match idle.filter(|bell| bell.process == std::process::id()) {
            Some(bell) => Ok(Held(bell)),
            None => Ok(Held(Arc::new(Doorbell::new()?))),
        }
    }

    /// Returns the doorbell, to be rung by others. One that rings for a step that is over causes one more wake-up.
    pub fn shared(&self) -> Arc<Doorbell> {
        self.0.clone()
    }
}

impl Deref for Held {
    type Target = Doorbell;

    fn deref(&self) -> &Doorbell {
        &self.0
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let mut idle = IDLE.lock();
        if idle.len() < MAX_IDLE {
            idle.push(self.0.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::net::{TcpListener, TcpStream};
    use std::time::Instant;

    const HANGS: Duration = Duration::from_secs(20);

    fn pair() -> (TcpStream, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let one = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        (one, listener.accept().unwrap().0)
    }

    macro_rules! on_each_system {
        ($($system:ident),*) => {$(
            mod $system {
                use super::*;
                use crate::sleep::$system::{Doorbell, sleep};

                #[test]
                fn a_sleep_ends_by_a_socket_a_ring_or_the_time() {
                    let (mut one, other) = pair();
                    let bell = Arc::new(Doorbell::new().unwrap());
                    let quiet = [Awaited::new(&other, false)];
                    let began = Instant::now();
                    sleep(&quiet, Some(&bell), Some(Duration::from_millis(20))).unwrap();
                    assert!(began.elapsed() >= Duration::from_millis(19));
                    let ringing = bell.clone();
                    let thread = std::thread::spawn(move || ringing.ring());
                    sleep(&quiet, Some(&bell), Some(HANGS)).unwrap();
                    thread.join().unwrap();
                    // A ring wakes once.
                    let again = Instant::now();
                    sleep(&quiet, Some(&bell), Some(Duration::from_millis(20))).unwrap();
                    assert!(again.elapsed() >= Duration::from_millis(19));
                    one.write_all(b"x").unwrap();
                    sleep(&quiet, Some(&bell), Some(HANGS)).unwrap();
                    sleep(&quiet, None, None).unwrap();
                    let (free, _kept) = pair();
                    sleep(&[Awaited::new(&free, true)], None, Some(HANGS)).unwrap();
                    assert!(began.elapsed() < HANGS);
                }
            }
        )*};
    }

    #[cfg(target_os = "linux")]
    on_each_system!(plain, polled);
    #[cfg(not(target_os = "linux"))]
    on_each_system!(polled);
}
