//! `Secured`: TLS over a socket that does not block.

use ferroflow_tensor::{Code, Result, Status};
use rustls::pki_types::ServerName;
use rustls::{
    AlertDescription, CertificateError, ClientConfig, ClientConnection, Connection, Error, ServerConfig,
    ServerConnection,
};
use std::io::{self, ErrorKind, IoSlice, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;

/// The first byte of a TLS handshake.
pub const HANDSHAKE: u8 = 0x16;
/// The first bytes that a side may send: a handshake, an alert.
const BEGINS: [u8; 2] = [HANDSHAKE, 0x15];
/// Encrypted bytes that one read requests, and plain bytes that are encrypted ahead of the socket.
const STAGE: usize = 64 << 10;
const AHEAD: usize = 256 << 10;
/// The channel binding of RFC 9266.
const BINDING: &[u8] = b"EXPORTER-Channel-Binding";

/// One side of a TLS connection.
pub struct Secured {
    connection: Connection,
    /// Encrypted bytes that were received and not decrypted: `staged[used..]`.
    staged: Vec<u8>,
    used: usize,
    has_begun: bool,
}

impl Secured {
    pub fn client(config: Arc<ClientConfig>, name: ServerName<'static>) -> Result<Secured> {
        let made = ClientConnection::new(config, name);
        made.map(|c| Secured::new(c.into())).map_err(|e| status_of(&e))
    }

    pub fn server(config: Arc<ServerConfig>) -> Result<Secured> {
        ServerConnection::new(config).map(|c| Secured::new(c.into())).map_err(|e| status_of(&e))
    }

    fn new(mut connection: Connection) -> Secured {
        connection.set_buffer_limit(Some(AHEAD));
        Secured { connection, staged: Vec::new(), used: 0, has_begun: false }
    }

    /// Returns true if encrypted bytes wait for the socket.
    pub fn has_unsent(&self) -> bool {
        self.connection.wants_write()
    }

    /// Returns true if bytes were received that no read has returned.
    pub fn has_received(&mut self) -> bool {
        // Without new bytes this only counts those that are decrypted. A failure comes again in the next read.
        let decrypted = self.connection.process_new_packets().map_or(1, |state| state.plaintext_bytes_to_read());
        self.used < self.staged.len() || decrypted > 0
    }

    /// Returns the bytes that both sides of this connection share, and no other connection has; none before the end of
    /// the handshake.
    pub fn binding(&self) -> Option<[u8; 32]> {
        self.connection.export_keying_material([0; 32], BINDING, Some(&[])).ok()
    }

    /// Writes encrypted bytes; whether all are gone.
    pub fn flush(&mut self, socket: &TcpStream) -> io::Result<bool> {
        while self.connection.wants_write() {
            match self.connection.write_tls(&mut &*socket) {
                Ok(0) => return Err(ErrorKind::WriteZero.into()),
                Ok(_) => {}
                Err(e) if e.kind() == ErrorKind::WouldBlock => return Ok(false),
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
            }
        }
        Ok(true)
    }

    /// Encrypts bytes and writes what the socket takes now; returns how many bytes were encrypted.
    ///
    /// Errors: `WouldBlock` if earlier ones still wait.
    pub fn write(&mut self, socket: &TcpStream, slices: &[IoSlice<'_>]) -> io::Result<usize> {
        if !self.flush(socket)? {
            return Err(ErrorKind::WouldBlock.into());
        }
        let taken = self.connection.writer().write_vectored(slices)?;
        if taken == 0 && slices.iter().any(|s| !s.is_empty()) {
            // The handshake has not ended, and what waits for its end is enough.
            return Err(ErrorKind::WouldBlock.into());
        }
        self.flush(socket)?;
        Ok(taken)
    }

    /// Reads decrypted bytes; 0 at the end of the connection.
    ///
    /// Errors: `WouldBlock`; those of the socket; an error that holds a `Status` if the other side is not trusted, or its
    /// bytes were changed.
    pub fn read(&mut self, socket: &TcpStream, into: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.connection.reader().read(into) {
                // Frames have lengths, which show an end in the middle of one.
                Err(e) if e.kind() == ErrorKind::UnexpectedEof => return Ok(0),
                Err(e) if e.kind() == ErrorKind::WouldBlock => {}
                done => return done,
            }
            if self.used == self.staged.len() && !self.fill(socket)? {
                return Ok(0);
            }
            self.used += self.connection.read_tls(&mut &self.staged[self.used..])?;
            if let Err(e) = self.connection.process_new_packets() {
                // The other side gets an alert with the reason, if it is still there.
                let _ = self.flush(socket);
                return Err(io::Error::other(status_of(&e)));
            }
            self.flush(socket)?;
        }
    }

    /// Receives encrypted bytes; whether there are any before the end.
    fn fill(&mut self, socket: &TcpStream) -> io::Result<bool> {
        self.used = 0;
        self.staged.resize(STAGE, 0);
        let got = (&mut &*socket).read(&mut self.staged);
        self.staged.truncate(*got.as_ref().unwrap_or(&0));
        got?;
        if let Some(first) = self.staged.first().filter(|_| !self.has_begun) {
            if !BEGINS.contains(first) {
                return Err(io::Error::other(plain()));
            }
            self.has_begun = true;
        }
        Ok(!self.staged.is_empty())
    }
}

fn plain() -> Status {
    Status::failed_precondition(format!(
        "The other side does not use TLS, which this process requires: {} must be the same for all tasks",
        crate::security_options::VARIABLE
    ))
}

/// Returns the failure of a TLS connection as callers distinguish them: keys, options, or the network.
fn status_of(e: &Error) -> Status {
    let token = crate::token::VARIABLE;
    match e {
        Error::InvalidCertificate(CertificateError::ApplicationVerificationFailure) => Status::new(
            Code::Unauthenticated,
            format!("The other side of a connection does not have the token of this cluster ({token})"),
        ),
        Error::InvalidCertificate(why) => {
            Status::new(Code::Unauthenticated, format!("The other side's certificate is refused: {why}"))
        }
        Error::NoCertificatesPresented => {
            Status::new(Code::Unauthenticated, "The other side of a connection has no certificate".to_owned())
        }
        Error::AlertReceived(AlertDescription::AccessDenied) => Status::new(
            Code::Unauthenticated,
            format!("The other side of a connection refused this process: its token ({token}) differs"),
        ),
        Error::AlertReceived(
            alert @ (AlertDescription::BadCertificate
            | AlertDescription::UnsupportedCertificate
            | AlertDescription::CertificateRevoked
            | AlertDescription::CertificateExpired
            | AlertDescription::CertificateUnknown
            | AlertDescription::UnknownCA
            | AlertDescription::CertificateRequired
            | AlertDescription::DecryptError),
        ) => Status::new(
            Code::Unauthenticated,
            format!("The other side of a connection refused this process's certificate ({alert:?})"),
        ),
        Error::AlertReceived(AlertDescription::HandshakeFailure | AlertDescription::ProtocolVersion)
        | Error::PeerIncompatible(_) => Status::failed_precondition(format!(
            "The other side of a connection has other options for TLS ({e}): all tasks need the token, or all need \
             certificates ({}), and one release of ferroflow",
            crate::security_options::CERTIFICATE
        )),
        Error::DecryptError | Error::AlertReceived(AlertDescription::BadRecordMac) => {
            Status::unavailable("The bytes of a connection were changed on their way, which ended it".to_owned())
        }
        other => Status::unavailable(format!("A connection with TLS failed: {other}")),
    }
}

/// Returns the status in an error of `Secured`, if it has one.
pub fn status_in(e: &io::Error) -> Option<Status> {
    e.get_ref().and_then(|inner| inner.downcast_ref::<Status>()).cloned()
}
