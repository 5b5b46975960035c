"""Reductions of slices of a tensor along one axis."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ferroflow._src.base.function_families import FunctionFamily
from ferroflow._src.base.typing import IntLike, TensorLike
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array.indexing import where
from ferroflow._src.ops.array.joining import concat, stack
from ferroflow._src.ops.array.making import fill, range as numbers
from ferroflow._src.ops.array.shaping import expand_dims, rank, reshape, shape, transpose
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.comparison import logical_and
from ferroflow._src.ops.math.reduction import reduce_max, reduce_min, reduce_prod, reduce_sum

__all__ = ["reduce_slice_max", "reduce_slice_min", "reduce_slice_prod", "reduce_slice_sum"]

# The function that reduces, and the value of an empty slice by dtype.
_Reduction = tuple[Callable[..., Any], Callable[[Any], Any]]


@FunctionFamily
def _reduced(
    reduction: _Reduction, data: TensorLike, indices: TensorLike, axis: IntLike, name: str | None = None
) -> Tensor:
    """Computes {what} of slices of a tensor along an axis.

    Args:
        data: Tensor of a number dtype, of any shape but [].
        indices: Tensor of int32 or int64, of shape [slices, 2]: the begin and the end of each slice. Or of shape
            [slices + 1]: the ends of slices that follow each other. Parts outside of the axis are left out.
        axis: int, or int scalar Tensor, the axis.
        name: str, name of the operations.

    Returns:
        Tensor of the dtype of `data`, with an element for each slice along the axis; {empty} for an empty slice.

    Raises:
        ValueError: if `indices` has another rank.
    """
    reduce, neutral = reduction
    with name_scope(name, "reduce_slice", [data, indices, axis]):
        values, ends, place = convert_to_tensor(data), convert_to_tensor(indices), convert_to_tensor(axis)
        ends.shape.with_rank_at_most(2)
        if ends.shape.ndims == 1:
            ends = stack([ends[:-1], ends[1:]], axis=1)
        # The axis comes first, then the others in their order.
        order = concat([[place], numbers(place), numbers(place + 1, rank(values))], 0)
        first = transpose(values, order)
        positions = cast(numbers(shape(first)[0]), ends.dtype)
        inside = logical_and(positions >= ends[:, :1], positions < ends[:, 1:])
        slices = shape(inside)[0]
        whole = concat([[slices], shape(first)], 0)
        ones = concat([shape(inside), fill([rank(values) - 1], 1)], 0)
        mask = logical_and(reshape(inside, ones), fill(whole, True))
        spread = expand_dims(first, 0) + cast(fill(whole, 0), values.dtype)
        chosen = where(mask, spread, fill(whole, cast(neutral(values.dtype), values.dtype)))
        reduced = reduce(chosen, axis=1)
        back = concat([numbers(1, place + 1), [0], numbers(place + 1, rank(values))], 0)
        result = transpose(reduced, back)
        if values.shape.ndims is not None:
            result.set_shape([None] * values.shape.ndims)
        return result


reduce_slice_sum = _reduced("reduce_slice_sum", (reduce_sum, lambda dtype: 0), what="the sum", empty="0")
reduce_slice_prod = _reduced("reduce_slice_prod", (reduce_prod, lambda dtype: 1), what="the product", empty="1")
reduce_slice_max = _reduced(
    "reduce_slice_max", (reduce_max, lambda dtype: dtype.min), what="the maximum", empty="the dtype's least number"
)
reduce_slice_min = _reduced(
    "reduce_slice_min", (reduce_min, lambda dtype: dtype.max), what="the minimum", empty="the dtype's greatest number"
)
