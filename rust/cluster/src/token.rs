//! The shared secret with which tasks prove to each other that they belong together, where others could reach them.
//!
//! Both sides send a nonce. They prove by HMAC-SHA256 over both nonces and their role that they have the token, which
//! itself is never sent.

use crate::address::Address;
use ferroflow_tensor::{Code, Result, Status, bail};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// The environment variable that holds the token.
pub const VARIABLE: &str = "FERROFLOW_CLUSTER_TOKEN";
const MIN_LENGTH: usize = 16;
const NONCE: usize = 32;

/// The connection that a proof holds for: the nonces of both sides, and what only the two sides of a TLS connection share. Without the
/// latter, somebody between them could pass proofs on.
pub struct Meeting<'a> {
    pub client: &'a [u8],
    pub server: &'a [u8],
    pub binding: &'a [u8],
}

/// The secret of a cluster; none on loopback where none is set.
#[derive(Clone)]
pub struct Token(Option<Vec<u8>>);

impl Token {
    /// Returns the token of this process for connections with that address.
    ///
    /// Errors: `FailedPrecondition` where the address is not loopback and no token is set, or it is too short.
    pub fn for_address(address: &Address) -> Result<Token> {
        let token = std::env::var(VARIABLE).unwrap_or_default();
        if token.is_empty() {
            if address.is_loopback() {
                return Ok(Token(None));
            }
            bail!(
                FailedPrecondition,
                "{address} is not a loopback address: other machines could reach it. Set {VARIABLE} to one secret of at \
                 least {MIN_LENGTH} characters in the environment of every task of the cluster."
            );
        }
        if token.len() < MIN_LENGTH {
            bail!(FailedPrecondition, "{VARIABLE} must have at least {MIN_LENGTH} characters, it has {}", token.len());
        }
        Ok(Token(Some(token.into_bytes())))
    }

    #[cfg(test)]
    pub fn of(text: &str) -> Token {
        Token(Some(text.as_bytes().to_vec()))
    }

    #[cfg(test)]
    pub fn of_nothing() -> Token {
        Token(None)
    }

    pub fn is_set(&self) -> bool {
        self.0.is_some()
    }

    fn keyed(&self) -> Option<Hmac<Sha256>> {
        Hmac::<Sha256>::new_from_slice(self.0.as_ref()?).ok()
    }

    fn mac(&self, role: &[u8], met: &Meeting<'_>) -> Option<Hmac<Sha256>> {
        let mut mac = self.keyed()?;
        mac.update(b"ferroflow cluster 1 ");
        mac.update(role);
        mac.update(met.client);
        mac.update(met.server);
        mac.update(met.binding);
        Some(mac)
    }

    /// Returns the secret from which a role's key for TLS is made; none without a token.
    pub fn derive(&self, role: &[u8]) -> Option<[u8; 32]> {
        let mut mac = self.keyed()?;
        mac.update(b"ferroflow tls 1 ");
        mac.update(role);
        Some(mac.finalize().into_bytes().into())
    }

    /// Returns the proof of a side (`server` or `client`); empty without a token.
    pub fn proof(&self, role: &[u8], met: &Meeting<'_>) -> Vec<u8> {
        self.mac(role, met).map(|m| m.finalize().into_bytes().to_vec()).unwrap_or_default()
    }

    /// Errors: `Unauthenticated` where the other side's proof is wrong.
    pub fn check(&self, role: &[u8], met: &Meeting<'_>, proof: &[u8]) -> Result<()> {
        match self.mac(role, met) {
            None => Ok(()),
            Some(mac) => mac.verify_slice(proof).map_err(|_| {
                Status::new(
                    Code::Unauthenticated,
                    format!("The other side of a connection does not have the token of this cluster ({VARIABLE})"),
                )
            }),
        }
    }
}

/// Returns unpredictable bytes.
pub fn nonce() -> Result<Vec<u8>> {
    let mut bytes = vec![0; NONCE];
    match getrandom::fill(&mut bytes) {
        Ok(()) => Ok(bytes),
        Err(e) => bail!(Internal, "The system has no random numbers: {e}"),
    }
}

/// Errors: `InvalidArgument` for a nonce that is too short to be one.
pub fn check_nonce(nonce: &[u8]) -> Result<()> {
    if nonce.len() != NONCE {
        bail!(InvalidArgument, "A nonce of {} bytes was received", nonce.len());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proof_holds_for_its_role_and_its_nonces_only() {
        let token = Token::of("0123456789abcdef");
        let met = |client, server, binding| Meeting { client, server, binding };
        let right = met(b"a", b"b", b"");
        let proof = token.proof(b"server", &right);
        assert!(token.check(b"server", &right, &proof).is_ok());
        assert!(token.check(b"client", &right, &proof).is_err());
        for wrong in [met(b"b", b"a", b""), met(b"a", b"c", b""), met(b"a", b"b", b"tls")] {
            assert!(token.check(b"server", &wrong, &proof).is_err());
        }
        let other = Token::of("0123456789abcdeF");
        assert_eq!(other.check(b"server", &right, &proof).unwrap_err().code(), Code::Unauthenticated);
        assert!(Token(None).check(b"server", &right, &[]).is_ok());
        assert!(
            token.derive(b"server") != token.derive(b"client") && token.derive(b"server") != other.derive(b"server")
        );
    }

    #[test]
    fn an_address_that_others_reach_needs_a_token() {
        let address = Address::parse("192.0.2.1:2222").unwrap();
        if std::env::var_os(VARIABLE).is_none() {
            let error = Token::for_address(&address).err().unwrap();
            assert!(error.message().contains(VARIABLE), "{}", error.message());
        }
    }
}
