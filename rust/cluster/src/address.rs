//! Network addresses as a cluster's description has them: `host:port`.

use ferroflow_tensor::{Result, bail, ensure};
use std::fmt;

/// The address of a task.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Address {
    pub host: String,
    pub port: u16,
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.host, self.port)
    }
}

impl Address {
    /// Errors: `InvalidArgument` where there is no host or no port.
    pub fn parse(text: &str) -> Result<Address> {
        let Some((host, port)) = text.rsplit_once(':') else {
            bail!(InvalidArgument, "Could not parse port for server from \"{text}\": the address must be host:port");
        };
        let Ok(port) = port.parse() else {
            bail!(InvalidArgument, "Could not parse port for server from \"{text}\": {port:?} is no port");
        };
        ensure!(!host.is_empty(), InvalidArgument, "The address \"{text}\" has no host before its port");
        Ok(Address { host: host.to_owned(), port })
    }

    /// Parses the address of a session's target, `grpc://host:port`.
    ///
    /// Errors: `NotFound` for a target of another form.
    pub fn of_target(target: &str) -> Result<Address> {
        match target.strip_prefix("grpc://") {
            Some(address) => Address::parse(address),
            None => bail!(
                NotFound,
                "No session factory registered for the given session options: {{target: \"{target}\"}}: a target is \
                 grpc://host:port"
            ),
        }
    }

    /// Returns the host without the brackets of an IPv6 address.
    pub fn bare_host(&self) -> &str {
        self.host.trim_matches(['[', ']'])
    }

    /// Returns true if the text itself says loopback. A host name may resolve to loopback, too.
    pub fn is_loopback(&self) -> bool {
        let host = self.bare_host();
        host.eq_ignore_ascii_case("localhost")
            || host.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.to_canonical().is_loopback())
    }

    /// Returns true if the texts of both addresses name the same socket.
    pub fn is_same(&self, other: &Address) -> bool {
        self.port == other.port
            && (self.host.eq_ignore_ascii_case(&other.host) || (self.is_usual_loopback() && other.is_usual_loopback()))
    }

    fn is_usual_loopback(&self) -> bool {
        ["localhost", "127.0.0.1", "[::1]", "::1"].iter().any(|h| self.host.eq_ignore_ascii_case(h))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_a_host_and_a_port() {
        let address = Address::parse("[::1]:2222").unwrap();
        assert_eq!((address.host.as_str(), address.port), ("[::1]", 2222));
        for text in ["localhost", "localhost:", "localhost:x", ":2222", "localhost:99999", ""] {
            assert!(Address::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn loopback_has_several_names() {
        let parse = |t| Address::parse(t).unwrap();
        assert!(parse("localhost:1").is_same(&parse("127.0.0.1:1")));
        assert!(!parse("localhost:1").is_same(&parse("localhost:2")));
        assert!(!parse("127.0.0.2:1").is_same(&parse("127.0.0.1:1")));
        assert!(parse("127.0.0.2:1").is_loopback() && !parse("10.0.0.1:1").is_loopback());
    }

    #[test]
    fn a_target_has_tensorflows_form() {
        assert_eq!(Address::of_target("grpc://ps0:2222").unwrap(), Address { host: "ps0".into(), port: 2222 });
        assert_eq!(Address::of_target("ps0:2222").unwrap_err().code(), ferroflow_tensor::Code::NotFound);
    }
}
