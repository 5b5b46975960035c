"""`fused_conv2d_bias_activation`, as a graph of other operations."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base.typing import IntsLike, TensorLike
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.ops.array import shaping
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.nn.activation import bias_add, relu
from ferroflow._src.ops.nn.conv import conv2d

__all__ = ["fused_conv2d_bias_activation"]


def fused_conv2d_bias_activation(
    conv_input: TensorLike,
    filter: TensorLike,
    bias: TensorLike,
    strides: IntsLike | None = None,
    padding: str | None = None,
    conv_input_scale: Any = 1.0,
    side_input_scale: Any = 0.0,
    side_input: Any = None,
    activation_mode: str = "Relu",
    data_format: str | None = None,
    filter_format: str | None = None,
    name: str | None = None,
) -> Any:
    """Computes `relu(conv_input_scale * conv2d(conv_input, filter) + side_input_scale * side_input + bias)`.

    Args:
        conv_input: Tensor of float16 or float32, of shape [batch, height, width, in_channels], or as `data_format`
            says.
        filter: Tensor of that dtype, of shape [height, width, in_channels, out_channels], or as `filter_format` says.
        bias: Tensor of float16 or float32, of shape [out_channels].
        strides: list of 4 ints, in the order of the dimensions of `conv_input`; None for 1.
        padding: "SAME" or "VALID".
        conv_input_scale: float or scalar Tensor of float32, the factor of the convolution.
        side_input_scale: float or scalar Tensor of float32, the factor of `side_input`.
        side_input: Tensor of the dtype and shape of the result; None or [] to leave it out.
        activation_mode: "Relu".
        data_format: "NHWC" or "NCHW"; None for "NHWC".
        filter_format: "HWIO" or "OIHW"; None for "HWIO".
        name: str, name scope of the operations.

    Returns:
        Tensor of the dtype of `conv_input`, of shape [batch, out_height, out_width, out_channels], or as `data_format`
        says.

    Raises:
        ValueError: if an option has another value, or shapes do not match.
        NotImplementedError: if a format is one of integers ("NCHW_VECT_C", "OIHW_VECT_I"), which need a GPU.
    """
    data_format, filter_format = data_format or "NHWC", filter_format or "HWIO"
    if data_format == "NCHW_VECT_C" or filter_format == "OIHW_VECT_I":
        raise NotImplementedError("The formats NCHW_VECT_C and OIHW_VECT_I need a GPU; use NHWC or NCHW, and floats.")
    for option, value, known in (
        ("activation_mode", activation_mode, ("Relu",)),
        ("data_format", data_format, ("NHWC", "NCHW")),
        ("filter_format", filter_format, ("HWIO", "OIHW")),
    ):
        if value not in known:
            raise ValueError(f"{option} must be one of {', '.join(known)}, got {value!r}")
    with name_scope(name, "FusedConv2DBiasActivation", [conv_input, filter, bias]) as scope:
        images, weights, offsets = (convert_to_tensor(each) for each in (conv_input, filter, bias))
        if filter_format == "OIHW":
            weights = shaping.transpose(weights, [2, 3, 1, 0])
        offsets.shape.assert_has_rank(1)
        result = _scaled(
            conv2d(images, weights, strides or [1, 1, 1, 1], padding, data_format=data_format), conv_input_scale
        )
        if not _is_left_out(side_input):
            side = convert_to_tensor(side_input, images.dtype)
            side.shape.assert_is_compatible_with(result.shape)
            result += _scaled(side, side_input_scale)
        return relu(bias_add(result, cast(offsets, images.dtype), data_format=data_format), name=scope)


def _scaled(tensor: Any, factor: Any) -> Any:
    return tensor * cast(convert_to_tensor(factor, "float32"), tensor.dtype)


def _is_left_out(side_input: Any) -> bool:
    return side_input is None or (isinstance(side_input, (list, tuple)) and not side_input)
