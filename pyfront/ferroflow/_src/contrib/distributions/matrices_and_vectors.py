"""Functions of tensors that distributions and bijectors have in common: triangles, padding, weighted sums."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ferroflow._src.base import dtypes
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.framework.constant import constant_value
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.ops.array import indexing, joining, making, shaping
from ferroflow._src.ops.math import linalg
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.elementwise import abs as absolute, exp, is_inf, log, sign, sqrt
from ferroflow._src.ops.math.reduction import reduce_logsumexp, reduce_max, reduce_sum


def matrix_diag_transform(matrix: Any, transform: Callable[[Any], Any] | None = None, name: str | None = None) -> Any:
    """Applies a function to the diagonals of matrices.

    Args:
        matrix: Tensor of any dtype, of shape [..., n, n].
        transform: callable of the diagonals, a Tensor of shape [..., n], that returns such a Tensor, or None.
        name: str, name scope of the operations.

    Returns:
        Tensor of the dtype and shape of `matrix`.
    """
    with name_scope(name, "matrix_diag_transform", [matrix]):
        matrix = convert_to_tensor(matrix, name="matrix")
        if transform is None:
            return matrix
        return linalg.matrix_set_diag(matrix, transform(linalg.matrix_diag_part(matrix)))


def _side_of_triangle(size: int) -> int:
    """Returns the n for which n * (n + 1) / 2 is a size; raises ValueError if there is none."""
    n = (np.sqrt(1 + 8 * size) - 1) / 2
    if n != np.floor(n):
        raise ValueError(f"Input right-most shape ({size}) does not correspond to a triangular matrix.")
    return int(n)


def fill_triangular(x: Any, upper: bool = False, name: str | None = None) -> Any:
    """Fills triangular matrices with vectors, in a spiral that begins at the end of the vector.

    Args:
        x: Tensor of any dtype, of shape [..., n * (n + 1) / 2].
        upper: bool. If True, the upper triangles are filled, from the beginning of the vector.
        name: str, name scope of the operations.

    Returns:
        Tensor of the dtype of `x`, of shape [..., n, n].

    Raises:
        ValueError: if the size of the last dimension is known and no such number.
    """
    with name_scope(name, "fill_triangular", values=[x]):
        x = convert_to_tensor(x, name="x")
        batch = x.get_shape().with_rank_at_least(1)[:-1]
        size = x.get_shape().with_rank_at_least(1)
        known = None if size.ndims is None else size[-1].value
        n: Any
        if known is None:
            n = cast(sqrt(0.25 + cast(2 * shaping.shape(x)[-1], dtypes.float32)), dtypes.int32)
        else:
            n = _side_of_triangle(known)
        # A vector and its reverse without the first n elements fill a square row by row.
        parts = [x, shaping.reverse(x[..., n:], axis=[-1])] if upper else [x[..., n:], shaping.reverse(x, axis=[-1])]
        shape = joining.concat([shaping.shape(x)[:-1], joining.stack([n, n])], 0)
        square = shaping.reshape(joining.concat(parts, -1), shape)
        filled = linalg.matrix_band_part(square, 0 if upper else -1, -1 if upper else 0)
        side = n if known is not None else None
        filled.set_shape(batch.concatenate([side, side]))
        return filled


def fill_triangular_inverse(x: Any, upper: bool = False, name: str | None = None) -> Any:
    """Returns the vectors with which `fill_triangular` fills triangular matrices.

    Args:
        x: Tensor of any dtype, of shape [..., n, n].
        upper: bool. If True, the triangles are the upper ones.
        name: str, name scope of the operations.

    Returns:
        Tensor of the dtype of `x`, of shape [..., n * (n + 1) / 2].
    """
    with name_scope(name, "fill_triangular_inverse", values=[x]):
        x = convert_to_tensor(x, name="x")
        static = x.get_shape().with_rank_at_least(2)
        known = None if static.ndims is None else static[-1].value
        n: Any = shaping.shape(x)[-1] if known is None else known
        half = n * (n + 1) // 2
        half_of_others = (n - 1) * n // 2
        # The square is what `fill_triangular` cut: the triangle's elements, and zeros elsewhere.
        if upper:
            rows, rest = x[..., :1, :], x[..., 1:, :]
        else:
            rows, rest = x[..., -1:, :], x[..., :-1, :]
        first = shaping.squeeze(rows, axis=[-2])
        flat_shape = joining.concat([shaping.shape(x)[:-2], joining.stack([n * (n - 1)])], 0)
        flat = shaping.reshape(rest, flat_shape)
        flipped = shaping.reverse(flat, axis=[-1])
        if upper:
            result = joining.concat([first, (flat + flipped)[..., :half_of_others]], -1)
        else:
            result = joining.concat([shaping.reverse(first, axis=[-1]), (flat + flipped)[..., :half_of_others]], -1)
        batch = x.get_shape().with_rank_at_least(2)[:-2]
        result.set_shape(batch.concatenate([None if known is None else half]))
        return result


def tridiag(below: Any = None, diag: Any = None, above: Any = None, name: str | None = None) -> Any:
    """Makes matrices of their three middle diagonals.

    Args:
        below: Tensor of any dtype, of shape [..., n - 1]: the diagonals below the main ones; None for zeros.
        diag: Tensor of the same dtype, of shape [..., n]: the main diagonals; None for zeros.
        above: Tensor of the same dtype, of shape [..., n - 1]: the diagonals above the main ones; None for zeros.
        name: str, name scope of the operations.

    Returns:
        Tensor of that dtype, of shape [..., n, n].

    Raises:
        ValueError: if all three are None.
    """

    def with_zeros_around(x: Any) -> Any:
        zeros = making.zeros(joining.concat([shaping.shape(x)[:-1], [1]], 0), dtype=x.dtype)
        return joining.concat([zeros, x, zeros], -1)

    with name_scope(name, "tridiag", [below, diag, above]):
        parts = []
        if below is not None:
            below = convert_to_tensor(below, name="below")
            parts.append(linalg.matrix_diag(with_zeros_around(below))[..., :-1, 1:])
        if diag is not None:
            parts.append(linalg.matrix_diag(convert_to_tensor(diag, name="diag")))
        if above is not None:
            above = convert_to_tensor(above, name="above")
            parts.append(linalg.matrix_diag(with_zeros_around(above))[..., 1:, :-1])
        if not parts:
            raise ValueError("Must specify at least one of `below`, `diag`, `above`.")
        total = parts[0]
        for part in parts[1:]:
            total = total + part
        return total


def reduce_weighted_logsumexp(
    logx: Any,
    w: Any = None,
    axis: Any = None,
    keep_dims: bool = False,
    return_sign: bool = False,
    name: str | None = None,
) -> Any:
    """Computes `log(abs(sum(w * exp(logx))))` without overflow.

    Args:
        logx: Tensor of a float dtype.
        w: Tensor of the dtype of `logx`, that broadcasts with it, of any sign: the weights; None for ones.
        axis: int or list of int, the dimensions to add up; None for all.
        keep_dims: bool. If True, they stay, with size 1.
        return_sign: bool. If True, the sign of the sum is returned as well.
        name: str, name scope of the operations.

    Returns:
        Tensor of the dtype of `logx`, or (Tensor, Tensor) with the signs.
    """
    with name_scope(name, "reduce_weighted_logsumexp", [logx, w]):
        logx = convert_to_tensor(logx, name="logx")
        if w is None:
            total = reduce_logsumexp(logx, axis=axis, keepdims=keep_dims)
            return (total, making.ones_like(total)) if return_sign else total
        w = convert_to_tensor(w, dtype=logx.dtype, name="w")
        terms = logx + log(absolute(w))
        largest = reduce_max(terms, axis=axis, keepdims=True)
        # A sum of zeros, whose logarithms are -inf, would be NaN.
        largest = indexing.where(is_inf(largest), making.zeros_like(largest), largest)
        scaled = reduce_sum(sign(w) * exp(terms - largest), axis=axis, keepdims=keep_dims)
        if not keep_dims:
            largest = shaping.squeeze(largest, axis)
        signs = sign(scaled)
        total = largest + log(signs * scaled)
        return (total, signs) if return_sign else total


def pad(
    x: Any,
    axis: Any,
    front: bool = False,
    back: bool = False,
    value: Any = 0,
    count: Any = 1,
    name: str | None = None,
) -> Any:
    """Adds a value before or behind the elements along one dimension.

    Args:
        x: Tensor of any dtype, of a rank above 0.
        axis: Tensor of int32, of shape []: the dimension; negative to count from the last one.
        front: bool. If True, the value is added before the elements.
        back: bool. If True, the value is added behind the elements.
        value: Tensor of the dtype of `x`, of shape [].
        count: Tensor of int32, of shape []: how often.
        name: str, name scope of the operations.

    Returns:
        Tensor of the dtype of `x`.

    Raises:
        ValueError: if neither `front` nor `back` is True.
        TypeError: if `count` is not of an integer dtype.
    """
    with name_scope(name, "pad", [x, value, count]):
        x = convert_to_tensor(x, name="x")
        value = convert_to_tensor(value, dtype=x.dtype, name="value")
        count = convert_to_tensor(count, name="count")
        if not count.dtype.is_integer:
            raise TypeError(f"`count.dtype` (`{count.dtype.name}`) must be `int`-like.")
        if not front and not back:
            raise ValueError("At least one of `front`, `back` must be `True`.")
        static = x.get_shape()
        ndims: Any = shaping.rank(x, name="ndims") if static.ndims is None else static.ndims
        axis = convert_to_tensor(axis, name="axis")
        known = constant_value(axis)
        where: Any = indexing.where(axis < 0, ndims + axis, axis) if known is None else int(known)
        if known is not None and where < 0:
            where = ndims + where
        places = joining.stack([where if front else -1, where if back else -1])
        paddings = making.one_hot(
            places, depth=ndims, axis=0, on_value=cast(count, dtypes.int32), off_value=0, dtype=dtypes.int32
        )
        padded = shaping.pad(x, paddings, constant_values=value)
        if isinstance(where, int) and (static.ndims is not None or int(known) >= 0):
            times = constant_value(count)
            if static.ndims is not None:
                dims = static.as_list()
                size = dims[where]
                dims[where] = None if times is None or size is None else size + int(times) * (front + back)
                padded.set_shape(TensorShape(dims))
        return padded
