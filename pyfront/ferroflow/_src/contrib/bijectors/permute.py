"""The bijector that changes the order of a vector's elements."""

from __future__ import annotations

from typing import Any

from ferroflow._src.contrib.bijectors.base import Bijector
from ferroflow._src.framework.constant import constant, constant_value
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.ops.array import making, shaping
from ferroflow._src.ops.array.indexing import gather
from ferroflow._src.ops.flow import checking
from ferroflow._src.ops.flow.grouping import with_dependencies
from ferroflow._src.ops.nn.ranking import top_k


class Permute(Bijector):
    """The function `y[i] = x[permutation[i]]` of vectors.

    Args:
        permutation: Tensor of int32 or int64, of shape [k]: each of 0 to k - 1 once.
        validate_args: bool. If True, steps check a permutation that is not known before.
        name: str, name scope of its operations.

    Raises:
        TypeError: if `permutation` does not have an integer dtype.
        ValueError: if it is known and no permutation.
    """

    def __init__(self, permutation: Any, validate_args: bool = False, name: str | None = None) -> None:
        message = "Permutation over `d` must contain exactly one of each of `{0, 1, ..., d}`."
        with name_scope(name, "permute", values=[permutation]):
            permutation = convert_to_tensor(permutation, name="permutation")
            if not permutation.dtype.is_integer:
                raise TypeError(f"permutation.dtype ({permutation.dtype.name}) should be `int`-like.")
            known = constant_value(permutation)
            if known is not None:
                if sorted(known.tolist()) != list(range(known.size)):
                    raise ValueError(message)
            elif validate_args:
                size = shaping.shape(permutation)[-1]
                descending, _ = top_k(-permutation, k=size, sorted=True)
                check = checking.assert_equal(-descending, making.range(shaping.size(descending)), message=message)
                permutation = with_dependencies([check], permutation)
            self._permutation = permutation
            super().__init__(
                forward_min_event_ndims=1,
                is_constant_jacobian=True,
                validate_args=validate_args,
                name=name or "permute",
            )

    @property
    def permutation(self) -> Any:
        """The place in the argument of each element, a Tensor of an integer dtype, of shape [k]."""
        return self._permutation

    def _forward(self, x: Any) -> Any:
        return gather(x, self._permutation, axis=-1)

    def _inverse(self, y: Any) -> Any:
        return gather(y, shaping.invert_permutation(self._permutation), axis=-1)

    def _inverse_log_det_jacobian(self, y: Any) -> Any:
        return constant(0.0, dtype=y.dtype.base_dtype)

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        return constant(0.0, dtype=x.dtype.base_dtype)
