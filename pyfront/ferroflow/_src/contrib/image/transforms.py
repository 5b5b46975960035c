"""Projective transforms of images, and the vectors of eight numbers that describe them."""

from __future__ import annotations

from typing import Any

from ferroflow._src.autodiff.custom_gradient import custom_gradient
from ferroflow._src.base import dtypes
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.base.typing import ShapeTensorLike, TensorLike
from ferroflow._src.framework.constant import constant_value_as_shape
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array.indexing import gather_nd, where
from ferroflow._src.ops.array.joining import concat, meshgrid, stack
from ferroflow._src.ops.array.making import ones, ones_like, range as number_range, zeros, zeros_like
from ferroflow._src.ops.array.shaping import broadcast_to, expand_dims, reshape, shape, squeeze
from ferroflow._src.ops.linalg.solving import matrix_inverse
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.comparison import equal, logical_and
from ferroflow._src.ops.math.elementwise import abs as absolute, cos, floor, sign, sin
from ferroflow._src.ops.math.linalg import matmul

_DTYPES = (dtypes.uint8, dtypes.int32, dtypes.int64, dtypes.float16, dtypes.float32, dtypes.float64)
_INTERPOLATIONS = ("NEAREST", "BILINEAR")


def _at_least_one(values: Any, rank: int, what: str) -> Tensor:
    """Returns a batch of float32 vectors or numbers, of one if there is none.

    Raises:
        TypeError: if the rank is unknown, or neither `rank` nor `rank - 1`.
    """
    given = convert_to_tensor(values, name=what, dtype=dtypes.float32)
    if given.shape.ndims is None:
        raise TypeError(f"{what} rank must be statically known")
    if given.shape.ndims not in (rank - 1, rank):
        raise TypeError(f"{what} should have rank {rank - 1} or {rank}, found {given.shape.ndims}")
    return given if given.shape.ndims == rank else expand_dims(given, 0)


def angles_to_projective_transforms(
    angles: TensorLike, image_height: TensorLike, image_width: TensorLike, name: str | None = None
) -> Tensor:
    """Returns the transforms that rotate images about their centres, counterclockwise.

    Args:
        angles: Tensor of float32, in radians, of shape [] or [images].
        image_height: number or scalar Tensor.
        image_width: number or scalar Tensor.
        name: str, name scope.

    Returns:
        Tensor of float32 of shape [images, 8].

    Raises:
        TypeError: if `angles` is neither a number nor a vector.
    """
    with name_scope(name, "angles_to_projective_transforms"):
        turned = _at_least_one(angles, 1, "Angles")
        right = cast(image_width, dtypes.float32) - 1.0
        below = cast(image_height, dtypes.float32) - 1.0
        c, s = cos(turned), sin(turned)
        across = (right - (c * right - s * below)) / 2.0
        down = (below - (s * right + c * below)) / 2.0
        return stack([c, -s, across, s, c, down, zeros_like(c), zeros_like(c)], axis=1)


def translations_to_projective_transforms(translations: TensorLike, name: str | None = None) -> Tensor:
    """Returns the transforms that move images.

    Args:
        translations: Tensor of float32 of shape [2] or [images, 2]: to the right and down.
        name: str, name scope.

    Returns:
        Tensor of float32 of shape [images, 8].

    Raises:
        TypeError: if `translations` is neither a vector nor a matrix.
    """
    with name_scope(name, "translations_to_projective_transforms"):
        moved = _at_least_one(translations, 2, "translations")
        one, zero = ones_like(moved[:, 0]), zeros_like(moved[:, 0])
        return stack([one, zero, -moved[:, 0], zero, one, -moved[:, 1], zero, zero], axis=1)


def flat_transforms_to_matrices(transforms: TensorLike) -> Tensor:
    """Returns transforms as matrices.

    Args:
        transforms: Tensor of float32 of shape [8] or [images, 8].

    Returns:
        Tensor of float32 of shape [images, 3, 3].

    Raises:
        ValueError: if `transforms` has neither 1 nor 2 dimensions.
    """
    given = convert_to_tensor(transforms, name="transforms", dtype=dtypes.float32)
    if given.shape.ndims not in (1, 2):
        raise ValueError(f"Transforms should be 1D or 2D, got: {given}")
    rows = reshape(given, [-1, 8])
    return reshape(concat([rows, ones([shape(rows)[0], 1])], axis=1), [-1, 3, 3])


def matrices_to_flat_transforms(transform_matrices: TensorLike) -> Tensor:
    """Returns matrices as transforms, divided by their last element.

    Args:
        transform_matrices: Tensor of float32 of shape [3, 3] or [images, 3, 3].

    Returns:
        Tensor of float32 of shape [images, 8].

    Raises:
        ValueError: if `transform_matrices` has neither 2 nor 3 dimensions.
    """
    given = convert_to_tensor(transform_matrices, name="transform_matrices", dtype=dtypes.float32)
    if given.shape.ndims not in (2, 3):
        raise ValueError(f"Matrices should be 2D or 3D, got: {given}")
    rows = reshape(given, [-1, 9])
    return (rows / rows[:, 8:9])[:, :8]


def compose_transforms(*transforms: Any) -> Tensor:
    """Returns one transform with the effect of several, applied in their order.

    Args:
        *transforms: Tensors of float32 of shape [8] or [images, 8].

    Returns:
        Tensor of float32 of shape [images, 8].

    Raises:
        AssertionError: if there are none.
    """
    if not transforms:
        raise AssertionError("transforms cannot be empty")
    with name_scope("compose_transforms"):
        composed = flat_transforms_to_matrices(transforms[0])
        for following in transforms[1:]:
            composed = matmul(composed, flat_transforms_to_matrices(following))
        return matrices_to_flat_transforms(composed)


def transform(
    images: TensorLike,
    transforms: TensorLike,
    interpolation: str = "NEAREST",
    output_shape: ShapeTensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Returns images whose pixel (x, y) is that of the input at ((a0 x + a1 y + a2) / k, (b0 x + b1 y + b2) / k).

    `k` is `c0 x + c1 y + 1`. Pixels from outside of the image are 0. The gradient is the gradient's image under the
    inverse transform, as in TensorFlow, which is exact for moves by whole pixels alone.

    Args:
        images: Tensor of uint8, int32, int64, float16, float32 or float64, of shape
            [images, height, width, channels], [height, width, channels] or [height, width].
        transforms: Tensor of float32 of shape [8] or [images, 8]: a0, a1, a2, b0, b1, b2, c0, c1.
        interpolation: "NEAREST" or "BILINEAR".
        output_shape: Tensor of int32 of shape [2], height and width of the result; None for those of the input.
        name: str, name scope.

    Returns:
        Tensor of the dtype of `images`, of its rank.

    Raises:
        TypeError: if `images` has a dtype or `transforms` a rank that is not listed above.
        ValueError: if `interpolation` is not 'NEAREST' or 'BILINEAR'.
    """
    if interpolation not in _INTERPOLATIONS:
        raise ValueError(f"interpolation must be one of {_INTERPOLATIONS}, found {interpolation!r}")
    with name_scope(name, "transform"):
        given = convert_to_tensor(images, name="images")
        if given.dtype.base_dtype not in _DTYPES:
            raise TypeError(f"Invalid dtype {given.dtype}.")
        rank = _check_rank(given)
        pictures = given[None, :, :, None] if rank == 2 else given[None] if rank == 3 else given
        rows = _at_least_one(transforms, 2, "transforms")
        size = shape(pictures)[1:3] if output_shape is None else convert_to_tensor(output_shape, dtypes.int32)
        known = pictures.shape[1:3] if output_shape is None else constant_value_as_shape(size)

        @custom_gradient
        def transformed(pictures: Tensor, rows: Tensor) -> Any:
            def gradient(grad: Tensor) -> list[Any]:
                inverse = matrices_to_flat_transforms(matrix_inverse(flat_transforms_to_matrices(rows)))
                return [_sampled(grad, inverse, shape(pictures)[1:3], interpolation), None]

            return _sampled(pictures, rows, size, interpolation), gradient

        result: Tensor = transformed(pictures, rows)
        result.set_shape(
            TensorShape([pictures.shape[0], *(known if known.ndims == 2 else (None, None)), pictures.shape[3]])
        )
        return squeeze(result, [0, 3]) if rank == 2 else squeeze(result, [0]) if rank == 3 else result


def _check_rank(images: Tensor) -> int:
    rank = images.shape.ndims
    if rank is None:
        raise TypeError("image rank must be statically known")
    if rank not in (2, 3, 4):
        raise TypeError("Images should have rank between 2 and 4.")
    return rank


def _sampled(pictures: Tensor, rows: Tensor, size: Tensor, interpolation: str) -> Tensor:
    """Returns the pixels of [images, height, width, channels] that transforms of [1 or images, 8] choose."""
    across, down = meshgrid(cast(number_range(size[1]), dtypes.float32), cast(number_range(size[0]), dtypes.float32))
    a0, a1, a2, b0, b1, b2, c0, c1 = (rows[:, i, None, None] for i in range(8))
    depth = c0 * across + c1 * down + 1.0
    behind = equal(depth, 0.0)
    safe = where(behind, ones_like(depth), depth)
    count = shape(pictures)[0]
    everywhere = stack([count, size[0], size[1]])
    # A point without an image lies outside of every picture.
    x = broadcast_to(where(behind, -2.0 * ones_like(depth), (a0 * across + a1 * down + a2) / safe), everywhere)
    y = broadcast_to(where(behind, -2.0 * ones_like(depth), (b0 * across + b1 * down + b2) / safe), everywhere)
    if interpolation == "NEAREST":
        return _pixels(pictures, _rounded(y), _rounded(x))
    left, top = floor(x), floor(y)
    kind = pictures.dtype.base_dtype
    working = kind if kind.is_floating else dtypes.float32
    to_right, to_bottom = (expand_dims(cast(part, working), -1) for part in (x - left, y - top))
    upper, lower = (
        (1.0 - to_right) * cast(_pixels(pictures, line, left), working)
        + to_right * cast(_pixels(pictures, line, left + 1.0), working)
        for line in (top, top + 1.0)
    )
    blended: Tensor = cast((1.0 - to_bottom) * upper + to_bottom * lower, kind)
    return blended


def _rounded(x: Tensor) -> Tensor:
    """To the nearest whole number, a half away from zero."""
    nearest: Tensor = sign(x) * floor(absolute(x) + 0.5)
    return nearest


def _pixels(pictures: Tensor, y: Tensor, x: Tensor) -> Tensor:
    """Returns the pixels at whole coordinates of [images, height, width]; 0 outside."""
    dims = shape(pictures)
    height, width = cast(dims[1], dtypes.float32), cast(dims[2], dtypes.float32)
    inside = logical_and(logical_and(y >= 0.0, y < height), logical_and(x >= 0.0, x < width))
    number = broadcast_to(number_range(dims[0])[:, None, None], shape(x))
    row, column = (cast(where(inside, at, zeros_like(at)), dtypes.int32) for at in (y, x))
    found = gather_nd(pictures, stack([number, row, column], axis=-1))
    kept = broadcast_to(expand_dims(inside, -1), shape(found))
    return where(kept, found, zeros(shape(found), pictures.dtype.base_dtype))


def rotate(images: TensorLike, angles: TensorLike, interpolation: str = "NEAREST", name: str | None = None) -> Tensor:
    """Rotates images about their centres, counterclockwise.

    Args:
        images: as for `transform`.
        angles: Tensor of float32, in radians, of shape [] or [images].
        interpolation: "NEAREST" or "BILINEAR".
        name: str, name scope.

    Returns:
        Tensor of the dtype and shape of `images`; pixels from outside are 0.

    Raises:
        TypeError: on the same conditions as `transform`.
        ValueError: on the same conditions as `transform`.
    """
    with name_scope(name, "rotate"):
        given = convert_to_tensor(images)
        _check_rank(given)
        first = 1 if given.shape.ndims == 4 else 0
        dims = shape(given)
        return transform(
            given, angles_to_projective_transforms(angles, dims[first], dims[first + 1]), interpolation=interpolation
        )


def translate(
    images: TensorLike, translations: TensorLike, interpolation: str = "NEAREST", name: str | None = None
) -> Tensor:
    """Shifts images.

    Args:
        images: as for `transform`.
        translations: Tensor of float32 of shape [2] or [images, 2]: to the right and down.
        interpolation: "NEAREST" or "BILINEAR".
        name: str, name scope.

    Returns:
        Tensor of the dtype and shape of `images`; pixels from outside are 0.

    Raises:
        TypeError: on the same conditions as `transform`.
        ValueError: on the same conditions as `transform`.
    """
    with name_scope(name, "translate"):
        return transform(images, translations_to_projective_transforms(translations), interpolation=interpolation)
