"""Metrics of predictions cut at thresholds: counts, precision, recall, areas under curves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ferroflow._src.base import dtypes, tf_logging
from ferroflow._src.base.docstrings import document
from ferroflow._src.base.typing import Collections, DictLike, ListLike, TensorLike
from ferroflow._src.control_flow.weights_broadcast import broadcast_weights
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import control_dependencies
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.metrics.accumulation import Pair, collected, match_ranks, metric_variable, quotient
from ferroflow._src.metrics.description import described
from ferroflow._src.ops.array import indexing, shaping
from ferroflow._src.ops.array.making import identity, ones_like
from ferroflow._src.ops.flow import checking
from ferroflow._src.ops.math import arithmetic, comparison
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.elementwise import abs as absolute, log, logical_not
from ferroflow._src.ops.math.reduction import argmax, argmin, reduce_min, reduce_sum
from ferroflow._src.ops.math.segment import cumsum
from ferroflow._src.ops.state.assigning import assign_add
from ferroflow._src.variables.scope import variable_scope

_LABELS = "Tensor of the shape of `predictions`, cast to bool."
_PREDICTIONS = "Tensor of a float dtype, of any shape, in [0, 1]: a step raises `InvalidArgumentError` for others."
_AT_THRESHOLDS = "Tensors of float32, of shape [number of thresholds]"

# The outer thresholds lie so far beyond 0 and 1, lest rounding lets them cut off a prediction.
EPSILON = 1e-7

# In TF's order, which is that of the variables: name of the count, its label, its prediction.
_COUNTS = {
    "tp": ("true_positives", True, True),
    "fn": ("false_negatives", True, False),
    "tn": ("true_negatives", False, False),
    "fp": ("false_positives", False, True),
}


def even_thresholds(num_thresholds: int, last: float = 1.0 + EPSILON) -> list[float]:
    """Returns thresholds spread evenly over [0, 1], with the outer ones just beyond its ends.

    Args:
        num_thresholds: int, how many, 2 or more.
        last: float, the last of them.

    Returns:
        List of float.
    """
    inner = [(i + 1) * 1.0 / (num_thresholds - 1) for i in range(num_thresholds - 2)]
    return [0.0 - EPSILON, *inner, last]


def counts_at_thresholds(
    labels: TensorLike,
    predictions: TensorLike,
    thresholds: Sequence[float],
    weights: TensorLike | None = None,
    includes: ListLike | None = None,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Counts true and false positives and negatives of predictions cut at each threshold.

    Args:
        labels: Tensor of the shape of `predictions`, cast to bool.
        predictions: Tensor of a float dtype, in [0, 1].
        thresholds: list of float, in [0, 1].
        weights: Tensor that broadcasts to `predictions`, or None.
        includes: sequence of the counts to make, of "tp", "fn", "tn", "fp"; None for all.

    Returns:
        (variables, updates), each a dict from these names, of shape [number of thresholds].

    Raises:
        ValueError: if shapes are incompatible, or a count is not one of these.
    """
    for include in includes or ():
        if include not in _COUNTS:
            raise ValueError(f"Invalid key: {include}.")
    predictions = convert_to_tensor(predictions)
    limits = [cast(limit, predictions.dtype) for limit in (0.0, 1.0)]
    message = "predictions must be in [0, 1]"
    checks = [
        checking.assert_greater_equal(predictions, limits[0], message=message),
        checking.assert_less_equal(predictions, limits[1], message=message),
    ]
    with control_dependencies(checks):
        predictions, labels, weights = match_ranks(
            cast(predictions, dtypes.float32), cast(labels, dtypes.bool), weights
        )
    column = shaping.expand_dims(constant(list(thresholds), dtype=dtypes.float32), 1)
    # One row for each threshold.
    is_above = comparison.greater(shaping.reshape(predictions, [1, -1]), column)
    is_true = shaping.reshape(labels, [1, -1])
    if weights is not None:
        weights = broadcast_weights(cast(weights, dtypes.float32), predictions)
        weights = shaping.reshape(weights, [1, -1])
    wanted = [count for key, count in _COUNTS.items() if includes is None or key in includes]
    labelled, predicted = {True: is_true}, {True: is_above}
    if not all(label for _, label, _ in wanted):
        labelled[False] = logical_not(is_true)
    if not all(prediction for _, _, prediction in wanted):
        predicted[False] = logical_not(is_above)
    variables, updates = {}, {}
    for key, (name, label, prediction) in _COUNTS.items():
        if includes is not None and key not in includes:
            continue
        variable = metric_variable([len(thresholds)], dtypes.float32, name=name)
        holds = comparison.logical_and(labelled[label], predicted[prediction])
        counted = cast(holds, dtypes.float32)
        if weights is not None:
            counted *= weights
        variables[key], updates[key] = variable, assign_add(variable, reduce_sum(counted, 1))
    return variables, updates


def _count_at_thresholds(key: str, sentence: str) -> Callable[..., Pair]:
    name_of_scope = _COUNTS[key][0]

    def function(
        labels: TensorLike,
        predictions: TensorLike,
        thresholds: Sequence[float],
        weights: TensorLike | None = None,
        metrics_collections: Any = None,
        updates_collections: Any = None,
        name: str | None = None,
    ) -> Pair:
        with variable_scope(name, name_of_scope, [predictions, labels, weights]):
            variables, updates = counts_at_thresholds(labels, predictions, thresholds, weights, includes=(key,))
            return collected(identity(variables[key]), updates[key], metrics_collections, updates_collections)

    document(function, sentence, name=f"{name_of_scope}_at_thresholds")
    return described(_AT_THRESHOLDS, labels=_LABELS, predictions=_PREDICTIONS)(function)


true_positives_at_thresholds = _count_at_thresholds(
    "tp", "The weight of the predictions above each threshold, if True."
)
false_negatives_at_thresholds = _count_at_thresholds(
    "fn", "The weight of the predictions not above each threshold, if True."
)
true_negatives_at_thresholds = _count_at_thresholds(
    "tn", "The weight of the predictions not above each threshold, if False."
)
false_positives_at_thresholds = _count_at_thresholds(
    "fp", "The weight of the predictions above each threshold, if False."
)


def _part_at_thresholds(
    key: str,
    prefix: str,
    labels: Any,
    predictions: Any,
    thresholds: Any,
    weights: Any,
    metrics_collections: Any,
    updates_collections: Any,
) -> Pair:
    variables, updates = counts_at_thresholds(labels, predictions, thresholds, weights, includes=("tp", key))
    value, update = (
        arithmetic.div(counts["tp"], EPSILON + counts["tp"] + counts[key], name=f"{prefix}_{name}")
        for counts, name in ((variables, "value"), (updates, "update_op"))
    )
    return collected(value, update, metrics_collections, updates_collections)


@described(_AT_THRESHOLDS, labels=_LABELS, predictions=_PREDICTIONS)
def precision_at_thresholds(
    labels: TensorLike,
    predictions: TensorLike,
    thresholds: Sequence[float],
    weights: TensorLike | None = None,
    metrics_collections: Collections | DictLike | None = None,
    updates_collections: Collections | DictLike | None = None,
    name: str | None = None,
) -> Pair:
    """Returns the part of the predictions above each threshold that are True."""
    with variable_scope(name, "precision_at_thresholds", [predictions, labels, weights]):
        return _part_at_thresholds(
            "fp", "precision", labels, predictions, thresholds, weights, metrics_collections, updates_collections
        )


@described(_AT_THRESHOLDS, labels=_LABELS, predictions=_PREDICTIONS)
def recall_at_thresholds(
    labels: TensorLike,
    predictions: TensorLike,
    thresholds: Sequence[float],
    weights: TensorLike | None = None,
    metrics_collections: Collections | DictLike | None = None,
    updates_collections: Collections | DictLike | None = None,
    name: str | None = None,
) -> Pair:
    """Returns the recall at each threshold."""
    with variable_scope(name, "recall_at_thresholds", [predictions, labels, weights]):
        return _part_at_thresholds(
            "fn", "recall", labels, predictions, thresholds, weights, metrics_collections, updates_collections
        )


def _area_of_interpolated_precision(tp: Any, fp: Any, fn: Any) -> Tensor:
    """Returns the area under the precision-recall curve with positives, not precision, linear between thresholds.

    Source: Davis and Goadrich, The Relationship Between Precision-Recall and ROC Curves, 2006, section 4. Let P = TP +
    FP, with TP linear in P: `TP = intercept + slope P`. Then the precision is `slope + intercept / P`, and its integral
    over an interval is `slope dP + intercept log(P_a / P_b)`. The recall changes by `slope dP / (TP + FN)`.
    """
    positives = tp + fp
    true_gain = tp[:-1] - tp[1:]
    slope = quotient(true_gain, positives[:-1] - positives[1:], "prec_slope")
    intercept = tp[1:] - arithmetic.multiply(slope, positives[1:])
    has_ratio = comparison.logical_and(positives[:-1] > 0, positives[1:] > 0)
    ratio = quotient(positives[:-1], positives[1:], "recall_relative_ratio")
    ratio = indexing.where(has_ratio, ratio, ones_like(positives[1:]))
    increments = quotient(slope * (true_gain + intercept * log(ratio)), tp[1:] + fn[1:], "pr_auc_increment")
    return reduce_sum(increments, name="interpolate_pr_auc")


_HEIGHTS: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "trapezoidal": lambda left, right: (left + right) / 2.0,
    "careful_interpolation": lambda left, right: (left + right) / 2.0,
    "minoring": arithmetic.minimum,
    "majoring": arithmetic.maximum,
}


def _area(counts: dict[str, Any], curve: str, summation_method: str, name: str) -> Tensor:
    tp, fn, tn, fp = (counts[key] for key in ("tp", "fn", "tn", "fp"))
    if curve == "PR":
        if summation_method == "trapezoidal":
            tf_logging.warning(
                'Trapezoidal rule is known to produce incorrect PR-AUCs; please switch to "careful_interpolation" '
                "instead."
            )
        elif summation_method == "careful_interpolation":
            return _area_of_interpolated_precision(tp, fp, fn)
    epsilon = 1.0e-6  # against division by 0
    recall = arithmetic.div(tp + epsilon, tp + fn + epsilon)
    if curve == "ROC":
        x, y = arithmetic.div(fp, fp + tn + epsilon), recall
    else:
        x, y = recall, arithmetic.div(tp + epsilon, tp + fp + epsilon)
    if summation_method not in _HEIGHTS:
        raise ValueError(f"Invalid summation_method: {summation_method}")
    heights = _HEIGHTS[summation_method](y[:-1], y[1:])
    return reduce_sum(arithmetic.multiply(x[:-1] - x[1:], heights), name=name)


@described(
    fails="`curve` or `summation_method` is not one",
    labels=_LABELS,
    predictions=_PREDICTIONS,
    curve='str, "ROC", of recall over the false positive rate, or "PR", of precision over recall.',
    summation_method=(
        '"trapezoidal"; "careful_interpolation", that differs for "PR" and is the better one; "minoring" or\n'
        '            "majoring", a lower or upper bound.'
    ),
    thresholds="list of float, in (0, 1), used in place of even ones; None for `num_thresholds` even ones.",
)
def auc(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike | None = None,
    num_thresholds: int = 200,
    metrics_collections: Collections | None = None,
    updates_collections: Collections | None = None,
    curve: str = "ROC",
    name: str | None = None,
    summation_method: str = "trapezoidal",
    thresholds: Sequence[float] | None = None,
) -> Pair:
    """Returns the area under a curve of points, one for each threshold, as a Riemann sum."""
    with variable_scope(name, "auc", [labels, predictions, weights]):
        if curve not in ("ROC", "PR"):
            raise ValueError(f"curve must be either ROC or PR, {curve} unknown")
        used = even_thresholds(num_thresholds)
        if thresholds is not None:
            used = [used[0], *sorted(thresholds), used[-1]]
        variables, updates = counts_at_thresholds(labels, predictions, used, weights)
        value = _area(variables, curve, summation_method, "value")
        update = _area(updates, curve, summation_method, "update_op")
        return collected(value, update, metrics_collections, updates_collections)


@described(
    fails="`specificity` is not in [0, 1]", labels=_LABELS, predictions=_PREDICTIONS, specificity="float, in [0, 1]."
)
def sensitivity_at_specificity(
    labels: TensorLike,
    predictions: TensorLike,
    specificity: float,
    weights: TensorLike | None = None,
    num_thresholds: int = 200,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Pair:
    """Returns the sensitivity at the threshold whose specificity is nearest to a given
    one.
    """
    if specificity < 0 or specificity > 1:
        raise ValueError("`specificity` must be in the range [0, 1].")
    with variable_scope(name, "sensitivity_at_specificity", [predictions, labels, weights]):
        variables, updates = counts_at_thresholds(labels, predictions, even_thresholds(num_thresholds), weights)

        def sensitivity(counts: dict[str, Any], name: str) -> Tensor:
            tp, fn, tn, fp = (counts[key] for key in ("tp", "fn", "tn", "fp"))
            specificities = arithmetic.div(tn, tn + fp + EPSILON)
            nearest = cast(argmin(absolute(specificities - specificity), 0), dtypes.int32)
            return arithmetic.div(tp[nearest], tp[nearest] + fn[nearest] + EPSILON, name)

        value, update = sensitivity(variables, "value"), sensitivity(updates, "update_op")
        return collected(value, update, metrics_collections, updates_collections)


@described(
    fails="`sensitivity` is not in [0, 1]", labels=_LABELS, predictions=_PREDICTIONS, sensitivity="float, in [0, 1]."
)
def specificity_at_sensitivity(
    labels: TensorLike,
    predictions: TensorLike,
    sensitivity: float,
    weights: TensorLike | None = None,
    num_thresholds: int = 200,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Pair:
    """Returns the specificity at the last threshold whose sensitivity is nearest to a given
    one.
    """
    if sensitivity < 0 or sensitivity > 1:
        raise ValueError("`sensitivity` must be in the range [0, 1].")
    with variable_scope(name, "specificity_at_sensitivity", [predictions, labels, weights]):
        # TF 1.x: here the last threshold is just below 1.
        thresholds = even_thresholds(num_thresholds, last=1.0 - EPSILON)
        variables, updates = counts_at_thresholds(labels, predictions, thresholds, weights)

        def specificity(counts: dict[str, Any], name: str) -> Tensor:
            tp, fn, tn, fp = (counts[key] for key in ("tp", "fn", "tn", "fp"))
            distances = absolute(arithmetic.div(tp, tp + fn + EPSILON) - sensitivity)
            is_nearest = comparison.equal(distances, reduce_min(distances))
            # The first place with the largest count is the last of the nearest ones.
            last = cast(argmax(cumsum(cast(is_nearest, dtypes.int64)), 0), dtypes.int32)
            return arithmetic.div(tn[last], tn[last] + fp[last] + EPSILON, name)

        value, update = specificity(variables, "value"), specificity(updates, "update_op")
        return collected(value, update, metrics_collections, updates_collections)
