"""Dense and sparse forms of values, for the encoders and the older feature columns."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import TensorLike
from ferroflow._src.framework.composite import SparseTensor
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array import shaping
from ferroflow._src.ops.array.indexing import gather_nd, where
from ferroflow._src.ops.array.joining import concat
from ferroflow._src.ops.array.making import zeros
from ferroflow._src.ops.math import comparison
from ferroflow._src.ops.math.arithmetic import maximum
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.segment import cumsum, unsorted_segment_max

__all__ = ["dense_to_sparse_tensor", "indicators_to_sparse_ids", "sparse_row_envelope"]


def _ignored(tensor: Tensor, ignore_value: Any) -> Any:
    """Returns which value is left out: the given one, or that of the dtype."""
    if ignore_value is not None:
        return ignore_value
    if tensor.dtype == dtypes.string:
        return ""
    return tensor.dtype.as_numpy_dtype()


def dense_to_sparse_tensor(dense_tensor: TensorLike, ignore_value: Any = None) -> SparseTensor:
    """Returns the elements of a tensor that differ from a value.

    Args:
        dense_tensor: Tensor of any dtype and shape.
        ignore_value: the value that is left out; None for "" or 0.

    Returns:
        SparseTensor of the same dtype and shape.
    """
    with name_scope("DenseToSparseTensor"):
        dense: Tensor = convert_to_tensor(dense_tensor)
        left_out = constant(_ignored(dense, ignore_value), dense.dtype)
        indices = where(comparison.not_equal(dense, left_out), name="indices")
        return SparseTensor(indices, gather_nd(dense, indices, name="values"), shaping.shape(dense, None, dtypes.int64))


def indicators_to_sparse_ids(
    indicators: TensorLike, ignore_value: Any = None, dtype: dtypes.DType = dtypes.int64
) -> SparseTensor:
    """Returns, for each row of indicators, the places of those that are set.

    Args:
        indicators: Tensor of any dtype, of shape [..., classes].
        ignore_value: the value of an indicator that is not set; None for "" or 0.
        dtype: integer dtype of the places.

    Returns:
        SparseTensor of `dtype`, of shape [..., the greatest number of indicators set in a row].

    Raises:
        ValueError: if the rank is 0.
    """
    with name_scope(None, "indicators_to_sparse_ids", (indicators, ignore_value)):
        given: Tensor = convert_to_tensor(indicators, name="indicators")
        given.shape.with_rank_at_least(1)
        left_out = constant(_ignored(given, ignore_value), given.dtype)
        is_set = comparison.not_equal(given, left_out)
        places = where(is_set)
        rows, ids = places[:, :-1], cast(places[:, -1], dtypes.as_dtype(dtype))
        # The n-th indicator that is set in its row goes to column n of the result.
        columns = cumsum(cast(is_set, dtypes.int64), axis=-1, exclusive=True)
        column = gather_nd(columns, places)
        shape = shaping.shape(given, out_type=dtypes.int64)
        counts = shaping.reshape(column + 1, [-1])
        width = maximum(unsorted_segment_max(counts, zeros(shaping.shape(counts), dtypes.int32), 1)[0], 0)
        return SparseTensor(
            indices=concat([rows, shaping.expand_dims(column, -1)], axis=1),
            values=ids,
            dense_shape=concat([shape[:-1], [width]], axis=0),
        )


def sparse_row_envelope(
    sparse_input: SparseTensor, row_axis: int = 0, col_axis: int = 1, name: str | None = None
) -> Tensor:
    """Returns the length of each row: one more than the last column that it has.

    Args:
        sparse_input: SparseTensor of any dtype.
        row_axis: int, the axis of the rows.
        col_axis: int, the axis of the columns.
        name: str, name of the scope.

    Returns:
        Tensor of int32, of shape [rows].
    """
    with name_scope(name, "sparse_row_envelope", [sparse_input]):
        rows = sparse_input.indices[:, row_axis : row_axis + 1]
        ends = sparse_input.indices[:, col_axis] + 1
        number = cast(sparse_input.dense_shape[row_axis], dtypes.int32)
        longest = unsorted_segment_max(ends, shaping.reshape(rows, [-1]), number)
        return cast(maximum(longest, 0), dtypes.int32)
