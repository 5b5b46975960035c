"""Hue, saturation and value of pictures, changed in the YIQ color space."""

from __future__ import annotations

import numpy as np

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import TensorLike
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array.joining import stack
from ferroflow._src.ops.array.shaping import reshape, shape
from ferroflow._src.ops.flow.checking import Assert
from ferroflow._src.ops.flow.grouping import with_dependencies
from ferroflow._src.ops.image.coloring import convert_image_dtype
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.comparison import equal
from ferroflow._src.ops.math.elementwise import cos, sin
from ferroflow._src.ops.math.linalg import matmul
from ferroflow._src.ops.random.sampling import random_uniform

# Source: https://en.wikipedia.org/wiki/YIQ, and the inverse.
_TO_YIQ = np.array([[0.299, 0.587, 0.114], [0.596, -0.274, -0.322], [0.211, -0.523, 0.312]], np.float32)
_FROM_YIQ = np.array(
    [[1, 0.95617069, 0.62143257], [1, -0.2726886, -0.64681324], [1, -1.103744, 1.70062309]], np.float32
)


def _changed(images: Tensor, hue: Tensor, saturation: Tensor, value: Tensor) -> Tensor:
    # Source: https://beesbuzz.biz/code/hsv_color_transforms.php
    zero = constant(0.0)
    u, w = value * saturation * cos(hue), value * saturation * sin(hue)
    change = reshape(stack([value, zero, zero, zero, u, -w, zero, w, u]), [3, 3])
    matrix = matmul(matmul(constant(_FROM_YIQ), change), constant(_TO_YIQ))
    return reshape(matmul(reshape(images, [-1, 3]), matrix, transpose_b=True), shape(images))


def adjust_hsv_in_yiq(
    image: TensorLike,
    delta_hue: TensorLike = 0,
    scale_saturation: TensorLike = 1,
    scale_value: TensorLike = 1,
    name: str | None = None,
) -> Tensor:
    """Rotates the hue and scales saturation and value of RGB pictures.

    Args:
        image: Tensor of any number dtype, of shape [..., 3].
        delta_hue: float, or Tensor of shape [], in radians.
        scale_saturation: float, or Tensor of shape [].
        scale_value: float, or Tensor of shape [].
        name: str, name scope.

    Returns:
        Tensor of the dtype and shape of `image`.

    Raises:
        ValueError: if the rank is known and below 3.
        tf.errors.InvalidArgumentError: when the step runs, if the channels are not 3.
    """
    with name_scope(name, "adjust_hsv_in_yiq", [image]):
        pictures: Tensor = convert_to_tensor(image, name="image")
        static = pictures.shape
        if static.ndims is not None and static.ndims < 3:
            raise ValueError(f"Shape must be at least rank 3 but is rank {static.ndims}: {static}")
        original = pictures.dtype
        floats = convert_image_dtype(pictures, dtypes.float32)
        channels = None if static.ndims is None else static[-1].value
        if channels is None:
            found = shape(floats)[-1]
            floats = with_dependencies([Assert(equal(found, 3), ["input must have 3 channels: ", found])], floats)
        elif channels != 3:
            # As in TensorFlow, a wrong number of channels shows when the step runs.
            failed = Assert(False, [f"input must have 3 channels but instead has {channels} channels."])
            return convert_image_dtype(with_dependencies([failed], floats), original)
        hue, saturation, value = (cast(number, dtypes.float32) for number in (delta_hue, scale_saturation, scale_value))
        changed = _changed(floats, hue, saturation, value)
        changed.set_shape(static)
        return convert_image_dtype(changed, original)


def random_hsv_in_yiq(
    image: TensorLike,
    max_delta_hue: float = 0,
    lower_saturation: float = 1,
    upper_saturation: float = 1,
    lower_value: float = 1,
    upper_value: float = 1,
    seed: int | None = None,
) -> Tensor:
    """Changes hue, saturation and value of pictures by random amounts.

    Args:
        image: Tensor of any number dtype, of shape [..., 3].
        max_delta_hue: float, the greatest rotation, in radians.
        lower_saturation: float, the least factor of the saturation.
        upper_saturation: float, the greatest factor of the saturation.
        lower_value: float, the least factor of the value.
        upper_value: float, the greatest factor of the value.
        seed: int, of the random numbers.

    Returns:
        Tensor of the dtype and shape of `image`.

    Raises:
        ValueError: if `max_delta_hue` is negative, or a lower bound is negative or above the upper one.
    """
    if max_delta_hue < 0:
        raise ValueError("max_delta must be non-negative.")
    for lower, upper, what in (
        (lower_saturation, upper_saturation, "saturation"),
        (lower_value, upper_value, "value"),
    ):
        if lower < 0:
            raise ValueError(f"lower_{what} must be non-negative.")
        if lower > upper:
            raise ValueError(f"lower_{what} must be < upper_{what}.")

    def between(lower: float, upper: float) -> Tensor | float:
        return lower if lower == upper else random_uniform([], lower, upper, seed=seed)

    delta = random_uniform([], -max_delta_hue, max_delta_hue, seed=seed) if max_delta_hue else 0.0
    return adjust_hsv_in_yiq(
        image, delta, between(lower_saturation, upper_saturation), between(lower_value, upper_value)
    )
