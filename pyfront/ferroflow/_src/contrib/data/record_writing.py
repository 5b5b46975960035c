"""A writer of a dataset's records to a file, as an operation."""

from __future__ import annotations

from itertools import count
from typing import Any

import numpy as np

from ferroflow._src.base import dtypes
from ferroflow._src.base.files.record_files import (
    TFRecordCompressionType,
    TFRecordOptions,
    TFRecordWriter as FileWriter,
)
from ferroflow._src.base.fork_locks import RenewedLock
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.base.typing import TensorLike
from ferroflow._src.data.dataset import Dataset
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.ops.script.py_func import py_func

__all__ = ["TFRecordWriter"]

_COMPRESSIONS = {
    b"": TFRecordCompressionType.NONE,
    b"ZLIB": TFRecordCompressionType.ZLIB,
    b"GZIP": TFRecordCompressionType.GZIP,
}


class _OpenFiles:
    """The files of the runs of a writer that have not ended, by number."""

    def __init__(self) -> None:
        self._lock = RenewedLock()
        self._numbers = count()
        self._writers: dict[int, FileWriter] = {}

    def open(self, name: bytes, compression: bytes) -> Any:
        if compression not in _COMPRESSIONS:
            raise ValueError(f"compression_type must be '', 'ZLIB' or 'GZIP', not {compression.decode()!r}")
        with self._lock:
            # An interrupted run leaves its file behind.
            for left in list(self._writers):
                self._writers.pop(left).close()
            number = next(self._numbers)
            self._writers[number] = FileWriter(name.decode(), TFRecordOptions(_COMPRESSIONS[compression]))
        return np.int64(number)

    def write(self, number: Any, record: bytes) -> Any:
        self._writers[int(number)].write(record)
        return number

    def close(self, number: Any) -> Any:
        with self._lock:
            self._writers.pop(int(number)).close()
        return number


class TFRecordWriter:
    """Writes the records of a dataset to a file.

    Args:
        filename: string Tensor of shape [].
        compression_type: string Tensor of shape []: "", "ZLIB" or "GZIP"; None for "".
    """

    def __init__(self, filename: TensorLike, compression_type: TensorLike | None = None) -> None:
        self._filename: Tensor = convert_to_tensor(filename, dtypes.string, name="filename")
        compression = "" if compression_type is None else compression_type
        self._compression_type: Tensor = convert_to_tensor(compression, dtypes.string, name="compression_type")

    def write(self, dataset: Dataset) -> Operation:
        """Returns the operation that writes a dataset.

        Args:
            dataset: Dataset of string scalars.

        Returns:
            Operation.

        Raises:
            TypeError: if it is none, or its elements are something else.
        """
        if not isinstance(dataset, Dataset):
            raise TypeError("`dataset` must be a `tf.data.Dataset` object.")
        if dataset.output_types != dtypes.string or dataset.output_shapes != TensorShape([]):
            raise TypeError(
                "`dataset` must produce scalar `DT_STRING` tensors whereas it produces shape "
                f"{dataset.output_shapes} and types {dataset.output_types}"
            )
        files = _OpenFiles()

        def write(number: Tensor, record: Tensor) -> Tensor:
            written: Tensor = py_func(files.write, [number, record], dtypes.int64)
            written.set_shape([])
            return written

        start: Tensor = py_func(files.open, [self._filename, self._compression_type], dtypes.int64)
        start.set_shape([])
        end = dataset.reduce(start, write)
        closed: Tensor = py_func(files.close, [end], dtypes.int64)
        return closed.op
