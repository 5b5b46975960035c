"""Resampling of tensors, as a subpixel convolution does it with channels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ferroflow._src.base import errors
from ferroflow._src.base.typing import TensorLike
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import control_dependencies, name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array import shaping
from ferroflow._src.ops.array.indexing import gather
from ferroflow._src.ops.array.making import identity, range as range_tensor
from ferroflow._src.ops.flow.checking import Assert
from ferroflow._src.ops.math.comparison import greater, less_equal

__all__ = ["periodic_resample"]


def _refused(message: str) -> errors.InvalidArgumentError:
    return errors.InvalidArgumentError(None, None, f"periodic_resample expects {message}")


def periodic_resample(values: TensorLike, shape: Sequence[int | None], name: str | None = None) -> Tensor:
    """Makes all axes but one longer, with values from that axis.

    Element `s` of the result is element `h` of `values`, where `g_i = ceil(size_i / values_size_i)`. On the free axis
    `q`, `h_q = s_q + size_q * sum_i((g_0 * ... * g_(i-1)) * (s_i mod g_i))`; on the others, `h_i = floor(s_i / g_i)`.

    Args:
        values: Tensor of a numeric dtype, of a known rank.
        shape: list of int, the shape of the result, with one None for the free axis.
        name: str, the name scope of the operations; None for "PeriodicResample".

    Returns:
        Tensor of the dtype of `values`. The free axis has as many elements as fit into it.

    Raises:
        tf.errors.InvalidArgumentError: if `shape` has another rank, not exactly one None, or a smaller size than
            `values`. A step also raises it for an empty free axis, or an element beyond the end of `values`.

    Source: Shi et al., Real-Time Single Image and Video Super-Resolution, 2016.
    """
    with name_scope(name, "PeriodicResample", [values]):
        source: Any = convert_to_tensor(values)
        known = source.shape.as_list()
        if len(known) != len(shape):
            raise _refused(
                f"the rank of the input tensor, {len(known)}, to be the same as the length of the desired shape, "
                f"{len(shape)}."
            )
        free = [axis for axis, size in enumerate(shape) if size is None]
        if len(free) != 1:
            raise _refused(f"{'only' if free else 'at least'} one index to be marked as adjustable.")
        for axis, (size, given) in enumerate(zip(shape, known, strict=True)):
            if size is not None and given is not None and size < given:
                raise _refused(
                    "the size of non-adjustable dimensions be at least as large as size of input tensor. Dimension "
                    f"{axis} input tensor has size {given}, desired shape has size {size}."
                )
        return _resampled(source, list(shape), free[0], known)


def _resampled(source: Any, shape: list[int | None], free: int, known: list[int | None]) -> Tensor:
    dynamic = shaping.shape(source)
    sizes: list[Any] = [dynamic[axis] if size is None else size for axis, size in enumerate(known)]
    others = [axis for axis in range(len(shape)) if axis != free]
    total: Any = shaping.size(source)
    wanted = [size or 0 for size in shape]
    fixed = math.prod(wanted[axis] for axis in others)
    length: Any = total // max(fixed, 1)
    checks = [Assert(greater(length, 0), ["The adjustable dimension isn't greater than zero:", length])]
    for axis in others:
        checks.append(
            Assert(less_equal(sizes[axis], wanted[axis]), ["The input is longer than the desired shape:", sizes[axis]])
        )
    with control_dependencies(checks):
        length = identity(length)
    strides: list[Any] = [1] * len(shape)
    for axis in reversed(range(len(shape) - 1)):
        strides[axis] = strides[axis + 1] * sizes[axis + 1]
    # The place in `values` is a sum of what each axis of the result contributes.
    places: Any = strides[free] * _along(range_tensor(length), free, len(shape))
    step: Any = strides[free] * length
    for axis in others:
        factor = -(-wanted[axis] // sizes[axis])
        steps = range_tensor(wanted[axis])
        places = places + _along(strides[axis] * (steps // factor) + step * (steps % factor), axis, len(shape))
        step = step * factor
    result = gather(shaping.reshape(source, [-1]), places)
    result.set_shape(shape)
    return result


def _along(vector: Tensor, axis: int, rank: int) -> Tensor:
    return shaping.reshape(vector, [-1 if i == axis else 1 for i in range(rank)])
