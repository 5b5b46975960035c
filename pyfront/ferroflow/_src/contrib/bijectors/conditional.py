"""`ConditionalBijector`: bijectors whose methods take further arguments."""

from __future__ import annotations

from typing import Any

from ferroflow._src.contrib.bijectors.base import Bijector


class ConditionalBijector(Bijector):
    """A bijector whose functions depend on further arguments, which its methods pass on to the subclass.

    Args:
        graph_parents: list of the Tensors, of any dtype and shape, that it depends on.
        is_constant_jacobian: bool. If True, the Jacobian is the same for all arguments.
        validate_args: bool. If True, steps check parameters and values.
        dtype: DType of the arguments; None for any.
        forward_min_event_ndims: int, the least rank of the argument of `forward`.
        inverse_min_event_ndims: int, the least rank of the argument of `inverse`; by default the other one's.
        name: str, name scope of its operations; None for the name of the class.
    """

    def forward(self, x: Any, name: str = "forward", **condition_kwargs: Any) -> Any:
        """Computes `Bijector.forward` with arguments for the subclass.

        Args:
            x: Tensor of `dtype`.
            name: str, name scope of the operations.
            **condition_kwargs: further arguments of the subclass's method.

        Returns:
            Tensor of the dtype of `x`.
        """
        return self._call_forward(x, name, **condition_kwargs)

    def inverse(self, y: Any, name: str = "inverse", **condition_kwargs: Any) -> Any:
        """Computes `Bijector.inverse` with arguments for the subclass.

        Args:
            y: Tensor of `dtype`.
            name: str, name scope of the operations.
            **condition_kwargs: further arguments of the subclass's method.

        Returns:
            Tensor of the dtype of `y`.
        """
        return self._call_inverse(y, name, **condition_kwargs)

    def inverse_log_det_jacobian(
        self, y: Any, event_ndims: Any, name: str = "inverse_log_det_jacobian", **condition_kwargs: Any
    ) -> Any:
        """Computes `Bijector.inverse_log_det_jacobian` with arguments for the subclass.

        Args:
            y: Tensor of `dtype`.
            event_ndims: int, or Tensor of int32, of shape []: the rank of an event.
            name: str, name scope of the operations.
            **condition_kwargs: further arguments of the subclass's method.

        Returns:
            Tensor of the dtype of `y`, of its shape without that of an event.
        """
        return self._call_inverse_log_det_jacobian(y, event_ndims, name, **condition_kwargs)

    def forward_log_det_jacobian(
        self, x: Any, event_ndims: Any, name: str = "forward_log_det_jacobian", **condition_kwargs: Any
    ) -> Any:
        """Computes `Bijector.forward_log_det_jacobian` with arguments for the subclass.

        Args:
            x: Tensor of `dtype`.
            event_ndims: int, or Tensor of int32, of shape []: the rank of an event.
            name: str, name scope of the operations.
            **condition_kwargs: further arguments of the subclass's method.

        Returns:
            Tensor of the dtype of `x`, of its shape without that of an event.
        """
        return self._call_forward_log_det_jacobian(x, event_ndims, name, **condition_kwargs)
