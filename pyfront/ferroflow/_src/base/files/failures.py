"""The system's failures as TF's errors, and the path behind a file name."""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Iterator
from typing import Any, Final

from ferroflow._src.base import errors
from ferroflow._src.base.files.urls import is_remote, shown_name, unimplemented
from ferroflow._src.base.typing import PathLike

# TF 1.x: the codes that its file systems give the errors of POSIX; all others are unknown.
_CODES: Final[dict[int, int]] = {
    code: kind
    for kind, names in {
        errors.INVALID_ARGUMENT: "EINVAL ENAMETOOLONG E2BIG EDESTADDRREQ EDOM EFAULT EILSEQ ENOPROTOOPT ENOTSOCK "
        "ENOTTY",
        errors.DEADLINE_EXCEEDED: "ETIMEDOUT ETIME",
        errors.NOT_FOUND: "ENODEV ENOENT ENXIO ESRCH",
        errors.ALREADY_EXISTS: "EEXIST EADDRNOTAVAIL EALREADY",
        errors.PERMISSION_DENIED: "EPERM EACCES EROFS",
        errors.FAILED_PRECONDITION: "ENOTEMPTY EISDIR ENOTDIR EADDRINUSE EBADF EBUSY ECHILD EISCONN ENOTBLK ENOTCONN "
        "EPIPE ESHUTDOWN ETXTBSY",
        errors.RESOURCE_EXHAUSTED: "ENOSPC EDQUOT EMFILE EMLINK ENFILE ENOBUFS ENODATA ENOMEM ENOSR EUSERS",
        errors.OUT_OF_RANGE: "EFBIG EOVERFLOW ERANGE",
        errors.UNIMPLEMENTED: "ENOSYS ENOTSUP EAFNOSUPPORT EPFNOSUPPORT EPROTONOSUPPORT ESOCKTNOSUPPORT EXDEV",
        errors.UNAVAILABLE: "EAGAIN ECONNREFUSED ECONNABORTED ECONNRESET EINTR EHOSTDOWN EHOSTUNREACH ENETDOWN "
        "ENETRESET ENETUNREACH ENOLCK ENOLINK",
        errors.ABORTED: "EDEADLK ESTALE",
        errors.CANCELLED: "ECANCELED",
    }.items()
    for name in names.split()
    if (code := getattr(errno, name, None)) is not None
}


def path_of(name: PathLike) -> str:
    """Returns the path behind a file name, which may begin with the scheme of local files.

    Args:
        name: str, bytes or path object.

    Raises:
        TypeError: if `name` is none of these.
        tf.errors.UnimplementedError: if `name` is a URL of another scheme.
    """
    if is_remote(name):
        raise unimplemented(name)
    return shown_name(name)


def path_bytes(name: Any) -> bytes:
    """Returns `path_of` as bytes for the operating system."""
    return os.fsencode(path_of(name))


def code_of(number: int) -> int:
    """Returns the code of `tf.errors` for an error number of POSIX."""
    return _CODES.get(number, errors.UNKNOWN)


def failure(name: str, error: OSError) -> errors.OpError:
    """Returns the error, not raised, for what the system says of a file: `name; No such file or directory`."""
    number = error.errno or 0
    words = os.strerror(number) if number else str(error)
    return errors.make_exception(None, None, f"{name}; {words}", code_of(number))


@contextlib.contextmanager
def failures_of(name: str) -> Iterator[None]:
    """Raises the system's failures in a `with` block as TF's errors, which name the file."""
    try:
        yield
    except OSError as error:
        raise failure(name, error) from None
    except ValueError as error:
        # The operating system refuses names with a null character.
        raise errors.InvalidArgumentError(None, None, f"{name}; {error}") from None
