"""Losses of embeddings: vectors of one class are to be near each other, and those of different classes far apart."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import TensorLike
from ferroflow._src.framework.composite import SparseTensor
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array import shaping
from ferroflow._src.ops.array.indexing import where
from ferroflow._src.ops.array.joining import concat
from ferroflow._src.ops.flow.printing import Print
from ferroflow._src.ops.math import comparison
from ferroflow._src.ops.math.arithmetic import add, maximum, subtract, truediv
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.elementwise import exp, log, logical_not, sqrt, square
from ferroflow._src.ops.math.linalg import eye, matmul
from ferroflow._src.ops.math.reduction import reduce_max, reduce_mean, reduce_min, reduce_sum
from ferroflow._src.ops.nn.softmax import softmax_cross_entropy_with_logits
from ferroflow._src.ops.sparse.converting import sparse_tensor_to_dense

__all__ = [
    "contrastive_loss",
    "lifted_struct_loss",
    "npairs_loss",
    "npairs_loss_multilabel",
    "triplet_semihard_loss",
]
_EPSILON = 1e-16


def pairwise_distance(feature: TensorLike, squared: bool = False) -> Tensor:
    """Returns the distances between the rows of a matrix.

    Args:
        feature: Tensor of float32, of shape [rows, size].
        squared: bool. If True, the distances are squared.

    Returns:
        Tensor of float32, of shape [rows, rows].
    """
    rows: Tensor = convert_to_tensor(feature)
    norms = reduce_sum(square(rows), axis=[1], keepdims=True)
    products = 2.0 * matmul(rows, shaping.transpose(rows))
    squares = maximum(subtract(add(norms, shaping.transpose(norms)), products), 0.0)
    # The gradient of a square root at 0 would be infinite.
    is_zero = cast(comparison.less_equal(squares, 0.0), dtypes.float32)
    distances = squares if squared else sqrt(squares + is_zero * _EPSILON) * (1.0 - is_zero)
    number = shaping.shape(rows)[0]
    return distances * (1.0 - eye(number))


def masked_maximum(data: TensorLike, mask: TensorLike, dim: int = 1) -> Tensor:
    """Returns the greatest chosen element along a dimension, or the least of all where none is chosen.

    Args:
        data: Tensor of float32, of shape [rows, columns].
        mask: Tensor of float32, of the same shape, 1 where an element is chosen.
        dim: int, the dimension.

    Returns:
        Tensor of float32, with the dimension of size 1.
    """
    values: Tensor = convert_to_tensor(data)
    least = reduce_min(values, dim, keepdims=True)
    found: Tensor = reduce_max((values - least) * mask, dim, keepdims=True) + least
    return found


def masked_minimum(data: TensorLike, mask: TensorLike, dim: int = 1) -> Tensor:
    """Returns the least chosen element along a dimension, or the greatest of all where none is chosen.

    Args:
        data: Tensor of float32, of shape [rows, columns].
        mask: Tensor of float32, of the same shape, 1 where an element is chosen.
        dim: int, the dimension.

    Returns:
        Tensor of float32, with the dimension of size 1.
    """
    values: Tensor = convert_to_tensor(data)
    greatest = reduce_max(values, dim, keepdims=True)
    found: Tensor = reduce_min((values - greatest) * mask, dim, keepdims=True) + greatest
    return found


def contrastive_loss(
    labels: TensorLike, embeddings_anchor: TensorLike, embeddings_positive: TensorLike, margin: float = 1.0
) -> Tensor:
    """Returns the mean of squared distances of like pairs, and of the squares of what unlike ones lack to a margin.

    Args:
        labels: Tensor of int32, of shape [pairs], 1 for like pairs.
        embeddings_anchor: Tensor of float32, of shape [pairs, size].
        embeddings_positive: Tensor of float32, of shape [pairs, size].
        margin: float, the distance that unlike pairs are to have.

    Returns:
        Tensor of float32, of shape [].
    """
    distances = sqrt(reduce_sum(square(subtract(embeddings_anchor, embeddings_positive)), 1))
    like = cast(labels, dtypes.float32)
    lacking = square(maximum(margin - distances, 0.0))
    return reduce_mean(like * square(distances) + (1.0 - like) * lacking, name="contrastive_loss")


def triplet_semihard_loss(labels: TensorLike, embeddings: TensorLike, margin: float = 1.0) -> Tensor:
    """Returns the mean loss over like pairs against the nearest unlike vector that is farther than the pair.

    Args:
        labels: Tensor of int32, of shape [batch].
        embeddings: Tensor of float32, of shape [batch, size], of norm 1.
        margin: float, how much farther unlike vectors are to be.

    Returns:
        Tensor of float32, of shape [].
    """
    distances = pairwise_distance(embeddings, squared=True)
    classes = shaping.reshape(labels, [-1, 1])
    is_like = comparison.equal(classes, shaping.transpose(classes))
    is_unlike = logical_not(is_like)
    size = shaping.size(classes)
    # Row i * size + j has the distances from vector j, for the pair of j and i.
    tiled = shaping.tile(distances, [size, 1])
    of_pairs = shaping.reshape(shaping.transpose(distances), [-1, 1])
    is_semihard = comparison.logical_and(shaping.tile(is_unlike, [size, 1]), comparison.greater(tiled, of_pairs))
    chosen = cast(is_semihard, dtypes.float32)
    has_any = comparison.greater(reduce_sum(chosen, 1, keepdims=True), 0.0)
    has_any = shaping.transpose(shaping.reshape(has_any, [size, size]))
    outside = shaping.transpose(shaping.reshape(masked_minimum(tiled, chosen), [size, size]))
    inside = shaping.tile(masked_maximum(distances, cast(is_unlike, dtypes.float32)), [1, size])
    losses = margin + distances - where(has_any, outside, inside)
    # A vector and itself are no pair.
    pairs = cast(is_like, dtypes.float32) - eye(size)
    total = reduce_sum(maximum(losses * pairs, 0.0))
    return truediv(total, reduce_sum(pairs), name="triplet_semihard_loss")


def _regularized(anchor: Tensor, positive: Tensor, reg_lambda: float) -> tuple[Tensor, Tensor]:
    """Returns the regularization of a batch of pairs, and the similarities of all with all."""
    norms = reduce_mean(reduce_sum(square(anchor), 1)) + reduce_mean(reduce_sum(square(positive), 1))
    return 0.25 * reg_lambda * norms, matmul(anchor, positive, transpose_a=False, transpose_b=True)


def _cross_entropy(like: Any, similarities: Tensor, regularization: Tensor, print_losses: bool) -> Tensor:
    targets = like / reduce_sum(like, 1, keepdims=True)
    losses = softmax_cross_entropy_with_logits(labels=targets, logits=similarities)
    entropy: Tensor = reduce_mean(losses, name="xentropy")
    if print_losses:
        entropy = Print(entropy, ["cross entropy:", entropy, "l2loss:", regularization])
    return regularization + entropy


def npairs_loss(
    labels: TensorLike,
    embeddings_anchor: TensorLike,
    embeddings_positive: TensorLike,
    reg_lambda: float = 0.002,
    print_losses: bool = False,
) -> Tensor:
    """Returns the cross entropy of the classes' similarities, and a regularization of the norms.

    Args:
        labels: Tensor of int32, of shape [pairs].
        embeddings_anchor: Tensor of float32, of shape [pairs, size].
        embeddings_positive: Tensor of float32, of shape [pairs, size].
        reg_lambda: float, the weight of the regularization.
        print_losses: bool. If True, both parts are printed.

    Returns:
        Tensor of float32, of shape [].
    """
    anchor: Tensor = convert_to_tensor(embeddings_anchor)
    regularization, similarities = _regularized(anchor, convert_to_tensor(embeddings_positive), reg_lambda)
    classes = shaping.reshape(labels, [-1, 1])
    like = cast(comparison.equal(classes, shaping.transpose(classes)), dtypes.float32)
    return _cross_entropy(like, similarities, regularization, print_losses)


def npairs_loss_multilabel(
    sparse_labels: list[SparseTensor],
    embeddings_anchor: TensorLike,
    embeddings_positive: TensorLike,
    reg_lambda: float = 0.002,
    print_losses: bool = False,
) -> Tensor:
    """Returns `npairs_loss` for examples of several classes: pairs are as alike as they have classes in common.

    Args:
        sparse_labels: list of SparseTensors of bool, of shape [1, classes], one for each pair.
        embeddings_anchor: Tensor of float32, of shape [pairs, size].
        embeddings_positive: Tensor of float32, of shape [pairs, size].
        reg_lambda: float, the weight of the regularization.
        print_losses: bool. If True, both parts are printed.

    Returns:
        Tensor of float32, of shape [].

    Raises:
        TypeError: if one is no SparseTensor.
    """
    if not all(isinstance(one, SparseTensor) for one in sparse_labels):
        raise TypeError(f"sparse_labels must be a list of SparseTensors, but got {sparse_labels}")
    anchor: Tensor = convert_to_tensor(embeddings_anchor)
    regularization, similarities = _regularized(anchor, convert_to_tensor(embeddings_positive), reg_lambda)
    rows = []
    for one in sparse_labels:
        numbers = SparseTensor(one.indices, cast(one.values, dtypes.float32), one.dense_shape)
        rows.append(shaping.reshape(sparse_tensor_to_dense(numbers), [1, -1]))
    classes = concat(rows, 0)
    like = matmul(classes, classes, transpose_b=True)
    return _cross_entropy(like, similarities, regularization, print_losses)


def lifted_struct_loss(labels: TensorLike, embeddings: TensorLike, margin: float = 1.0) -> Tensor:
    """Returns the mean loss over like pairs against all unlike vectors of both.

    Args:
        labels: Tensor of int32, of shape [batch].
        embeddings: Tensor of float32, of shape [batch, size].
        margin: float, how much farther unlike vectors are to be.

    Returns:
        Tensor of float32, of shape [].
    """
    distances = pairwise_distance(embeddings)
    classes = shaping.reshape(labels, [-1, 1])
    is_like = comparison.equal(classes, shaping.transpose(classes))
    unlike = cast(logical_not(is_like), dtypes.float32)
    size = shaping.size(classes)
    lacking = margin - distances
    # The greatest exponent of a pair is taken out of its sum, so that no exponential overflows.
    row_maxima = masked_maximum(lacking, unlike)
    maxima = maximum(row_maxima, shaping.transpose(row_maxima))
    tiled = shaping.tile(lacking, [size, 1])
    tiled_unlike = shaping.tile(unlike, [size, 1])
    exponents = exp(tiled - shaping.reshape(shaping.transpose(maxima), [-1, 1])) * tiled_unlike
    sums = shaping.reshape(reduce_sum(exponents, 1, keepdims=True), [size, size])
    losses = log(sums + shaping.transpose(sums)) + maxima + distances
    pairs = cast(is_like, dtypes.float32) - eye(size)
    total = reduce_sum(square(maximum(losses * pairs, 0.0)))
    return truediv(0.25 * total, reduce_sum(pairs) / 2.0, name="liftedstruct_loss")
