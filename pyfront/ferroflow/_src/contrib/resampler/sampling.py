"""Images sampled between their pixels."""

from __future__ import annotations

from typing import Any, NoReturn

from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.base.typing import TensorLike
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.ops.array import shaping
from ferroflow._src.ops.array.indexing import gather_nd, where_v2
from ferroflow._src.ops.array.joining import concat, stack
from ferroflow._src.ops.array.making import range as range_of, zeros_like
from ferroflow._src.ops.math.arithmetic import maximum, minimum
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.elementwise import floor
from ferroflow._src.ops.script.py_func import py_func

__all__ = ["resampler"]


def resampler(data: TensorLike, warp: TensorLike, name: str = "resampler") -> Any:
    """Samples images at points, bilinearly between the four pixels around each; pixels outside are 0.

    Args:
        data: Tensor of a float dtype, of shape [batch, height, width, channels].
        warp: Tensor of that dtype, of shape [batch, ..., 2]: x and y of each point.
        name: str, name scope of the operations.

    Returns:
        Tensor of that dtype, of shape [batch, ..., channels]; differentiable by both.

    Raises:
        TypeError: if `data` is of no float dtype, or `warp` of another one.
        ValueError: if `data` or `warp` is a scalar.
        tf.errors.UnimplementedError: when the step runs, if `data` does not have four dimensions, or the last dimension
            of `warp` is not 2.
        tf.errors.InvalidArgumentError: when the step runs, if `warp` has one dimension, or another batch than `data`.
    """
    with name_scope(name, "resampler", [data, warp]):
        images, points = convert_to_tensor(data), convert_to_tensor(warp)
        kinds = [each.dtype.base_dtype.name for each in (images, points)]
        if not images.dtype.is_floating:
            raise TypeError(f"Value passed to parameter 'data' has DataType {kinds[0]}, which is no float type.")
        if kinds[0] != kinds[1]:
            raise TypeError(
                f"Input 'warp' of 'Resampler' Op has type {kinds[1]} that does not match type {kinds[0]} of argument "
                "'data'."
            )
        if images.shape.ndims == 0 or points.shape.ndims == 0:
            raise ValueError(f"Shape must be at least rank 1 but is rank 0: data {images.shape}, warp {points.shape}")
        refusal = _refusal(images.shape, points.shape)
        if refusal is not None:
            return _refused(refusal, images, points)
        size = shaping.shape(images)
        outer = shaping.shape(points)[:-1]
        flat = shaping.reshape(points, [size[0], -1, 2])
        found = _sampled(images, flat[:, :, 0], flat[:, :, 1], size)
        result = shaping.reshape(found, _joined(outer, size[3]))
        result.set_shape(points.shape[:-1].concatenate(images.shape[3:4] if images.shape.ndims else [None]))
        return result


def _refusal(data: TensorShape, warp: TensorShape) -> Exception | None:
    """Returns why points of the shape `warp` cannot be sampled from `data`, or None; unknown shapes may be right."""
    if data.ndims not in (None, 4):
        return NotImplementedError(
            "Only bilinear interpolation is currently supported. The input data shape must be [batch_size, "
            f"data_height, data_width, data_channels], but is: {data}"
        )
    if warp.ndims is None:
        return None
    if warp.ndims < 2:
        return ValueError(f"warp should be at least a matrix, got shape {warp}")
    if warp[-1].value not in (None, 2):
        return NotImplementedError(
            "Only bilinear interpolation is supported, warping coordinates must be 2D; warp shape last entry should be "
            f"2, but shape vector is: {warp}"
        )
    if data.ndims is not None and not data[0].is_compatible_with(warp[0]):
        return ValueError(f"Batch size of data and warp tensor must be the same, but input shapes are: {data}, {warp}")
    return None


def _refused(refusal: Exception, images: Any, points: Any) -> Any:
    """Returns a tensor that a step cannot compute: it raises the status of an exception, as TensorFlow's kernel."""

    def refuse(*_: Any) -> NoReturn:
        raise refusal

    result = py_func(refuse, [images, points], images.dtype)
    result.set_shape(points.shape[:-1].concatenate(images.shape[-1:] if images.shape.ndims else [None]))
    return result


def _joined(outer: Any, channels: Any) -> Any:
    return concat([outer, shaping.reshape(channels, [1])], 0)


def _sampled(images: Any, x: Any, y: Any, size: Any) -> Any:
    left, top = floor(x), floor(y)
    # Points at -1 have the value 0, as those beyond; TensorFlow gives them no gradient either.
    height, width = cast(size[1], x.dtype), cast(size[2], x.dtype)
    is_within = shaping.expand_dims((x > -1) & (y > -1) & (x < width) & (y < height), 2)
    total: Any = None
    for across in (0, 1):
        for down in (0, 1):
            column, row = left + across, top + down
            weight = (1 - abs(x - column)) * (1 - abs(y - row))
            part = shaping.expand_dims(weight, 2) * _pixels(images, column, row, size)
            total = part if total is None else total + part
    return where_v2(is_within, total, zeros_like(total))


def _pixels(images: Any, column: Any, row: Any, size: Any) -> Any:
    """Returns the pixels at whole positions, and 0 outside the images."""
    last_column, last_row = cast(size[2] - 1, column.dtype), cast(size[1] - 1, row.dtype)
    is_inside = (column >= 0) & (column <= last_column) & (row >= 0) & (row <= last_row)
    nearest_column = minimum(maximum(column, zeros_like(column)), last_column)
    nearest_row = minimum(maximum(row, zeros_like(row)), last_row)
    batch = shaping.expand_dims(range_of(0, size[0]), 1) + cast(zeros_like(column), "int32")
    found = gather_nd(images, stack([batch, cast(nearest_row, "int32"), cast(nearest_column, "int32")], 2))
    return found * shaping.expand_dims(cast(is_inside, images.dtype), 2)
