"""The bijector that scales and shifts numbers."""

from __future__ import annotations

from typing import Any

from ferroflow._src.contrib.bijectors.base import Bijector
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.ops.array import making
from ferroflow._src.ops.flow import checking
from ferroflow._src.ops.flow.grouping import with_dependencies
from ferroflow._src.ops.math.elementwise import abs as absolute, log


class AffineScalar(Bijector):
    """The function `y = scale * x + shift`.

    Args:
        shift: Tensor of a float dtype; None for 0.
        scale: Tensor of the same dtype, that broadcasts with it, not 0; None for 1.
        validate_args: bool. If True, steps check that `scale` is not 0.
        name: str, name scope of its operations.
    """

    def __init__(
        self, shift: Any = None, scale: Any = None, validate_args: bool = False, name: str = "affine_scalar"
    ) -> None:
        with name_scope(name), name_scope("init", values=[scale, shift]):
            self._shift = None if shift is None else convert_to_tensor(shift, name="shift")
            self._scale = None if scale is None else convert_to_tensor(scale, name="scale")
            if self._scale is not None and validate_args:
                zero = making.zeros([], dtype=self._scale.dtype)
                self._scale = with_dependencies([checking.assert_none_equal(self._scale, zero)], self._scale)
        super().__init__(forward_min_event_ndims=0, is_constant_jacobian=True, validate_args=validate_args, name=name)

    @property
    def shift(self) -> Any:
        """The shift, a Tensor of a float dtype; None for 0."""
        return self._shift

    @property
    def scale(self) -> Any:
        """The factor, a Tensor of a float dtype; None for 1."""
        return self._scale

    def _forward(self, x: Any) -> Any:
        y = making.identity(x)
        if self._scale is not None:
            y = y * self._scale
        return y if self._shift is None else y + self._shift

    def _inverse(self, y: Any) -> Any:
        x = making.identity(y)
        if self._shift is not None:
            x = x - self._shift
        return x if self._scale is None else x / self._scale

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        if self._scale is None:
            return constant(0.0, dtype=x.dtype.base_dtype)
        return log(absolute(self._scale))
