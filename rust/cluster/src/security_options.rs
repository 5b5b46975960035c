//! The options of TLS in the environment.

use ferroflow_tensor::{Result, bail};

/// The environment variable that selects the connections with TLS: `auto`, `always` or `never`.
pub const VARIABLE: &str = "FERROFLOW_CLUSTER_TLS";
/// The environment variables that name PEM files: certificate chain, private key, and the authority's certificates.
pub const CERTIFICATE: &str = "FERROFLOW_CLUSTER_TLS_CERTIFICATE";
pub const KEY: &str = "FERROFLOW_CLUSTER_TLS_KEY";
pub const AUTHORITY: &str = "FERROFLOW_CLUSTER_TLS_AUTHORITY";

/// Selects the connections that use TLS.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Mode {
    /// TLS for connections that leave the machine.
    Auto,
    Always,
    Never,
}

impl Mode {
    pub(crate) fn parse(text: &str) -> Result<Mode> {
        match text.trim() {
            "" | "auto" => Ok(Mode::Auto),
            "always" => Ok(Mode::Always),
            "never" => Ok(Mode::Never),
            other => bail!(FailedPrecondition, "{VARIABLE} must be auto, always or never; it is {other:?}"),
        }
    }
}

/// Paths of PEM files.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Files {
    pub(crate) certificate: String,
    pub(crate) key: String,
    pub(crate) authority: String,
}

impl Files {
    pub(crate) fn of(variable: impl Fn(&str) -> Option<String>) -> Result<Option<Files>> {
        let names = [CERTIFICATE, KEY, AUTHORITY];
        match names.map(|name| variable(name).filter(|path| !path.is_empty())) {
            [None, None, None] => Ok(None),
            [Some(certificate), Some(key), Some(authority)] => Ok(Some(Files { certificate, key, authority })),
            found => {
                let missing: Vec<_> =
                    names.into_iter().zip(found).filter(|(_, f)| f.is_none()).map(|(n, _)| n).collect();
                bail!(
                    FailedPrecondition,
                    "TLS with certificates needs {}, {} and {}; {} is not set",
                    CERTIFICATE,
                    KEY,
                    AUTHORITY,
                    missing.join(" and ")
                )
            }
        }
    }
}
