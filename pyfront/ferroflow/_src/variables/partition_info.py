"""`PartitionInfo`: describes to an initializer the slice of a partitioned variable that it fills."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ferroflow._src.base.tensor_shape import TensorShape


def _check_sequence(name: str, value: Any) -> None:
    if not isinstance(value, Sequence) or isinstance(value, str):
        raise TypeError(f"`{name}` must be a sequence (like tuple or list) instead of {type(value).__name__}")


class PartitionInfo:
    """Position of a slice in the whole variable.

    Args:
        full_shape: sequence of int, the shape of the whole.
        var_offset: sequence of int, the first index of the slice in each dimension.

    Raises:
        TypeError: if one of the arguments is not a sequence.
        ValueError: if their lengths differ, or an offset is outside its dimension.
    """

    def __init__(self, full_shape: Sequence[int], var_offset: Sequence[int]) -> None:
        _check_sequence("full_shape", full_shape)
        _check_sequence("var_offset", var_offset)
        if len(var_offset) != len(full_shape):
            raise ValueError(
                f"Expected equal length, but `var_offset` is of length {len(var_offset)} "
                f"while full_shape is of length {len(full_shape)}."
            )
        for offset, size in zip(var_offset, full_shape, strict=True):
            if offset < 0 or offset >= size:
                raise ValueError(
                    f"Expected 0 <= offset < shape but found offset={offset}, shape={size} "
                    f"for var_offset={var_offset}, full_shape={full_shape}"
                )
        self._full_shape = full_shape
        self._var_offset = var_offset

    @property
    def full_shape(self) -> Sequence[int]:
        """The shape of the whole."""
        return self._full_shape

    @property
    def var_offset(self) -> Sequence[int]:
        """The first index of the slice in each dimension."""
        return self._var_offset

    def single_offset(self, shape: Sequence[int]) -> int:
        """Returns the offset in the one dimension that is cut; 0 if none is.

        Args:
            shape: sequence of int, the shape of the slice.

        Raises:
            ValueError: on the same conditions as `single_slice_dim`.
        """
        dim = self.single_slice_dim(shape)
        return 0 if dim is None else self._var_offset[dim]

    def single_slice_dim(self, shape: Sequence[int]) -> int | None:
        """Returns the one dimension in which the slice is smaller than the whole; None if it is the whole.

        Args:
            shape: sequence of int, the shape of the slice.

        Raises:
            TypeError: if `shape` is not a sequence.
            ValueError: if the length differs from that of the full shape, the slice exceeds the whole, or it is smaller
                in more than one dimension.
        """
        _check_sequence("shape", shape)
        full = self._full_shape
        if len(shape) != len(full):
            raise ValueError(
                f"Expected equal length, but received shape={shape} of length {len(shape)} "
                f"while self.full_shape={full} is of length {len(full)}."
            )
        for i, (offset, size, whole) in enumerate(zip(self._var_offset, shape, full, strict=True)):
            if offset + size > whole:
                raise ValueError(
                    f"With self.var_offset={self._var_offset}, a partition of shape={shape} "
                    f"would exceed self.full_shape={full} in dimension {i}."
                )
        cut = [i for i, (size, whole) in enumerate(zip(shape, full, strict=True)) if size != whole]
        if len(cut) > 1:
            raise ValueError(
                f"Cannot use single_slice_dim() with shape={shape} and self.full_shape={full} "
                f"since slice dim could be either dimension {cut[0]} or {cut[1]}."
            )
        return cut[0] if cut else None


def call_partitioner(partitioner: Any, shape: TensorShape, dtype: Any, name: str) -> Sequence[int]:
    """Returns the partitions from a partitioner, after checks.

    Args:
        partitioner: a callable of `shape` and `dtype`.
        shape: the shape of the whole.
        dtype: its `DType`.
        name: str, the variable's name, for messages.

    Returns:
        A sequence of int: the number of slices of each dimension.

    Raises:
        ValueError: if the shape is not fully defined or is a scalar, or the partitioner returned no sequence of
            positive numbers of the shape's rank.
    """
    if not shape.is_fully_defined():
        raise ValueError(
            f"Shape of a new partitioned variable ({name}) must be fully defined, but instead was {shape}."
        )
    if len(shape) < 1:
        raise ValueError(f"A partitioned Variable must have rank at least 1, shape: {shape}")
    partitions: Any = partitioner(shape=shape, dtype=dtype)
    if not isinstance(partitions, Sequence):
        raise ValueError(f"Partitioner must return a sequence, but saw: {partitions}")
    if len(partitions) != len(shape):
        raise ValueError(
            f"Partitioner returned a partition list that does not match the Variable's rank: {partitions} vs. {shape}"
        )
    if any(p < 1 for p in partitions):
        raise ValueError(f"Partitioner returned zero partitions for some axes: {partitions}")
    return partitions


def slice_dimension(full_shape: Sequence[int], partitions: Sequence[int]) -> int:
    """Returns the one dimension that is cut; the first if none is.

    Args:
        full_shape: sequence of int.
        partitions: sequence of int, the number of slices of each dimension.

    Raises:
        ValueError: if a dimension has fewer indices than slices, or more than one dimension is split.
    """
    cut: int | None = None
    for dim, (size, slices) in enumerate(zip(full_shape, partitions, strict=True)):
        if slices <= 0 or size < slices:
            raise ValueError(
                f"Cannot create {slices} slices for size {size}. shape: {full_shape}, slicing: {partitions}"
            )
        if slices > 1:
            if cut is not None:
                raise ValueError(
                    f"Can only slice a variable along one dimension: shape: {full_shape}, slicing: {partitions}"
                )
            cut = dim
    return cut or 0


def slices(full_shape: Sequence[int], dim: int, count: int) -> Iterator[tuple[list[int], list[int]]]:
    """Yields slices of sizes that differ by at most one, the longer ones first.

    Args:
        full_shape: sequence of int.
        dim: int, the dimension to cut.
        count: int, the number of slices.

    Yields:
        (offset, shape), two lists of int.
    """
    least, longer = divmod(full_shape[dim], count)
    offset = [0] * len(full_shape)
    for i in range(count):
        shape = list(full_shape)
        shape[dim] = least + (i < longer)
        yield list(offset), shape
        offset[dim] += shape[dim]
