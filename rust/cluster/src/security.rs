//! `Security`: which connections use TLS, and with which keys.
//!
//! TLS 1.3 only. Both sides authenticate. Without files, each role has an Ed25519 key that is derived from the cluster's
//! token. Each side then accepts only the key of the other role (raw public keys, RFC 7250). With files, both sides have
//! certificates of the cluster's authority, and a client checks the name of the server.

use crate::address::Address;
use crate::secured::Secured;
use crate::security_options::{AUTHORITY, CERTIFICATE, Files, KEY, Mode, VARIABLE};
use crate::token::{Token, VARIABLE as TOKEN};
use ferroflow_tensor::{Result, Status, bail};
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{AlwaysResolvesClientRawPublicKeys, Resumption};
use rustls::crypto::{CryptoProvider, ring, verify_tls13_signature_with_raw_key};
use rustls::pki_types::pem::{Error as PemError, PemObject};
use rustls::pki_types::{
    CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer, ServerName, SubjectPublicKeyInfoDer, UnixTime,
};
use rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
use rustls::server::{AlwaysResolvesServerRawPublicKeys, NoServerSessionStorage, WebPkiClientVerifier};
use rustls::sign::CertifiedKey;
use rustls::{
    CertificateError, CipherSuite, ClientConfig, DigitallySignedStruct, DistinguishedName, Error, RootCertStore,
    ServerConfig, SignatureScheme, version,
};
use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;

/// An Ed25519 private key in PKCS #8 is these bytes and the seed.
const PKCS8_ED25519: [u8; 16] =
    [0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20];

/// The name of a server whose key is derived from the token.
const UNNAMED: &str = "task.invalid";

fn unreadable(variable: &str, path: &str, why: &dyn fmt::Display) -> Status {
    Status::failed_precondition(format!("{variable}: {path:?} cannot be used: {why}"))
}

fn certificates(variable: &str, path: &str) -> Result<Vec<CertificateDer<'static>>> {
    let found: Result<Vec<_>, PemError> = CertificateDer::pem_file_iter(path).and_then(Iterator::collect);
    match found {
        Ok(found) if found.is_empty() => Err(unreadable(variable, path, &"it has no certificate")),
        Ok(found) => Ok(found),
        Err(e) => Err(unreadable(variable, path, &e)),
    }
}

fn provider() -> Arc<CryptoProvider> {
    let mut provider = ring::default_provider();
    // The fastest of them where the CPU has instructions for AES.
    provider.cipher_suites.sort_by_key(|suite| suite.suite() != CipherSuite::TLS13_AES_128_GCM_SHA256);
    Arc::new(provider)
}

fn failed(e: Error) -> Status {
    Status::failed_precondition(format!("TLS cannot be used: {e}"))
}

/// Returns the key of a role (`server` or `client`), which all who have the token can derive.
fn derived_key(token: &Token, role: &str) -> Result<CertifiedKey> {
    let Some(seed) = token.derive(role.as_bytes()) else {
        bail!(FailedPrecondition, "TLS needs {TOKEN}, or certificates ({CERTIFICATE}, {KEY} and {AUTHORITY})");
    };
    let der = [&PKCS8_ED25519[..], &seed].concat();
    let key = ring::sign::any_eddsa_type(&PrivatePkcs8KeyDer::from(der)).map_err(failed)?;
    let Some(public) = key.public_key() else { bail!(Internal, "a derived key has no public key") };
    Ok(CertifiedKey::new(vec![CertificateDer::from(public.to_vec())], key))
}

/// Accepts one public key: that of the other role.
#[derive(Debug)]
struct Pinned {
    key: CertificateDer<'static>,
    provider: Arc<CryptoProvider>,
}

impl Pinned {
    fn check(&self, found: &CertificateDer<'_>) -> Result<(), Error> {
        // Public keys are no secrets: the comparison may take any time.
        if found.as_ref() == self.key.as_ref() {
            return Ok(());
        }
        Err(Error::InvalidCertificate(CertificateError::ApplicationVerificationFailure))
    }

    fn check_signature(
        &self,
        message: &[u8],
        key: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let key = SubjectPublicKeyInfoDer::from(key.as_ref());
        verify_tls13_signature_with_raw_key(message, &key, signed, &self.provider.signature_verification_algorithms)
    }
}

impl ServerCertVerifier for Pinned {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        self.check(end_entity).map(|()| ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _message: &[u8],
        _cert: &CertificateDer<'_>,
        _dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Err(Error::General("TLS 1.2 is not used".to_owned()))
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.check_signature(message, cert, dss)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        vec![SignatureScheme::ED25519]
    }

    fn requires_raw_public_keys(&self) -> bool {
        true
    }
}

impl ClientCertVerifier for Pinned {
    fn root_hint_subjects(&self) -> &[DistinguishedName] {
        &[]
    }

    fn verify_client_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _now: UnixTime,
    ) -> Result<ClientCertVerified, Error> {
        self.check(end_entity).map(|()| ClientCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _message: &[u8],
        _cert: &CertificateDer<'_>,
        _dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Err(Error::General("TLS 1.2 is not used".to_owned()))
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.check_signature(message, cert, dss)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        vec![SignatureScheme::ED25519]
    }

    fn requires_raw_public_keys(&self) -> bool {
        true
    }
}

/// The mode and the keys of this process's connections.
#[derive(Clone)]
pub struct Security {
    mode: Mode,
    files: Option<Files>,
    token: Token,
}

/// The server's side, made once for all its connections.
#[derive(Clone)]
pub struct ServerSecurity {
    mode: Mode,
    config: Option<Arc<ServerConfig>>,
}

/// The client's side, made once for all attempts to connect.
pub struct ClientSecurity(Option<(Arc<ClientConfig>, ServerName<'static>)>);

impl Security {
    /// Reads the options from the environment.
    ///
    /// Errors: `FailedPrecondition` for an unknown mode, and if only some of the files are named.
    pub fn of_environment(token: &Token) -> Result<Security> {
        Security::of(|name| std::env::var(name).ok(), token)
    }

    fn of(variable: impl Fn(&str) -> Option<String>, token: &Token) -> Result<Security> {
        let mode = Mode::parse(&variable(VARIABLE).unwrap_or_default())?;
        Ok(Security { mode, files: Files::of(variable)?, token: token.clone() })
    }

    /// Returns true if a client uses TLS for a connection; `is_loopback`: it does not leave the machine.
    pub fn is_used(&self, is_loopback: bool) -> bool {
        match self.mode {
            Mode::Always => true,
            Mode::Auto => !is_loopback,
            Mode::Never => false,
        }
    }

    fn roots(files: &Files) -> Result<Arc<RootCertStore>> {
        let mut roots = RootCertStore::empty();
        for certificate in certificates(AUTHORITY, &files.authority)? {
            roots.add(certificate).map_err(|e| unreadable(AUTHORITY, &files.authority, &e))?;
        }
        Ok(Arc::new(roots))
    }

    fn own(files: &Files) -> Result<(Vec<CertificateDer<'static>>, PrivateKeyDer<'static>)> {
        let key = PrivateKeyDer::from_pem_file(&files.key).map_err(|e| unreadable(KEY, &files.key, &e))?;
        Ok((certificates(CERTIFICATE, &files.certificate)?, key))
    }

    /// Errors: `FailedPrecondition` if there are no keys and TLS is required, or files cannot be used.
    pub fn server(&self) -> Result<ServerSecurity> {
        let has_keys = self.files.is_some() || self.token.is_set();
        let config = match self.mode {
            Mode::Never => None,
            Mode::Auto if !has_keys => None,
            Mode::Auto | Mode::Always => Some(Arc::new(self.server_config()?)),
        };
        Ok(ServerSecurity { mode: self.mode, config })
    }

    fn server_config(&self) -> Result<ServerConfig> {
        let provider = provider();
        let builder = ServerConfig::builder_with_provider(provider.clone())
            .with_protocol_versions(&[&version::TLS13])
            .map_err(failed)?;
        let mut config = match &self.files {
            Some(files) => {
                let (chain, key) = Security::own(files)?;
                let verifier = WebPkiClientVerifier::builder_with_provider(Security::roots(files)?, provider).build();
                let verifier = verifier.map_err(|e| unreadable(AUTHORITY, &files.authority, &e))?;
                let config = builder.with_client_cert_verifier(verifier).with_single_cert(chain, key);
                config.map_err(|e| unreadable(CERTIFICATE, &files.certificate, &e))?
            }
            None => {
                let key = derived_key(&self.token, "client")?.cert.swap_remove(0);
                let own = Arc::new(derived_key(&self.token, "server")?);
                builder
                    .with_client_cert_verifier(Arc::new(Pinned { key, provider }))
                    .with_cert_resolver(Arc::new(AlwaysResolvesServerRawPublicKeys::new(own)))
            }
        };
        // A connection that resumes another one would not check the certificates again.
        config.session_storage = Arc::new(NoServerSessionStorage {});
        config.send_tls13_tickets = 0;
        Ok(config)
    }

    /// Returns the side of a client that connects to a host.
    ///
    /// Errors: `FailedPrecondition` if there are no keys and TLS is required, or files cannot be used.
    pub fn client(&self, address: &Address) -> Result<ClientSecurity> {
        if !self.is_used(address.is_loopback()) {
            return Ok(ClientSecurity(None));
        }
        self.client_side(address).map(|side| ClientSecurity(Some(side)))
    }

    /// Returns a client's new connection, which uses TLS.
    ///
    /// Errors: as those of `client`.
    pub fn secured(&self, address: &Address) -> Result<Secured> {
        let (config, name) = self.client_side(address)?;
        Secured::client(config, name)
    }

    fn client_side(&self, address: &Address) -> Result<(Arc<ClientConfig>, ServerName<'static>)> {
        // The key of a token belongs to no host.
        let host = if self.files.is_some() { address.bare_host() } else { UNNAMED };
        let Ok(name) = ServerName::try_from(host.to_owned()) else {
            bail!(FailedPrecondition, "{host:?} is neither a host name nor an IP address, which TLS needs");
        };
        Ok((Arc::new(self.client_config()?), name))
    }

    fn client_config(&self) -> Result<ClientConfig> {
        let provider = provider();
        let builder = ClientConfig::builder_with_provider(provider.clone())
            .with_protocol_versions(&[&version::TLS13])
            .map_err(failed)?;
        let mut config = match &self.files {
            Some(files) => {
                let (chain, key) = Security::own(files)?;
                let config = builder.with_root_certificates(Security::roots(files)?).with_client_auth_cert(chain, key);
                config.map_err(|e| unreadable(CERTIFICATE, &files.certificate, &e))?
            }
            None => {
                let key = derived_key(&self.token, "server")?.cert.swap_remove(0);
                let own = Arc::new(derived_key(&self.token, "client")?);
                builder
                    .dangerous()
                    .with_custom_certificate_verifier(Arc::new(Pinned { key, provider }))
                    .with_client_cert_resolver(Arc::new(AlwaysResolvesClientRawPublicKeys::new(own)))
            }
        };
        config.resumption = Resumption::disabled();
        config.enable_sni = false;
        Ok(config)
    }
}

impl ServerSecurity {
    /// Returns the state of a connection whose first byte announces TLS.
    ///
    /// Errors: `FailedPrecondition` if this process does not use it.
    pub fn accept(&self) -> Result<Secured> {
        match &self.config {
            Some(config) => Secured::server(config.clone()),
            None => {
                bail!(FailedPrecondition, "The other side does not use TLS: {VARIABLE} must be the same for all tasks")
            }
        }
    }

    /// Errors: `FailedPrecondition` if a connection from there may not be without TLS.
    pub fn check_plain(&self, from: IpAddr) -> Result<()> {
        let is_refused = match self.mode {
            Mode::Always => true,
            Mode::Auto => self.config.is_some() && !from.to_canonical().is_loopback(),
            Mode::Never => false,
        };
        if is_refused {
            bail!(
                FailedPrecondition,
                "The other side requires TLS, and this process connects without: {VARIABLE} must be the same for all \
                 tasks, and an address that is not loopback in `auto`"
            );
        }
        Ok(())
    }
}

impl ClientSecurity {
    /// Returns the state of a new connection; none if it is without TLS.
    pub fn connect(&self) -> Result<Option<Secured>> {
        match &self.0 {
            Some((config, name)) => Secured::client(config.clone(), name.clone()).map(Some),
            None => Ok(None),
        }
    }
}

#[cfg(test)]
mod tests;
