"""Files behind URLs such as `s3://bucket/run`, through the optional package fsspec.

Only this module calls fsspec. The engine and the writers use local files; `staging` downloads and uploads these files.
A store's failure is raised as the `tf.errors` class for its cause, and its message has the URL.
"""

from __future__ import annotations

import contextlib
import datetime
import errno
import fnmatch
import glob as patterns
import os
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from ferroflow._src.base import errors
from ferroflow._src.base.files.failures import code_of
from ferroflow._src.base.files.urls import URL, name_of, scheme_of, unimplemented
from ferroflow._src.base.typing import PathLike

# Failures without an error number, by their classes; the first class that fits counts.
_NUMBERS: Final[tuple[tuple[type[Exception], int], ...]] = (
    (FileNotFoundError, errno.ENOENT),
    (FileExistsError, errno.EEXIST),
    (PermissionError, errno.EACCES),
    (IsADirectoryError, errno.EISDIR),
    (NotADirectoryError, errno.ENOTDIR),
    (ConnectionError, errno.ECONNRESET),
    (TimeoutError, errno.ETIMEDOUT),
    (NotImplementedError, errno.ENOSYS),
)
# Status codes of HTTP that some stores' own classes of errors have.
_STATUSES: Final = {401: errno.EACCES, 403: errno.EACCES, 404: errno.ENOENT, 429: errno.EAGAIN, 503: errno.EAGAIN}
# Parts of the names of classes of errors that are no errors of the system, such as those of botocore.
_WORDS: Final = {"Credential": errno.EACCES, "Connect": errno.ECONNREFUSED, "Timeout": errno.ETIMEDOUT}
# Fields of a file's description in fsspec that change when the file is written.
_VERSIONS: Final = ("ETag", "etag", "generation", "version_id", "mtime", "LastModified", "last_modified", "updated")
_TIMES: Final = ("mtime", "LastModified", "last_modified", "updated", "created")
# Part of the names of files that are renamed when they are complete.
TEMPORARY: Final = ".tempstate_"


class Entry(NamedTuple):
    """Description of a file or folder of a store; `version` is empty if the store has none."""

    size: int
    time_ns: int
    is_directory: bool
    version: tuple[str, ...]


class RemoteFile:
    """File or folder of a store.

    Args:
        url: str, bytes or path object.

    Raises:
        tf.errors.UnimplementedError: if fsspec is not installed, or has no file system for the scheme.
    """

    def __init__(self, url: PathLike) -> None:
        self.url = name_of(url)
        self._system, self._path = _opened(self.url)

    def below(self, name: str) -> RemoteFile:
        """Returns a file in this folder."""
        return RemoteFile(os.path.join(self.url, name))

    def is_in_store_of(self, other: RemoteFile) -> bool:
        """Returns True if both are in one store, which can then copy files itself."""
        return self._system is other._system

    def entry(self) -> Entry | None:
        """Returns the description of the file or folder; None if it does not exist."""
        with _failures(self.url):
            self._system.invalidate_cache()
            try:
                return _entry(self._system.info(self._path))
            except FileNotFoundError:
                return None

    def existing(self) -> Entry:
        """Returns the description of the file or folder.

        Raises:
            tf.errors.NotFoundError: if it does not exist.
        """
        found = self.entry()
        if found is None:
            raise _failure(self.url, errno.ENOENT)
        return found

    def file(self) -> Entry:
        """Returns the description of the file.

        Raises:
            tf.errors.NotFoundError: if it does not exist.
            tf.errors.FailedPreconditionError: if it is a folder.
        """
        found = self.existing()
        if found.is_directory:
            raise _failure(self.url, errno.EISDIR)
        return found

    def entries(self) -> dict[str, Entry]:
        """Returns the descriptions of the files and folders in this folder by their names, sorted; none if it is
        missing.
        """
        with _failures(self.url):
            self._system.invalidate_cache()
            try:
                listed = self._system.ls(self._path, detail=True)
            except (FileNotFoundError, NotADirectoryError):
                return {}
        own = self._path.strip("/")
        found = {os.path.basename(x["name"].rstrip("/")): _entry(x) for x in listed if x["name"].strip("/") != own}
        return dict(sorted(found.items()))

    def files_below(self) -> dict[str, Entry]:
        """Returns the descriptions of all files at any depth below this folder, by their relative names, sorted."""
        with _failures(self.url):
            self._system.invalidate_cache()
            found = self._system.find(self._path, detail=True)
        start = len(self._path.strip("/")) + 1 if self._path.strip("/") else 0
        return {name.lstrip("/")[start:]: _entry(info) for name, info in sorted(found.items())}

    def download(self, path: str) -> None:
        """Copies the file to a local path."""
        with _failures(self.url):
            self._system.get_file(self._path, path)

    def upload(self, path: str) -> None:
        """Copies a local file here. Other programs may see a part of it before this returns."""
        with _failures(self.url):
            self._system.put_file(path, self._path)

    def replace(self, content: bytes) -> None:
        """Writes the file so that other programs see its old content or the new one, also if this one is killed."""
        temporary = f"{self._path}{TEMPORARY}{os.urandom(8).hex()}"
        with _failures(self.url):
            try:
                self._system.pipe_file(temporary, content)
                self._move(temporary, self._path)
            except Exception:
                with contextlib.suppress(Exception):
                    self._system.rm_file(temporary)
                raise

    def copy_to(self, other: RemoteFile) -> None:
        """Copies the file to another name of the same store."""
        with _failures(self.url):
            self._system.cp_file(self._path, other._path)

    def move_to(self, other: RemoteFile, is_directory: bool) -> None:
        """Renames the file or folder to another name of the same store, which no folder has."""
        with _failures(self.url):
            if self._path == other._path:
                return
            if not is_directory:
                self._move(self._path, other._path)
            elif self._moves_itself():
                self._system.mv(self._path, other._path, recursive=True)
            else:
                for name in self._system.find(self._path):
                    self._system.cp_file(name, other._path + name[len(self._path) :])
                self.remove_folder()

    def _moves_itself(self) -> bool:
        """Returns False for fsspec's default, which copies and removes, and takes names for patterns."""
        return type(self._system).mv is not _fsspec().AbstractFileSystem.mv

    def _move(self, source: str, target: str) -> None:
        if self._moves_itself():
            self._system.mv(source, target)
        else:
            self._system.cp_file(source, target)
            self._system.rm_file(source)

    def make_folder(self) -> None:
        """Makes this folder and those above it, in a store that has folders without files."""
        with _failures(self.url):
            self._system.makedirs(self._path, exist_ok=True)

    def remove(self) -> None:
        """Removes the file."""
        with _failures(self.url):
            self._system.rm_file(self._path)

    def remove_folder(self) -> None:
        """Removes the folder and all below it."""
        with _failures(self.url):
            if not patterns.has_magic(self._path):
                self._system.rm(self._path, recursive=True)
                return
            # fsspec would take the name for a pattern and remove all that match.
            for name in self._system.find(self._path):
                self._system.rm_file(name)


def matching(pattern: str) -> list[str]:
    """Returns the URLs that match a pattern with `*`, `?` and `[...]`, none of which stands for a slash, sorted."""
    found = URL.match(pattern)
    start = found.end() if found else 0
    above, *parts = [pattern[:start], *pattern[start:].split("/")]
    fixed = next((i for i, part in enumerate(parts) if patterns.has_magic(part)), len(parts))
    urls = [above + "/".join(parts[:fixed])]
    if fixed == len(parts):
        return urls if RemoteFile(urls[0]).entry() is not None else []
    for part in parts[fixed:]:
        # A part without wildcards is looked up in the listing as well.
        listed = [(url, RemoteFile(url).entries()) for url in urls]
        urls = [os.path.join(url, name) for url, names in listed for name in names if fnmatch.fnmatchcase(name, part)]
    return sorted(urls)


def _fsspec() -> Any:
    import fsspec

    return fsspec


def _opened(url: str) -> tuple[Any, str]:
    """Returns the file system of a URL, and the path in it."""
    try:
        _fsspec().get_filesystem_class(scheme_of(url))
    except (ImportError, ValueError):
        raise unimplemented(url) from None
    with _failures(url):
        system, path = _fsspec().url_to_fs(url)
    return system, str(path)


def _entry(info: dict[str, Any]) -> Entry:
    times = [info[key] for key in _TIMES if info.get(key) is not None]
    # A store that says only when a file was made replaces files as a whole.
    keys = [key for key in _VERSIONS if info.get(key) is not None] or ["created"]
    version = tuple(f"{key}={info[key]}" for key in keys if info.get(key) is not None)
    size = info.get("size") or 0
    return Entry(size, _nanoseconds(times[0]) if times else 0, info.get("type") == "directory", version)


def _nanoseconds(time: Any) -> int:
    if isinstance(time, str):
        try:
            time = datetime.datetime.fromisoformat(time.replace("Z", "+00:00"))
        except ValueError:
            return 0
    if isinstance(time, datetime.datetime):
        time = (time if time.tzinfo else time.replace(tzinfo=datetime.timezone.utc)).timestamp()
    return int(time * 1e9)


def _failure(url: str, number: int, words: str = "") -> errors.OpError:
    return errors.make_exception(None, None, f"{url}; {words or os.strerror(number)}", code_of(number))


@contextlib.contextmanager
def _failures(url: str) -> Iterator[None]:
    """Raises a store's failures in a `with` block as TensorFlow's errors, which name the URL."""
    try:
        yield
    except errors.OpError:
        raise
    except Exception as error:
        # Each store's client has classes of its own.
        number = getattr(error, "errno", None)
        if not isinstance(number, int):
            number = next((n for kind, n in _NUMBERS if isinstance(error, kind)), None)
        if number is None:
            status = getattr(error, "code", None) or getattr(error, "status", None)
            number = _STATUSES.get(status) if isinstance(status, int) else None
        if number is None:
            number = next((n for word, n in _WORDS.items() if word in type(error).__name__), 0)
        words = os.strerror(number) if number else f"{type(error).__name__}"
        raise _failure(url, number, f"{words}: {error}" if str(error) else words) from error
