"""Keras's backend functions of volumes, and the convolution that enlarges images."""

from __future__ import annotations

from typing import Any, cast

from ferroflow._src.base.typing import IntsLike
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.keras.backend_nn import op_format_of, op_padding_of, with_batch
from ferroflow._src.keras.settings import data_format_of
from ferroflow._src.layers.transposed_convolution import transposed_images
from ferroflow._src.ops.array import joining, shaping
from ferroflow._src.ops.nn import conv, pooling


def conv2d_transpose(
    x: Any,
    kernel: Any,
    output_shape: Any,
    strides: IntsLike = (1, 1),
    padding: str = "valid",
    data_format: str | None = None,
    dilation_rate: IntsLike = (1, 1),
) -> Tensor:
    """Returns the transpose of a convolution along two dimensions, which enlarges images.

    Args:
        x: Tensor of a float dtype, of shape [batch, rows, columns, channels].
        kernel: Tensor of that dtype, of shape [rows, columns, filters, channels].
        output_shape: list of four ints or Tensors, the outputs' shape with the batch; None for the batch of `x`.
        strides: pair of ints, how many times larger the outputs are.
        padding: str, "same" or "valid".
        data_format: str, "channels_last" or "channels_first"; None for `image_data_format()`.
        dilation_rate: int, or pair of equal ints, the distances between a window's points.

    Returns:
        Tensor of the dtype of `x`, of shape `output_shape`.

    Raises:
        ValueError: if `data_format` is not one of the listed values, or the distances of rows and columns differ.
    """
    op_format = op_format_of(data_format, 4)
    if isinstance(output_shape, (list, tuple)):
        sizes = [shaping.shape(x)[0] if output_shape[0] is None else output_shape[0], *output_shape[1:]]
        output_shape = joining.stack(sizes)
    rates = [dilation_rate] * 2 if isinstance(dilation_rate, int) else list(cast("Any", dilation_rate))
    distances = with_batch(strides, op_format)
    result: Tensor = transposed_images(x, kernel, output_shape, distances, op_padding_of(padding), op_format, rates)
    return result


def conv3d(
    x: Any,
    kernel: Any,
    strides: IntsLike = (1, 1, 1),
    padding: str = "valid",
    data_format: str | None = None,
    dilation_rate: IntsLike = (1, 1, 1),
) -> Tensor:
    """Returns a convolution along three dimensions.

    Args:
        x: Tensor of a float dtype, of shape [batch, depth, rows, columns, channels].
        kernel: Tensor of that dtype, of shape [depth, rows, columns, channels, filters].
        strides: list of three ints, the distances between windows.
        padding: str, "same" or "valid".
        data_format: str, "channels_last" or "channels_first"; None for `image_data_format()`.
        dilation_rate: list of three ints, the distances between a window's points.

    Returns:
        Tensor of the dtype of `x`, of shape [batch, depth, rows, columns, filters].

    Raises:
        ValueError: if `data_format` is not one of the listed values.
    """
    op_format = op_format_of(data_format, 5)
    return conv.conv3d(
        x,
        kernel,
        strides=with_batch(strides, op_format),
        padding=op_padding_of(padding),
        data_format=op_format,
        dilations=with_batch(dilation_rate, op_format),
    )


def pool3d(
    x: Any,
    pool_size: IntsLike,
    strides: IntsLike = (1, 1, 1),
    padding: str = "valid",
    data_format: str | None = None,
    pool_mode: str = "max",
) -> Tensor:
    """Returns the largest element or the mean of windows of volumes.

    Args:
        x: Tensor of a float dtype, of shape [batch, depth, rows, columns, channels].
        pool_size: list of three ints, the sizes of windows.
        strides: list of three ints, the distances between windows.
        padding: str, "same" or "valid".
        data_format: str, "channels_last" or "channels_first"; None for `image_data_format()`.
        pool_mode: str, "max" or "avg".

    Returns:
        Tensor of the dtype of `x`.

    Raises:
        ValueError: if the mode or `data_format` is not one of the listed values.
    """
    op_format = op_format_of(data_format, 5)
    if pool_mode not in ("max", "avg"):
        raise ValueError(f"Invalid pooling mode: {pool_mode}")
    pool = pooling.max_pool3d if pool_mode == "max" else pooling.avg_pool3d
    sizes, distances = with_batch(pool_size, op_format), with_batch(strides, op_format)
    return pool(x, sizes, distances, op_padding_of(padding), data_format=op_format)


def resize_volumes(x: Any, depth_factor: int, height_factor: int, width_factor: int, data_format: str) -> Tensor:
    """Repeats the layers, rows and columns of volumes.

    Args:
        x: Tensor of a real number dtype, of shape [batch, depth, rows, columns, channels].
        depth_factor: int, how often each layer.
        height_factor: int, how often each row.
        width_factor: int, how often each column.
        data_format: str, "channels_last" or "channels_first".

    Returns:
        Tensor of the dtype of `x`.

    Raises:
        ValueError: if `data_format` is not one of the listed values.
    """
    if data_format not in ("channels_last", "channels_first"):
        raise ValueError(f"Invalid data_format: {data_format}")
    first = 2 if data_format == "channels_first" else 1
    grown: Tensor = convert_to_tensor(x)
    for i, factor in enumerate((depth_factor, height_factor, width_factor)):
        grown = shaping.repeat(grown, factor, axis=first + i)
    return grown


def spatial_3d_padding(x: Any, padding: Any = ((1, 1), (1, 1), (1, 1)), data_format: str | None = None) -> Tensor:
    """Returns zeros around volumes.

    Args:
        x: Tensor of any number dtype, of shape [batch, depth, rows, columns, channels].
        padding: three pairs of ints, the numbers of zeros before and after each dimension.
        data_format: str, "channels_last" or "channels_first"; None for `image_data_format()`.

    Returns:
        Tensor of the dtype of `x`.

    Raises:
        ValueError: if `data_format` is not one of the listed values.
    """
    around = [list(pair) for pair in padding]
    if data_format_of(data_format) == "channels_first":
        return shaping.pad(x, [[0, 0], [0, 0], *around])
    return shaping.pad(x, [[0, 0], *around, [0, 0]])
