"""`RowPartitioned`: ragged tensors made of values and any description of their rows."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import DTypeLike, ListLike, TensorLike
from ferroflow._src.framework.constant import constant, constant_value
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Operation, Tensor, known_value
from ferroflow._src.framework.tensor_spec import TensorSpec
from ferroflow._src.ops.array import joining, making, shaping
from ferroflow._src.ops.flow import checking
from ferroflow._src.ops.flow.grouping import with_dependencies
from ferroflow._src.ops.math import reduction, segment
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.ragged.layout import RaggedLayout
from ferroflow._src.ops.ragged.row_splits import INDEX_TYPES, lengths_of, lengths_to_splits

_Ragged = TypeVar("_Ragged", bound="RowPartitioned")


class RowPartitioned(RaggedLayout):
    """The factory methods of `RaggedTensor` that take values and a description of their rows."""

    @classmethod
    def from_value_rowids(
        cls: type[_Ragged],
        values: Any,
        value_rowids: TensorLike,
        nrows: TensorLike | None = None,
        name: str | None = None,
        validate: bool = True,
    ) -> _Ragged:
        """Makes a RaggedTensor of values and the row of each.

        Args:
            values: Tensor or RaggedTensor of any dtype, of shape [n, ...].
            value_rowids: Tensor of int32 or int64, of shape [n], sorted: the row of each value.
            nrows: Tensor of the dtype of `value_rowids`, of shape []; None for the last row that has a value.
            name: str, name scope of the operations.
            validate: bool. If True, a step fails where the arguments do not fit together.

        Returns:
            RaggedTensor with one dimension more than `values`.

        Raises:
            TypeError: if `validate` is not a bool.
            ValueError: if a dtype or rank is wrong, or a value is known to be in a row above `nrows`.
        """
        _check_flag(validate)
        with name_scope(name, "RaggedFromValueRowIds", [values, value_rowids, nrows]):
            values, ids = cls._convert_values_and_partition(values, value_rowids, "value_rowids")
            known_ids = constant_value(ids)
            if nrows is not None:
                rows = convert_to_tensor(nrows, ids.dtype, "nrows")
                _check_rows(constant_value(rows), known_ids)
            elif known_ids is None:
                rows = joining.concat([ids[-1:], [-1]], axis=0)[0] + 1
            else:
                last = known_ids[-1] + 1 if known_ids.size else 0
                rows = convert_to_tensor(last, ids.dtype, name="nrows")
            ids.shape.assert_has_rank(1)
            rows.shape.assert_has_rank(0)
            values.shape[:1].assert_is_compatible_with(ids.shape)
            if validate:
                message = "Arguments to from_value_rowids do not form a valid RaggedTensor"
                value_count, id_count = _nrows(values), _nrows(ids)
                checks = [
                    checking.assert_rank(ids, 1, message=message),
                    checking.assert_rank(rows, 0, message=message),
                    checking.assert_equal(value_count, id_count, message=message),
                    checking.assert_non_negative(ids[:1], message=message),
                    _assert_ascending(ids, message),
                    checking.assert_less(ids[-1:], rows, message=message),
                ]
                ids = _checked(ids, checks, values)
            counted = cast(rows, dtypes.int32)
            lengths = segment.bincount(cast(ids, dtypes.int32), minlength=counted, maxlength=counted, dtype=ids.dtype)
            splits = lengths_to_splits(lengths)
            static_rows = known_value(rows)
            if static_rows is not None:
                lengths.set_shape([int(static_rows)])
                splits.set_shape([int(static_rows) + 1])
            return cls(values, splits, lengths, ids, rows, internal=True)

    @classmethod
    def from_row_splits(
        cls: type[_Ragged], values: Any, row_splits: Any, name: str | None = None, validate: bool = True
    ) -> _Ragged:
        """Makes a RaggedTensor of values and the splits between its rows.

        Args:
            values: Tensor or RaggedTensor of any dtype, of shape [n, ...].
            row_splits: Tensor of int32 or int64, of shape [rows + 1], sorted, from 0 to n.
            name: str, name scope of the operations.
            validate: bool. If True, a step fails where the arguments do not fit together.

        Returns:
            RaggedTensor with one dimension more than `values`.

        Raises:
            TypeError: if `validate` is not a bool.
            ValueError: if `row_splits` is an empty list, or a dtype or rank is wrong.

        Example:
            >>> ragged = tf.RaggedTensor.from_row_splits([3, 1, 4, 1, 5], [0, 4, 4, 5])
            >>> print(sess.run(ragged).to_list())
            [[3, 1, 4, 1], [], [5]]
        """
        _check_flag(validate)
        if isinstance(row_splits, (list, tuple)) and not row_splits:
            raise ValueError("row_splits tensor may not be empty.")
        if isinstance(row_splits, TensorSpec):
            return cls(values, row_splits, internal=True)
        with name_scope(name, "RaggedFromRowSplits", [values, row_splits]):
            values, splits = cls._convert_values_and_partition(values, row_splits, "row_splits")
            splits.shape.assert_has_rank(1)
            if validate:
                message = "Arguments to from_row_splits do not form a valid RaggedTensor"
                count = _nrows(values, splits.dtype)
                checks = [
                    checking.assert_rank(splits, 1, message=message),
                    _assert_zero(splits[0], message),
                    _assert_ascending(splits, message),
                    checking.assert_equal(splits[-1], count, message=message),
                ]
                splits = _checked(splits, checks, values)
            return cls(values, splits, internal=True)

    @classmethod
    def from_row_lengths(
        cls: type[_Ragged], values: Any, row_lengths: TensorLike, name: str | None = None, validate: bool = True
    ) -> _Ragged:
        """Makes a RaggedTensor of values and the lengths of its rows.

        Args:
            values: Tensor or RaggedTensor of any dtype, of shape [n, ...].
            row_lengths: Tensor of int32 or int64, of shape [rows]; the sum is n.
            name: str, name scope of the operations.
            validate: bool. If True, a step fails where the arguments do not fit together.

        Returns:
            RaggedTensor with one dimension more than `values`.

        Raises:
            TypeError: if `validate` is not a bool.
            ValueError: if a dtype or rank is wrong.
        """
        _check_flag(validate)
        with name_scope(name, "RaggedFromRowLengths", [values, row_lengths]):
            values, lengths = cls._convert_values_and_partition(values, row_lengths, "row_lengths")
            lengths.shape.assert_has_rank(1)
            if validate:
                message = "Arguments to from_row_lengths do not form a valid RaggedTensor"
                total, count = reduction.reduce_sum(lengths), _nrows(values, lengths.dtype)
                checks = [
                    checking.assert_rank(lengths, 1, message=message),
                    checking.assert_non_negative(lengths, message=message),
                    checking.assert_equal(total, count, message=message),
                ]
                lengths = _checked(lengths, checks, values)
            splits = lengths_to_splits(lengths)
            return cls(values, splits, lengths, internal=True)

    @classmethod
    def from_row_starts(
        cls: type[_Ragged], values: Any, row_starts: TensorLike, name: str | None = None, validate: bool = True
    ) -> _Ragged:
        """Makes a RaggedTensor of values and the places where its rows begin.

        Args:
            values: Tensor or RaggedTensor of any dtype, of shape [n, ...].
            row_starts: Tensor of int32 or int64, of shape [rows], sorted, from 0.
            name: str, name scope of the operations.
            validate: bool. If True, a step fails where the arguments do not fit together.

        Returns:
            RaggedTensor with one dimension more than `values`.

        Raises:
            TypeError: if `validate` is not a bool.
            ValueError: if a dtype or rank is wrong.
        """
        _check_flag(validate)
        with name_scope(name, "RaggedFromRowStarts", [values, row_starts]):
            values, starts = cls._convert_values_and_partition(values, row_starts, "row_starts")
            starts.shape.assert_has_rank(1)
            count = _nrows(values, starts.dtype)
            if validate:
                message = "Arguments to from_row_starts do not form a valid RaggedTensor"
                checks = [
                    checking.assert_rank(starts, 1, message=message),
                    _assert_zero(starts[:1], message),
                    _assert_ascending(starts, message),
                    checking.assert_less_equal(starts[-1:], count, message=message),
                ]
                starts = _checked(starts, checks, values)
            return cls(values, joining.concat([starts, [count]], axis=0), internal=True)

    @classmethod
    def from_row_limits(
        cls: type[_Ragged], values: Any, row_limits: TensorLike, name: str | None = None, validate: bool = True
    ) -> _Ragged:
        """Makes a RaggedTensor of values and the places where its rows end.

        Args:
            values: Tensor or RaggedTensor of any dtype, of shape [n, ...].
            row_limits: Tensor of int32 or int64, of shape [rows], sorted, up to n.
            name: str, name scope of the operations.
            validate: bool. If True, a step fails where the arguments do not fit together.

        Returns:
            RaggedTensor with one dimension more than `values`.

        Raises:
            TypeError: if `validate` is not a bool.
            ValueError: if a dtype or rank is wrong.
        """
        _check_flag(validate)
        with name_scope(name, "RaggedFromRowLimits", [values, row_limits]):
            values, limits = cls._convert_values_and_partition(values, row_limits, "row_limits")
            limits.shape.assert_has_rank(1)
            if validate:
                message = "Arguments to from_row_limits do not form a valid RaggedTensor"
                count = _nrows(values, limits.dtype)
                checks = [
                    checking.assert_rank(limits, 1, message=message),
                    checking.assert_non_negative(limits[:1], message=message),
                    _assert_ascending(limits, message),
                    checking.assert_equal(limits[-1:], count, message=message),
                ]
                limits = _checked(limits, checks, values)
            splits = joining.concat([making.zeros([1], limits.dtype), limits], axis=0)
            return cls(values, splits, internal=True)

    @classmethod
    def from_nested_value_rowids(
        cls,
        flat_values: Any,
        nested_value_rowids: ListLike,
        nested_nrows: ListLike | None = None,
        name: str | None = None,
        validate: bool = True,
    ) -> Any:
        """Makes a RaggedTensor of values and the rows of each ragged dimension.

        Args:
            flat_values: Tensor of any dtype, of shape [n, ...].
            nested_value_rowids: list of Tensors as for `from_value_rowids`, outermost first.
            nested_nrows: list of as many numbers of rows; None for the last rows that have values.
            name: str, name scope of the operations.
            validate: bool. If True, a step fails where the arguments do not fit together.

        Returns:
            RaggedTensor; `flat_values` if the list is empty.

        Raises:
            TypeError: if a list is a Tensor, or `validate` is not a bool.
            ValueError: if the lists have different lengths.
        """
        _check_list(nested_value_rowids, "nested_value_rowids")
        _check_list(nested_nrows, "nested_nrows")
        rows = [None] * len(nested_value_rowids) if nested_nrows is None else list(nested_nrows)
        if len(rows) != len(nested_value_rowids):
            raise ValueError("nested_nrows must have the same length as nested_value_rowids")
        described = [nested_value_rowids, rows]
        return _nested(cls.from_value_rowids, flat_values, described, "RaggedFromNestedValueRowIds", name, validate)

    @classmethod
    def from_nested_row_splits(
        cls,
        flat_values: Any,
        nested_row_splits: ListLike,
        name: str | None = None,
        validate: bool = True,
    ) -> Any:
        """Makes a RaggedTensor of values and the splits of each ragged dimension.

        Args:
            flat_values: Tensor of any dtype, of shape [n, ...].
            nested_row_splits: list of Tensors as for `from_row_splits`, outermost first.
            name: str, name scope of the operations.
            validate: bool. If True, a step fails where the arguments do not fit together.

        Returns:
            RaggedTensor; `flat_values` if the list is empty.

        Raises:
            TypeError: if the list is a Tensor, or `validate` is not a bool.
        """
        _check_list(nested_row_splits, "nested_row_splits")
        return _nested(
            cls.from_row_splits, flat_values, [nested_row_splits], "RaggedFromNestedRowSplits", name, validate
        )

    @classmethod
    def from_nested_row_lengths(
        cls,
        flat_values: Any,
        nested_row_lengths: ListLike,
        name: str | None = None,
        validate: bool = True,
    ) -> Any:
        """Makes a RaggedTensor of values and the lengths of the rows of each ragged dimension.

        Args:
            flat_values: Tensor of any dtype, of shape [n, ...].
            nested_row_lengths: list of Tensors as for `from_row_lengths`, outermost first.
            name: str, name scope of the operations.
            validate: bool. If True, a step fails where the arguments do not fit together.

        Returns:
            RaggedTensor; `flat_values` if the list is empty.

        Raises:
            TypeError: if the list is a Tensor, or `validate` is not a bool.
        """
        _check_list(nested_row_lengths, "nested_row_lengths")
        return _nested(
            cls.from_row_lengths, flat_values, [nested_row_lengths], "RaggedFromNestedRowlengths", name, validate
        )

    @classmethod
    def _convert_values_and_partition(cls, values: Any, partition: Any, name: str) -> tuple[Any, Tensor]:
        """Returns values and the description of their rows as tensors."""
        if isinstance(values, RaggedLayout):
            inner = values.row_splits.dtype
            if not isinstance(partition, Tensor):
                return values, convert_to_tensor(partition, inner, name=name)
            _check_index_type(partition, name)
            if partition.dtype != inner:
                raise ValueError(f"dtype mismatch: {name} ({partition.dtype}) vs values.row_splits ({inner})")
            return values, partition
        values = convert_to_tensor(values, name="values")
        keeps_type = isinstance(partition, np.ndarray) and partition.dtype == np.int32
        preferred = None if keeps_type else dtypes.int64
        partition = convert_to_tensor(partition, preferred_dtype=preferred, name=name)
        _check_index_type(partition, name)
        return values, partition


def _check_flag(validate: bool) -> None:
    if not isinstance(validate, bool):
        raise TypeError("validate must have type bool")


def _nested(
    make: Callable[..., Any], flat_values: Any, described: Sequence[Any], scope: str, name: str | None, validate: bool
) -> Any:
    """Adds ragged dimensions to values, the innermost one first.

    Args:
        make: factory method that adds one.
        flat_values: Tensor of any dtype, of shape [n, ...].
        described: the method's other arguments: of each, a list for all dimensions, outermost first.
        scope: str, the default of `name`.
        name: str, name scope of the operations.
        validate: bool, as for `make`.
    """
    _check_flag(validate)
    with name_scope(name, scope, [flat_values, *itertools.chain(*described)]):
        made = flat_values
        for parts in reversed(list(zip(*described, strict=True))):
            made = make(made, *parts, validate=validate)
        return made


def _check_list(parts: Any, name: str) -> None:
    if isinstance(parts, Tensor):
        raise TypeError(f"{name} must be a list of Tensors")


def _check_index_type(partition: Tensor, name: str) -> None:
    if partition.dtype not in INDEX_TYPES:
        raise ValueError(f"{name} must have dtype int32 or int64")


def _check_rows(known_rows: Any, known_ids: Any) -> None:
    """Refuses a known number of rows that is negative, or too small for known rows of values."""
    if known_rows is None:
        return
    if known_rows < 0:
        raise ValueError(f"Expected nrows >= 0; got {known_rows}")
    if known_ids is not None and known_ids.size and known_rows < known_ids[-1] + 1:
        raise ValueError(
            f"Expected nrows >= value_rowids[-1] + 1; got nrows={known_rows}, value_rowids[-1]={known_ids[-1]}"
        )


def _checked(partition: Tensor, checks: Sequence[Any], values: Any) -> Tensor:
    """Returns the description of rows behind checks, and behind that of the values' rank."""
    if not isinstance(values, RaggedLayout):
        checks = [*checks, checking.assert_rank_at_least(values, 1)]
    checked: Tensor = with_dependencies(checks, partition)
    return checked


def _assert_ascending(tensor: Tensor, message: str) -> Operation:
    return checking.assert_non_negative(lengths_of(tensor), message=message)


def _assert_zero(tensor: Tensor, message: str) -> Operation:
    return checking.assert_equal(tensor, constant(0, dtype=tensor.dtype), message=message)


def _nrows(tensor: Any, out_type: DTypeLike = dtypes.int32) -> Tensor:
    if isinstance(tensor, RaggedLayout):
        return tensor.nrows(out_type=out_type)
    return shaping.shape(tensor, out_type=out_type)[0]
