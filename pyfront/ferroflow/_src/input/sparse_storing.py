"""Sparse tensors in batches: they are stored in maps, and their handles go through the queue."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import TensorLike
from ferroflow._src.control_flow.conditional import cond
from ferroflow._src.framework.composite import SparseTensor
from ferroflow._src.framework.constant import constant, constant_value
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.ops.array.indexing import gather
from ferroflow._src.ops.array.making import ones
from ferroflow._src.ops.array.shaping import expand_dims, shape, squeeze
from ferroflow._src.ops.flow.grouping import with_dependencies
from ferroflow._src.ops.sparse.serializing import (
    add_many_sparse_to_tensors_map,
    add_sparse_to_tensors_map,
    take_many_sparse_from_tensors_map,
)
from ferroflow._src.ops.sparse.shaping import sparse_retain

_MAP_OPS = ("AddSparseToTensorsMap", "AddManySparseToTensorsMap")


class Stored(NamedTuple):
    """Form of a component in the queue: as it is, or as handles of sparse tensors in a map."""

    is_sparse: bool
    map_op: Operation | None
    # Of the sparse tensors that are put in; None if unknown.
    rank: int | None

    def is_compatible_with(self, other: Stored) -> bool:
        """Returns True if one queue can hold both.

        Args:
            other: Stored.
        """
        if not (self.is_sparse and other.is_sparse):
            return self.is_sparse == other.is_sparse
        same_rank = self.rank is None or other.rank is None or self.rank == other.rank
        return self.map_op is other.map_op and same_rank


def branch(pred: TensorLike, true_fn: Callable[..., Any], false_fn: Callable[..., Any]) -> Any:
    """Returns `tf.cond`, or only the branch taken if the graph determines it.

    Args:
        pred: Tensor of bool, of shape [].
        true_fn: callable.
        false_fn: callable.

    Returns:
        The function's result, or that of `tf.cond` of both.
    """
    known = constant_value(pred) if isinstance(pred, Tensor) else pred
    if known is None:
        return cond(pred, true_fn, false_fn)
    return true_fn() if known else false_fn()


def _store(sparse: SparseTensor, enqueue_many: bool, keep_input: Tensor, shared_name: str | None) -> Tensor:
    """Returns the handles of the rows, or the handle of the whole; what is not kept is not stored, and has handle
    -1.
    """
    if keep_input.shape.ndims == 1:
        kept = sparse_retain(sparse, gather(keep_input, sparse.indices[:, 0]))
        return add_many_sparse_to_tensors_map(kept, shared_name=shared_name)
    handles: Tensor
    if enqueue_many:
        handles = branch(
            keep_input,
            lambda: add_many_sparse_to_tensors_map(sparse, shared_name=shared_name),
            lambda: -1 * ones(shape(sparse)[0:1], dtypes.int64),
        )
        handles.set_shape([None])
    else:
        handles = branch(
            keep_input,
            lambda: add_sparse_to_tensors_map(sparse, shared_name=shared_name),
            lambda: constant(-1, dtypes.int64),
        )
    return handles


def _map_op(handles: Tensor) -> Operation:
    """Returns the operation that stores, which may stand behind a Merge."""
    for tensor in handles.op.inputs:
        if tensor.op.type in _MAP_OPS:
            stores: Operation = tensor.op
            return stores
    return handles.op


def store_sparse_tensors(
    tensors: Sequence[Any], enqueue_many: bool, keep_input: Tensor, maps: Sequence[Operation | None] | None = None
) -> tuple[list[Tensor], list[Stored]]:
    """Stores sparse tensors in maps.

    Args:
        tensors: list of Tensor and SparseTensor.
        enqueue_many: bool. If True, their rows are the elements.
        keep_input: Tensor of bool, of shape [] or [rows]: which are kept.
        maps: list of Operation, whose maps are used; None for maps of their own.

    Returns:
        The dense tensors that go through the queue, and how each does.
    """
    components, stored = [], []
    for tensor, known_map in zip(tensors, maps or [None] * len(tensors), strict=True):
        if not isinstance(tensor, SparseTensor):
            components.append(tensor)
            stored.append(Stored(False, None, None))
            continue
        rank = tensor.dense_shape.shape.with_rank(1)[0].value
        if rank is not None and enqueue_many:
            rank -= 1
        handles = _store(tensor, enqueue_many, keep_input, known_map.name if known_map else None)
        stored.append(Stored(True, known_map or _map_op(handles), rank))
        components.append(handles)
    # One more dimension: `dequeue_many` makes a vector of rows of one handle.
    expanded = [expand_dims(c, [-1]) if s.is_sparse else c for c, s in zip(components, stored, strict=True)]
    return expanded, stored


def store_sparse_tensors_join(
    lists: Sequence[Sequence[Any]], enqueue_many: bool, keep_input: Tensor
) -> tuple[list[list[Tensor]], list[Stored]]:
    """Calls `store_sparse_tensors` for several lists that go through one queue, and so use the same maps.

    Args:
        lists: list of lists of Tensor and SparseTensor.
        enqueue_many: bool. If True, their rows are the elements.
        keep_input: Tensor of bool, of shape [] or [rows]: which are kept.

    Returns:
        The dense tensors of each list, and how each goes through the queue.

    Raises:
        ValueError: if the lists have sparse tensors in different places, or of different ranks.
    """
    first, stored = store_sparse_tensors(lists[0], enqueue_many, keep_input)
    result = [first]
    for tensors in lists[1:]:
        components, others = store_sparse_tensors(tensors, enqueue_many, keep_input, [s.map_op for s in stored])
        pairs = list(zip(stored, others, strict=True))
        if not all(a.is_compatible_with(b) for a, b in pairs):
            raise ValueError(f"Inconsistent SparseTensors list: {lists[0]} vs. {tensors}")
        stored = [a._replace(rank=a.rank if b.rank is None else b.rank) for a, b in pairs]
        result.append(components)
    return result, stored


def restore_sparse_tensors(dequeued: Any, stored: Sequence[Stored]) -> Any:
    """Takes the sparse tensors of a batch out of their maps.

    Args:
        dequeued: Tensor or list of Tensor.
        stored: list of Stored, how each went through the queue.

    Returns:
        Tensor or SparseTensor, or list of them; none has its value before all were taken.
    """
    is_list = isinstance(dequeued, list | tuple)
    tensors: list[Any] = []
    for tensor, how in zip(dequeued if is_list else [dequeued], stored, strict=True):
        if how.is_sparse and how.map_op is not None:
            rank = None if how.rank is None else how.rank + 1
            tensor = take_many_sparse_from_tensors_map(how.map_op, squeeze(tensor, [1]), rank=rank)
        tensors.append(tensor)
    if any(how.is_sparse for how in stored):
        values = [t.values if isinstance(t, SparseTensor) else t for t in tensors]

        def after(tensor: Tensor) -> Tensor:
            ordered: Tensor = with_dependencies(values, tensor)
            return ordered

        tensors = [
            SparseTensor(after(t.indices), after(t.values), after(t.dense_shape))
            if isinstance(t, SparseTensor)
            else after(t)
            for t in tensors
        ]
    return tensors if is_list else tensors[0]
