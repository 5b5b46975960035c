"""Queues: stores of elements that steps put in and take out, and wait for."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from ferroflow._src.base import dtypes as dtypes_lib, tensor_shape
from ferroflow._src.base.typing import ListLike, NestedDTypes, NestedShapes, TensorLike
from ferroflow._src.framework import random_seed
from ferroflow._src.framework.apply import apply_op, tensor_op
from ferroflow._src.framework.constant import constant_value
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.ops.array.indexing import gather
from ferroflow._src.ops.array.joining import stack
from ferroflow._src.ops.queue.components import name_list, shape_list, type_list


def _common_shape(a: tensor_shape.TensorShape, b: tensor_shape.TensorShape) -> tensor_shape.TensorShape:
    """Returns the dimensions that two shapes have in common; unknown rank if their ranks differ."""
    if a.ndims is None or b.ndims is None or a.ndims != b.ndims:
        return tensor_shape.unknown_shape()
    dims = [x if x == y else None for x, y in zip(a.as_list(), b.as_list(), strict=True)]
    return tensor_shape.TensorShape(dims)


class QueueBase:
    """Base of the queues: elements are tuples of tensors that are enqueued and dequeued together.

    Operations wait: those that put elements in while the queue is full, those that take elements out while there are
    too few.

    Args:
        dtypes: list of DType, of each component.
        shapes: list of shapes, of each component; None if they are not restricted.
        names: list of str, of each component; elements are then dictionaries. None for tuples.
        queue_ref: Tensor of resource or string, the handle or reference of the queue.

    Raises:
        ValueError: if the lists have different lengths.
    """

    def __init__(self, dtypes: Sequence[Any], shapes: Any, names: ListLike | None, queue_ref: Tensor) -> None:
        self._dtypes = dtypes
        if shapes is None:
            self._shapes = [tensor_shape.unknown_shape() for _ in dtypes]
        else:
            if len(shapes) != len(dtypes):
                raise ValueError("Queue shapes must have the same length as dtypes")
            self._shapes = [tensor_shape.TensorShape(shape) for shape in shapes]
        if names is not None and len(names) != len(dtypes):
            raise ValueError("Queue names must have the same length as dtypes")
        self._names = names
        self._queue_ref = queue_ref
        self._name = queue_ref.op.name.split("/")[-1]

    @staticmethod
    def from_list(index: TensorLike, queues: list[QueueBase]) -> QueueBase:
        """Returns the queue at a position of a list that a step decides.

        Args:
            index: Tensor of int32, of shape [].
            queues: list of QueueBase, with equal dtypes and names.

        Returns:
            QueueBase that is one of them in each step.

        Raises:
            TypeError: if `queues` is not a list of queues, or their dtypes or names differ.
        """
        if not queues or not isinstance(queues, list) or not all(isinstance(q, QueueBase) for q in queues):
            raise TypeError("A list of queues expected")
        first = queues[0]
        if not all(first.dtypes == q.dtypes for q in queues[1:]):
            raise TypeError("Queues do not have matching component dtypes.")
        if not all(first.names == q.names for q in queues[1:]):
            raise TypeError("Queues do not have matching component names.")
        shapes = [functools.reduce(_common_shape, each) for each in zip(*[q.shapes for q in queues], strict=True)]
        chosen = gather(stack([q.queue_ref for q in queues]), index)
        return QueueBase(dtypes=first.dtypes, shapes=shapes, names=first.names, queue_ref=chosen)

    @property
    def queue_ref(self) -> Tensor:
        """The handle of the queue: Tensor of resource, or of string as a reference."""
        return self._queue_ref

    @property
    def name(self) -> str:
        """The name of the operation that makes the queue."""
        return self._queue_ref.op.name

    @property
    def dtypes(self) -> Any:
        """The dtypes of the components."""
        return self._dtypes

    @property
    def shapes(self) -> list[tensor_shape.TensorShape]:
        """The shapes of the components."""
        return self._shapes

    @property
    def names(self) -> Any:
        """The names of the components; None if elements are tuples."""
        return self._names

    def _suffix(self) -> str:
        return "V2" if self._queue_ref.dtype == dtypes_lib.resource else ""

    def _components(self, vals: Any) -> list[Tensor]:
        """Returns the components of an element, as tensors in the queue's order."""
        if isinstance(vals, dict):
            if not self._names:
                raise ValueError("Queue must have names to enqueue a dictionary")
            if sorted(self._names, key=str) != sorted(vals.keys(), key=str):
                raise ValueError(
                    "Keys in dictionary to enqueue do not match names of Queue.  "
                    f"Dictionary: ({sorted(vals.keys())}), Queue: ({sorted(self._names)})"
                )
            vals = [vals[name] for name in self._names]
        else:
            if self._names:
                raise ValueError("You must enqueue a dictionary in a Queue with names")
            vals = vals if isinstance(vals, list | tuple) else [vals]
        # TF 1.x: components beyond the queue's are left out here.
        pairs = enumerate(zip(vals, self._dtypes, strict=False))
        return [convert_to_tensor(value, dtype, name=f"component_{i}") for i, (value, dtype) in pairs]

    @staticmethod
    def _scope_values(vals: Any) -> list[Any]:
        if isinstance(vals, dict):
            return list(vals.values())
        return list(vals) if isinstance(vals, list | tuple) else [vals]

    def enqueue(self, vals: Any, name: str | None = None) -> Operation:
        """Adds one element, once there is room.

        Running it fails with `CancelledError` where the queue is closed, or the session while it waits.

        Args:
            vals: Tensor of the queue's dtype and shape; tuple or list of Tensors of those of its components, or
                dictionary of them where the queue has names.
            name: str, name of the operation.

        Returns:
            Operation that puts it in.

        Raises:
            ValueError: if components are missing, or have other names, dtypes or shapes than the queue's.
        """
        with name_scope(name, f"{self._name}_enqueue", self._scope_values(vals)) as scope:
            components = self._components(vals)
            for component, shape in zip(components, self._shapes, strict=False):
                component.get_shape().assert_is_compatible_with(shape)
            return apply_op("QueueEnqueue" + self._suffix(), [self._queue_ref, components], name=scope)

    def enqueue_many(self, vals: Any, name: str | None = None) -> Operation:
        """Adds many elements, one after the other as there is room: the rows of the components.

        Running it fails with `CancelledError` where the queue is closed, or the session while it waits.

        Args:
            vals: as for `enqueue`, with one more first dimension, of equal size.
            name: str, name of the operation.

        Returns:
            Operation that puts them in.

        Raises:
            ValueError: if components are missing, or have other names, dtypes or shapes than the queue's.
        """
        with name_scope(name, f"{self._name}_EnqueueMany", self._scope_values(vals)) as scope:
            components = self._components(vals)
            rows = components[0].get_shape().with_rank_at_least(1)[0]
            for component, shape in zip(components, self._shapes, strict=False):
                rows = rows.merge_with(component.get_shape().with_rank_at_least(1)[0])
                component.get_shape()[1:].assert_is_compatible_with(shape)
            return apply_op("QueueEnqueueMany" + self._suffix(), [self._queue_ref, components], name=scope)

    def _result(self, tensors: Sequence[Tensor]) -> Any:
        if self._names:
            return dict(zip(self._names, tensors, strict=True))
        return tensors[0] if len(tensors) == 1 else list(tensors)

    def dequeue(self, name: str | None = None) -> Any:
        """Removes and returns one element, once there is one.

        Running it fails with `OutOfRangeError` where the queue is closed and empty, and with `CancelledError` where the
        session is closed while it waits.

        Args:
            name: str, name of the operation.

        Returns:
            Tensor of the queue's dtype and shape; list of Tensors if it has several components, or dictionary of
            them where it has names.
        """
        name = f"{self._name}_Dequeue" if name is None else name
        attrs = {"component_types": list(self._dtypes)}
        op = apply_op("QueueDequeue" + self._suffix(), [self._queue_ref], attrs, name=name)
        for output, shape in zip(op.outputs, self._shapes, strict=True):
            output.set_shape(shape)
        return self._result(op.outputs)

    def _dequeue_batch(self, op_type: str, n: Any, name: str) -> Operation:
        attrs = {"component_types": list(self._dtypes)}
        return apply_op(op_type + self._suffix(), [self._queue_ref, n], attrs, name=name)

    def dequeue_many(self, n: TensorLike, name: str | None = None) -> Any:
        """Removes and returns `n` elements as one batch, once there are enough.

        Running it fails with `OutOfRangeError` where the queue is closed with fewer elements, and with `CancelledError`
        where the session is closed while it waits; no element is lost then.

        Args:
            n: Tensor of int32, of shape [].
            name: str, name of the operation.

        Returns:
            As `dequeue`, each tensor with a first dimension of size `n`.
        """
        name = f"{self._name}_DequeueMany" if name is None else name
        op = self._dequeue_batch("QueueDequeueMany", n, name)
        rows = tensor_shape.TensorShape([constant_value(op.inputs[1])])
        for output, shape in zip(op.outputs, self._shapes, strict=True):
            output.set_shape(rows.concatenate(shape))
        return self._result(op.outputs)

    def dequeue_up_to(self, n: TensorLike, name: str | None = None) -> Any:
        """Removes and returns `n` elements as one batch, or the rest of a closed queue.

        Running it fails with `OutOfRangeError` where the queue is closed and empty, and with `CancelledError` where the
        session is closed while it waits; no element is lost then.

        Args:
            n: Tensor of int32, of shape [].
            name: str, name of the operation.

        Returns:
            As `dequeue`, each tensor with a first dimension of at most `n`.
        """
        name = f"{self._name}_DequeueUpTo" if name is None else name
        op = self._dequeue_batch("QueueDequeueUpTo", n, name)
        for output, shape in zip(op.outputs, self._shapes, strict=True):
            output.set_shape(tensor_shape.TensorShape([None]).concatenate(shape))
        return self._result(op.outputs)

    def close(self, cancel_pending_enqueues: bool = False, name: str | None = None) -> Operation:
        """Closes the queue: nothing more goes in, and taking fails once too little is left.

        Args:
            cancel_pending_enqueues: bool. If True, operations that wait for room fail; otherwise closing waits for
                them.
            name: str, name of the operation.

        Returns:
            Operation that closes it.
        """
        name = f"{self._name}_Close" if name is None else name
        attrs = {"cancel_pending_enqueues": cancel_pending_enqueues}
        return apply_op("QueueClose" + self._suffix(), [self._queue_ref], attrs, name=name)

    def is_closed(self, name: str | None = None) -> Tensor:
        """Computes whether the queue is closed.

        Args:
            name: str, name of the operation.

        Returns:
            Tensor of bool, of shape [].
        """
        name = f"{self._name}_Is_Closed" if name is None else name
        return tensor_op("QueueIsClosed" + self._suffix(), [self._queue_ref], name=name)

    def size(self, name: str | None = None) -> Tensor:
        """Returns the number of elements in the queue.

        Args:
            name: str, name of the operation.

        Returns:
            Tensor of int32, of shape [].
        """
        name = f"{self._name}_Size" if name is None else name
        return tensor_op("QueueSize" + self._suffix(), [self._queue_ref], name=name)


def _handle(
    op_type: str, types: Any, shapes: Any, capacity: int, shared_name: str | None, name: str | None, **more: int
) -> Tensor:
    attrs: dict[str, Any] = {"component_types": types, "shapes": shapes or [], "capacity": capacity, **more}
    return tensor_op(op_type, [], {**attrs, "shared_name": shared_name or ""}, name=name)


class FIFOQueue(QueueBase):
    """Queue whose elements leave in the order in which they entered.

    Args:
        capacity: int, the most elements it holds.
        dtypes: DType or list of DType, of the components.
        shapes: list of fully known shapes, of the components, which `dequeue_many` needs; None for any.
        names: list of str, of the components; elements are then dictionaries.
        shared_name: str, the name under which sessions share the queue; None for a unique one.
        name: str, name of the operation.

    Example:
        >>> queue = tf.FIFOQueue(capacity=10, dtypes=[tf.int32], shapes=[[]])
        >>> sess.run(queue.enqueue_many([[1, 2, 3]]))
        >>> print(sess.run(queue.dequeue()), sess.run(queue.dequeue_many(2)), sess.run(queue.size()))
        1 [2 3] 0
    """

    def __init__(
        self,
        capacity: int,
        dtypes: NestedDTypes,
        shapes: NestedShapes | None = None,
        names: ListLike | None = None,
        shared_name: str | None = None,
        name: str | None = "fifo_queue",
    ) -> None:
        types = type_list(dtypes)
        known, names = shape_list(shapes), name_list(names, types)
        ref = _handle("FIFOQueueV2", types, known, capacity, shared_name, name)
        super().__init__(types, known, names, ref)


class RandomShuffleQueue(QueueBase):
    """Queue whose elements leave in random order.

    Args:
        capacity: int, the most elements it holds.
        min_after_dequeue: int, the elements that always stay, to be mixed with those that come; until it is closed.
        dtypes: DType or list of DType, of the components.
        shapes: list of fully known shapes, of the components, which `dequeue_many` needs; None for any.
        names: list of str, of the components; elements are then dictionaries.
        seed: int, as for random operations (`tf.set_random_seed`).
        shared_name: str, the name under which sessions share the queue; None for a unique one.
        name: str, name of the operation.
    """

    def __init__(
        self,
        capacity: int,
        min_after_dequeue: int,
        dtypes: NestedDTypes,
        shapes: NestedShapes | None = None,
        names: ListLike | None = None,
        seed: int | None = None,
        shared_name: str | None = None,
        name: str | None = "random_shuffle_queue",
    ) -> None:
        types = type_list(dtypes)
        known, names = shape_list(shapes), name_list(names, types)
        seed1, seed2 = random_seed.get_seed(seed)
        if seed1 is None or seed2 is None:
            seed1, seed2 = 0, 0
        elif seed is None and shared_name is not None:
            import hashlib  # here, because most programs never need it

            # TF 1.x: queues of one name get one seed, wherever in their graphs they stand.
            digest = hashlib.md5((str(seed1) + shared_name).encode("utf-8")).hexdigest()
            seed2 = int(digest[:8], 16) & 0x7FFFFFFF
        more = {"min_after_dequeue": min_after_dequeue, "seed": seed1, "seed2": seed2}
        ref = _handle("RandomShuffleQueueV2", types, known, capacity, shared_name, name, **more)
        super().__init__(types, known, names, ref)


class PaddingFIFOQueue(QueueBase):
    """A FIFOQueue whose batches may have elements of different sizes, padded with zeros to the largest.

    Args:
        capacity: int, the most elements it holds.
        dtypes: DType or list of DType, of the components.
        shapes: list of shapes, of the components; dimensions of None may vary.
        names: list of str, of the components; elements are then dictionaries.
        shared_name: str, the name under which sessions share the queue; None for a unique one.
        name: str, name of the operation.

    Raises:
        ValueError: if `shapes` is not a list of shapes of known rank, one for each component.
    """

    def __init__(
        self,
        capacity: int,
        dtypes: NestedDTypes,
        shapes: NestedShapes,
        names: ListLike | None = None,
        shared_name: str | None = None,
        name: str | None = "padding_fifo_queue",
    ) -> None:
        types = type_list(dtypes)
        known, names = shape_list(shapes, partial=True), name_list(names, types)
        if known is None or len(types) != len(known):
            raise ValueError(
                "Shapes must be provided for all components, "
                f"but received {len(types)} dtypes and {len(known or [])} shapes."
            )
        ref = _handle("PaddingFIFOQueueV2", types, known, capacity, shared_name, name)
        super().__init__(types, known, names, ref)


class PriorityQueue(QueueBase):
    """Queue whose elements leave by priority, least first.

    The first component of every element is its priority: int64, of shape [].

    Args:
        capacity: int, the most elements it holds.
        types: DType or list of DType, of the components after the priority.
        shapes: list of fully known shapes, of the components after the priority, which `dequeue_many` needs; None for
            any.
        names: list of str, of all components; elements are then dictionaries.
        shared_name: str, the name under which sessions share the queue; None for a unique one.
        name: str, name of the operation.
    """

    def __init__(
        self,
        capacity: int,
        types: NestedDTypes,
        shapes: NestedShapes | None = None,
        names: ListLike | None = None,
        shared_name: str | None = None,
        name: str | None = "priority_queue",
    ) -> None:
        others = type_list(types)
        known = shape_list(shapes)
        ref = _handle("PriorityQueueV2", others, known, capacity, shared_name, name)
        all_shapes = [tensor_shape.TensorShape([]), *known] if known else known
        super().__init__([dtypes_lib.int64, *others], all_shapes, names, ref)
