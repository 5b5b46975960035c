"""Norms of vectors and matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from ferroflow._src.base.deprecation import deprecated_argument_lookup, warn_deprecated
from ferroflow._src.framework.apply import tensor_op
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array import indexing, joining, making, shaping
from ferroflow._src.ops.linalg.decomposing import svd
from ferroflow._src.ops.math import elementwise
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.reduction import reduce_max, reduce_sum

_MATRIX_NORMS: list[Any] = ["euclidean", "fro", 1, 2, np.inf]


def norm(
    tensor: Any,
    ord: Any = "euclidean",
    axis: Any = None,
    keepdims: bool | None = None,
    name: str | None = None,
    keep_dims: bool | None = None,
) -> Tensor:
    """Computes norms of vectors or matrices.

    Args:
        tensor: Tensor of float32, float64, complex64 or complex128.
        ord: of vectors "euclidean", inf or a positive number; of matrices "euclidean", "fro", 1, 2 (the largest
            singular value) or inf.
        axis: int, the dimension that holds vectors; tuple of two ints, the dimensions that hold matrices; None to take
            the whole tensor as one vector.
        keepdims: bool. If True, a reduced dimension is kept, with size 1; None for False.
        name: str, name scope of the operations.
        keep_dims: deprecated name of `keepdims`.

    Returns:
        Tensor of the dtype of `tensor`, or for norms other than the euclidean of its real dtype.

    Raises:
        ValueError: if `ord` or `axis` is not one of the above.
    """
    if keep_dims is not None:
        warn_deprecated("The argument keep_dims of norm", "keepdims")
    keepdims = bool(deprecated_argument_lookup("keepdims", keepdims, "keep_dims", keep_dims))
    is_matrix_norm = isinstance(axis, (tuple, list)) and len(axis) == 2
    if is_matrix_norm:
        axis = tuple(axis)
        if not all(isinstance(a, int) for a in axis) or axis[0] == axis[1]:
            raise ValueError("'axis' must be None, an integer, or a tuple of 2 unique integers")
        if ord not in _MATRIX_NORMS:
            raise ValueError(f"'ord' must be a supported matrix norm in {_MATRIX_NORMS}, got {ord}")
    else:
        if not (axis is None or isinstance(axis, int)):
            raise ValueError("'axis' must be None, an integer, or a tuple of 2 unique integers")
        if ord != "euclidean" and (isinstance(ord, str) or not np.isreal(ord) or ord <= 0):
            raise ValueError(f"'ord' must be a supported vector norm, got {ord}")
        if axis is not None:
            axis = (axis,)
    with name_scope(name, "norm", [tensor]):
        tensor = convert_to_tensor(tensor)
        if is_matrix_norm and ord == 2:
            result = _spectral_norm(tensor, axis)
        elif ord in ("fro", "euclidean", 2):
            squares = tensor * elementwise.conj(tensor)
            result = elementwise.sqrt(reduce_sum(squares, axis, keepdims=True))
        else:
            result = _of_absolute_values(elementwise.abs(tensor), ord, axis)
        return result if keepdims else shaping.squeeze(result, axis)


def normalize(tensor: Any, ord: Any = "euclidean", axis: Any = None, name: str | None = None) -> tuple[Tensor, Tensor]:
    """Divides vectors or matrices by their norms.

    Args:
        tensor: Tensor of float32, float64, complex64 or complex128.
        ord: as for `norm`.
        axis: as for `norm`.
        name: str, name scope of the operations.

    Returns:
        (Tensor of the dtype and shape of `tensor`, Tensor of that dtype: the norms, with reduced dimensions of size 1).

    Raises:
        ValueError: if `ord` or `axis` is not one that `norm` takes.
    """
    with name_scope(name, "normalize", [tensor]):
        tensor = convert_to_tensor(tensor)
        length = cast(norm(tensor, ord, axis, keepdims=True), tensor.dtype)
        return tensor / length, length


def _of_absolute_values(values: Tensor, ord: Any, axis: tuple[int, ...] | None) -> Tensor:
    first = None if axis is None else axis[0]
    is_matrix_norm = axis is not None and len(axis) == 2
    if ord == 1:
        sums = reduce_sum(values, first, keepdims=True)
        return reduce_max(sums, axis[-1], keepdims=True) if axis is not None and is_matrix_norm else sums
    if ord == np.inf:
        if axis is not None and is_matrix_norm:
            values = reduce_sum(values, axis[1], keepdims=True)
        return reduce_max(values, first, keepdims=True)
    powers = reduce_sum(tensor_op("Pow", [values, ord]), axis, keepdims=True)
    return tensor_op("Pow", [powers, 1.0 / ord])


def _spectral_norm(tensor: Tensor, axis: tuple[int, int]) -> Tensor:
    """Returns the largest singular values, with dimensions of 1 in the places of `axis`."""
    ndims = tensor.get_shape().ndims
    before: Any
    after: Any
    if ndims is not None:
        if ndims < 2:
            raise ValueError(f"Shape must be at least rank 2 but is rank {ndims} for the matrix norm of {tensor}.")
        chosen = [a % ndims for a in axis]
        before = [a for a in range(ndims) if a not in chosen] + chosen
        after = [before.index(a) for a in range(ndims)]
    else:
        rank = shaping.rank(tensor)
        axes = making.range(rank)
        last = tensor_op("FloorMod", [convert_to_tensor(list(axis)), rank])
        before = joining.concat([indexing.setdiff1d(axes, last)[0], last], 0)
        after = shaping.invert_permutation(before)
    values = svd(shaping.transpose(tensor, perm=before), compute_uv=False)
    largest = shaping.expand_dims(reduce_max(values, -1, keepdims=True), -1)
    return shaping.transpose(largest, perm=after)
