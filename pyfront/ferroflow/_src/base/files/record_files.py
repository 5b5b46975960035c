"""`tf.python_io`: record files written and read a record at a time, outside of graphs."""

from __future__ import annotations

from collections.abc import Iterator
from types import TracebackType
from typing import TYPE_CHECKING, Any, ClassVar, Final

from ferroflow import _core
from ferroflow._src.base import compat
from ferroflow._src.base.engine_errors import engine_errors
from ferroflow._src.base.files.failures import path_bytes
from ferroflow._src.base.files.staging import StagedFile, closed_with, fetched
from ferroflow._src.base.files.urls import is_remote
from ferroflow._src.base.typing import PathLike

if TYPE_CHECKING:
    from typing_extensions import Self


class TFRecordCompressionType:
    """Compression formats of record files."""

    NONE = 0
    ZLIB = 1
    GZIP = 2


_WINDOW_BITS: Final = 15


class TFRecordOptions:
    """Compression options of record files.

    The sizes of buffers, the memory and the strategy of the compression are accepted without effect: they do not change
    what a reader gets. The buffers have the sizes that were measured to be fastest.

    Args:
        compression_type: a `TFRecordCompressionType`, or str: `""`, `"ZLIB"` or `"GZIP"`.
        flush_mode: not used.
        input_buffer_size: not used.
        output_buffer_size: not used.
        window_bits: int, base-2 logarithm of the reach of a repetition: 15, the one that readers expect.
        compression_level: int, how hard to compress, 0 to 9, or -1 for 6.
        compression_method: not used; there is one.
        mem_level: not used.
        compression_strategy: not used.

    Raises:
        ValueError: if the compression or its level is unknown, or `window_bits` is out of range.
    """

    compression_type_map: ClassVar[dict[int, str]] = {
        TFRecordCompressionType.ZLIB: "ZLIB",
        TFRecordCompressionType.GZIP: "GZIP",
        TFRecordCompressionType.NONE: "",
    }

    def __init__(
        self,
        compression_type: Any = None,
        flush_mode: int | None = None,
        input_buffer_size: int | None = None,
        output_buffer_size: int | None = None,
        window_bits: int | None = None,
        compression_level: int | None = None,
        compression_method: int | None = None,
        mem_level: int | None = None,
        compression_strategy: int | None = None,
    ) -> None:
        self.get_compression_type_string(compression_type)
        if window_bits is not None and abs(window_bits) != _WINDOW_BITS:
            raise ValueError(f"window_bits must be {_WINDOW_BITS}, got {window_bits}")
        if compression_level is not None and not -1 <= compression_level <= 9:
            raise ValueError(f"compression_level must be in [-1, 9], got {compression_level}")
        self.compression_type = compression_type
        self.compression_level = compression_level

    @classmethod
    def get_compression_type_string(cls, options: Any) -> str:
        """Returns the name of the options' compression.

        Args:
            options: TFRecordOptions, TFRecordCompressionType, str or None.

        Returns:
            str: `""`, `"ZLIB"` or `"GZIP"`.

        Raises:
            ValueError: if the compression is unknown.
        """
        kind = options.compression_type if isinstance(options, TFRecordOptions) else options
        if kind is None:
            return ""
        name = cls.compression_type_map.get(kind) if isinstance(kind, int) else kind
        if name not in cls.compression_type_map.values():
            raise ValueError(f"compression_type must be a TFRecordCompressionType, '', 'ZLIB' or 'GZIP', got {kind!r}")
        return str(name)


class TFRecordWriter:
    """Writer of a record file, which replaces an existing file; as a context manager, it closes the file at the end.

    A program that is killed leaves whole records behind, up to the last `flush` at least.

    Args:
        path: str, bytes or path object.
        options: TFRecordOptions, TFRecordCompressionType, str or None.

    Raises:
        tf.errors.NotFoundError: if the folder does not exist.
        ValueError: if the compression is unknown.

    Example:
        >>> with tf.python_io.TFRecordWriter("data.tfrecord") as writer:
        ...     for record in [b"first", b"second"]:
        ...         writer.write(record)
        >>> print(list(tf.python_io.tf_record_iterator("data.tfrecord")))
        [b'first', b'second']
    """

    def __init__(self, path: PathLike, options: object = None) -> None:
        compression = TFRecordOptions.get_compression_type_string(options)
        level = getattr(options, "compression_level", None)
        self._staged = StagedFile(path) if is_remote(path) else None
        local = path if self._staged is None else self._staged.path
        with engine_errors():
            self._writer = _core.RecordWriter(path_bytes(local), compression, None if level in (None, -1) else level)
        if self._staged is not None:
            self._unclosed = closed_with(self, self._writer, self._staged)

    def write(self, record: Any) -> None:
        """Appends a record.

        Args:
            record: bytes, or str, which is written in UTF-8.

        Raises:
            tf.errors.FailedPreconditionError: if the file is closed.
            TypeError: if `record` is neither bytes nor str.
        """
        try:
            self._writer.write(record)
        except TypeError:
            self._writer.write(compat.as_bytes(record))
        except _core.StatusError:
            with engine_errors():
                raise

    def flush(self) -> None:
        """Passes all records to the system, so that programs that open the file now read them."""
        with engine_errors():
            self._writer.flush()
        if self._staged is not None:
            self._staged.publish()

    def close(self) -> None:
        """Closes the file; closing it again does nothing."""
        if self._staged is not None:
            self._unclosed.detach()
        with engine_errors():
            self._writer.close()
        if self._staged is not None:
            self._staged.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def tf_record_iterator(path: PathLike, options: Any = None) -> Iterator[bytes]:
    """Reads a record file.

    Args:
        path: str, bytes or path object.
        options: TFRecordOptions, TFRecordCompressionType, str or None.

    Yields:
        bytes, a record.

    Raises:
        tf.errors.NotFoundError: if the file does not exist; raised, like all failures, when the first record is
            read.
        tf.errors.DataLossError: if the file is damaged or cut short, after the records before that place.
    """
    compression = TFRecordOptions.get_compression_type_string(options)
    source = fetched(path)
    with engine_errors():
        yield from _core.RecordReader(path_bytes(source.path), compression)
