//! Chooses the address on which a task listens.

use crate::address::Address;
use crate::description::TaskName;
use crate::reach::resolve;
use crate::token::Token;
use ferroflow_tensor::{Result, Status};
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::time::{Duration, Instant};

/// The environment variable that names the address to listen at instead.
pub const VARIABLE: &str = "FERROFLOW_CLUSTER_BIND";
/// Connections that may wait until they are accepted: those of a whole cluster that starts at once.
#[cfg(target_os = "linux")]
const BACKLOG: i32 = 1024;
/// Longest time for which the start of a task waits until its own host name resolves.
const LOOK_UP: Duration = Duration::from_secs(2);

/// Binds a task's port at the address of the option. The default is all interfaces, as in TF 1.x, because a machine's
/// own name is often loopback there. A task that only this machine can reach binds its own address.
///
/// Errors: `FailedPrecondition` where others could reach it and no token is set, `Unknown` where it cannot be bound.
pub fn bind(name: &TaskName, address: &Address) -> Result<TcpListener> {
    let host = std::env::var(VARIABLE).ok().filter(|host| !host.is_empty());
    let failed = |e: io::Error| {
        let hint = if e.kind() == io::ErrorKind::AddrInUse {
            format!(" ({VARIABLE} names a different one)")
        } else {
            String::new()
        };
        Status::unknown(format!("Could not start server at {address}: {e}{hint}"))
    };
    let named = host.map(|host| Address { host, port: address.port });
    if let Some(named) = &named {
        Token::for_address(named)?;
    }
    match named.as_ref().or(Some(address).filter(|a| a.is_loopback())) {
        Some(at) => at_address(at).map_err(failed),
        None => {
            warn_of_loopback(name, address);
            on_all_interfaces(address.port).map_err(failed)
        }
    }
}

fn at_address(address: &Address) -> io::Result<TcpListener> {
    use std::net::ToSocketAddrs;
    let mut found: Vec<SocketAddr> = (address.bare_host(), address.port).to_socket_addrs()?.collect();
    // Clients try the older address of `localhost` first.
    found.sort_by_key(|a| a.is_ipv6());
    let listener = TcpListener::bind(&found[..])?;
    #[cfg(target_os = "linux")]
    rustix::net::listen(&listener, BACKLOG)?;
    Ok(listener)
}

#[cfg(target_os = "linux")]
fn on_all_interfaces(port: u16) -> io::Result<TcpListener> {
    use rustix::io::Errno;
    use rustix::net::{AddressFamily, SocketFlags, SocketType, listen, socket_with, sockopt};
    use std::net::Ipv6Addr;
    let open = |family| -> rustix::io::Result<TcpListener> {
        let socket = socket_with(family, SocketType::STREAM, SocketFlags::CLOEXEC, None)?;
        sockopt::set_socket_reuseaddr(&socket, true)?;
        if family == AddressFamily::INET6 {
            sockopt::set_ipv6_v6only(&socket, false)?;
            rustix::net::bind(&socket, &SocketAddr::from((Ipv6Addr::UNSPECIFIED, port)))?;
        } else {
            rustix::net::bind(&socket, &SocketAddr::from((Ipv4Addr::UNSPECIFIED, port)))?;
        }
        listen(&socket, BACKLOG)?;
        Ok(socket.into())
    };
    match open(AddressFamily::INET6) {
        // A machine without IPv6.
        Err(Errno::AFNOSUPPORT | Errno::ADDRNOTAVAIL) => Ok(open(AddressFamily::INET)?),
        opened => Ok(opened?),
    }
}

#[cfg(not(target_os = "linux"))]
fn on_all_interfaces(port: u16) -> io::Result<TcpListener> {
    TcpListener::bind((Ipv4Addr::UNSPECIFIED, port))
}

/// Warns of a name that means this machine itself here. If it means the same on others, they do not find the task.
fn warn_of_loopback(name: &TaskName, address: &Address) {
    let Ok(Ok(found)) = resolve(address, Instant::now() + LOOK_UP, &|| Ok(())) else { return };
    if let Some(first) = found.iter().find(|a| a.ip().to_canonical().is_loopback()) {
        eprintln!(
            "ferroflow: {name} is to be found at {address}, but on this machine {} means {}, which no other machine reaches. It \
             listens on all interfaces; see that the name means this machine's address on the others (/etc/hosts, DNS).",
            address.bare_host(),
            first.ip()
        );
    }
}
