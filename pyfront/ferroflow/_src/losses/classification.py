"""Losses of classes predicted by logits."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.docstrings import document
from ferroflow._src.base.typing import TensorLike
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.graph_keys import GraphKeys
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.losses.weighting import Reduction, compute_weighted_loss
from ferroflow._src.ops.array import making, shaping
from ferroflow._src.ops.math import arithmetic
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.confusion_matrix import remove_squeezable_dimensions
from ferroflow._src.ops.math.rank_matching import squeeze_last_where_rank_differs
from ferroflow._src.ops.nn.activation import relu
from ferroflow._src.ops.nn.softmax import (
    sigmoid_cross_entropy_with_logits,
    softmax_cross_entropy_with_logits_v2,
    sparse_softmax_cross_entropy_with_logits,
)

_DESCRIPTION = """

    Args:
        {labels}
        logits: Tensor of a float dtype, of shape {shape}.
        weights: Tensor of shape [], or of the losses' rank, each dimension 1 or equal to theirs.{smoothing}
        scope: str, name scope of the operations.
        loss_collection: str, key of the collection that the loss is put into, or None.
        reduction: str, of `Reduction`.

    Returns:
        Tensor of {dtype}, of shape []; for `Reduction.NONE` of the shape of the losses.

    Raises:
        ValueError: if the shapes are known to be incompatible, labels or logits are None, or `reduction` is not
            a `Reduction`.
    """


def _require(labels: Any, logits: Any, labels_name: str = "labels") -> None:
    if labels is None:
        raise ValueError(f"{labels_name} must not be None.")
    if logits is None:
        raise ValueError("logits must not be None.")


def hinge_loss(
    labels: Any,
    logits: Any,
    weights: TensorLike = 1.0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """Returns the hinge loss `max(0, 1 - (2 * labels - 1) * logits)`."""
    _require(labels, logits)
    with name_scope(scope, "hinge_loss", [logits, labels, weights]) as scope:
        logits = cast(logits, dtypes.float32)
        labels = cast(labels, dtypes.float32)
        logits.get_shape().assert_is_compatible_with(labels.get_shape())
        ones = making.ones_like(labels)
        signs = arithmetic.subtract(2 * labels, ones)
        losses = relu(arithmetic.subtract(ones, arithmetic.multiply(signs, logits)))
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction=reduction)


def sigmoid_cross_entropy(
    multi_class_labels: Any,
    logits: TensorLike,
    weights: TensorLike = 1.0,
    label_smoothing: float = 0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """Returns the cross entropy between probabilities and the sigmoid of logits, of classes that do not exclude each
    other.
    """
    _require(multi_class_labels, logits, "multi_class_labels")
    with name_scope(scope, "sigmoid_cross_entropy_loss", [logits, multi_class_labels, weights]) as scope:
        logits = convert_to_tensor(logits)
        labels = cast(multi_class_labels, logits.dtype)
        logits.get_shape().assert_is_compatible_with(labels.get_shape())
        if label_smoothing > 0:
            labels = labels * (1 - label_smoothing) + 0.5 * label_smoothing
        losses = sigmoid_cross_entropy_with_logits(labels=labels, logits=logits, name="xentropy")
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction=reduction)


def softmax_cross_entropy(
    onehot_labels: Any,
    logits: TensorLike,
    weights: TensorLike = 1.0,
    label_smoothing: float = 0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """Returns the cross entropy between distributions and the softmax of logits; no gradient reaches the labels.

    Example:
        >>> logits = tf.constant([[4.0, 1.0, 1.0], [1.0, 1.0, 1.0]])
        >>> loss = tf.losses.softmax_cross_entropy([[1, 0, 0], [0, 0, 1]], logits)
        >>> print(sess.run(loss).round(3))
        0.597
    """
    _require(onehot_labels, logits, "onehot_labels")
    with name_scope(scope, "softmax_cross_entropy_loss", [logits, onehot_labels, weights]) as scope:
        logits = convert_to_tensor(logits)
        labels = cast(onehot_labels, logits.dtype)
        logits.get_shape().assert_is_compatible_with(labels.get_shape())
        if label_smoothing > 0:
            classes = cast(shaping.shape(labels)[-1], logits.dtype)
            labels = labels * (1.0 - label_smoothing) + label_smoothing / classes
        labels = making.stop_gradient(labels, name="labels_stop_gradient")
        losses = softmax_cross_entropy_with_logits_v2(labels=labels, logits=logits, name="xentropy")
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction=reduction)


def sparse_softmax_cross_entropy(
    labels: TensorLike,
    logits: TensorLike,
    weights: TensorLike = 1.0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """Returns the cross entropy between classes and the softmax of logits.

    Example:
        >>> logits = tf.constant([[4.0, 1.0, 1.0], [1.0, 1.0, 1.0]])
        >>> loss = tf.losses.sparse_softmax_cross_entropy(labels=[0, 2], logits=logits)
        >>> print(sess.run(loss).round(3))
        0.597
    """
    _require(labels, logits)
    with name_scope(scope, "sparse_softmax_cross_entropy_loss", [logits, labels, weights]) as scope:
        labels, logits = remove_squeezable_dimensions(labels, logits, expected_rank_diff=1)
        if weights is not None:
            weights = squeeze_last_where_rank_differs(convert_to_tensor(weights), labels)
        losses = sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits, name="xentropy")
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction=reduction)


def _describe(
    function: Any, labels: str, shape: str, dtype: str = "the dtype of `logits`", smoothing: str = ""
) -> None:
    document(
        function, function.__doc__, _DESCRIPTION.format(labels=labels, shape=shape, dtype=dtype, smoothing=smoothing)
    )


_describe(
    hinge_loss, "labels: Tensor of a real number dtype, of the shape of `logits`: 0 or 1.", "[...]", dtype="float32"
)
_describe(
    sigmoid_cross_entropy,
    "multi_class_labels: Tensor of a real number dtype, of the shape of `logits`: probabilities.",
    "[batch, classes], or any other",
    smoothing="\n        label_smoothing: float, if above 0, the labels become `labels * (1 - s) + s / 2`.",
)
_describe(
    softmax_cross_entropy,
    "onehot_labels: Tensor of a real number dtype, of the shape of `logits`: distributions.",
    "[batch, classes], or more dimensions",
    smoothing="\n        label_smoothing: float, if above 0, the labels become `labels * (1 - s) + s / classes`.",
)
_describe(
    sparse_softmax_cross_entropy,
    "labels: Tensor of int32 or int64, of the shape of `logits` without its last dimension, in [0, classes).",
    "[batch, classes], or more dimensions",
)
