"""Layers of quantized models, whose tensors are levels between two bounds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, cast

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import DTypeLike, IntsLike, ListLike, TensorLike
from ferroflow._src.framework.apply import apply_op
from ferroflow._src.framework.handles import Tensor


class QuantizedLayer(NamedTuple):
    """Levels, and the numbers that the lowest and the highest of them stand for."""

    output: Tensor
    min_output: Tensor
    max_output: Tensor


class QuantizedJoined(NamedTuple):
    """Joined levels, and the numbers that the lowest and the highest of them stand for."""

    output: Tensor
    output_min: Tensor
    output_max: Tensor


class QuantizedActivations(NamedTuple):
    """Levels of activations, and the numbers that the lowest and the highest of them stand for."""

    activations: Tensor
    min_activations: Tensor
    max_activations: Tensor


def quantized_concat(
    concat_dim: TensorLike,
    values: ListLike,
    input_mins: ListLike,
    input_maxes: ListLike,
    name: str | None = None,
) -> QuantizedJoined:
    """Joins levels along a dimension, in one range that holds those of all inputs.

    Args:
        concat_dim: Tensor of int32, of shape []: the dimension.
        values: list of at least two Tensors of one quantized dtype, whose other dimensions are equal.
        input_mins: list of Tensors of float32, of shape []: the number of each one's lowest level.
        input_maxes: list of Tensors of float32, of shape []: the number of each one's highest level.
        name: str, name of the operation.

    Returns:
        (Tensor of the dtype of `values`, its bounds: two Tensors of float32 of shape []).

    Raises:
        ValueError: if there are fewer than two values, or the shapes do not fit.
    """
    return QuantizedJoined(
        *apply_op("QuantizedConcat", [concat_dim, values, input_mins, input_maxes], {}, name=name).outputs
    )


def quantized_conv2d(
    input: TensorLike,
    filter: TensorLike,
    min_input: TensorLike,
    max_input: TensorLike,
    min_filter: TensorLike,
    max_filter: TensorLike,
    strides: ListLike,
    padding: str,
    out_type: DTypeLike = dtypes.qint32,
    dilations: IntsLike = (1, 1, 1, 1),
    name: str | None = None,
) -> QuantizedLayer:
    """Computes a convolution of levels along two dimensions.

    Args:
        input: Tensor of quint8, of shape [batch, rows, columns, channels].
        filter: Tensor of quint8, of shape [rows, columns, channels, filters].
        min_input: Tensor of float32, of shape []: the number of the lowest level of `input`.
        max_input: Tensor of float32, of shape []: the number of the highest level of `input`.
        min_filter: Tensor of float32, of shape []: the number of the lowest level of `filter`.
        max_filter: Tensor of float32, of shape []: the number of the highest level of `filter`.
        strides: list of four ints, the distances between windows.
        padding: str, "SAME" or "VALID".
        out_type: quantized dtype of the outputs.
        dilations: list of four ints, the distances between a window's points.
        name: str, name of the operation.

    Returns:
        (Tensor of `out_type`, of shape [batch, rows, columns, filters], its bounds: two Tensors of float32 of
        shape []).

    Raises:
        ValueError: if the shapes, `strides` or `padding` are invalid.
    """
    attrs = {
        "strides": strides,
        "padding": padding,
        "out_type": dtypes.as_dtype(out_type),
        "dilations": list(cast("Sequence[int]", dilations)),
    }
    inputs = [input, filter, min_input, max_input, min_filter, max_filter]
    return QuantizedLayer(*apply_op("QuantizedConv2D", inputs, attrs, name=name).outputs)


def _pool(
    op_type: str, input: Any, min_input: Any, max_input: Any, ksize: Any, strides: Any, padding: str, name: str | None
) -> QuantizedLayer:
    attrs = {"ksize": ksize, "strides": strides, "padding": padding}
    return QuantizedLayer(*apply_op(op_type, [input, min_input, max_input], attrs, name=name).outputs)


def quantized_avg_pool(
    input: TensorLike,
    min_input: TensorLike,
    max_input: TensorLike,
    ksize: ListLike,
    strides: ListLike,
    padding: str,
    name: str | None = None,
) -> QuantizedLayer:
    """Computes the mean level of each window.

    Args:
        input: Tensor of a quantized dtype, of shape [batch, rows, columns, channels].
        min_input: Tensor of float32, of shape []: the number of the lowest level.
        max_input: Tensor of float32, of shape []: the number of the highest level.
        ksize: list of four ints, the sizes of windows.
        strides: list of four ints, the distances between windows.
        padding: str, "SAME" or "VALID".
        name: str, name of the operation.

    Returns:
        (Tensor of the dtype of `input`, its bounds: two Tensors of float32 of shape []).

    Raises:
        ValueError: if `ksize`, `strides` or `padding` are invalid.
    """
    return _pool("QuantizedAvgPool", input, min_input, max_input, ksize, strides, padding, name)


def quantized_max_pool(
    input: TensorLike,
    min_input: TensorLike,
    max_input: TensorLike,
    ksize: ListLike,
    strides: ListLike,
    padding: str,
    name: str | None = None,
) -> QuantizedLayer:
    """Computes the largest level of each window.

    Args:
        input: Tensor of a quantized dtype, of shape [batch, rows, columns, channels].
        min_input: Tensor of float32, of shape []: the number of the lowest level.
        max_input: Tensor of float32, of shape []: the number of the highest level.
        ksize: list of four ints, the sizes of windows.
        strides: list of four ints, the distances between windows.
        padding: str, "SAME" or "VALID".
        name: str, name of the operation.

    Returns:
        (Tensor of the dtype of `input`, its bounds: two Tensors of float32 of shape []).

    Raises:
        ValueError: if `ksize`, `strides` or `padding` are invalid.
    """
    return _pool("QuantizedMaxPool", input, min_input, max_input, ksize, strides, padding, name)


def quantized_relu_x(
    features: TensorLike,
    max_value: TensorLike,
    min_features: TensorLike,
    max_features: TensorLike,
    out_type: DTypeLike = dtypes.quint8,
    name: str | None = None,
) -> QuantizedActivations:
    """Returns levels of the numbers moved into the interval from 0 to `max_value`.

    Args:
        features: Tensor of a quantized dtype, of any shape.
        max_value: Tensor of float32, of shape []: the upper bound.
        min_features: Tensor of float32, of shape []: the number of the lowest level.
        max_features: Tensor of float32, of shape []: the number of the highest level.
        out_type: quantized dtype of the outputs.
        name: str, name of the operation.

    Returns:
        (Tensor of `out_type` and the shape of `features`, its bounds: two Tensors of float32 of shape []).
    """
    attrs = {"out_type": dtypes.as_dtype(out_type)}
    made = apply_op("QuantizedReluX", [features, max_value, min_features, max_features], attrs, name=name)
    return QuantizedActivations(*made.outputs)
