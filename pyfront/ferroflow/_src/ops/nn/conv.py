"""Convolutions in one, two and three dimensions, their transposes, and their gradients."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ferroflow._src.base import tensor_shape
from ferroflow._src.base.deprecation import deprecated, deprecated_argument_lookup
from ferroflow._src.base.typing import IntsLike, ListLike, ShapeTensorLike, TensorLike
from ferroflow._src.framework.apply import tensor_op
from ferroflow._src.framework.conversion import convert_shape, convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array import joining, shaping

_ONES_2D = (1, 1, 1, 1)
_ONES_3D = (1, 1, 1, 1, 1)


def full_list(value: IntsLike | None, space: int, channels_first: bool, name: str) -> list[int]:
    """Returns a number for each dimension of a tensor, from one for all of space, for each of space, or for all
    dimensions.

    Args:
        value: int or sequence of 1, `space` or `space + 2` ints; None for ones.
        space: int, the dimensions of space.
        channels_first: bool. If True, the channels are dimension 1.
        name: str, the argument, for the message.

    Returns:
        List of `space + 2` ints.

    Raises:
        ValueError: if there are more or fewer numbers.
    """
    if value is None:
        return [1] * (space + 2)
    numbers = [int(v) for v in np.atleast_1d(np.asarray(value)).tolist()]
    if len(numbers) == space + 2:
        return numbers
    if len(numbers) == 1:
        numbers = numbers * space
    elif len(numbers) != space:
        raise ValueError(f"{name} should be of length 1, {space} or {space + 2} but was {len(numbers)}")
    return [1, 1, *numbers] if channels_first else [1, *numbers, 1]


def explicit_padding(padding: str | ListLike) -> tuple[Any, list[int]]:
    """Returns the attributes `padding` and `explicit_paddings` of an argument.

    Args:
        padding: str, or a list of four pairs of ints.

    Returns:
        `(padding, explicit_paddings)`.

    Raises:
        ValueError: if the list is not a list of four pairs, or the str is "EXPLICIT".
    """
    if isinstance(padding, str) and padding == "EXPLICIT":
        raise ValueError(
            '"EXPLICIT" is not a valid value for the padding parameter. To use explicit padding, the padding parameter '
            "must be a list."
        )
    if not isinstance(padding, list | tuple):
        return padding, []
    numbers: list[int] = []
    for i, pair in enumerate(padding):
        if not isinstance(pair, list | tuple):
            raise ValueError(
                "When padding is a list, each element of padding must be a list/tuple of size 2. "
                f"Element with index {i} of padding is not a list/tuple"
            )
        if len(pair) != 2:
            raise ValueError(
                "When padding is a list, each element of padding must be a list/tuple of size 2. "
                f"Element with index {i} of padding has size {len(pair)}"
            )
        numbers.extend(pair)
    if len(padding) != 4:
        raise ValueError(f"When padding is a list, it must be of size 4. Got padding of size: {len(padding)}")
    return "EXPLICIT", numbers


def _attrs_2d(strides: Any, padding: Any, use_cudnn_on_gpu: Any, data_format: Any, dilations: Any) -> dict[str, Any]:
    data_format = data_format or "NHWC"
    first = isinstance(data_format, str) and data_format.startswith("NC")
    padding, explicit = explicit_padding(padding)
    attrs = {
        "strides": full_list(strides, 2, first, "strides"),
        "padding": padding,
        "explicit_paddings": explicit,
        "data_format": data_format,
        "dilations": full_list(dilations, 2, first, "dilations"),
    }
    if use_cudnn_on_gpu is not None:
        attrs["use_cudnn_on_gpu"] = use_cudnn_on_gpu
    return attrs


def _attrs_3d(strides: Any, padding: Any, data_format: Any, dilations: Any) -> dict[str, Any]:
    data_format = data_format or "NDHWC"
    first = isinstance(data_format, str) and data_format.startswith("NC")
    return {
        "strides": full_list(strides, 3, first, "strides"),
        "padding": padding,
        "data_format": data_format,
        "dilations": full_list(dilations, 3, first, "dilations"),
    }


def conv2d(
    input: TensorLike,
    filter: TensorLike | None = None,
    strides: IntsLike | None = None,
    padding: str | ListLike | None = None,
    use_cudnn_on_gpu: bool | None = True,
    data_format: str | None = "NHWC",
    dilations: IntsLike = _ONES_2D,
    name: str | None = None,
    filters: TensorLike | None = None,
) -> Tensor:
    """Computes a 2-D convolution: for each window, the sum of the input times the filter.

    Args:
        input: Tensor of float16, bfloat16, float32, float64 or int32, of shape [batch, height, width, in_channels], or
            [batch,
            in_channels, height, width] if `data_format` is "NCHW".
        filter: Tensor of the dtype of `input`, of shape [height, width, in_channels, out_channels].
        strides: list of 4 ints, the distances between windows, in the order of the dimensions of `input`; or 1 or 2
            ints for space.
        padding: "SAME", "VALID", or list of 4 pairs of ints: zeros before and after each dimension of `input`.
        use_cudnn_on_gpu: bool, accepted for compatibility.
        data_format: "NHWC" or "NCHW".
        dilations: list of 4 ints, the distances between a window's points; or 1 or 2 ints for space.
        name: str, name of the operation.
        filters: another name of `filter`.

    Returns:
        Tensor of the dtype of `input`, of shape [batch, out_height, out_width, out_channels], or as `data_format` says.

    Raises:
        ValueError: if the shapes, strides, dilations or paddings are incompatible.

    Example:
        >>> image = tf.reshape(tf.range(9.0), [1, 3, 3, 1])
        >>> kernel = tf.ones([2, 2, 1, 1])
        >>> sums = tf.nn.conv2d(image, kernel, strides=[1, 1, 1, 1], padding="VALID")
        >>> print(sess.run(sums)[0, :, :, 0])
        [[ 8. 12.]
         [20. 24.]]
    """
    filter = deprecated_argument_lookup("filters", filters, "filter", filter)
    attrs = _attrs_2d(strides, padding, use_cudnn_on_gpu, data_format, dilations)
    return tensor_op("Conv2D", [input, filter], attrs, name=name)


def conv2d_backprop_input(
    input_sizes: TensorLike,
    filter: TensorLike | None = None,
    out_backprop: TensorLike | None = None,
    strides: IntsLike | None = None,
    padding: str | ListLike | None = None,
    use_cudnn_on_gpu: bool | None = True,
    data_format: str | None = "NHWC",
    dilations: IntsLike | None = _ONES_2D,
    name: str | None = None,
    filters: TensorLike | None = None,
) -> Tensor:
    """Computes the gradient of `conv2d` by its input.

    Args:
        input_sizes: Tensor of int32, of shape [4]: the shape of the input.
        filter: Tensor of float16, bfloat16, float32 or float64, of shape [height, width, in_channels, out_channels].
        out_backprop: Tensor of the dtype of `filter`, of the shape of the convolution's output: its gradient.
        strides: as for `conv2d`.
        padding: as for `conv2d`.
        use_cudnn_on_gpu: bool, accepted for compatibility.
        data_format: "NHWC" or "NCHW".
        dilations: as for `conv2d`.
        name: str, name of the operation.
        filters: another name of `filter`.

    Returns:
        Tensor of the dtype of `filter`, of the shape `input_sizes`.

    Raises:
        ValueError: if the shapes, strides, dilations or paddings are incompatible.
    """
    filter = deprecated_argument_lookup("filters", filters, "filter", filter)
    attrs = _attrs_2d(strides, padding, use_cudnn_on_gpu, data_format, dilations)
    return tensor_op("Conv2DBackpropInput", [input_sizes, filter, out_backprop], attrs, name=name)


def conv2d_backprop_filter(
    input: TensorLike,
    filter_sizes: TensorLike,
    out_backprop: TensorLike,
    strides: IntsLike,
    padding: str | ListLike,
    use_cudnn_on_gpu: bool | None = True,
    data_format: str | None = "NHWC",
    dilations: IntsLike = _ONES_2D,
    name: str | None = None,
) -> Tensor:
    """Computes the gradient of `conv2d` by its filter.

    Args:
        input: Tensor of float16, bfloat16, float32 or float64, as for `conv2d`.
        filter_sizes: Tensor of int32, of shape [4]: the shape of the filter.
        out_backprop: Tensor of the dtype of `input`, of the shape of the convolution's output: its gradient.
        strides: as for `conv2d`.
        padding: as for `conv2d`.
        use_cudnn_on_gpu: bool, accepted for compatibility.
        data_format: "NHWC" or "NCHW".
        dilations: as for `conv2d`.
        name: str, name of the operation.

    Returns:
        Tensor of the dtype of `input`, of the shape `filter_sizes`.

    Raises:
        ValueError: if the shapes, strides, dilations or paddings are incompatible.
    """
    attrs = _attrs_2d(strides, padding, use_cudnn_on_gpu, data_format, dilations)
    return tensor_op("Conv2DBackpropFilter", [input, filter_sizes, out_backprop], attrs, name=name)


def conv3d(
    input: TensorLike,
    filter: TensorLike | None = None,
    strides: IntsLike | None = None,
    padding: str | ListLike | None = None,
    data_format: str | None = "NDHWC",
    dilations: IntsLike = _ONES_3D,
    name: str | None = None,
    filters: TensorLike | None = None,
) -> Tensor:
    """Computes a 3-D convolution: for each window, the sum of the input times the filter.

    Args:
        input: Tensor of float16, bfloat16, float32 or float64, of shape [batch, depth, height, width, in_channels], or
            [batch,
            in_channels, depth, height, width] if `data_format` is "NCDHW".
        filter: Tensor of the dtype of `input`, of shape [depth, height, width, in_channels, out_channels].
        strides: list of 5 ints, the distances between windows, in the order of the dimensions of `input`; or 1 or 3
            ints for space.
        padding: "SAME" or "VALID".
        data_format: "NDHWC" or "NCDHW".
        dilations: list of 5 ints, the distances between a window's points; or 1 or 3 ints for space.
        name: str, name of the operation.
        filters: another name of `filter`.

    Returns:
        Tensor of the dtype of `input`, of shape [batch, out_depth, out_height, out_width, out_channels], or as
        `data_format` says.

    Raises:
        ValueError: if the shapes, strides or dilations are incompatible.
    """
    filter = deprecated_argument_lookup("filters", filters, "filter", filter)
    return tensor_op("Conv3D", [input, filter], _attrs_3d(strides, padding, data_format, dilations), name=name)


def conv3d_backprop_input_v2(
    input_sizes: TensorLike,
    filter: TensorLike,
    out_backprop: TensorLike,
    strides: IntsLike,
    padding: str | ListLike,
    data_format: str | None = "NDHWC",
    dilations: IntsLike = _ONES_3D,
    name: str | None = None,
) -> Tensor:
    """Computes the gradient of `conv3d` by its input.

    Args:
        input_sizes: Tensor of int32 or int64, of shape [5]: the shape of the input.
        filter: Tensor of float16, bfloat16, float32 or float64, of shape [depth, height, width, in_channels,
            out_channels].
        out_backprop: Tensor of the dtype of `filter`, of the shape of the convolution's output: its gradient.
        strides: as for `conv3d`.
        padding: "SAME" or "VALID".
        data_format: "NDHWC" or "NCDHW".
        dilations: as for `conv3d`.
        name: str, name of the operation.

    Returns:
        Tensor of the dtype of `filter`, of the shape `input_sizes`.

    Raises:
        ValueError: if the shapes, strides or dilations are incompatible.
    """
    attrs = _attrs_3d(strides, padding, data_format, dilations)
    return tensor_op("Conv3DBackpropInputV2", [input_sizes, filter, out_backprop], attrs, name=name)


def conv3d_backprop_filter_v2(
    input: TensorLike,
    filter_sizes: TensorLike,
    out_backprop: TensorLike,
    strides: IntsLike,
    padding: str | ListLike,
    data_format: str | None = "NDHWC",
    dilations: IntsLike = _ONES_3D,
    name: str | None = None,
) -> Tensor:
    """Computes the gradient of `conv3d` by its filter.

    Args:
        input: Tensor of float16, bfloat16, float32 or float64, as for `conv3d`.
        filter_sizes: Tensor of int32, of shape [5]: the shape of the filter.
        out_backprop: Tensor of the dtype of `input`, of the shape of the convolution's output: its gradient.
        strides: as for `conv3d`.
        padding: "SAME" or "VALID".
        data_format: "NDHWC" or "NCDHW".
        dilations: as for `conv3d`.
        name: str, name of the operation.

    Returns:
        Tensor of the dtype of `input`, of the shape `filter_sizes`.

    Raises:
        ValueError: if the shapes, strides or dilations are incompatible.
    """
    attrs = _attrs_3d(strides, padding, data_format, dilations)
    return tensor_op("Conv3DBackpropFilterV2", [input, filter_sizes, out_backprop], attrs, name=name)


# TF 1.13 and later name it without the version.
conv3d_backprop_filter = conv3d_backprop_filter_v2


def conv1d(
    value: TensorLike | None = None,
    filters: TensorLike | None = None,
    stride: IntsLike | None = None,
    padding: str | ListLike | None = None,
    use_cudnn_on_gpu: bool | None = None,
    data_format: str | None = None,
    name: str | None = None,
    input: TensorLike | None = None,
    dilations: IntsLike | None = None,
) -> Tensor:
    """Computes a 1-D convolution, as `conv2d` of images of height one.

    Args:
        value: Tensor of float16, bfloat16, float32 or float64, of shape [batch, width, in_channels], or [batch,
            in_channels,
            width] if `data_format` is "NCW".
        filters: Tensor of the dtype of `value`, of shape [width, in_channels, out_channels].
        stride: int, or list of 1 or 3 ints: the distance of windows.
        padding: "SAME" or "VALID".
        use_cudnn_on_gpu: bool, accepted for compatibility.
        data_format: "NWC" (or None, or "NHWC"), or "NCW" (or "NCHW").
        name: str, name scope of the operations.
        input: another name of `value`.
        dilations: int, or list of 1 or 3 ints: the distance of the points of a window.

    Returns:
        Tensor of the dtype of `value`, of shape [batch, out_width, out_channels], or as `data_format` says.

    Raises:
        ValueError: if `data_format` is not one of the listed values, or the shapes are incompatible.
    """
    value = deprecated_argument_lookup("input", input, "value", value)
    with name_scope(name, "conv1d", [value, filters]) as scope:
        if data_format in (None, "NHWC", "NWC"):
            data_format, axis = "NHWC", 1
        elif data_format in ("NCHW", "NCW"):
            data_format, axis = "NCHW", 2
        else:
            raise ValueError('data_format must be "NWC" or "NCW".')
        strides = _with_height(full_list(stride, 1, axis == 2, "stride"), axis)
        dilated = _with_height(full_list(dilations, 1, axis == 2, "dilations"), axis)
        value = shaping.expand_dims(value, axis)
        kernel: Any = filters
        filters = shaping.expand_dims(kernel, 0)
        result = conv2d(value, filters, strides, padding, use_cudnn_on_gpu, data_format, dilated, name=scope)
        return shaping.squeeze(result, [axis])


def _with_height(numbers: list[int], axis: int) -> list[int]:
    return [*numbers[:axis], 1, *numbers[axis:]]


def _check_channels(value: Tensor, axis: int, filter: Tensor, dimension: int) -> None:
    if not value.get_shape()[axis].is_compatible_with(filter.get_shape()[dimension]):
        raise ValueError(
            "input channels does not match filter's input channels, "
            f"{value.get_shape()[axis]} != {filter.get_shape()[dimension]}"
        )


def _check_output_shape(output_shape: Any, tensor: Tensor, axis: int, filter: Tensor, rank: int) -> None:
    if not tensor.get_shape().is_compatible_with(tensor_shape.vector(rank)):
        raise ValueError(f"output_shape must have shape ({rank},), got {tensor.get_shape()}")
    known = isinstance(output_shape, list | np.ndarray)
    if known and not filter.get_shape()[rank - 2].is_compatible_with(output_shape[axis]):
        raise ValueError(
            "output_shape does not match filter's output channels, "
            f"{output_shape[axis]} != {filter.get_shape()[rank - 2]}"
        )


def _check_padding(padding: Any) -> None:
    if not isinstance(padding, list | tuple) and padding not in ("VALID", "SAME"):
        raise ValueError(f"padding must be either VALID or SAME: {padding}")


def conv2d_transpose(
    value: TensorLike | None = None,
    filter: TensorLike | None = None,
    output_shape: TensorLike = None,  # type: ignore[assignment]  # the call fails without it
    strides: IntsLike | None = None,
    padding: str | ListLike = "SAME",
    data_format: str | None = "NHWC",
    name: str | None = None,
    input: TensorLike | None = None,
    filters: TensorLike | None = None,
    dilations: IntsLike | None = None,
) -> Tensor:
    """Computes the transpose of `conv2d`, which is its gradient with respect to the input.

    Args:
        value: Tensor of float16, bfloat16, float32 or float64, of shape [batch, height, width, in_channels], or [batch,
            in_channels, height, width] if `data_format` is "NCHW".
        filter: Tensor of the dtype of `value`, of shape [height, width, out_channels, in_channels].
        output_shape: Tensor of int32, of shape [4]: the shape of the result.
        strides: list of 4 ints, in the order of the dimensions of `value`; or 1 or 2 ints for space.
        padding: "SAME", "VALID", or list of 4 pairs of ints.
        data_format: "NHWC" or "NCHW".
        name: str, name of the operation.
        input: another name of `value`.
        filters: another name of `filter`.
        dilations: list of 4 ints; or 1 or 2 ints for space; None for ones.

    Returns:
        Tensor of the dtype of `value`, of shape `output_shape`.

    Raises:
        ValueError: if the shapes are incompatible, or `padding` or `data_format` is not one of the listed values.

    Example:
        >>> small = tf.ones([1, 2, 2, 1])
        >>> kernel = tf.ones([2, 2, 1, 1])
        >>> large = tf.nn.conv2d_transpose(small, kernel, output_shape=[1, 4, 4, 1], strides=[1, 2, 2, 1])
        >>> print(sess.run(large)[0, :, :, 0])
        [[1. 1. 1. 1.]
         [1. 1. 1. 1.]
         [1. 1. 1. 1.]
         [1. 1. 1. 1.]]
    """
    value = deprecated_argument_lookup("input", input, "value", value)
    filter = deprecated_argument_lookup("filters", filters, "filter", filter)
    with name_scope(name, "conv2d_transpose", [value, filter, output_shape]) as scope:
        data_format = data_format or "NHWC"
        if data_format not in ("NCHW", "NHWC"):
            raise ValueError("data_format has to be either NCHW or NHWC.")
        value = convert_to_tensor(value, name="value")
        filter = convert_to_tensor(filter, name="filter")
        axis = 3 if data_format == "NHWC" else 1
        _check_channels(value, axis, filter, 3)
        sizes = convert_shape(output_shape, name="output_shape")
        _check_output_shape(output_shape, sizes, axis, filter, 4)
        _check_padding(padding)
        return conv2d_backprop_input(
            sizes, filter, value, strides, padding, data_format=data_format, dilations=dilations, name=scope
        )


@deprecated("tf.nn.conv2d_transpose", "tf.nn.deconv2d")
def deconv2d(
    value: TensorLike,
    filter: TensorLike,
    output_shape: ShapeTensorLike,
    strides: IntsLike,
    padding: str | ListLike = "SAME",
    name: str | None = None,
) -> Tensor:
    """Computes `conv2d_transpose`.

    Args:
        value: as for `conv2d_transpose`.
        filter: as for `conv2d_transpose`.
        output_shape: as for `conv2d_transpose`.
        strides: as for `conv2d_transpose`.
        padding: as for `conv2d_transpose`.
        name: str, name of the operation.

    Returns:
        Tensor of the dtype of `value`, of shape `output_shape`.

    Raises:
        ValueError: on the same conditions as `conv2d_transpose`.
    """
    return conv2d_transpose(value, filter, output_shape, strides, padding, name=name)


def conv3d_transpose(
    value: Any = None,
    filter: Any = None,
    output_shape: Any = None,
    strides: Any = None,
    padding: Any = "SAME",
    data_format: str | None = "NDHWC",
    name: str | None = None,
    input: TensorLike | None = None,
    filters: TensorLike | None = None,
    dilations: Any = None,
) -> Tensor:
    """Computes the transpose of `conv3d`, which is its gradient by the input.

    Args:
        value: Tensor of float16, bfloat16, float32 or float64, of shape [batch, depth, height, width, in_channels], or
            [batch,
            in_channels, depth, height, width] if `data_format` is "NCDHW".
        filter: Tensor of the dtype of `value`, of shape [depth, height, width, out_channels, in_channels].
        output_shape: Tensor of int32 or int64, of shape [5]: the shape of the result.
        strides: list of 5 ints, in the order of the dimensions of `value`; or 1 or 3 ints for space.
        padding: "SAME" or "VALID".
        data_format: "NDHWC" or "NCDHW".
        name: str, name of the operation.
        input: another name of `value`.
        filters: another name of `filter`.
        dilations: list of 5 ints; or 1 or 3 ints for space; None for ones.

    Returns:
        Tensor of the dtype of `value`, of shape `output_shape`.

    Raises:
        ValueError: if the shapes are incompatible, or `padding` is not one of the listed values.
    """
    value = deprecated_argument_lookup("input", input, "value", value)
    filter = deprecated_argument_lookup("filters", filters, "filter", filter)
    with name_scope(name, "conv3d_transpose", [value, filter, output_shape]) as scope:
        value = convert_to_tensor(value, name="value")
        filter = convert_to_tensor(filter, name="filter")
        axis = 1 if data_format == "NCDHW" else 4
        _check_channels(value, axis, filter, 4)
        sizes = convert_shape(output_shape, name="output_shape")
        _check_output_shape(output_shape, sizes, axis, filter, 5)
        _check_padding(padding)
        return conv3d_backprop_input_v2(sizes, filter, value, strides, padding, data_format, dilations, name=scope)


def conv1d_transpose(
    input: TensorLike,
    filters: TensorLike,
    output_shape: ShapeTensorLike,
    strides: IntsLike,
    padding: str = "SAME",
    data_format: str | None = "NWC",
    dilations: IntsLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Computes the transpose of `conv1d`, as `conv2d_transpose` of images of height one.

    Args:
        input: Tensor of float16, bfloat16, float32 or float64, of shape [batch, width, in_channels], or [batch,
            in_channels,
            width] if `data_format` is "NCW".
        filters: Tensor of the dtype of `input`, of shape [width, out_channels, in_channels].
        output_shape: Tensor of int32, of shape [3]: the shape of the result.
        strides: int, or list of 1 or 3 ints: the distance of windows.
        padding: "SAME" or "VALID".
        data_format: "NWC" or "NCW".
        dilations: int, or list of 1 or 3 ints.
        name: str, name scope of the operations.

    Returns:
        Tensor of the dtype of `input`, of shape `output_shape`.

    Raises:
        ValueError: if the shapes are incompatible, or `padding` or `data_format` is not one of the listed values.
    """
    with name_scope(name, "conv1d_transpose", [input, filters, output_shape]) as scope:
        if data_format not in (None, "NWC", "NCW"):
            raise ValueError('data_format must be "NWC" or "NCW".')
        axis = 2 if data_format == "NCW" else 1
        input = convert_to_tensor(input, name="value")
        filters = convert_to_tensor(filters, name="filter")
        sizes = convert_shape(output_shape, name="output_shape")
        channels = 1 if axis == 2 else 2
        _check_channels(input, channels, filters, 2)
        _check_output_shape(output_shape, sizes, channels, filters, 3)
        _check_padding(padding)
        sizes = joining.concat([sizes[:axis], [1], sizes[axis:]], 0)
        result = conv2d_backprop_input(
            sizes,
            shaping.expand_dims(filters, 0),
            shaping.expand_dims(input, axis),
            _with_height(full_list(strides, 1, axis == 2, "strides"), axis),
            padding,
            data_format="NCHW" if axis == 2 else "NHWC",
            dilations=_with_height(full_list(dilations, 1, axis == 2, "dilations"), axis),
            name=scope,
        )
        return shaping.squeeze(result, [axis])


def atrous_conv2d_transpose(
    value: TensorLike, filters: TensorLike, output_shape: Any, rate: int, padding: str, name: str | None = None
) -> Tensor:
    """Computes the transpose of `atrous_conv2d`.

    Args:
        value: Tensor of float16, bfloat16, float32 or float64, of shape [batch, height, width, in_channels].
        filters: Tensor of the dtype of `value`, of shape [height, width, out_channels, in_channels].
        output_shape: Tensor of int32, of shape [4]: the shape of the result.
        rate: int, the distance of the points of a window.
        padding: "SAME" or "VALID".
        name: str, name scope of the operations.

    Returns:
        Tensor of the dtype of `value`, of shape `output_shape`.

    Raises:
        ValueError: if the shapes are incompatible, `padding` is not one of the listed values, or `rate` is less than 1.
    """
    with name_scope(name, "atrous_conv2d_transpose", [value, filters, output_shape]):
        value = convert_to_tensor(value, name="value")
        filters = convert_to_tensor(filters, name="filters")
        if not value.get_shape()[3].is_compatible_with(filters.get_shape()[3]):
            raise ValueError(
                "value's input channels does not match filters' input channels, "
                f"{value.get_shape()[3]} != {filters.get_shape()[3]}"
            )
        if rate < 1:
            raise ValueError(f"rate {rate} cannot be less than one")
        if rate == 1:
            return conv2d_transpose(value, filters, output_shape, [1, 1, 1, 1], padding)
        sizes = convert_shape(output_shape, name="output_shape")
        _check_output_shape(output_shape, sizes, 3, filters, 4)
        around = _paddings_around(filters, rate, padding)
        space = [output_shape[i + 1] + before + after for i, (before, after) in enumerate(around)]
        more = [(rate - size % rate) % rate for size in space]
        blocks = shaping.space_to_batch(value, [[0, more[0]], [0, more[1]]], rate)
        input_sizes = [
            rate * rate * output_shape[0],
            (space[0] + more[0]) // rate,
            (space[1] + more[1]) // rate,
            output_shape[3],
        ]
        result = conv2d_backprop_input(input_sizes, filters, blocks, [1, 1, 1, 1], "VALID")
        crops = [[before, after + extra] for (before, after), extra in zip(around, more, strict=True)]
        return shaping.batch_to_space(result, crops, rate)


def _paddings_around(filters: Tensor, rate: int, padding: str) -> list[tuple[Any, Any]]:
    """Returns zeros before and after height and width."""
    if padding == "VALID":
        return [(0, 0), (0, 0)]
    if padding != "SAME":
        raise ValueError(f"padding must be either VALID or SAME: {padding}")
    static = filters.get_shape()
    sizes: Sequence[Any] | Tensor = static.as_list() if static.is_fully_defined() else shaping.shape(filters)
    reach = [(sizes[i] - 1) * rate for i in range(2)]
    return [(total // 2, total - total // 2) for total in reach]
