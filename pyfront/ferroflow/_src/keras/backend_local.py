"""Convolutions with weights of their own for each place, under the names of `tf.keras.backend`."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

from ferroflow._src.framework.handles import Tensor
from ferroflow._src.keras.settings import data_format_of
from ferroflow._src.ops.array.joining import concat
from ferroflow._src.ops.array.shaping import reshape, transpose
from ferroflow._src.ops.math.linalg import matmul


def local_conv1d(
    inputs: Any, kernel: Any, kernel_size: Sequence[int], strides: Sequence[int], data_format: str | None = None
) -> Tensor:
    """Multiplies each window of steps by the weights of its place.

    Args:
        inputs: Tensor of a float dtype, of shape [batch, steps, channels], or [batch, channels, steps].
        kernel: Tensor of that dtype, of shape [places, size of a window * channels, filters].
        kernel_size: tuple of one int, the steps of a window.
        strides: tuple of one int, the steps between windows.
        data_format: str, "channels_last" or "channels_first"; None for the setting.

    Returns:
        Tensor of that dtype, of shape [batch, places, filters], or [batch, filters, places].

    Raises:
        ValueError: if `data_format` is unknown.
    """
    places = (kernel.shape.as_list()[0],)
    return _local(inputs, kernel, kernel_size, strides, places, data_format)


def local_conv2d(
    inputs: Any,
    kernel: Any,
    kernel_size: Sequence[int],
    strides: Sequence[int],
    output_shape: Sequence[int],
    data_format: str | None = None,
) -> Tensor:
    """Multiplies each window of images by the weights of its place.

    Args:
        inputs: Tensor of a float dtype, of shape [batch, rows, columns, channels], or [batch, channels, rows, columns].
        kernel: Tensor of that dtype, of shape [places, size of a window * channels, filters].
        kernel_size: tuple of two ints, rows and columns of a window.
        strides: tuple of two ints, the distances between windows.
        output_shape: tuple of two ints, the rows and columns of places.
        data_format: str, "channels_last" or "channels_first"; None for the setting.

    Returns:
        Tensor of that dtype, of shape [batch, *output_shape, filters], or [batch, filters, *output_shape].

    Raises:
        ValueError: if `data_format` is unknown.
    """
    return _local(inputs, kernel, kernel_size, strides, tuple(output_shape), data_format)


def _local(
    inputs: Any,
    kernel: Any,
    kernel_size: Sequence[int],
    strides: Sequence[int],
    places: tuple[int, ...],
    data_format: str | None,
) -> Tensor:
    first = data_format_of(data_format) == "channels_first"
    width, filters = kernel.shape.as_list()[1:]
    windows = []
    for place in itertools.product(*map(range, places)):
        window = [slice(p * s, p * s + size) for p, s, size in zip(place, strides, kernel_size, strict=True)]
        part = (slice(None), slice(None), *window) if first else (slice(None), *window, slice(None))
        windows.append(reshape(inputs[part], (1, -1, width)))
    products = reshape(matmul(concat(windows, axis=0), kernel), (*places, -1, filters))
    dimensions, count = list(range(len(places))), len(places)
    order = [count, count + 1, *dimensions] if first else [count, *dimensions, count + 1]
    return transpose(products, order)
