"""The bijector that changes nothing."""

from __future__ import annotations

from typing import Any

from ferroflow._src.contrib.bijectors.base import Bijector
from ferroflow._src.framework.constant import constant


class Identity(Bijector):
    """The function `y = x`.

    Args:
        validate_args: bool, without an effect.
        name: str, name scope of its operations.
    """

    def __init__(self, validate_args: bool = False, name: str = "identity") -> None:
        super().__init__(forward_min_event_ndims=0, is_constant_jacobian=True, validate_args=validate_args, name=name)

    def _forward(self, x: Any) -> Any:
        return x

    def _inverse(self, y: Any) -> Any:
        return y

    def _inverse_log_det_jacobian(self, y: Any) -> Any:
        return constant(0.0, dtype=y.dtype)

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        return constant(0.0, dtype=x.dtype)
