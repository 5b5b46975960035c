"""Constraints: functions applied to weights after each update."""

from __future__ import annotations

from typing import Any

import numpy as np

from ferroflow._src.base.typing import IntsLike, NestedTensors
from ferroflow._src.keras import activations
from ferroflow._src.keras.settings import epsilon
from ferroflow._src.ops.array.indexing import gather_nd
from ferroflow._src.ops.math.clipping import clip_by_value
from ferroflow._src.ops.math.elementwise import sqrt, square
from ferroflow._src.ops.math.reduction import reduce_sum


class Constraint:
    """Base of the constraints, functions applied to a weight after each update; a subclass defines `__call__`."""

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments that make an equal one."""
        return {}

    def __call__(self, w: NestedTensors) -> Any:
        """Returns the weight as it may be.

        Args:
            w: Tensor of a float dtype, of any shape.

        Returns:
            Tensor of its dtype and shape.
        """
        return w


def _norms(w: Any, axis: Any) -> Any:
    return sqrt(reduce_sum(square(w), axis=axis, keepdims=True))


class MaxNorm(Constraint):
    """Constraint to norms up to a limit.

    Args:
        max_value: float, the largest norm.
        axis: int, or list of ints: the dimensions of a norm.
    """

    def __init__(self, max_value: float = 2, axis: IntsLike = 0) -> None:
        self.max_value, self.axis = max_value, axis

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments that make an equal one."""
        return {"max_value": self.max_value, "axis": self.axis}

    def __call__(self, w: NestedTensors) -> Any:
        """Returns the weight, scaled down where its norm is larger.

        Args:
            w: Tensor of a float dtype, of any shape.

        Returns:
            Tensor of its dtype and shape.
        """
        norms = _norms(w, self.axis)
        return w * (clip_by_value(norms, 0.0, float(self.max_value)) / (epsilon() + norms))


class MinMaxNorm(Constraint):
    """Constraint to norms between two limits.

    Args:
        min_value: float, the smallest norm.
        max_value: float, the largest norm.
        rate: float from 0 to 1: the part of the way to the nearest limit that an update goes.
        axis: int, or list of ints: the dimensions of a norm.
    """

    def __init__(self, min_value: float = 0.0, max_value: float = 1.0, rate: float = 1.0, axis: IntsLike = 0) -> None:
        self.min_value, self.max_value, self.rate, self.axis = min_value, max_value, rate, axis

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments that make an equal one."""
        return {"min_value": self.min_value, "max_value": self.max_value, "rate": self.rate, "axis": self.axis}

    def __call__(self, w: NestedTensors) -> Any:
        """Returns the weight, scaled where its norm is outside of the limits.

        Args:
            w: Tensor of a float dtype, of any shape.

        Returns:
            Tensor of its dtype and shape.
        """
        norms = _norms(w, self.axis)
        nearest = clip_by_value(norms, float(self.min_value), float(self.max_value))
        return w * ((self.rate * nearest + (1 - self.rate) * norms) / (epsilon() + norms))


class NonNeg(Constraint):
    """Constraint to weights that are not negative."""

    def __call__(self, w: NestedTensors) -> Any:
        """Returns the weight, 0 if it is negative.

        Args:
            w: Tensor of a float dtype, of any shape.

        Returns:
            Tensor of its dtype and shape.
        """
        return activations.relu(w)


class UnitNorm(Constraint):
    """Constraint to norm 1.

    Args:
        axis: int, or list of ints: the dimensions of a norm.
    """

    def __init__(self, axis: IntsLike = 0) -> None:
        self.axis = axis

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments that make an equal one."""
        return {"axis": self.axis}

    def __call__(self, w: NestedTensors) -> Any:
        """Returns the weight, scaled.

        Args:
            w: Tensor of a float dtype, of any shape.

        Returns:
            Tensor of its dtype and shape.
        """
        return w / (epsilon() + _norms(w, self.axis))


class RadialConstraint(Constraint):
    """Constraint of convolution kernels to one value for each square around the center."""

    def __call__(self, w: Any) -> Any:
        """Returns the kernel with values from its diagonal in all squares.

        Args:
            w: Tensor of a float dtype, of shape [size, size, input depth, output depth], with `size` above 1.

        Returns:
            Tensor of its dtype and shape.

        Raises:
            ValueError: if the rank is not 4, or the kernel is not a square of a known size above 1.
        """
        shape = w.shape
        if shape.ndims != 4:
            raise ValueError(f"The weight tensor must be of rank 4, but is of shape: {shape}")
        rows, columns = shape.as_list()[:2]
        if rows != columns or rows is None or rows < 2:
            raise ValueError(f"The kernel must be a square of a known size above 1, but is of shape: {shape}")
        return gather_nd(w, _radial_sources(rows))


def _radial_sources(size: int) -> np.ndarray[Any, Any]:
    """Returns the places in a kernel that the values of all places come from: int32 [size, size, 2]."""
    places = np.arange(size)
    distance = np.maximum(size // 2 - 1 - places, places - size // 2) if size % 2 == 0 else abs(places - size // 2)
    ring = np.maximum.outer(distance, distance)
    # TF 1.x: the center has the value before the middle, the next square that of the middle, or the one behind it.
    source = np.where(ring == 0, size // 2 - 1, size // 2 + ring - size % 2)
    return np.stack([source, source], axis=-1).astype(np.int32)
