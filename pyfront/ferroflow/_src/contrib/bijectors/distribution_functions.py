"""Bijectors that are cumulative distributions or their inverses: Gumbel, Kumaraswamy, Weibull."""

from __future__ import annotations

from typing import Any

from ferroflow._src.contrib.bijectors.base import Bijector
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.ops.array import making
from ferroflow._src.ops.flow import checking
from ferroflow._src.ops.flow.grouping import with_dependencies
from ferroflow._src.ops.math.elementwise import exp, expm1, log, log1p


def _positive(x: Any, validate_args: bool, message: str) -> Any:
    return with_dependencies([checking.assert_positive(x, message=message)], x) if validate_args else x


class Gumbel(Bijector):
    """The function `y = exp(-exp(-(x - loc) / scale))`.

    Args:
        loc: Tensor of a float dtype.
        scale: Tensor of the dtype of `loc`, that broadcasts with it, above 0.
        validate_args: bool. If True, steps check `scale`, and that arguments of `inverse` are in [0, 1].
        name: str, name scope of its operations.

    Raises:
        ValueError: if the dtypes differ.
    """

    def __init__(self, loc: Any = 0.0, scale: Any = 1.0, validate_args: bool = False, name: str = "gumbel") -> None:
        with name_scope(name), name_scope("init", values=[loc, scale]):
            self._loc = convert_to_tensor(loc, name="loc")
            self._scale = convert_to_tensor(scale, name="scale")
            checking.assert_same_float_dtype([self._loc, self._scale])
            self._scale = _positive(self._scale, validate_args, "Argument scale was not positive")
        super().__init__(forward_min_event_ndims=0, validate_args=validate_args, name=name)

    @property
    def loc(self) -> Any:
        """The location, a Tensor of a float dtype."""
        return self._loc

    @property
    def scale(self) -> Any:
        """The scale, a Tensor of a float dtype."""
        return self._scale

    def _forward(self, x: Any) -> Any:
        return exp(-exp(-(x - self._loc) / self._scale))

    def _inverse(self, y: Any) -> Any:
        return self._loc - self._scale * log(-log(self._checked(y)))

    def _inverse_log_det_jacobian(self, y: Any) -> Any:
        y = self._checked(y)
        return log(self._scale / (-log(y) * y))

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        z = (x - self._loc) / self._scale
        return -z - exp(-z) - log(self._scale)

    def _checked(self, y: Any) -> Any:
        if not self.validate_args:
            return y
        above = "Inverse transformation input must be greater than 0."
        below = "Inverse transformation input must be less than or equal to 1."
        one = constant(1.0, dtype=y.dtype)
        checks = [
            checking.assert_non_negative(y, message=above),
            checking.assert_less_equal(y, one, message=below),
        ]
        return with_dependencies(checks, y)


class Kumaraswamy(Bijector):
    """The function `y = (1 - (1 - x) ** (1 / b)) ** (1 / a)` of numbers in [0, 1].

    Args:
        concentration1: Tensor of a float dtype, above 0: a.
        concentration0: Tensor of the same dtype, that broadcasts with it, above 0: b.
        validate_args: bool. If True, steps check the parameters, and that arguments are in [0, 1].
        name: str, name scope of its operations.
    """

    def __init__(
        self,
        concentration1: Any = None,
        concentration0: Any = None,
        validate_args: bool = False,
        name: str = "kumaraswamy",
    ) -> None:
        message = "Concentration parameter must be positive."
        with name_scope(name), name_scope("init", values=[concentration1, concentration0]):
            a = convert_to_tensor(concentration1, name="concentration1")
            b = convert_to_tensor(concentration0, name="concentration0")
            self._concentration1 = _positive(a, validate_args, message)
            self._concentration0 = _positive(b, validate_args, message)
        super().__init__(forward_min_event_ndims=0, validate_args=validate_args, name=name)

    @property
    def concentration1(self) -> Any:
        """The power of y, a Tensor of a float dtype."""
        return self._concentration1

    @property
    def concentration0(self) -> Any:
        """The power of `1 - y ** concentration1`, a Tensor of a float dtype."""
        return self._concentration0

    def _forward(self, x: Any) -> Any:
        x = self._checked(x)
        return exp(log1p(-exp(log1p(-x) / self._concentration0)) / self._concentration1)

    def _inverse(self, y: Any) -> Any:
        y = self._checked(y)
        return exp(log1p(-((1.0 - y**self._concentration1) ** self._concentration0)))

    def _inverse_log_det_jacobian(self, y: Any) -> Any:
        y = self._checked(y)
        a, b = self._concentration1, self._concentration0
        return log(a) + log(b) + (a - 1.0) * log(y) + (b - 1.0) * log1p(-(y**a))

    def _checked(self, x: Any) -> Any:
        if not self.validate_args:
            return x
        one = making.ones([], self._concentration0.dtype)
        checks = [
            checking.assert_non_negative(x, message="sample must be non-negative"),
            checking.assert_less_equal(x, one, message="sample must be no larger than `1`."),
        ]
        return with_dependencies(checks, x)


class Weibull(Bijector):
    """The function `y = 1 - exp(-(x / scale) ** concentration)` of numbers not below 0.

    Args:
        scale: Tensor of a float dtype, above 0.
        concentration: Tensor of the dtype of `scale`, that broadcasts with it, above 0.
        validate_args: bool. If True, steps check parameters and arguments.
        name: str, name scope of its operations.

    Raises:
        ValueError: if the dtypes differ.
    """

    def __init__(
        self, scale: Any = 1.0, concentration: Any = 1.0, validate_args: bool = False, name: str = "weibull"
    ) -> None:
        with name_scope(name), name_scope("init", values=[scale, concentration]):
            self._scale = convert_to_tensor(scale, name="scale")
            self._concentration = convert_to_tensor(concentration, name="concentration")
            checking.assert_same_float_dtype([self._scale, self._concentration])
            self._scale = _positive(self._scale, validate_args, "Argument scale was not positive")
            message = "Argument concentration was not positive"
            self._concentration = _positive(self._concentration, validate_args, message)
        super().__init__(forward_min_event_ndims=0, validate_args=validate_args, name=name)

    @property
    def scale(self) -> Any:
        """The scale, a Tensor of a float dtype."""
        return self._scale

    @property
    def concentration(self) -> Any:
        """The power, a Tensor of a float dtype."""
        return self._concentration

    def _forward(self, x: Any) -> Any:
        return -expm1(-((self._checked_x(x) / self._scale) ** self._concentration))

    def _inverse(self, y: Any) -> Any:
        return self._scale * (-log1p(-self._checked_y(y))) ** (1.0 / self._concentration)

    def _inverse_log_det_jacobian(self, y: Any) -> Any:
        y = self._checked_y(y)
        power = 1.0 / self._concentration
        return -log1p(-y) + (power - 1.0) * log(-log1p(-y)) + log(self._scale * power)

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        x = self._checked_x(x)
        k = self._concentration
        return -((x / self._scale) ** k) + (k - 1.0) * log(x) + log(k) - k * log(self._scale)

    def _checked_x(self, x: Any) -> Any:
        if not self.validate_args:
            return x
        message = "Forward transformation input must be at least 0."
        return with_dependencies([checking.assert_non_negative(x, message=message)], x)

    def _checked_y(self, y: Any) -> Any:
        if not self.validate_args:
            return y
        above = "Inverse transformation input must be greater than 0."
        below = "Inverse transformation input must be less than or equal to 1."
        checks = [
            checking.assert_non_negative(y, message=above),
            checking.assert_less_equal(y, constant(1.0, y.dtype), message=below),
        ]
        return with_dependencies(checks, y)
