"""Gradients of broadcast arguments: summed over the dimensions along which the argument was repeated."""

from __future__ import annotations

from typing import Any

from ferroflow._src.autodiff import terms
from ferroflow._src.framework.apply import apply_op
from ferroflow._src.framework.composite import IndexedSlices
from ferroflow._src.framework.handles import Tensor, static_dims

_Dims = tuple[int | None, ...] | None


def _repeated_axes(x: _Dims, y: _Dims) -> tuple[list[int], list[int]] | None:
    """Returns the axes of the result along which x, and y, is repeated; None if only the step can decide."""
    if x is None or y is None:
        return None
    rank = max(len(x), len(y))
    x = (1,) * (rank - len(x)) + x
    y = (1,) * (rank - len(y)) + y
    x_axes, y_axes = [], []
    for axis, (m, n) in enumerate(zip(x, y, strict=True)):
        if m == 1 and n != 1:
            x_axes.append(axis)
        elif n == 1 and m != 1:
            y_axes.append(axis)
        elif m is None or n is None:
            return None
    return x_axes, y_axes


def _differs(gradient: Any, dims: tuple[int | None, ...]) -> bool:
    """Returns True if a gradient is known to have another shape, which `tf.gradients` takes from `grad_ys`."""
    found = static_dims(gradient) if isinstance(gradient, Tensor) else None
    return found is not None and None not in found and None not in dims and found != dims


def reduced_to_arguments(x: Tensor, y: Tensor, gx: Any, gy: Any) -> tuple[Any, Any]:
    """Returns gradients of the shape of a binary operation's result, as gradients of the shapes of its arguments.

    Args:
        x: first argument.
        y: second argument.
        gx: gradient for `x`, of the shape of the result, or None.
        gy: gradient for `y`, of the shape of the result, or None.
    """
    if gx is None and gy is None:
        return None, None
    x_dims, y_dims = static_dims(x), static_dims(y)
    x_shape, y_shape = terms.shape(x), terms.shape(y)
    found = _repeated_axes(x_dims, y_dims)
    x_axes: Any
    y_axes: Any
    if found is None or x_dims is None or y_dims is None:
        x_axes, y_axes = apply_op("BroadcastGradientArgs", [x_shape, y_shape]).outputs
        x_reduces = y_reduces = True
    else:
        x_axes, y_axes = found
        x_reduces = bool(x_axes) or len(x_dims) < len(y_dims) or _differs(gx, x_dims)
        y_reduces = bool(y_axes) or len(y_dims) < len(x_dims) or _differs(gy, y_dims)
    # TF 1.x: slices become dense here.
    if gx is not None and (x_reduces or isinstance(gx, IndexedSlices)):
        gx = terms.reshape(terms.reduce_sum(gx, x_axes, keep_dims=True), x_shape)
    if gy is not None and (y_reduces or isinstance(gy, IndexedSlices)):
        gy = terms.reshape(terms.reduce_sum(gy, y_axes, keep_dims=True), y_shape)
    return gx, gy
