"""Readers that work side by side, and queues that hold their records."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ferroflow._src.base import dtypes as dtypes_lib
from ferroflow._src.base.files.system import glob
from ferroflow._src.base.typing import IntLike, NestedDTypes, StringLike
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.input.producers import string_input_producer
from ferroflow._src.input.queue_runner import QueueRunner, add_queue_runner
from ferroflow._src.ops.math.arithmetic import add_n
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.queue.queues import FIFOQueue, PaddingFIFOQueue, QueueBase, RandomShuffleQueue
from ferroflow._src.summary.values import scalar


class ParallelReader:
    """Readers whose records meet in one queue.

    Args:
        reader_class: class of readers, such as `tf.TFRecordReader`.
        common_queue: queue of keys and values.
        num_readers: int.
        reader_kwargs: dict of the readers' arguments.
    """

    def __init__(
        self,
        reader_class: Callable[..., Any],
        common_queue: QueueBase,
        num_readers: int = 4,
        reader_kwargs: Mapping[str, Any] | None = None,
    ) -> None:
        self._readers = [reader_class(**(reader_kwargs or {})) for _ in range(num_readers)]
        self._common_queue = common_queue

    @property
    def num_readers(self) -> int:
        """The number of readers, an int."""
        return len(self._readers)

    @property
    def common_queue(self) -> QueueBase:
        """The queue of keys and values."""
        return self._common_queue

    def read(self, queue: Any, name: str | None = None) -> Any:
        """Returns one record.

        Args:
            queue: queue of the names of files.
            name: str.

        Returns:
            [key, value], Tensors of string of shape [].
        """
        self._configure_readers_by(queue)
        return self._common_queue.dequeue(name=name)

    def read_up_to(self, queue: Any, num_records: IntLike, name: str | None = None) -> Any:
        """Returns several records.

        Args:
            queue: queue of the names of files.
            num_records: int, or Tensor of int32 of shape [].
            name: str.

        Returns:
            [keys, values], Tensors of string of shape [up to `num_records`].
        """
        self._configure_readers_by(queue)
        return self._common_queue.dequeue_up_to(num_records, name)

    def _configure_readers_by(self, queue: Any) -> None:
        enqueued = [self._common_queue.enqueue(reader.read(queue)) for reader in self._readers]
        add_queue_runner(QueueRunner(self._common_queue, enqueued))

    def num_records_produced(self, name: str | None = None) -> Tensor:
        """Returns how many records the readers have given, a Tensor of int64 of shape []."""
        return add_n([reader.num_records_produced() for reader in self._readers], name=name)

    def num_work_units_completed(self, name: str | None = None) -> Tensor:
        """Returns how many files the readers have read, a Tensor of int64 of shape []."""
        return add_n([reader.num_work_units_completed() for reader in self._readers], name=name)


def parallel_read(
    data_sources: StringLike,
    reader_class: Callable[..., Any],
    num_epochs: int | None = None,
    num_readers: int = 4,
    reader_kwargs: Mapping[str, Any] | None = None,
    shuffle: bool = True,
    dtypes: NestedDTypes | None = None,
    capacity: int = 256,
    min_after_dequeue: int = 128,
    seed: int | None = None,
    scope: str | None = None,
) -> Any:
    """Reads records of several files side by side.

    Args:
        data_sources: str or list of str, names or patterns of files.
        reader_class: class of readers, such as `tf.TFRecordReader`.
        num_epochs: int, how often each file is read; None for without end.
        num_readers: int.
        reader_kwargs: dict of the readers' arguments.
        shuffle: bool. If True, files and records come in random order.
        dtypes: list of DTypes of key and value; string by default.
        capacity: int, of the queue of records.
        min_after_dequeue: int, how many records stay in the queue for the random order.
        seed: int.
        scope: str, name scope.

    Returns:
        [key, value], Tensors of string of shape [].

    Raises:
        ValueError: if there is no file.
    """
    files = get_data_files(data_sources)
    with name_scope(scope, "parallel_read"):
        names = string_input_producer(files, num_epochs=num_epochs, shuffle=shuffle, seed=seed, name="filenames")
        kinds = dtypes or [dtypes_lib.string, dtypes_lib.string]
        queue: QueueBase = (
            RandomShuffleQueue(
                capacity=capacity, min_after_dequeue=min_after_dequeue, dtypes=kinds, seed=seed, name="common_queue"
            )
            if shuffle
            else FIFOQueue(capacity=capacity, dtypes=kinds, name="common_queue")
        )
        scalar(f"fraction_of_{capacity}_full", cast(queue.size(), dtypes_lib.float32) * (1.0 / capacity))
        return ParallelReader(reader_class, queue, num_readers, reader_kwargs).read(names)


def single_pass_read(
    data_sources: StringLike,
    reader_class: Callable[..., Any],
    reader_kwargs: Mapping[str, Any] | None = None,
    scope: str | None = None,
) -> Any:
    """Reads each file once, in order.

    Args:
        data_sources: str or list of str, names or patterns of files.
        reader_class: class of readers, such as `tf.TFRecordReader`.
        reader_kwargs: dict of the reader's arguments.
        scope: str, name scope.

    Returns:
        (key, value), Tensors of string of shape [].

    Raises:
        ValueError: if there is no file.
    """
    files = get_data_files(data_sources)
    with name_scope(scope, "single_pass_read"):
        names = string_input_producer(files, num_epochs=1, shuffle=False, capacity=1, name="filenames")
        return reader_class(**(reader_kwargs or {})).read(names)


def get_data_files(data_sources: Any) -> list[str]:
    """Returns the names of files.

    Args:
        data_sources: str or list of str, names or patterns of files.

    Returns:
        list of str.

    Raises:
        ValueError: if there are none.
    """
    if isinstance(data_sources, (list, tuple)):
        files = [file for source in data_sources for file in get_data_files(source)]
    else:
        files = glob(data_sources) if any(sign in data_sources for sign in "*?[") else [data_sources]
    if not files:
        raise ValueError(f"No data files found in {data_sources}")
    return files


def prefetch_queue(
    tensors: Any,
    capacity: int = 8,
    num_threads: int = 1,
    dynamic_pad: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> QueueBase:
    """Makes a queue that is filled with tensors ahead of time.

    Args:
        tensors: list or dict of Tensors of any dtype and shape.
        capacity: int, how many such lists the queue holds.
        num_threads: int, how many threads fill it.
        dynamic_pad: bool. If True, shapes may have unknown dimensions.
        shared_name: str, the name by which sessions share it.
        name: str, name scope.

    Returns:
        FIFOQueue or PaddingFIFOQueue, whose `dequeue` gives a list or dict of Tensors.
    """
    is_dict = isinstance(tensors, Mapping)
    keys = sorted(tensors) if is_dict else None
    items = [tensors[key] for key in keys] if keys is not None else list(tensors)
    with name_scope(name, "prefetch_queue", items):
        make = PaddingFIFOQueue if dynamic_pad else FIFOQueue
        queue: QueueBase = make(
            capacity=capacity,
            dtypes=[item.dtype.base_dtype for item in items],
            shapes=[item.get_shape() for item in items],
            names=keys,
            shared_name=shared_name,
        )
        enqueued = queue.enqueue(dict(zip(keys, items, strict=True)) if keys is not None else items)
        add_queue_runner(QueueRunner(queue, [enqueued] * num_threads))
        scalar(f"fraction_of_{capacity}_full", cast(queue.size(), dtypes_lib.float32) * (1.0 / capacity))
        return queue
