"""Losses of the heads of `tf.contrib.learn`: the mean for training, and the weighted average for reports."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from ferroflow._src.base import dtypes, tf_logging
from ferroflow._src.control_flow.weights_broadcast import broadcast_weights
from ferroflow._src.framework.composite import SparseTensor
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import control_dependencies, name_scope
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.losses.classification import hinge_loss
from ferroflow._src.losses.weighting import Reduction
from ferroflow._src.ops.array import making, shaping
from ferroflow._src.ops.flow.checking import Assert
from ferroflow._src.ops.math.arithmetic import div, multiply, squared_difference
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.comparison import less_equal
from ferroflow._src.ops.math.reduction import reduce_mean, reduce_sum
from ferroflow._src.ops.nn.softmax import (
    log_poisson_loss,
    sigmoid_cross_entropy_with_logits,
    sparse_softmax_cross_entropy_with_logits,
)
from ferroflow._src.ops.sparse.shaping import sparse_reshape
from ferroflow._src.summary.values import scalar
from ferroflow._src.training.adagrad import AdagradOptimizer
from ferroflow._src.variables.variable import Variable

__all__ = [
    "LossFunction",
    "centered_bias",
    "centered_bias_step",
    "class_losses",
    "hinge_losses",
    "label_losses",
    "poisson_losses",
    "squared_losses",
    "two_class_losses",
    "weights_of",
    "with_own_loss",
]

# Of labels, logits and weights: the loss that is minimized and the one that is reported.
LossFunction = Callable[[Any, Any, Any], tuple[Any, Any]]


def weights_of(features: Mapping[str, Any], name: str | None) -> Any:
    """Returns the weights of the examples as float32, of at least two dimensions, or None.

    Args:
        features: dict from names to Tensors.
        name: str, the feature with the weights, or None.

    Raises:
        ValueError: if there is no such feature.
    """
    if not name:
        return None
    if name not in features:
        raise ValueError(f"Weights {name} missing from features.")
    with name_scope(None, "weight_tensor", list(features.values())):
        weights: Any = cast(features[name], dtypes.float32)
        if weights.get_shape().ndims != 1:
            return weights
        tf_logging.warning("Weights %s have one dimension and become a column.", name)
        reshape: Any = sparse_reshape if isinstance(weights, SparseTensor) else shaping.reshape
        return reshape(weights, (-1, 1))


def _weighted(losses: Tensor, weights: Any) -> tuple[Tensor, Tensor]:
    """Returns the mean of the weighted losses, and their sum over that of the weights."""
    with name_scope("loss", values=[losses, weights]) as scope:
        if weights is None:
            mean = reduce_mean(losses, name=scope)
            return mean, mean
        of_each = broadcast_weights(weights, losses)
        with name_scope(None, "weighted_loss", [losses, of_each]) as name:
            weighted = multiply(losses, of_each, name=name)
        mean = reduce_mean(weighted, name=scope)
        total = cast(reduce_sum(of_each), dtypes.float32)
        return mean, div(reduce_sum(weighted), total, name="weighted_average_loss")


def _column(tensor: Tensor) -> Tensor:
    return shaping.expand_dims(tensor, axis=1) if len(tensor.get_shape()) == 1 else tensor


def _of_numbers(scope: str, losses: Callable[[Tensor, Tensor, str], Tensor]) -> LossFunction:
    """Returns a loss of labels that have the shape of the logits."""

    def loss(labels: Any, logits: Any, weights: Any = None) -> tuple[Tensor, Tensor]:
        with name_scope(None, scope, [logits, labels]) as name:
            logits, labels = convert_to_tensor(logits), convert_to_tensor(labels)
            labels = _column(labels)
            logits = _column(logits)
            logits.get_shape().assert_is_compatible_with(labels.get_shape())
            return _weighted(losses(labels, logits, name), weights)

    return loss


squared_losses = _of_numbers(
    "mean_squared_loss",
    lambda labels, logits, name: squared_difference(logits, cast(labels, dtypes.float32), name=name),
)
poisson_losses = _of_numbers(
    "_poisson_loss",
    lambda labels, logits, name: log_poisson_loss(labels, logits, compute_full_loss=True, name=name),
)


def two_class_losses(labels: Any, logits: Any, weights: Any = None) -> tuple[Tensor, Tensor]:
    """Returns the cross entropies of one logit, of labels 0 and 1.

    Args:
        labels: Tensor of a number dtype, of shape [batch] or [batch, 1].
        logits: Tensor of float32, of shape [batch, 1].
        weights: Tensor of float32 that broadcasts to the losses, or None.

    Returns:
        (Tensor of float32 of shape [], to minimize; one to report).
    """
    with name_scope(None, "log_loss_with_two_classes", [logits, labels]) as name:
        logits, labels = convert_to_tensor(logits), _column(cast(labels, dtypes.float32))
        return _weighted(sigmoid_cross_entropy_with_logits(labels=labels, logits=logits, name=name), weights)


def class_losses(labels: Any, logits: Any, weights: Any = None) -> tuple[Tensor, Tensor]:
    """Returns the cross entropies of several classes.

    Args:
        labels: Tensor of an integer dtype, of shape [batch] or [batch, 1].
        logits: Tensor of float32, of shape [batch, classes].
        weights: Tensor of float32 that broadcasts to the losses, or None.

    Returns:
        (Tensor of float32 of shape [], to minimize; one to report).

    Raises:
        ValueError: if the labels are no integers.
    """
    with name_scope(None, "softmax_cross_entropy_loss", [logits, labels]) as name:
        labels = convert_to_tensor(labels)
        if not labels.dtype.is_integer:
            raise ValueError(f"Labels dtype should be integer Instead got {labels.dtype}.")
        is_column = len(labels.get_shape()) == 2
        if is_column:
            labels = shaping.squeeze(labels, axis=[1])
        losses = sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits, name=name)
        # TensorFlow gives the dimension as a list, which shows in the node's constant.
        return _weighted(shaping.expand_dims(losses, axis=[1]) if is_column else losses, weights)


def label_losses(labels: Any, logits: Any, weights: Any = None) -> tuple[Tensor, Tensor]:
    """Returns the cross entropies of classes of which each may apply to an example.

    Args:
        labels: Tensor of a number dtype, of shape [batch, classes], of zeros and ones.
        logits: Tensor of float32, of that shape.
        weights: Tensor of float32 that broadcasts to the losses, or None.

    Returns:
        (Tensor of float32 of shape [], to minimize; one to report).
    """
    with name_scope(None, "sigmoid_cross_entropy_loss", [logits, labels]) as name:
        numbers = cast(labels, dtypes.float32)
        return _weighted(sigmoid_cross_entropy_with_logits(labels=numbers, logits=logits, name=name), weights)


def _checked_rank(labels: Any) -> Operation:
    message = "labels shape should be either [batch_size, 1] or [batch_size]"
    return Assert(less_equal(shaping.rank(labels), 2), [message])


def hinge_losses(labels: Any, logits: Any, weights: Any = None) -> tuple[Tensor, Tensor]:
    """Returns the hinge losses of one logit, of labels 0 and 1.

    Args:
        labels: Tensor of a number dtype, of shape [batch] or [batch, 1].
        logits: Tensor of float32, of shape [batch, 1].
        weights: Tensor of float32 that broadcasts to the losses, or None.

    Returns:
        (Tensor of float32 of shape [], to minimize; one to report).
    """
    with name_scope(None, "hinge_loss", [logits, labels]) as name:
        with control_dependencies([_checked_rank(labels)]):
            column = shaping.reshape(labels, shape=(-1, 1))
        losses = hinge_loss(labels=column, logits=logits, scope=name, reduction=Reduction.NONE)
        return _weighted(losses, weights)


def with_own_loss(loss_fn: Callable[..., Any]) -> LossFunction:
    """Returns the loss of a program's own function, which is minimized and reported.

    Args:
        loss_fn: callable of `labels`, `logits` and `weights`, which returns a float32 Tensor of shape [].

    Raises:
        ValueError: if the function does not take these arguments.
    """
    taken = inspect.signature(loss_fn).parameters
    for name in ("labels", "logits", "weights"):
        if name not in taken:
            raise ValueError(f"Argument {name} not found in loss_fn.")

    def loss(labels: Any, logits: Any, weights: Any = None) -> tuple[Any, Any]:
        found = loss_fn(labels, logits) if weights is None else loss_fn(labels, logits, weights)
        return found, found

    return loss


def centered_bias(size: int, head_name: str | None) -> Variable:
    """Returns the variable of a bias that is trained apart from the model, and adds summaries of it.

    Args:
        size: int, the number of logits.
        head_name: str, which ends the names of the summaries, or None.
    """
    bias = Variable(making.zeros(shape=(size,)), name="centered_bias_weight", trainable=True)
    for i in range(size):
        scalar(f"centered_bias/bias_{i}/{head_name}" if head_name else f"centered_bias/bias_{i}", bias[i])
    return bias


def centered_bias_step(bias: Variable, batch_size: Tensor, labels: Any, loss_fn: LossFunction, weights: Any) -> Any:
    """Returns the operation that trains the bias alone, with the loss that it has without the model.

    Args:
        bias: Variable of float32, of shape [size].
        batch_size: Tensor of int32, of shape [].
        labels: Tensor of the labels, or a dict of Tensors.
        loss_fn: function of labels, logits and weights.
        weights: Tensor of float32 that broadcasts to the losses, or None.
    """
    with name_scope(
        None, "centered_bias_step", list(labels.values()) if isinstance(labels, dict) else [labels]
    ) as name:
        size = shaping.shape(bias)[0]
        logits = shaping.reshape(shaping.tile(bias, (batch_size,)), (batch_size, size))
        with name_scope(None, "centered_bias", [logits]):
            # The mean of both losses, over dimensions that nodes count, as in TensorFlow.
            both = list(loss_fn(labels, logits, weights))
            loss = reduce_mean(both, axis=making.range(0, shaping.rank(both)), name="training_loss")
    return AdagradOptimizer(0.1).minimize(loss, var_list=[bias], name=name)
