"""The bijector that is made of functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.contrib.bijectors.base import Bijector


class Inline(Bijector):
    """A bijector of functions; methods whose function is None raise NotImplementedError.

    Args:
        forward_fn: callable of x, a Tensor, that returns y.
        inverse_fn: callable of y that returns x.
        inverse_log_det_jacobian_fn: callable of y that returns the logarithm of the determinant.
        forward_log_det_jacobian_fn: callable of x that returns the logarithm of the determinant.
        forward_event_shape_fn: callable from the static shape of x to that of y; None if the shapes are equal.
        forward_event_shape_tensor_fn: callable of the shape of x, a Tensor of int32, that returns that of y.
        inverse_event_shape_fn: callable from the static shape of y to that of x; None if the shapes are equal.
        inverse_event_shape_tensor_fn: callable of the shape of y, a Tensor of int32, that returns that of x.
        is_constant_jacobian: bool. If True, the Jacobian is the same for all arguments.
        validate_args: bool, without an effect.
        forward_min_event_ndims: int, the least rank of x.
        inverse_min_event_ndims: int, the least rank of y; by default that of x.
        name: str, name scope of its operations.

    Raises:
        ValueError: if neither rank is given.
    """

    def __init__(
        self,
        forward_fn: Callable[..., Any] | None = None,
        inverse_fn: Callable[..., Any] | None = None,
        inverse_log_det_jacobian_fn: Callable[..., Any] | None = None,
        forward_log_det_jacobian_fn: Callable[..., Any] | None = None,
        forward_event_shape_fn: Callable[..., Any] | None = None,
        forward_event_shape_tensor_fn: Callable[..., Any] | None = None,
        inverse_event_shape_fn: Callable[..., Any] | None = None,
        inverse_event_shape_tensor_fn: Callable[..., Any] | None = None,
        is_constant_jacobian: bool = False,
        validate_args: bool = False,
        forward_min_event_ndims: int | None = None,
        inverse_min_event_ndims: int | None = None,
        name: str = "inline",
    ) -> None:
        super().__init__(
            forward_min_event_ndims=forward_min_event_ndims,
            inverse_min_event_ndims=inverse_min_event_ndims,
            is_constant_jacobian=is_constant_jacobian,
            validate_args=validate_args,
            name=name,
        )
        self._functions = {
            "forward_fn": forward_fn,
            "inverse_fn": inverse_fn,
            "inverse_log_det_jacobian_fn": inverse_log_det_jacobian_fn,
            "forward_log_det_jacobian_fn": forward_log_det_jacobian_fn,
            "forward_event_shape_fn": forward_event_shape_fn,
            "forward_event_shape_tensor_fn": forward_event_shape_tensor_fn,
            "inverse_event_shape_fn": inverse_event_shape_fn,
            "inverse_event_shape_tensor_fn": inverse_event_shape_tensor_fn,
        }

    def _called(self, name: str, x: Any, **kwargs: Any) -> Any:
        function = self._functions[name]
        if not callable(function):
            raise NotImplementedError(f"{name} is not a callable function.")
        return function(x, **kwargs)

    def _shape(self, name: str, shape: Any) -> Any:
        function = self._functions[name]
        return shape if function is None else function(shape)

    def _forward_event_shape(self, input_shape: TensorShape) -> Any:
        return self._shape("forward_event_shape_fn", input_shape)

    def _forward_event_shape_tensor(self, input_shape: Any) -> Any:
        return self._shape("forward_event_shape_tensor_fn", input_shape)

    def _inverse_event_shape(self, output_shape: TensorShape) -> Any:
        return self._shape("inverse_event_shape_fn", output_shape)

    def _inverse_event_shape_tensor(self, output_shape: Any) -> Any:
        return self._shape("inverse_event_shape_tensor_fn", output_shape)

    def _forward(self, x: Any, **kwargs: Any) -> Any:
        return self._called("forward_fn", x, **kwargs)

    def _inverse(self, y: Any, **kwargs: Any) -> Any:
        return self._called("inverse_fn", y, **kwargs)

    def _inverse_log_det_jacobian(self, y: Any, **kwargs: Any) -> Any:
        return self._called("inverse_log_det_jacobian_fn", y, **kwargs)

    def _forward_log_det_jacobian(self, x: Any, **kwargs: Any) -> Any:
        return self._called("forward_log_det_jacobian_fn", x, **kwargs)
