"""`tf.gfile.GFile`: a file opened for reading, writing or both."""

from __future__ import annotations

import io
import pickle
from collections.abc import Iterator
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final

from ferroflow._src.base import compat, errors
from ferroflow._src.base.deprecation import deprecated_args, warn_deprecated
from ferroflow._src.base.files.failures import failures_of, path_of
from ferroflow._src.base.files.staging import LocalCopy, StagedWriter, fetched
from ferroflow._src.base.files.system import stat
from ferroflow._src.base.files.urls import is_remote, shown_name
from ferroflow._src.base.typing import PathLike

if TYPE_CHECKING:
    from typing_extensions import Self

_MODES: Final = ("r", "w", "a", "r+", "w+", "a+")
_BUFFERS: Final = (bytearray, memoryview, pickle.PickleBuffer)


class GFile:
    """File that is opened at the first read or write.

    TF 1.x: reading and writing have separate positions, and the first write in mode `r+` empties the file.

    A file at a URL is downloaded whole by the first read, and uploaded whole by `flush` and `close`.

    Args:
        name: str, bytes or path object; a path or URL.
        mode: str: `r`, `w`, `a`, `r+`, `w+` or `a+`; with a `b`, reads return bytes instead of text in UTF-8.

    Raises:
        tf.errors.InvalidArgumentError: if the mode is unknown.

    Example:
        >>> with tf.gfile.GFile("notes.txt", "w") as file:
        ...     file.write("first\\nsecond\\n")
        >>> print([line.strip() for line in tf.gfile.GFile("notes.txt")])
        ['first', 'second']
    """

    def __init__(self, name: PathLike, mode: str = "r") -> None:
        self._reader: io.BufferedReader | None = None
        self._writer: io.BufferedWriter | StagedWriter | None = None
        # The local file that is read.
        self._source: LocalCopy | None = None
        self._name = name
        self._mode = mode
        self._is_binary = "b" in mode
        plain = mode.replace("b", "")
        if plain not in _MODES:
            raise errors.InvalidArgumentError(None, None, "mode is not 'r' or 'w' or 'a' or 'r+' or 'w+' or 'a+'")
        self._is_readable = plain not in ("w", "a")
        self._is_writable = plain != "r"

    @property
    def name(self) -> Any:
        """The name given."""
        return self._name

    @property
    def mode(self) -> str:
        """The mode given."""
        return self._mode

    def _reading(self) -> io.BufferedReader:
        if self._reader is None:
            if not self._is_readable:
                raise errors.PermissionDeniedError(None, None, "File isn't open for reading")
            self._source = fetched(self._name)
            with failures_of(shown_name(self._name)):
                self._reader = open(self._source.path, "rb")  # noqa: SIM115  closed by close
        return self._reader

    def _writing(self) -> io.BufferedWriter | StagedWriter:
        if self._writer is None:
            if not self._is_writable:
                raise errors.PermissionDeniedError(None, None, "File isn't open for writing")
            appends = "a" in self._mode
            if is_remote(self._name):
                self._writer = StagedWriter(self._name, appends)
                return self._writer
            path = path_of(self._name)
            with failures_of(path):
                self._writer = open(path, "ab" if appends else "wb")  # noqa: SIM115  closed by close
        return self._writer

    def _prepared(self, data: bytes) -> Any:
        return data if self._is_binary else data.decode("utf-8")

    def size(self) -> int:
        """Returns the length of the file in bytes.

        Raises:
            tf.errors.NotFoundError: if the file does not exist.
        """
        return stat(self._name).length

    def write(self, file_content: Any) -> None:
        """Appends to the data that this object has written.

        Args:
            file_content: str, bytes, or another buffer, such as those that `pickle` writes.

        Raises:
            tf.errors.PermissionDeniedError: if the mode is `r`.
            tf.errors.NotFoundError: if the folder does not exist.
        """
        writer = self._writing()
        data = bytes(file_content) if isinstance(file_content, _BUFFERS) else compat.as_bytes(file_content)
        with failures_of(shown_name(self._name)):
            writer.write(data)

    def read(self, n: int = -1) -> Any:
        """Reads on from where the last read ended.

        Args:
            n: int, bytes to read; -1 for all that follow.

        Returns:
            str, or bytes in a mode with `b`; shorter than `n` where the file ends.

        Raises:
            tf.errors.PermissionDeniedError: if the mode is `w` or `a`.
            tf.errors.NotFoundError: if the file does not exist.
            tf.errors.InvalidArgumentError: if `n` is below -1.
        """
        reader = self._reading()
        if n < -1:
            raise errors.InvalidArgumentError(None, None, f"Can't read a negative number of bytes: {n}")
        with failures_of(shown_name(self._name)):
            data = reader.read(n)
        return self._prepared(data)

    @deprecated_args(position="offset")
    def seek(self, offset: int | None = None, whence: int = 0, position: int | None = None) -> None:
        """Sets the position of the next read.

        Args:
            offset: int, bytes.
            whence: int: from the start (0), from the current position (1), from the end (2).
            position: int, deprecated name of `offset`.

        Raises:
            TypeError: if none or both of `offset` and `position` are given.
            tf.errors.InvalidArgumentError: if the new position is before the start of the file, or `whence` is not one
                of these.
            tf.errors.OutOfRangeError: if the new position is beyond the end of the file, to which the position is then
                set.
            tf.errors.PermissionDeniedError: if the mode is `w` or `a`.
            tf.errors.NotFoundError: if the file does not exist.
        """
        reader = self._reading()
        if offset is None and position is None:
            raise TypeError("seek(): offset argument required")
        if offset is not None and position is not None:
            raise TypeError("seek(): offset and position may not be set simultaneously.")
        place = offset if offset is not None else (position or 0)
        size = self.size()
        if whence == 1:
            place += self.tell()
        elif whence == 2:
            place += size
        elif whence != 0:
            message = f"Invalid whence argument: {whence}. Valid values are 0, 1, or 2."
            raise errors.InvalidArgumentError(None, None, message)
        if place < 0:
            raise errors.InvalidArgumentError(None, None, f"Seeking to a negative position: {place}")
        with failures_of(shown_name(self._name)):
            reader.seek(min(place, size))
        if place > size:
            raise errors.OutOfRangeError(None, None, "reached end of file")

    def tell(self) -> int:
        """Returns the position of the next read, in bytes from the start.

        Raises:
            tf.errors.PermissionDeniedError: if the mode is `w` or `a`.
            tf.errors.NotFoundError: if the file does not exist.
        """
        reader = self._reading()
        with failures_of(shown_name(self._name)):
            return reader.tell()

    def seekable(self) -> bool:
        """Returns True: the position can always be changed."""
        return True

    def readline(self) -> Any:
        """Reads a line with its newline; TF 1.x: without any carriage returns.

        Returns:
            str, or bytes in a mode with `b`; empty at the end of the file.

        Raises:
            tf.errors.PermissionDeniedError: if the mode is `w` or `a`.
            tf.errors.NotFoundError: if the file does not exist.
        """
        reader = self._reading()
        with failures_of(shown_name(self._name)):
            line = reader.readline()
        return self._prepared(line.replace(b"\r", b""))

    def readlines(self) -> list[Any]:
        """Reads all lines that follow.

        Returns:
            List of str or bytes, each as `readline` gives it.

        Raises:
            tf.errors.PermissionDeniedError: if the mode is `w` or `a`.
            tf.errors.NotFoundError: if the file does not exist.
        """
        return list(self)

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        line = self.readline()
        if not line:
            raise StopIteration
        return line

    def next(self) -> Any:
        """Returns the next line.

        Raises:
            StopIteration: if the file has ended.
            tf.errors.PermissionDeniedError: if the mode is `w` or `a`.
            tf.errors.NotFoundError: if the file does not exist.
        """
        return self.__next__()

    def flush(self) -> None:
        """Passes written data to the system, so that programs that open the file now read it."""
        if self._writer is not None:
            with failures_of(shown_name(self._name)):
                self._writer.flush()

    def close(self) -> None:
        """Closes the file; reading it again begins at its start."""
        reader, self._reader, self._source = self._reader, None, None
        writer, self._writer = self._writer, None
        with failures_of(shown_name(self._name)):
            if reader is not None:
                reader.close()
            if writer is not None:
                writer.close()

    def __del__(self) -> None:
        # TF 1.x: programs need not close a file. Python would warn about it. A failed constructor opened none.
        if hasattr(self, "_reader"):
            self.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class FastGFile(GFile):
    """Deprecated: use `tf.gfile.GFile` instead.

    Args:
        name: str, bytes or path object.
        mode: str, as for `GFile`.

    Raises:
        tf.errors.InvalidArgumentError: if the mode is unknown.

    Example:
        >>> with tf.gfile.FastGFile("notes.txt", "w") as file:
        ...     file.write("text")
        >>> print(tf.gfile.FastGFile("notes.txt").read())
        text
    """

    def __init__(self, name: PathLike, mode: str = "r") -> None:
        warn_deprecated("tf.gfile.FastGFile", "tf.gfile.GFile")
        super().__init__(name, mode)
