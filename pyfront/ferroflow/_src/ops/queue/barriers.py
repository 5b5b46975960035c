"""`Barrier`: tuples found by their keys, whose components come one by one."""

from __future__ import annotations

from typing import Any, NamedTuple

from ferroflow._src.base import tensor_shape
from ferroflow._src.base.typing import NestedDTypes, NestedShapes, TensorLike
from ferroflow._src.framework.apply import apply_op, tensor_op
from ferroflow._src.framework.constant import constant_value
from ferroflow._src.framework.operation import Operation
from ferroflow._src.framework.tensor import Tensor
from ferroflow._src.ops.queue.components import shape_list, type_list


class Taken(NamedTuple):
    """Complete tuples taken from a barrier."""

    indices: Tensor
    keys: Tensor
    values: list[Tensor]


class Barrier:
    """Tuples found by their keys, whose components arrive separately; complete ones are taken in the order of their
    keys.

    Args:
        types: DType or list of DType, of the components.
        shapes: list of fully known shapes, of the components.
        shared_name: str, the name under which sessions share the barrier; None for a unique one.
        name: str, name of the operation.

    Raises:
        ValueError: if a shape has no elements.
    """

    def __init__(
        self,
        types: NestedDTypes,
        shapes: NestedShapes | None = None,
        shared_name: str | None = None,
        name: str | None = "barrier",
    ) -> None:
        self._types = type_list(types)
        known = shape_list(shapes)
        if known is None:
            self._shapes = [tensor_shape.unknown_shape() for _ in self._types]
        else:
            self._shapes = known
            for i, shape in enumerate(known):
                if shape.num_elements() == 0:
                    raise ValueError(f"Empty tensors are not supported, but received shape '{shape}' at index {i}")
        attrs = {"component_types": self._types, "shapes": self._shapes, "shared_name": shared_name or ""}
        self._barrier_ref = tensor_op("Barrier", [], attrs, name=name)
        self._name = self._barrier_ref.op.name.split("/")[-1]

    @property
    def barrier_ref(self) -> Tensor:
        """The handle of the barrier."""
        return self._barrier_ref

    @property
    def name(self) -> str:
        """The name of the operation that makes the barrier."""
        return self._barrier_ref.op.name

    def insert_many(
        self, component_index: int, keys: TensorLike, values: TensorLike, name: str | None = None
    ) -> Operation:
        """Returns values to keys, as one component of their tuples.

        Args:
            component_index: int, which component.
            keys: Tensor of string, of shape [n].
            values: Tensor of shape [n, ...].
            name: str, name of the operation.

        Returns:
            Operation that removes them. It fails where a key has such a value, and for new keys where the barrier is
            closed.
        """
        name = f"{self._name}_BarrierInsertMany" if name is None else name
        attrs = {"component_index": component_index}
        return apply_op("BarrierInsertMany", [self._barrier_ref, keys, values], attrs, name=name)

    def take_many(
        self,
        num_elements: TensorLike,
        allow_small_batch: bool = False,
        timeout: int | None = None,
        name: str | None = None,
    ) -> Taken:
        """Removes and returns complete tuples, once there are enough.

        Running it fails with `OutOfRangeError` where the barrier is closed and there will not be as many.

        Args:
            num_elements: Tensor of int32, of shape []: how many.
            allow_small_batch: bool. If True, fewer do once the barrier is closed.
            timeout: None; TF 1.x takes no other value.
            name: str, name of the operation.

        Returns:
            (indices, keys, values): int64 and string of shape [n], and the components of shape [n, ...]. Keys inserted
            together have one index, and later ones larger ones.
        """
        name = f"{self._name}_BarrierTakeMany" if name is None else name
        attrs: dict[str, Any] = {"component_types": self._types, "allow_small_batch": allow_small_batch}
        if timeout is not None:
            attrs["timeout_ms"] = timeout
        op = apply_op("BarrierTakeMany", [self._barrier_ref, num_elements], attrs, name=name)
        rows = tensor_shape.TensorShape([None if allow_small_batch else constant_value(op.inputs[1])])
        op.outputs[0].set_shape(rows)
        op.outputs[1].set_shape(rows)
        for output, shape in zip(op.outputs[2:], self._shapes, strict=True):
            output.set_shape(rows.concatenate(shape))
        return Taken(op.outputs[0], op.outputs[1], list(op.outputs[2:]))

    def close(self, cancel_pending_enqueues: bool = False, name: str | None = None) -> Operation:
        """Closes the barrier: no new keys come, and taking fails once too little is left.

        Args:
            cancel_pending_enqueues: bool. If True, incomplete tuples are dropped, too.
            name: str, name of the operation.

        Returns:
            Operation that closes it.
        """
        name = f"{self._name}_BarrierClose" if name is None else name
        attrs = {"cancel_pending_enqueues": cancel_pending_enqueues}
        return apply_op("BarrierClose", [self._barrier_ref], attrs, name=name)

    def ready_size(self, name: str | None = None) -> Tensor:
        """Returns the number of complete tuples.

        Args:
            name: str, name of the operation.

        Returns:
            Tensor of int32, of shape [].
        """
        name = f"{self._name}_BarrierReadySize" if name is None else name
        return tensor_op("BarrierReadySize", [self._barrier_ref], name=name)

    def incomplete_size(self, name: str | None = None) -> Tensor:
        """Returns the number of keys whose tuples lack components.

        Args:
            name: str, name of the operation.

        Returns:
            Tensor of int32, of shape [].
        """
        name = f"{self._name}_BarrierIncompleteSize" if name is None else name
        return tensor_op("BarrierIncompleteSize", [self._barrier_ref], name=name)
