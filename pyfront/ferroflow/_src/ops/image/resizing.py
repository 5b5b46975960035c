"""Images resized by TF's rules of sampling."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from ferroflow._src.base import dtypes
from ferroflow._src.base.docstrings import add_example
from ferroflow._src.base.function_families import FunctionFamily
from ferroflow._src.base.typing import ShapeTensorLike, TensorLike
from ferroflow._src.framework.apply import tensor_op
from ferroflow._src.framework.constant import constant_value, constant_value_as_shape
from ferroflow._src.framework.conversion import convert_index, convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.flow.grouping import with_dependencies
from ferroflow._src.ops.image.checking import (
    as_batch,
    check_at_least_3d,
    dimensions,
    is_symbolic,
    require,
    unbatched,
)
from ferroflow._src.ops.image.cropping import pad_to_bounding_box
from ferroflow._src.ops.math import arithmetic, cast, elementwise


class ResizeMethod:
    """Sampling methods of `resize_images`."""

    BILINEAR = 0
    NEAREST_NEIGHBOR = 1
    BICUBIC = 2
    AREA = 3


@FunctionFamily
def _resizer(
    op_type: str,
    images: TensorLike,
    size: ShapeTensorLike,
    align_corners: bool = False,
    name: str | None = None,
    half_pixel_centers: bool = False,
) -> Tensor:
    """Resizes images with the op `{value}`.

    Args:
        images: Tensor of a real number dtype, of shape [batch, height, width, channels].
        size: Tensor of int32, of shape [2]: the new height and width.
        align_corners: bool. If True, the centers of the corner pixels of input and output coincide.
        name: str, name of the operation.
        half_pixel_centers: bool. If True, pixels have their centers at halves, so that the images cover each other.

    Returns:
        Tensor of {returns}, of shape [batch, size[0], size[1], channels].

    Raises:
        ValueError: if shapes are incompatible.
    """
    attrs = {"align_corners": align_corners}
    if op_type != "ResizeArea":
        attrs["half_pixel_centers"] = half_pixel_centers
    elif half_pixel_centers:
        raise ValueError("resize_area has no half_pixel_centers")
    return tensor_op(op_type, [images, size], attrs, name=name)


resize_bilinear = _resizer("resize_bilinear", "ResizeBilinear", returns="float32")
resize_nearest_neighbor = _resizer("resize_nearest_neighbor", "ResizeNearestNeighbor", returns="the dtype of `images`")
resize_bicubic = _resizer("resize_bicubic", "ResizeBicubic", returns="float32")
resize_area = _resizer("resize_area", "ResizeArea", returns="float32")

_METHODS: dict[Any, Callable[..., Tensor]] = {
    ResizeMethod.BILINEAR: resize_bilinear,
    "bilinear": resize_bilinear,
    ResizeMethod.NEAREST_NEIGHBOR: resize_nearest_neighbor,
    "nearest": resize_nearest_neighbor,
    ResizeMethod.BICUBIC: resize_bicubic,
    "bicubic": resize_bicubic,
    ResizeMethod.AREA: resize_area,
    "area": resize_area,
}


def _size_of(given: Any, images: Tensor, preserve_aspect_ratio: bool) -> Tensor:
    try:
        size = convert_index(given, name="size")
    except (TypeError, ValueError):
        raise ValueError("'size' must be a 1-D int32 Tensor") from None
    if not size.get_shape().is_compatible_with([2]):
        raise ValueError("'size' must be a 1-D Tensor of 2 elements: new_height, new_width")
    if not preserve_aspect_ratio:
        return size
    # TF 1.x: the factor is a float32, and so is the size that is rounded.
    sides = dimensions(images, 4)[1:3]
    known = constant_value(size)
    if known is not None and not any(is_symbolic(side) for side in sides):
        lengths = [np.float32(side) for side in sides]
        least = min(np.float32(known[i]) / length for i, length in enumerate(lengths))
        return convert_to_tensor([int(np.round(least * length)) for length in lengths], dtypes.int32, name="size")
    floats = [cast.cast(side, dtypes.float32) for side in sides]
    factors = [cast.cast(size[i], dtypes.float32) / side for i, side in enumerate(floats)]
    factor = arithmetic.minimum(factors[0], factors[1])
    scaled = [cast.cast(elementwise.round(factor * side), dtypes.int32) for side in floats]
    return convert_index(scaled, name="size")


def resize_images(
    images: TensorLike,
    size: ShapeTensorLike,
    method: object = ResizeMethod.BILINEAR,
    align_corners: bool = False,
    preserve_aspect_ratio: bool = False,
    name: str | None = None,
) -> Tensor:
    """Resizes images.

    Args:
        images: Tensor of a real number dtype, of shape [height, width, channels] or [batch, height, width, channels].
        size: Tensor of int32, of shape [2]: the new height and width.
        method: a member of `ResizeMethod`, or "bilinear", "nearest", "bicubic" or "area".
        align_corners: bool. If True, the centers of the corner pixels of input and output coincide.
        preserve_aspect_ratio: bool. If True, the aspect ratio is kept, and `size` is an upper bound.
        name: str, name scope of the operations.

    Returns:
        Tensor of float32 (nearest neighbours: of the dtype of `images`), of the rank of `images`; `images` itself if
        they are known to have this size.

    Raises:
        ValueError: if the rank of `images`, `size` or `method` is invalid.

    Example:
        >>> image = tf.constant([[[0.0], [2.0]], [[4.0], [6.0]]])
        >>> print(sess.run(tf.image.resize_images(image, [2, 4]))[:, :, 0])
        [[0. 1. 2. 2.]
         [4. 5. 6. 6.]]
    """
    options = {"align_corners": align_corners}
    return _resized(images, size, _METHODS.get(method), preserve_aspect_ratio, name, options, True)


def _resized(
    images: TensorLike,
    size: ShapeTensorLike,
    resizer: Callable[..., Tensor] | None,
    preserve_aspect_ratio: bool,
    name: str | None,
    options: dict[str, bool],
    skips_same_size: bool,
) -> Tensor:
    with name_scope(name, "resize", [images, size]):
        images = convert_to_tensor(images, name="images")
        if images.get_shape().ndims is None:
            raise ValueError("'images' contains no shape.")
        images, is_batch = as_batch(images, "'images' must have either 3 or 4 dimensions.")
        _, height, width, _ = images.get_shape().as_list()
        size = _size_of(size, images, preserve_aspect_ratio)
        known = constant_value_as_shape(size).as_list()
        if skips_same_size and None not in (*known, height, width) and known == [height, width]:
            return unbatched(images, is_batch)
        if resizer is None:
            raise ValueError("Resize method is not implemented.")
        resized = resizer(images, size, **options)
        resized.set_shape([None, *known, None])
        return unbatched(resized, is_batch)


# Methods that sample with a kernel that can grow, and their kernels; the others only do so with `antialias`.
_KERNELS = {name: name for name in ("lanczos3", "lanczos5", "gaussian", "mitchellcubic")}
_ANTIALIASED = {**_KERNELS, "bilinear": "triangle", "bicubic": "keyscubic"}


def _scaled(kernel: str, antialias: bool) -> Callable[..., Tensor]:
    """Returns the function that resizes with a kernel."""

    def resize_with_kernel(images: Tensor, size: Tensor) -> Tensor:
        sides = [cast.cast(side, dtypes.float32) for side in dimensions(images, 4)[1:3]]
        scale = cast.cast(size, dtypes.float32) / convert_to_tensor(sides, dtypes.float32)
        attrs = {"kernel_type": kernel, "antialias": antialias}
        return tensor_op("ScaleAndTranslate", [images, size, scale, [0.0, 0.0]], attrs)

    return resize_with_kernel


def resize_centered(
    images: TensorLike,
    size: ShapeTensorLike,
    method: str = "bilinear",
    preserve_aspect_ratio: bool = False,
    antialias: bool = False,
    name: str | None = None,
) -> Tensor:
    """Resizes images whose pixels have their centers at halves, as `tf.compat.v2.image.resize` does.

    Args:
        images: Tensor of a real number dtype, of shape [height, width, channels] or [batch, height, width, channels].
        size: Tensor of int32, of shape [2]: the new height and width.
        method: "bilinear", "nearest", "bicubic", "area", "lanczos3", "lanczos5", "gaussian" or "mitchellcubic".
        preserve_aspect_ratio: bool. If True, the aspect ratio is kept, and `size` is an upper bound.
        antialias: bool. If True, a smaller result samples all pixels of the original; "nearest" and "area" ignore it.
        name: str, name scope of the operations.

    Returns:
        Tensor of float32 (nearest neighbours: of the dtype of `images`), of the rank of `images`.

    Raises:
        ValueError: if the rank of `images`, `size` or `method` is invalid.
    """
    kernel = (_ANTIALIASED if antialias else _KERNELS).get(method)
    if kernel is not None:
        return _resized(images, size, _scaled(kernel, antialias), preserve_aspect_ratio, name, {}, False)
    options = {} if method == "area" else {"half_pixel_centers": True}
    # The numbers of `ResizeMethod` are the other function's.
    resizer = _METHODS.get(method) if isinstance(method, str) else None
    return _resized(images, size, resizer, preserve_aspect_ratio, name, options, False)


resize = resize_images


def resize_image_with_pad(
    image: Any,
    target_height: Any,
    target_width: Any,
    method: Any = ResizeMethod.BILINEAR,
    align_corners: bool = False,
) -> Tensor:
    """Resizes images to fit into a size, and pads them evenly with zeros to that size.

    Args:
        image: Tensor of a real number dtype, of shape [height, width, channels] or [batch, height, width, channels].
        target_height: int or Tensor of int32, of shape []: rows of the result.
        target_width: the same, columns of the result.
        method: as `resize_images` takes it.
        align_corners: bool, as `resize_images` takes it.

    Returns:
        Tensor of float32 (nearest neighbours: of the dtype of `image`), of the rank of `image`.

    Raises:
        ValueError: if a size is not positive, or the rank of `image` is not 3 or 4.
    """
    return _padded(image, target_height, target_width, lambda x, size: resize_images(x, size, method, align_corners))


def resize_centered_with_pad(
    image: Any, target_height: Any, target_width: Any, method: str = "bilinear", antialias: bool = False
) -> Tensor:
    """Resizes images to fit into a size, and pads them, as `tf.compat.v2.image.resize_with_pad` does.

    Args:
        image: Tensor of a real number dtype, of shape [height, width, channels] or [batch, height, width, channels].
        target_height: int or Tensor of int32, of shape []: rows of the result.
        target_width: the same, columns of the result.
        method: as `resize_centered` takes it.
        antialias: bool, as `resize_centered` takes it.

    Returns:
        Tensor of float32 (nearest neighbours: of the dtype of `image`), of the rank of `image`.

    Raises:
        ValueError: if a size is not positive, or the rank of `image` is not 3 or 4.
    """
    resizer = functools.partial(resize_centered, method=method, antialias=antialias)
    return _padded(image, target_height, target_width, resizer)


def _padded(image: Any, target_height: Any, target_width: Any, resizer: Callable[[Any, Any], Tensor]) -> Tensor:
    """Returns images that `resizer` makes fit into a size, padded to that size."""
    with name_scope(None, "resize_image_with_pad", [image]):
        image, is_batch = as_batch(convert_to_tensor(image, name="image"))
        checks = check_at_least_3d(image, require_static=False)
        checks += require(target_width > 0, "target_width must be > 0.")
        checks += require(target_height > 0, "target_height must be > 0.")
        image = with_dependencies(checks, image)
        sides = [cast.cast(side, dtypes.float32) for side in dimensions(image, 4)[1:3]]
        targets = [cast.cast(side, dtypes.float32) for side in (target_height, target_width)]
        ratio = arithmetic.maximum(sides[1] / targets[1], sides[0] / targets[0])
        fitted = [side / ratio for side in sides]
        size = [cast.cast(elementwise.floor(side), dtypes.int32) for side in fitted]
        before = [
            arithmetic.maximum(0, cast.cast(elementwise.floor((target - side) / 2), dtypes.int32))
            for target, side in zip(targets, fitted, strict=True)
        ]
        resized = resizer(image, size)
        padded = pad_to_bounding_box(resized, before[0], before[1], target_height, target_width)
        return unbatched(padded, is_batch)


add_example(
    resize_bilinear,
    """
    >>> image = tf.constant([[[[0.0], [2.0]], [[4.0], [6.0]]]])
    >>> print(sess.run(tf.image.resize_bilinear(image, [2, 4]))[0, :, :, 0])
    [[0. 1. 2. 2.]
     [4. 5. 6. 6.]]
    """,
)
