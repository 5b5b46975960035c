"""`sequence_loss`: the cross entropy of sequences of classes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ferroflow._src.base.typing import TensorLike
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array import shaping
from ferroflow._src.ops.math.arithmetic import div_no_nan
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.comparison import not_equal
from ferroflow._src.ops.math.reduction import reduce_sum
from ferroflow._src.ops.nn.softmax import sparse_softmax_cross_entropy_with_logits


def _averaged(losses: Any, weights: Any, axis: Any) -> Any:
    # All weights may be 0.
    return div_no_nan(reduce_sum(losses, axis=axis), reduce_sum(weights, axis=axis))


def _counted(weights: Tensor) -> Tensor:
    """Returns 1 for weights that are not 0, and 0 for the others."""
    counted: Tensor = cast(not_equal(weights, 0), weights.dtype)
    return counted


def sequence_loss(
    logits: TensorLike,
    targets: TensorLike,
    weights: TensorLike,
    average_across_timesteps: bool = True,
    average_across_batch: bool = True,
    softmax_loss_function: Callable[..., Any] | None = None,
    name: str | None = None,
    sum_over_timesteps: bool = False,
    sum_over_batch: bool = False,
) -> Any:
    """Returns the weighted cross entropy of sequences of classes.

    Args:
        logits: Tensor of a float dtype, of shape [batch, time, classes].
        targets: Tensor of int32 or int64, of shape [batch, time]: the classes.
        weights: Tensor of the dtype of `logits`, of shape [batch, time].
        average_across_timesteps: bool. If True, the losses of a sequence are averaged by their weights.
        average_across_batch: bool. If True, the losses of a step are averaged by their weights.
        softmax_loss_function: callable of `labels`, of shape [batch * time], and `logits`, of shape [batch * time,
            classes], that gives losses; None for `tf.nn.sparse_softmax_cross_entropy_with_logits`.
        name: str, name scope of the operations.
        sum_over_timesteps: bool. If True, the losses of a sequence are averaged over steps whose weight is not 0.
        sum_over_batch: bool. If True, the losses of a step are averaged over sequences whose weight is not 0.

    Returns:
        Tensor of shape [], [batch] (averages over time alone), [time] (averages over the batch alone) or [batch, time].

    Raises:
        ValueError: if an argument has a wrong rank, or both averages of a dimension are requested.

    Example:
        >>> logits = tf.zeros([2, 3, 10])
        >>> targets = tf.zeros([2, 3], tf.int32)
        >>> loss = tf.contrib.seq2seq.sequence_loss(logits, targets, weights=tf.sequence_mask([3, 1], 3, tf.float32))
        >>> print(sess.run(loss).round(3))
        2.303
    """
    logits, targets, weights = convert_to_tensor(logits), convert_to_tensor(targets), convert_to_tensor(weights)
    if len(logits.get_shape()) != 3:
        raise ValueError("Logits must be a [batch_size x sequence_length x logits] tensor")
    if len(targets.get_shape()) != 2:
        raise ValueError("Targets must be a [batch_size x sequence_length] tensor")
    if len(weights.get_shape()) != 2:
        raise ValueError("Weights must be a [batch_size x sequence_length] tensor")
    for dimension, averaged, summed in (
        ("timesteps", average_across_timesteps, sum_over_timesteps),
        ("batch", average_across_batch, sum_over_batch),
    ):
        if averaged and summed:
            raise ValueError(f"average_across_{dimension} and sum_over_{dimension} cannot be set to True at same time.")
    with name_scope(name, "sequence_loss", [logits, targets, weights]):
        classes = shaping.shape(logits)[2]
        flat_logits = shaping.reshape(logits, [-1, classes])
        flat_targets = shaping.reshape(targets, [-1])
        function = softmax_loss_function or sparse_softmax_cross_entropy_with_logits
        losses = function(labels=flat_targets, logits=flat_logits)
        losses = losses * shaping.reshape(weights, [-1])
        if average_across_timesteps and average_across_batch:
            return _averaged(losses, weights, None)
        if sum_over_timesteps and sum_over_batch:
            return _averaged(losses, _counted(weights), None)
        losses = shaping.reshape(losses, [shaping.shape(logits)[0], shaping.shape(logits)[1]])
        if average_across_timesteps:
            return _averaged(losses, weights, [1])
        if average_across_batch:
            return _averaged(losses, weights, [0])
        if sum_over_timesteps or sum_over_batch:
            return _averaged(losses, _counted(weights), [0] if sum_over_batch else [1])
        return losses
