"""Losses of numbers predicted for numbers."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.deprecation import deprecated_args, deprecated_argument_lookup
from ferroflow._src.base.docstrings import document
from ferroflow._src.base.typing import TensorLike
from ferroflow._src.control_flow.weights_broadcast import assert_broadcastable
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import control_dependencies, name_scope
from ferroflow._src.framework.graph_keys import GraphKeys
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.losses.collections import add_loss
from ferroflow._src.losses.weighting import Reduction, compute_weighted_loss, number_present
from ferroflow._src.ops.array import indexing, making, shaping
from ferroflow._src.ops.math import arithmetic
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.elementwise import abs as absolute, log, square
from ferroflow._src.ops.math.reduction import reduce_sum

_DESCRIPTION = """

    Args:
        labels: Tensor of a real number dtype.
        predictions: Tensor of a real number dtype, of the shape of `labels`.{more}
        weights: Tensor of shape [], or of the losses' rank, each dimension 1 or equal to theirs.{later}
        scope: str, name scope of the operations.
        loss_collection: str, key of the collection that the loss is put into, or None.
        reduction: str, of `Reduction`.{last}

    Returns:
        Tensor of float32, of shape []; for `Reduction.NONE` of the shape of the losses.

    Raises:
        ValueError: if the shapes are known to be incompatible, labels or predictions are None, or
            `reduction` is not a `Reduction`.
    """


def _require(labels: Any, predictions: Any) -> None:
    if labels is None:
        raise ValueError("labels must not be None.")
    if predictions is None:
        raise ValueError("predictions must not be None.")


def _as_floats(labels: Any, predictions: Any) -> tuple[Tensor, Tensor]:
    predictions = cast(predictions, dtypes.float32)
    labels = cast(labels, dtypes.float32)
    predictions.get_shape().assert_is_compatible_with(labels.get_shape())
    return labels, predictions


def absolute_difference(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike = 1.0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """Returns the loss `|predictions - labels|`."""
    _require(labels, predictions)
    with name_scope(scope, "absolute_difference", [predictions, labels, weights]) as scope:
        labels, predictions = _as_floats(labels, predictions)
        losses = absolute(arithmetic.subtract(predictions, labels))
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction=reduction)


@deprecated_args(dim="axis")
def cosine_distance(
    labels: TensorLike,
    predictions: TensorLike,
    axis: int | None = None,
    weights: TensorLike = 1.0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
    dim: int | None = None,
) -> Tensor:
    """Returns the loss `1 - sum(labels * predictions)` along a dimension: the cosine distance of vectors of length
    1.
    """
    axis = deprecated_argument_lookup("axis", axis, "dim", dim)
    if axis is None:
        raise ValueError("You must specify 'axis'.")
    _require(labels, predictions)
    with name_scope(scope, "cosine_distance_loss", [predictions, labels, weights]) as scope:
        labels, predictions = _as_floats(labels, predictions)
        products = arithmetic.multiply(predictions, labels)
        losses = 1 - reduce_sum(products, axis=(axis,), keepdims=True)
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction=reduction)


def huber_loss(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike = 1.0,
    delta: float = 1.0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """Returns the Huber loss: `e * e / 2` for errors up to `delta` in magnitude, from there on `delta * (|e| - delta /
    2)`.
    """
    _require(labels, predictions)
    with name_scope(scope, "huber_loss", [predictions, labels, weights]) as scope:
        labels, predictions = _as_floats(labels, predictions)
        magnitude = absolute(arithmetic.subtract(predictions, labels))
        quadratic = arithmetic.minimum(magnitude, delta)
        linear = arithmetic.subtract(magnitude, quadratic)
        half = convert_to_tensor(0.5, dtype=quadratic.dtype)
        losses = arithmetic.add(
            arithmetic.multiply(half, arithmetic.multiply(quadratic, quadratic)), arithmetic.multiply(delta, linear)
        )
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction=reduction)


def log_loss(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike = 1.0,
    epsilon: float = 1e-7,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """Returns the loss `-labels * log(predictions + epsilon) - (1 - labels) * log(1 - predictions + epsilon)`."""
    _require(labels, predictions)
    with name_scope(scope, "log_loss", [predictions, labels, weights]) as scope:
        labels, predictions = _as_floats(labels, predictions)
        positive = arithmetic.multiply(labels, log(predictions + epsilon))
        losses = -positive - arithmetic.multiply((1 - labels), log(1 - predictions + epsilon))
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction=reduction)


def mean_squared_error(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike = 1.0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """Returns the loss `(predictions - labels) ** 2`.

    Example:
        >>> loss = tf.losses.mean_squared_error(labels=[1.0, 2.0, 3.0], predictions=[1.0, 2.0, 6.0])
        >>> print(sess.run(loss))
        3.0
        >>> print(tf.losses.get_losses() == [loss])
        True
    """
    _require(labels, predictions)
    with name_scope(scope, "mean_squared_error", [predictions, labels, weights]) as scope:
        labels, predictions = _as_floats(labels, predictions)
        losses = arithmetic.squared_difference(predictions, labels)
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction=reduction)


def mean_pairwise_squared_error(
    labels: Any,
    predictions: Any,
    weights: TensorLike = 1.0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
) -> Tensor:
    """Returns the mean over pairs (i, j) of one example's elements of `((p_i - p_j) - (l_i - l_j)) ** 2`, summed over
    examples.

    Args:
        labels: Tensor of a real number dtype, of shape [batch, ...].
        predictions: Tensor of a real number dtype, of the shape of `labels`.
        weights: Tensor of shape [], or of the rank of `labels` with each dimension 1 or theirs.
        scope: str, name scope of the operations.
        loss_collection: str, key of the collection that the loss is put into, or None.

    Returns:
        Tensor of float32, of shape [].

    Raises:
        ValueError: if the shapes are known not to fit, or labels or predictions are None.
    """
    _require(labels, predictions)
    with name_scope(scope, "mean_pairwise_squared_error", [predictions, labels, weights]) as scope:
        weights = cast(weights, dtypes.float32)
        labels = cast(labels, dtypes.float32)
        with control_dependencies([assert_broadcastable(weights, labels)]):
            predictions = cast(predictions, dtypes.float32)
            predictions.get_shape().assert_is_compatible_with(labels.get_shape())
            # With n elements of differences d, the sum over pairs of (d_i - d_j) ** 2 is n sum(d * d) - sum(d) ** 2.
            differences = arithmetic.subtract(predictions, labels)
            inner = making.range(1, shaping.rank(differences))
            squares = reduce_sum(square(differences), axis=inner, keepdims=True)
            present = number_present(differences, weights, per_batch=True)
            first = 2.0 * arithmetic.div_no_nan(squares, arithmetic.maximum(present - 1, 0), name="value")
            total = reduce_sum(differences, axis=inner, keepdims=True)
            pairs = arithmetic.maximum(arithmetic.multiply(present, present - 1), 0)
            second = 2.0 * arithmetic.div_no_nan(square(total), pairs, name="value")
            loss = reduce_sum(arithmetic.multiply(first - second, weights))
            is_present = reduce_sum(present) > 0
            mean_loss = indexing.where(is_present, loss, making.zeros_like(loss), name="value")
            add_loss(mean_loss, loss_collection)
            return mean_loss


def _describe(function: Any, more: str = "", later: str = "", last: str = "") -> None:
    document(function, function.__doc__, _DESCRIPTION.format(more=more, later=later, last=last))


_describe(absolute_difference)
_describe(mean_squared_error)
_describe(
    cosine_distance,
    more="\n        axis: int, the dimension of the vectors; the losses have size 1 in it.",
    last="\n        dim: deprecated name of `axis`.",
)
_describe(huber_loss, later="\n        delta: float, the error from which on the loss grows linearly.")
_describe(log_loss, later="\n        epsilon: float, added to what is under a logarithm.")
