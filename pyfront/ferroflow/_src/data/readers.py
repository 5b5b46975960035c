"""Datasets of the lines and records of files."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.base.typing import IntLike, StringLike, TensorLike
from ferroflow._src.data.dataset import Dataset, OpDataset
from ferroflow._src.data.interleaving import parallel_interleave
from ferroflow._src.data.structure import Structure
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.tensor import Tensor
from ferroflow._src.ops.array.shaping import reshape

# Bytes that readers read ahead.
_BUFFER_SIZE = 256 * 1024


def _text(value: Any, name: str) -> Tensor:
    return convert_to_tensor("" if value is None else value, dtype=dtypes.string, name=name)


def _number(value: Any, default: int, name: str) -> Tensor:
    return convert_to_tensor(default if value is None else value, dtype=dtypes.int64, name=name)


def _records() -> Structure:
    return Structure(dtypes.string, TensorShape([]), Tensor)


def _names(filenames: Any) -> Dataset:
    """Names of files as a dataset of scalars.

    Raises:
        TypeError: if they are a dataset of something else than strings.
        ValueError: if its elements are not scalars.
    """
    if not isinstance(filenames, Dataset):
        names = convert_to_tensor(filenames, dtype=dtypes.string)
        return Dataset.from_tensor_slices(reshape(names, [-1], name="flat_filenames"))
    if filenames.output_types != dtypes.string:
        raise TypeError("`filenames` must be a `tf.data.Dataset` of `tf.string` elements.")
    if not filenames.output_shapes.is_compatible_with(TensorShape([])):
        raise ValueError("`filenames` must be a `tf.data.Dataset` of scalar `tf.string` elements.")
    return filenames


class _FilesDataset(Dataset):
    """The records of files, one file after the other or several at a time.

    Args:
        filenames: string, list of them, Tensor of string of any shape, or a Dataset of string scalars.
        read_one_file: the dataset of a file.
        num_parallel_reads: number of files to read at a time, with their records interleaved; None to read one after
            the other.
    """

    def __init__(self, filenames: Any, read_one_file: Callable[[Any], Dataset], num_parallel_reads: Any = None) -> None:
        if num_parallel_reads is None:
            self._impl = _names(filenames).flat_map(read_one_file)
        else:
            self._impl = _names(filenames).apply(parallel_interleave(read_one_file, num_parallel_reads))

    def _as_variant_tensor(self) -> Tensor:
        variant: Tensor = self._impl._as_variant_tensor()
        return variant

    @property
    def output_classes(self) -> Any:
        """The class of an element, `tf.Tensor`."""
        return self._impl.output_classes

    @property
    def output_shapes(self) -> Any:
        """The shape of a scalar."""
        return self._impl.output_shapes

    @property
    def output_types(self) -> Any:
        """The dtype of an element, `tf.string`."""
        return self._impl.output_types


def _reader(op: str, compression_type: Any, buffer_size: Any) -> Callable[[Any], Dataset]:
    """Returns the function that makes the dataset of one file's records by an op."""

    def read_one_file(filename: Any) -> Dataset:
        compression = _text(compression_type, "compression_type")
        inputs = [filename, compression, _number(buffer_size, _BUFFER_SIZE, "buffer_size")]
        return OpDataset(op, inputs, _records(), described=False)

    return read_one_file


class TextLineDataset(_FilesDataset):
    """The lines of text files, without their ends.

    Args:
        filenames: string, list of them, Tensor of string of any shape, or a Dataset of string scalars.
        compression_type: "", "ZLIB" or "GZIP".
        buffer_size: bytes to read ahead.
        num_parallel_reads: number of files to read at a time, with their lines interleaved; None to read one after the
            other.

    Raises:
        TypeError: if the elements of a dataset of names are not strings.
        ValueError: if they are not scalars.

    Example:
        >>> with tf.gfile.GFile("data.csv", "w") as file:
        ...     file.write("x,y\\n1,2\\n3,4\\n")
        >>> line = tf.data.TextLineDataset("data.csv").skip(1).make_one_shot_iterator().get_next()
        >>> print(sess.run(line), sess.run(line))
        b'1,2' b'3,4'
    """

    def __init__(
        self,
        filenames: StringLike,
        compression_type: StringLike | None = None,
        buffer_size: IntLike | None = None,
        num_parallel_reads: TensorLike | None = None,
    ) -> None:
        super().__init__(filenames, _reader("TextLineDataset", compression_type, buffer_size), num_parallel_reads)


class FixedLengthRecordDataset(_FilesDataset):
    """The pieces of one length that files are cut into.

    Args:
        filenames: string, list of them, Tensor of string of any shape, or a Dataset of string scalars.
        record_bytes: int64 scalar, bytes of a record.
        header_bytes: int64 scalar, bytes before the first record.
        footer_bytes: int64 scalar, bytes behind the last record.
        buffer_size: bytes to read ahead.
        compression_type: "", "ZLIB" or "GZIP".
        num_parallel_reads: number of files to read at a time, with their records interleaved; None to read one after
            the other.

    Raises:
        TypeError: if the elements of a dataset of names are not strings.
        ValueError: if they are not scalars.
    """

    def __init__(
        self,
        filenames: Any,
        record_bytes: TensorLike,
        header_bytes: TensorLike | None = None,
        footer_bytes: TensorLike | None = None,
        buffer_size: Any = None,
        compression_type: Any = None,
        num_parallel_reads: TensorLike | None = None,
    ) -> None:
        def read_one_file(filename: Any) -> Dataset:
            inputs = [
                filename,
                _number(header_bytes, 0, "header_bytes"),
                _number(record_bytes, 0, "record_bytes"),
                _number(footer_bytes, 0, "footer_bytes"),
                _number(buffer_size, _BUFFER_SIZE, "buffer_size"),
                _text(compression_type, "compression_type"),
            ]
            return OpDataset("FixedLengthRecordDatasetV2", inputs, _records(), described=False)

        super().__init__(filenames, read_one_file, num_parallel_reads)


class TFRecordDataset(_FilesDataset):
    """The records of TFRecord files.

    Args:
        filenames: string, list of them, Tensor of string of any shape, or a Dataset of string scalars.
        compression_type: "", "ZLIB" or "GZIP".
        buffer_size: bytes to read ahead.
        num_parallel_reads: number of files to read at a time, with their records interleaved; None to read one after
            the other.

    Raises:
        TypeError: if the elements of a dataset of names are not strings.
        ValueError: if they are not scalars.

    Example:
        >>> with tf.python_io.TFRecordWriter("data.tfrecord") as writer:
        ...     for record in [b"first", b"second"]:
        ...         writer.write(record)
        >>> record = tf.data.TFRecordDataset("data.tfrecord").make_one_shot_iterator().get_next()
        >>> print(sess.run(record), sess.run(record))
        b'first' b'second'
    """

    def __init__(
        self,
        filenames: StringLike,
        compression_type: StringLike | None = None,
        buffer_size: IntLike | None = None,
        num_parallel_reads: TensorLike | None = None,
    ) -> None:
        super().__init__(filenames, _reader("TFRecordDataset", compression_type, buffer_size), num_parallel_reads)
