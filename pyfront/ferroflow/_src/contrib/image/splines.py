"""Polyharmonic splines through points, and pictures warped by the motion of a few points."""

from __future__ import annotations

from typing import Any

import numpy as np

from ferroflow._src.base.typing import TensorLike
from ferroflow._src.contrib.image.warping import dense_image_warp
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array.joining import concat
from ferroflow._src.ops.array.making import ones_like, zeros
from ferroflow._src.ops.array.shaping import reshape, shape, tile
from ferroflow._src.ops.linalg.solving import matrix_solve
from ferroflow._src.ops.math.arithmetic import maximum, pow as power
from ferroflow._src.ops.math.elementwise import log, sqrt, square
from ferroflow._src.ops.math.linalg import eye, matmul, matrix_transpose
from ferroflow._src.ops.math.reduction import reduce_sum

_EPSILON = 1e-10


def _squared_distances(x: Tensor, y: Tensor) -> Tensor:
    """Returns the squared distances between the rows of x and y, of shape [batch, rows of x, rows of y]."""
    of_x, of_y = reduce_sum(square(x), 2)[:, :, None], reduce_sum(square(y), 2)[:, None, :]
    distances: Tensor = of_x - 2.0 * matmul(x, y, adjoint_b=True) + of_y
    return distances


def _phi(r: Tensor, order: int) -> Tensor:
    """Returns the radial function of an order at squared distances: a power, times the logarithm if it is even."""
    if order % 2 == 0:
        logarithm = log(maximum(r, _EPSILON))
        return 0.5 * r * logarithm if order == 2 else 0.5 * power(r, 0.5 * order) * logarithm
    return sqrt(maximum(r, _EPSILON)) if order == 1 else power(maximum(r, _EPSILON), 0.5 * order)


def interpolate_spline(
    train_points: TensorLike,
    train_values: TensorLike,
    query_points: TensorLike,
    order: int,
    regularization_weight: float = 0.0,
    name: str = "interpolate_spline",
) -> Tensor:
    """Returns the values at points of the polyharmonic spline through others.

    Args:
        train_points: Tensor of a float dtype, of shape [batch, given points, dimensions].
        train_values: Tensor of the same dtype, of shape [batch, given points, values].
        query_points: Tensor of the same dtype, of shape [batch, points, dimensions].
        order: int, of the radial functions; 2 for thin plates.
        regularization_weight: float, how smooth the spline is where it does not go through the points.
        name: str, name scope.

    Returns:
        Tensor of the same dtype, of shape [batch, points, values].
    """
    with name_scope(name):
        centers: Tensor = convert_to_tensor(train_points)
        values: Tensor = convert_to_tensor(train_values)
        points: Tensor = convert_to_tensor(query_points)
        dims = shape(centers)
        number = dims[1] if centers.shape[1].value is None else centers.shape[1].value
        radial = _phi(_squared_distances(centers, centers), order)
        if regularization_weight > 0:
            radial += regularization_weight * eye(number, dtype=centers.dtype)[None]
        linear = concat([centers, ones_like(centers[:, :, :1])], 2)
        corner = zeros([dims[0], dims[2] + 1, dims[2] + 1], centers.dtype)
        left = concat([radial, matrix_transpose(linear)], 1)
        system = concat([left, concat([linear, corner], 1)], 2)
        right = concat([values, zeros([dims[0], dims[2] + 1, shape(values)[2]], values.dtype)], 1)
        solved = matrix_solve(system, right)
        weights, rest = solved[:, :number, :], solved[:, number:, :]
        flat = concat([points, ones_like(points[:, :, :1])], 2)
        found: Tensor = matmul(_phi(_squared_distances(points, centers), order), weights) + matmul(flat, rest)
        return found


def _grid(height: int, width: int, rows: int, columns: int) -> np.ndarray:
    y, x = np.linspace(0, height - 1, rows), np.linspace(0, width - 1, columns)
    return np.stack(np.meshgrid(y, x, indexing="ij"), -1)


def _get_grid_locations(image_height: int, image_width: int) -> np.ndarray:
    """Returns (row, column) of every pixel, of shape [height, width, 2]."""
    return _grid(image_height, image_width, image_height, image_width)


def _get_boundary_locations(image_height: int, image_width: int, num_points_per_edge: int) -> np.ndarray:
    """Returns evenly spread points of the border, corners included, of shape [points, 2]."""
    grid = _grid(image_height, image_width, num_points_per_edge + 2, num_points_per_edge + 2).reshape(-1, 2)
    on_border = np.any((grid == 0) | (grid == [image_height - 1, image_width - 1]), axis=1)
    return np.asarray(grid[on_border])


def sparse_image_warp(
    image: TensorLike,
    source_control_point_locations: TensorLike,
    dest_control_point_locations: TensorLike,
    interpolation_order: int = 2,
    regularization_weight: float = 0.0,
    num_boundary_points: int = 0,
    name: str = "sparse_image_warp",
) -> tuple[Tensor, Tensor]:
    """Warps pictures so that some points move to others.

    Args:
        image: Tensor of a float dtype, of the known shape [pictures, height, width, channels].
        source_control_point_locations: Tensor of a float dtype, of shape [pictures, points, 2]: rows and columns.
        dest_control_point_locations: Tensor of the same dtype and shape, where the points move to.
        interpolation_order: int, the order of the spline.
        regularization_weight: float, as `interpolate_spline`.
        num_boundary_points: int, how many points of each edge stay, besides the corners; 0 for no points at all.
        name: str, name scope.

    Returns:
        (Tensor of `image`'s dtype and shape, the flow of shape [pictures, height, width, 2]).
    """
    with name_scope(name):
        pictures: Tensor = convert_to_tensor(image)
        source: Tensor = convert_to_tensor(source_control_point_locations)
        target: Tensor = convert_to_tensor(dest_control_point_locations)
        flows = target - source
        sizes: list[Any] = pictures.shape.as_list()
        number, height, width, _ = sizes
        count = shape(pictures)[0] if number is None else number
        if num_boundary_points > 0:
            # TF 1.x: an edge has one point less than its argument, besides the corners.
            border = _get_boundary_locations(height, width, num_boundary_points - 1)
            fixed = tile(constant(border, source.dtype)[None], [count, 1, 1])
            target = concat([target, fixed], 1)
            flows = concat([flows, zeros(shape(fixed), flows.dtype)], 1)
        grid = constant(_get_grid_locations(height, width).reshape(-1, 2), source.dtype)
        everywhere = tile(grid[None], [count, 1, 1])
        flow = interpolate_spline(target, flows, everywhere, interpolation_order, regularization_weight)
        dense = reshape(flow, [-1, height, width, 2])
        return dense_image_warp(pictures, dense), dense
