"""`RaggedLayout`: values, the splits between their rows, and what follows from them."""

from __future__ import annotations

from typing import Any, TypeVar

from ferroflow._src.base import dtypes
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.base.typing import DTypeLike
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.graph import Graph
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.ops.array import indexing, joining, making, shaping
from ferroflow._src.ops.math import arithmetic, reduction
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.ragged.row_splits import (
    INDEX_TYPES,
    get_positive_axis,
    lengths_of,
    row_splits_to_segment_ids,
)

MISMATCHED = (
    "mismatched row_splits dtypes; use RaggedTensor.with_row_splits_dtype() to convert them to compatible dtypes."
)


_Ragged = TypeVar("_Ragged", bound="RaggedLayout")


class RaggedLayout:
    """Values in rows of different lengths; `RaggedTensor` adds factory methods and conversions.

    Args:
        values: Tensor of any dtype, of shape [n, ...], or RaggedTensor: the rows, one after the other.
        row_splits: Tensor of int32 or int64, of shape [rows + 1]: where each row begins, and where the last one ends.
        cached_row_lengths: Tensor of shape [rows], if it is known.
        cached_value_rowids: Tensor of shape [n], if it is known.
        cached_nrows: Tensor of shape [], if it is known.
        internal: bool. Programs use the factory methods instead, which pass True.

    Raises:
        TypeError: if an argument has another type, or a cached tensor another dtype.
        ValueError: if `internal` is False, or `row_splits` has another dtype or rank.
    """

    def __init__(
        self,
        values: Any,
        row_splits: Any,
        cached_row_lengths: Tensor | None = None,
        cached_value_rowids: Tensor | None = None,
        cached_nrows: Tensor | None = None,
        internal: bool = False,
    ) -> None:
        if not internal:
            raise ValueError(
                "RaggedTensor constructor is private; please use one of the factory methods instead (e.g., "
                "RaggedTensor.from_row_lengths())"
            )
        if not isinstance(row_splits, Tensor):
            raise TypeError(f"Row-partitioning argument must be a Tensor, got {row_splits!r}")
        if not isinstance(values, (RaggedLayout, Tensor)):
            raise TypeError(f"values must be a Tensor or RaggedTensor, got {values!r}")
        if row_splits.dtype not in INDEX_TYPES:
            raise ValueError("Row-partitioning argument must be int32 or int64")
        row_splits.shape.assert_has_rank(1)
        values.shape.with_rank_at_least(1)
        row_splits.set_shape([None])
        for cached in (cached_row_lengths, cached_value_rowids, cached_nrows):
            if cached is not None and not isinstance(cached, Tensor):
                raise TypeError("Cached value must be a Tensor or None.")
            if cached is not None and cached.dtype not in INDEX_TYPES:
                raise TypeError("Cached value must be int32 or int64.")
        self._values = values
        self._row_splits = row_splits
        self._cached_row_lengths = cached_row_lengths
        self._cached_value_rowids = cached_value_rowids
        self._cached_nrows = cached_nrows

    @property
    def dtype(self) -> dtypes.DType:
        """The dtype of the values."""
        return self._values.dtype

    @property
    def shape(self) -> TensorShape:
        """The static shape; None for ragged dimensions."""
        splits = self._row_splits.shape.as_list()
        rows = None if splits[0] is None else splits[0] - 1
        return TensorShape([rows, None]).concatenate(self._values.shape[1:])

    @property
    def graph(self) -> Graph:
        """The graph of the splits."""
        return self._row_splits.graph

    @property
    def ragged_rank(self) -> int:
        """The number of ragged dimensions."""
        return 1 + (self._values.ragged_rank if isinstance(self._values, RaggedLayout) else 0)

    @property
    def values(self) -> Any:
        """The rows, one after the other: a Tensor or RaggedTensor."""
        return self._values

    @property
    def row_splits(self) -> Tensor:
        """The splits, a Tensor of int32 or int64, of shape [rows + 1]."""
        return self._row_splits

    @property
    def flat_values(self) -> Tensor:
        """The values below all ragged dimensions, a Tensor."""
        flat: Tensor = self._values.flat_values if isinstance(self._values, RaggedLayout) else self._values
        return flat

    @property
    def nested_row_splits(self) -> tuple[Tensor, ...]:
        """The splits of all ragged dimensions, outermost first."""
        return tuple(level._row_splits for level in self._levels())

    def _levels(self) -> list[RaggedLayout]:
        """Returns the ragged tensors from this one inwards."""
        inner = self._values._levels() if isinstance(self._values, RaggedLayout) else []
        return [self, *inner]

    def value_rowids(self, name: str | None = None) -> Tensor:
        """Returns the row of each value.

        Args:
            name: str, name scope of the operations.

        Returns:
            Tensor of the dtype of `row_splits`, of shape [n].
        """
        if self._cached_value_rowids is not None:
            return self._cached_value_rowids
        with name_scope(name, "RaggedValueRowIds", [self]):
            return row_splits_to_segment_ids(self._row_splits)

    def nested_value_rowids(self, name: str | None = None) -> tuple[Tensor, ...]:
        """Returns the row of each value of all ragged dimensions.

        Args:
            name: str, name scope of the operations.

        Returns:
            tuple of Tensors, outermost dimension first.
        """
        with name_scope(name, "RaggedNestedValueRowIds", [self]):
            return tuple(level.value_rowids() for level in self._levels())

    def nrows(self, out_type: DTypeLike | None = None, name: str | None = None) -> Tensor:
        """Returns the number of rows.

        Args:
            out_type: DType of the result; None for that of `row_splits`.
            name: str, name scope of the operations.

        Returns:
            Tensor of `out_type`, of shape [].
        """
        kind = self._row_splits.dtype if out_type is None else dtypes.as_dtype(out_type)
        if self._cached_nrows is not None:
            return cast(self._cached_nrows, kind)
        with name_scope(name, "RaggedNRows", [self]):
            return shaping.shape(self._row_splits, out_type=kind)[0] - 1

    def row_starts(self, name: str | None = None) -> Tensor:
        """Returns where each row begins in the values.

        Args:
            name: str, name scope of the operations.

        Returns:
            Tensor of the dtype of `row_splits`, of shape [rows].
        """
        with name_scope(name, "RaggedRowStarts", [self]):
            return self._row_splits[:-1]

    def row_limits(self, name: str | None = None) -> Tensor:
        """Returns where each row ends in the values.

        Args:
            name: str, name scope of the operations.

        Returns:
            Tensor of the dtype of `row_splits`, of shape [rows].
        """
        with name_scope(name, "RaggedRowLimits", [self]):
            return self._row_splits[1:]

    def row_lengths(self, axis: int = 1, name: str | None = None) -> Any:
        """Returns the lengths of the rows.

        Args:
            axis: int, the dimension of which to return the lengths.
            name: str, name scope of the operations.

        Returns:
            Tensor of the dtype of `row_splits`, of shape [rows]; for an `axis` above 1 a RaggedTensor of that many
            dimensions.

        Raises:
            ValueError: if `axis` is out of range.
        """
        if self._cached_row_lengths is not None:
            return self._cached_row_lengths
        with name_scope(name, "RaggedRowLengths", [self]):
            axis = get_positive_axis(axis, self.shape.ndims)
            if axis == 0:
                return self.nrows()
            if axis == 1:
                return lengths_of(self._row_splits)
            if isinstance(self._values, RaggedLayout):
                return self.with_values(self._values.row_lengths(axis - 1))
            sizes = shaping.shape(self._values, out_type=self._row_splits.dtype)
            ones = making.ones(sizes[: axis - 1], self._row_splits.dtype)
            return self.with_values(ones * sizes[axis - 1])

    def nested_row_lengths(self, name: str | None = None) -> tuple[Tensor, ...]:
        """Returns the lengths of the rows of all ragged dimensions.

        Args:
            name: str, name scope of the operations.

        Returns:
            tuple of Tensors, outermost dimension first.
        """
        with name_scope(name, "RaggedNestedRowLengths", [self]):
            return tuple(level.row_lengths() for level in self._levels())

    def bounding_shape(self, axis: Any = None, name: str | None = None, out_type: DTypeLike | None = None) -> Tensor:
        """Returns the smallest shape that holds all rows.

        Args:
            axis: int, or Tensor of int32 or int64: the dimensions to return the sizes of; None for all.
            name: str, name scope of the operations.
            out_type: DType of the result, int32 or int64; None for that of `row_splits`.

        Returns:
            Tensor of `out_type`, of shape [rank], or of the shape of `axis`.
        """
        kind = self._row_splits.dtype if out_type is None else dtypes.as_dtype(out_type)
        with name_scope(name, "RaggedBoundingBox", [self, axis]):
            if isinstance(axis, int) and axis == 0:
                return shaping.shape(self._row_splits, out_type=kind)[0] - 1
            if isinstance(axis, int) and axis == 1:
                return _longest(self.row_lengths())
            split_count = shaping.shape(self._row_splits, out_type=kind)
            value_sizes = shaping.shape(self.flat_values, out_type=kind)
            longest = [_longest(lengths_of(splits)) for splits in self.nested_row_splits]
            outer = joining.stack([split_count[0] - 1, *longest])
            sizes = joining.concat([outer, value_sizes[1:]], axis=0)
            return sizes if axis is None else indexing.gather(sizes, axis)

    def with_values(self: _Ragged, new_values: Any) -> _Ragged:
        """Returns the same rows of other values.

        Args:
            new_values: Tensor or RaggedTensor of any dtype, with as many slices as `values`.

        Returns:
            RaggedTensor of the dtype of `new_values`.

        Raises:
            ValueError: if the numbers of slices, or the dtypes of the splits, are known to differ.
        """
        new_values.shape.with_rank_at_least(1)
        self._values.shape[:1].assert_is_compatible_with(new_values.shape[:1])
        if isinstance(new_values, RaggedLayout) and self._row_splits.dtype != new_values.row_splits.dtype:
            raise ValueError(f"self and new_values have {MISMATCHED}")
        return self._like(new_values, lambda x: x)

    def with_flat_values(self: _Ragged, new_values: Any) -> _Ragged:
        """Returns the same rows of other values below all ragged dimensions.

        Args:
            new_values: Tensor or RaggedTensor of any dtype, with as many slices as `flat_values`.

        Returns:
            RaggedTensor of the dtype of `new_values`.

        Raises:
            ValueError: if the numbers of slices are known to differ.
        """
        if isinstance(self._values, RaggedLayout):
            new_values = self._values.with_flat_values(new_values)
        return self.with_values(new_values)

    def with_row_splits_dtype(self: _Ragged, dtype: DTypeLike) -> _Ragged:
        """Returns the same rows with splits of another dtype.

        Args:
            dtype: DType, int32 or int64.

        Returns:
            RaggedTensor; this one if its splits have the dtype.

        Raises:
            ValueError: if `dtype` is not int32 or int64.
        """
        kind = dtypes.as_dtype(dtype)
        if kind not in INDEX_TYPES:
            raise ValueError("dtype must be int32 or int64")
        if self._row_splits.dtype == kind:
            return self
        values = self._values
        if isinstance(values, RaggedLayout):
            values = values.with_row_splits_dtype(kind)
        return self._like(values, lambda x: cast(x, kind))

    def _like(self: _Ragged, values: Any, change: Any) -> _Ragged:
        """Returns rows of `values` whose description is this one's, with each tensor changed."""
        described = (self._row_splits, self._cached_row_lengths, self._cached_value_rowids, self._cached_nrows)
        splits, lengths, rowids, rows = (None if x is None else change(x) for x in described)
        return type(self)(values, splits, lengths, rowids, rows, internal=True)

    def consumers(self) -> list[Operation]:
        """Returns the operations that read the values or the splits.

        Returns:
            list of Operations, each once.
        """
        readers = [op for part in (self.flat_values, *self.nested_row_splits) for op in part.consumers()]
        return list(dict.fromkeys(readers))


def _longest(lengths: Tensor) -> Tensor:
    return arithmetic.maximum(reduction.reduce_max(lengths), 0)
