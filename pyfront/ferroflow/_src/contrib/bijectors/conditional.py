"""`ConditionalBijector`: bijectors whose methods take further arguments."""

from __future__ import annotations

from typing import Any

from ferroflow._src.contrib.bijectors.base import Bijector

__all__ = ["ConditionalBijector"]


class ConditionalBijector(Bijector):
    """A bijector whose functions depend on further arguments, which its methods pass on to the subclass.

    The arguments of the constructor are those of `Bijector`.
    """

    def forward(self, x: Any, name: str = "forward", **condition_kwargs: Any) -> Any:
        """Computes `Bijector.forward` with arguments for the subclass."""
        return self._call_forward(x, name, **condition_kwargs)

    def inverse(self, y: Any, name: str = "inverse", **condition_kwargs: Any) -> Any:
        """Computes `Bijector.inverse` with arguments for the subclass."""
        return self._call_inverse(y, name, **condition_kwargs)

    def inverse_log_det_jacobian(
        self, y: Any, event_ndims: Any, name: str = "inverse_log_det_jacobian", **condition_kwargs: Any
    ) -> Any:
        """Computes `Bijector.inverse_log_det_jacobian` with arguments for the subclass."""
        return self._call_inverse_log_det_jacobian(y, event_ndims, name, **condition_kwargs)

    def forward_log_det_jacobian(
        self, x: Any, event_ndims: Any, name: str = "forward_log_det_jacobian", **condition_kwargs: Any
    ) -> Any:
        """Computes `Bijector.forward_log_det_jacobian` with arguments for the subclass."""
        return self._call_forward_log_det_jacobian(x, event_ndims, name, **condition_kwargs)
