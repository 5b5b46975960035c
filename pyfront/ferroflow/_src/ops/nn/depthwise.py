"""Depthwise and separable convolutions."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base.deprecation import deprecated_argument_lookup
from ferroflow._src.base.typing import IntsLike, ListLike, TensorLike
from ferroflow._src.framework.apply import tensor_op
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array import shaping
from ferroflow._src.ops.nn.conv import conv2d, explicit_padding
from ferroflow._src.ops.nn.convolution import with_space_to_batch

_ONES = (1, 1, 1, 1)


def _attrs(strides: Any, padding: Any, data_format: Any, dilations: Any) -> dict[str, Any]:
    padding, explicit = explicit_padding(padding)
    return {
        "strides": [int(s) for s in strides],
        "padding": padding,
        "explicit_paddings": explicit,
        "data_format": data_format or "NHWC",
        "dilations": [int(d) for d in dilations or _ONES],
    }


def depthwise_conv2d_native(
    input: TensorLike,
    filter: TensorLike,
    strides: IntsLike,
    padding: str | ListLike,
    data_format: str | None = "NHWC",
    dilations: IntsLike = _ONES,
    name: str | None = None,
) -> Tensor:
    """Computes a 2-D convolution of each channel by itself.

    Args:
        input: Tensor of float16, bfloat16, float32 or float64, of shape [batch, height, width, in_channels], or [batch,
            in_channels, height, width] if `data_format` is "NCHW".
        filter: Tensor of the dtype of `input`, of shape [height, width, in_channels, channel_multiplier].
        strides: list of 4 ints, the distances between windows, in the order of the dimensions of `input`.
        padding: "SAME", "VALID", or list of 4 pairs of ints: zeros before and after each dimension of `input`.
        data_format: "NHWC" or "NCHW".
        dilations: list of 4 ints, the distances between a window's points.
        name: str, name of the operation.

    Returns:
        Tensor of the dtype of `input`, of shape [batch, out_height, out_width, in_channels * channel_multiplier], or as
        `data_format` says.

    Raises:
        ValueError: if the shapes, strides, dilations or paddings are incompatible.
    """
    attrs = _attrs(strides, padding, data_format, dilations)
    return tensor_op("DepthwiseConv2dNative", [input, filter], attrs, name=name)


def depthwise_conv2d_native_backprop_input(
    input_sizes: TensorLike,
    filter: TensorLike,
    out_backprop: TensorLike,
    strides: IntsLike,
    padding: str | ListLike,
    data_format: str | None = "NHWC",
    dilations: IntsLike = _ONES,
    name: str | None = None,
) -> Tensor:
    """Computes the gradient of `depthwise_conv2d_native` by its input.

    Args:
        input_sizes: Tensor of int32, of shape [4]: the shape of the input.
        filter: Tensor of float16, bfloat16, float32 or float64, of shape [height, width, in_channels,
            channel_multiplier].
        out_backprop: Tensor of the dtype of `filter`, of the shape of the convolution's output: its gradient.
        strides: as for `depthwise_conv2d_native`.
        padding: as for `depthwise_conv2d_native`.
        data_format: "NHWC" or "NCHW".
        dilations: as for `depthwise_conv2d_native`.
        name: str, name of the operation.

    Returns:
        Tensor of the dtype of `filter`, of the shape `input_sizes`.

    Raises:
        ValueError: if the shapes, strides, dilations or paddings are incompatible.
    """
    attrs = _attrs(strides, padding, data_format, dilations)
    return tensor_op("DepthwiseConv2dNativeBackpropInput", [input_sizes, filter, out_backprop], attrs, name=name)


def depthwise_conv2d_native_backprop_filter(
    input: TensorLike,
    filter_sizes: TensorLike,
    out_backprop: TensorLike,
    strides: IntsLike,
    padding: str | ListLike,
    data_format: str | None = "NHWC",
    dilations: IntsLike = _ONES,
    name: str | None = None,
) -> Tensor:
    """Computes the gradient of `depthwise_conv2d_native` by its filter.

    Args:
        input: Tensor of float16, bfloat16, float32 or float64, as for `depthwise_conv2d_native`.
        filter_sizes: Tensor of int32, of shape [4]: the shape of the filter.
        out_backprop: Tensor of the dtype of `input`, of the shape of the convolution's output: its gradient.
        strides: as for `depthwise_conv2d_native`.
        padding: as for `depthwise_conv2d_native`.
        data_format: "NHWC" or "NCHW".
        dilations: as for `depthwise_conv2d_native`.
        name: str, name of the operation.

    Returns:
        Tensor of the dtype of `input`, of the shape `filter_sizes`.

    Raises:
        ValueError: if the shapes, strides, dilations or paddings are incompatible.
    """
    attrs = _attrs(strides, padding, data_format, dilations)
    return tensor_op("DepthwiseConv2dNativeBackpropFilter", [input, filter_sizes, out_backprop], attrs, name=name)


def depthwise_conv2d(
    input: Any,
    filter: Any,
    strides: IntsLike,
    padding: Any,
    rate: Any = None,
    name: str | None = None,
    data_format: str | None = None,
    dilations: IntsLike | None = None,
) -> Tensor:
    """Computes a 2-D convolution of each channel by itself, with strides or with holes.

    Args:
        input: Tensor of float16, bfloat16, float32 or float64, of shape [batch, height, width, in_channels], or [batch,
            in_channels, height, width] if `data_format` is "NCHW".
        filter: Tensor of the dtype of `input`, of shape [height, width, in_channels, channel_multiplier].
        strides: list of 4 ints, the distances between windows, in the order of the dimensions of `input`.
        padding: "SAME" or "VALID".
        rate: list of 2 ints, the distances between a window's points; None for ones.
        name: str, name scope of the operations.
        data_format: "NHWC" or "NCHW".
        dilations: another name of `rate`.

    Returns:
        Tensor of the dtype of `input`, of shape [batch, out_height, out_width, in_channels * channel_multiplier], or as
        `data_format` says.

    Raises:
        ValueError: if the shapes, strides, rates and `padding` are incompatible.
    """
    rate = deprecated_argument_lookup("dilations", dilations, "rate", rate)
    with name_scope(name, "depthwise", [input, filter]) as scope:
        input = convert_to_tensor(input, name="tensor_in")
        filter = convert_to_tensor(filter, name="filter_in")

        def op(converted: Tensor, _: int, padding: str | ListLike) -> Tensor:
            return depthwise_conv2d_native(converted, filter, strides, padding, data_format, name=scope)

        return with_space_to_batch(
            input=input,
            filter_shape=shaping.shape(filter),
            dilation_rate=[1, 1] if rate is None else rate,
            padding=padding,
            data_format=data_format,
            op=op,
        )


def separable_conv2d(
    input: Any,
    depthwise_filter: Any,
    pointwise_filter: TensorLike,
    strides: IntsLike,
    padding: Any,
    rate: Any = None,
    name: str | None = None,
    data_format: str | None = None,
    dilations: IntsLike | None = None,
) -> Tensor:
    """Computes a depthwise convolution, then a 1 x 1 convolution that mixes the channels.

    Args:
        input: Tensor of float16, bfloat16, float32 or float64, of shape [batch, height, width, in_channels], or [batch,
            in_channels, height, width] if `data_format` is "NCHW".
        depthwise_filter: Tensor of the dtype of `input`, of shape [height, width, in_channels, channel_multiplier].
        pointwise_filter: Tensor of the dtype of `input`, of shape [1, 1, in_channels * channel_multiplier,
            out_channels].
        strides: list of 4 ints, those of the depthwise convolution.
        padding: "SAME" or "VALID".
        rate: list of 2 ints, the distances between a window's points of the depthwise convolution; None for ones.
        name: str, name scope of the operations.
        data_format: "NHWC" or "NCHW".
        dilations: another name of `rate`.

    Returns:
        Tensor of the dtype of `input`, of shape [batch, out_height, out_width, out_channels], or as `data_format` says.

    Raises:
        ValueError: if the shapes, strides, rates and `padding` are incompatible.
    """
    rate = deprecated_argument_lookup("dilations", dilations, "rate", rate)
    with name_scope(name, "separable_conv2d", [input, depthwise_filter, pointwise_filter]) as scope:
        input = convert_to_tensor(input, name="tensor_in")
        depthwise_filter = convert_to_tensor(depthwise_filter, name="depthwise_filter")
        pointwise_filter = convert_to_tensor(pointwise_filter, name="pointwise_filter")
        point = pointwise_filter.get_shape().with_rank(4)
        point[0].assert_is_compatible_with(1)
        point[1].assert_is_compatible_with(1)

        def op(converted: Tensor, _: int, padding: str | ListLike) -> Tensor:
            return depthwise_conv2d_native(converted, depthwise_filter, strides, padding, data_format, name="depthwise")

        depthwise = with_space_to_batch(
            input=input,
            filter_shape=shaping.shape(depthwise_filter),
            dilation_rate=[1, 1] if rate is None else rate,
            padding=padding,
            data_format=data_format,
            op=op,
        )
        return conv2d(depthwise, pointwise_filter, [1, 1, 1, 1], "VALID", data_format=data_format, name=scope)
