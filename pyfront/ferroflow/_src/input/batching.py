"""Batches: queues that threads fill with elements, and from which many elements are taken at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ferroflow._src.base import dtypes as dtypes_lib, tensor_shape
from ferroflow._src.base.typing import IntLike, ListLike, NestedShapes, NestedTensors, TensorLike
from ferroflow._src.framework.composite import SparseTensor, convert_to_tensor_or_indexed_slices
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.input.fullness import note_fraction_full, note_fraction_over
from ferroflow._src.input.queue_runner import QueueRunner, add_queue_runner
from ferroflow._src.input.sparse_storing import (
    branch,
    restore_sparse_tensors,
    store_sparse_tensors_join,
)
from ferroflow._src.ops.array.joining import dynamic_partition
from ferroflow._src.ops.flow.grouping import no_op
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.queue.queues import FIFOQueue, PaddingFIFOQueue, QueueBase, RandomShuffleQueue


def tensor_list(tensors: Any) -> list[Any]:
    """Returns the values of a dictionary in the order of its keys, or the list itself.

    Args:
        tensors: list or dict.
    """
    return [tensors[key] for key in sorted(tensors, key=str)] if isinstance(tensors, dict) else tensors


def _tensor_lists(tensors_list: Any) -> list[list[Any]]:
    if not tensors_list:
        raise ValueError("Expected at least one set of tensors")
    if isinstance(tensors_list[0], dict):
        keys = set(tensors_list[0])
        if any(set(tensors) != keys for tensors in tensors_list[1:]):
            raise ValueError("All dictionaries in tensors_list must have the same keys")
    return [tensor_list(tensors) for tensors in tensors_list]


def as_given(original: Any, tensors: ListLike) -> Any:
    """Returns tensors in the structure of the given ones.

    Args:
        original: list or dict.
        tensors: list of tensors, or the only one.
    """
    if not isinstance(original, dict):
        return tensors
    if len(original) == 1:
        tensors = [tensors]
    return {key: tensors[i] for i, key in enumerate(sorted(original, key=str))}


def converted(tensors: ListLike, caller: str = "batch()") -> list[Any]:
    """Returns values as tensors; sparse ones stay.

    Args:
        tensors: list of values.
        caller: str, the function that takes them.

    Raises:
        ValueError: if there are no tensors.
        TypeError: if the argument is not a list.
    """
    if not isinstance(tensors, list | tuple):
        raise TypeError("values must be a list.")
    if not tensors:
        raise ValueError(f"Expected at least one tensor in {caller}.")
    return [t if isinstance(t, SparseTensor) else convert_to_tensor_or_indexed_slices(t) for t in tensors]


def checked_keep_input(keep_input: TensorLike, enqueue_many: bool) -> Tensor:
    """Returns the condition for keeping elements as a tensor.

    Args:
        keep_input: Tensor of bool, of shape [] or [rows].
        enqueue_many: bool. If True, rows are the elements.

    Raises:
        ValueError: if `keep_input` has another rank.
    """
    keep = convert_to_tensor(keep_input)
    if keep.shape.ndims is None:
        raise ValueError("`keep_input` dimensions must be known at graph construction.")
    if not enqueue_many and keep.shape.ndims == 1:
        raise ValueError("`keep_input` cannot be a vector when `enqueue_many=False`.")
    if keep.shape.ndims > 1:
        raise ValueError("`keep_input` must be 0 or 1 dimensions.")
    return keep


def dtypes_of(lists: Sequence[Sequence[Any]]) -> list[Any]:
    """Returns the dtypes of the components of lists of tensors.

    Args:
        lists: list of lists of Tensor.

    Raises:
        TypeError: if the dtypes of one list differ from those of another.
    """
    types = [t.dtype for t in lists[0]]
    for tensors in lists[1:]:
        others = [t.dtype for t in tensors]
        if others != types:
            names = [", ".join(t.name for t in each) for each in (types, others)]
            raise TypeError(f"Expected types to be consistent: {names[0]} vs. {names[1]}.")
    return types


def shapes_of(lists: Sequence[Sequence[Any]], shapes: NestedShapes | None, enqueue_many: bool) -> Any:
    """Returns the shapes of the elements' components: those given, or what is known of the tensors.

    Args:
        lists: list of lists of Tensor.
        shapes: list of shapes, or None.
        enqueue_many: bool. If True, rows are the elements.

    Raises:
        ValueError: if the rank of a tensor is unknown, or the shapes of two lists differ.
    """
    if shapes is not None:
        return shapes
    found = []
    for i in range(len(lists[0])):
        known = [tensors[i].shape for tensors in lists]
        for tensors, shape in zip(lists, known, strict=True):
            if shape.ndims is None:
                raise ValueError(f"Cannot infer Tensor's rank: {tensors[i]}")
        if enqueue_many:
            known = [shape.with_rank_at_least(1)[1:] for shape in known]
        for other in known[1:]:
            # TF 1.x: they must agree, and the first is taken.
            known[0].merge_with(other)
        found.append(tensor_shape.TensorShape(known[0].as_list()))
    return found


def _kept(tensors: Sequence[Any], keep_input: Tensor) -> list[Tensor]:
    """Returns the rows that are kept."""
    which = cast(keep_input, dtypes_lib.int32)
    return [dynamic_partition(x, which, num_partitions=2)[1] for x in tensors]


def _enqueue_op(queue: QueueBase, tensors: Sequence[Any], enqueue_many: bool, keep_input: Tensor) -> Any:
    enqueue: Callable[[Any], Any] = queue.enqueue_many if enqueue_many else queue.enqueue
    if keep_input.shape.ndims == 1:
        return enqueue(_kept(tensors, keep_input))
    return branch(keep_input, lambda: enqueue(tensors), no_op)


def queue_class(dynamic_pad: bool) -> Any:
    """Returns the queue for batches.

    Args:
        dynamic_pad: bool. If True, elements of different sizes are padded.
    """
    return PaddingFIFOQueue if dynamic_pad else FIFOQueue


class _Queue(NamedTuple):
    """A queue of batches, before its elements are known; the last two attributes belong to shuffling queues."""

    kind: Any
    capacity: int
    shared_name: str | None
    min_after_dequeue: int | None = None
    seed: int | None = None

    def made(self, types: Sequence[Any], shapes: Any) -> QueueBase:
        """Returns the queue of elements of these dtypes and shapes."""
        options = (
            {} if self.min_after_dequeue is None else {"min_after_dequeue": self.min_after_dequeue, "seed": self.seed}
        )
        queue: QueueBase = self.kind(
            capacity=self.capacity, dtypes=types, shapes=shapes, shared_name=self.shared_name, **options
        )
        return queue

    def check_room(self) -> None:
        """Raises ValueError if the queue would have no room for an element beyond the minimum."""
        if self.min_after_dequeue is not None and self.capacity <= self.min_after_dequeue:
            message = f"capacity {self.capacity} must be bigger than min_after_dequeue {self.min_after_dequeue}."
            raise ValueError(message)

    def note_fullness(self, queue: QueueBase) -> None:
        """Adds the summary that says how full the queue is."""
        if self.min_after_dequeue is None:
            note_fraction_full(queue, self.capacity)
        else:
            note_fraction_over(queue, self.capacity, self.min_after_dequeue)


class _Elements(NamedTuple):
    """Elements of a queue: lists or dicts of tensors, one for each thread."""

    tensors_list: Any
    keep_input: Any
    enqueue_many: bool
    shapes: Any
    num_threads: int = 1


def _batches(
    elements: _Elements, queue: _Queue, batch_size: Any, allow_smaller: bool, kind: str, name: str | None
) -> Any:
    """Returns batches of elements that a queue runner puts into a queue, in the structure of one of them."""
    lists, keep_input, enqueue_many, shapes, threads = elements
    given = _tensor_lists(lists)
    with name_scope(name, kind, [*(t for each in given for t in each), keep_input]) as scope:
        queue.check_room()
        # TF 1.x: messages are the same for shuffled batches and others.
        caller = "batch_join()" if kind.endswith("join") else "batch()"
        components = [converted(each, caller) for each in given]
        keep = checked_keep_input(keep_input, enqueue_many)
        components, stored = store_sparse_tensors_join(components, enqueue_many, keep)
        made = queue.made(dtypes_of(components), shapes_of(components, shapes, enqueue_many))
        ops = [op for each in components for op in [_enqueue_op(made, each, enqueue_many, keep)] * threads]
        add_queue_runner(QueueRunner(made, ops))
        queue.note_fullness(made)
        take = made.dequeue_up_to if allow_smaller else made.dequeue_many
        return as_given(lists[0], restore_sparse_tensors(take(batch_size, name=scope), stored))


def batch(
    tensors: NestedTensors,
    batch_size: IntLike,
    num_threads: int = 1,
    capacity: int = 32,
    enqueue_many: bool = False,
    shapes: NestedShapes | None = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Returns batches of elements, which a queue runner's threads put into a queue.

    Args:
        tensors: list or dict of Tensor and SparseTensor, of any dtypes and shapes: the components of an element.
        batch_size: int or Tensor of int32, of shape []: the elements of a batch.
        num_threads: int, the threads that put elements in; with more than one, their order is not deterministic.
        capacity: int, the most elements the queue holds.
        enqueue_many: bool. If True, the rows of `tensors` are the elements.
        shapes: list of shapes, of the components; by default those of `tensors`.
        dynamic_pad: bool. If True, the elements of a batch may have different sizes, and are padded with zeros.
        allow_smaller_final_batch: bool. If True, the last batch may be smaller; otherwise a remainder at the end is
            dropped.
        shared_name: str, the name under which sessions share the queue.
        name: str, name of the scope.

    Returns:
        As `tensors`, each of its dtype, with a new first dimension.

    Raises:
        ValueError: if there are no tensors, or their shapes are neither known nor given.
        TypeError: if `tensors` is neither list nor dict.

    Example:
        >>> number = tf.train.input_producer(tf.range(5), num_epochs=1, shuffle=False).dequeue()
        >>> batch = tf.train.batch([number], batch_size=2, allow_smaller_final_batch=True)
        >>> with tf.train.MonitoredSession() as session:
        ...     while not session.should_stop():
        ...         print(session.run(batch))
        [0 1]
        [2 3]
        [4]
    """
    return maybe_batch(
        tensors,
        True,
        batch_size,
        num_threads,
        capacity,
        enqueue_many,
        shapes,
        dynamic_pad,
        allow_smaller_final_batch,
        shared_name,
        name,
    )


def maybe_batch(
    tensors: Any,
    keep_input: TensorLike,
    batch_size: IntLike,
    num_threads: int = 1,
    capacity: int = 32,
    enqueue_many: bool = False,
    shapes: NestedShapes | None = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Returns batches of the elements for which `keep_input` is True.

    Args:
        tensors: list or dict of Tensor and SparseTensor, of any dtypes and shapes: the components of an element.
        keep_input: Tensor of bool, of shape []. If True, the element, or all rows, are put in; of shape [rows] where
            rows are the elements: which are.
        batch_size: int or Tensor of int32, of shape []: the elements of a batch.
        num_threads: int, the threads that put elements in; with more than one, their order is not deterministic.
        capacity: int, the most elements the queue holds.
        enqueue_many: bool. If True, the rows of the tensors are the elements.
        shapes: list of shapes, of the components; by default those of the tensors.
        dynamic_pad: bool. If True, the elements of a batch may have different sizes, and are padded with zeros.
        allow_smaller_final_batch: bool. If True, the last batch may be smaller; otherwise a remainder at the end is
            dropped.
        shared_name: str, the name under which sessions share the queue.
        name: str, name of the scope.

    Returns:
        As `batch`.

    Raises:
        ValueError: on the same conditions as `batch`.
        TypeError: if `tensors` is neither list nor dict.
    """
    queue = _Queue(queue_class(dynamic_pad), capacity, shared_name)
    elements = _Elements([tensors], keep_input, enqueue_many, shapes, num_threads)
    return _batches(elements, queue, batch_size, allow_smaller_final_batch, "batch", name)


def batch_join(
    tensors_list: ListLike,
    batch_size: IntLike,
    capacity: int = 32,
    enqueue_many: bool = False,
    shapes: NestedShapes | None = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Returns batches of elements, which threads put into a queue, each from tensors of its own.

    Args:
        tensors_list: list of lists or dicts of Tensor and SparseTensor, of the same dtypes and shapes in each; each
            thread enqueues the elements of one of them.
        batch_size: int or Tensor of int32, of shape []: the elements of a batch.
        capacity: int, the most elements the queue holds.
        enqueue_many: bool. If True, the rows of the tensors are the elements.
        shapes: list of shapes, of the components; by default those of the tensors.
        dynamic_pad: bool. If True, the elements of a batch may have different sizes, and are padded with zeros.
        allow_smaller_final_batch: bool. If True, the last batch may be smaller; otherwise a remainder at the end is
            dropped.
        shared_name: str, the name under which sessions share the queue.
        name: str, name of the scope.

    Returns:
        As one of `tensors_list`, each tensor with a new first dimension.

    Raises:
        ValueError: if there are no tensors, or their shapes differ or are neither known nor given.
        TypeError: if their dtypes differ.
    """
    return maybe_batch_join(
        tensors_list,
        True,
        batch_size,
        capacity,
        enqueue_many,
        shapes,
        dynamic_pad,
        allow_smaller_final_batch,
        shared_name,
        name,
    )


def maybe_batch_join(
    tensors_list: ListLike,
    keep_input: TensorLike,
    batch_size: IntLike,
    capacity: int = 32,
    enqueue_many: bool = False,
    shapes: NestedShapes | None = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Returns batches, from several readers, of the elements for which `keep_input` is True.

    Args:
        tensors_list: list of lists or dicts of Tensor and SparseTensor, of the same dtypes and shapes in each; each
            thread enqueues the elements of one of them.
        keep_input: Tensor of bool, of shape []. If True, the element, or all rows, are put in; of shape [rows] where
            rows are the elements: which are.
        batch_size: int or Tensor of int32, of shape []: the elements of a batch.
        capacity: int, the most elements the queue holds.
        enqueue_many: bool. If True, the rows of the tensors are the elements.
        shapes: list of shapes, of the components; by default those of the tensors.
        dynamic_pad: bool. If True, the elements of a batch may have different sizes, and are padded with zeros.
        allow_smaller_final_batch: bool. If True, the last batch may be smaller; otherwise a remainder at the end is
            dropped.
        shared_name: str, the name under which sessions share the queue.
        name: str, name of the scope.

    Returns:
        As `batch_join`.

    Raises:
        ValueError: on the same conditions as `batch_join`.
        TypeError: on the same conditions as `batch_join`.
    """
    queue = _Queue(queue_class(dynamic_pad), capacity, shared_name)
    elements = _Elements(tensors_list, keep_input, enqueue_many, shapes)
    return _batches(elements, queue, batch_size, allow_smaller_final_batch, "batch_join", name)


def shuffle_batch(
    tensors: NestedTensors,
    batch_size: IntLike,
    capacity: int,
    min_after_dequeue: int,
    num_threads: int = 1,
    seed: int | None = None,
    enqueue_many: bool = False,
    shapes: NestedShapes | None = None,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Returns batches of elements in random order, which a queue runner's threads put into a queue.

    Args:
        tensors: list or dict of Tensor and SparseTensor, of any dtypes and shapes: the components of an element.
        batch_size: int or Tensor of int32, of shape []: the elements of a batch.
        capacity: int, the most elements the queue holds.
        min_after_dequeue: int, the number of elements that stay in the queue after each dequeue, so that elements are
            mixed.
        num_threads: int, the threads that put elements in.
        seed: int, seed of the order.
        enqueue_many: bool. If True, the rows of `tensors` are the elements.
        shapes: list of shapes, of the components; by default those of `tensors`.
        allow_smaller_final_batch: bool. If True, the last batch may be smaller; otherwise a remainder at the end is
            dropped.
        shared_name: str, the name under which sessions share the queue.
        name: str, name of the scope.

    Returns:
        As `tensors`, each of its dtype, with a new first dimension.

    Raises:
        ValueError: if there are no tensors; if their shapes are neither known nor given; or if the capacity is not
            greater than `min_after_dequeue`.
        TypeError: if `tensors` is neither list nor dict.

    Example:
        >>> number = tf.train.input_producer(tf.range(6), num_epochs=1).dequeue()
        >>> batch = tf.train.shuffle_batch([number], batch_size=3, capacity=10, min_after_dequeue=2)
        >>> with tf.train.MonitoredSession() as session:
        ...     print(sorted(np.concatenate([session.run(batch), session.run(batch)]).tolist()))
        [0, 1, 2, 3, 4, 5]
    """
    return maybe_shuffle_batch(
        tensors,
        batch_size,
        capacity,
        min_after_dequeue,
        True,
        num_threads,
        seed,
        enqueue_many,
        shapes,
        allow_smaller_final_batch,
        shared_name,
        name,
    )


def maybe_shuffle_batch(
    tensors: Any,
    batch_size: IntLike,
    capacity: int,
    min_after_dequeue: int,
    keep_input: TensorLike,
    num_threads: int = 1,
    seed: int | None = None,
    enqueue_many: bool = False,
    shapes: NestedShapes | None = None,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Returns shuffled batches of the elements for which `keep_input` is True.

    Args:
        tensors: list or dict of Tensor and SparseTensor, of any dtypes and shapes: the components of an element.
        batch_size: int or Tensor of int32, of shape []: the elements of a batch.
        capacity: int, the most elements the queue holds.
        min_after_dequeue: int, the number of elements that stay in the queue after each dequeue, so that elements are
            mixed.
        keep_input: Tensor of bool, of shape []. If True, the element, or all rows, are put in; of shape [rows] where
            rows are the elements: which are.
        num_threads: int, the threads that put elements in; with more than one, their order is not deterministic.
        seed: int, seed of the order.
        enqueue_many: bool. If True, the rows of the tensors are the elements.
        shapes: list of shapes, of the components; by default those of the tensors.
        allow_smaller_final_batch: bool. If True, the last batch may be smaller; otherwise a remainder at the end is
            dropped.
        shared_name: str, the name under which sessions share the queue.
        name: str, name of the scope.

    Returns:
        As `shuffle_batch`.

    Raises:
        ValueError: on the same conditions as `shuffle_batch`.
        TypeError: if `tensors` is neither list nor dict.
    """
    queue = _Queue(RandomShuffleQueue, capacity, shared_name, min_after_dequeue, seed)
    elements = _Elements([tensors], keep_input, enqueue_many, shapes, num_threads)
    return _batches(elements, queue, batch_size, allow_smaller_final_batch, "shuffle_batch", name)


def shuffle_batch_join(
    tensors_list: ListLike,
    batch_size: IntLike,
    capacity: int,
    min_after_dequeue: int,
    seed: int | None = None,
    enqueue_many: bool = False,
    shapes: NestedShapes | None = None,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Returns batches of elements in random order, which threads put into a queue, each from tensors of its own.

    Args:
        tensors_list: list of lists or dicts of Tensor and SparseTensor, of the same dtypes and shapes in each; each
            thread enqueues the elements of one of them.
        batch_size: int or Tensor of int32, of shape []: the elements of a batch.
        capacity: int, the most elements the queue holds.
        min_after_dequeue: int, the number of elements that stay in the queue after each dequeue, so that elements are
            mixed.
        seed: int, seed of the order.
        enqueue_many: bool. If True, the rows of the tensors are the elements.
        shapes: list of shapes, of the components; by default those of the tensors.
        allow_smaller_final_batch: bool. If True, the last batch may be smaller; otherwise a remainder at the end is
            dropped.
        shared_name: str, the name under which sessions share the queue.
        name: str, name of the scope.

    Returns:
        As one of `tensors_list`, each tensor with a new first dimension.

    Raises:
        ValueError: if there are no tensors; if their shapes differ or are neither known nor given; or if the capacity
            is not greater than `min_after_dequeue`.
        TypeError: if their dtypes differ.
    """
    return maybe_shuffle_batch_join(
        tensors_list,
        batch_size,
        capacity,
        min_after_dequeue,
        True,
        seed,
        enqueue_many,
        shapes,
        allow_smaller_final_batch,
        shared_name,
        name,
    )


def maybe_shuffle_batch_join(
    tensors_list: ListLike,
    batch_size: IntLike,
    capacity: int,
    min_after_dequeue: int,
    keep_input: TensorLike,
    seed: int | None = None,
    enqueue_many: bool = False,
    shapes: NestedShapes | None = None,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Returns shuffled batches, from several readers, of the elements for which `keep_input` is True.

    Args:
        tensors_list: list of lists or dicts of Tensor and SparseTensor, of the same dtypes and shapes in each; each
            thread enqueues the elements of one of them.
        batch_size: int or Tensor of int32, of shape []: the elements of a batch.
        capacity: int, the most elements the queue holds.
        min_after_dequeue: int, the number of elements that stay in the queue after each dequeue, so that elements are
            mixed.
        keep_input: Tensor of bool, of shape []. If True, the element, or all rows, are put in; of shape [rows] where
            rows are the elements: which are.
        seed: int, seed of the order.
        enqueue_many: bool. If True, the rows of the tensors are the elements.
        shapes: list of shapes, of the components; by default those of the tensors.
        allow_smaller_final_batch: bool. If True, the last batch may be smaller; otherwise a remainder at the end is
            dropped.
        shared_name: str, the name under which sessions share the queue.
        name: str, name of the scope.

    Returns:
        As `shuffle_batch_join`.

    Raises:
        ValueError: on the same conditions as `shuffle_batch_join`.
        TypeError: on the same conditions as `shuffle_batch_join`.
    """
    queue = _Queue(RandomShuffleQueue, capacity, shared_name, min_after_dequeue, seed)
    elements = _Elements(tensors_list, keep_input, enqueue_many, shapes)
    return _batches(elements, queue, batch_size, allow_smaller_final_batch, "shuffle_batch_join", name)
