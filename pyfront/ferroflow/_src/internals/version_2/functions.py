"""Functions and constants of `tf.compat.v2` that differ from those of version 1."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import DTypeLike, ListLike, TensorLike
from ferroflow._src.framework.random_seed import get_seed
from ferroflow._src.ops.image import boxes
from ferroflow._src.ops.image.resizing import resize_centered, resize_centered_with_pad
from ferroflow._src.ops.nn import pooling


class ResizeMethod:
    """Sampling methods of `tf.compat.v2.image.resize`."""

    BILINEAR = "bilinear"
    NEAREST_NEIGHBOR = "nearest"
    BICUBIC = "bicubic"
    AREA = "area"
    LANCZOS3 = "lanczos3"
    LANCZOS5 = "lanczos5"
    GAUSSIAN = "gaussian"
    MITCHELLCUBIC = "mitchellcubic"


def _window(given: Any, name: str) -> list[Any]:
    """Returns the four numbers of a window: for batch, height, width and channels."""
    sizes = [given] if isinstance(given, (int, float, np.number)) else list(given)
    if len(sizes) not in (1, 2, 4):
        raise ValueError(f"{name} should be of length 1, 2 or 4 but was {len(sizes)}")
    return sizes if len(sizes) == 4 else [1, sizes[0], sizes[-1], 1]


def max_pool_with_argmax(
    input: TensorLike,
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str = "NHWC",
    output_dtype: DTypeLike = dtypes.int64,
    include_batch_in_index: bool = False,
    name: str | None = None,
) -> Any:
    """Returns the maxima of windows, and their positions.

    Args:
        input: Tensor of a real number dtype, of shape [batch, height, width, channels].
        ksize: int, or list of 1, 2 or 4 ints, the window.
        strides: int, or list of 1, 2 or 4 ints, the steps between windows.
        padding: "SAME" or "VALID".
        data_format: "NHWC".
        output_dtype: int32 or int64, the dtype of the positions.
        include_batch_in_index: bool. If True, positions count the examples of the batch, too.
        name: str, name of the operation.

    Returns:
        The maxima, a Tensor of the dtype of `input`, and their positions in the flattened image.

    Raises:
        ValueError: if `data_format` is not "NHWC", or a list has another length.
    """
    if data_format != "NHWC":
        raise ValueError("Data formats other than 'NHWC' are not yet supported")
    return pooling.max_pool_with_argmax(
        input,
        _window(ksize, "ksize"),
        _window(strides, "strides"),
        padding,
        Targmax=output_dtype,
        name=name,
        include_batch_in_index=include_batch_in_index,
    )


def _fractional(
    pool: Callable[..., Any],
    value: TensorLike,
    pooling_ratio: Sequence[float],
    regions: dict[str, bool],
    seed: int | None,
    name: str | None,
) -> Any:
    """Pools with regions that are the same in every run if there is a seed."""
    first, second = (0, 0) if seed == 0 else get_seed(seed)
    return pool(value, pooling_ratio, deterministic=seed != 0, seed=first, seed2=second, name=name, **regions)


def fractional_max_pool(
    value: TensorLike,
    pooling_ratio: float | Sequence[float],
    pseudo_random: bool = False,
    overlapping: bool = False,
    seed: int | None = 0,
    name: str | None = None,
) -> Any:
    """Pools the largest element of random regions, whose sizes have a mean ratio that need not be whole.

    Args:
        value: Tensor of float32, float64, int32 or int64, of shape [batch, height, width, channels].
        pooling_ratio: number, or list of 1, 2 or 4 numbers, at least 1: how much smaller each dimension gets.
        pseudo_random: bool. If True, the regions follow from one random number, rather than each from its own.
        overlapping: bool. If True, a region includes the first row and column of the next.
        seed: int, that of the regions, together with the graph's; if 0, runs differ.
        name: str, name of the operation.

    Returns:
        (output, row_pooling_sequence, col_pooling_sequence): the images, pooled, and the borders of the regions, int64.

    Raises:
        ValueError: if `pooling_ratio` has another length.
    """
    regions = {"pseudo_random": pseudo_random, "overlapping": overlapping}
    ratios = _window(pooling_ratio, "pooling_ratio")
    return _fractional(pooling.fractional_max_pool, value, ratios, regions, seed, name)


def fractional_avg_pool(
    value: TensorLike,
    pooling_ratio: Sequence[float],
    pseudo_random: bool = False,
    overlapping: bool = False,
    seed: int | None = 0,
    name: str | None = None,
) -> Any:
    """Computes the mean of regions whose sizes are random and make up a ratio that need not be whole.

    Args:
        value: Tensor of float32, float64, int32 or int64, of shape [batch, height, width, channels].
        pooling_ratio: list of 4 numbers, at least 1: how much smaller each dimension gets; 1 for batch and channels.
        pseudo_random: bool. If True, the regions follow from one random number, rather than each from its own.
        overlapping: bool. If True, a region includes the first row and column of the next.
        seed: int, that of the regions, together with the graph's; if 0, runs differ.
        name: str, name of the operation.

    Returns:
        (output, row_pooling_sequence, col_pooling_sequence): the images, pooled, and the borders of the regions, int64.
    """
    regions = {"pseudo_random": pseudo_random, "overlapping": overlapping}
    return _fractional(pooling.fractional_avg_pool, value, pooling_ratio, regions, seed, name)


def sample_distorted_bounding_box(
    image_size: TensorLike,
    bounding_boxes: TensorLike,
    seed: int | None = 0,
    min_object_covered: TensorLike = 0.1,
    aspect_ratio_range: ListLike | None = None,
    area_range: ListLike | None = None,
    max_attempts: int | None = None,
    use_image_if_no_bounding_boxes: bool | None = None,
    name: str | None = None,
) -> boxes.SampleDistortedBoundingBox:
    """Draws a crop of an image that contains enough of at least one object.

    Args:
        image_size: Tensor of uint8, int8, int16, int32 or int64, of shape [3]: height, width, channels.
        bounding_boxes: Tensor of float32, of shape [batch, boxes, 4]: ymin, xmin, ymax, xmax, in [0, 1].
        seed: int, used together with the graph's; if 0 or None, runs differ.
        min_object_covered: Tensor of float32, of shape []: the least share of an object that the crop covers.
        aspect_ratio_range: two floats, of width / height of the crop; None for [0.75, 1.33].
        area_range: two floats in (0, 1], the crop's share of the image; None for [0.05, 1].
        max_attempts: int, the number of failures after which the crop is the whole image; None for 100.
        use_image_if_no_bounding_boxes: bool. If True, no boxes stand for one of the whole image; otherwise they are an
            error.
        name: str, name scope of the operation.

    Returns:
        begin and size of the crop, and the crop as a box.
    """
    first, second = get_seed(seed) if seed else (0, 0)
    return boxes.sample_distorted_bounding_box(
        image_size,
        bounding_boxes,
        first,
        second,
        min_object_covered,
        aspect_ratio_range,
        area_range,
        max_attempts,
        use_image_if_no_bounding_boxes,
        name,
    )


PLACES: Final[dict[str, Any]] = {
    "image.ResizeMethod": ResizeMethod,
    "image.resize": resize_centered,
    "image.resize_with_pad": resize_centered_with_pad,
    "image.sample_distorted_bounding_box": sample_distorted_bounding_box,
    "nn.fractional_avg_pool": fractional_avg_pool,
    "nn.fractional_max_pool": fractional_max_pool,
    "nn.max_pool_with_argmax": max_pool_with_argmax,
}
