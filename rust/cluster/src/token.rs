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

    pub fn is_set(&self) -> bool {
        self.0.is_some()
    }

    fn mac(&self, role: &[u8], client: &[u8], server: &[u8]) -> Option<Hmac<Sha256>> {
        let mut mac = Hmac::<Sha256>::new_from_slice(self.0.as_ref()?).ok()?;
        mac.update(b"ferroflow cluster 1 ");
        mac.update(role);
        mac.update(client);
        mac.update(server);
        Some(mac)
    }

    /// Returns the proof of a side (`server` or `client`); empty without a token.
    pub fn proof(&self, role: &[u8], client: &[u8], server: &[u8]) -> Vec<u8> {
        self.mac(role, client, server).map(|m| m.finalize().into_bytes().to_vec()).unwrap_or_default()
    }

    /// Errors: `Unauthenticated` where the other side's proof is wrong.
    pub fn check(&self, role: &[u8], client: &[u8], server: &[u8], proof: &[u8]) -> Result<()> {
        match self.mac(role, client, server) {
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
        let token = Token(Some(b"0123456789abcdef".to_vec()));
        let proof = token.proof(b"server", b"a", b"b");
        assert!(token.check(b"server", b"a", b"b", &proof).is_ok());
        for (role, client, server) in [(b"client", b"a", b"b"), (b"server", b"b", b"a"), (b"server", b"a", b"c")] {
            assert!(token.check(role, client, server, &proof).is_err());
        }
        let other = Token(Some(b"0123456789abcdeF".to_vec()));
        assert_eq!(other.check(b"server", b"a", b"b", &proof).unwrap_err().code(), Code::Unauthenticated);
        assert!(Token(None).check(b"server", b"a", b"b", &[]).is_ok());
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
