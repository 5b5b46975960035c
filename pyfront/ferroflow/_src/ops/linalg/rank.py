"""Ranks and pseudo-inverses of matrices, from their singular values."""

from __future__ import annotations

from typing import Any

import numpy as np

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import TensorLike
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import control_dependencies, name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array import shaping
from ferroflow._src.ops.array.indexing import where_v2
from ferroflow._src.ops.array.making import identity
from ferroflow._src.ops.flow.checking import assert_rank_at_least
from ferroflow._src.ops.linalg.decomposing import svd
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.linalg import matmul
from ferroflow._src.ops.math.reduction import reduce_max, reduce_sum


def _checked(a: TensorLike, validate_args: bool) -> Tensor:
    """Returns matrices of floats as a tensor."""
    tensor = convert_to_tensor(a, name="a")
    if not tensor.dtype.is_floating:
        raise TypeError(f'Input `a` must have `float`-like `dtype` (saw "{tensor.dtype.name}").')
    if tensor.shape.ndims is not None:
        if tensor.shape.ndims < 2:
            raise ValueError(f"Input `a` must have at least 2 dimensions (saw: {tensor.shape.ndims}).")
    elif validate_args:
        check = assert_rank_at_least(tensor, 2, message="Input `a` must have at least 2 dimensions.")
        with control_dependencies([check]):
            tensor = identity(tensor)
    return tensor


def _longer_side(a: Tensor) -> Any:
    """Returns the larger size of a matrix: a number where it is known, else a tensor of the dtype of `a`."""
    sides = [side for side in a.shape.as_list()[-2:] if side is not None] if a.shape.ndims is not None else []
    if len(sides) == 2:
        return float(max(sides))
    return cast(reduce_max(shaping.shape(a)[-2:]), a.dtype)


def matrix_rank(
    a: TensorLike, tol: TensorLike | None = None, validate_args: bool = False, name: str | None = None
) -> Tensor:
    """Counts the singular values of matrices that are larger than a threshold.

    Args:
        a: Tensor of float32 or float64, of shape [..., m, n].
        tol: Tensor of the dtype of `a`, of shape [..., 1] or []: the threshold. None for the largest singular value
            times the larger side times the dtype's epsilon.
        validate_args: bool. If True, the rank is checked when the step runs if it is unknown before.
        name: str, name scope of the operations.

    Returns:
        Tensor of int32, of shape [...].

    Raises:
        TypeError: if `a` is not of a float dtype.
        ValueError: if `a` has less than two dimensions.
    """
    with name_scope(name, "matrix_rank"):
        a = _checked(a, validate_args)
        values = svd(a, compute_uv=False)
        if tol is None:
            epsilon = np.finfo(a.dtype.as_numpy_dtype).eps
            tol = epsilon * _longer_side(a) * reduce_max(values, axis=-1, keepdims=True)
        return reduce_sum(cast(values > tol, dtypes.int32), axis=-1)


def pinv(
    a: TensorLike, rcond: TensorLike | None = None, validate_args: bool = False, name: str | None = None
) -> Tensor:
    """Computes the Moore-Penrose pseudo-inverses of matrices.

    Args:
        a: Tensor of float32 or float64, of shape [..., m, n].
        rcond: Tensor of the dtype of `a`, of shape [...] or []: singular values that are not larger than this part of
            the largest one count as zero. None for 10 times the larger side times the dtype's epsilon.
        validate_args: bool. If True, the rank is checked when the step runs if it is unknown before.
        name: str, name scope of the operations.

    Returns:
        Tensor of the dtype of `a`, of shape [..., n, m].

    Raises:
        TypeError: if `a` is not of a float dtype.
        ValueError: if `a` has less than two dimensions.
    """
    with name_scope(name or "pinv"):
        a = _checked(a, validate_args)
        if rcond is None:
            rcond = 10.0 * _longer_side(a) * np.finfo(a.dtype.as_numpy_dtype).eps
        rcond = convert_to_tensor(rcond, dtype=a.dtype, name="rcond")
        values, left, right = svd(a, full_matrices=False, compute_uv=True)
        cutoff = shaping.expand_dims(rcond * reduce_max(values, axis=-1), -1)
        # Dividing by infinity drops the vectors of values that count as zero.
        values = where_v2(values > cutoff, values, np.array(np.inf, a.dtype.as_numpy_dtype))
        result = matmul(right / shaping.expand_dims(values, -2), left, adjoint_b=True)
        if a.shape.ndims is not None:
            result.set_shape(a.shape[:-2].concatenate([a.shape[-1], a.shape[-2]]))
        return result
