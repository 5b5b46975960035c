"""`ScalarDistribution`: distributions of numbers, and the shapes that several parameters have together."""

from __future__ import annotations

import functools
from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.distributions.distribution import Distribution
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.conversion import convert_index
from ferroflow._src.ops.array import shaping


class ScalarDistribution(Distribution):
    """A batch of distributions of numbers: the shape of an event is [].

    A subclass that lists the names of its parameters in `_BROADCAST` has the batch shape that they broadcast to.
    """

    _BROADCAST: tuple[str, ...] = ()

    @classmethod
    def _param_shapes(cls, sample_shape: Any) -> dict[str, Any]:
        if not cls._BROADCAST:
            return super()._param_shapes(sample_shape)
        return dict.fromkeys(cls._BROADCAST, convert_index(sample_shape))

    def _batch_shape_tensor(self) -> Any:
        shapes = [shaping.shape(getattr(self, name)) for name in self._BROADCAST]
        return functools.reduce(shaping.broadcast_dynamic_shape, shapes)

    def _batch_shape(self) -> Any:
        shapes = [getattr(self, name).get_shape() for name in self._BROADCAST]
        return functools.reduce(shaping.broadcast_static_shape, shapes)

    def _event_shape_tensor(self) -> Any:
        return constant([], dtype=dtypes.int32)

    def _event_shape(self) -> Any:
        return TensorShape([])
