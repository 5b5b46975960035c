"""Shapes and conditions that are computed while the graph is built where it alone decides them, else in the step."""

from __future__ import annotations

from typing import Any

import numpy as np

from ferroflow._src.base import dtypes
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.framework.constant import constant, constant_value
from ferroflow._src.framework.conversion import convert_index, convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.ops.array import indexing, joining, making, shaping
from ferroflow._src.ops.flow import checking
from ferroflow._src.ops.math import comparison
from ferroflow._src.ops.math.arithmetic import floormod
from ferroflow._src.ops.math.elementwise import logical_not
from ferroflow._src.ops.math.reduction import reduce_all


def static_value(x: Any) -> Any:
    """Returns the value of a tensor as a NumPy array; None if only a step computes it."""
    return constant_value(convert_to_tensor(x))


def known_size(dimension: Any) -> int | None:
    """Returns the size of a dimension of a static shape, or None."""
    size: int | None = getattr(dimension, "value", dimension)
    return size


def rank_of(x: Any) -> Any:
    """Returns the rank of a tensor as an int, or as a Tensor of int32 if it is not known."""
    ndims = x.get_shape().ndims
    return shaping.rank(x) if ndims is None else ndims


def together(*conditions: Any) -> Any:
    """Returns whether all conditions hold, as a Tensor of bool that is constant if it can be."""
    values = [static_value(x) for x in conditions]
    if any(x is not None and not x for x in values):
        return constant(False)
    if all(x is not None for x in values):
        return constant(True)
    if len(conditions) == 2:
        return comparison.logical_and(*conditions)
    return reduce_all(convert_to_tensor(conditions))


def negated(condition: Any) -> Any:
    """Returns whether a condition does not hold, as a Tensor of bool that is constant if it can be."""
    known = static_value(condition)
    return logical_not(condition) if known is None else constant(not known)


def concat_vectors(*vectors: Any) -> Any:
    """Returns shape vectors one after another: a list of int where all are known, else a Tensor of int32."""
    known = [static_value(vector) for vector in vectors]
    if any(x is None for x in known):
        return joining.concat(list(vectors), 0)
    return [int(size) for vector in known for size in vector]


def dimension_size(x: Any, axis: int) -> Any:
    """Returns the size of a dimension as an int, or as a Tensor of int32 if it is not known."""
    size = x.get_shape().with_rank_at_least(abs(axis))
    known = None if size.ndims is None else size[axis].value
    return shaping.shape(x)[axis] if known is None else known


def prefer_static_value(x: Any) -> Any:
    """Returns the value of a tensor as a NumPy array, or the tensor if only a step computes it."""
    known = constant_value(x)
    return x if known is None else known


def prefer_static_rank(x: Any) -> Any:
    """Returns the rank of a tensor, as an int32 of NumPy if it is known."""
    return prefer_static_value(shaping.rank(x))


def prefer_static_shape(x: Any) -> Any:
    """Returns the shape of a tensor, as an array of int32 if it is known."""
    return prefer_static_value(shaping.shape(x))


def pick_vector(cond: Any, true_vector: Any, false_vector: Any, name: str = "pick_vector") -> Any:
    """Returns one of two vectors by a condition.

    Args:
        cond: Tensor of bool, of shape [].
        true_vector: Tensor of shape [n], taken where `cond` holds.
        false_vector: Tensor of the same dtype, of shape [m].
        name: str, name scope of the operations.

    Returns:
        The argument itself where the graph decides `cond`, else Tensor of shape [n] or [m].

    Raises:
        TypeError: if `cond` is not of bool, or the dtypes differ.
    """
    with name_scope(name, values=(cond, true_vector, false_vector)):
        cond = convert_to_tensor(cond, name="cond")
        if cond.dtype.base_dtype != dtypes.bool:
            raise TypeError(f"{cond}.dtype={cond.dtype} which is not {dtypes.bool}")
        known = constant_value(cond)
        if known is not None:
            return true_vector if known else false_vector
        true_vector = convert_to_tensor(true_vector, name="true_vector")
        false_vector = convert_to_tensor(false_vector, name="false_vector")
        if true_vector.dtype != false_vector.dtype:
            raise TypeError(
                f"{true_vector}.dtype={true_vector.dtype} does not match {false_vector}.dtype={false_vector.dtype}"
            )
        size = shaping.shape(true_vector)[0]
        both_vectors = joining.concat([true_vector, false_vector], 0)
        begin, end = indexing.where(cond, 0, size), indexing.where(cond, size, shaping.shape(both_vectors)[0])
        return both_vectors[begin:end]


def _as_known_shape(shape: Any) -> TensorShape | None:
    if isinstance(shape, TensorShape):
        return shape
    known = constant_value(convert_index(shape))
    return None if known is None else TensorShape(known)


def _as_shape_vector(shape: Any) -> Any:
    if not isinstance(shape, TensorShape):
        return convert_index(shape, name="shape")
    if not shape.is_fully_defined():
        raise ValueError("Cannot broadcast from partially defined `TensorShape`.")
    return convert_index(shape.as_list(), name="shape")


def prefer_static_broadcast_shape(shape1: Any, shape2: Any, name: str = "prefer_static_broadcast_shape") -> Any:
    """Returns the shape that two shapes broadcast to.

    Args:
        shape1: TensorShape, list of int or Tensor of int32.
        shape2: the same.
        name: str, name scope of the operations.

    Returns:
        TensorShape where both are known, else Tensor of int32.

    Raises:
        ValueError: if they do not broadcast, or only one is known and that in part.
    """
    with name_scope(name, values=[shape1, shape2]):
        first, second = _as_known_shape(shape1), _as_known_shape(shape2)
        if first is not None and second is not None:
            return shaping.broadcast_static_shape(first, second)
        return shaping.broadcast_dynamic_shape(_as_shape_vector(shape1), _as_shape_vector(shape2))


def broadcast_shape_of(*tensors: Any) -> Any:
    """Returns the shape that tensors broadcast to: a list of int if it is known, else a Tensor of int32."""
    static = tensors[0].get_shape()
    for x in tensors[1:]:
        static = shaping.broadcast_static_shape(static, x.get_shape())
    if static.is_fully_defined():
        return static.as_list()
    dynamic = shaping.shape(tensors[0])
    for x in tensors[1:]:
        dynamic = shaping.broadcast_dynamic_shape(dynamic, shaping.shape(x))
    return dynamic


def rotate_transpose(x: Any, shift: Any, name: str = "rotate_transpose") -> Any:
    """Moves the dimensions of a tensor in a circle.

    Args:
        x: Tensor of any dtype and shape.
        shift: Tensor of int32, of shape []: how many places to the right; negative to the left.
        name: str, name scope of the operations.

    Returns:
        Tensor of the dtype of `x`.
    """
    with name_scope(name, values=[x, shift]):
        x = convert_to_tensor(x, name="x")
        shift = convert_to_tensor(shift, name="shift")
        checking.assert_integer(shift)
        places, ndims = constant_value(shift), x.get_shape().ndims
        if places is not None and ndims is not None:
            if ndims < 2 or int(places) % ndims == 0:
                return x
            return shaping.transpose(x, perm=np.roll(np.arange(ndims), int(places)))
        ndims = shaping.rank(x)
        # Without dimensions there is nothing to rotate, and a remainder of a division by 0 would be taken.
        turned = floormod(-shift, indexing.where(comparison.equal(ndims, 0), 1, ndims))
        perm = joining.concat([making.range(turned, ndims), making.range(0, turned)], 0)
        return shaping.transpose(x, perm)
