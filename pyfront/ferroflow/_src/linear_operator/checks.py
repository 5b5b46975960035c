"""Checks of linear operators' arguments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import TensorLike
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.ops.array import shaping
from ferroflow._src.ops.flow.checking import assert_equal, assert_less
from ferroflow._src.ops.flow.grouping import no_op
from ferroflow._src.ops.math import elementwise
from ferroflow._src.ops.math.complex_parts import imag

REAL = (dtypes.float16, dtypes.float32, dtypes.float64)
FLOATING = (*REAL, dtypes.complex64, dtypes.complex128)


def check_dtype(tensor: Tensor, argument: str, allowed: Sequence[Any]) -> None:
    """Raises TypeError for a tensor of another dtype."""
    if tensor.dtype.base_dtype not in allowed:
        raise TypeError(f"Argument {argument} must have dtype in {list(allowed)}.  Found: {tensor.dtype}")


def check_ndims(tensor: Tensor, argument: str, least: int) -> None:
    """Raises ValueError for a tensor that is known to have fewer dimensions."""
    ndims = tensor.get_shape().ndims
    if ndims is not None and ndims < least:
        dimensions = "dimension" if least == 1 else "dimensions"
        raise ValueError(f"Argument {argument} must have at least {least} {dimensions}.  Found: {tensor}")


def assert_compatible_matrix_dimensions(operator: Any, x: TensorLike) -> Operation:
    """Returns an operation that fails if the product of an operator and a matrix is not defined.

    Args:
        operator: LinearOperator.
        x: Tensor of shape [..., n, k].
    """
    rows = shaping.shape(convert_to_tensor(x))[-2]
    message = (
        f"Incompatible matrix dimensions.  shape[-2] of argument to be the same as this operator.  {operator.name}"
    )
    return assert_equal(rows, operator.domain_dimension_tensor(), message=message)


def assert_no_entries_with_modulus_zero(
    x: TensorLike, message: str | None = None, name: str = "assert_no_entries_with_modulus_zero"
) -> Operation:
    """Returns an operation that fails where an element is zero."""
    with name_scope(name, values=[x]):
        x = convert_to_tensor(x, name="x")
        zero = convert_to_tensor(0, dtype=x.dtype.base_dtype.real_dtype)
        return assert_less(zero, elementwise.abs(x), message=message)


def assert_zero_imag_part(x: TensorLike, message: str | None = None, name: str = "assert_zero_imag_part") -> Operation:
    """Returns an operation that fails where an element is not real."""
    with name_scope(name, values=[x]):
        x = convert_to_tensor(x, name="x")
        if not x.dtype.is_complex:
            return no_op()
        zero = convert_to_tensor(0, dtype=x.dtype.base_dtype.real_dtype)
        return assert_equal(zero, imag(x), message=message)
