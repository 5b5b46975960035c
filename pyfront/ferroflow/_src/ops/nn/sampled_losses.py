"""Losses over many classes, computed from the true ones and a sample of the others."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import ListLike, TensorLike
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array import joining, making, shaping, slicing
from ferroflow._src.ops.math.arithmetic import multiply
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.elementwise import log
from ferroflow._src.ops.math.linalg import matmul
from ferroflow._src.ops.nn.candidate_sampling import compute_accidental_hits, log_uniform_candidate_sampler
from ferroflow._src.ops.nn.embedding import embedding_lookup
from ferroflow._src.ops.nn.softmax import sigmoid_cross_entropy_with_logits, softmax_cross_entropy_with_logits_v2
from ferroflow._src.ops.sparse.converting import sparse_to_dense


def _sum_rows(x: Tensor) -> Tensor:
    """Returns the sums of the rows, as a product with ones: its gradient is one too."""
    columns = shaping.shape(x)[1]
    ones = making.ones(joining.stack([columns, 1]), x.dtype)
    return shaping.reshape(matmul(x, ones), [-1])


def _parts(weights: Any) -> list[Any]:
    parts = getattr(weights, "_get_variable_list", None)
    if parts is not None:
        return list(parts())
    return weights if isinstance(weights, list) else [weights]


def _of_dtype(x: Tensor, dtype: Any) -> Tensor:
    return x if x.dtype.base_dtype == dtype.base_dtype else cast(x, dtype)


def _without_accidental_hits(
    logits: Tensor, labels: Tensor, sampled: Tensor, num_true: int, num_sampled: int
) -> Tensor:
    """Returns logits of sampled classes, next to minus infinity where the class is a true one."""
    rows, places, weights = compute_accidental_hits(labels, sampled, num_true=num_true)
    rows = shaping.reshape(rows, [-1, 1])
    columns = shaping.reshape(cast(places, dtypes.int32), [-1, 1])
    indices = joining.concat([rows, columns], 1, "sparse_indices")
    shape = joining.concat([shaping.shape(labels)[:1], shaping.expand_dims(num_sampled, 0)], 0)
    weights = _of_dtype(weights, logits.dtype)
    # A class that is a true one several times is hit several times, with one weight that counts once.
    result: Tensor = logits + sparse_to_dense(indices, shape, weights, default_value=0.0, validate_indices=False)
    return result


def sampled_logits(
    weights: Any,
    biases: Any,
    labels: Any,
    inputs: Any,
    num_sampled: int,
    num_classes: int,
    num_true: int = 1,
    sampled_values: ListLike | None = None,
    subtract_log_q: bool = True,
    remove_accidental_hits: bool = False,
    partition_strategy: str = "mod",
    name: str | None = None,
    seed: int | None = None,
) -> tuple[Tensor, Tensor]:
    """Returns the logits of the true classes and of a sample of all, and the labels of a loss over them.

    If there are several true classes, each has an equal part of the label.
    """
    weights = _parts(weights)
    with name_scope(name, "compute_sampled_logits", [*weights, biases, inputs, labels]):
        if labels.dtype != dtypes.int64:
            labels = cast(labels, dtypes.int64)
        flat = shaping.reshape(labels, [-1])
        if sampled_values is None:
            sampled_values = log_uniform_candidate_sampler(
                true_classes=labels,
                num_true=num_true,
                num_sampled=num_sampled,
                unique=True,
                range_max=num_classes,
                seed=seed,
            )
        sampled, true_count, sampled_count = (making.stop_gradient(s) for s in sampled_values)
        sampled = cast(sampled, dtypes.int64)
        # One lookup for both: its gradient is one set of slices.
        ids = joining.concat([flat, sampled], 0)
        all_w = _of_dtype(embedding_lookup(weights, ids, partition_strategy=partition_strategy), inputs.dtype)
        true_w = slicing.slice(all_w, [0, 0], joining.stack([shaping.shape(flat)[0], -1]))
        sampled_w = slicing.slice(all_w, joining.stack([shaping.shape(flat)[0], 0]), [-1, -1])
        sampled_logits: Any = matmul(inputs, sampled_w, transpose_b=True)
        all_b = _of_dtype(embedding_lookup(biases, ids, partition_strategy=partition_strategy), inputs.dtype)
        true_b = slicing.slice(all_b, [0], shaping.shape(flat))
        sampled_b = slicing.slice(all_b, shaping.shape(flat), [-1])
        dim = shaping.shape(true_w)[1:2]
        by_example = joining.concat([[-1, num_true], dim], 0)
        products = multiply(shaping.expand_dims(inputs, 1), shaping.reshape(true_w, by_example))
        rows = shaping.reshape(products, joining.concat([[-1], dim], 0))
        true_logits: Any = shaping.reshape(_sum_rows(rows), [-1, num_true])
        true_logits = true_logits + shaping.reshape(true_b, [-1, num_true])
        sampled_logits = sampled_logits + sampled_b
        if remove_accidental_hits:
            sampled_logits = _without_accidental_hits(sampled_logits, labels, sampled, num_true, num_sampled)
        if subtract_log_q:
            true_logits = true_logits - _of_dtype(log(true_count), true_logits.dtype)
            sampled_logits = sampled_logits - _of_dtype(log(sampled_count), sampled_logits.dtype)
        logits = joining.concat([true_logits, sampled_logits], 1)
        shares: Any = making.ones_like(true_logits) / num_true
        return logits, joining.concat([shares, making.zeros_like(sampled_logits)], 1)


def nce_loss(
    weights: TensorLike,
    biases: TensorLike,
    labels: TensorLike,
    inputs: TensorLike,
    num_sampled: int,
    num_classes: int,
    num_true: int = 1,
    sampled_values: ListLike | None = None,
    remove_accidental_hits: bool = False,
    partition_strategy: str = "mod",
    name: str = "nce_loss",
) -> Tensor:
    """Computes the noise-contrastive estimation loss, which separates the true classes from sampled ones.

    Args:
        weights: Tensor of shape [num_classes, dim], or a list of Tensors: parts of it.
        biases: Tensor of shape [num_classes].
        labels: Tensor of int64, of shape [batch, num_true]: the true classes.
        inputs: Tensor of shape [batch, dim].
        num_sampled: int, how many classes to draw.
        num_classes: int, how many there are.
        num_true: int, true classes per example.
        sampled_values: the values that a candidate sampler returns; None for `log_uniform_candidate_sampler`.
        remove_accidental_hits: bool. If True, sampled classes that equal a true class are ignored.
        partition_strategy: "mod" or "div", how `weights` is cut into parts.
        name: str, name scope of the operations.

    Returns:
        Tensor of shape [batch]: the loss of each example.

    Source: Gutmann, Hyvarinen, Noise-Contrastive Estimation, 2010.

    Example:
        >>> weights, biases = tf.ones([1000, 16]), tf.zeros([1000])
        >>> losses = tf.nn.nce_loss(
        ...     weights, biases, labels=tf.constant([[3], [7]]),
        ...     inputs=tf.ones([2, 16]), num_sampled=20, num_classes=1000,
        ... )
        >>> print(losses.shape)
        (2,)
    """
    logits, shares = sampled_logits(
        weights,
        biases,
        labels,
        inputs,
        num_sampled,
        num_classes,
        num_true,
        sampled_values,
        remove_accidental_hits=remove_accidental_hits,
        partition_strategy=partition_strategy,
        name=name,
    )
    return _sum_rows(sigmoid_cross_entropy_with_logits(labels=shares, logits=logits, name="sampled_losses"))


def sampled_softmax_loss(
    weights: TensorLike,
    biases: TensorLike,
    labels: TensorLike,
    inputs: TensorLike,
    num_sampled: int,
    num_classes: int,
    num_true: int = 1,
    sampled_values: ListLike | None = None,
    remove_accidental_hits: bool = True,
    partition_strategy: str = "mod",
    name: str = "sampled_softmax_loss",
    seed: int | None = None,
) -> Tensor:
    """Computes the softmax cross entropy over the true classes and a sample of the others.

    Args:
        weights: Tensor of shape [num_classes, dim], or a list of Tensors: parts of it.
        biases: Tensor of shape [num_classes].
        labels: Tensor of int64, of shape [batch, num_true]: the true classes.
        inputs: Tensor of shape [batch, dim].
        num_sampled: int, how many classes to draw.
        num_classes: int, how many there are.
        num_true: int, true classes per example.
        sampled_values: the values that a candidate sampler returns; None for `log_uniform_candidate_sampler`.
        remove_accidental_hits: bool. If True, sampled classes that equal a true class are ignored.
        partition_strategy: "mod" or "div", how `weights` is cut into parts.
        name: str, name scope of the operations.
        seed: int, the sampler's seed; None to derive it from the graph's.

    Returns:
        Tensor of shape [batch]: the loss of each example, in general less than that over all classes.

    Source: Jean et al., On Using Very Large Target Vocabulary for Neural Machine Translation, 2014.

    Example:
        >>> weights, biases = tf.ones([1000, 16]), tf.zeros([1000])
        >>> losses = tf.nn.sampled_softmax_loss(
        ...     weights, biases, labels=tf.constant([[3], [7]]),
        ...     inputs=tf.ones([2, 16]), num_sampled=20, num_classes=1000,
        ... )
        >>> print(losses.shape)
        (2,)
    """
    logits, shares = sampled_logits(
        weights,
        biases,
        labels,
        inputs,
        num_sampled,
        num_classes,
        num_true,
        sampled_values,
        remove_accidental_hits=remove_accidental_hits,
        partition_strategy=partition_strategy,
        name=name,
        seed=seed,
    )
    shares = making.stop_gradient(shares, name="labels_stop_gradient")
    return softmax_cross_entropy_with_logits_v2(labels=shares, logits=logits)
