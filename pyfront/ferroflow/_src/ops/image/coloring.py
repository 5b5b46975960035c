"""Colours of images: dtypes, brightness, contrast, hue, saturation, gray, and other colour spaces."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.function_families import FunctionFamily
from ferroflow._src.base.typing import DTypeLike, FloatLike, TensorLike
from ferroflow._src.framework.apply import tensor_op
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array import joining, making, shaping
from ferroflow._src.ops.flow.grouping import with_dependencies
from ferroflow._src.ops.image.checking import check_grayscale, checked_at_least_3d, require
from ferroflow._src.ops.math import arithmetic, cast, elementwise
from ferroflow._src.ops.math.linalg import tensordot
from ferroflow._src.ops.math.reduction import reduce_mean, reduce_prod, reduce_std
from ferroflow._src.ops.random.sampling import random_uniform

_FLOATS = (dtypes.float16, dtypes.float32)


def convert_image_dtype(image: TensorLike, dtype: DTypeLike, saturate: bool = False, name: str | None = None) -> Tensor:
    """Converts images to another dtype and scales them: floats are in [0, 1], integers in [0, the dtype's largest].

    Args:
        image: Tensor of a real number dtype, of any shape.
        dtype: DType to convert to.
        saturate: bool. If True, values outside the dtype's range become its nearest limit.
        name: str, name scope of the operations.

    Returns:
        Tensor of `dtype`, of the shape of `image`.
    """
    image = convert_to_tensor(image, name="image")
    dtype = dtypes.as_dtype(dtype).base_dtype
    source = image.dtype.base_dtype
    if dtype == source:
        return making.identity(image, name=name)
    to_dtype: Callable[..., Tensor] = cast.saturate_cast if saturate else cast.cast
    with name_scope(name, "convert_image", [image]) as scope:
        if source.is_integer and dtype.is_integer:
            if source.max > dtype.max:
                # TF 1.x: the factor maps the largest number below the next of `dtype`, so nothing overflows.
                factor = (source.max + 1) // (dtype.max + 1)
                return to_dtype(arithmetic.div(image, factor), dtype, name=scope)
            factor = (dtype.max + 1) // (source.max + 1)
            return arithmetic.multiply(to_dtype(image, dtype), factor, name=scope)
        if source.is_floating and dtype.is_floating:
            same: Tensor = cast.cast(image, dtype, name=scope)
            return same
        if source.is_integer:
            return arithmetic.multiply(cast.cast(image, dtype), 1.0 / source.max, name=scope)
        # Half more, so that the cast, which cuts, gives the largest number for 1.
        return to_dtype(arithmetic.multiply(image, dtype.max + 0.5), dtype, name=scope)


def per_image_standardization(image: TensorLike) -> Tensor:
    """Scales images to mean 0 and standard deviation 1.

    Args:
        image: Tensor of a real number dtype, of shape [..., height, width, channels].

    Returns:
        Tensor of the dtype of `image` where that is a float type, else of float32; of the shape of `image`. The
        deviation counts as 1 / sqrt(height * width * channels) at least.

    Raises:
        ValueError: if the rank of `image` is below 3.
    """
    with name_scope(None, "per_image_standardization", [image]) as scope:
        image = checked_at_least_3d(convert_to_tensor(image, name="image"))
        given = image.dtype.base_dtype
        image = making.identity(image)
        if given not in _FLOATS:
            image = cast.cast(image, dtypes.float32)
        pixels = reduce_prod(shaping.shape(image)[-3:])
        mean = reduce_mean(image, axis=[-1, -2, -3], keepdims=True)
        deviation = reduce_std(image, axis=[-1, -2, -3], keepdims=True)
        least = elementwise.rsqrt(cast.cast(pixels, image.dtype))
        deviation = arithmetic.maximum(deviation, least)
        centered = arithmetic.subtract(image, mean, name="sub")
        # TF 1.15 gives float types back as they came; TF 1.8 gives float32 for whole numbers.
        if given.is_floating and given != image.dtype.base_dtype:
            same: Tensor = cast.cast(arithmetic.div(centered, deviation), given, name=scope)
            return same
        return arithmetic.div(centered, deviation, name=scope)


def random_brightness(image: TensorLike, max_delta: float, seed: int | None = None) -> Tensor:
    """Adds the same random number to all pixels.

    Args:
        image: Tensor of a real number dtype, of any shape.
        max_delta: float, not negative: the number is in [-max_delta, max_delta).
        seed: int, the op's seed; None to derive it from the graph's.

    Returns:
        Tensor of the dtype and shape of `image`.

    Raises:
        ValueError: if `max_delta` is negative.
    """
    if max_delta < 0:
        raise ValueError("max_delta must be non-negative.")
    return adjust_brightness(image, random_uniform([], -max_delta, max_delta, seed=seed))


def _random_factor(lower: float, upper: float, seed: int | None) -> Tensor:
    if upper <= lower:
        raise ValueError("upper must be > lower.")
    if lower < 0:
        raise ValueError("lower must be non-negative.")
    return random_uniform([], lower, upper, seed=seed)


def random_contrast(image: TensorLike, lower: float, upper: float, seed: int | None = None) -> Tensor:
    """Multiplies the contrast by a random factor.

    Args:
        image: Tensor of a real number dtype, of shape [..., height, width, channels].
        lower: float, not negative: the least factor.
        upper: float: upper limit of the factor.
        seed: int, the op's seed; None to derive it from the graph's.

    Returns:
        Tensor of the dtype and shape of `image`.

    Raises:
        ValueError: if `upper` is not above `lower`, or `lower` is negative.
    """
    return adjust_contrast(image, _random_factor(lower, upper, seed))


def random_saturation(image: TensorLike, lower: float, upper: float, seed: int | None = None) -> Tensor:
    """Multiplies the saturation of RGB images by a random factor.

    Args:
        image: Tensor of a real number dtype, of shape [..., height, width, 3].
        lower: float, not negative: the least factor.
        upper: float: upper limit of the factor.
        seed: int, the op's seed; None to derive it from the graph's.

    Returns:
        Tensor of the dtype and shape of `image`.

    Raises:
        ValueError: if `upper` is not above `lower`, or `lower` is negative.
    """
    return adjust_saturation(image, _random_factor(lower, upper, seed))


def random_hue(image: TensorLike, max_delta: float, seed: int | None = None) -> Tensor:
    """Rotates the hue of RGB images by a random part of a full turn.

    Args:
        image: Tensor of a real number dtype, of shape [..., height, width, 3].
        max_delta: float in [0, 0.5]: the part is in [-max_delta, max_delta).
        seed: int, the op's seed; None to derive it from the graph's.

    Returns:
        Tensor of the dtype and shape of `image`.

    Raises:
        ValueError: if `max_delta` is not in [0, 0.5].
    """
    if max_delta > 0.5:
        raise ValueError("max_delta must be <= 0.5.")
    if max_delta < 0:
        raise ValueError("max_delta must be non-negative.")
    return adjust_hue(image, random_uniform([], -max_delta, max_delta, seed=seed))


def _as_floats(image: Tensor) -> Tensor:
    return image if image.dtype.base_dtype in _FLOATS else convert_image_dtype(image, dtypes.float32)


def adjust_brightness(image: TensorLike, delta: TensorLike) -> Tensor:
    """Adds a number to all pixels.

    Args:
        image: Tensor of a real number dtype, of any shape.
        delta: Tensor of a number dtype, of shape []: of pixels in [0, 1].

    Returns:
        Tensor of the dtype and shape of `image`; integers are cut at the ends of their range.
    """
    with name_scope(None, "adjust_brightness", [image, delta]) as scope:
        image = convert_to_tensor(image, name="image")
        floats = _as_floats(image)
        adjusted = arithmetic.add(floats, cast.cast(delta, floats.dtype), name=scope)
        return convert_image_dtype(adjusted, image.dtype, saturate=True)


def adjust_contrast(images: TensorLike, contrast_factor: TensorLike) -> Tensor:
    """Scales the pixels' distance from the mean of their image and channel.

    Args:
        images: Tensor of a real number dtype, of shape [..., height, width, channels].
        contrast_factor: Tensor of float32, of shape [].

    Returns:
        Tensor of the dtype and shape of `images`; integers are cut at the ends of their range.
    """
    with name_scope(None, "adjust_contrast", [images, contrast_factor]) as scope:
        images = convert_to_tensor(images, name="images")
        adjusted = tensor_op("AdjustContrastv2", [_as_floats(images), contrast_factor], name=scope)
        return convert_image_dtype(adjusted, images.dtype, saturate=True)


def adjust_gamma(image: TensorLike, gamma: Any = 1, gain: FloatLike = 1) -> Tensor:
    """Raises pixels, as fractions of the dtype's range, to a power.

    Args:
        image: Tensor of a real number dtype, of any shape.
        gamma: float or Tensor, of shape []: not negative.
        gain: float or Tensor, of shape []: a factor of the result.

    Returns:
        Tensor of the dtype and shape of `image`; whole numbers stay in the range of their dtype.

    Raises:
        ValueError: if `gamma` is negative.
    """
    with name_scope(None, "adjust_gamma", [image, gamma, gain]):
        image = convert_to_tensor(image, name="image")
        floats = _as_floats(image)
        checks = require(gamma >= 0, "Gamma should be a non-negative real number.")
        if checks:
            gamma = with_dependencies(checks, gamma)
        return convert_image_dtype(gain * floats**gamma, image.dtype, saturate=True)


def adjust_hue(image: TensorLike, delta: TensorLike, name: str | None = None) -> Tensor:
    """Rotates the hue of RGB images.

    Args:
        image: Tensor of a real number dtype, of shape [..., height, width, 3].
        delta: Tensor of float32, of shape []: the one, then the other.
        name: str, name scope of the operations.

    Returns:
        Tensor of the dtype and shape of `image`.
    """
    with name_scope(name, "adjust_hue", [image]):
        image = convert_to_tensor(image, name="image")
        return convert_image_dtype(tensor_op("AdjustHue", [_as_floats(image), delta]), image.dtype)


def adjust_saturation(image: TensorLike, saturation_factor: TensorLike, name: str | None = None) -> Tensor:
    """Multiplies the saturation of RGB images; it stays in [0, 1].

    Args:
        image: Tensor of a real number dtype, of shape [..., height, width, 3].
        saturation_factor: Tensor of float32, of shape [].
        name: str, name scope of the operations.

    Returns:
        Tensor of the dtype and shape of `image`.
    """
    with name_scope(name, "adjust_saturation", [image]):
        image = convert_to_tensor(image, name="image")
        adjusted = tensor_op("AdjustSaturation", [_as_floats(image), saturation_factor])
        return convert_image_dtype(adjusted, image.dtype)


def rgb_to_grayscale(images: TensorLike, name: str | None = None) -> Tensor:
    """Returns the brightness of RGB images: 0.2989 R + 0.5870 G + 0.1140 B.

    Args:
        images: Tensor of a real number dtype, of shape [..., 3].
        name: str, name scope of the operations.

    Returns:
        Tensor of the dtype of `images`, of shape [..., 1].

    Example:
        >>> red_and_white = tf.constant([[[1.0, 0.0, 0.0], [1.0, 1.0, 1.0]]])
        >>> print(sess.run(tf.image.rgb_to_grayscale(red_and_white))[0].round(3))
        [[0.299]
         [1.   ]]
    """
    with name_scope(name, "rgb_to_grayscale", [images]) as scope:
        images = convert_to_tensor(images, name="images")
        floats = convert_image_dtype(images, dtypes.float32)
        gray = shaping.expand_dims(tensordot(floats, [0.2989, 0.5870, 0.1140], [-1, -1]), -1)
        return convert_image_dtype(gray, images.dtype, name=scope)


def grayscale_to_rgb(images: TensorLike, name: str | None = None) -> Tensor:
    """Returns gray images as RGB images.

    Args:
        images: Tensor of any dtype, of shape [..., 1].
        name: str, name scope of the operations.

    Returns:
        Tensor of the dtype of `images`, of shape [..., 3].

    Raises:
        ValueError: if the last dimension is known and not 1, or the rank is known and below 2.
        tf.errors.InvalidArgumentError: when the step runs, if the last dimension is not 1, or the rank is below 3.
    """
    with name_scope(name, "grayscale_to_rgb", [images]) as scope:
        checked: Tensor = convert_to_tensor(images, name="images")
        checked = with_dependencies(check_grayscale(checked), checked)
        rank = shaping.expand_dims(shaping.rank(checked) - 1, 0)
        ones = making.ones(rank, dtype=dtypes.int32)
        multiples = joining.concat([ones, shaping.expand_dims(3, 0)], 0)
        rgb = shaping.tile(checked, multiples, name=scope)
        rgb.set_shape(checked.get_shape()[:-1].concatenate([3]))
        return rgb


def rgb_to_hsv(images: TensorLike, name: str | None = None) -> Tensor:
    """Converts images from RGB to hue, saturation and value.

    Args:
        images: Tensor of float16, bfloat16, float32 or float64, of shape [..., 3]: in [0, 1].
        name: str, name of the operation.

    Returns:
        Tensor of the dtype and shape of `images`, in [0, 1].

    Raises:
        ValueError: if the last dimension is not 3.
    """
    return tensor_op("RGBToHSV", [images], name=name)


def hsv_to_rgb(images: TensorLike, name: str | None = None) -> Tensor:
    """Converts images from hue, saturation and value to RGB.

    Args:
        images: Tensor of float16, bfloat16, float32 or float64, of shape [..., 3]: in [0, 1].
        name: str, name of the operation.

    Returns:
        Tensor of the dtype and shape of `images`, in [0, 1].

    Raises:
        ValueError: if the last dimension is not 3.
    """
    return tensor_op("HSVToRGB", [images], name=name)


@FunctionFamily
def _linear(kernel: list[list[float]], images: TensorLike) -> Tensor:
    """Converts images from {source} to {target}.

    Args:
        images: Tensor of float16, float32 or float64, of shape [..., 3]: RGB and Y in [0, 1].

    Returns:
        Tensor of the dtype and shape of `images`.
    """
    images = convert_to_tensor(images, name="images")
    matrix = convert_to_tensor(kernel, dtype=images.dtype, name="kernel")
    ndims = images.get_shape().ndims
    return tensordot(images, matrix, axes=[[-1 if ndims is None else ndims - 1], [0]])


rgb_to_yiq = _linear(
    "rgb_to_yiq",
    [[0.299, 0.59590059, 0.2115], [0.587, -0.27455667, -0.52273617], [0.114, -0.32134392, 0.31119955]],
    source="RGB",
    target="YIQ",
)
yiq_to_rgb = _linear(
    "yiq_to_rgb",
    [[1, 1, 1], [0.95598634, -0.27201283, -1.10674021], [0.6208248, -0.64720424, 1.70423049]],
    source="YIQ",
    target="RGB",
)
rgb_to_yuv = _linear(
    "rgb_to_yuv",
    [[0.299, -0.14714119, 0.61497538], [0.587, -0.28886916, -0.51496512], [0.114, 0.43601035, -0.10001026]],
    source="RGB",
    target="YUV",
)
yuv_to_rgb = _linear(
    "yuv_to_rgb", [[1, 1, 1], [0, -0.394642334, 2.03206185], [1.13988303, -0.58062185, 0]], source="YUV", target="RGB"
)
