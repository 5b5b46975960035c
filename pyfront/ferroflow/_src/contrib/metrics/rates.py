"""Metrics of `tf.contrib.metrics` without a newer form: rates at thresholds, covariance, correlation, agreement."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import Collections, DictLike, ListLike, TensorLike
from ferroflow._src.control_flow.weights_broadcast import broadcast_weights
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import control_dependencies
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.metrics import ranking, thresholds as at
from ferroflow._src.metrics.accumulation import Pair, collected, match_ranks, match_weights, metric_variable
from ferroflow._src.metrics.description import described
from ferroflow._src.ops.array import shaping
from ferroflow._src.ops.array.indexing import where
from ferroflow._src.ops.array.joining import stack
from ferroflow._src.ops.array.making import identity, zeros_like
from ferroflow._src.ops.math.arithmetic import div_no_nan, multiply, truediv
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.confusion_matrix import confusion_matrix
from ferroflow._src.ops.math.elementwise import abs as absolute, sqrt
from ferroflow._src.ops.math.reduction import argmin, reduce_sum
from ferroflow._src.ops.state.assigning import assign_add
from ferroflow._src.variables.scope import variable_scope

__all__ = [
    "cohen_kappa",
    "precision_at_recall",
    "recall_at_precision",
    "sparse_recall_at_top_k",
    "streaming_covariance",
    "streaming_curve_points",
    "streaming_false_negative_rate_at_thresholds",
    "streaming_false_positive_rate_at_thresholds",
    "streaming_pearson_correlation",
    "streaming_sparse_average_precision_at_top_k",
    "streaming_sparse_precision_at_top_k",
]

_LABELS = "Tensor of the shape of `predictions`, cast to bool."
_PREDICTIONS = "Tensor of a float dtype, of any shape, in [0, 1]."
_NUMBERS = "Tensor of float32, of any shape."

_Counts = dict[str, Any]


def _of_counts(
    given: tuple[Any, Any, Any],
    cuts: Any,
    includes: tuple[str, ...],
    compute: Callable[[_Counts], Tensor],
    collections: tuple[Any, Any],
) -> Pair:
    """Returns the value and the update of a function of counts at thresholds."""
    predictions, labels, weights = match_ranks(*given)
    variables, updates = at.counts_at_thresholds(labels, predictions, cuts, weights, includes=includes)
    return collected(compute(variables), compute(updates), *collections)


@described(labels=_LABELS, predictions=_PREDICTIONS, thresholds="list of float, in [0, 1].")
def streaming_false_positive_rate_at_thresholds(
    predictions: TensorLike,
    labels: TensorLike,
    thresholds: ListLike,
    weights: TensorLike | None = None,
    metrics_collections: Collections | DictLike | None = None,
    updates_collections: Collections | DictLike | None = None,
    name: str | None = None,
) -> Pair:
    """Returns, for each threshold, the part of the false labels whose predictions are above it."""
    with variable_scope(name, "false_positive_rate_at_thresholds", [predictions, labels, weights]):
        return _of_counts(
            (predictions, labels, weights),
            thresholds,
            ("fp", "tn"),
            lambda n: n["fp"] / (at.EPSILON + n["fp"] + n["tn"]),
            (metrics_collections, updates_collections),
        )


@described(labels=_LABELS, predictions=_PREDICTIONS, thresholds="list of float, in [0, 1].")
def streaming_false_negative_rate_at_thresholds(
    predictions: TensorLike,
    labels: TensorLike,
    thresholds: ListLike,
    weights: TensorLike | None = None,
    metrics_collections: Collections | DictLike | None = None,
    updates_collections: Collections | DictLike | None = None,
    name: str | None = None,
) -> Pair:
    """Returns, for each threshold, the part of the true labels whose predictions are not above it."""
    with variable_scope(name, "false_negative_rate_at_thresholds", [predictions, labels, weights]):
        return _of_counts(
            (predictions, labels, weights),
            thresholds,
            ("fn", "tp"),
            lambda n: n["fn"] / (at.EPSILON + n["fn"] + n["tp"]),
            (metrics_collections, updates_collections),
        )


def _nearest(part: Callable[[_Counts], Any], goal: float, other: Callable[[_Counts, Any], Any]) -> Any:
    """Returns a function of counts: another part of them, at the threshold where `part` is nearest to a goal."""

    def compute(counts: _Counts) -> Tensor:
        place: Any = argmin(absolute(part(counts) - goal), 0, output_type=dtypes.int32)
        found: Tensor = other(counts, place)
        return found

    return compute


@described(labels=_LABELS, predictions=_PREDICTIONS, target_recall="float, in [0, 1].")
def precision_at_recall(
    labels: TensorLike,
    predictions: TensorLike,
    target_recall: float,
    weights: TensorLike | None = None,
    num_thresholds: int = 200,
    metrics_collections: Collections | DictLike | None = None,
    updates_collections: Collections | DictLike | None = None,
    name: str | None = None,
) -> Pair:
    """Returns the precision at the largest threshold whose recall is `target_recall` or more."""
    if not 0 <= target_recall <= 1:
        raise ValueError(f"`target_recall` must be in the range [0, 1]. Found {target_recall}")
    with variable_scope(name, "precision_at_recall", [predictions, labels, weights]):

        def compute(n: _Counts) -> Tensor:
            recalls = n["tp"] / (n["tp"] + n["fn"] + at.EPSILON)
            # Recall falls with the threshold: the result is the last one that reaches the target.
            place: Any = reduce_sum(cast(recalls >= target_recall, dtypes.int32)) - 1
            found: Tensor = (n["tp"][place] + at.EPSILON) / (n["tp"][place] + n["fp"][place] + at.EPSILON)
            return found

        cuts, collections = at.even_thresholds(num_thresholds), (metrics_collections, updates_collections)
        return _of_counts((predictions, labels, weights), cuts, ("tp", "fn", "tn", "fp"), compute, collections)


@described(labels=_LABELS, predictions=_PREDICTIONS, precision="float, in [0, 1].")
def recall_at_precision(
    labels: TensorLike,
    predictions: TensorLike,
    precision: float,
    weights: TensorLike | None = None,
    num_thresholds: int = 200,
    metrics_collections: Collections | DictLike | None = None,
    updates_collections: Collections | DictLike | None = None,
    name: str | None = None,
) -> Pair:
    """Returns the recall at the threshold whose precision is nearest to `precision`."""
    if not 0 <= precision <= 1:
        raise ValueError(f"`precision` must be in the range [0, 1]. Currently, `precision` is set to {precision}.")
    with variable_scope(name, "recall_at_precision", [predictions, labels, weights]):
        compute = _nearest(
            lambda n: n["tp"] / (n["tp"] + n["fp"] + at.EPSILON),
            precision,
            lambda n, i: n["tp"][i] / (n["tp"][i] + n["fn"][i] + at.EPSILON),
        )
        cuts, collections = at.even_thresholds(num_thresholds), (metrics_collections, updates_collections)
        return _of_counts((predictions, labels, weights), cuts, ("tp", "fn", "tn", "fp"), compute, collections)


@described(labels=_LABELS, predictions=_PREDICTIONS, curve='str, "ROC" or "PR".')
def streaming_curve_points(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike | None = None,
    num_thresholds: int = 200,
    metrics_collections: Collections | DictLike | None = None,
    updates_collections: Collections | DictLike | None = None,
    curve: str = "ROC",
    name: str | None = None,
) -> Pair:
    """Returns the points of a curve over thresholds, of shape [number of thresholds, 2]."""
    if curve not in ("ROC", "PR"):
        raise ValueError(f"curve must be either ROC or PR, {curve} unknown")
    with variable_scope(name, "curve_points", [labels, predictions, weights]):

        def points(n: _Counts) -> Tensor:
            recall = (n["tp"] + at.EPSILON) / (n["tp"] + n["fn"] + at.EPSILON)
            if curve == "ROC":
                return stack([n["fp"] / (n["fp"] + n["tn"] + at.EPSILON), recall], axis=1)
            return stack([recall, (n["tp"] + at.EPSILON) / (n["tp"] + n["fp"] + at.EPSILON)], axis=1)

        cuts, collections = at.even_thresholds(num_thresholds), (metrics_collections, updates_collections)
        return _of_counts((predictions, labels, weights), cuts, ("tp", "fn", "tn", "fp"), points, collections)


@described(labels=_NUMBERS, predictions="Tensor of float32, of the shape of `labels`.")
def streaming_covariance(
    predictions: TensorLike,
    labels: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Collections | DictLike | None = None,
    updates_collections: Collections | DictLike | None = None,
    name: str | None = None,
) -> Pair:
    """Returns the covariance of two values, without bias; NaN for fewer than two examples."""
    with variable_scope(name, "covariance", [predictions, labels, weights]):
        predictions, labels, _ = match_ranks(predictions, labels, None)
        first, second = predictions, labels
        first.shape.assert_is_compatible_with(second.shape)
        names = ("count", "mean_prediction", "mean_label", "comoment")
        count, mean_first, mean_second, comoment = (metric_variable([], dtypes.float32, name=each) for each in names)
        if weights is None:
            size = cast(shaping.size(second), dtypes.float32)
        else:
            weights = broadcast_weights(match_weights(second, weights), second)
            size = reduce_sum(weights)
            first, second = multiply(first, weights), multiply(second, weights)
        # The variables are read before the updates, so the order is certain.
        before = [identity(variable) for variable in (count, mean_first, mean_second)]
        means = [div_no_nan(reduce_sum(each), size) for each in (first, second)]
        with control_dependencies(before):
            after_count = assign_add(count, size)
        share = _safe_quotient(size, before[0] + size)
        updates = [
            assign_add(variable, (mean - old) * share)
            for variable, mean, old in zip((mean_first, mean_second), means, before[1:], strict=True)
        ]
        residuals = _residuals(predictions, labels, means, weights)
        between = (before[1] - means[0]) * (before[2] - means[1]) * (before[0] * share)
        with control_dependencies([after_count, *updates]):
            after = assign_add(comoment, residuals + between)
            updated = _covariance(after, identity(after_count))
        return collected(_covariance(comoment, count), updated, metrics_collections, updates_collections)


def _residuals(predictions: Any, labels: Any, means: list[Any], weights: Any) -> Any:
    products = (predictions - means[0]) * (labels - means[1])
    return reduce_sum(products if weights is None else products * weights)


def _safe_quotient(numerator: Any, denominator: Any) -> Any:
    """Returns a quotient, and 0 where the denominator is not positive."""
    return where(denominator > 0, truediv(numerator, denominator), zeros_like(numerator))


def _covariance(comoment: Any, count: Any) -> Tensor:
    found: Tensor = where(count <= 1, constant(float("nan")), truediv(comoment, count - 1))
    return found


@described(labels=_NUMBERS, predictions="Tensor of float32, of the shape of `labels`.")
def streaming_pearson_correlation(
    predictions: TensorLike,
    labels: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Collections | DictLike | None = None,
    updates_collections: Collections | DictLike | None = None,
    name: str | None = None,
) -> Pair:
    """Returns Pearson's correlation of two values; NaN for fewer than two examples."""
    with variable_scope(name, "pearson_r", [predictions, labels, weights]):
        first, second, _ = match_ranks(predictions, labels, None)
        first.shape.assert_is_compatible_with(second.shape)
        if weights is not None:
            weights = broadcast_weights(match_weights(second, weights), second)
        both = streaming_covariance(first, second, weights=weights, name="covariance")
        of_first = streaming_covariance(first, first, weights=weights, name="variance_predictions")
        of_second = streaming_covariance(second, second, weights=weights, name="variance_labels")
        value, update = (
            truediv(both[i], multiply(sqrt(of_first[i]), sqrt(of_second[i])), name=("pearson_r", "update_op")[i])
            for i in (0, 1)
        )
        return collected(value, update, metrics_collections, updates_collections)


@described(
    labels="Tensor of an integer dtype, of shape [batch]: classes.",
    predictions_idx="Tensor of an integer dtype, of shape [batch]: predicted classes.",
    num_classes="int, 2 or more.",
)
def cohen_kappa(
    labels: TensorLike,
    predictions_idx: TensorLike,
    num_classes: int,
    weights: TensorLike | None = None,
    metrics_collections: Collections | DictLike | None = None,
    updates_collections: Collections | DictLike | None = None,
    name: str | None = None,
) -> Pair:
    """Returns Cohen's kappa: how far labels and predictions agree beyond chance."""
    if num_classes < 2:
        raise ValueError(f"`num_classes` must be >= 2. Found: {num_classes}")
    with variable_scope(name, "cohen_kappa", [labels, predictions_idx, weights]):
        labels = convert_to_tensor(labels)
        if labels.shape.with_rank_at_most(2).ndims == 2:
            labels = shaping.squeeze(labels, [-1])
        predicted, wanted, weights = match_ranks(predictions_idx, labels, weights)
        predicted.shape.assert_is_compatible_with(wanted.shape)
        dtype = dtypes.int64 if weights is None or weights.dtype.is_integer else dtypes.float32
        names = ("po", "pe_row", "pe_col")
        variables = [metric_variable([num_classes], dtype, name=each) for each in names]
        table = confusion_matrix(wanted, predicted, num_classes, weights=weights, dtype=dtype)
        parts = (_diagonal(table), reduce_sum(table, 0), reduce_sum(table, 1))
        updates = [assign_add(variable, part) for variable, part in zip(variables, parts, strict=True)]
        return collected(_kappa(variables), _kappa(updates), metrics_collections, updates_collections)


def _diagonal(table: Any) -> Any:
    return reduce_sum(table * _unit(table), 1)


def _unit(table: Any) -> Any:
    size = table.shape[0].value
    return constant([[int(i == j) for j in range(size)] for i in range(size)], dtype=table.dtype)


def _kappa(counts: Any) -> Tensor:
    agreed, rows, columns = (cast(convert_to_tensor(each), dtypes.float64) for each in counts)
    total = reduce_sum(rows)
    by_chance = reduce_sum(_safe_sum(rows * columns, total))
    found: Tensor = _safe_quotient(reduce_sum(agreed) - by_chance, total - by_chance)
    return found


def _safe_sum(products: Any, total: Any) -> Any:
    return products * _safe_quotient(zeros_like(total) + 1, total)


@described(
    labels="Tensor of int64, of shape [batch, ...]: classes.",
    top_k_predictions="Tensor of int64, of shape [batch, ..., k]: the classes predicted highest.",
    class_id="int, the only class that counts; None for all.",
)
def sparse_recall_at_top_k(
    labels: TensorLike,
    top_k_predictions: TensorLike,
    class_id: int | None = None,
    weights: TensorLike | None = None,
    metrics_collections: Collections | DictLike | None = None,
    updates_collections: Collections | DictLike | None = None,
    name: str | None = None,
) -> Pair:
    """Returns the part of the classes that hold that are among the given ones; NaN before any."""
    collections = (metrics_collections, updates_collections)
    return ranking.recall_at_top_k(labels, top_k_predictions, None, class_id, weights, *collections, name=name)


@described(
    labels="Tensor of int64, of shape [batch, ...]: classes.",
    top_k_predictions="Tensor of int64, of shape [batch, ..., k]: the classes predicted highest.",
    class_id="int, the only class that counts; None for all.",
)
def streaming_sparse_precision_at_top_k(
    top_k_predictions: TensorLike,
    labels: TensorLike,
    class_id: int | None = None,
    weights: TensorLike | None = None,
    metrics_collections: Collections | DictLike | None = None,
    updates_collections: Collections | DictLike | None = None,
    name: str | None = None,
) -> Pair:
    """Returns the part of the given classes that hold; NaN before any."""
    collections = (metrics_collections, updates_collections)
    return ranking.precision_at_top_k(labels, top_k_predictions, None, class_id, weights, *collections, name=name)


@described(
    labels="Tensor of int64, of shape [batch, ...]: classes.",
    top_k_predictions="Tensor of int64, of shape [batch, ..., k]: the classes predicted highest.",
)
def streaming_sparse_average_precision_at_top_k(
    top_k_predictions: TensorLike,
    labels: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Collections | DictLike | None = None,
    updates_collections: Collections | DictLike | None = None,
    name: str | None = None,
) -> Pair:
    """Returns the average precision of the given classes."""
    collections = (metrics_collections, updates_collections)
    return ranking.average_precision_at_top_k(labels, top_k_predictions, weights, *collections, name=name)
