"""Bijectors of vectors with an order or a sum: ordered vectors, and the softmax with one class more."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.contrib.bijectors.base import Bijector
from ferroflow._src.contrib.distributions.matrices_and_vectors import pad
from ferroflow._src.contrib.distributions.static_shapes import known_size
from ferroflow._src.ops.array import joining
from ferroflow._src.ops.array.shaping import squeeze
from ferroflow._src.ops.flow import checking
from ferroflow._src.ops.flow.grouping import with_dependencies
from ferroflow._src.ops.math.elementwise import exp, log
from ferroflow._src.ops.math.reduction import reduce_logsumexp, reduce_sum
from ferroflow._src.ops.math.segment import cumsum
from ferroflow._src.ops.nn.activation import softplus
from ferroflow._src.ops.nn.softmax import softmax


def _require_above_one(shape: TensorShape) -> None:
    size = known_size(shape[-1])
    if size is not None and size <= 1:
        raise ValueError(f"output_shape[-1] = {size} <= 1")


def _checked_above_one(shape: Any, validate_args: bool) -> Any:
    if not validate_args:
        return shape
    check = checking.assert_greater(shape[-1], 1, message="Need last dimension greater than 1.")
    return with_dependencies([check], shape)


class Ordered(Bijector):
    """The function of vectors with increasing elements that keeps the first and takes the logarithms of the steps.

    Args:
        validate_args: bool. If True, steps check that elements increase.
        name: str, name scope of its operations.
    """

    def __init__(self, validate_args: bool = False, name: str = "ordered") -> None:
        super().__init__(forward_min_event_ndims=1, validate_args=validate_args, name=name)

    def _inverse_event_shape(self, output_shape: TensorShape) -> Any:
        if output_shape.ndims is None:
            return output_shape
        _require_above_one(output_shape)
        return TensorShape([known_size(output_shape[-1])])

    def _inverse_event_shape_tensor(self, output_shape: Any) -> Any:
        return _checked_above_one(output_shape, self.validate_args)[-1][..., None]

    def _forward(self, x: Any) -> Any:
        x = self._checked(x)
        return joining.concat([x[..., :1], log(x[..., 1:] - x[..., :-1])], -1)

    def _inverse(self, y: Any) -> Any:
        return cumsum(joining.concat([y[..., :1], exp(y[..., 1:])], -1), axis=-1)

    def _inverse_log_det_jacobian(self, y: Any) -> Any:
        return reduce_sum(y[..., 1:], axis=-1)

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        x = self._checked(x)
        return -reduce_sum(log(x[..., 1:] - x[..., :-1]), axis=-1)

    def _checked(self, x: Any) -> Any:
        if not self.validate_args:
            return x
        message = "Forward transformation input must be strictly increasing."
        return with_dependencies([checking.assert_positive(x[..., 1:] - x[..., :-1], message=message)], x)


class SoftmaxCentered(Bijector):
    """The softmax of a vector to which a 0 is appended: k numbers become k + 1 probabilities.

    Args:
        validate_args: bool. If True, steps check that arguments of `inverse` have at least two elements.
        name: str, name scope of its operations.
    """

    def __init__(self, validate_args: bool = False, name: str = "softmax_centered") -> None:
        super().__init__(forward_min_event_ndims=1, validate_args=validate_args, name=name)

    def _forward_event_shape(self, input_shape: TensorShape) -> Any:
        if input_shape.ndims is None or known_size(input_shape[-1]) is None:
            return input_shape
        return TensorShape([input_shape[-1] + 1])

    def _forward_event_shape_tensor(self, input_shape: Any) -> Any:
        return (input_shape[-1] + 1)[..., None]

    def _inverse_event_shape(self, output_shape: TensorShape) -> Any:
        if output_shape.ndims is None or known_size(output_shape[-1]) is None:
            return output_shape
        _require_above_one(output_shape)
        return TensorShape([output_shape[-1] - 1])

    def _inverse_event_shape_tensor(self, output_shape: Any) -> Any:
        return (_checked_above_one(output_shape, self.validate_args)[-1] - 1)[..., None]

    def _forward(self, x: Any) -> Any:
        y = pad(x, axis=-1, back=True)
        static = x.get_shape()
        if static.ndims is not None:
            y.set_shape(static[:-1].concatenate(static[-1] + 1))
        return softmax(y)

    def _inverse(self, y: Any) -> Any:
        # The last class has the logit 0: its logarithm is what normalizes the others.
        logs = log(y)
        x = logs[..., :-1] - logs[..., -1:]
        static = y.get_shape()
        if static.ndims is not None:
            x.set_shape(static[:-1].concatenate(static[-1] - 1))
        return x

    def _inverse_log_det_jacobian(self, y: Any) -> Any:
        # The Jacobian is diag(p) - p p^T of the first k probabilities p; its determinant is the product of all k + 1.
        return -reduce_sum(log(y), axis=-1)

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        normalizer = softplus(reduce_logsumexp(x, axis=-1, keepdims=True))
        return squeeze(-normalizer + reduce_sum(x - normalizer, axis=-1, keepdims=True), axis=[-1])
