"""Histograms."""

from __future__ import annotations

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import DTypeLike, TensorLike
from ferroflow._src.framework.apply import tensor_op
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.tensor import Tensor
from ferroflow._src.ops.array import shaping
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.clipping import clip_by_value


def histogram_fixed_width_bins(
    values: TensorLike,
    value_range: TensorLike,
    nbins: TensorLike = 100,
    dtype: DTypeLike = dtypes.int32,
    name: str | None = None,
) -> Tensor:
    """Computes the number of the equally wide bin that each value is in.

    Args:
        values: Tensor of a real number dtype, of any shape.
        value_range: Tensor of the dtype of `values`, of shape [2]: the ends; values outside go to the first or last
            bin.
        nbins: Tensor of int32, of shape [].
        dtype: accepted and, as in TF 1.x, not used.
        name: str, name scope of the operations.

    Returns:
        Tensor of int32, of the shape of `values`.
    """
    del dtype
    with name_scope(name, "histogram_fixed_width_bins", [values, value_range, nbins]):
        values = convert_to_tensor(values, name="values")
        shape = shaping.shape(values)
        flat = shaping.reshape(values, [-1])
        value_range = convert_to_tensor(value_range, name="value_range")
        nbins = convert_to_tensor(nbins, dtype=dtypes.int32, name="nbins")
        bins_float = cast(nbins, flat.dtype)
        scaled = (flat - value_range[0]) / (value_range[1] - value_range[0])
        positions = tensor_op("Floor", [bins_float * scaled])
        clipped = clip_by_value(positions, 0, bins_float - 1)
        return shaping.reshape(cast(clipped, dtypes.int32), shape)


def histogram_fixed_width(
    values: TensorLike,
    value_range: TensorLike,
    nbins: TensorLike = 100,
    dtype: DTypeLike = dtypes.int32,
    name: str | None = None,
) -> Tensor:
    """Counts the values in each of equally wide bins.

    Args:
        values: Tensor of int32, int64, float32 or float64, of any shape.
        value_range: Tensor of the dtype of `values`, of shape [2]: the ends; values outside go to the first or last
            bin.
        nbins: Tensor of int32, of shape [].
        dtype: DType of the result, int32 or int64.
        name: str, name scope of the operations.

    Returns:
        Tensor of `dtype`, of shape [nbins].

    Raises:
        ValueError: if `nbins` is known and not positive.
        tf.errors.InvalidArgumentError: when the step runs, if the first end of `value_range` is not below the second,
            or if `values` holds NaN.
    """
    with name_scope(name, "histogram_fixed_width", [values, value_range, nbins]) as scope:
        return tensor_op("HistogramFixedWidth", [values, value_range, nbins], {"dtype": dtype}, name=scope)
