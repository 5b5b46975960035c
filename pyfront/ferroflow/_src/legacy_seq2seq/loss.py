"""The cross entropy of lists of classes, and models of several lengths."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.ops.array import shaping
from ferroflow._src.ops.math.arithmetic import add_n
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.reduction import reduce_sum
from ferroflow._src.ops.nn.softmax import sparse_softmax_cross_entropy_with_logits
from ferroflow._src.variables.scope import variable_scope
from ferroflow._src.variables.variable_scope import get_variable_scope


def sequence_loss_by_example(
    logits: Sequence[Any],
    targets: Sequence[Any],
    weights: Sequence[Any],
    average_across_timesteps: bool = True,
    softmax_loss_function: Callable[..., Any] | None = None,
    name: str | None = None,
) -> Any:
    """Returns the weighted cross entropy of each sequence of a batch.

    Args:
        logits: list of Tensors of a float dtype, of shape [batch, classes], one for each step.
        targets: list of Tensors of int32 or int64, of shape [batch]: the classes.
        weights: list of Tensors of the dtype of `logits`, of shape [batch].
        average_across_timesteps: bool. If True, the losses of a sequence are averaged by their weights; otherwise
            summed.
        softmax_loss_function: callable of `labels` and `logits` of a step that gives losses, of shape [batch]; None
            for `tf.nn.sparse_softmax_cross_entropy_with_logits`.
        name: str, name scope of the operations.

    Returns:
        Tensor of the dtype of `logits`, of shape [batch].

    Raises:
        ValueError: if the lists have other lengths.

    Example:
        >>> logits = [tf.zeros([2, 10])] * 3
        >>> targets, weights = [tf.zeros([2], tf.int32)] * 3, [tf.ones([2])] * 3
        >>> losses = tf.contrib.legacy_seq2seq.sequence_loss_by_example(logits, targets, weights)
        >>> print(sess.run(losses).round(3))
        [2.303 2.303]
    """
    if len(targets) != len(logits) or len(weights) != len(logits):
        raise ValueError(
            f"Lengths of logits, weights, and targets must be the same {len(logits)}, {len(weights)}, {len(targets)}."
        )
    with name_scope(name, "sequence_loss_by_example", [*logits, *targets, *weights]):
        losses = []
        for logit, target, weight in zip(logits, targets, weights, strict=True):
            if softmax_loss_function is None:
                flat = shaping.reshape(target, [-1])
                loss = sparse_softmax_cross_entropy_with_logits(labels=flat, logits=logit)
            else:
                loss = softmax_loss_function(labels=target, logits=logit)
            losses.append(loss * weight)
        total = add_n(losses)
        # All weights may be 0.
        return total / (add_n(weights) + 1e-12) if average_across_timesteps else total


def sequence_loss(
    logits: Any,
    targets: Any,
    weights: Any,
    average_across_timesteps: bool = True,
    average_across_batch: bool = True,
    softmax_loss_function: Callable[..., Any] | None = None,
    name: str | None = None,
) -> Any:
    """Returns the sum over a batch of `sequence_loss_by_example`, or its mean.

    Args:
        logits: list of Tensors of a float dtype, of shape [batch, classes], one for each step.
        targets: list of Tensors of int32 or int64, of shape [batch]: the classes.
        weights: list of Tensors of the dtype of `logits`, of shape [batch].
        average_across_timesteps: bool. If True, the losses of a sequence are averaged by their weights; otherwise
            summed.
        average_across_batch: bool. If True, the sum is divided by the size of the batch.
        softmax_loss_function: as `sequence_loss_by_example`.
        name: str, name scope of the operations.

    Returns:
        Tensor of the dtype of `logits`, of shape [].

    Raises:
        ValueError: if the lists have other lengths.
    """
    with name_scope(name, "sequence_loss", [*logits, *targets, *weights]):
        by_example = sequence_loss_by_example(
            logits,
            targets,
            weights,
            average_across_timesteps=average_across_timesteps,
            softmax_loss_function=softmax_loss_function,
        )
        cost = reduce_sum(by_example)
        return cost / cast(shaping.shape(targets[0])[0], cost.dtype) if average_across_batch else cost


def model_with_buckets(
    encoder_inputs: Sequence[Any],
    decoder_inputs: Sequence[Any],
    targets: Sequence[Any],
    weights: Sequence[Any],
    buckets: Sequence[Any],
    seq2seq: Callable[[Any, Any], Any],
    softmax_loss_function: Callable[..., Any] | None = None,
    per_example_loss: bool = False,
    name: str | None = None,
) -> tuple[list[Any], list[Any]]:
    """Builds a model for several lengths of inputs and outputs, with the same variables.

    Args:
        encoder_inputs: list of Tensors of the dtype and shape that `seq2seq` takes, as many as the last bucket's first
            number or more.
        decoder_inputs: list of Tensors of the dtype and shape that `seq2seq` takes, as many as the last bucket's second
            number or more.
        targets: list of Tensors of int32 or int64, of shape [batch]: the classes of each step.
        weights: list of Tensors of a float dtype, of shape [batch].
        buckets: list of pairs of int: the numbers of the encoder's and the decoder's steps, the largest last.
        seq2seq: callable of the encoder's and the decoder's inputs that gives a list of outputs and a state.
        softmax_loss_function: as `sequence_loss_by_example`.
        per_example_loss: bool. If True, the losses are those of each sequence.
        name: str, name scope of the operations.

    Returns:
        For each bucket, its list of outputs; and for each its loss, of shape [] or [batch].

    Raises:
        ValueError: if a list is shorter than the last bucket.
    """
    for what, given, side in (
        ("encoder_inputs", encoder_inputs, 0),
        ("targets", targets, 1),
        ("weights", weights, 1),
    ):
        if len(given) < buckets[-1][side]:
            raise ValueError(
                f"Length of {what} ({len(given)}) must be at least that of last bucket ({buckets[-1][side]})."
            )
    loss_of = sequence_loss_by_example if per_example_loss else sequence_loss
    losses, outputs = [], []
    with name_scope(name, "model_with_buckets", [*encoder_inputs, *decoder_inputs, *targets, *weights]):
        for number, bucket in enumerate(buckets):
            with variable_scope(get_variable_scope(), reuse=True if number > 0 else None):
                of_bucket, _ = seq2seq(encoder_inputs[: bucket[0]], decoder_inputs[: bucket[1]])
                outputs.append(of_bucket)
                given = targets[: bucket[1]], weights[: bucket[1]]
                losses.append(loss_of(of_bucket, *given, softmax_loss_function=softmax_loss_function))
    return outputs, losses
