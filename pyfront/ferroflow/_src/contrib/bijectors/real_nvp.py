"""The flow that transforms some elements by functions of the others, and a network for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ferroflow._src.contrib.bijectors.base import Bijector
from ferroflow._src.contrib.bijectors.masked_autoregressive import (
    last_size,
    scaled_and_shifted,
    unscaled_and_unshifted,
)
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.layers.dense import dense
from ferroflow._src.ops.array import joining
from ferroflow._src.ops.math.reduction import reduce_sum
from ferroflow._src.ops.nn.activation import relu
from ferroflow._src.variables.template import make_template


class RealNVP(Bijector):
    """The function that keeps the first elements and scales and shifts the others by functions of these.

    Args:
        num_masked: int, above 0 and below the size of an event: how many elements are kept.
        shift_and_log_scale_fn: callable of the elements kept, a Tensor of shape [..., num_masked], and the number of
            the others, that returns (shift, log_scale): each of shape [..., that number] or None.
        is_constant_jacobian: bool. If True, the Jacobian is the same for all arguments, as without a log_scale.
        validate_args: bool, without an effect.
        name: str, name scope of its operations.

    Raises:
        ValueError: if `num_masked` is not above 0, or not below the size of an event.
        NotImplementedError: when a method is called; the size of the last dimension is unknown.

    Source: Dinh, Sohl-Dickstein, Bengio, Density estimation using Real NVP, 2016.
    """

    def __init__(
        self,
        num_masked: int,
        shift_and_log_scale_fn: Callable[..., tuple[Any, Any]],
        is_constant_jacobian: bool = False,
        validate_args: bool = False,
        name: str | None = None,
    ) -> None:
        if num_masked <= 0:
            raise ValueError("num_masked must be a positive integer.")
        self._num_masked = num_masked
        self._shift_and_log_scale_fn = shift_and_log_scale_fn
        super().__init__(
            forward_min_event_ndims=1,
            is_constant_jacobian=is_constant_jacobian,
            validate_args=validate_args,
            name=name or "real_nvp",
        )

    def _split(self, x: Any) -> tuple[Any, Any, Any, Any]:
        """Returns the elements kept, the others, and the shift and log_scale of these."""
        size = last_size(x)
        if size is None:
            raise NotImplementedError("Rightmost dimension must be known prior to graph execution.")
        if self._num_masked >= size:
            raise ValueError("Number of masked units must be smaller than the event size.")
        kept = x[..., : self._num_masked]
        shift, log_scale = self._shift_and_log_scale_fn(kept, size - self._num_masked)
        return kept, x[..., self._num_masked :], shift, log_scale

    def _forward(self, x: Any) -> Any:
        kept, others, shift, log_scale = self._split(x)
        return joining.concat([kept, scaled_and_shifted(others, shift, log_scale)], -1)

    def _inverse(self, y: Any) -> Any:
        kept, others, shift, log_scale = self._split(y)
        return joining.concat([kept, unscaled_and_unshifted(others, shift, log_scale)], -1)

    def _inverse_log_det_jacobian(self, y: Any) -> Any:
        log_scale = self._split(y)[3]
        if log_scale is None:
            return constant(0.0, dtype=y.dtype, name="ildj")
        return -reduce_sum(log_scale, axis=-1)

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        log_scale = self._split(x)[3]
        if log_scale is None:
            return constant(0.0, dtype=x.dtype, name="fldj")
        return reduce_sum(log_scale, axis=-1)


def real_nvp_default_template(
    hidden_layers: Sequence[int],
    shift_only: bool = False,
    activation: Callable[[Any], Any] | None = relu,
    name: str | None = None,
    *args: Any,
    **kwargs: Any,
) -> Any:
    """Makes a network of dense layers for `RealNVP`.

    Args:
        hidden_layers: list of int, the sizes of the hidden layers.
        shift_only: bool. If True, the network has no log_scale.
        activation: callable, of the hidden layers, or None.
        name: str, name scope of the operations.
        *args: further arguments of `tf.layers.dense`.
        **kwargs: further arguments of `tf.layers.dense`.

    Returns:
        Callable of a Tensor of shape [..., k] and a number n, that returns (shift, log_scale): each of shape [..., n],
        or None.

    Source: Dinh, Sohl-Dickstein, Bengio, Density estimation using Real NVP, 2016.
    """
    with name_scope(name, "real_nvp_default_template"):

        def network(x: Any, output_units: int) -> tuple[Any, Any]:
            for units in hidden_layers:
                x = dense(*args, **{**kwargs, "inputs": x, "units": units, "activation": activation})
            outputs = (1 if shift_only else 2) * output_units
            x = dense(*args, **{**kwargs, "inputs": x, "units": outputs, "activation": None})
            if shift_only:
                return x, None
            shift, log_scale = joining.split(x, 2, axis=-1)
            return shift, log_scale

        return make_template("real_nvp_default_template", network)
