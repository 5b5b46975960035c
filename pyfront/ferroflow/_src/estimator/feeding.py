"""Queues that arrays are fed into, for the input functions of estimators."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ferroflow._src.base import dtypes, errors, tf_logging
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.input.queue_runner import QueueRunner, add_queue_runner
from ferroflow._src.ops.array.making import placeholder
from ferroflow._src.ops.math.arithmetic import maximum
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.queue.queues import FIFOQueue, QueueBase, RandomShuffleQueue
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
    if num_threads > 1:
        if num_epochs is not None:
            tf_logging.warning("With num_threads > 1 each thread gives every example num_epochs times; use one thread.")
        if not shuffle:
            tf_logging.warning("With num_threads > 1 examples do not come in order; use one thread or shuffle.")
    arrays = [np.asarray(column) for column in columns.values()]
    with name_scope(name):
        types = [dtypes.int64, *(dtypes.as_dtype(array.dtype) for array in arrays)]
        shapes = [(), *(array.shape[1:] for array in arrays)]
        queue: QueueBase
        if shuffle:
            stay = int(capacity / 4 if min_after_dequeue is None else min_after_dequeue)
            queue = RandomShuffleQueue(capacity, stay, dtypes=types, shapes=shapes, seed=seed)
        else:
            stay = 0
            queue = FIFOQueue(capacity, dtypes=types, shapes=shapes)
        enqueue_ops, feed_fns = [], []
        for i in range(num_threads):
            placeholders = [placeholder(t) for t in types]
            enqueue_ops.append(queue.enqueue_many(placeholders))
            own_seed = None if seed is None else (i + 1) * seed
            feed_fns.append(_Batches(placeholders, arrays, enqueue_size, shuffle, own_seed, num_epochs))
        add_queue_runner(FeedingQueueRunner(queue, enqueue_ops, feed_fns))
        full = cast(maximum(0, queue.size() - stay), dtypes.float32) * (1.0 / (capacity - stay))
        scalar(f"queue/{queue.name}fraction_over_{stay}_of_{capacity - stay}_full", full)
    return queue
