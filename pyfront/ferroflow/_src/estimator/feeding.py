"""Queues that arrays are fed into, for the input functions of estimators."""

from __future__ import annotations

import functools
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from ferroflow._src.base import dtypes, errors, tf_logging
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.input.queue_runner import QueueRunner, add_queue_runner
from ferroflow._src.ops.array.making import placeholder
from ferroflow._src.ops.math.arithmetic import maximum
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.queue.queues import FIFOQueue, PaddingFIFOQueue, QueueBase, RandomShuffleQueue
from ferroflow._src.summary.values import scalar


class FeedingQueueRunner(QueueRunner):
    """A queue runner that feeds the operations that it runs.

    Args:
        queue: QueueBase.
        enqueue_ops: list of Operation.
        feed_fns: list of callables, one for each operation, that give the dict to feed or raise OutOfRangeError at the
            end of the input.
    """

    def __init__(self, queue: QueueBase, enqueue_ops: Sequence[Any], feed_fns: Sequence[Callable[[], Any]]) -> None:
        closed = (errors.OutOfRangeError, errors.CancelledError)
        super().__init__(queue, enqueue_ops, queue_closed_exception_types=closed)
        self._feed_fns = dict(zip(enqueue_ops, feed_fns, strict=True))

    def _step(self, sess: Any, enqueue_op: Any) -> Callable[[], Any]:
        feed_fn = self._feed_fns[enqueue_op]
        return lambda: sess.run(enqueue_op, feed_dict=feed_fn())

    def to_proto(self, export_scope: str | None = None) -> Any:
        """Returns None: the queue runner feeds objects of this process."""
        return None


class _Batches:
    """Example numbers of batch after batch, and the feeds for them.

    Args:
        placeholders: list of Tensor: of the numbers, and of each column.
        columns: list of arrays of one length.
        batch_size: int, the number of examples of a batch; the last one may have fewer.
        random_start: bool. If True, the first example is a random one.
        seed: int, seed of that, or None.
        num_epochs: int, how often each example is returned; None for no limit.
    """

    def __init__(
        self,
        placeholders: Sequence[Tensor],
        columns: Sequence[Any],
        batch_size: int,
        random_start: bool,
        seed: int | None,
        num_epochs: int | None,
    ) -> None:
        self._placeholders = placeholders
        self._columns = columns
        self._length = len(columns[0])
        self._batch_size = batch_size
        self._start = random.Random(seed).randrange(self._length) if random_start else 0
        self._given = 0
        self._wanted = None if num_epochs is None else num_epochs * self._length

    def __call__(self) -> dict[Tensor, Any]:
        end = self._given + self._batch_size
        if self._wanted is not None:
            if self._given >= self._wanted:
                raise errors.OutOfRangeError(None, None, f"Already emitted {self._wanted // self._length} epochs.")
            end = min(end, self._wanted)
        chosen = (np.arange(self._given, end, dtype=np.int64) + self._start) % self._length
        self._given = end
        return dict(zip(self._placeholders, [chosen, *(column[chosen] for column in self._columns)], strict=True))


class _Kind(NamedTuple):
    """A kind of queue.

    Attributes:
        stay: int, the examples that stay in it to be shuffled.
        make: function of the capacity, `dtypes` and `shapes` that returns a QueueBase.
    """

    stay: int
    make: Callable[..., QueueBase]


_IN_ORDER: Final = _Kind(0, FIFOQueue)


def _shuffling(stay: int, seed: int | None) -> _Kind:
    return _Kind(stay, functools.partial(RandomShuffleQueue, min_after_dequeue=stay, seed=seed))


class _SampleBatches:
    """Batches of the dicts that a generator function yields, and the feeds for them.

    Args:
        placeholders: list of Tensor, in the sorted order of the keys.
        samples: function that returns an iterator of dicts of arrays with the same keys.
        batch_size: int; a batch ends when its examples have at least this many arrays together, as in TensorFlow.
        num_epochs: int, how often the function is called; None for no limit.
        pad_value: number that fills shorter arrays of a batch up in their last dimension; None for no filling.
    """

    def __init__(
        self,
        placeholders: Sequence[Tensor],
        samples: Callable[[], Iterator[Mapping[str, Any]]],
        batch_size: int,
        num_epochs: int | None,
        pad_value: float | None,
    ) -> None:
        self._placeholders, self._samples, self._batch_size = placeholders, samples, batch_size
        self._num_epochs, self._pad_value = num_epochs, pad_value
        self._keys = sorted(next(samples()))
        self._current, self._epoch = samples(), 0

    def __call__(self) -> dict[Tensor, Any]:
        if self._num_epochs and self._epoch >= self._num_epochs:
            raise errors.OutOfRangeError(None, None, f"Already emitted {self._epoch} epochs.")
        rows: list[Mapping[str, Any]] = []
        while len(rows) * len(self._keys) < self._batch_size:
            rows.append(self._next())
        columns = [[row[key] for row in rows] for key in self._keys]
        if self._pad_value is not None:
            columns = [_padded(column, self._pad_value) for column in columns]
        return dict(zip(self._placeholders, [np.asarray(column) for column in columns], strict=True))

    def _next(self) -> Mapping[str, Any]:
        row = next(self._current, None)
        if row is None:
            self._epoch += 1
            self._current = self._samples()
            row = next(self._current)
        if not row.keys() >= set(self._keys):
            raise KeyError(f"key mismatch between dicts emitted by GenFunExpected {self._keys} keys; got {sorted(row)}")
        return row


def _padded(arrays: list[Any], value: float) -> list[Any]:
    """Returns arrays with their last dimensions filled up to the longest one."""
    if len({np.shape(array)[:-1] for array in arrays}) > 1:
        raise ValueError("Array shapes must match.")
    lengths = {np.shape(array)[-1:] for array in arrays}
    if len(lengths) == 1:
        return arrays
    longest = max(length for (length,) in lengths)
    return [
        np.pad(array, [(0, 0)] * (array.ndim - 1) + [(0, longest - array.shape[-1])], constant_values=value)
        for array in arrays
    ]


def enqueue_arrays(
    columns: Mapping[str, Any],
    capacity: int,
    shuffle: bool = False,
    min_after_dequeue: int | None = None,
    num_threads: int = 1,
    seed: int | None = None,
    name: str = "enqueue_input",
    enqueue_size: int = 1,
    num_epochs: int | None = None,
) -> QueueBase:
    """Returns a queue of the examples of arrays, which a queue runner of the graph fills.

    Args:
        columns: dict of arrays of one length: the features.
        capacity: int, the most examples it holds.
        shuffle: bool. If True, the examples come in random order.
        min_after_dequeue: int, the examples that stay to be shuffled; None for a quarter of `capacity`.
        num_threads: int, the number of threads that fill it, each with all examples.
        seed: int, seed of the shuffling, or None.
        name: str, name scope of the operations.
        enqueue_size: int, the number of examples that are added at a time.
        num_epochs: int, how often each example is added by each thread; None for no limit.

    Returns:
        QueueBase, whose first component is the number of the example, int64, and the others the columns.
    """
    arrays = [np.asarray(column) for column in columns.values()]
    types = [dtypes.int64, *(dtypes.as_dtype(array.dtype) for array in arrays)]
    shapes: list[Any] = [(), *(array.shape[1:] for array in arrays)]

    def batches(placeholders: list[Tensor], thread_seed: int | None) -> Callable[[], Any]:
        return _Batches(placeholders, arrays, enqueue_size, shuffle, thread_seed, num_epochs)

    _warn_of_threads(num_threads, num_epochs, shuffle)
    kind = _IN_ORDER
    if shuffle:
        kind = _shuffling(int(capacity / 4 if min_after_dequeue is None else min_after_dequeue), seed)
    return _filled_queue(kind, capacity, types, shapes, batches, num_threads, seed, name)


def enqueue_samples(
    samples: Callable[[], Iterator[Mapping[str, Any]]],
    capacity: int,
    shuffle: bool = False,
    num_threads: int = 1,
    name: str = "enqueue_input",
    enqueue_size: int = 1,
    num_epochs: int | None = None,
    pad_value: float | None = None,
) -> QueueBase:
    """Returns a queue of the dicts that a generator function yields, which a queue runner of the graph fills.

    Args:
        samples: function that returns an iterator of dicts of arrays with the same keys: the examples.
        capacity: int, the most examples it holds.
        shuffle: bool. If True, the examples come in random order.
        num_threads: int, the number of threads that fill it, each with all examples.
        name: str, name scope of the operations.
        enqueue_size: int, the number of arrays that are added at a time, of whole examples.
        num_epochs: int, how often `samples` is called by each thread; None for no limit.
        pad_value: number that fills arrays up to the longest one of a batch, in their last dimension; None if all
            arrays of a key have one shape.

    Returns:
        QueueBase with a component for each key, in sorted order.

    Raises:
        NotImplementedError: if arrays are to be filled up and shuffled.
    """
    if shuffle and pad_value is not None:
        raise NotImplementedError("padding and shuffling data at the same time is not implemented")
    first = next(samples())
    columns = [np.asarray(first[key]) for key in sorted(first)]
    types = [dtypes.as_dtype(column.dtype) for column in columns]
    shapes: list[Any] = [column.shape for column in columns]

    def batches(placeholders: list[Tensor], thread_seed: int | None) -> Callable[[], Any]:
        return _SampleBatches(placeholders, samples, enqueue_size, num_epochs, pad_value)

    _warn_of_threads(num_threads, num_epochs, shuffle)
    kind = _IN_ORDER
    if shuffle:
        kind = _shuffling(int(capacity / 4), None)
    elif pad_value is not None:
        kind = _Kind(0, PaddingFIFOQueue)
        shapes = [(*shape[:-1], None) if shape else shape for shape in shapes]
    return _filled_queue(kind, capacity, types, shapes, batches, num_threads, None, name)


def _warn_of_threads(num_threads: int, num_epochs: int | None, shuffle: bool) -> None:
    if num_threads == 1:
        return
    if num_epochs is not None:
        tf_logging.warning("With num_threads > 1 each thread gives every example num_epochs times; use one thread.")
    if not shuffle:
        tf_logging.warning("With num_threads > 1 examples do not come in order; use one thread or shuffle.")


def _filled_queue(
    kind: _Kind,
    capacity: int,
    types: list[Any],
    shapes: list[Any],
    batches: Callable[[list[Tensor], int | None], Callable[[], Any]],
    num_threads: int,
    seed: int | None,
    name: str,
) -> QueueBase:
    """Returns a queue with a queue runner that feeds batches: a function of placeholders and a thread's seed."""
    with name_scope(name):
        queue = kind.make(capacity, dtypes=types, shapes=shapes)
        enqueue_ops, feed_fns = [], []
        for i in range(num_threads):
            placeholders = [placeholder(t) for t in types]
            enqueue_ops.append(queue.enqueue_many(placeholders))
            feed_fns.append(batches(placeholders, None if seed is None else (i + 1) * seed))
        add_queue_runner(FeedingQueueRunner(queue, enqueue_ops, feed_fns))
        stay = kind.stay
        full = cast(maximum(0, queue.size() - stay), dtypes.float32) * (1.0 / (capacity - stay))
        scalar(f"queue/{queue.name}fraction_over_{stay}_of_{capacity - stay}_full", full)
    return queue
