"""Metrics of the k classes predicted highest: precision, recall and average precision."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ferroflow._src.base import dtypes
from ferroflow._src.base.deprecation import deprecated
from ferroflow._src.base.typing import Collections, DictLike, TensorLike
from ferroflow._src.control_flow.conditional import cond
from ferroflow._src.control_flow.weights_broadcast import assert_broadcastable, broadcast_weights
from ferroflow._src.framework.composite import SparseTensor, convert_to_tensor_or_sparse_tensor
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import control_dependencies, name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.metrics.accumulation import Pair, collected, metric_variable
from ferroflow._src.metrics.description import described
from ferroflow._src.ops.array import indexing, joining, making, shaping
from ferroflow._src.ops.math import arithmetic, comparison
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.rank_matching import expand_last_where_rank_differs
from ferroflow._src.ops.math.reduction import reduce_max, reduce_sum
from ferroflow._src.ops.math.segment import cumsum
from ferroflow._src.ops.nn.ranking import top_k
from ferroflow._src.ops.sparse.sets import set_difference, set_intersection, set_size
from ferroflow._src.ops.sparse.shaping import sparse_concat, sparse_reshape, sparse_retain
from ferroflow._src.ops.state.assigning import assign_add

_ONE = np.int64(1)

_LABELS = (
    "Tensor or SparseTensor of int32 or int64, of shape [..., n] or [...]: the classes that hold, in\n"
    "            [0, classes); others match nothing."
)
_SCORES = "Tensor of float32, of shape [..., classes]."
_CLASSES = "Tensor of int32 or int64, of shape [..., k]: the classes predicted highest."
_CLASS_ID = "int, the one class that is counted; None for all."
_RESULT = "Tensors of float64, of shape []"
# The count is one number for each example.
_WEIGHTS = "Tensor of shape [], or of the rank of the labels' leading dimensions, each 1 or theirs; None for 1."


def _at_k(name: str, k: int | None = None, class_id: int | None = None) -> str:
    with_k = f"{name}_at_k" if k is None else f"{name}_at_{k}"
    return with_k if class_id is None else f"{with_k}_class{class_id}"


def _expand_labels(labels: Any, predictions: Tensor) -> Any:
    """Returns labels of the rank of the predictions: those of one class for an example get a last dimension."""
    with name_scope(None, "expand_labels", [labels, predictions]) as scope:
        labels = cast(convert_to_tensor_or_sparse_tensor(labels), dtypes.int64)
        if isinstance(labels, SparseTensor):
            is_lacking = comparison.equal(shaping.rank(predictions), shaping.size(labels.dense_shape) + 1)
            lacking = shaping.expand_dims(cast(is_lacking, dtypes.int32), 0)
            ones = making.fill(lacking, _ONE)
            return sparse_reshape(labels, joining.concat([labels.dense_shape, ones], 0), name=scope)
        ranks = labels.get_shape().ndims, predictions.get_shape().ndims
        if ranks[0] is not None and ranks[1] is not None and ranks[1] - ranks[0] not in (0, 1):
            raise ValueError(
                f"Unexpected labels shape {labels.get_shape()} for predictions shape {predictions.get_shape()}."
            )
        return expand_last_where_rank_differs(labels, predictions, scope)


def _only_class(ids: Any, class_id: int) -> SparseTensor:
    ids = convert_to_tensor_or_sparse_tensor(ids)
    if isinstance(ids, SparseTensor):
        return sparse_retain(ids, comparison.equal(ids.values, class_id))
    shape = shaping.shape(ids, out_type=dtypes.int64)
    one_each = joining.concat([shape[:-1], [_ONE]], 0)
    chosen = making.fill(one_each, cast(class_id, dtypes.int64))
    found = set_intersection(chosen, ids)
    return SparseTensor(found.indices, found.values, shape)


def _true_positives(predictions: Any, labels: Any) -> SparseTensor:
    return set_intersection(predictions, labels)


def _false_positives(predictions: Any, labels: Any) -> SparseTensor:
    return set_difference(predictions, labels, aminusb=True)


def _false_negatives(predictions: Any, labels: Any) -> SparseTensor:
    return set_difference(predictions, labels, aminusb=False)


def _count_of_examples(
    what: Callable[[Any, Any], SparseTensor],
    name: str,
    labels: Any,
    predictions_idx: Any,
    class_id: int | None = None,
    weights: Any = None,
    scope: str | None = None,
) -> Tensor:
    """Returns the weighted number of each example's classes that are counted, as float64."""
    with name_scope(scope, name, [predictions_idx, weights]):
        if class_id is not None:
            labels, predictions_idx = _only_class(labels, class_id), _only_class(predictions_idx, class_id)
        counts: Tensor = cast(set_size(what(predictions_idx, labels)), dtypes.float64)
        if weights is None:
            return counts
        with control_dependencies([assert_broadcastable(weights, counts)]):
            return arithmetic.multiply(counts, cast(weights, dtypes.float64))


def _accumulated(
    what: Callable[[Any, Any], SparseTensor],
    name: str,
    labels: Any,
    predictions_idx: Tensor,
    k: int | None,
    class_id: int | None,
    weights: Any,
) -> tuple[Any, Tensor]:
    with name_scope(None, _at_k(name, k, class_id), [predictions_idx, weights]) as scope:
        counts = _count_of_examples(what, f"{name}s", labels, predictions_idx, class_id, weights)
        batch = cast(reduce_sum(counts), dtypes.float64)
        variable = metric_variable([], dtypes.float64, name=scope)
        return variable, assign_add(variable, batch, name="update")


def _part_at_top_k(
    metric: str,
    other: Callable[[Any, Any], SparseTensor],
    other_name: str,
    labels: Any,
    predictions_idx: Any,
    k: int | None,
    class_id: int | None,
    weights: Any,
    metrics_collections: Any,
    updates_collections: Any,
    name: str | None,
) -> Pair:
    """Returns the quotient of the true positives and their sum with another count."""
    with name_scope(name, _at_k(metric, k, class_id), [predictions_idx, weights]) as scope:
        predictions_idx = convert_to_tensor(predictions_idx)
        labels = _expand_labels(labels, predictions_idx)
        ids = cast(predictions_idx, dtypes.int64)
        true, update_true = _accumulated(_true_positives, "true_positive", labels, ids, k, class_id, weights)
        rest, update_rest = _accumulated(other, other_name, labels, ids, k, class_id, weights)
        value = arithmetic.div(true, arithmetic.add(true, rest), name=scope)
        update = arithmetic.div(update_true, arithmetic.add(update_true, update_rest), name="update")
        return collected(value, update, metrics_collections, updates_collections)


@described(
    _RESULT,
    labels=_LABELS,
    predictions_idx=_CLASSES,
    k="int, of which the names are made, or None.",
    class_id=_CLASS_ID,
    weights=_WEIGHTS,
    name="str, name scope of the operations and variables.",
)
def precision_at_top_k(
    labels: TensorLike,
    predictions_idx: Any,
    k: int | None = None,
    class_id: int | None = None,
    weights: TensorLike | None = None,
    metrics_collections: Collections | DictLike | None = None,
    updates_collections: Collections | DictLike | None = None,
    name: str | None = None,
) -> Pair:
    """Returns the part of the classes predicted highest that hold; NaN before any."""
    return _part_at_top_k(
        "precision",
        _false_positives,
        "false_positive",
        labels,
        predictions_idx,
        k,
        class_id,
        weights,
        metrics_collections,
        updates_collections,
        name,
    )


@described(
    _RESULT,
    labels=_LABELS,
    predictions_idx=_CLASSES,
    k="int, of which the names are made, or None.",
    class_id=_CLASS_ID,
    weights=_WEIGHTS,
    name="str, name scope of the operations and variables.",
)
def recall_at_top_k(
    labels: TensorLike,
    predictions_idx: Any,
    k: int | None = None,
    class_id: int | None = None,
    weights: TensorLike | None = None,
    metrics_collections: Collections | DictLike | None = None,
    updates_collections: Collections | DictLike | None = None,
    name: str | None = None,
) -> Pair:
    """Returns the fraction of the true classes that are among the k highest predictions; NaN without any update."""
    return _part_at_top_k(
        "recall",
        _false_negatives,
        "false_negative",
        labels,
        predictions_idx,
        k,
        class_id,
        weights,
        metrics_collections,
        updates_collections,
        name,
    )


@described(
    _RESULT,
    labels=_LABELS,
    predictions=_SCORES,
    k="int, how many are predicted.",
    class_id=_CLASS_ID,
    weights=_WEIGHTS,
    name="str, name scope of the operations and variables.",
)
def precision_at_k(
    labels: TensorLike,
    predictions: TensorLike,
    k: int,
    class_id: int | None = None,
    weights: TensorLike | None = None,
    metrics_collections: Collections | DictLike | None = None,
    updates_collections: Collections | DictLike | None = None,
    name: str | None = None,
) -> Pair:
    """Returns the part of the k classes with the highest scores that hold; NaN before any."""
    with name_scope(name, _at_k("precision", k, class_id), [predictions, weights]) as scope:
        ids = top_k(predictions, k).indices
        return precision_at_top_k(
            labels, ids, k, class_id, weights, metrics_collections, updates_collections, name=scope
        )


@described(
    _RESULT,
    labels=_LABELS,
    predictions=_SCORES,
    k="int, how many are predicted.",
    class_id=_CLASS_ID,
    weights=_WEIGHTS,
    name="str, name scope of the operations and variables.",
)
def recall_at_k(
    labels: TensorLike,
    predictions: TensorLike,
    k: int,
    class_id: int | None = None,
    weights: TensorLike | None = None,
    metrics_collections: Collections | DictLike | None = None,
    updates_collections: Collections | DictLike | None = None,
    name: str | None = None,
) -> Pair:
    """Returns the part of the classes that hold that are among the k with the highest scores; NaN before any."""
    with name_scope(name, _at_k("recall", k, class_id), [predictions, weights]) as scope:
        ids = top_k(predictions, k).indices
        return recall_at_top_k(labels, ids, k, class_id, weights, metrics_collections, updates_collections, name=scope)


def _repeat(labels: Any, times: int) -> Any:
    """Returns labels with a new dimension before the last in which they are repeated."""
    with name_scope("labels_per_k", "expand_and_tile") as scope:
        if isinstance(labels, SparseTensor):
            shape = labels.dense_shape
            expanded = sparse_reshape(labels, joining.concat([shape[:-1], [_ONE], shape[-1:]], 0), name="expand")
            return expanded if times == 1 else sparse_concat(-2, [expanded] * times, name=scope)
        dense = shaping.expand_dims(labels, -2, name="expand")
        ones = making.ones_like(shaping.shape(labels))
        return shaping.tile(dense, joining.concat([ones[:-1], [times], ones[-1:]], 0, name="multiples"), name=scope)


def _number_relevant(labels: Any, k: int) -> Tensor:
    """Returns the number of each example's relevant classes, at most k; classes below 0 are padding."""
    with name_scope(None, "num_relevant") as scope:
        if isinstance(labels, SparseTensor):
            return arithmetic.minimum(set_size(labels), k, name=scope)
        is_class = comparison.greater_equal(labels, 0)
        counted = indexing.where(is_class, making.ones_like(labels), making.zeros_like(labels))
        return arithmetic.minimum(reduce_sum(counted, axis=-1), k, name=scope)


def _without_unknown_classes(labels: TensorLike, number_of_classes: Tensor) -> Any:
    """Returns labels with -1, which is padding, for each class beyond the last one."""
    labels = convert_to_tensor_or_sparse_tensor(labels, dtype=dtypes.int64)
    values = labels.values if isinstance(labels, SparseTensor) else labels

    def cleaned() -> Any:
        is_unknown = comparison.greater_equal(values, number_of_classes)
        known = indexing.where(is_unknown, -1 * making.ones_like(values), values)
        return SparseTensor(labels.indices, known, labels.dense_shape) if isinstance(labels, SparseTensor) else known

    is_any_unknown = comparison.greater_equal(reduce_max(values), number_of_classes)
    return cond(is_any_unknown, cleaned, lambda: labels)


def _average_precision(labels: Any, predictions_idx: Tensor) -> Tensor:
    """Returns the average precision of each example: the mean of its precision at each of its classes that are
    predicted.
    """
    with name_scope(None, "average_precision", [predictions_idx]) as scope:
        ids = cast(predictions_idx, dtypes.int64, name="predictions_idx")
        if ids.get_shape().ndims == 0:
            raise ValueError("The rank of predictions_idx must be at least 1.")
        k = ids.get_shape()[-1].value if ids.get_shape().ndims is not None else None
        if k is None:
            raise ValueError("The last dimension of predictions_idx must be set.")
        labels = _expand_labels(labels, ids)
        each = shaping.expand_dims(ids, -1, name="predictions_idx_per_k")
        relevant = _count_of_examples(
            _true_positives, "true_positives", _repeat(labels, k), each, scope="relevant_per_k"
        )
        found = cumsum(relevant, axis=-1, name="tp_per_k")
        retrieved = cumsum(making.ones_like(relevant), axis=-1, name="retrieved_per_k")
        precision = arithmetic.div(found, retrieved, name="precision_per_k")
        total = reduce_sum(
            arithmetic.multiply(precision, relevant, name="relevant_precision_per_k"), axis=(-1,), name="precision_sum"
        )
        return arithmetic.div(total, cast(_number_relevant(labels, k), dtypes.float64), name=scope)


@described(
    _RESULT,
    fails="k is below 1",
    labels=_LABELS,
    predictions=_SCORES,
    k="int, how many are predicted.",
    weights=_WEIGHTS,
    name="str, name scope of the operations and variables.",
)
def average_precision_at_k(
    labels: TensorLike,
    predictions: TensorLike,
    k: int,
    weights: TensorLike | None = None,
    metrics_collections: Collections | DictLike | None = None,
    updates_collections: Collections | DictLike | None = None,
    name: str | None = None,
) -> Pair:
    """Returns the mean over examples of the average precision of the k classes with the highest scores; 0 before
    any.
    """
    if k < 1:
        raise ValueError(f"Invalid k={k}.")
    with name_scope(name, _at_k("average_precision", k), [predictions, weights]) as scope:
        ids = top_k(predictions, k).indices
        labels = _without_unknown_classes(labels, cast(shaping.shape(predictions)[-1], dtypes.int64))
        return average_precision_at_top_k(labels, ids, weights, metrics_collections, updates_collections, name=scope)


def average_precision_at_top_k(
    labels: TensorLike,
    predictions_idx: Any,
    weights: TensorLike | None = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Pair:
    """Returns `average_precision_at_k` of classes that are already chosen, of shape [..., k] with k known."""
    with name_scope(name, "average_precision_at_top_k", [predictions_idx, weights]) as scope:
        average = _average_precision(labels, convert_to_tensor(predictions_idx))
        if weights is not None:
            weights = broadcast_weights(cast(weights, dtypes.float64), average)
            average = arithmetic.multiply(average, weights)
        with name_scope(None, "max", [average]) as max_scope:
            most = metric_variable([], dtypes.float64, name=max_scope)
            if weights is None:
                batch_most = cast(shaping.size(average, name="batch_max"), dtypes.float64)
            else:
                batch_most = reduce_sum(weights, name="batch_max")
            update_most = assign_add(most, batch_most, name="update")
        with name_scope(None, "total", [average]) as total_scope:
            total = metric_variable([], dtypes.float64, name=total_scope)
            update_total = assign_add(total, reduce_sum(average, name="batch_total"), name="update")
        value = arithmetic.div_no_nan(total, most, name="mean")
        update = arithmetic.div_no_nan(update_total, update_most, name=scope)
        return collected(value, update, metrics_collections, updates_collections)


sparse_precision_at_k = deprecated("tf.metrics.precision_at_k", "tf.metrics.sparse_precision_at_k")(precision_at_k)
sparse_average_precision_at_k = deprecated(
    "tf.metrics.average_precision_at_k", "tf.metrics.sparse_average_precision_at_k"
)(average_precision_at_k)
