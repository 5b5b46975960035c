//! Connecting to an address with a deadline.

use crate::address::Address;
use ferroflow_tensor::Result;
use std::io;
use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// Time between two checks of the caller's signals and deadlines.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Returns the addresses of a name, the older kind first.
///
/// Errors: those of the system's resolver, and no answer in time; the outer ones are those of `check`.
pub fn resolve(
    address: &Address,
    deadline: Instant,
    check: &dyn Fn() -> Result<()>,
) -> Result<io::Result<Vec<SocketAddr>>> {
    let (host, port) = (address.bare_host().to_owned(), address.port);
    if let Ok(ip) = host.parse() {
        return Ok(Ok(vec![SocketAddr::new(ip, port)]));
    }
    // The resolver may wait for a name server that is gone, for longer than any caller waits.
    let (send, answer) = channel();
    let resolve_all = move || {
        let _ = send.send((&*host, port).to_socket_addrs().map(Iterator::collect::<Vec<_>>));
    };
    if let Err(e) = std::thread::Builder::new().name("ferroflow-resolve".into()).spawn(resolve_all) {
        return Ok(Err(e));
    }
    loop {
        check()?;
        match answer.recv_timeout(POLL_INTERVAL) {
            Ok(found) => {
                return Ok(found.map(|mut all| {
                    all.sort_by_key(SocketAddr::is_ipv6);
                    all
                }));
            }
            Err(RecvTimeoutError::Timeout) if Instant::now() < deadline => {}
            Err(_) => return Ok(Err(io::Error::new(io::ErrorKind::TimedOut, "no name server answers"))),
        }
    }
}

/// Opens a connection with a socket.
///
/// Errors: those of the system, and no connection in time; the outer ones are those of `check`.
#[cfg(target_os = "linux")]
pub fn connect(to: SocketAddr, deadline: Instant, check: &dyn Fn() -> Result<()>) -> Result<io::Result<TcpStream>> {
    use crate::sleep::{Awaited, sleep};
    use rustix::io::Errno;
    use rustix::net::{AddressFamily, SocketFlags, SocketType, socket_with, sockopt};
    let begin = || -> io::Result<(TcpStream, bool)> {
        let family = if to.is_ipv6() { AddressFamily::INET6 } else { AddressFamily::INET };
        let socket = socket_with(family, SocketType::STREAM, SocketFlags::CLOEXEC | SocketFlags::NONBLOCK, None)?;
        let connects = match rustix::net::connect(&socket, &to) {
            Ok(()) => false,
            Err(Errno::INPROGRESS | Errno::INTR) => true,
            Err(e) => return Err(e.into()),
        };
        Ok((socket.into(), connects))
    };
    let (socket, mut connects) = match begin() {
        Ok(begun) => begun,
        Err(e) => return Ok(Err(e)),
    };
    while connects {
        check()?;
        if Instant::now() >= deadline {
            return Ok(Err(io::Error::new(io::ErrorKind::TimedOut, "no machine answers there")));
        }
        if let Err(e) = sleep(&[Awaited::new(&socket, true)], None, Some(POLL_INTERVAL)) {
            return Ok(Err(e));
        }
        match sockopt::socket_error(&socket) {
            Ok(Ok(())) => connects = socket.peer_addr().is_err(),
            Ok(Err(e)) | Err(e) => return Ok(Err(e.into())),
        }
    }
    Ok(Ok(socket))
}

#[cfg(not(target_os = "linux"))]
pub fn connect(to: SocketAddr, deadline: Instant, check: &dyn Fn() -> Result<()>) -> Result<io::Result<TcpStream>> {
    check()?;
    let left = deadline.saturating_duration_since(Instant::now()).max(Duration::from_millis(1));
    Ok(TcpStream::connect_timeout(&to, left))
}
