"""Local copies of remote files, and local files that are uploaded.

A download goes to a private temporary folder once per version, and stays there while a `LocalCopy` of it is in use.
A `StagedFile` is written locally; each `publish` uploads it whole, because stores cannot append.
"""

from __future__ import annotations

import contextlib
import os
import weakref
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from typing import Any, BinaryIO, Final

from ferroflow._src.base import errors
from ferroflow._src.base.files.failures import failures_of, path_of
from ferroflow._src.base.files.remote import Entry, RemoteFile
from ferroflow._src.base.files.urls import is_remote
from ferroflow._src.base.typing import PathLike

# Attempts at a download whose files another program replaces meanwhile.
_TRIES: Final = 5
# Number of the last downloads that are kept although nothing uses them.
_KEPT: Final = 4

# Process and path of the folder of all folders, once there is one; the last one is in use.
_roots: list[tuple[int, str]] = []


def _remove(process: int, folder: str) -> None:
    # A forked child has the objects of its parent, which still uses their folders.
    if process == os.getpid():
        import shutil  # here, because most programs never need it

        shutil.rmtree(folder, ignore_errors=True)


def _removed_with(owner: object, folder: str) -> weakref.finalize[Any, Any]:
    """Removes a folder once nothing refers to `owner`, at the latest when the program ends."""
    return weakref.finalize(owner, _remove, os.getpid(), folder)


def new_folder() -> str:
    """Returns a new local folder, which is removed when the program ends.

    Raises:
        tf.errors.OpError: if it cannot be made.
    """
    import tempfile

    with failures_of("Temporary folder for files at URLs"):
        # A forked child uses its parent's folder, which the parent removes.
        if not _roots or not os.path.isdir(_roots[-1][1]):
            _roots.append((os.getpid(), tempfile.mkdtemp(prefix="ferroflow-")))
        return tempfile.mkdtemp(dir=_roots[-1][1])


@contextlib.contextmanager
def temporary_folder() -> Iterator[str]:
    """Makes a local folder for a `with` block."""
    import shutil

    folder = new_folder()
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


class LocalCopy:
    """Local copy of remote files, which is removed once nothing refers to this object.

    Args:
        folder: str, the copy's folder.
        name: str, the file's name, the prefix of the files' names, or "" for the folder.
        path: str, the path of a local file that needs no copy.
    """

    def __init__(self, folder: str, name: str, path: str = "") -> None:
        self.path = path or (os.path.join(folder, name) if name else folder)
        if folder:
            _removed_with(self, folder)


_copies: weakref.WeakValueDictionary[Any, LocalCopy] = weakref.WeakValueDictionary()
_recent: deque[LocalCopy] = deque(maxlen=_KEPT)
_kept: list[LocalCopy] = []


def _remove_roots() -> None:
    for process, folder in _roots:
        _remove(process, folder)


# Finalizers run in reverse order when the program ends, so this one is last. It is made at import, because all of them
# then run after the exit functions of modules that write files.
weakref.finalize(_copies, _remove_roots)


def kept(copy: LocalCopy) -> str:
    """Returns the path of a copy that stays until the program ends, for a graph whose operations read it."""
    _kept.append(copy)
    return copy.path


def downloaded(url: str, name: str, listed: Callable[[], Mapping[str, tuple[RemoteFile, Entry]]]) -> LocalCopy:
    """Returns a local copy of several files that belong together.

    Args:
        url: str, the URL that stands for all of them.
        name: str, the name of the copy in its folder.
        listed: callable that returns the files and their descriptions, by their names in the folder. It is called
            again after the download, which must find the same versions.

    Raises:
        tf.errors.AbortedError: if other programs replace the files again and again.
        tf.errors.OpError: if a file cannot be read.
    """
    files = listed()
    for _ in range(_TRIES):
        versions = {name: (file.url, entry.size, entry.version) for name, (file, entry) in files.items()}
        key = (url, os.getpid(), tuple(sorted(versions.items())))
        has_versions = all(entry.version for _, entry in files.values())
        found = _copies.get(key) if has_versions else None
        if found is not None:
            return found
        copy = LocalCopy(new_folder(), name)
        folder = copy.path if not name else os.path.dirname(copy.path)
        failure: errors.NotFoundError | None = None
        try:
            for relative, (file, _) in files.items():
                path = os.path.join(folder, relative)
                os.makedirs(os.path.dirname(path), exist_ok=True)
                file.download(path)
        except errors.NotFoundError as error:
            failure = error
        files = listed()
        if {name: (file.url, entry.size, entry.version) for name, (file, entry) in files.items()} == versions:
            if failure is not None:
                raise failure
            _recent.append(copy)
            if has_versions:
                _copies[key] = copy
            return copy
    raise errors.AbortedError(None, None, f"{url}; other programs replaced the file {_TRIES} times while it was read")


def fetched(name: PathLike) -> LocalCopy:
    """Returns a local copy of a file; of a local file, the file itself.

    Args:
        name: str, bytes or path object, a path or URL.

    Raises:
        tf.errors.NotFoundError: if there is no file at a URL.
        tf.errors.FailedPreconditionError: if a URL is that of a folder.
    """
    if not is_remote(name):
        return LocalCopy("", "", path_of(name))
    file = RemoteFile(name)
    base = os.path.basename(file.url)
    return downloaded(file.url, base, lambda: {base: (file, file.file())})


def kept_file(name: str) -> str:
    """Returns the path of a local copy of a file, which stays until the program ends; a local file's name as it is."""
    return kept(fetched(name)) if is_remote(name) else name


def fetched_folder(name: PathLike) -> LocalCopy:
    """Returns a local copy of a folder with all below it; of a local folder, the folder itself.

    Args:
        name: str, bytes or path object, a path or URL.
    """
    if not is_remote(name):
        return LocalCopy("", "", path_of(name))
    folder = RemoteFile(name)
    url = folder.url.rstrip("/")
    return downloaded(
        url,
        "",
        lambda: {relative: (folder.below(relative), entry) for relative, entry in folder.files_below().items()},
    )


class StagedFile:
    """Local file whose content is uploaded to a URL.

    Args:
        url: str, bytes or path object.
        appends: bool. If True, the file begins with the URL's present content.

    Raises:
        tf.errors.OpError: if the URL's content cannot be read.
    """

    def __init__(self, url: PathLike, appends: bool = False) -> None:
        self._remote = RemoteFile(url)
        self._published: tuple[int, int] | None = None
        found = self._remote.entry() if appends else None
        folder = new_folder()
        self._remove = _removed_with(self, folder)
        self.path = os.path.join(folder, "file")
        if found is not None:
            self._remote.file()
            self._remote.download(self.path)
            self._published = self._state()

    def _state(self) -> tuple[int, int]:
        found = os.stat(self.path)
        return found.st_size, found.st_mtime_ns

    def publish(self) -> None:
        """Uploads the file, unless it is as it was uploaded last, or is closed.

        Raises:
            tf.errors.OpError: if it cannot be uploaded.
        """
        if not self._remove.alive:
            return
        with failures_of(self.path):
            state = self._state()
        if state != self._published:
            self._remote.upload(self.path)
            self._published = state

    def close(self) -> None:
        """Uploads the file and removes it here. Another call does nothing, unless this one fails.

        Raises:
            tf.errors.OpError: if it cannot be uploaded.
        """
        self.publish()
        self._remove()


def closed_with(owner: object, writer: Any, staged: StagedFile) -> weakref.finalize[Any, Any]:
    """Closes a writer and uploads its file once nothing refers to `owner`, at the latest when the program ends.

    Args:
        owner: object that a program should have closed by then.
        writer: object with a method `close`, which writes the local file.
        staged: StagedFile of it.

    Returns:
        The finalizer; `detach` cancels it.
    """
    return weakref.finalize(owner, _close, os.getpid(), writer, staged)


def _close(process: int, writer: Any, staged: StagedFile) -> None:
    # A forked child must not upload what its parent still writes.
    if process == os.getpid():
        writer.close()
        staged.close()


class StagedWriter:
    """Writer of a file at a URL; other programs see what was written after `flush` or `close`.

    Args:
        url: str, bytes or path object.
        appends: bool. If True, written data follow the present content.

    Raises:
        tf.errors.OpError: if the present content cannot be read.
    """

    def __init__(self, url: PathLike, appends: bool) -> None:
        self._staged = StagedFile(url, appends)
        with failures_of(self._staged.path):
            self._file: BinaryIO = open(self._staged.path, "ab" if appends else "wb")  # noqa: SIM115  closed by close
        self._unclosed = closed_with(self, self._file, self._staged)

    def write(self, data: bytes | bytearray) -> int:
        """Writes data locally."""
        return self._file.write(data)

    def flush(self) -> None:
        """Uploads all that was written."""
        self._file.flush()
        self._staged.publish()

    def close(self) -> None:
        """Uploads all that was written, and ends the file."""
        self._unclosed.detach()
        self._file.close()
        self._staged.close()
