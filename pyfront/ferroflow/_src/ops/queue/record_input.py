"""`RecordInput`: records of files in random order, without queues and threads."""

from __future__ import annotations

from typing import Any

from ferroflow._src.framework.apply import tensor_op
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.tensor import Tensor
from ferroflow._src.ops.array.joining import split
from ferroflow._src.ops.array.shaping import reshape

# By the numbers of `TFRecordCompressionType`.
_COMPRESSIONS = ("", "ZLIB", "GZIP")


class RecordInput:
    """Batches of the records of files, in random order, epoch after epoch.

    Args:
        file_pattern: str, patterns of the files' names, separated by commas.
        batch_size: int, records of a batch.
        buffer_size: int, records that are mixed.
        parallelism: int, the number of files to read at a time.
        shift_ratio: float, the part of the shuffled files that moves from the front to the end.
        seed: int, seed of the order.
        name: str, name of the operation.
        batches: int, number of batches of `batch_size` records, each record a tensor; None for one batch in one tensor.
        compression_type: `TFRecordCompressionType` of the files, or None.
    """

    def __init__(
        self,
        file_pattern: str,
        batch_size: int = 1,
        buffer_size: int = 1,
        parallelism: int = 1,
        shift_ratio: float = 0,
        seed: int = 0,
        name: str | None = None,
        batches: int | None = None,
        compression_type: int | None = None,
    ) -> None:
        self._batch_size = batch_size if batches is None else batch_size * batches
        self._batches = batches
        self._attrs = {
            "file_pattern": file_pattern,
            "file_buffer_size": buffer_size,
            "file_parallelism": parallelism,
            "file_shuffle_shift_ratio": float(shift_ratio),
            "batch_size": self._batch_size,
            "file_random_seed": seed,
            "compression_type": _COMPRESSIONS[compression_type or 0],
        }
        self._name = name

    def get_yield_op(self) -> Any:
        """Returns records, others in every step.

        Returns:
            Tensor of string, of shape [batch_size]; with `batches`, as many lists of `batch_size` tensors of shape [].
        """
        records = tensor_op("RecordInput", [], self._attrs, name=self._name)
        if self._batches is None:
            return records
        with name_scope(self._name):
            batches: list[list[Tensor]] = [[] for _ in range(self._batches)]
            for i, record in enumerate(split(records, self._batch_size, 0)):
                batches[i % self._batches].append(reshape(record, []))
            return batches
