"""The losses of single examples that `contrib.boosted_trees` trains trees by."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.losses.classification import hinge_loss
from ferroflow._src.ops.array import making, shaping
from ferroflow._src.ops.array.indexing import where
from ferroflow._src.ops.flow.grouping import no_op
from ferroflow._src.ops.math.arithmetic import squared_difference
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.clipping import clip_by_value
from ferroflow._src.ops.math.elementwise import exp, log, sigmoid, square
from ferroflow._src.ops.math.reduction import reduce_sum
from ferroflow._src.ops.nn.softmax import sigmoid_cross_entropy_with_logits


def _weighted(losses: Tensor, weights: Any) -> tuple[Tensor, Operation]:
    return losses * weights, no_op()


def _optionally_weighted(losses: Tensor, weights: Any) -> tuple[Tensor, Operation]:
    return (losses, no_op()) if weights is None else _weighted(losses, weights)


def _signs(labels: Any) -> Tensor:
    """Returns 1 for labels above 0, and -1 for the others."""
    labels = cast(labels, dtypes.float32)
    ones = making.ones_like(labels)
    return where(labels > 0.0, ones, -ones)


def per_example_logistic_loss(labels: Any, weights: Any, predictions: Any) -> tuple[Tensor, Operation]:
    """Returns the cross entropies of labels of two classes.

    Args:
        labels: Tensor of 0 and 1, of any numbers, of shape [batch, 1].
        weights: float32 Tensor of shape [batch, 1].
        predictions: float32 Tensor of shape [batch, 1], logits.

    Returns:
        float32 Tensor of shape [batch, 1], and an operation that does nothing.
    """
    labels = cast(labels, dtypes.float32)
    return _weighted(sigmoid_cross_entropy_with_logits(labels=labels, logits=predictions), weights)


def per_example_quantile_regression_loss(
    labels: Any, weights: Any, predictions: Any, quantile: float
) -> tuple[Tensor, Operation]:
    """Returns losses whose least mean is near a quantile of the labels: squares of small errors, and large ones.

    Args:
        labels: float32 Tensor of shape [batch, 1].
        weights: float32 Tensor of shape [batch, 1], or None for ones.
        predictions: float32 Tensor of shape [batch, 1].
        quantile: float between 0 and 1.

    Returns:
        float32 Tensor of shape [batch, 1], and an operation that does nothing.
    """
    error = cast(labels, dtypes.float32) - predictions

    def bounded(scale: float) -> Tensor:
        scaled = scale * error
        return where(scaled < 1.0, square(scaled), scaled)

    losses = where(error > 0.0, bounded(quantile), bounded(quantile - 1.0))
    return _optionally_weighted(losses, weights)


def per_example_maxent_loss(
    labels: Any, weights: Any, logits: Any, num_classes: int, eps: float = 1e-15
) -> tuple[Tensor, Operation]:
    """Returns the negative logarithms of the probabilities of the labels' classes.

    Args:
        labels: Tensor of integers from 0 to `num_classes` - 1, of shape [batch, 1].
        weights: float32 Tensor of shape [batch, 1], or None for ones.
        logits: float32 Tensor of shape [batch, num_classes].
        num_classes: int.
        eps: float, added to the sum of the exponentials; probabilities are clipped to [eps, 1 - eps].

    Returns:
        float32 Tensor of shape [batch, 1], and an operation that does nothing.
    """
    classes = cast(labels, dtypes.int64)
    chosen = reduce_sum(making.one_hot(classes, depth=num_classes, dtype=dtypes.float32), 1)
    exponentials = exp(convert_to_tensor(logits))
    shares = exponentials / (reduce_sum(exponentials, 1, keepdims=True) + eps)
    likely = clip_by_value(reduce_sum(chosen * shares, 1), eps, 1.0 - eps)
    losses = shaping.expand_dims(-log(likely), 1)
    return _optionally_weighted(losses, weights)


def per_example_squared_loss(labels: Any, weights: Any, predictions: Any) -> tuple[Tensor, Operation]:
    """Returns the squared errors of examples.

    Args:
        labels: Tensor of numbers of shape [batch, n].
        weights: float32 Tensor of shape [batch, 1].
        predictions: float32 Tensor of shape [batch, n].

    Returns:
        float32 Tensor of shape [batch, 1], the sums over each example, and an operation that does nothing.
    """
    errors = squared_difference(predictions, cast(labels, dtypes.float32))
    return _weighted(reduce_sum(errors, 1, keepdims=True), weights)


def per_example_exp_loss(
    labels: Any, weights: Any, predictions: Any, name: str | None = None, eps: float = 0.1
) -> tuple[Tensor, Operation]:
    """Returns exponential losses of probabilities: those within `eps` of a half count by their distance from it.

    Args:
        labels: Tensor of 0 and 1, of any numbers, of shape [batch, 1].
        weights: float32 Tensor of shape [batch, 1].
        predictions: float32 Tensor of shape [batch, 1], logits.
        name: accepted; the operations have names of their own.
        eps: float, from which distance the loss is `exp(-1)` on the label's side, and `exp(1)` on the other.

    Returns:
        float32 Tensor of shape [batch, 1], and an operation that does nothing.
    """
    del name
    side = clip_by_value((sigmoid(predictions) - 0.5) / eps, -1.0, 1.0)
    return _weighted(exp(-_signs(labels) * side), weights)


def per_example_full_exp_loss(
    labels: Any, weights: Any, predictions: Any, name: str | None = None
) -> tuple[Tensor, Operation]:
    """Returns exponential losses of logits.

    Args:
        labels: Tensor of 0 and 1, of any numbers, of shape [batch, 1].
        weights: float32 Tensor of shape [batch, 1].
        predictions: float32 Tensor of shape [batch, 1], logits.
        name: accepted; the operations have names of their own.

    Returns:
        float32 Tensor of shape [batch, 1], and an operation that does nothing.
    """
    del name
    return _weighted(exp(-_signs(labels) * predictions), weights)


def per_example_squared_hinge_loss(labels: Any, weights: Any, predictions: Any) -> tuple[Tensor, Operation]:
    """Returns the square of the mean hinge loss, which TensorFlow has for the loss of each example.

    Args:
        labels: Tensor of 0 and 1, of any numbers, of shape [batch, 1].
        weights: float32 Tensor of shape [batch, 1].
        predictions: float32 Tensor of shape [batch, 1], logits.

    Returns:
        float32 Tensor of shape [], and an operation that does nothing.
    """
    return square(hinge_loss(labels=labels, logits=predictions, weights=weights)), no_op()
