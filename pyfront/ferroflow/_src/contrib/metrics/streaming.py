"""The metrics of `tf.contrib.metrics`: predictions come before labels, and some have no newer form."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.deprecation import deprecated, warn_deprecated
from ferroflow._src.base.docstrings import document
from ferroflow._src.base.function_families import FunctionFamily
from ferroflow._src.base.typing import Collections, DictLike, TensorLike
from ferroflow._src.control_flow.weights_broadcast import broadcast_weights
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import control_dependencies, name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.metrics import averaging, class_matrices, counting, ranking, thresholds
from ferroflow._src.metrics.accumulation import Pair, collected, match_ranks, match_weights, metric_variable
from ferroflow._src.metrics.description import described
from ferroflow._src.metrics.thresholds import counts_at_thresholds
from ferroflow._src.ops.array import making, shaping
from ferroflow._src.ops.array.making import identity
from ferroflow._src.ops.math import arithmetic, comparison
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.reduction import reduce_max, reduce_mean, reduce_sum
from ferroflow._src.ops.nn.ranking import in_top_k
from ferroflow._src.ops.state.assigning import assign_add
from ferroflow._src.variables.scope import variable_scope


@FunctionFamily
def _weighted(
    metric: Callable[..., Pair],
    predictions: TensorLike,
    labels: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Collections | None = None,
    updates_collections: Collections | None = None,
    name: str | None = None,
) -> Pair:
    """Deprecated: `tf.metrics.{value.__name__}` with predictions before labels.{description}"""
    newer = metric.__name__
    warn_deprecated(f"tf.contrib.metrics.streaming_{newer}", f"tf.metrics.{newer}, which takes labels first")
    return metric(labels, predictions, weights, metrics_collections, updates_collections, name)


def _description(metric: Callable[..., Pair]) -> str:
    return "\n\n" + inspect.cleandoc(metric.__doc__ or "")


def predictions_first(metric: Callable[..., Pair], name: str) -> Callable[..., Pair]:
    """Returns a metric with its first two arguments, labels and predictions, the other way round.

    Args:
        metric: callable of labels, predictions and more.
        name: str, the new function's name.

    Returns:
        A callable that issues a DeprecationWarning naming the metric.
    """
    newer = f"tf.metrics.{metric.__name__}"

    def function(predictions: TensorLike, labels: TensorLike, *args: Any, **kwargs: Any) -> Pair:
        warn_deprecated(f"tf.contrib.metrics.{name}", f"{newer}, which takes labels first")
        return metric(labels, predictions, *args, **kwargs)

    labels, predictions, *others = inspect.signature(metric).parameters.values()
    function.__signature__ = inspect.Signature([predictions, labels, *others])  # type: ignore[attr-defined]
    document(function, f"Deprecated: `{newer}` with predictions before labels.", metric.__doc__, name=name)
    return function


streaming_accuracy = _weighted("streaming_accuracy", averaging.accuracy, description=_description(averaging.accuracy))
streaming_mean_absolute_error = _weighted(
    "streaming_mean_absolute_error",
    averaging.mean_absolute_error,
    description=_description(averaging.mean_absolute_error),
)
streaming_mean_cosine_distance = predictions_first(averaging.mean_cosine_distance, "streaming_mean_cosine_distance")
streaming_mean_relative_error = predictions_first(averaging.mean_relative_error, "streaming_mean_relative_error")
streaming_mean_squared_error = predictions_first(averaging.mean_squared_error, "streaming_mean_squared_error")
streaming_root_mean_squared_error = predictions_first(
    averaging.root_mean_squared_error, "streaming_root_mean_squared_error"
)
streaming_mean_iou = predictions_first(class_matrices.mean_iou, "streaming_mean_iou")
streaming_precision = _weighted("streaming_precision", counting.precision, description=_description(counting.precision))
streaming_recall = _weighted("streaming_recall", counting.recall, description=_description(counting.recall))
streaming_true_positives = predictions_first(counting.true_positives, "streaming_true_positives")
streaming_true_negatives = predictions_first(counting.true_negatives, "streaming_true_negatives")
streaming_false_positives = predictions_first(counting.false_positives, "streaming_false_positives")
streaming_false_negatives = predictions_first(counting.false_negatives, "streaming_false_negatives")
streaming_auc = predictions_first(thresholds.auc, "streaming_auc")
streaming_precision_at_thresholds = predictions_first(
    thresholds.precision_at_thresholds, "streaming_precision_at_thresholds"
)
streaming_recall_at_thresholds = predictions_first(thresholds.recall_at_thresholds, "streaming_recall_at_thresholds")


@FunctionFamily
def _counted(
    key: str,
    predictions: TensorLike,
    labels: TensorLike,
    thresholds: Sequence[float],
    weights: TensorLike | None = None,
) -> Pair:
    """Returns the weight of the {what} at each threshold, in a variable outside any scope of its own.

    Args:
        predictions: Tensor of a float dtype, of any shape, in [0, 1].
        labels: Tensor of the shape of `predictions`, cast to bool.
        thresholds: list of float, in [0, 1].
        weights: Tensor that broadcasts to `predictions`; None for 1.

    Returns:
        (value, update), Tensors of float32, of shape [thresholds].

    Raises:
        ValueError: if the shapes are known to be incompatible.
    """
    variables, updates = counts_at_thresholds(labels, predictions, thresholds, weights, includes=(key,))
    return variables[key], updates[key]


streaming_true_positives_at_thresholds = _counted("streaming_true_positives_at_thresholds", "tp", what="true positives")
streaming_true_negatives_at_thresholds = _counted("streaming_true_negatives_at_thresholds", "tn", what="true negatives")
streaming_false_positives_at_thresholds = _counted(
    "streaming_false_positives_at_thresholds", "fp", what="false positives"
)
streaming_false_negatives_at_thresholds = _counted(
    "streaming_false_negatives_at_thresholds", "fn", what="false negatives"
)
streaming_sensitivity_at_specificity = predictions_first(
    thresholds.sensitivity_at_specificity, "streaming_sensitivity_at_specificity"
)
streaming_specificity_at_sensitivity = predictions_first(
    thresholds.specificity_at_sensitivity, "streaming_specificity_at_sensitivity"
)
streaming_sparse_average_precision_at_k = predictions_first(
    ranking.average_precision_at_k, "streaming_sparse_average_precision_at_k"
)
streaming_sparse_precision_at_k = predictions_first(ranking.precision_at_k, "streaming_sparse_precision_at_k")
streaming_sparse_recall_at_k = predictions_first(ranking.recall_at_k, "streaming_sparse_recall_at_k")
streaming_mean = deprecated("tf.metrics.mean", "tf.contrib.metrics.streaming_mean")(averaging.mean)
streaming_mean_tensor = deprecated("tf.metrics.mean_tensor", "tf.contrib.metrics.streaming_mean_tensor")(
    averaging.mean_tensor
)
streaming_percentage_less = deprecated("tf.metrics.percentage_below", "tf.contrib.metrics.streaming_percentage_less")(
    averaging.percentage_below
)

_TRUTH = "Tensor of any shape, cast to bool."


@described(
    labels="Tensor of int32 or int64, of shape [batch]: classes.",
    predictions="Tensor of float32, of shape [batch, classes].",
    k="int.",
)
def streaming_recall_at_k(
    predictions: TensorLike,
    labels: TensorLike,
    k: int,
    weights: TensorLike | None = None,
    metrics_collections: Collections | DictLike | None = None,
    updates_collections: Collections | DictLike | None = None,
    name: str | None = None,
) -> Pair:
    """Returns the part of the examples whose class is among the k predicted highest."""
    is_found = cast(in_top_k(predictions, labels, k), dtypes.float32)
    return averaging.mean(is_found, weights, metrics_collections, updates_collections, name or f"recall_at_{k}")


@described(labels=_TRUTH, predictions=_TRUTH)
def streaming_false_positive_rate(
    predictions: Any,
    labels: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Pair:
    """Returns the false positive rate; 0 if there are no negatives."""
    with variable_scope(name, "false_positive_rate", [predictions, labels, weights]):
        return counting.part_of_sum(
            counting.false_positives,
            counting.true_negatives,
            labels,
            predictions,
            weights,
            metrics_collections,
            updates_collections,
        )


@described(labels=_TRUTH, predictions=_TRUTH)
def streaming_false_negative_rate(
    predictions: Any,
    labels: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Pair:
    """Returns the false negative rate; 0 if there are no positives."""
    with variable_scope(name, "false_negative_rate", [predictions, labels, weights]):
        return counting.part_of_sum(
            counting.false_negatives,
            counting.true_positives,
            labels,
            predictions,
            weights,
            metrics_collections,
            updates_collections,
        )


@described()
def count(
    values: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Pair:
    """Returns the weight of all elements of the values."""
    with variable_scope(name, "count", [values, weights]):
        values = convert_to_tensor(values)
        total = metric_variable([], dtypes.float32, name="count")
        if weights is None:
            number = cast(shaping.size(values), dtypes.float32)
        else:
            weights = cast(match_weights(values, weights), dtypes.float32)
            number = reduce_sum(broadcast_weights(weights, cast(values, dtypes.float32)))
        with control_dependencies([values]):
            update = assign_add(total, number)
        return collected(identity(total), update, metrics_collections, updates_collections)


@described(
    labels="Tensor of the shape of `predictions`, cast to bool.",
    predictions="Tensor of a float dtype, of any shape, in [0, 1].",
)
def f1_score(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike | None = None,
    num_thresholds: int = 200,
    metrics_collections: Collections | None = None,
    updates_collections: Collections | None = None,
    name: str | None = None,
) -> Pair:
    """Returns the largest harmonic mean of precision and recall over thresholds."""
    with variable_scope(name, "f1", [labels, predictions, weights]):
        predictions, labels, weights = match_ranks(predictions, labels, weights)
        variables, updates = thresholds.counts_at_thresholds(
            labels, predictions, thresholds.even_thresholds(num_thresholds), weights, includes=("tp", "fp", "fn")
        )

        def best(counts: dict[str, Any], name: str) -> Tensor:
            tp, fp, fn = (counts[key] for key in ("tp", "fp", "fn"))
            precision = arithmetic.div(tp, thresholds.EPSILON + tp + fp, name=f"precision_{name}")
            recall = arithmetic.div(tp, thresholds.EPSILON + tp + fn, name=f"recall_{name}")
            return reduce_max(2.0 * precision * recall / (precision + recall + thresholds.EPSILON))

        value, update = best(variables, "value"), best(updates, "update")
        return collected(value, update, metrics_collections, updates_collections)


def accuracy(predictions: Tensor, labels: Tensor, weights: TensorLike | None = None, name: str | None = None) -> Tensor:
    """Returns the part of the predictions of one batch that equal their labels.

    Args:
        predictions: Tensor of bool, an integer dtype or string, of any shape.
        labels: Tensor of the dtype and shape of `predictions`.
        weights: Tensor of float32 that broadcasts to that shape; None for 1.
        name: str, name scope of the operations.

    Returns:
        Tensor of float32, of shape [].

    Raises:
        ValueError: if the dtypes differ or are not supported.
    """
    if not (labels.dtype.is_integer or labels.dtype in (dtypes.bool, dtypes.string)):
        raise ValueError(f"Labels should have bool, integer, or string dtype, not {labels.dtype!r}")
    if not labels.dtype.is_compatible_with(predictions.dtype):
        raise ValueError(
            f"Dtypes of predictions and labels should match. Given: predictions ({predictions.dtype!r}) and labels "
            f"({labels.dtype!r})"
        )
    with name_scope(name, "accuracy", [predictions, labels]):
        is_correct = cast(comparison.equal(predictions, labels), dtypes.float32)
        if weights is None:
            return reduce_mean(is_correct)
        is_correct = arithmetic.multiply(is_correct, weights)
        number = arithmetic.multiply(weights, making.ones_like(is_correct))
        return arithmetic.div(reduce_sum(is_correct), reduce_sum(number))


def aggregate_metrics(*value_update_tuples: Any) -> tuple[list[Any], list[Any]]:
    """Separates the results of several metrics.

    Args:
        *value_update_tuples: (value, update) of each.

    Returns:
        (values, updates).

    Raises:
        ValueError: if there are no metrics.
    """
    if not value_update_tuples:
        raise ValueError("Expected at least one value_tensor/update_op pair")
    values, updates = zip(*value_update_tuples, strict=True)
    return list(values), list(updates)


def aggregate_metric_map(names_to_tuples: Mapping[Any, Any]) -> tuple[dict[Any, Any], dict[Any, Any]]:
    """Separates the results of named metrics.

    Args:
        names_to_tuples: dict from names to (value, update).

    Returns:
        (dict of names to values, dict of names to updates).
    """
    values = {name: pair[0] for name, pair in names_to_tuples.items()}
    return values, {name: pair[1] for name, pair in names_to_tuples.items()}
