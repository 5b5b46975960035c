"""Measures of images: how they change from pixel to pixel, and how alike two of them are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import TensorLike
from ferroflow._src.framework.apply import tensor_op
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import control_dependencies, name_scope
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.ops.array import joining, making, shaping
from ferroflow._src.ops.flow import checking
from ferroflow._src.ops.image.coloring import convert_image_dtype
from ferroflow._src.ops.math import arithmetic, cast, comparison, elementwise
from ferroflow._src.ops.math.reduction import reduce_all, reduce_mean, reduce_prod, reduce_sum

# Weights of the scales of `ssim_multiscale`, from the finest. Source: Wang, Simoncelli, Bovik, 2003.
_SCALES = (0.0448, 0.2856, 0.3001, 0.2363, 0.1333)


def total_variation(images: TensorLike, name: str | None = None) -> Tensor:
    """Returns the sum of the absolute differences of neighbouring pixels.

    Args:
        images: Tensor of a number dtype, of shape [height, width, channels] or [batch, height, width, channels].
        name: str, name scope of the operations.

    Returns:
        Tensor of the dtype of `images`, of shape [] or [batch].

    Raises:
        ValueError: if the rank of `images` is not 3 or 4.
    """
    with name_scope(name, "total_variation"):
        images = convert_to_tensor(images, name="images")
        ndims = images.get_shape().ndims
        if ndims == 3:
            down, across, axis = images[1:] - images[:-1], images[:, 1:] - images[:, :-1], None
        elif ndims == 4:
            down, across = images[:, 1:] - images[:, :-1], images[:, :, 1:] - images[:, :, :-1]
            axis = [1, 2, 3]
        else:
            raise ValueError("'images' must be either 3 or 4-dimensional.")
        total: Tensor = reduce_sum(elementwise.abs(down), axis=axis) + reduce_sum(elementwise.abs(across), axis=axis)
        return total


def image_gradients(image: Tensor) -> tuple[Tensor, Tensor]:
    """Returns the differences of each pixel and the next, down and across; 0 for the last.

    Args:
        image: Tensor of a number dtype, of shape [batch, height, width, channels].

    Returns:
        Two Tensors of the dtype and shape of `image`.

    Raises:
        ValueError: if the rank of `image` is not 4.
    """
    if image.get_shape().ndims != 4:
        raise ValueError(f"image_gradients expects a 4D tensor [batch_size, h, w, d], not {image.get_shape()}.")
    shape = shaping.shape(image)
    batch, height, width, depth = joining.unstack(shape, 4)

    def completed(differences: Any, rest: list[Any], axis: int) -> Tensor:
        zeros = making.zeros(joining.stack(rest), image.dtype)
        return shaping.reshape(joining.concat([differences, zeros], axis), shape)

    down = completed(image[:, 1:] - image[:, :-1], [batch, 1, width, depth], 1)
    across = completed(image[:, :, 1:] - image[:, :, :-1], [batch, height, 1, depth], 2)
    return down, across


def _shifted(image: Any, axis: int, offset: int, length: int) -> Any:
    """Returns the part of a dimension from `offset` on that leaves room for `length` such parts."""
    part = slice(offset, (offset + 1 - length) or None)
    return image[(slice(None),) * axis + (part,)]


def _filtered(image: Any, axis: int, weights: Sequence[float]) -> Any:
    """Returns sums of neighbours along a dimension with these weights, where all are inside.

    Raises:
        ValueError: if the images are known to have fewer pixels there than weights.
    """
    known = image.get_shape()
    size = None if known.ndims is None else known[axis].value
    if size is not None and size < len(weights):
        raise ValueError(f"Negative dimension size caused by subtracting {len(weights)} from {size}")
    terms = [
        _shifted(image, axis, k, len(weights)) * constant(weight, dtype=image.dtype)
        for k, weight in enumerate(weights)
        if weight != 0
    ]
    total = terms[0]
    for term in terms[1:]:
        total = total + term
    return total


def sobel_edges(image: TensorLike) -> Tensor:
    """Computes the vertical and horizontal changes of images with Sobel's filters.

    Args:
        image: Tensor of float32 or float64, of shape [batch, height, width, channels], 2 x 2 pixels at least.

    Returns:
        Tensor of the dtype of `image`, of shape [batch, height, width, channels, 2]: down, across.
    """
    image = convert_to_tensor(image, name="image")
    known = image.get_shape()
    padded = shaping.pad(image, [[0, 0], [1, 1], [1, 1], [0, 0]], mode="REFLECT")
    slope, smooth = (-1.0, 0.0, 1.0), (1.0, 2.0, 1.0)
    down = _filtered(_filtered(padded, 1, slope), 2, smooth)
    across = _filtered(_filtered(padded, 1, smooth), 2, slope)
    edges = joining.stack([down, across], axis=-1)
    edges.set_shape(known.concatenate([2]))
    return edges


def _check_alike(first: Tensor, second: Tensor) -> tuple[Tensor, Tensor, list[Operation]]:
    """Returns the shapes of two sets of images, and the checks that the images have the same size."""
    shape1 = first.get_shape().with_rank_at_least(3)
    shape2 = second.get_shape().with_rank_at_least(3)
    shape1[-3:].assert_is_compatible_with(shape2[-3:])
    if shape1.ndims is not None and shape2.ndims is not None:
        heads = zip(reversed(list(shape1[:-3])), reversed(list(shape2[:-3])), strict=False)
        for a, b in heads:
            if not (a == 1 or b == 1 or a.is_compatible_with(b)):
                raise ValueError(f"Two images are not compatible: {shape1} and {shape2}")
    sizes1, sizes2 = shaping.shape_n([first, second])
    checks = [
        checking.Assert(comparison.greater_equal(shaping.size(sizes1), 3), [sizes1, sizes2], summarize=10),
        checking.Assert(reduce_all(comparison.equal(sizes1[-3:], sizes2[-3:])), [sizes1, sizes2], summarize=10),
    ]
    return sizes1, sizes2, checks


def psnr(a: TensorLike, b: TensorLike, max_val: TensorLike, name: str | None = None) -> Tensor:
    """Returns the peak signal-to-noise ratio of images, in decibels.

    Args:
        a: Tensor of a real number dtype, of shape [..., height, width, channels].
        b: Tensor of that dtype, of a shape that broadcasts with that of `a`.
        max_val: number, or Tensor of the dtype of `a` of shape []: the difference of the largest and the least pixel
            there can be.
        name: str, name scope of the operations.

    Returns:
        Tensor of float32, of shape [...].

    Raises:
        ValueError: if the images have different sizes.
    """
    with name_scope(name, "PSNR", [a, b]):
        a, b = convert_to_tensor(a, name="a"), convert_to_tensor(b, name="b")
        peak = convert_image_dtype(cast.cast(max_val, a.dtype), dtypes.float32)
        a, b = convert_image_dtype(a, dtypes.float32), convert_image_dtype(b, dtypes.float32)
        error = reduce_mean(arithmetic.squared_difference(a, b), [-3, -2, -1])
        ratio = arithmetic.subtract(
            20 * elementwise.log(peak) / elementwise.log(10.0),
            np.float32(10 / np.log(10)) * elementwise.log(error),
            name="psnr",
        )
        _, _, checks = _check_alike(a, b)
        with control_dependencies(checks):
            return making.identity(ratio)


def _window(size: int, sigma: float) -> list[float]:
    """Returns a Gaussian of a given size that sums to 1."""
    places = np.arange(size) - (size - 1) / 2.0
    weights = np.exp(-0.5 * np.square(places / sigma))
    return [float(w) for w in weights / weights.sum()]


def _ssim_per_channel(
    first: Tensor, second: Tensor, max_val: Tensor, size: int, sigma: float, k1: float, k2: float
) -> tuple[Tensor, Tensor]:
    """Returns the index and its part without brightness, by channel."""
    shape1, shape2 = shaping.shape_n([first, second])
    checks = [
        checking.Assert(reduce_all(comparison.greater_equal(shape[-3:-1], size)), [shape, size], summarize=8)
        for shape in (shape1, shape2)
    ]
    with control_dependencies(checks):
        first = making.identity(first)
    weights = _window(size, sigma)

    def local_mean(x: TensorLike) -> Tensor:
        # The Gaussian of two dimensions is one along each.
        shape = shaping.shape(x)
        flat = shaping.reshape(x, joining.concat([[-1], shape[-3:]], 0))
        blurred = _filtered(_filtered(flat, 1, weights), 2, weights)
        return shaping.reshape(blurred, joining.concat([shape[:-3], shaping.shape(blurred)[1:]], 0))

    c1, c2 = (k1 * max_val) ** 2, (k2 * max_val) ** 2
    mean1, mean2 = local_mean(first), local_mean(second)
    product = mean1 * mean2 * 2.0
    squares = elementwise.square(mean1) + elementwise.square(mean2)
    luminance = (product + c1) / (squares + c1)
    products = local_mean(first * second) * 2.0
    powers = local_mean(elementwise.square(first) + elementwise.square(second))
    structure = (products - product + c2) / (powers - squares + c2)
    return reduce_mean(luminance * structure, [-3, -2]), reduce_mean(structure, [-3, -2])


def _as_float_images(first: Any, second: Any, max_val: Any) -> tuple[Tensor, Tensor, Tensor]:
    peak = convert_image_dtype(cast.cast(max_val, first.dtype), dtypes.float32)
    return convert_image_dtype(first, dtypes.float32), convert_image_dtype(second, dtypes.float32), peak


def ssim(
    img1: TensorLike,
    img2: TensorLike,
    max_val: TensorLike,
    filter_size: int = 11,
    filter_sigma: float = 1.5,
    k1: float = 0.01,
    k2: float = 0.03,
) -> Tensor:
    """Returns the structural similarity of images.

    Source: Wang, Bovik, Sheikh, Simoncelli, Image quality assessment, 2004.

    Args:
        img1: Tensor of a real number dtype, of shape [..., height, width, channels].
        img2: Tensor of that dtype, of a shape that broadcasts with that of `img1`.
        max_val: number, or Tensor of the dtype of `img1` of shape []: the difference of the largest and the least pixel
            there can be.
        filter_size: int, side of the Gaussian window, in pixels.
        filter_sigma: float, width of the Gaussian, in pixels.
        k1: float, steadies the comparison of brightness.
        k2: float, steadies the comparison of contrast and structure.

    Returns:
        Tensor of float32, of shape [...], in (-1, 1].

    Raises:
        ValueError: if the images have different sizes.
    """
    with name_scope(None, "SSIM", [img1, img2]):
        img1, img2 = convert_to_tensor(img1, name="img1"), convert_to_tensor(img2, name="img2")
        _, _, checks = _check_alike(img1, img2)
        with control_dependencies(checks):
            img1 = making.identity(img1)
        first, second, peak = _as_float_images(img1, img2, max_val)
        index, _ = _ssim_per_channel(first, second, peak, filter_size, filter_sigma, k1, k2)
        return reduce_mean(index, [-1])


def _halved(images: Tensor, sizes: Tensor) -> Tensor:
    """Returns images of half the size, rounded up: means of 2 x 2 pixels, the last repeated if it is alone."""
    odd = sizes % constant([2, 2, 1])
    padding = shaping.pad(shaping.expand_dims(odd, -1), [[1, 0], [1, 0]])
    padded: Any = shaping.pad(images, padding, mode="SYMMETRIC")
    rows = padded[:, ::2] + padded[:, 1::2]
    halved: Tensor = (rows[:, :, ::2] + rows[:, :, 1::2]) * 0.25
    return halved


def ssim_multiscale(
    img1: TensorLike,
    img2: TensorLike,
    max_val: TensorLike,
    power_factors: Sequence[float] = _SCALES,
    filter_size: int = 11,
    filter_sigma: float = 1.5,
    k1: float = 0.01,
    k2: float = 0.03,
) -> Tensor:
    """Returns the structural similarity of images at several scales.

    Source: Wang, Simoncelli, Bovik, Multiscale structural similarity for image quality assessment, 2003.

    Args:
        img1: Tensor of a real number dtype, of shape [..., height, width, channels].
        img2: Tensor of that dtype, of a shape that broadcasts with that of `img1`.
        max_val: number, or Tensor of the dtype of `img1` of shape []: the difference of the largest and the least pixel
            there can be.
        power_factors: floats, the weights of the scales, each half the size of the one before.
        filter_size: int, side of the Gaussian window, in pixels.
        filter_sigma: float, width of the Gaussian, in pixels.
        k1: float, steadies the comparison of brightness.
        k2: float, steadies the comparison of contrast and structure.

    Returns:
        Tensor of float32, of shape [...], in [0, 1].

    Raises:
        ValueError: if the images have different sizes.
    """
    with name_scope(None, "MS-SSIM", [img1, img2]):
        img1, img2 = convert_to_tensor(img1, name="img1"), convert_to_tensor(img2, name="img2")
        img1.get_shape().with_rank_at_least(3)[-3:].merge_with(img2.get_shape().with_rank_at_least(3)[-3:])
        shape1, shape2, checks = _check_alike(img1, img2)
        with control_dependencies(checks):
            img1 = making.identity(img1)
        first, second, peak = _as_float_images(img1, img2, max_val)
        images: list[Tensor] = [first, second]
        heads = [shape[:-3] for shape in (shape1, shape2)]
        tails = [shape[-3:] for shape in (shape1, shape2)]
        structures = []
        for scale in range(len(power_factors)):
            with name_scope(None, f"Scale{scale}", images):
                if scale > 0:
                    flat = [
                        shaping.reshape(x, joining.concat([[-1], tail], 0))
                        for x, tail in zip(images, tails, strict=True)
                    ]
                    smaller = [_halved(x, tails[0]) for x in flat]
                    tails = [shape[1:] for shape in shaping.shape_n(smaller)]
                    images = [
                        shaping.reshape(x, joining.concat([head, tail], 0))
                        for x, head, tail in zip(smaller, heads, tails, strict=True)
                    ]
                index, structure = _ssim_per_channel(images[0], images[1], peak, filter_size, filter_sigma, k1, k2)
                structures.append(tensor_op("Relu", [structure]))
        # Brightness counts at the coarsest scale alone.
        stacked = joining.stack([*structures[:-1], tensor_op("Relu", [index])], axis=-1)
        product = reduce_prod(arithmetic.pow(stacked, list(power_factors)), [-1])
        return reduce_mean(product, [-1])
