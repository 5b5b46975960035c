"""Functions of static shapes in `tensorflow.python.framework`: those of `common_shapes`, and one of `tensor_util`."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base.tensor_shape import TensorShape, unknown_shape as shape_of_unknown_rank
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array.shaping import broadcast_static_shape


def rank(tensor: Tensor) -> int | None:
    """Returns the static rank of a tensor; None if it is unknown."""
    ndims: int | None = tensor.get_shape().ndims
    return ndims


def has_fully_defined_shape(tensor: Tensor) -> bool:
    """Returns True if all dimensions of a tensor are known in the graph."""
    return bool(tensor.get_shape().is_fully_defined())


def sizes_of_message(shape: Any) -> list[int]:
    """Returns the sizes in a `TensorShapeProto`: -1 for each unknown one, none for an unknown rank.

    Args:
        shape: `TensorShapeProto` message.
    """
    return [dim.size for dim in shape.dim]


def broadcast_shape(shape_x: TensorShape, shape_y: TensorShape) -> TensorShape:
    """Returns the static shape of a broadcast; of unknown rank if a rank is unknown.

    Args:
        shape_x: TensorShape.
        shape_y: TensorShape.

    Raises:
        ValueError: if the shapes do not broadcast.
    """
    if shape_x.ndims is None or shape_y.ndims is None:
        return shape_of_unknown_rank()
    found: TensorShape = broadcast_static_shape(shape_x, shape_y)
    return found


def is_broadcast_compatible(shape_x: TensorShape, shape_y: TensorShape) -> bool:
    """Returns True if two shapes of known rank broadcast.

    Args:
        shape_x: TensorShape.
        shape_y: TensorShape.
    """
    if shape_x.ndims is None or shape_y.ndims is None:
        return False
    try:
        broadcast_static_shape(shape_x, shape_y)
    except ValueError:
        return False
    return True


def scalar_shape(unused_op: Any) -> list[TensorShape]:
    """Returns the shapes of an operation whose output is a scalar."""
    return [TensorShape([])]


def unchanged_shape(op: Any) -> list[TensorShape]:
    """Returns the shapes of an operation whose output has the shape of its first input."""
    return [op.inputs[0].get_shape()]


def unknown_shape(op: Any) -> list[TensorShape]:
    """Returns the shapes of an operation whose outputs have unknown ranks."""
    return [shape_of_unknown_rank() for _ in op.outputs]


def no_outputs(unused_op: Any) -> list[TensorShape]:
    """Returns the shapes of an operation without outputs."""
    return []
