"""Shapes that join a batch size and a cell's sizes, and tensors of zeros of such shapes."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base import nest
from ferroflow._src.base.tensor_shape import TensorShape, as_shape
from ferroflow._src.base.typing import DTypeLike, IntLike, ShapeTensorLike
from ferroflow._src.framework.constant import constant_value
from ferroflow._src.framework.conversion import convert_index
from ferroflow._src.framework.tensor import Tensor
from ferroflow._src.ops.array import shaping
from ferroflow._src.ops.array.joining import concat
from ferroflow._src.ops.array.making import zeros
from ferroflow._src.ops.array.shaping import expand_dims


def size_of(x: Tensor, axis: int) -> Any:
    """Returns the size of a dimension: an int if it is known in the graph, else a Tensor of int32 of shape [].

    Args:
        x: Tensor.
        axis: int.
    """
    known = x.shape[axis].value if x.shape.ndims is not None else None
    return shaping.shape(x)[axis] if known is None else known


def static_shape_of(size: Any) -> TensorShape:
    """Returns the static value of a shape.

    Args:
        size: int, TensorShape, list of int, or Tensor of int32 of shape [] or [rank].
    """
    if not isinstance(size, Tensor):
        return as_shape(size)
    value = constant_value(size)
    if value is not None:
        return TensorShape(value.reshape(-1).tolist())
    return TensorShape([None]) if size.shape.ndims == 0 else TensorShape(None)


def static_joined_shape(prefix: Any, suffix: Any) -> TensorShape:
    """Returns the static value of `joined_shape`; `prefix` may have unknown dimensions."""
    return static_shape_of(prefix).concatenate(static_shape_of(suffix))


def sizes_tensor(size: Any, what: str) -> Tensor | None:
    """Returns dimensions as a Tensor.

    Args:
        size: int, TensorShape, or Tensor of int32 of shape [] or [n].
        what: str, the name of `size` in messages.

    Returns:
        Tensor of int32, of shape [n]; None if a dimension is unknown.

    Raises:
        ValueError: if `size` is a Tensor of a higher rank.
    """
    if isinstance(size, Tensor):
        if size.shape.ndims == 0:
            return expand_dims(size, 0)
        if size.shape.ndims != 1:
            raise ValueError(f"{what} tensor must be either a scalar or vector, but saw tensor: {size}")
        return size
    shape = as_shape(size)
    return convert_index(shape.as_list(), name="Const") if shape.is_fully_defined() else None


def joined_shape(prefix: IntLike, suffix: Any) -> Tensor:
    """Returns the dimensions of `prefix` followed by those of `suffix`.

    Args:
        prefix: int, TensorShape, or Tensor of int32 of shape [] or [n].
        suffix: the same.

    Returns:
        Tensor of int32, of shape [rank].

    Raises:
        ValueError: if a shape is unknown, or a tensor is neither a scalar nor a vector.
    """
    first, second = sizes_tensor(prefix, "prefix"), sizes_tensor(suffix, "suffix")
    if first is None or second is None:
        raise ValueError(f"Provided a prefix or suffix of None: {prefix} and {suffix}")
    return concat((first, second), 0)


def joined_sizes(prefix: IntLike, suffix: Any, static: bool = False) -> Any:
    """Returns `joined_shape`, or what is known of it while the graph is built.

    Args:
        prefix: int, TensorShape, or Tensor of int32 of shape [] or [n].
        suffix: the same.
        static: bool. If True, a list is returned.

    Returns:
        Tensor of int32, of shape [rank]; or list of int and None, which is None if the rank is not known.

    Raises:
        ValueError: on the same conditions as `joined_shape`.
    """
    if not static:
        return joined_shape(prefix, suffix)
    shape = static_joined_shape(prefix, suffix)
    return None if shape.ndims is None else shape.as_list()


def zero_tensors(sizes: ShapeTensorLike, batch_size: IntLike, dtype: DTypeLike) -> Any:
    """Returns zeros for each of the sizes of a cell.

    Args:
        sizes: int or TensorShape, or a structure of them.
        batch_size: int, or Tensor of int32 of shape [].
        dtype: DType of the zeros.

    Returns:
        Tensor of shape [batch_size, size...], or a structure of them.
    """

    def make(size: ShapeTensorLike) -> Tensor:
        result = zeros(joined_shape(batch_size, size), dtype=dtype)
        # TF 1.x makes the parts again to find the static shape. They count for the seeds of operations after them.
        sizes_tensor(batch_size, "prefix")
        sizes_tensor(size, "suffix")
        result.set_shape(static_joined_shape(batch_size, size))
        return result

    return nest.map_structure(make, sizes)
