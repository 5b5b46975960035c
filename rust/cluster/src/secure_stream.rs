//! `SecureStream`: a TLS connection for callers with a protocol of their own, and the options of such a group.

use crate::address::Address;
use crate::secured::Secured;
use crate::security::{Security, ServerSecurity};
use crate::sleep::{Awaited, sleep};
use crate::token::Token;
use ferroflow_tensor::{Result, bail};
use std::io::{self, ErrorKind, IoSlice};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// The keys of a process of a group for its connections: all of them use TLS, or none.
pub struct GroupSecurity {
    security: Security,
    server: ServerSecurity,
}

impl GroupSecurity {
    /// Returns the options of the environment; none if the group is without TLS. `addresses`: those of all its processes.
    ///
    /// Errors: `FailedPrecondition` for wrong options, and if TLS is required and has no keys.
    pub fn of_environment(addresses: &[String]) -> Result<Option<GroupSecurity>> {
        let addresses: Vec<Address> = addresses.iter().map(|a| Address::parse(a)).collect::<Result<_>>()?;
        let Some(first) = addresses.iter().find(|a| !a.is_loopback()).or(addresses.first()) else {
            bail!(InvalidArgument, "a group has no addresses");
        };
        let security = Security::of_environment(&Token::for_address(first)?)?;
        if !security.is_used(first.is_loopback()) {
            return Ok(None);
        }
        let server = security.server()?;
        Ok(Some(GroupSecurity { security, server }))
    }

    /// Returns the client's side of a connection to an address of the group.
    pub fn connect(&self, socket: TcpStream, address: &str) -> Result<SecureStream> {
        Ok(SecureStream { socket, secured: self.security.secured(&Address::parse(address)?)? })
    }

    /// Returns the server's side of a connection.
    pub fn accept(&self, socket: TcpStream) -> Result<SecureStream> {
        Ok(SecureStream { socket, secured: self.server.accept()? })
    }
}

/// A TLS connection. Its socket must not block. The handshake is part of the first reads and writes.
pub struct SecureStream {
    socket: TcpStream,
    secured: Secured,
}

impl SecureStream {
    /// Returns true if bytes were received that no read has returned. The socket may have nothing more then.
    pub fn has_received(&mut self) -> bool {
        self.secured.has_received()
    }

    /// Returns the bytes that only the two sides of this connection share; none before the end of the handshake.
    pub fn binding(&self) -> Option<[u8; 32]> {
        self.secured.binding()
    }

    /// Writes encrypted bytes; whether all are gone.
    pub fn flush(&mut self) -> io::Result<bool> {
        self.secured.flush(&self.socket)
    }

    /// Reads what is there, at most until `into` is full or the time is over; 0 at the end of the connection. No time:
    /// does not wait.
    ///
    /// Errors: `WouldBlock` if nothing is there in time; those of `Secured::read`.
    pub fn read(&mut self, into: &mut [u8], deadline: Option<Instant>) -> io::Result<usize> {
        let mut filled = 0;
        loop {
            match self.secured.read(&self.socket, &mut into[filled..]) {
                Ok(0) => return Ok(filled),
                Ok(n) if filled + n == into.len() => return Ok(into.len()),
                Ok(n) => filled += n,
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                // The end, or the failure, comes again in the next read.
                Err(_) if filled > 0 => return Ok(filled),
                Err(e) if e.kind() == ErrorKind::WouldBlock => self.wait(false, deadline)?,
                Err(e) => return Err(e),
            }
        }
    }

    /// Encrypts and writes what the socket takes; returns how many bytes. With a time, waits until all are written.
    ///
    /// Errors: `WouldBlock` if no byte goes in time; those of the socket.
    pub fn write(&mut self, bytes: &[u8], deadline: Option<Instant>) -> io::Result<usize> {
        let mut taken = 0;
        while taken < bytes.len() || (deadline.is_some() && !self.flush()?) {
            match self.secured.write(&self.socket, &[IoSlice::new(&bytes[taken..])]) {
                Ok(n) => taken += n,
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(e) if e.kind() == ErrorKind::WouldBlock && deadline.is_none() && taken > 0 => break,
                Err(e) if e.kind() == ErrorKind::WouldBlock => self.wait(true, deadline)?,
                Err(e) => return Err(e),
            }
        }
        Ok(taken)
    }

    fn wait(&self, writes: bool, deadline: Option<Instant>) -> io::Result<()> {
        let left = deadline.map_or(Duration::ZERO, |at| at.saturating_duration_since(Instant::now()));
        if left.is_zero() {
            return Err(ErrorKind::WouldBlock.into());
        }
        let awaited = if writes { Awaited::to_write(&self.socket) } else { Awaited::new(&self.socket, false) };
        sleep(&[awaited], None, Some(left))
    }
}
