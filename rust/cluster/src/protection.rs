//! `Protection`: the form in which a connection's bytes cross the network, plain or TLS.

use crate::secured::{HANDSHAKE, Secured};
use crate::security::ServerSecurity;
use ferroflow_tensor::Result;
use std::io::{self, IoSlice, Read, Write};
use std::net::TcpStream;

/// The form in which a connection's bytes cross the network.
pub enum Protection {
    /// The first byte of the other side decides.
    Undecided(ServerSecurity),
    Plain,
    Tls(Box<Secured>),
}

impl Protection {
    /// Returns the form of a client's connection.
    pub fn of_client(secured: Option<Secured>) -> Protection {
        secured.map_or(Protection::Plain, |secured| Protection::Tls(Box::new(secured)))
    }

    /// Returns true if encrypted bytes wait for the socket.
    pub fn has_unsent(&self) -> bool {
        matches!(self, Protection::Tls(secured) if secured.has_unsent())
    }

    /// Returns the bytes that only the two sides of this connection share; none if it is plain.
    pub fn binding(&self) -> Vec<u8> {
        match self {
            Protection::Tls(secured) => secured.binding().map(Vec::from).unwrap_or_default(),
            Protection::Undecided(_) | Protection::Plain => Vec::new(),
        }
    }

    /// Returns both directions of a connection.
    pub fn over<'a>(&'a mut self, socket: &'a TcpStream) -> Protected<'a> {
        Protected { protection: self, socket }
    }

    /// Chooses the form by the first byte, which stays in the socket. A refused connection becomes plain: the reason
    /// follows.
    ///
    /// Errors: `WouldBlock` if there is none yet; an error that holds a `Status` if that form is not accepted here.
    fn decide(&mut self, socket: &TcpStream) -> io::Result<()> {
        let Protection::Undecided(security) = self else { return Ok(()) };
        let mut first = [0];
        let accepted: Result<Option<Secured>> = match socket.peek(&mut first)? {
            0 => Ok(None),
            _ if first[0] == HANDSHAKE => security.accept().map(Some),
            _ => security.check_plain(socket.peer_addr()?.ip()).map(|()| None),
        };
        match accepted {
            Ok(secured) => *self = Protection::of_client(secured),
            Err(e) => {
                *self = Protection::Plain;
                return Err(io::Error::other(e));
            }
        }
        Ok(())
    }
}

/// A connection's bytes before they are encrypted, and after they were decrypted.
pub struct Protected<'a> {
    protection: &'a mut Protection,
    socket: &'a TcpStream,
}

impl Read for Protected<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.protection.decide(self.socket)?;
        match self.protection {
            Protection::Tls(secured) => secured.read(self.socket, into),
            Protection::Plain | Protection::Undecided(_) => (&mut &*self.socket).read(into),
        }
    }
}

impl Write for Protected<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_vectored(&[IoSlice::new(bytes)])
    }

    fn write_vectored(&mut self, slices: &[IoSlice<'_>]) -> io::Result<usize> {
        match self.protection {
            Protection::Tls(secured) => secured.write(self.socket, slices),
            Protection::Plain | Protection::Undecided(_) => (&mut &*self.socket).write_vectored(slices),
        }
    }

    /// Writes what the socket takes now of the encrypted bytes.
    fn flush(&mut self) -> io::Result<()> {
        match self.protection {
            Protection::Tls(secured) => secured.flush(self.socket).map(|_| ()),
            Protection::Plain | Protection::Undecided(_) => Ok(()),
        }
    }
}
