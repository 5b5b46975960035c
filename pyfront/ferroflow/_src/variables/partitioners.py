"""Partitioners: functions that decide into how many slices each dimension of a variable is cut."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.tensor_shape import TensorShape

Partitioner = Callable[..., list[int]]


def _sizes(shape: TensorShape) -> list[int]:
    """Returns the lengths of a fully defined shape's dimensions."""
    return [int(d) for d in shape]


def _element_size(dtype: dtypes.DType, bytes_per_string_element: int) -> int:
    return bytes_per_string_element if dtype.base_dtype == dtypes.string else dtype.size


def variable_axis_size_partitioner(
    max_shard_bytes: int, axis: int = 0, bytes_per_string_element: int = 16, max_shards: int | None = None
) -> Partitioner:
    """Returns a partitioner that keeps slices at or below a size.

    Args:
        max_shard_bytes: int, the size in bytes that a slice may have. A slice holds at least one index of the axis.
        axis: int, the dimension to cut.
        bytes_per_string_element: int, the assumed size of a string, in bytes.
        max_shards: int, the most slices there may be; they then may be larger than `max_shard_bytes`.

    Returns:
        A function of `shape` (fully defined `TensorShape`) and `dtype` that returns a list of int, one per dimension.

    Raises:
        ValueError: if a size or a count is not positive; raised by the partitioner if a shape or dtype has a wrong
            type.
    """
    if max_shard_bytes < 1 or bytes_per_string_element < 1:
        raise ValueError("Both max_shard_bytes and bytes_per_string_element must be positive.")
    if max_shards and max_shards < 1:
        raise ValueError("max_shards must be positive.")

    def partitioner(shape: TensorShape, dtype: dtypes.DType) -> list[int]:
        if not isinstance(shape, TensorShape):
            raise ValueError(f"shape is not a TensorShape: {shape}")
        if not shape.is_fully_defined():
            raise ValueError(f"shape is not fully defined: {shape}")
        if not isinstance(dtype, dtypes.DType):
            raise ValueError(f"dtype is not a DType: {dtype}")
        sizes = _sizes(shape)
        length = sizes[axis]
        partitions = [1] * len(sizes)
        bytes_per_slice = math.prod(sizes) / length * _element_size(dtype, bytes_per_string_element)
        slices_per_shard = max(1, math.floor(max_shard_bytes / bytes_per_slice))
        shards = math.ceil(length / slices_per_shard)
        partitions[axis] = min(max_shards, shards) if max_shards else shards
        return partitions

    return partitioner


def min_max_variable_partitioner(
    max_partitions: int = 1, axis: int = 0, min_slice_size: int = 256 << 10, bytes_per_string_element: int = 16
) -> Partitioner:
    """Returns a partitioner that makes as many slices as allowed, none smaller than a size.

    Args:
        max_partitions: int, the most slices there may be.
        axis: int, the dimension to cut.
        min_slice_size: int, the size in bytes that a slice must reach.
        bytes_per_string_element: int, the assumed size of a string, in bytes.

    Returns:
        A function of `shape` (fully defined `TensorShape`) and `dtype` that returns a list of int, one per dimension.

    Raises:
        ValueError: when the partitioner is called, if the shape has no dimension `axis`.
    """

    def partitioner(shape: TensorShape, dtype: dtypes.DType) -> list[int]:
        sizes = _sizes(shape)
        if axis >= len(sizes):
            raise ValueError(f"Can not partition variable along axis {axis} when shape is only {shape}")
        total = math.prod(sizes) * _element_size(dtype, bytes_per_string_element)
        partitions = [1] * len(sizes)
        partitions[axis] = max(1, min(sizes[axis], max_partitions, math.ceil(total / min_slice_size)))
        return partitions

    return partitioner


def fixed_size_partitioner(num_shards: int, axis: int = 0) -> Partitioner:
    """Returns a partitioner that makes a given number of slices, or as many as the dimension has indices.

    Args:
        num_shards: int, the number of slices.
        axis: int, the dimension to cut.

    Returns:
        A function of `shape` (fully defined `TensorShape`) and `dtype` that returns a list of int, one per dimension.
    """

    def partitioner(shape: TensorShape, **_: Any) -> list[int]:
        sizes = _sizes(shape)
        partitions = [1] * len(sizes)
        partitions[axis] = min(num_shards, sizes[axis])
        return partitions

    return partitioner
