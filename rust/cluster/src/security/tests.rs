//! Connections whose two sides fit, and those whose sides do not, or whose bytes somebody changes.

use super::*;
use crate::secured::status_in;
use ferroflow_tensor::Code;
use std::io::{ErrorKind, IoSlice, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::{Duration, Instant};

const HANGS: Duration = Duration::from_secs(20);
const CERTIFICATES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/cluster/certificates");

/// One side, and the socket at the other end of its own.
struct Side {
    secured: Secured,
    socket: TcpStream,
    outside: TcpStream,
    received: Vec<u8>,
    end: Option<Result<()>>,
}

impl Side {
    fn new(secured: Secured) -> Side {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let socket = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let outside = listener.accept().unwrap().0;
        socket.set_nonblocking(true).unwrap();
        outside.set_nonblocking(true).unwrap();
        Side { secured, socket, outside, received: Vec::new(), end: None }
    }

    fn send(&mut self, bytes: &[u8]) -> usize {
        self.secured.write(&self.socket, &[IoSlice::new(bytes)]).unwrap_or(0)
    }

    /// Reads what has arrived.
    fn advance(&mut self) {
        let mut part = [0; 10_000];
        while self.end.is_none() {
            match self.secured.read(&self.socket, &mut part) {
                Ok(0) => self.end = Some(Ok(())),
                Ok(n) => self.received.extend(&part[..n]),
                Err(e) if e.kind() == ErrorKind::WouldBlock => break,
                Err(e) => self.end = Some(Err(status_in(&e).unwrap_or_else(|| Status::internal(e.to_string())))),
            }
        }
        let _ = self.secured.flush(&self.socket);
    }

    fn code(&self) -> Option<Code> {
        self.end.as_ref().and_then(|end| end.as_ref().err()).map(|e| e.code())
    }

    /// Takes the encrypted bytes that this side has sent.
    fn take(&mut self) -> Vec<u8> {
        let (mut taken, mut part) = (Vec::new(), [0; 10_000]);
        while let Ok(n @ 1..) = self.outside.read(&mut part) {
            taken.extend(&part[..n]);
        }
        taken
    }

    fn give(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            match self.outside.write(bytes) {
                Ok(n) => bytes = &bytes[n..],
                Err(e) if e.kind() == ErrorKind::WouldBlock => self.advance(),
                // A side that has failed takes nothing more.
                Err(_) => return,
            }
        }
    }
}

/// Passes bytes on until the condition holds, or nothing goes on.
fn pass_on(
    client: &mut Side,
    server: &mut Side,
    change: impl Fn(Vec<u8>) -> Vec<u8>,
    done: impl Fn(&Side, &Side) -> bool,
) {
    let (began, mut idle) = (Instant::now(), 0);
    while !done(client, server) && idle < 20 {
        assert!(began.elapsed() < HANGS);
        client.advance();
        let to_server = change(client.take());
        server.give(&to_server);
        server.advance();
        let to_client = server.take();
        client.give(&to_client);
        idle = if to_server.is_empty() && to_client.is_empty() { idle + 1 } else { 0 };
        if idle > 0 {
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

fn by_token(text: &str) -> Security {
    Security::of(|name| (name == VARIABLE).then(|| "always".to_owned()), &Token::of(text)).unwrap()
}

fn by_files(task: &str, authority: &str) -> Security {
    let path = |file: &str| Some(format!("{CERTIFICATES}/{file}"));
    let variable = |name: &str| match name {
        VARIABLE => Some("always".to_owned()),
        CERTIFICATE => path(&format!("{task}.pem")),
        KEY => path(&format!("{task}.key")),
        AUTHORITY => path(&format!("{authority}.pem")),
        _ => None,
    };
    Security::of(variable, &Token::of("0123456789abcdef")).unwrap()
}

fn sides(client: &Security, server: &Security) -> (Side, Side) {
    let address = Address::parse("localhost:1").unwrap();
    (Side::new(client.secured(&address).unwrap()), Side::new(server.server().unwrap().accept().unwrap()))
}

/// Returns how both sides end if each sends a word; `None`: they go on.
fn met(client: &Security, server: &Security) -> (Option<Code>, Option<Code>, bool) {
    let (mut client, mut server) = sides(client, server);
    client.send(b"hello");
    server.send(b"welcome");
    let has_all = |c: &Side, s: &Side| c.received == b"welcome" && s.received == b"hello";
    pass_on(&mut client, &mut server, |bytes| bytes, has_all);
    let binding = client.secured.binding();
    (
        client.code(),
        server.code(),
        has_all(&client, &server) && binding.is_some() && binding == server.secured.binding(),
    )
}

#[test]
fn sides_with_one_token_or_one_authority_connect() {
    let token = by_token("0123456789abcdef");
    assert_eq!(met(&token, &token), (None, None, true));
    let files = by_files("task", "authority");
    assert_eq!(met(&files, &files), (None, None, true));
}

#[test]
fn no_two_connections_share_a_binding() {
    let token = by_token("0123456789abcdef");
    let bindings = [(); 2].map(|()| {
        let (mut client, mut server) = sides(&token, &token);
        client.send(b"x");
        pass_on(&mut client, &mut server, |bytes| bytes, |_, s| !s.received.is_empty());
        client.secured.binding().unwrap()
    });
    assert_ne!(bindings[0], bindings[1]);
}

#[test]
fn sides_that_do_not_trust_each_other_both_know_it() {
    let refused = Some(Code::Unauthenticated);
    assert_eq!(met(&by_token("0123456789abcdef"), &by_token("0123456789abcdeF")), (refused, refused, false));
    let right = by_files("task", "authority");
    for (task, authority) in [("other_task", "other_authority"), ("other_task", "authority"), ("expired", "authority")]
    {
        let wrong = by_files(task, authority);
        for (client, server) in [(&right, &wrong), (&wrong, &right)] {
            assert_eq!(met(client, server), (refused, refused, false), "{task} {authority}");
        }
    }
    // A client has no name to check.
    let elsewhere = by_files("elsewhere", "authority");
    assert_eq!(met(&right, &elsewhere), (refused, refused, false));
    assert_eq!(met(&elsewhere, &right), (None, None, true));
    let options = Some(Code::FailedPrecondition);
    for (client, server) in [(&right, &by_token("0123456789abcdef")), (&by_token("0123456789abcdef"), &right)] {
        let (client, server, went) = met(client, server);
        assert!(!went && (client == options || server == options), "{client:?} {server:?}");
    }
}

#[test]
fn changed_bytes_never_arrive_and_end_the_connection() {
    let token = by_token("0123456789abcdef");
    let sent: Vec<u8> = (0..40_000u32).map(|i| ((i * i) >> 3) as u8).collect();
    // Of the handshake and of each part of the records, headers included.
    for place in (0..900usize).step_by(13).chain((900..41_000).step_by(1711)) {
        let (mut client, mut server) = sides(&token, &token);
        let gone = std::cell::Cell::new(0usize);
        client.send(&sent);
        let change = |mut bytes: Vec<u8>| {
            if let Some(byte) = place.checked_sub(gone.get()).and_then(|at| bytes.get_mut(at)) {
                *byte ^= 0x10;
            }
            gone.set(gone.get() + bytes.len());
            bytes
        };
        pass_on(&mut client, &mut server, change, |c, s| c.end.is_some() && s.end.is_some());
        assert!(gone.get() > place || server.end.is_some(), "nothing was changed at {place}");
        assert!(sent.starts_with(&server.received) && server.received.len() < sent.len(), "{place}");
        // A changed length makes the side wait for more, which its time limits end.
        assert!(server.code().is_some() || server.end.is_none(), "{place}");
    }
}

#[test]
fn records_that_come_twice_end_the_connection() {
    let token = by_token("0123456789abcdef");
    let (mut client, mut server) = sides(&token, &token);
    client.send(b"first");
    pass_on(&mut client, &mut server, |bytes| bytes, |_, s| !s.received.is_empty());
    client.send(b"pay once");
    let (began, mut record) = (Instant::now(), Vec::new());
    while record.is_empty() && began.elapsed() < HANGS {
        record = client.take();
    }
    assert!(!record.is_empty());
    server.give(&[&record[..], &record[..]].concat());
    while server.end.is_none() && began.elapsed() < HANGS {
        server.advance();
    }
    // Bytes that came with the second one may be lost, but nothing arrives twice.
    assert!([&b"first"[..], b"firstpay once"].contains(&&server.received[..]), "{:?}", server.received);
    assert_eq!(server.code(), Some(Code::Unavailable));
}

#[test]
fn a_side_without_tls_is_recognized_by_its_first_byte() {
    let token = by_token("0123456789abcdef");
    for answer in [&b"FFw1\x02\0\0\0"[..], b"HTTP/1.1 400 Bad Request\r\n\r\n", b"\0"] {
        let (mut client, _) = sides(&token, &token);
        client.send(b"hello");
        client.give(answer);
        client.advance();
        assert_eq!(client.code(), Some(Code::FailedPrecondition));
    }
}

#[test]
fn which_connections_use_tls() {
    let of = |mode: &str, token: &Token| Security::of(|name| (name == VARIABLE).then(|| mode.to_owned()), token);
    let (token, none) = (Token::of("0123456789abcdef"), Token::of_nothing());
    let (loopback, other): (IpAddr, IpAddr) = ("::ffff:127.0.0.1".parse().unwrap(), "192.0.2.1".parse().unwrap());
    for (mode, uses, refuses) in [("", [false, true], [false, true]), ("always", [true, true], [true, true])] {
        let security = of(mode, &token).unwrap();
        assert_eq!([true, false].map(|is_loopback| security.is_used(is_loopback)), uses);
        let server = security.server().unwrap();
        assert_eq!([loopback, other].map(|from| server.check_plain(from).is_err()), refuses);
        assert!(server.accept().is_ok());
    }
    let never = of("never", &token).unwrap();
    assert!(!never.is_used(false) && never.server().unwrap().check_plain(other).is_ok());
    assert_eq!(never.server().unwrap().accept().err().unwrap().code(), Code::FailedPrecondition);
    assert!(of("auto", &none).unwrap().server().unwrap().accept().is_err());
    assert!(of("always", &none).unwrap().server().err().unwrap().message().contains("FERROFLOW_CLUSTER_TOKEN"));
    assert!(of("on", &token).err().unwrap().message().contains("auto, always or never"));
}

#[test]
fn files_that_cannot_be_used_are_named() {
    let token = Token::of("0123456789abcdef");
    let path = |file: &str| Some(format!("{CERTIFICATES}/{file}"));
    let of = |certificate: &'static str, key: &'static str, authority: &'static str| {
        let variable = move |name: &str| match name {
            CERTIFICATE => path(certificate),
            KEY => path(key),
            AUTHORITY => path(authority),
            _ => None,
        };
        let security = Security::of(variable, &token).unwrap();
        let errors = [security.server().err(), security.secured(&Address::parse("localhost:1").unwrap()).err()];
        errors.map(|e| e.unwrap().message().to_owned())
    };
    for (files, told) in [
        (("absent.pem", "task.key", "authority.pem"), "absent.pem"),
        (("task.pem", "absent.key", "authority.pem"), "absent.key"),
        (("task.pem", "task.key", "absent.pem"), "absent.pem"),
        (("task.pem", "task.pem", "authority.pem"), KEY),
        (("task.key", "task.key", "authority.pem"), "it has no certificate"),
        // A key of another certificate.
        (("task.pem", "expired.key", "authority.pem"), CERTIFICATE),
    ] {
        for message in of(files.0, files.1, files.2) {
            assert!(message.contains(told), "{message}");
        }
    }
    let some = Security::of(|name| (name == KEY).then(|| "key.pem".to_owned()), &token).err().unwrap();
    assert!(some.message().contains(CERTIFICATE) && some.message().contains(AUTHORITY), "{}", some.message());
}
