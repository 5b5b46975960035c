"""Confusion matrices: how often each class was predicted for each class."""

from __future__ import annotations

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import DTypeLike, TensorLike
from ferroflow._src.framework.apply import tensor_op
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array import joining, making, shaping
from ferroflow._src.ops.flow import checking
from ferroflow._src.ops.flow.grouping import with_dependencies
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.rank_matching import may_lose_last, squeeze_last_if
from ferroflow._src.ops.math.reduction import reduce_max


def remove_squeezable_dimensions(
    labels: TensorLike, predictions: TensorLike, expected_rank_diff: int = 0, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """Removes the last dimension, of size 1, of one of two tensors if their ranks differ by one too many.

    Args:
        labels: Tensor of any dtype and shape.
        predictions: Tensor of any dtype and shape.
        expected_rank_diff: int, the rank of `predictions` less that of `labels` that is meant.
        name: str, name scope of the operations.

    Returns:
        (labels, predictions), squeezed now or, where a rank is not known, in the step.
    """
    with name_scope(name, "remove_squeezable_dimensions", [labels, predictions]):
        predictions = convert_to_tensor(predictions)
        labels = convert_to_tensor(labels)
        rank, label_rank = predictions.get_shape().ndims, labels.get_shape().ndims
        if rank is not None and label_rank is not None:
            surplus = rank - label_rank - expected_rank_diff
            if surplus == 1:
                predictions = shaping.squeeze(predictions, [-1])
            elif surplus == -1:
                labels = shaping.squeeze(labels, [-1])
            return labels, predictions
        difference = shaping.rank(predictions) - shaping.rank(labels)
        if may_lose_last(predictions):
            predictions = squeeze_last_if(expected_rank_diff + 1, difference, predictions)
        if may_lose_last(labels):
            labels = squeeze_last_if(expected_rank_diff - 1, difference, labels)
        return labels, predictions


def confusion_matrix(
    labels: TensorLike,
    predictions: TensorLike,
    num_classes: TensorLike | None = None,
    dtype: DTypeLike = dtypes.int32,
    name: str | None = None,
    weights: TensorLike | None = None,
) -> Tensor:
    """Counts how often each class was predicted for each class.

    Args:
        labels: Tensor of int32 or int64, of shape [n], not negative.
        predictions: Tensor of int32 or int64, of shape [n], not negative.
        num_classes: Tensor of int32 or int64, of shape []; None for the largest class + 1.
        dtype: DType of the result.
        name: str, name scope of the operations.
        weights: Tensor of the shape of `predictions`: the weights; None for 1.

    Returns:
        Tensor of `dtype`, of shape [num_classes, num_classes]: rows are labels, columns predictions. A step raises
        `InvalidArgumentError` for a class out of range.
    """
    with name_scope(name, "confusion_matrix", [predictions, labels, num_classes, weights]):
        labels = convert_to_tensor(labels, name="labels")
        predictions = convert_to_tensor(predictions, name="predictions")
        labels, predictions = remove_squeezable_dimensions(labels, predictions)
        predictions, labels = cast(predictions, dtypes.int64), cast(labels, dtypes.int64)
        labels = _not_negative(labels, "labels")
        predictions = _not_negative(predictions, "predictions")
        if num_classes is None:
            num_classes = tensor_op("Maximum", [reduce_max(predictions), reduce_max(labels)]) + 1
        else:
            limit = cast(num_classes, dtypes.int64)
            labels = _below(labels, "labels", limit)
            predictions = _below(predictions, "predictions", limit)
        if weights is not None:
            weights = cast(weights, dtype)
            predictions.get_shape().assert_is_compatible_with(weights.get_shape())
        shape = joining.stack([num_classes, num_classes])
        places = joining.stack([labels, predictions], axis=1)
        values = making.ones_like(predictions, dtype) if weights is None else weights
        full_shape = cast(shape, dtypes.int64)
        empty = making.zeros(cast(shape, dtypes.int32), values.dtype)
        return tensor_op("SparseTensorDenseAdd", [places, values, full_shape, empty])


def _not_negative(classes: Tensor, which: str) -> Tensor:
    check = checking.assert_non_negative(classes, message=f"`{which}` contains negative values")
    checked: Tensor = with_dependencies([check], classes)
    return checked


def _below(classes: Tensor, which: str, limit: Tensor) -> Tensor:
    check = checking.assert_less(classes, limit, message=f"`{which}` out of bound")
    checked: Tensor = with_dependencies([check], classes)
    return checked
