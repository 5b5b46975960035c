"""The hinge loss of several classes."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import TensorLike
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import control_dependencies, name_scope
from ferroflow._src.framework.graph_keys import GraphKeys
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.losses.weighting import Reduction, compute_weighted_loss
from ferroflow._src.ops.array.indexing import gather_nd
from ferroflow._src.ops.array.joining import concat
from ferroflow._src.ops.array.making import one_hot, range
from ferroflow._src.ops.array.shaping import reshape, shape
from ferroflow._src.ops.flow.checking import Assert
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.comparison import less
from ferroflow._src.ops.math.reduction import reduce_all, reduce_max
from ferroflow._src.ops.nn.activation import relu


def _checked_in_step(labels: Tensor, limit: Tensor) -> Operation:
    """Returns an operation that fails for labels that are too large; `assert_less` could fail before all shapes are
    checked.
    """
    with name_scope(None, "assert_less", [labels, limit]):
        what = "Condition x < y did not hold element-wise:"
        shown = [what, f"x ({labels.name}) = ", labels, f"y ({limit.name}) = ", limit]
        return Assert(reduce_all(less(labels, limit)), shown)


def _checked_weights(weights: Any, labels: Tensor) -> Any:
    weights = convert_to_tensor(weights)
    rank = weights.get_shape().ndims
    if rank not in (0, 1, 2):
        raise ValueError(
            f"non-scalar weights should have rank 1 ([batch_size]) or 2 ([batch_size, 1]). Given rank is {rank}"
        )
    if rank == 0:
        return weights
    weights = reshape(weights, shape=[-1])
    weights.get_shape().assert_is_compatible_with(labels.get_shape())
    return weights


def sparse_multiclass_hinge_loss(
    labels: TensorLike,
    logits: TensorLike,
    weights: TensorLike = 1.0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """Computes the hinge loss of several classes: how far the logit of a wrong class, plus 1, is above the right one's.

    Args:
        labels: Tensor of int32 or int64, of shape [batch] or [batch, 1]: the classes.
        logits: Tensor of float32 or float64, of shape [batch, classes].
        weights: float, or Tensor of shape [], [batch] or [batch, 1]: the examples' weights.
        scope: str, name scope of the operations.
        loss_collection: str, key of the collection for the loss, or None.
        reduction: str, of `tf.losses.Reduction`.

    Returns:
        float32 Tensor of shape []; for `Reduction.NONE` of shape [batch].

    Raises:
        ValueError: if a shape or the dtype of `labels` is wrong. A step raises `InvalidArgumentError` for a label that
            is not below the number of classes.

    Source: Crammer and Singer, On the Algorithmic Implementation of Multiclass Kernel-based Vector Machines, 2001.

    Example:
        >>> loss = tf.contrib.kernel_methods.sparse_multiclass_hinge_loss(
        ...     tf.constant([0, 1]), tf.constant([[3.0, 1.0, 0.0], [1.0, 0.5, 0.0]]))
        >>> print(sess.run(loss))
        0.75
    """
    labels, logits = convert_to_tensor(labels), convert_to_tensor(logits)
    with name_scope(scope, "sparse_multiclass_hinge_loss", (logits, labels)) as scope:
        rank = logits.get_shape().ndims
        if rank != 2:
            raise ValueError(f"logits should have rank 2 ([batch_size, num_classes]). Given rank is {rank}")
        sizes = shape(logits)
        batch, classes = sizes[0], sizes[1]
        scores: Any = cast(logits, dtypes.float32)
        if labels.dtype not in (dtypes.int32, dtypes.int64):
            raise ValueError(f"Invalid dtype for labels: {labels.dtype}. Acceptable dtypes: int32 and int64")
        rank = labels.get_shape().ndims
        if rank not in (1, 2):
            raise ValueError(f"labels should have rank 1 ([batch_size]) or 2 ([batch_size, 1]). Given rank is {rank}")
        with control_dependencies([_checked_in_step(labels, cast(classes, labels.dtype))]):
            labels = reshape(labels, shape=[-1])
        weights = _checked_weights(weights, labels)
        rows = reshape(range(batch), shape=[batch, 1])
        places = concat([rows, reshape(cast(labels, rows.dtype), shape=[batch, 1])], axis=1)
        of_label = reshape(gather_nd(params=scores, indices=places), shape=[batch, 1])
        margin = scores - of_label + one_hot(indices=labels, depth=classes, on_value=0.0, off_value=1.0)
        losses = reduce_max(relu(margin), axis=1)
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction=reduction)
