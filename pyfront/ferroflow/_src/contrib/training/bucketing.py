"""Buckets: batches of similar elements, such as sequences of similar length."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from ferroflow._src.base import dtypes, errors, tensor_shape
from ferroflow._src.base.typing import IntLike, NestedShapes, TensorLike
from ferroflow._src.control_flow.conditional import cond
from ferroflow._src.framework.constant import constant, constant_value
from ferroflow._src.framework.conversion import convert_index
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Operation
from ferroflow._src.input.batching import (
    as_given,
    checked_keep_input,
    converted,
    dtypes_of,
    queue_class,
    shapes_of,
    tensor_list,
)
from ferroflow._src.input.queue_runner import QueueRunner, add_queue_runner
from ferroflow._src.input.sparse_storing import branch, restore_sparse_tensors, store_sparse_tensors
from ferroflow._src.ops.array.indexing import where
from ferroflow._src.ops.flow.grouping import group, no_op
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.comparison import equal, less, less_equal, logical_and
from ferroflow._src.ops.math.reduction import reduce_min
from ferroflow._src.ops.queue.queues import PaddingFIFOQueue, QueueBase
from ferroflow._src.summary.values import scalar

# Errors that mean that the input of a stage has ended, or that the next stage was closed.
_ENDS = (errors.OutOfRangeError, errors.CancelledError)


def _static(size: Any) -> Any:
    """Returns the number of elements of a batch, as int where the graph decides it."""
    tensor = convert_index(size, name="batch_size")
    known = constant_value(tensor)
    return tensor if known is None else known


def _enqueue_which(queues: Sequence[QueueBase], which: Any, components: Sequence[Any]) -> Operation:
    """Puts an element into one of the queues."""

    def enqueue(queue: QueueBase) -> Operation:
        return queue.enqueue(components)

    branches = [cond(equal(which, i), partial(enqueue, queue), no_op) for i, queue in enumerate(queues)]
    return group(*branches, name="group_enqueues")


def bucket(
    tensors: Any,
    which_bucket: TensorLike,
    batch_size: IntLike,
    num_buckets: int,
    num_threads: int = 1,
    capacity: int = 32,
    bucket_capacities: Sequence[int] | None = None,
    shapes: NestedShapes | None = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    keep_input: TensorLike = True,
    shared_name: str | None = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """Returns batches of elements of one bucket each.

    Threads of a queue runner put each element into the queue of its bucket. Threads of another one move whole batches
    from there to the queue that they are taken from.

    Args:
        tensors: list or dict of Tensor and SparseTensor, of any dtypes and shapes: the components of an element.
        which_bucket: Tensor of int32, of shape [], in [0, num_buckets): the bucket of the element.
        batch_size: int or Tensor of int32, of shape [], or list of them for each bucket: the elements of a batch.
        num_buckets: int, the number of buckets.
        num_threads: int, the threads that put elements in.
        capacity: int, the most batches the last queue holds, and elements each bucket does by default.
        bucket_capacities: list of int, the most elements each bucket holds.
        shapes: list of shapes, of the components; by default those of `tensors`.
        dynamic_pad: bool. If True, the elements of a batch may have different sizes, and are padded with zeros.
        allow_smaller_final_batch: bool. If True, the last batch of a bucket may be smaller.
        keep_input: Tensor of bool, of shape []. If True, the element is put in.
        shared_name: str, the name under which sessions share the queues.
        name: str, name of the scope.

    Returns:
        The bucket, int32 of shape [], and as `tensors`, each with a new first dimension.

    Raises:
        ValueError: if a list does not have `num_buckets` sizes, or the shapes are neither known nor given.
    """
    sizes = list(batch_size) if isinstance(batch_size, list | tuple) else [batch_size] * num_buckets
    if len(sizes) != num_buckets:
        raise ValueError("If batch_size is a list it must have num_buckets elements")
    one_size = not isinstance(batch_size, list | tuple)
    room = [capacity] * num_buckets if bucket_capacities is None else bucket_capacities
    if len(room) != num_buckets:
        raise ValueError(f"The list bucket_capacities ({room}) must have exactly num_buckets ({num_buckets}) elements.")
    given = tensor_list(tensors)
    with name_scope(name, "bucket", given):
        components = converted(given, "bucket()")
        keep = checked_keep_input(keep_input, enqueue_many=False)
        components, stored = store_sparse_tensors(components, False, keep)
        sizes = [_static(size) for size in sizes]
        types = dtypes_of([components])
        known = shapes_of([components], shapes, enqueue_many=False)
        which = convert_index(which_bucket, name="which_bucket")
        queues = [
            queue_class(dynamic_pad)(
                capacity=room[i],
                dtypes=types,
                shapes=known,
                shared_name=None if shared_name is None else f"{shared_name}_{i}",
                name=f"bucket_queue_{i}",
            )
            for i in range(num_buckets)
        ]
        rows = sizes[-1] if one_size and not allow_smaller_final_batch and not hasattr(sizes[-1], "op") else None
        batches = [tensor_shape.vector(rows).concatenate(shape) for shape in queues[0].shapes]
        top = PaddingFIFOQueue(
            capacity=capacity,
            dtypes=[dtypes.int32, *types],
            shapes=[tensor_shape.scalar(), *batches],
            shared_name=shared_name,
            name="top_queue",
        )
        enqueue = branch(keep, lambda: _enqueue_which(queues, which, components), no_op)
        to_top = []
        for i, (queue, size) in enumerate(zip(queues, sizes, strict=True)):
            take: Callable[..., Any] = queue.dequeue_up_to if allow_smaller_final_batch else queue.dequeue_many
            number = constant(i)
            taken = take(size, name=f"read_bucket_{i}")
            element = [number, *(taken if isinstance(taken, list) else [taken])]
            to_top.append(top.enqueue(element, name=f"enqueue_from_bucket_{i}"))
        add_queue_runner(
            QueueRunner(
                queues[0],
                to_top,
                close_op=top.close(),
                cancel_op=top.close(cancel_pending_enqueues=True),
                queue_closed_exception_types=_ENDS,
            )
        )
        add_queue_runner(
            QueueRunner(
                top,
                [enqueue] * num_threads,
                close_op=group(*[queue.close() for queue in queues]),
                cancel_op=group(*[queue.close(cancel_pending_enqueues=True) for queue in queues]),
                queue_closed_exception_types=_ENDS,
            )
        )
        for queue in queues:
            # TF 1.x: the size of the last queue, under the name of each.
            scalar(f"bucket/{queue.name}/size", cast(top.size(), dtypes.float32))
        fraction = cast(top.size(), dtypes.float32) * (1.0 / capacity)
        scalar(f"bucket/{top.name}/fraction_of_{capacity}_full", fraction)
        number, *dequeued = top.dequeue(name="dequeue_top")
        restored = restore_sparse_tensors(dequeued if len(dequeued) > 1 else dequeued[0], stored)
        return number, as_given(tensors, restored)


def _check_boundaries(boundaries: Any) -> None:
    if not isinstance(boundaries, list | tuple):
        raise TypeError(f"bucket_boundaries must be a list or tuple, but received: {boundaries}")
    if not boundaries:
        raise ValueError("bucket_boundaries must not be empty")
    for low, high in itertools.pairwise(boundaries):
        if not isinstance(low, int) or not isinstance(high, int):
            raise TypeError(f"bucket boundaries must be integers, but saw: {low} and {high}")
        if low >= high:
            raise ValueError(f"Buckets must contain sequential increasing lengths, but saw: {low} before {high}")


def bucket_by_sequence_length(
    input_length: TensorLike,
    tensors: Any,
    batch_size: IntLike,
    bucket_boundaries: Sequence[int],
    num_threads: int = 1,
    capacity: int = 32,
    bucket_capacities: Sequence[int] | None = None,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    keep_input: TensorLike = True,
    shared_name: str | None = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """Returns batches of sequences of similar length.

    Args:
        input_length: Tensor of int32, of shape []: the length of the sequence.
        tensors: list or dict of Tensor and SparseTensor, of any dtypes and shapes: the components of a sequence.
        batch_size: int or Tensor of int32, of shape [], or list of them for each bucket: the sequences of a batch.
        bucket_boundaries: list of int, increasing: the least lengths of all buckets but the first.
        num_threads: int, the threads that put sequences in.
        capacity: int, the most batches the last queue holds, and sequences each bucket does by default.
        bucket_capacities: list of int, the most sequences each bucket holds.
        shapes: list of shapes, of the components; by default those of the tensors.
        dynamic_pad: bool. If True, the elements of a batch may have different sizes, and are padded with zeros.
        allow_smaller_final_batch: bool. If True, the last batch of a bucket may be smaller.
        keep_input: Tensor of bool, of shape []. If True, the sequence is put in.
        shared_name: str, the name under which sessions share the queues.
        name: str, name of the scope.

    Returns:
        The lengths, int32 of shape [batch_size], and as `tensors`, each with a new first dimension.

    Raises:
        TypeError: if the boundaries are not a list of int.
        ValueError: if the boundaries do not increase; also on the same conditions as `bucket`.
    """
    given = tensor_list(tensors)
    _check_boundaries(bucket_boundaries)
    with name_scope(name, "bucket_by_sequence_length", [input_length, *given]):
        length = convert_index(input_length, name="input_length")
        limits = np.iinfo(np.int32)
        least = [limits.min, *bucket_boundaries]
        above = [*bucket_boundaries, limits.max]
        fits = logical_and(less_equal(least, length), less(length, above))
        which = cast(reduce_min(where(fits)), dtypes.int32)
        known = None if shapes is None else [tensor_shape.scalar(), *shapes]
        _, dequeued = bucket(
            tensors=[length, *given],
            which_bucket=which,
            batch_size=batch_size,
            num_buckets=len(bucket_boundaries) + 1,
            num_threads=num_threads,
            capacity=capacity,
            bucket_capacities=bucket_capacities,
            shapes=known,
            dynamic_pad=dynamic_pad,
            allow_smaller_final_batch=allow_smaller_final_batch,
            keep_input=keep_input,
            shared_name=shared_name,
        )
        rest = dequeued[1:]
        return dequeued[0], as_given(tensors, rest[0] if isinstance(tensors, dict) and len(rest) == 1 else rest)
