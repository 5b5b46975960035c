"""Connected regions of pictures, and matches of rows and columns by distance."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import TensorLike
from ferroflow._src.control_flow.loop import while_loop
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array.indexing import gather, unique, where
from ferroflow._src.ops.array.joining import concat
from ferroflow._src.ops.array.making import fill, ones_like, range as number_range, zeros_like
from ferroflow._src.ops.array.shaping import pad, reshape, shape, size
from ferroflow._src.ops.math import comparison
from ferroflow._src.ops.math.arithmetic import minimum
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.reduction import argmin, reduce_any, reduce_min


def _equal_neighbors(images: Tensor, axis: int) -> Tensor:
    """Returns whether each pixel equals the one before it along an axis; the first of a line does not."""
    before = images[:, :-1, :] if axis == 1 else images[:, :, :-1]
    after = images[:, 1:, :] if axis == 1 else images[:, :, 1:]
    paddings = [[0, 0], [1, 0], [0, 0]] if axis == 1 else [[0, 0], [0, 0], [1, 0]]
    return pad(comparison.equal(before, after), paddings)


def _least_of_regions(images: Tensor) -> Tensor:
    """Returns for each pixel the number of the first pixel of its region, of the shape of the pictures.

    Every round, a pixel takes the least label of its neighbors, and then the label of the pixel that its label names,
    so that long regions take few rounds.
    """
    joins = [(axis, _equal_neighbors(images, axis)) for axis in (1, 2)]
    none = size(images)

    def from_before(labels: Tensor, axis: int, joined: Tensor) -> Tensor:
        moved = pad(labels[:, :-1, :], [[0, 0], [1, 0], [0, 0]]) if axis == 1 else None
        if moved is None:
            moved = pad(labels[:, :, :-1], [[0, 0], [0, 0], [1, 0]])
        return where(joined, moved, fill(shape(labels), none))

    def from_after(labels: Tensor, axis: int, joined: Tensor) -> Tensor:
        if axis == 1:
            moved = pad(labels[:, 1:, :], [[0, 0], [0, 1], [0, 0]])
            joins_next = pad(joined[:, 1:, :], [[0, 0], [0, 1], [0, 0]])
        else:
            moved = pad(labels[:, :, 1:], [[0, 0], [0, 0], [0, 1]])
            joins_next = pad(joined[:, :, 1:], [[0, 0], [0, 0], [0, 1]])
        return where(joins_next, moved, fill(shape(labels), none))

    def round_(labels: Tensor, _: Tensor) -> tuple[Tensor, Tensor]:
        least = labels
        for axis, joined in joins:
            least = minimum(least, minimum(from_before(least, axis, joined), from_after(least, axis, joined)))
        for _step in range(2):
            least = reshape(gather(reshape(least, [-1]), reshape(least, [-1])), shape(least))
        return least, reduce_any(comparison.not_equal(least, labels))

    start = reshape(number_range(none), shape(images))
    labels, _ = while_loop(
        lambda _, has_changed: has_changed, round_, (start, comparison.greater(none, 0)), back_prop=False
    )
    found: Tensor = labels
    return found


def connected_components(images: TensorLike) -> Tensor:
    """Numbers the regions of equal pixels that are joined by their edges.

    Args:
        images: Tensor of any dtype, of shape [height, width] or [pictures, height, width]. Pixels of 0, False or "" are
            in no region.

    Returns:
        Tensor of int64, of the same shape: 0, or the number of a region, from 1, in the order of their first pixels.

    Raises:
        TypeError: if the rank is neither 2 nor 3.
    """
    with name_scope("connected_components"):
        given: Tensor = convert_to_tensor(images, name="images")
        if given.shape.ndims not in (2, 3):
            raise TypeError("images should have rank 2 (HW) or 3 (NHW). Static shape is " + str(given.shape))
        stacked = given[None] if given.shape.ndims == 2 else given
        nothing = constant("") if stacked.dtype == dtypes.string else cast(0, stacked.dtype)
        is_empty = comparison.equal(stacked, nothing)
        # An empty pixel is numbered 0, the others from 1 by their region's first pixel.
        labels = where(is_empty, zeros_like(stacked, dtypes.int32), _least_of_regions(stacked) + 1)
        flat = concat([[0], reshape(labels, [-1])], 0)
        _, numbers = unique(flat, out_idx=dtypes.int64)
        return reshape(numbers[1:], shape(given))


def bipartite_match(
    distance_mat: TensorLike, num_valid_rows: TensorLike, top_k: int = -1, name: str = "bipartite_match"
) -> tuple[Tensor, Tensor]:
    """Matches rows and columns greedily, the nearest first.

    Args:
        distance_mat: Tensor of float32, of shape [rows, columns].
        num_valid_rows: Tensor of a number dtype, of shape [1]: how many rows count; negative for all.
        top_k: int, the greatest number of matches; negative for as many as there are.
        name: str, name scope.

    Returns:
        (Tensor of int32, of shape [rows], the column of each row or -1; Tensor of int32, of shape [columns], the row of
        each column or -1).
    """
    with name_scope(name):
        distances: Tensor = convert_to_tensor(distance_mat, dtypes.float32)
        rows, columns = shape(distances)[0], shape(distances)[1]
        valid = cast(reshape(num_valid_rows, []), dtypes.int32)
        valid = where(comparison.less(valid, 0), rows, minimum(valid, rows))
        limit = minimum(valid, columns)
        if top_k >= 0:
            limit = minimum(limit, top_k)
        far = constant(float("inf"))
        is_valid = comparison.less(number_range(rows), valid)
        start = where(is_valid, distances, ones_like(distances) * far)

        def match(count: Tensor, left: Tensor, of_rows: Tensor, of_columns: Tensor) -> tuple[Any, ...]:
            place = cast(argmin(reshape(left, [-1]), 0), dtypes.int32)
            row, column = place // columns, place % columns
            at_row = comparison.equal(number_range(rows), row)
            at_column = comparison.equal(number_range(columns), column)
            used = comparison.logical_or(at_row[:, None], at_column[None, :])
            return (
                count + 1,
                where(used, ones_like(left) * far, left),
                where(at_row, ones_like(of_rows) * column, of_rows),
                where(at_column, ones_like(of_columns) * row, of_columns),
            )

        def has_more(count: Tensor, left: Tensor, *_: Tensor) -> Tensor:
            return comparison.logical_and(comparison.less(count, limit), comparison.less(reduce_min(left), far))

        none = (fill(shape(distances)[:1], -1), fill(shape(distances)[1:], -1))
        _, _, of_rows, of_columns = while_loop(has_more, match, (0, start, *none), back_prop=False)
        return of_rows, of_columns
