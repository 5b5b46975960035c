"""`tf.signal.fftshift` and its inverse: frequency zero in the middle of a spectrum."""

from __future__ import annotations

import operator

import numpy as np

from ferroflow._src.base.typing import IntsLike, TensorLike
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array.shaping import roll, shape


def _rolled(x: Tensor, axes: IntsLike | None, forward: bool, scope: str) -> Tensor:
    """Moves each axis by half of its size, rounded down; back by as much if not `forward`."""
    known = x.get_shape()
    if axes is None:
        if known.ndims is None:
            raise ValueError("The rank of the input must be known if `axes` is None.")
        axes = list(range(known.ndims))
    chosen = [operator.index(axis) for axis in np.atleast_1d(np.asarray(axes))]
    if known.is_fully_defined():
        sizes = [int(known[axis]) for axis in chosen]
        shifts = [size // 2 if forward else -(size // 2) for size in sizes]
        return roll(x, shifts, chosen, name=scope)
    size = shape(x)
    halves = [size[axis] // 2 for axis in chosen]
    return roll(x, halves if forward else [-half for half in halves], chosen, name=scope)


def fftshift(x: TensorLike, axes: IntsLike | None = None, name: str | None = None) -> Tensor:
    """Moves frequency zero from the beginning to the middle of a spectrum.

    Args:
        x: Tensor of any dtype and shape.
        axes: int, or list of int: the axes of the spectrum; None for all.
        name: str, name of the operation.

    Returns:
        Tensor of the dtype and shape of `x`.

    Raises:
        IndexError: if `x` has no such axis.
        TypeError: if an axis is not an integer.
        ValueError: if `axes` is None and the rank is unknown.
    """
    with name_scope(name, "fftshift") as scope:
        return _rolled(convert_to_tensor(x), axes, True, scope)


def ifftshift(x: TensorLike, axes: IntsLike | None = None, name: str | None = None) -> Tensor:
    """Moves frequency zero from the middle to the beginning of a spectrum: the inverse of `fftshift`.

    Args:
        x: Tensor of any dtype and shape.
        axes: int, or list of int: the axes of the spectrum; None for all.
        name: str, name of the operation.

    Returns:
        Tensor of the dtype and shape of `x`.

    Raises:
        IndexError: if `x` has no such axis.
        TypeError: if an axis is not an integer.
        ValueError: if `axes` is None and the rank is unknown.
    """
    with name_scope(name, "ifftshift") as scope:
        return _rolled(convert_to_tensor(x), axes, False, scope)
