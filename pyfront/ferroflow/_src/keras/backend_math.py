"""Functions of tensors under Keras's names and with its arguments: reductions, products and elements."""

from __future__ import annotations

import builtins
from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import IntsLike, TensorLike
from ferroflow._src.framework.composite import SparseTensor
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.keras.settings import floatx
from ferroflow._src.ops.array import shaping
from ferroflow._src.ops.array.joining import concat
from ferroflow._src.ops.math import arithmetic, elementwise, linalg, reduction, segment
from ferroflow._src.ops.math.cast import cast as cast_to
from ferroflow._src.ops.math.clipping import clip_by_value
from ferroflow._src.ops.sparse.arithmetic import sparse_tensor_dense_matmul


def _numbers(x: Any) -> Any:
    """Returns a tensor, of numbers if it is of bools."""
    x = convert_to_tensor(x)
    return cast_to(x, floatx()) if x.dtype.base_dtype == dtypes.bool else x


def max(x: TensorLike, axis: IntsLike | None = None, keepdims: bool = False) -> Tensor:  # Keras's name
    """Returns the largest element along dimensions.

    Args:
        x: Tensor of a real number dtype, of any shape.
        axis: int, or list of ints: the dimensions; None for all.
        keepdims: bool. If True, the dimensions are kept, with size 1.

    Returns:
        Tensor of the dtype of `x`, of the shape of `x` without the dimensions.
    """
    return reduction.reduce_max(x, axis=axis, keepdims=keepdims)


def min(x: TensorLike, axis: IntsLike | None = None, keepdims: bool = False) -> Tensor:  # Keras's name
    """Returns the smallest element along dimensions.

    Args:
        x: Tensor of a real number dtype, of any shape.
        axis: int, or list of ints: the dimensions; None for all.
        keepdims: bool. If True, the dimensions are kept, with size 1.

    Returns:
        Tensor of the dtype of `x`, of the shape of `x` without the dimensions.
    """
    return reduction.reduce_min(x, axis=axis, keepdims=keepdims)


def sum(x: TensorLike, axis: IntsLike | None = None, keepdims: bool = False) -> Tensor:  # Keras's name
    """Returns the sum along dimensions.

    Args:
        x: Tensor of a number dtype, of any shape.
        axis: int, or list of ints: the dimensions; None for all.
        keepdims: bool. If True, the dimensions are kept, with size 1.

    Returns:
        Tensor of the dtype of `x`, of the shape of `x` without the dimensions.
    """
    return reduction.reduce_sum(x, axis=axis, keepdims=keepdims)


def prod(x: TensorLike, axis: IntsLike | None = None, keepdims: bool = False) -> Tensor:
    """Returns the product along dimensions.

    Args:
        x: Tensor of a number dtype, of any shape.
        axis: int, or list of ints: the dimensions; None for all.
        keepdims: bool. If True, the dimensions are kept, with size 1.

    Returns:
        Tensor of the dtype of `x`, of the shape of `x` without the dimensions.
    """
    return reduction.reduce_prod(x, axis=axis, keepdims=keepdims)


def mean(x: TensorLike, axis: IntsLike | None = None, keepdims: bool = False) -> Tensor:
    """Returns the mean along dimensions; bools count as 0 and 1.

    Args:
        x: Tensor of a number dtype or bool, of any shape.
        axis: int, or list of ints: the dimensions; None for all.
        keepdims: bool. If True, the dimensions are kept, with size 1.

    Returns:
        Tensor of the dtype of `x`, or of `floatx()` for bools, of the shape of `x` without the dimensions.
    """
    return reduction.reduce_mean(_numbers(x), axis=axis, keepdims=keepdims)


def var(x: TensorLike, axis: IntsLike | None = None, keepdims: bool = False) -> Tensor:
    """Returns the variance along dimensions; bools count as 0 and 1.

    Args:
        x: Tensor of a float dtype or bool, of any shape.
        axis: int, or list of ints: the dimensions; None for all.
        keepdims: bool. If True, the dimensions are kept, with size 1.

    Returns:
        Tensor of the dtype of `x`, or of `floatx()` for bools, of the shape of `x` without the dimensions.
    """
    return reduction.reduce_variance(_numbers(x), axis=axis, keepdims=keepdims)


def std(x: TensorLike, axis: IntsLike | None = None, keepdims: bool = False) -> Tensor:
    """Returns the standard deviation along dimensions; bools count as 0 and 1.

    Args:
        x: Tensor of a float dtype or bool, of any shape.
        axis: int, or list of ints: the dimensions; None for all.
        keepdims: bool. If True, the dimensions are kept, with size 1.

    Returns:
        Tensor of the dtype of `x`, or of `floatx()` for bools, of the shape of `x` without the dimensions.
    """
    return reduction.reduce_std(_numbers(x), axis=axis, keepdims=keepdims)


def logsumexp(x: Any, axis: Any = None, keepdims: bool = False) -> Tensor:
    """Returns the logarithm of the sum of the exponentials along dimensions.

    Args:
        x: Tensor of a float dtype, of any shape.
        axis: int, or list of ints: the dimensions; None for all.
        keepdims: bool. If True, the dimensions are kept, with size 1.

    Returns:
        Tensor of the dtype of `x`, of the shape of `x` without the dimensions.
    """
    return reduction.reduce_logsumexp(x, axis=axis, keepdims=keepdims)


def any(x: Any, axis: Any = None, keepdims: bool = False) -> Tensor:  # Keras's name
    """Computes whether any element along dimensions is True, or not 0.

    Args:
        x: Tensor of any number dtype or bool, of any shape.
        axis: int, or list of ints: the dimensions; None for all.
        keepdims: bool. If True, the dimensions are kept, with size 1.

    Returns:
        Tensor of bool, of the shape of `x` without the dimensions.
    """
    return reduction.reduce_any(cast_to(x, dtypes.bool), axis=axis, keepdims=keepdims)


def all(x: Any, axis: Any = None, keepdims: bool = False) -> Tensor:  # Keras's name
    """Computes whether all elements along dimensions are True, or not 0.

    Args:
        x: Tensor of any number dtype or bool, of any shape.
        axis: int, or list of ints: the dimensions; None for all.
        keepdims: bool. If True, the dimensions are kept, with size 1.

    Returns:
        Tensor of bool, of the shape of `x` without the dimensions.
    """
    return reduction.reduce_all(cast_to(x, dtypes.bool), axis=axis, keepdims=keepdims)


def argmax(x: TensorLike, axis: int = -1) -> Tensor:
    """Returns the place of the largest element along a dimension.

    Args:
        x: Tensor of a real number dtype, of rank 1 or more.
        axis: int, the dimension.

    Returns:
        Tensor of int64, of the shape of `x` without the dimension.
    """
    return reduction.argmax(x, axis)


def argmin(x: TensorLike, axis: int = -1) -> Tensor:
    """Returns the place of the smallest element along a dimension.

    Args:
        x: Tensor of a real number dtype, of rank 1 or more.
        axis: int, the dimension.

    Returns:
        Tensor of int64, of the shape of `x` without the dimension.
    """
    return reduction.argmin(x, axis)


def sqrt(x: Any) -> Tensor:
    """Returns the square root, 0 of negative numbers.

    Args:
        x: Tensor of a float dtype, of any shape.

    Returns:
        Tensor of the dtype and shape of `x`.
    """
    not_negative: Tensor = clip_by_value(x, 0.0, float("inf"))
    root: Tensor = elementwise.sqrt(not_negative)
    return root


def pow(x: Any, a: Any) -> Tensor:  # Keras's name
    """Returns a power of each element.

    Args:
        x: Tensor of a number dtype, of any shape.
        a: number, or Tensor of the dtype of `x` that can be broadcast to it: the exponents.

    Returns:
        Tensor of the dtype of `x`, of the broadcast shape.
    """
    return arithmetic.pow(x, a)


def clip(x: Any, min_value: Any, max_value: Any) -> Tensor:
    """Returns elements cut to a range.

    Args:
        x: Tensor of a real number dtype, of any shape.
        min_value: float, the lower end.
        max_value: float, the upper end, or None; not below the lower one.

    Returns:
        Tensor of the dtype and shape of `x`.
    """
    x = convert_to_tensor(x)
    if max_value is None:
        return arithmetic.maximum(x, convert_to_tensor(min_value, dtype=x.dtype.base_dtype))
    clipped: Tensor = clip_by_value(x, min_value, max_value if max_value >= min_value else min_value)
    return clipped


def dot(x: Any, y: Any) -> Tensor:
    """Multiplies tensors: sums over the last dimension of `x` and the last but one of `y`.

    Args:
        x: Tensor or SparseTensor of a number dtype, of shape [..., n].
        y: Tensor of the dtype of `x`, of shape [..., n, m], or [n].

    Returns:
        Tensor of that dtype, of the shape of `x` without its last dimension + the shape of `y` without `n`.

    Raises:
        TypeError: if the rank of `y` is unknown, and that of `x` is more than 2.
        ValueError: if the sizes do not fit, or neither has more than 2 dimensions and one is a vector.
    """
    if isinstance(x, SparseTensor):
        of_sparse: Tensor = sparse_tensor_dense_matmul(x, y)
        return of_sparse
    x, y = convert_to_tensor(x), convert_to_tensor(y)
    x_rank, y_rank = x.shape.ndims, y.shape.ndims
    if x_rank is None or (x_rank <= 2 and (y_rank is None or y_rank <= 2)):
        return linalg.matmul(x, y)
    if y_rank is None:
        raise TypeError(f"dot: the rank of y must be known, where x is of shape {x.shape}.")
    return linalg.tensordot(x, y, [[x_rank - 1], [builtins.max(0, y_rank - 2)]])


def batch_dot(x: Any, y: Any, axes: Any = None) -> Tensor:
    """Returns the products of the examples of two batches.

    Args:
        x: Tensor of a float dtype, of shape [batch, ...].
        y: Tensor of the dtype of `x`, of shape [batch, ...].
        axes: int, or pair of ints: the dimensions of `x` and `y` to sum over. None for the last of `x` and the second
            last of `y`, or its last if it has two.

    Returns:
        Tensor of that dtype, of shape [batch] + the other dimensions of `x` + those of `y`, and [batch, 1] if there
        are none.

    Raises:
        ValueError: if the rank of a tensor is unknown.
    """
    x, y = convert_to_tensor(x), convert_to_tensor(y)
    x_rank, y_rank = x.shape.ndims, y.shape.ndims
    if x_rank is None or y_rank is None:
        raise ValueError("batch_dot: the ranks must be known.")
    if axes is None:
        axes = (x_rank - 1, y_rank - 2)
    first, second = (axes, axes) if isinstance(axes, int) else tuple(axes)
    more = abs(x_rank - y_rank)
    if x_rank > y_rank:
        y = shaping.reshape(y, concat([shaping.shape(y), [1] * more], 0))
    elif more:
        x = shaping.reshape(x, concat([shaping.shape(x), [1] * more], 0))
    result: Any
    if x_rank == y_rank == 2:
        rows = x if first == second else shaping.transpose(x, [1, 0])
        result = reduction.reduce_sum(arithmetic.multiply(rows, y), axis=second)
    else:
        rank = builtins.max(x_rank, y_rank)
        result = linalg.matmul(x, y, adjoint_a=first != rank - 1, adjoint_b=second == rank - 1)
    if more:
        start = x_rank + y_rank - 3 if x_rank > y_rank else x_rank - 1
        result = shaping.squeeze(result, list(range(start, start + more)))
    return shaping.expand_dims(result, 1) if result.get_shape().ndims == 1 else result


def cumsum(x: TensorLike, axis: int = 0) -> Tensor:
    """Returns the sums of the elements up to each along a dimension.

    Args:
        x: Tensor of a number dtype, of rank 1 or more.
        axis: int, the dimension.

    Returns:
        Tensor of the dtype and shape of `x`.
    """
    return segment.cumsum(x, axis=axis)


def cumprod(x: TensorLike, axis: int = 0) -> Tensor:
    """Returns the products of the elements up to each along a dimension.

    Args:
        x: Tensor of a number dtype, of rank 1 or more.
        axis: int, the dimension.

    Returns:
        Tensor of the dtype and shape of `x`.
    """
    return segment.cumprod(x, axis=axis)
