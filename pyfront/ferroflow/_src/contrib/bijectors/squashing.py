"""Bijectors that map numbers to an interval: sigmoid, softplus, softsign."""

from __future__ import annotations

from typing import Any

from ferroflow._src.contrib.bijectors.base import Bijector
from ferroflow._src.distributions.parameterization import softplus_inverse
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.ops.flow import checking
from ferroflow._src.ops.flow.grouping import with_dependencies
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.elementwise import abs as absolute, expm1, log, log1p, sigmoid
from ferroflow._src.ops.nn.activation import softplus


class Sigmoid(Bijector):
    """The function `y = 1 / (1 + exp(-x))`.

    Args:
        validate_args: bool, without an effect.
        name: str, name scope of its operations.
    """

    def __init__(self, validate_args: bool = False, name: str = "sigmoid") -> None:
        super().__init__(forward_min_event_ndims=0, validate_args=validate_args, name=name)

    def _forward(self, x: Any) -> Any:
        return sigmoid(x)

    def _inverse(self, y: Any) -> Any:
        return log(y) - log1p(-y)

    def _inverse_log_det_jacobian(self, y: Any) -> Any:
        return -log(y) - log1p(-y)

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        return -softplus(-x) - softplus(x)


class Softplus(Bijector):
    """The function `y = softness * log(1 + exp(x / softness))`.

    Args:
        hinge_softness: Tensor of a float dtype, not 0: how far from 0 the function bends; None for 1.
        validate_args: bool. If True, steps check that `hinge_softness` is not 0.
        name: str, name scope of its operations.
    """

    def __init__(self, hinge_softness: Any = None, validate_args: bool = False, name: str = "softplus") -> None:
        with name_scope(name, values=[hinge_softness]):
            if hinge_softness is not None:
                hinge_softness = convert_to_tensor(hinge_softness, name="hinge_softness")
                if validate_args:
                    zero = constant(0, dtype=hinge_softness.dtype)
                    message = "hinge_softness must be non-zero"
                    check = checking.assert_none_equal(zero, hinge_softness, message=message)
                    hinge_softness = with_dependencies([check], hinge_softness)
            self._hinge_softness = hinge_softness
        super().__init__(forward_min_event_ndims=0, validate_args=validate_args, name=name)

    @property
    def hinge_softness(self) -> Any:
        """The distance from 0 up to which the function bends, a Tensor of a float dtype; None for 1."""
        return self._hinge_softness

    def _forward(self, x: Any) -> Any:
        if self._hinge_softness is None:
            return softplus(x)
        softness = cast(self._hinge_softness, x.dtype)
        return softness * softplus(x / softness)

    def _inverse(self, y: Any) -> Any:
        if self._hinge_softness is None:
            return softplus_inverse(y)
        softness = cast(self._hinge_softness, y.dtype)
        return softness * softplus_inverse(y / softness)

    def _scaled(self, x: Any) -> Any:
        return x if self._hinge_softness is None else x / cast(self._hinge_softness, x.dtype)

    def _inverse_log_det_jacobian(self, y: Any) -> Any:
        return -log(-expm1(-self._scaled(y)))

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        return -softplus(-self._scaled(x))


class Softsign(Bijector):
    """The function `y = x / (1 + abs(x))`.

    Args:
        validate_args: bool. If True, steps check that arguments of `inverse` are in (-1, 1).
        name: str, name scope of its operations.
    """

    def __init__(self, validate_args: bool = False, name: str = "softsign") -> None:
        super().__init__(forward_min_event_ndims=0, validate_args=validate_args, name=name)

    def _forward(self, x: Any) -> Any:
        return x / (1.0 + absolute(x))

    def _inverse(self, y: Any) -> Any:
        y = self._checked(y)
        return y / (1.0 - absolute(y))

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        return -2.0 * log1p(absolute(x))

    def _inverse_log_det_jacobian(self, y: Any) -> Any:
        return -2.0 * log1p(-absolute(self._checked(y)))

    def _checked(self, y: Any) -> Any:
        if not self.validate_args:
            return y
        one = constant(1.0, dtype=y.dtype.base_dtype)
        above = "Inverse transformation input must be greater than -1."
        below = "Inverse transformation input must be less than 1."
        checks = [checking.assert_greater(y, -one, message=above), checking.assert_less(y, one, message=below)]
        return with_dependencies(checks, y)
