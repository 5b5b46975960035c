"""The losses of `tf.contrib.losses`: predictions come before labels, and weights are of leading dimensions."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.deprecation import deprecated, deprecated_argument_lookup
from ferroflow._src.base.typing import TensorLike
from ferroflow._src.contrib.framework.arg_scope import add_arg_scope
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.losses import classification, collections, regression, weighting
from ferroflow._src.losses.weighting import Reduction
from ferroflow._src.ops.array import indexing, making, shaping
from ferroflow._src.ops.math import arithmetic
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.elementwise import square
from ferroflow._src.ops.math.reduction import reduce_sum

add_loss = add_arg_scope(deprecated("tf.losses.add_loss", "tf.contrib.losses.add_loss")(collections.add_loss))
get_losses = deprecated("tf.losses.get_losses", "tf.contrib.losses.get_losses")(collections.get_losses)
get_regularization_losses = deprecated(
    "tf.losses.get_regularization_losses", "tf.contrib.losses.get_regularization_losses"
)(collections.get_regularization_losses)
get_total_loss = deprecated("tf.losses.get_total_loss", "tf.contrib.losses.get_total_loss")(collections.get_total_loss)


def _with_rank_of(losses: Tensor, weights: Any) -> Tensor:
    """Returns weights of the leading dimensions, with a dimension of size 1 for each of the others."""
    weights = cast(convert_to_tensor(weights), dtypes.float32)
    ranks = losses.get_shape().ndims, weights.get_shape().ndims
    if ranks[0] is None:
        raise ValueError("losses.get_shape().ndims cannot be None")
    if ranks[1] is None:
        raise ValueError("weights.get_shape().ndims cannot be None")
    if ranks[1] > 1 and weights.get_shape()[-1].is_compatible_with(1):
        weights = shaping.squeeze(weights, [-1])
    lacking = ranks[0] - (weights.get_shape().ndims or ranks[0])
    for _ in range(lacking):
        weights = shaping.expand_dims(weights, -1)
    given: Tensor = weights
    return given


def _weighted(losses: Tensor, weights: Any, scope: str | None) -> Tensor:
    loss = weighting.compute_weighted_loss(losses, _with_rank_of(losses, weights), scope, loss_collection=None)
    # An argument scope of `add_loss` decides the collection.
    add_loss(loss)
    return loss


@deprecated("tf.losses.compute_weighted_loss", "tf.contrib.losses.compute_weighted_loss")
def compute_weighted_loss(losses: TensorLike, weights: TensorLike = 1.0, scope: str | None = None) -> Tensor:
    """Returns the mean of losses over the elements whose weight is not 0, weighted; it is put into `GraphKeys.LOSSES`.

    Args:
        losses: Tensor of a real number dtype, of shape [batch, ...].
        weights: Tensor of shape [], [batch] or of more leading dimensions of `losses`.
        scope: str, name scope of the operations.

    Returns:
        Tensor of the dtype of `losses`, of shape [].

    Raises:
        ValueError: if a rank is unknown.
    """
    return _weighted(convert_to_tensor(losses), weights, scope)


@deprecated("tf.losses.absolute_difference", "tf.contrib.losses.absolute_difference")
def absolute_difference(
    predictions: Any, labels: Any = None, weights: TensorLike = 1.0, scope: str | None = None
) -> Tensor:
    """Returns the loss `|predictions - labels|`, with weights of leading dimensions.

    Args:
        predictions: Tensor of a real number dtype, of shape [batch, ...].
        labels: Tensor of a real number dtype, of the shape of `predictions`.
        weights: Tensor of a real number dtype, of shape [], [batch] or of more leading dimensions of the losses.
        scope: str, name scope of the operations.

    Returns:
        Tensor of float32, of shape []: the mean over the elements whose weight is not 0.

    Raises:
        ValueError: if the shapes are known not to fit, or labels or predictions are None.
    """
    with name_scope(scope, "absolute_difference", [predictions, labels, weights]) as scope:
        losses = regression.absolute_difference(
            labels, predictions, scope=scope, loss_collection=None, reduction=Reduction.NONE
        )
        return _weighted(losses, weights, scope)


@deprecated("tf.losses.mean_squared_error", "tf.contrib.losses.mean_squared_error")
def mean_squared_error(
    predictions: Any, labels: Any = None, weights: TensorLike = 1.0, scope: str | None = None
) -> Tensor:
    """Returns the loss `(predictions - labels) ** 2`, with weights of leading dimensions.

    Args:
        predictions: Tensor of a real number dtype, of shape [batch, ...].
        labels: Tensor of a real number dtype, of the shape of `predictions`.
        weights: Tensor of a real number dtype, of shape [], [batch] or of more leading dimensions of the losses.
        scope: str, name scope of the operations.

    Returns:
        Tensor of float32, of shape []: the mean over the elements whose weight is not 0.

    Raises:
        ValueError: if the shapes are known not to fit, or labels or predictions are None.
    """
    with name_scope(scope, "mean_squared_error", [predictions, labels, weights]) as scope:
        losses = regression.mean_squared_error(
            labels, predictions, scope=scope, loss_collection=None, reduction=Reduction.NONE
        )
        return _weighted(losses, weights, scope)


@deprecated("tf.losses.log_loss", "tf.contrib.losses.log_loss")
def log_loss(
    predictions: Any, labels: Any = None, weights: TensorLike = 1.0, epsilon: float = 1e-7, scope: str | None = None
) -> Tensor:
    """Returns the cross entropy of probabilities of True, with weights of leading dimensions.

    Args:
        predictions: Tensor of a real number dtype, of shape [batch, ...].
        labels: Tensor of a real number dtype, of the shape of `predictions`.
        weights: Tensor of a real number dtype, of shape [], [batch] or of more leading dimensions of the losses.
        epsilon: float, added before a logarithm.
        scope: str, name scope of the operations.

    Returns:
        Tensor of float32, of shape []: the mean over the elements whose weight is not 0.

    Raises:
        ValueError: if the shapes are known not to fit, or labels or predictions are None.
    """
    with name_scope(scope, "log_loss", [predictions, labels, weights]) as scope:
        losses = regression.log_loss(
            labels, predictions, epsilon=epsilon, scope=scope, loss_collection=None, reduction=Reduction.NONE
        )
        return _weighted(losses, weights, scope)


@deprecated("tf.losses.cosine_distance", "tf.contrib.losses.cosine_distance")
def cosine_distance(
    predictions: Any,
    labels: Any = None,
    axis: int | None = None,
    weights: TensorLike = 1.0,
    scope: str | None = None,
    dim: int | None = None,
) -> Tensor:
    """Returns the loss `1 - sum(labels * predictions)` along a dimension, which the losses then lack, with weights of
    leading dimensions.

    Args:
        predictions: Tensor of a real number dtype, of shape [batch, ...].
        labels: Tensor of a real number dtype, of the shape of `predictions`.
        axis: int, the dimension of the vectors.
        weights: Tensor of a real number dtype, of shape [], [batch] or of more leading dimensions of the losses.
        scope: str, name scope of the operations.
        dim: deprecated name of `axis`.

    Returns:
        Tensor of float32, of shape []: the mean over the elements whose weight is not 0.

    Raises:
        ValueError: if the shapes are known not to fit, labels or predictions are None, or no axis is given.
    """
    axis = deprecated_argument_lookup("axis", axis, "dim", dim)
    with name_scope(scope, "cosine_distance_loss", [predictions, labels, weights]) as scope:
        losses = regression.cosine_distance(
            labels, predictions, axis=axis, scope=scope, loss_collection=None, reduction=Reduction.NONE
        )
        return _weighted(shaping.squeeze(losses, [axis]), weights, scope)


@deprecated("tf.losses.hinge_loss", "tf.contrib.losses.hinge_loss")
def hinge_loss(logits: Any, labels: Any = None, scope: str | None = None) -> Tensor:
    """Returns the hinge losses of the elements, neither reduced nor put into a collection.

    Args:
        logits: Tensor of float32, of any shape.
        labels: Tensor of a real number dtype, of the shape of `logits`: 0 or 1.
        scope: str, name scope of the operations.

    Returns:
        Tensor of float32, of the shape of `logits`.
    """
    return classification.hinge_loss(labels, logits, scope=scope, loss_collection=None, reduction=Reduction.NONE)


@deprecated("tf.losses.sigmoid_cross_entropy", "tf.contrib.losses.sigmoid_cross_entropy")
def sigmoid_cross_entropy(
    logits: TensorLike,
    multi_class_labels: TensorLike,
    weights: TensorLike = 1.0,
    label_smoothing: float = 0,
    scope: str | None = None,
) -> Tensor:
    """Returns the cross entropy of labels and the sigmoids of logits, with weights of leading dimensions.

    Args:
        logits: Tensor of a float dtype, of shape [batch, classes], or any other.
        multi_class_labels: Tensor of a real number dtype, of the shape of `logits`: probabilities.
        weights: Tensor of a real number dtype, of shape [], [batch] or of more leading dimensions of the losses.
        label_smoothing: float, if above 0, the labels become `labels * (1 - s) + s / 2`.
        scope: str, name scope of the operations.

    Returns:
        Tensor of the dtype of `logits`, of shape []: the mean over the elements whose weight is not 0.

    Raises:
        ValueError: if the shapes are known not to fit, or labels or logits are None.
    """
    with name_scope(scope, "sigmoid_cross_entropy_loss", [logits, multi_class_labels, weights]) as scope:
        losses = classification.sigmoid_cross_entropy(
            multi_class_labels,
            logits,
            label_smoothing=label_smoothing,
            scope=scope,
            loss_collection=None,
            reduction=Reduction.NONE,
        )
        return _weighted(losses, weights, scope)


@deprecated("tf.losses.softmax_cross_entropy", "tf.contrib.losses.softmax_cross_entropy")
def softmax_cross_entropy(
    logits: TensorLike,
    onehot_labels: TensorLike,
    weights: TensorLike = 1.0,
    label_smoothing: float = 0,
    scope: str | None = None,
) -> Tensor:
    """Returns the cross entropy of distributions over classes and the softmax of logits, with weights of leading
    dimensions.

    Args:
        logits: Tensor of a float dtype, of shape [batch, classes].
        onehot_labels: Tensor of a real number dtype, of the shape of `logits`: probabilities.
        weights: Tensor of a real number dtype, of shape [], [batch] or of more leading dimensions of the losses.
        label_smoothing: float, if above 0, the labels become `labels * (1 - s) + s / classes`.
        scope: str, name scope of the operations.

    Returns:
        Tensor of the dtype of `logits`, of shape []: the mean over the elements whose weight is not 0.

    Raises:
        ValueError: if the shapes are known not to fit, or labels or logits are None.
    """
    with name_scope(scope, "softmax_cross_entropy_loss", [logits, onehot_labels, weights]) as scope:
        losses = classification.softmax_cross_entropy(
            onehot_labels,
            logits,
            label_smoothing=label_smoothing,
            scope=scope,
            loss_collection=None,
            reduction=Reduction.NONE,
        )
        return _weighted(losses, weights, scope)


@deprecated("tf.losses.sparse_softmax_cross_entropy", "tf.contrib.losses.sparse_softmax_cross_entropy")
def sparse_softmax_cross_entropy(
    logits: TensorLike, labels: TensorLike, weights: TensorLike = 1.0, scope: str | None = None
) -> Tensor:
    """Returns the cross entropy of classes and the softmax of logits, with weights of leading dimensions.

    Args:
        logits: Tensor of a float dtype, of shape [batch, classes].
        labels: Tensor of int32 or int64, of shape [batch] or [batch, 1]: the classes.
        weights: Tensor of a real number dtype, of shape [], [batch] or of more leading dimensions of the losses.
        scope: str, name scope of the operations.

    Returns:
        Tensor of the dtype of `logits`, of shape []: the mean over the elements whose weight is not 0.

    Raises:
        ValueError: if the shapes are known not to fit, or logits are None.
    """
    with name_scope(scope, "sparse_softmax_cross_entropy_loss", [logits, labels, weights]) as scope:
        labels = convert_to_tensor(labels)
        labels = shaping.reshape(labels, [shaping.shape(labels)[0]])
        losses = classification.sparse_softmax_cross_entropy(
            labels, logits, scope=scope, loss_collection=None, reduction=Reduction.NONE
        )
        return _weighted(losses, weights, scope)


@deprecated("tf.losses.mean_pairwise_squared_error", "tf.contrib.losses.mean_pairwise_squared_error")
def mean_pairwise_squared_error(
    predictions: Any, labels: Any = None, weights: TensorLike = 1.0, scope: str | None = None
) -> Tensor:
    """Returns the mean over pairs (i, j), i = j among them, of the squared difference of differences, summed over
    examples.

    Args:
        predictions: Tensor of a real number dtype, of shape [batch, ...].
        labels: Tensor of a real number dtype, of the shape of `predictions`.
        weights: Tensor of shape [], [batch] or of more leading dimensions.
        scope: str, name scope of the operations.

    Returns:
        Tensor of float32, of shape [].

    Raises:
        ValueError: if a rank is unknown.
    """
    with name_scope(scope, "mean_pairwise_squared_error", [predictions, labels, weights]) as scope:
        differences = arithmetic.subtract(cast(predictions, dtypes.float32), cast(labels, dtypes.float32))
        weights = _with_rank_of(differences, weights)
        inner = list(range(1, len(differences.get_shape())))
        count = weighting.number_present(differences, weights, per_batch=True)
        squares = reduce_sum(square(differences), axis=inner, keepdims=True)
        total = reduce_sum(differences, axis=inner, keepdims=True)
        first = 2.0 * arithmetic.div_no_nan(squares, count)
        second = 2.0 * arithmetic.div_no_nan(square(total), square(count))
        loss = reduce_sum(arithmetic.multiply(first - second, weights))
        is_present = reduce_sum(count) > 0
        mean_loss = indexing.where(is_present, loss, making.zeros_like(loss), name="value")
        add_loss(mean_loss)
        return mean_loss
