"""Softmax losses over the true classes and a sample: of the highest logits, or with sparse labels."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import FloatLike, ListLike, TensorLike, TensorLikes
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array.indexing import gather
from ferroflow._src.ops.array.making import stop_gradient, zeros
from ferroflow._src.ops.array.shaping import reshape, shape, squeeze
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.linalg import matmul
from ferroflow._src.ops.math.reduction import reduce_logsumexp
from ferroflow._src.ops.nn.candidate_sampling import learned_unigram_candidate_sampler
from ferroflow._src.ops.nn.embedding import embedding_lookup, lookup_and_transform
from ferroflow._src.ops.nn.ranking import top_k
from ferroflow._src.ops.nn.sampled_losses import sampled_logits, sampled_softmax_loss
from ferroflow._src.ops.nn.softmax import sparse_softmax_cross_entropy_with_logits


def _highest(
    weights: Any, biases: Any, inputs: Any, sampled_values: Any, count: int, temperature: Any, strategy: str
) -> tuple[Tensor, Tensor, Tensor]:
    """Returns those sampled classes whose logits, summed up over the batch, are highest, with their expected counts."""
    sampled, true_count, sampled_count = sampled_values
    sampled = cast(stop_gradient(sampled), dtypes.int64)
    true_count, sampled_count = stop_gradient(true_count), stop_gradient(sampled_count)
    scaled_inputs = inputs / temperature

    def over_batch(rows: Tensor) -> Tensor:
        return reduce_logsumexp(matmul(rows, scaled_inputs, transpose_b=True), axis=1, keepdims=False)

    logits: Any = lookup_and_transform(weights, sampled, strategy, transform=over_batch)
    bias: Any = reshape(embedding_lookup(biases, sampled, strategy), [-1])
    logits = logits + bias / temperature
    found = top_k(logits, k=count, sorted=False).indices
    return gather(sampled, indices=found), true_count, gather(sampled_count, indices=found)


def rank_sampled_softmax_loss(
    weights: TensorLikes,
    biases: TensorLike,
    labels: TensorLike,
    inputs: TensorLike,
    num_sampled: int,
    num_resampled: int,
    num_classes: int,
    num_true: int,
    sampled_values: ListLike | None,
    resampling_temperature: FloatLike,
    remove_accidental_hits: bool,
    partition_strategy: str,
    name: str | None = None,
) -> Tensor:
    """Computes the softmax cross entropy over the true classes and those of a sample that are nearest to the inputs.

    Args:
        weights: Tensor of shape [num_classes, dim], or a list of Tensors or a partitioned Variable: parts of it.
        biases: Tensor of shape [num_classes].
        labels: Tensor of int64, of shape [batch, num_true]: the true classes.
        inputs: Tensor of shape [batch, dim].
        num_sampled: int, how many classes to draw.
        num_resampled: int below `num_sampled`, how many of them to use.
        num_classes: int, how many there are.
        num_true: int, true classes per example.
        sampled_values: the values that a candidate sampler returns; None for `learned_unigram_candidate_sampler`.
        resampling_temperature: float or Tensor of shape []; the logits of the ranking are divided by it.
        remove_accidental_hits: bool. If True, sampled classes that equal a true class are ignored.
        partition_strategy: "mod" or "div", how `weights` is cut into parts.
        name: str, name scope of the operations.

    Returns:
        Tensor of shape [batch]: the loss of each example.

    Raises:
        ValueError: if a number of classes is too large, or `partition_strategy` is not "mod" or "div".
    """
    if num_sampled > num_classes:
        raise ValueError(f"num_sampled ({num_sampled}) cannot be greater than num_classes ({num_classes})")
    if num_sampled <= num_resampled:
        raise ValueError(f"num_resampled ({num_resampled}) must be less than num_sampled ({num_sampled})")
    if partition_strategy not in ("div", "mod"):
        raise ValueError(f"unsupported partition_strategy ({partition_strategy})")
    with name_scope(name, "rank_sampled_softmax_loss", [weights, biases, labels, inputs]) as scope:
        drawn: Any = sampled_values or learned_unigram_candidate_sampler(
            true_classes=labels, num_true=num_true, num_sampled=num_sampled, unique=True, range_max=num_classes
        )
        highest = _highest(weights, biases, inputs, drawn, num_resampled, resampling_temperature, partition_strategy)
        return sampled_softmax_loss(
            weights=weights,
            biases=biases,
            labels=labels,
            inputs=inputs,
            num_sampled=num_resampled,
            num_classes=num_classes,
            num_true=num_true,
            sampled_values=highest,
            remove_accidental_hits=remove_accidental_hits,
            partition_strategy=partition_strategy,
            name=scope,
        )


def sampled_sparse_softmax_loss(
    weights: TensorLikes,
    biases: TensorLike,
    labels: TensorLike,
    inputs: TensorLike,
    num_sampled: int,
    num_classes: int,
    sampled_values: ListLike | None = None,
    remove_accidental_hits: bool = True,
    partition_strategy: str = "mod",
    name: str = "sampled_sparse_softmax_loss",
) -> Tensor:
    """Computes the softmax cross entropy over the one true class and a sample of the others.

    Args:
        weights: Tensor of shape [num_classes, dim], or a list of Tensors or a partitioned Variable: parts of it.
        biases: Tensor of shape [num_classes].
        labels: Tensor of int64, of shape [batch, 1]: the true classes.
        inputs: Tensor of shape [batch, dim].
        num_sampled: int, how many classes to draw.
        num_classes: int, how many there are.
        sampled_values: the values that a candidate sampler returns; None for `log_uniform_candidate_sampler`.
        remove_accidental_hits: bool. If True, sampled classes that equal a true class are ignored.
        partition_strategy: "mod" or "div", how `weights` is cut into parts.
        name: str, name scope of the logits.

    Returns:
        Tensor of shape [batch]: the loss of each example.
    """
    logits, _ = sampled_logits(
        weights=weights,
        biases=biases,
        labels=labels,
        inputs=inputs,
        num_sampled=num_sampled,
        num_classes=num_classes,
        num_true=1,
        sampled_values=sampled_values,
        subtract_log_q=True,
        remove_accidental_hits=remove_accidental_hits,
        partition_strategy=partition_strategy,
        name=name,
    )
    # The logits of the true classes come first.
    first = zeros([shape(logits)[0], 1], dtype=dtypes.int64)
    return sparse_softmax_cross_entropy_with_logits(labels=squeeze(first), logits=logits)
