"""Images cut and padded to a size, and windows and patches cut out of them."""

from __future__ import annotations

import builtins
from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.deprecation import deprecated_args, deprecated_argument_lookup
from ferroflow._src.base.typing import IntsLike, ListLike, ShapeTensorLike, TensorLike
from ferroflow._src.framework.apply import tensor_op
from ferroflow._src.framework.constant import constant_value
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array import joining, shaping, slicing
from ferroflow._src.ops.flow.grouping import with_dependencies
from ferroflow._src.ops.image.checking import (
    as_batch,
    check_at_least_3d,
    checked_at_least_3d,
    dimensions,
    is_symbolic,
    known_sizes,
    require,
    unbatched,
)
from ferroflow._src.ops.math import arithmetic, cast, comparison


def central_crop(image: Any, central_fraction: Any) -> Tensor:
    """Crops the center of images.

    Args:
        image: Tensor of any dtype, of shape [height, width, channels] or [batch, height, width, channels].
        central_fraction: float in (0, 1], or Tensor of it, of shape []: the share of each side to keep.

    Returns:
        Tensor of the dtype and rank of `image`; `image` itself for the fraction 1.

    Raises:
        ValueError: if the fraction is not in (0, 1], or the rank of `image` is not 3 or 4.
    """
    with name_scope(None, "central_crop", [image]):
        image = convert_to_tensor(image, name="image")
        fraction = constant_value(central_fraction) if is_symbolic(central_fraction) else central_fraction
        message = "central_fraction must be within (0, 1]"
        if fraction is None:
            inside = comparison.logical_and(central_fraction > 0.0, central_fraction <= 1.0)
            image = with_dependencies(require(inside, message), image)
        elif fraction <= 0.0 or fraction > 1.0:
            raise ValueError(message)
        elif fraction == 1.0:
            whole: Tensor = image
            return whole
        image = checked_at_least_3d(image)
        ndims = image.get_shape().ndims
        if ndims not in (3, 4):
            raise ValueError(f"`image` should either be a Tensor with rank = 3 or rank = 4. Had rank = {ndims}.")
        sizes: list[Any] = image.get_shape().as_list()[-3:-1]
        if None in sizes:
            sizes = dimensions(image, ndims)[-3:-1]
        starts: list[Any] = []
        for size in sizes:
            if is_symbolic(size) or fraction is None:
                length = cast.cast(size, dtypes.float64)
                share = fraction if fraction is not None else cast.cast(central_fraction, dtypes.float64)
                starts.append(cast.cast((length - length * share) / 2, dtypes.int32))
            else:
                starts.append(int((float(size) - float(size) * float(fraction)) / 2))
        lengths = [size - start * 2 for size, start in zip(sizes, starts, strict=True)]
        batch = ndims - 3
        begin = joining.stack([*[0] * batch, *starts, 0])
        cropped = slicing.slice(image, begin, joining.stack([*[-1] * batch, *lengths, -1]))
        shape = image.get_shape().with_rank(ndims).as_list()
        cropped.set_shape([*shape[:batch], *known_sizes(lengths), shape[-1]])
        return cropped


def pad_to_bounding_box(
    image: TensorLike, offset_height: Any, offset_width: Any, target_height: Any, target_width: Any
) -> Tensor:
    """Pads images with zeros to a size.

    Args:
        image: Tensor of any number dtype, of shape [height, width, channels] or [batch, height, width, channels].
        offset_height: int or Tensor of int32, of shape []: rows of zeros above.
        offset_width: the same, columns of zeros on the left.
        target_height: the same, rows of the result.
        target_width: the same, columns of the result.

    Returns:
        Tensor of the dtype and rank of `image`.

    Raises:
        ValueError: if an offset is negative, the image does not fit, or its rank is not 3 or 4.
    """
    with name_scope(None, "pad_to_bounding_box", [image]):
        image, is_batch = as_batch(convert_to_tensor(image, name="image"))
        checks = check_at_least_3d(image, require_static=False)
        batch, height, width, depth = dimensions(image, 4)
        right = target_width - offset_width - width
        below = target_height - offset_height - height
        checks += require(offset_height >= 0, "offset_height must be >= 0")
        checks += require(offset_width >= 0, "offset_width must be >= 0")
        checks += require(right >= 0, "width must be <= target - offset")
        checks += require(below >= 0, "height must be <= target - offset")
        image = with_dependencies(checks, image)
        amounts = joining.stack([0, 0, offset_height, below, offset_width, right, 0, 0])
        padded = shaping.pad(image, shaping.reshape(amounts, [4, 2]))
        padded.set_shape(known_sizes([batch, target_height, target_width, depth]))
        return unbatched(padded, is_batch)


def crop_to_bounding_box(
    image: TensorLike,
    offset_height: int | Tensor,
    offset_width: int | Tensor,
    target_height: int | Tensor,
    target_width: int | Tensor,
) -> Tensor:
    """Crops a rectangle of images.

    Args:
        image: Tensor of any dtype, of shape [height, width, channels] or [batch, height, width, channels].
        offset_height: int or Tensor of int32, of shape []: the first row.
        offset_width: the same, the first column.
        target_height: the same, rows of the result.
        target_width: the same, columns of the result.

    Returns:
        Tensor of the dtype and rank of `image`.

    Raises:
        ValueError: if an offset is negative, a size is not positive, the rectangle is not inside the image, or the
            image's rank is not 3 or 4.

    Example:
        >>> image = tf.reshape(tf.range(12), [3, 4, 1])
        >>> print(sess.run(tf.image.crop_to_bounding_box(image, 1, 1, target_height=2, target_width=2))[:, :, 0])
        [[ 5  6]
         [ 9 10]]
    """
    with name_scope(None, "crop_to_bounding_box", [image]):
        image, is_batch = as_batch(convert_to_tensor(image, name="image"))
        checks = check_at_least_3d(image, require_static=False)
        batch, height, width, depth = dimensions(image, 4)
        checks += require(offset_width >= 0, "offset_width must be >= 0.")
        checks += require(offset_height >= 0, "offset_height must be >= 0.")
        checks += require(target_width > 0, "target_width must be > 0.")
        checks += require(target_height > 0, "target_height must be > 0.")
        checks += require(width >= (target_width + offset_width), "width must be >= target + offset.")
        checks += require(height >= (target_height + offset_height), "height must be >= target + offset.")
        image = with_dependencies(checks, image)
        begin = joining.stack([0, offset_height, offset_width, 0])
        cropped = slicing.slice(image, begin, joining.stack([-1, target_height, target_width, -1]))
        cropped.set_shape(known_sizes([batch, target_height, target_width, depth]))
        return unbatched(cropped, is_batch)


def _max(x: Any, y: Any) -> Any:
    return arithmetic.maximum(x, y) if is_symbolic(x) or is_symbolic(y) else builtins.max(x, y)


def _min(x: Any, y: Any) -> Any:
    return arithmetic.minimum(x, y) if is_symbolic(x) or is_symbolic(y) else builtins.min(x, y)


def _equal(x: Any, y: Any) -> Any:
    return comparison.equal(x, y) if is_symbolic(x) or is_symbolic(y) else x == y


def resize_image_with_crop_or_pad(image: TensorLike, target_height: int | Tensor, target_width: int | Tensor) -> Tensor:
    """Crops or pads images evenly to a size; the padding is zeros.

    Args:
        image: Tensor of any number dtype, of shape [height, width, channels] or [batch, height, width, channels].
        target_height: int or Tensor of int32, of shape []: rows of the result.
        target_width: the same, columns of the result.

    Returns:
        Tensor of the dtype and rank of `image`.

    Raises:
        ValueError: if a size is not positive, or the rank of `image` is not 3 or 4.
    """
    with name_scope(None, "resize_image_with_crop_or_pad", [image]):
        image, is_batch = as_batch(convert_to_tensor(image, name="image"))
        checks = check_at_least_3d(image, require_static=False)
        checks += require(target_width > 0, "target_width must be > 0.")
        checks += require(target_height > 0, "target_height must be > 0.")
        image = with_dependencies(checks, image)
        # These checks come before those of the functions called, so that the message is about the arguments.
        if is_symbolic(target_height):
            target_height = with_dependencies(checks, target_height)
        if is_symbolic(target_width):
            target_width = with_dependencies(checks, target_width)
        pixels: Any = image
        _, height, width, _ = dimensions(pixels, 4)
        more_columns = target_width - width
        more_rows = target_height - height
        cropped = crop_to_bounding_box(
            image,
            _max(-more_rows // 2, 0),
            _max(-more_columns // 2, 0),
            _min(target_height, height),
            _min(target_width, width),
        )
        resized = pad_to_bounding_box(
            cropped, _max(more_rows // 2, 0), _max(more_columns // 2, 0), target_height, target_width
        )
        _, resized_height, resized_width, _ = dimensions(resized, 4)
        checks = require(_equal(resized_height, target_height), "resized height is not correct.")
        checks += require(_equal(resized_width, target_width), "resized width is not correct.")
        return unbatched(with_dependencies(checks, resized), is_batch)


resize_with_crop_or_pad = resize_image_with_crop_or_pad


def extract_glimpse(
    input: TensorLike,
    size: ShapeTensorLike,
    offsets: TensorLike,
    centered: bool = True,
    normalized: bool = True,
    uniform_noise: bool = True,
    name: str | None = None,
    noise: str = "uniform",
) -> Tensor:
    """Extracts a window of each image; positions outside the image are noise like the image's pixels.

    Args:
        input: Tensor of float32, of shape [batch, height, width, channels].
        size: Tensor of int32, of shape [2]: height and width of the windows.
        offsets: Tensor of float32, of shape [batch, 2]: y and x of the windows' centers.
        centered: bool. If True, offsets count from the center of the image, in half its sides.
        normalized: bool. If True, offsets are in sides of the image; otherwise in pixels.
        uniform_noise: bool. If True, noise is uniform; otherwise normal.
        name: str, name of the operation.
        noise: str, "uniform", "gaussian" or "zero"; the last two with `uniform_noise` False only.

    Returns:
        Tensor of float32, of shape [batch, size[0], size[1], channels].

    Raises:
        ValueError: if shapes are incompatible.
    """
    attrs = {"centered": centered, "normalized": normalized, "uniform_noise": uniform_noise, "noise": noise}
    return tensor_op("ExtractGlimpse", [input, size, offsets], attrs, name=name)


@deprecated_args(box_ind="box_indices")
def crop_and_resize(
    image: TensorLike,
    boxes: TensorLike,
    box_ind: TensorLike | None = None,
    crop_size: TensorLike | None = None,
    method: str = "bilinear",
    extrapolation_value: float = 0,
    name: str | None = None,
    box_indices: Any = None,
) -> Tensor:
    """Crops boxes of images and resizes each to one size.

    Args:
        image: Tensor of a real number dtype, of shape [batch, height, width, channels].
        boxes: Tensor of float32, of shape [boxes, 4]: y1, x1, y2, x2 of each box. 0 and 1 are the centers of the first
            and the last pixel. A box with y1 > y2 or x1 > x2 is flipped, and positions outside the image are filled.
        box_ind: Tensor of int32, of shape [boxes]: the image of each box.
        crop_size: Tensor of int32, of shape [2]: height and width of the result.
        method: str, "bilinear" or "nearest".
        extrapolation_value: float, the value of pixels outside the image.
        name: str, name of the operation.
        box_indices: the later name of `box_ind`.

    Returns:
        Tensor of float32, of shape [boxes, crop_size[0], crop_size[1], channels].

    Raises:
        ValueError: if shapes are incompatible.
    """
    indices = deprecated_argument_lookup("box_indices", box_indices, "box_ind", box_ind)
    attrs = {"method": method, "extrapolation_value": extrapolation_value}
    return tensor_op("CropAndResize", [image, boxes, indices, crop_size], attrs, name=name)


@deprecated_args(ksizes="sizes")
def extract_image_patches(
    images: TensorLike,
    ksizes: ListLike | None = None,
    strides: IntsLike | None = None,
    rates: IntsLike | None = None,
    padding: str | None = None,
    name: str | None = None,
    sizes: ShapeTensorLike | None = None,
) -> Tensor:
    """Extracts the patches of images that a filter would see, each into the channels of one pixel.

    Args:
        images: Tensor of a real number dtype, of shape [batch, height, width, channels].
        ksizes: list of 4 ints, the sizes of patches: [1, rows, columns, 1].
        strides: list of 4 ints, from one patch to the next: [1, rows, columns, 1].
        rates: list of 4 ints, from one pixel of a patch to the next: [1, rows, columns, 1].
        padding: str, "SAME" or "VALID".
        name: str, name of the operation.
        sizes: the later name of `ksizes`.

    Returns:
        Tensor of the dtype of `images`, of shape [batch, rows, columns, ksizes[1] * ksizes[2] * channels].

    Raises:
        ValueError: if the lists do not have these forms.
    """
    ksizes = deprecated_argument_lookup("sizes", sizes, "ksizes", ksizes)
    attrs = {"ksizes": ksizes, "strides": strides, "rates": rates, "padding": padding}
    return tensor_op("ExtractImagePatches", [images], attrs, name=name)


def extract_patches(
    images: TensorLike,
    sizes: ShapeTensorLike,
    strides: IntsLike,
    rates: IntsLike,
    padding: str,
    name: str | None = None,
) -> Tensor:
    """Extracts patches of images; the newer name of `extract_image_patches`.

    Args:
        images: Tensor of a real number dtype, of shape [batch, height, width, channels].
        sizes: list of 4 ints, the sizes of patches: [1, rows, columns, 1].
        strides: list of 4 ints, from one patch to the next: [1, rows, columns, 1].
        rates: list of 4 ints, from one pixel of a patch to the next: [1, rows, columns, 1].
        padding: str, "SAME" or "VALID".
        name: str, name of the operation.

    Returns:
        Tensor of the dtype of `images`, of shape [batch, rows, columns, sizes[1] * sizes[2] * channels].
    """
    return extract_image_patches(images, None, strides, rates, padding, name, sizes)


def extract_volume_patches(
    input: TensorLike, ksizes: ListLike, strides: ListLike, padding: str, name: str | None = None
) -> Tensor:
    """Extracts patches of volumes: each patch becomes the channels of one position.

    Args:
        input: Tensor of a real dtype, of shape [batch, planes, rows, columns, channels].
        ksizes: five ints, the size of a patch: [1, planes, rows, columns, 1].
        strides: five ints, the distance between neighbouring patches: [1, planes, rows, columns, 1].
        padding: "SAME", with zeros around the volume, or "VALID", whose patches lie within the volume.
        name: str, name of the operation.

    Returns:
        Tensor of the dtype of `input`, of shape [batch, planes, rows, columns, size of a patch * channels].

    Raises:
        ValueError: if a stride is not positive, or a patch is larger than the volume.
    """
    attrs = {"ksizes": ksizes, "strides": strides, "padding": padding}
    return tensor_op("ExtractVolumePatches", [input], attrs, name=name)
