//! Names of files as ops are given them, and what the system's failures mean.

use ferroflow_tensor::{Bytes, Code, Result, Status, Tensor, bail};
use std::io::{Error, ErrorKind};
use std::path::PathBuf;

/// The path of a file name, which may begin with the scheme of local files.
pub(crate) fn path_of(name: &str) -> PathBuf {
    PathBuf::from(name.strip_prefix("file://").unwrap_or(name))
}

/// A failure of the system as TF words it: `name; No such file or directory`.
pub(crate) fn failure(name: &str, error: &Error) -> Status {
    let (code, words) = match error.kind() {
        ErrorKind::NotFound => (Code::NotFound, "No such file or directory".to_owned()),
        ErrorKind::PermissionDenied => (Code::PermissionDenied, "Permission denied".to_owned()),
        ErrorKind::AlreadyExists => (Code::AlreadyExists, "File exists".to_owned()),
        ErrorKind::IsADirectory => (Code::FailedPrecondition, "Is a directory".to_owned()),
        ErrorKind::NotADirectory => (Code::FailedPrecondition, "Not a directory".to_owned()),
        ErrorKind::StorageFull | ErrorKind::OutOfMemory => (Code::ResourceExhausted, error.to_string()),
        ErrorKind::InvalidInput => (Code::InvalidArgument, error.to_string()),
        _ => (Code::Unknown, error.to_string()),
    };
    Status::new(code, format!("{name}; {words}"))
}

/// The bytes of a file.
pub(crate) fn read(name: &str) -> Result<Vec<u8>> {
    std::fs::read(path_of(name)).map_err(|e| failure(name, &e))
}

/// The name in a scalar.
pub(super) fn name_in(t: &Tensor, argument: &str) -> Result<String> {
    match (t.rank(), t.strings()?) {
        (0, [one]) => Ok(String::from_utf8_lossy(one).into_owned()),
        _ => bail!(InvalidArgument, "Input {argument} tensor must be scalar, but had shape: {}", t.shape()),
    }
}

/// A scalar of bytes.
pub(super) fn scalar(bytes: impl Into<Bytes>) -> Result<Tensor> {
    Tensor::from_strings([], vec![bytes.into()])
}
