"""The largest elements, and whether a class is among them."""

from __future__ import annotations

import collections

from ferroflow._src.base.typing import TensorLike
from ferroflow._src.framework.apply import apply_op, tensor_op
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.tensor import Tensor

TopK = collections.namedtuple("TopK", ["values", "indices"])


def top_k(input: TensorLike, k: TensorLike = 1, sorted: bool = True, name: str | None = None) -> TopK:
    """Returns the largest elements of the last dimension and their indices.

    Args:
        input: Tensor of a real number dtype, of rank 1 or more.
        k: Tensor of int32, of shape []: how many, at most the size of the last dimension.
        sorted: bool. If True, they come in descending order.
        name: str, name of the operation.

    Returns:
        (values, indices): Tensors of shape [..., k], of the dtype of `input` and of int32; among equal elements, the
        lower index comes first.

    Raises:
        ValueError: if `input` is a scalar, or `k` too large.

    Example:
        >>> values, indices = tf.nn.top_k([[1, 9, 3], [7, 2, 8]], k=2)
        >>> print(sess.run(values))
        [[9 3]
         [8 7]]
        >>> print(sess.run(indices))
        [[1 2]
         [2 0]]
    """
    return TopK(*apply_op("TopKV2", [input, k], {"sorted": sorted}, name=name).outputs)


def in_top_k(predictions: TensorLike, targets: TensorLike, k: TensorLike, name: str | None = None) -> Tensor:
    """Computes whether the prediction for the target is among the `k` largest.

    Args:
        predictions: Tensor of float32, of shape [batch, classes].
        targets: Tensor of int32 or int64, of shape [batch].
        k: Tensor of the dtype of `targets`, of shape [].
        name: str, name scope of the operation.

    Returns:
        Tensor of bool, of shape [batch]; ties at the border count as being among them.

    Example:
        >>> scores = tf.constant([[0.1, 0.7, 0.2], [0.5, 0.3, 0.2]])
        >>> print(sess.run(tf.nn.in_top_k(scores, targets=[2, 2], k=2)))
        [ True False]
    """
    with name_scope(name, "in_top_k"):
        return tensor_op("InTopKV2", [predictions, targets, k])


def nth_element(input: TensorLike, n: TensorLike, reverse: bool = False, name: str | None = None) -> Tensor:
    """Finds the n-th smallest element of the last dimension.

    Args:
        input: Tensor of a real number dtype, of rank 1 or more.
        n: Tensor of int32, of shape [], from 0 on.
        reverse: bool. If True, the n-th largest is meant.
        name: str, name of the operation.

    Returns:
        Tensor of the dtype of `input`, of its shape without the last dimension.
    """
    return tensor_op("NthElement", [input, n], {"reverse": reverse}, name=name)
