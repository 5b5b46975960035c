"""Windows of raised cosines."""

from __future__ import annotations

import math
from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import BoolLike, DTypeLike, IntLike
from ferroflow._src.framework.constant import constant_value
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array import making
from ferroflow._src.ops.math import elementwise
from ferroflow._src.ops.math.cast import cast


def hann_window(
    window_length: IntLike, periodic: BoolLike = True, dtype: DTypeLike = dtypes.float32, name: str | None = None
) -> Tensor:
    """Makes a Hann window.

    Args:
        window_length: int, or Tensor of int32 of shape []: the number of samples.
        periodic: bool, or Tensor of bool of shape []. If True, the window repeats with its length, else it is
            symmetric; windows of odd length are always symmetric, as in TF 1.x.
        dtype: DType of the result, a floating one.
        name: str, name scope of the operations.

    Returns:
        Tensor of `dtype`, of shape [window_length].

    Raises:
        ValueError: if `dtype` is not a floating one.
    """
    return _raised_cosine(name, "hann_window", window_length, periodic, dtype, 0.5, 0.5)


def hamming_window(
    window_length: IntLike, periodic: BoolLike = True, dtype: DTypeLike = dtypes.float32, name: str | None = None
) -> Tensor:
    """Makes a Hamming window.

    Args:
        window_length: int, or Tensor of int32 of shape []: the number of samples.
        periodic: bool, or Tensor of bool of shape []. If True, the window repeats with its length, else it is
            symmetric; windows of odd length are always symmetric, as in TF 1.x.
        dtype: DType of the result, a floating one.
        name: str, name scope of the operations.

    Returns:
        Tensor of `dtype`, of shape [window_length].

    Raises:
        ValueError: if `dtype` is not a floating one.
    """
    return _raised_cosine(name, "hamming_window", window_length, periodic, dtype, 0.54, 0.46)


def _raised_cosine(
    name: str | None, default_name: str, window_length: Any, periodic: Any, dtype: Any, mean: float, height: float
) -> Tensor:
    dtype = dtypes.as_dtype(dtype)
    if not dtype.is_floating:
        raise ValueError(f"dtype must be a floating point type. Found {dtype}")
    with name_scope(name, default_name, [window_length, periodic]):
        length = convert_to_tensor(window_length, dtype=dtypes.int32, name="window_length")
        length.shape.assert_has_rank(0)
        if constant_value(length) == 1:
            return making.ones([1], dtype=dtype)
        is_periodic = cast(convert_to_tensor(periodic, dtype=dtypes.bool, name="periodic"), dtypes.int32)
        is_even = 1 - length % 2
        period = cast(length + is_periodic * is_even - 1, dtype)
        angles = 2 * math.pi * cast(making.range(length), dtype) / period
        result: Tensor = mean - height * elementwise.cos(angles)
        return result
