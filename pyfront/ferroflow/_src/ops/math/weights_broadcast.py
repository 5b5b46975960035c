"""The broadcasting of weights in losses and metrics: a scalar, or each dimension 1 or that of the values."""

from __future__ import annotations

from ferroflow._src.base.typing import TensorLike
from ferroflow._src.framework.apply import tensor_op
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import control_dependencies, name_scope
from ferroflow._src.framework.operation import Operation
from ferroflow._src.framework.tensor import Tensor
from ferroflow._src.ops.array import joining, making, shaping
from ferroflow._src.ops.flow.checking import Assert
from ferroflow._src.ops.flow.grouping import no_op
from ferroflow._src.ops.math import comparison
from ferroflow._src.ops.math.reduction import reduce_all

_ERROR = "weights can not be broadcast to values."


def _has_valid_shape(weights_shape: Tensor, weights_rank: Tensor, values_shape: Tensor, values_rank: Tensor) -> Tensor:
    """Returns True if the ranks are equal and each dimension of the weights is 1 or equal to that of the values."""
    with name_scope(
        None, "has_valid_nonscalar_shape", [weights_rank, weights_shape, values_rank, values_shape]
    ) as scope:
        is_same_rank = comparison.equal(values_rank, weights_rank, name="is_same_rank")
        # Sizes that no dimension has follow those of the values: there is one for each dimension of the weights.
        beyond = making.fill(shaping.expand_dims(weights_rank, 0), -1)
        compared = joining.concat([values_shape, beyond], 0)[:weights_rank]
        is_valid = comparison.logical_or(
            comparison.equal(weights_shape, compared), comparison.equal(weights_shape, 1), name="is_valid_dim"
        )
        return comparison.logical_and(is_same_rank, reduce_all(is_valid), name=scope)


def _known_to_hold(weights: Tensor, values: Tensor) -> str | None:
    """Returns the name of the check that the shapes pass now; None if the step must check."""
    weights_shape, values_shape = weights.get_shape(), values.get_shape()
    if weights_shape.ndims is None or values_shape.ndims is None:
        return None
    if weights_shape.ndims == 0:
        return "static_scalar_check_success"
    if weights_shape.ndims != values_shape.ndims:
        raise ValueError(
            f"{_ERROR} values.rank={values_shape.ndims}. weights.rank={weights_shape.ndims}. "
            f"values.shape={values_shape}. weights.shape={weights_shape}."
        )
    if not (weights_shape.is_fully_defined() and values_shape.is_fully_defined()):
        return None
    weights_dims, values_dims = weights_shape.as_list(), values_shape.as_list()
    for i, (weights_dim, values_dim) in enumerate(zip(weights_dims, values_dims, strict=True)):
        if weights_dim not in (1, values_dim):
            raise ValueError(f"{_ERROR} Mismatch at dim {i}. values.shape={values_dims} weights.shape={weights_dims}.")
    return "static_dims_check_success"


def assert_broadcastable(weights: TensorLike, values: TensorLike) -> Operation:
    """Makes an operation that fails unless weights can be broadcast to values.

    Args:
        weights: Tensor of any dtype: of shape [], or of the rank of `values`, with each dimension 1 or that of
            `values`.
        values: Tensor of any dtype and shape.

    Returns:
        Operation; one that does nothing if the shapes are known now. A step raises `InvalidArgumentError` if it does

             not hold.

    Raises:
        ValueError: if the condition is known to be false when the graph is built.
    """
    with name_scope(None, "assert_broadcastable", [weights, values]) as scope:
        with name_scope(None, "weights", [weights]) as weights_scope:
            weights = convert_to_tensor(weights, name=weights_scope)
            weights_shape = shaping.shape(weights, name="shape")
            weights_rank = shaping.rank(weights, name="rank")
        with name_scope(None, "values", [values]) as values_scope:
            values = convert_to_tensor(values, name=values_scope)
            values_shape = shaping.shape(values, name="shape")
            values_rank = shaping.rank(values, name="rank")
        check = _known_to_hold(weights, values)
        if check is not None:
            return no_op(name=check)
        is_scalar = comparison.equal(0, weights_rank, name="is_scalar")
        described = ["weights.shape=", weights.name, weights_shape, "values.shape=", values.name, values_shape]
        is_valid = comparison.logical_or(
            is_scalar,
            _has_valid_shape(weights_shape, weights_rank, values_shape, values_rank),
            name="is_valid_shape",
        )
        return Assert(is_valid, [_ERROR, *described, "is_scalar=", is_scalar], name=scope)


def broadcast_weights(weights: TensorLike, values: TensorLike) -> Tensor:
    """Broadcasts weights to the shape of values.

    Args:
        weights: Tensor of the dtype of `values`, of a shape that `assert_broadcastable` takes.
        values: Tensor of a number dtype, of any shape.

    Returns:
        Tensor of the dtype and shape of `values`. A step raises `InvalidArgumentError` for weights of a wrong shape.

    Raises:
        ValueError: if the weights are known not to broadcast to the values.
    """
    with name_scope(None, "broadcast_weights", [weights, values]) as scope:
        values = convert_to_tensor(values, name="values")
        given: Tensor = convert_to_tensor(weights, dtype=values.dtype.base_dtype, name="weights")
        weights_shape, values_shape = given.get_shape(), values.get_shape()
        both_known = weights_shape.is_fully_defined() and values_shape.is_fully_defined()
        if both_known and weights_shape.is_compatible_with(values_shape):
            return given
        with control_dependencies([assert_broadcastable(given, values)]):
            return tensor_op("Mul", [given, making.ones_like(values)], name=scope)
