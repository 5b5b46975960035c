"""Images warped by a flow."""

from __future__ import annotations

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import TensorLike
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array.indexing import gather_nd
from ferroflow._src.ops.array.joining import stack
from ferroflow._src.ops.array.making import range as number_range
from ferroflow._src.ops.array.shaping import broadcast_to, expand_dims, reshape, shape
from ferroflow._src.ops.math.arithmetic import maximum, minimum
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.elementwise import floor


def dense_image_warp(image: TensorLike, flow: TensorLike, name: str = "dense_image_warp") -> Tensor:
    """Returns images whose pixel (j, i) is that of the input at (j - flow[j, i, 0], i - flow[j, i, 1]), bilinear.

    Points outside are those at the border.

    Args:
        image: Tensor of a float dtype of shape [images, height, width, channels], height and width at least 2.
        flow: Tensor of a float dtype of shape [images, height, width, 2]: the distances down and to the right.
        name: str, name scope.

    Returns:
        Tensor of the dtype and shape of `image`.

    Raises:
        TypeError: if `image` is of no float dtype.
        ValueError: if height or width is known and below 2, or `image` is not of rank 4.
    """
    with name_scope(name):
        pictures = convert_to_tensor(image, name="image")
        if not pictures.dtype.is_floating:
            raise TypeError(f"image must be of a float dtype, not {pictures.dtype.base_dtype.name}.")
        moved = convert_to_tensor(flow, name="flow")
        if pictures.shape.ndims != 4:
            raise ValueError("Grid must be 4 dimensional")
        if any(size is not None and size < 2 for size in pictures.shape.as_list()[1:3]):
            raise ValueError("Grid must be at least batch_size x 2 x 2.")
        dims = shape(pictures)
        kind = moved.dtype.base_dtype
        y = cast(number_range(dims[1]), kind)[None, :, None] - moved[..., 0]
        x = cast(number_range(dims[2]), kind)[None, None, :] - moved[..., 1]
        result = _at_points(pictures, y, x)
        result.set_shape(pictures.shape)
        return result


def _interpolate_bilinear(
    grid: TensorLike, query_points: TensorLike, name: str = "interpolate_bilinear", indexing: str = "ij"
) -> Tensor:
    """Returns the values of pictures at points, bilinear; points outside are those at the border.

    Args:
        grid: Tensor of a float dtype, of shape [pictures, height, width, channels], height and width at least 2.
        query_points: Tensor of a float dtype, of shape [pictures, points, 2].
        name: str, name scope.
        indexing: "ij" where a point is (row, column), "xy" where it is (column, row).

    Returns:
        Tensor of `grid`'s dtype, of shape [pictures, points, channels].

    Raises:
        ValueError: if `indexing` is neither, a rank does not fit, or the grid is too small.
    """
    if indexing not in ("ij", "xy"):
        raise ValueError("Indexing mode must be 'ij' or 'xy'")
    with name_scope(name):
        pictures: Tensor = convert_to_tensor(grid)
        points: Tensor = convert_to_tensor(query_points)
        if pictures.shape.ndims != 4:
            raise ValueError("Grid must be 4 dimensional. Received: " + str(pictures.shape))
        if points.shape.ndims != 3:
            raise ValueError("Query points must be 3 dimensional.")
        if any(size is not None and size < 2 for size in pictures.shape.as_list()[1:3]):
            raise ValueError("Grid must be at least batch_size x 2 x 2.")
        first, second = points[..., 0], points[..., 1]
        return _at_points(pictures, *((first, second) if indexing == "ij" else (second, first)))


def _at_points(pictures: Tensor, y: Tensor, x: Tensor) -> Tensor:
    """Returns the values at points, of the shape of `y` and `x`, with the channels added."""
    dims = shape(pictures)
    kind = y.dtype.base_dtype
    top, to_bottom = _cell(y, cast(dims[1], kind))
    left, to_right = _cell(x, cast(dims[2], kind))
    ones_after = [1] * ((y.shape.ndims or 1) - 1)
    number = broadcast_to(reshape(number_range(dims[0]), [-1, *ones_after]), shape(left))

    def corner(down: int, right: int) -> Tensor:
        return gather_nd(pictures, stack([number, top + down, left + right], axis=-1))

    to_bottom, to_right = (expand_dims(cast(part, pictures.dtype.base_dtype), -1) for part in (to_bottom, to_right))
    upper = to_right * (corner(0, 1) - corner(0, 0)) + corner(0, 0)
    lower = to_right * (corner(1, 1) - corner(1, 0)) + corner(1, 0)
    result: Tensor = to_bottom * (lower - upper) + upper
    return result


def _cell(at: Tensor, size: Tensor) -> tuple[Tensor, Tensor]:
    """Returns the number of the cell between two pixels in which a coordinate lies, and the place in it, from 0 to
    1.
    """
    first = minimum(maximum(floor(at), 0.0), size - 2.0)
    return cast(first, dtypes.int32), minimum(maximum(at - first, 0.0), 1.0)
