"""Cross entropies that take the logits first, as `tf.nn` did before TensorFlow 1.0."""

from __future__ import annotations

from ferroflow._src.base.typing import TensorLike
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.nn import softmax


def deprecated_flipped_softmax_cross_entropy_with_logits(
    logits: TensorLike, labels: TensorLike, dim: int = -1, name: str | None = None
) -> Tensor:
    """Computes `tf.nn.softmax_cross_entropy_with_logits` with the logits as the first argument.

    Args:
        logits: float Tensor of shape [..., classes].
        labels: Tensor of the dtype and shape of `logits`; each row is a distribution.
        dim: int, the dimension of the classes.
        name: str, name of the operation.

    Returns:
        Tensor of the dtype of `logits`, without the dimension of the classes.
    """
    return softmax.softmax_cross_entropy_with_logits(labels=labels, logits=logits, dim=dim, name=name)


def deprecated_flipped_sparse_softmax_cross_entropy_with_logits(
    logits: TensorLike, labels: TensorLike, name: str | None = None
) -> Tensor:
    """Computes `tf.nn.sparse_softmax_cross_entropy_with_logits` with the logits as the first argument.

    Args:
        logits: float Tensor of shape [..., classes].
        labels: int32 or int64 Tensor of shape [...], the classes.
        name: str, name of the operation.

    Returns:
        Tensor of the dtype of `logits` and the shape of `labels`.
    """
    return softmax.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits, name=name)


def deprecated_flipped_sigmoid_cross_entropy_with_logits(
    logits: TensorLike, targets: TensorLike, name: str | None = None
) -> Tensor:
    """Computes `tf.nn.sigmoid_cross_entropy_with_logits` with the logits as the first argument.

    Args:
        logits: float Tensor of any shape.
        targets: Tensor of the dtype and shape of `logits`.
        name: str, name scope of the operations.

    Returns:
        Tensor of the dtype and shape of `logits`.
    """
    return softmax.sigmoid_cross_entropy_with_logits(labels=targets, logits=logits, name=name)
