//! Names of files as programs give them, and what the system's failures mean.

use ferroflow_tensor::{Code, Result, Status};
use std::io::{Error, ErrorKind};
use std::path::{Path, PathBuf};

/// Optional beginning of local files' names.
pub(crate) const SCHEME: &str = "file://";

/// Returns the path of a file name, which may begin with the scheme of local files.
pub fn path_of(name: impl AsRef<[u8]>) -> PathBuf {
    let name = name.as_ref();
    let name = name.strip_prefix(SCHEME.as_bytes()).unwrap_or(name);
    #[cfg(unix)]
    return PathBuf::from(<std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(name));
    #[cfg(not(unix))]
    return PathBuf::from(String::from_utf8_lossy(name).into_owned());
}

/// Returns the code of an error number of POSIX. TF 1.x: numbers that are not listed are unknown.
#[cfg(unix)]
fn code_of(error: &Error) -> Option<Code> {
    Some(match error.raw_os_error()? {
        libc::EINVAL | libc::ENAMETOOLONG | libc::E2BIG | libc::EDOM | libc::EFAULT | libc::EILSEQ | libc::ENOTTY => {
            Code::InvalidArgument
        }
        libc::ETIMEDOUT => Code::DeadlineExceeded,
        libc::ENODEV | libc::ENOENT | libc::ENXIO | libc::ESRCH => Code::NotFound,
        libc::EEXIST => Code::AlreadyExists,
        libc::EPERM | libc::EACCES | libc::EROFS => Code::PermissionDenied,
        libc::ENOTEMPTY | libc::EISDIR | libc::ENOTDIR | libc::EBADF | libc::EBUSY | libc::EPIPE | libc::ETXTBSY => {
            Code::FailedPrecondition
        }
        libc::ENOSPC | libc::EDQUOT | libc::EMFILE | libc::EMLINK | libc::ENFILE | libc::ENOBUFS | libc::ENOMEM => {
            Code::ResourceExhausted
        }
        libc::EFBIG | libc::EOVERFLOW | libc::ERANGE => Code::OutOfRange,
        libc::ENOSYS | libc::ENOTSUP | libc::EXDEV => Code::Unimplemented,
        libc::EAGAIN | libc::EINTR | libc::ENOLCK | libc::ENOLINK | libc::ECONNRESET => Code::Unavailable,
        libc::EDEADLK | libc::ESTALE => Code::Aborted,
        libc::ECANCELED => Code::Cancelled,
        _ => Code::Unknown,
    })
}

#[cfg(not(unix))]
fn code_of(_: &Error) -> Option<Code> {
    None
}

/// Returns a failure of the system as TF words it: `name; No such file or directory`.
pub fn failure(name: &str, error: &Error) -> Status {
    let code = code_of(error).unwrap_or_else(|| match error.kind() {
        ErrorKind::NotFound => Code::NotFound,
        ErrorKind::PermissionDenied => Code::PermissionDenied,
        ErrorKind::AlreadyExists => Code::AlreadyExists,
        ErrorKind::IsADirectory | ErrorKind::NotADirectory => Code::FailedPrecondition,
        ErrorKind::StorageFull | ErrorKind::OutOfMemory => Code::ResourceExhausted,
        ErrorKind::InvalidInput => Code::InvalidArgument,
        _ => Code::Unknown,
    });
    let words = match error.kind() {
        _ if error.raw_os_error().is_some() => error.to_string(),
        ErrorKind::NotFound => "No such file or directory".to_owned(),
        ErrorKind::PermissionDenied => "Permission denied".to_owned(),
        ErrorKind::AlreadyExists => "File exists".to_owned(),
        ErrorKind::IsADirectory => "Is a directory".to_owned(),
        ErrorKind::NotADirectory => "Not a directory".to_owned(),
        _ => error.to_string(),
    };
    // The standard library adds the number to the system's words.
    let words = words.split(" (os error").next().unwrap_or_default();
    Status::new(code, format!("{name}; {words}"))
}

/// Number of links after which a name leads nowhere, as Linux counts.
const MOST_LINKS: usize = 40;

/// Returns the path to which a name leads through links. The file there need not exist.
///
/// Errors: the system's, for links that lead to themselves.
pub fn resolved(path: &Path) -> std::io::Result<PathBuf> {
    let mut path = path.to_path_buf();
    for _ in 0..MOST_LINKS {
        match std::fs::read_link(&path) {
            Ok(target) => path = path.parent().map_or_else(|| target.clone(), |folder| folder.join(&target)),
            // It is no link, or does not exist.
            Err(_) => return Ok(path),
        }
    }
    Err(Error::other("Too many levels of symbolic links"))
}

/// Returns the bytes of a file.
pub fn read(name: impl AsRef<[u8]>) -> Result<Vec<u8>> {
    let name = name.as_ref();
    std::fs::read(path_of(name)).map_err(|e| failure(&String::from_utf8_lossy(name), &e))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scheme_of_local_files_is_no_part_of_a_path() {
        assert_eq!(path_of("file:///tmp/a"), PathBuf::from("/tmp/a"));
        assert_eq!(path_of("a/b"), PathBuf::from("a/b"));
    }

    #[test]
    fn a_missing_file_is_not_found_by_its_name() {
        let e = read("/nowhere/at/all").unwrap_err();
        assert_eq!((e.code(), e.message()), (Code::NotFound, "/nowhere/at/all; No such file or directory"));
    }
}
