"""The bijector that changes skewness and weight of the tails."""

from __future__ import annotations

from typing import Any

import numpy as np

from ferroflow._src.contrib.bijectors.base import Bijector
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.ops.array.indexing import where
from ferroflow._src.ops.flow import checking
from ferroflow._src.ops.flow.grouping import with_dependencies
from ferroflow._src.ops.math.elementwise import abs as absolute, asinh, cosh, log, sinh, sqrt


def _sqrt_of_square_and_one(x: Any) -> Any:
    """Returns `sqrt(x ** 2 + 1)` without overflow: beyond a magnitude, the 1 rounds away."""
    eps = np.sqrt(np.finfo(x.dtype.as_numpy_dtype).eps)
    return where(absolute(x) * eps <= 1.0, sqrt(x**2.0 + 1.0), absolute(x))


class SinhArcsinh(Bijector):
    """The function `y = sinh((arcsinh(x) + skewness) * tailweight)`.

    Args:
        skewness: Tensor of a float dtype: above 0 for a tail to the right; None for 0.
        tailweight: Tensor of the same dtype, that broadcasts with it, above 0: above 1 for heavier tails; None for 1.
        validate_args: bool. If True, steps check `tailweight`.
        name: str, name scope of its operations.

    Raises:
        ValueError: if the dtypes differ.

    Source: Jones, Pewsey, Sinh-arcsinh distributions, 2009.
    """

    def __init__(
        self,
        skewness: Any = None,
        tailweight: Any = None,
        validate_args: bool = False,
        name: str = "SinhArcsinh",
    ) -> None:
        with name_scope(name), name_scope("init", values=[skewness, tailweight]):
            self._skewness = convert_to_tensor(0.0 if skewness is None else skewness, name="skewness")
            self._tailweight = convert_to_tensor(
                1.0 if tailweight is None else tailweight, name="tailweight", dtype=self._skewness.dtype
            )
            checking.assert_same_float_dtype([self._skewness, self._tailweight])
            if validate_args:
                message = "Argument tailweight was not positive"
                check = checking.assert_positive(self._tailweight, message=message)
                self._tailweight = with_dependencies([check], self._tailweight)
        super().__init__(forward_min_event_ndims=0, validate_args=validate_args, name=name)

    @property
    def skewness(self) -> Any:
        """The skewness, a Tensor of a float dtype."""
        return self._skewness

    @property
    def tailweight(self) -> Any:
        """The weight of the tails, a Tensor of a float dtype."""
        return self._tailweight

    def _forward(self, x: Any) -> Any:
        return sinh((asinh(x) + self._skewness) * self._tailweight)

    def _inverse(self, y: Any) -> Any:
        return sinh(asinh(y) / self._tailweight - self._skewness)

    def _inverse_log_det_jacobian(self, y: Any) -> Any:
        slope = cosh(asinh(y) / self._tailweight - self._skewness) / _sqrt_of_square_and_one(y)
        return log(slope) - log(self._tailweight)

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        slope = cosh((asinh(x) + self._skewness) * self._tailweight) / _sqrt_of_square_and_one(x)
        return log(slope) + log(self._tailweight)
