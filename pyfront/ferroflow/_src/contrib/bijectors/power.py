"""Bijectors of powers: exponential, power transform, square, absolute value."""

from __future__ import annotations

import math
from typing import Any

from ferroflow._src.contrib.bijectors.base import Bijector
from ferroflow._src.framework.constant import constant, constant_value
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.ops.flow import checking
from ferroflow._src.ops.flow.grouping import with_dependencies
from ferroflow._src.ops.math.elementwise import abs as absolute, exp, expm1, log, log1p, sqrt, square


class PowerTransform(Bijector):
    """The function `y = (1 + power * x) ** (1 / power)`, and `exp(x)` for the power 0.

    Args:
        power: float, not below 0.
        validate_args: bool. If True, steps check that arguments have an image.
        name: str, name scope of its operations.

    Raises:
        ValueError: if `power` is negative, or only a step computes it.
    """

    def __init__(self, power: Any = 0.0, validate_args: bool = False, name: str = "power_transform") -> None:
        with name_scope(name), name_scope("init", values=[power]):
            known = constant_value(convert_to_tensor(power, name="power"))
        if known is None or known < 0:
            raise ValueError("`power` must be a non-negative TF constant.")
        self._power = known
        super().__init__(forward_min_event_ndims=0, validate_args=validate_args, name=name)

    @property
    def power(self) -> Any:
        """The power, a NumPy scalar."""
        return self._power

    def _forward(self, x: Any) -> Any:
        x = self._checked_x(x)
        return exp(x) if self._power == 0.0 else exp(log1p(x * self._power) / self._power)

    def _inverse(self, y: Any) -> Any:
        y = self._checked_y(y)
        # For a small power, expm1 keeps the digits that y ** power - 1 loses.
        return log(y) if self._power == 0.0 else expm1(log(y) * self._power) / self._power

    def _inverse_log_det_jacobian(self, y: Any) -> Any:
        return (self._power - 1.0) * log(self._checked_y(y))

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        x = self._checked_x(x)
        return x if self._power == 0.0 else (1.0 / self._power - 1.0) * log1p(x * self._power)

    def _checked_x(self, x: Any) -> Any:
        if not self.validate_args or self._power == 0.0:
            return x
        message = f"Forward transformation input must be at least {-1.0 / self._power}."
        return with_dependencies([checking.assert_non_negative(1.0 + self._power * x, message=message)], x)

    def _checked_y(self, y: Any) -> Any:
        if not self.validate_args:
            return y
        message = "Inverse transformation input must be greater than 0."
        return with_dependencies([checking.assert_positive(y, message=message)], y)


class Exp(PowerTransform):
    """The function `y = exp(x)`.

    Args:
        validate_args: bool. If True, steps check that arguments of `inverse` are above 0.
        name: str, name scope of its operations.
    """

    def __init__(self, validate_args: bool = False, name: str = "exp") -> None:
        super().__init__(validate_args=validate_args, name=name)


class Square(Bijector):
    """The function `y = x ** 2` of numbers not below 0.

    Args:
        validate_args: bool. If True, steps check that arguments are not negative.
        name: str, name scope of its operations.
    """

    def __init__(self, validate_args: bool = False, name: str = "square") -> None:
        super().__init__(forward_min_event_ndims=0, validate_args=validate_args, name=name)

    def _forward(self, x: Any) -> Any:
        return square(self._checked(x))

    def _inverse(self, y: Any) -> Any:
        return sqrt(self._checked(y))

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        return math.log(2.0) + log(self._checked(x))

    def _checked(self, x: Any) -> Any:
        if not self.validate_args:
            return x
        message = "All elements must be non-negative."
        return with_dependencies([checking.assert_non_negative(x, message=message)], x)


class AbsoluteValue(Bijector):
    """The function `y = abs(x)`, whose inverse is the pair `(-y, y)`.

    Args:
        validate_args: bool. If True, steps check that arguments of `inverse` are not negative.
        name: str, name scope of its operations.
    """

    def __init__(self, validate_args: bool = False, name: str = "absolute_value") -> None:
        super().__init__(forward_min_event_ndims=0, is_constant_jacobian=True, validate_args=validate_args, name=name)

    @property
    def _is_injective(self) -> bool:
        return False

    def _forward(self, x: Any) -> Any:
        return absolute(x)

    def _inverse(self, y: Any) -> Any:
        y = self._checked(y, y)
        return -y, y

    def _inverse_log_det_jacobian(self, y: Any) -> Any:
        zero = self._checked(y, constant(0.0, dtype=y.dtype))
        return zero, zero

    def _checked(self, y: Any, result: Any) -> Any:
        if not self.validate_args:
            return result
        return with_dependencies([checking.assert_non_negative(y, message="Argument y was negative")], result)
