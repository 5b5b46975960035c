"""Metrics that count true and false positives and negatives, and precision and recall made of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import Collections, DictLike, TensorLike
from ferroflow._src.framework.default_graph import control_dependencies
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.metrics.accumulation import Pair, collected, match_ranks, metric_variable
from ferroflow._src.metrics.description import described
from ferroflow._src.ops.array import indexing, shaping
from ferroflow._src.ops.array.making import identity
from ferroflow._src.ops.flow import checking
from ferroflow._src.ops.math import arithmetic, comparison
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.reduction import reduce_sum
from ferroflow._src.ops.state.assigning import assign_add
from ferroflow._src.variables.scope import variable_scope

_TRUTH = "Tensor of any shape, cast to bool."


def _as_bools(labels: Any, predictions: Any, weights: Any) -> tuple[Tensor, Tensor, Tensor | None]:
    return match_ranks(cast(predictions, dtypes.bool), cast(labels, dtypes.bool), weights)


def _count(
    labels: Any,
    predictions: Any,
    weights: Any,
    metrics_collections: Any,
    updates_collections: Any,
    label: bool,
    prediction: bool,
) -> Pair:
    """Returns the weight of the elements that have a given label and a given prediction."""
    predictions, labels, weights = _as_bools(labels, predictions, weights)
    holds = comparison.logical_and(comparison.equal(labels, label), comparison.equal(predictions, prediction))
    checking.assert_type(holds, dtypes.bool)
    count = metric_variable([], dtypes.float32, name="count")
    ones = cast(holds, dtypes.float32)
    if weights is not None:
        with control_dependencies([checking.assert_rank_in(weights, (0, shaping.rank(ones)))]):
            weights = cast(weights, dtypes.float32)
            ones = arithmetic.multiply(ones, weights)
    value = identity(count)
    update = assign_add(count, reduce_sum(ones))
    return collected(value, update, metrics_collections, updates_collections)


@described(labels=_TRUTH, predictions=_TRUTH)
def true_positives(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Collections | DictLike | None = None,
    updates_collections: Collections | DictLike | None = None,
    name: str | None = None,
) -> Pair:
    """Returns the total weight of the true positives."""
    with variable_scope(name, "true_positives", [predictions, labels, weights]):
        return _count(labels, predictions, weights, metrics_collections, updates_collections, True, True)


@described(labels=_TRUTH, predictions=_TRUTH)
def true_negatives(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Collections | DictLike | None = None,
    updates_collections: Collections | DictLike | None = None,
    name: str | None = None,
) -> Pair:
    """Returns the total weight of the true negatives."""
    with variable_scope(name, "true_negatives", [predictions, labels, weights]):
        return _count(labels, predictions, weights, metrics_collections, updates_collections, False, False)


@described(labels=_TRUTH, predictions=_TRUTH)
def false_positives(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Collections | DictLike | None = None,
    updates_collections: Collections | DictLike | None = None,
    name: str | None = None,
) -> Pair:
    """Returns the total weight of the false positives."""
    with variable_scope(name, "false_positives", [predictions, labels, weights]):
        return _count(labels, predictions, weights, metrics_collections, updates_collections, False, True)


@described(labels=_TRUTH, predictions=_TRUTH)
def false_negatives(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Collections | DictLike | None = None,
    updates_collections: Collections | DictLike | None = None,
    name: str | None = None,
) -> Pair:
    """Returns the total weight of the false negatives."""
    with variable_scope(name, "false_negatives", [predictions, labels, weights]):
        return _count(labels, predictions, weights, metrics_collections, updates_collections, True, False)


def part_of_sum(
    numerator: Callable[..., Pair],
    other: Callable[..., Pair],
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike | None,
    metrics_collections: Collections | DictLike | None,
    updates_collections: Collections | DictLike | None,
) -> Pair:
    """Returns the quotient of a count and its sum with another; 0 if both are 0.

    Args:
        numerator: the metric that gives the count.
        other: the metric that gives the other.
        labels: Tensor, cast to bool.
        predictions: Tensor, cast to bool.
        weights: Tensor or None.
        metrics_collections: keys of the collections of the value.
        updates_collections: keys of the collections of the update.

    Returns:
        (value, update).
    """
    predictions, labels, weights = _as_bools(labels, predictions, weights)
    count, update_count = numerator(labels, predictions, weights)
    rest, update_rest = other(labels, predictions, weights)

    def part(count: Tensor, rest: Tensor, name: str) -> Tensor:
        total = count + rest
        return indexing.where(comparison.greater(total, 0), arithmetic.div(count, count + rest), 0, name)

    value = part(count, rest, "value")
    update = part(update_count, update_rest, "update_op")
    return collected(value, update, metrics_collections, updates_collections)


@described(labels=_TRUTH, predictions=_TRUTH)
def precision(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Collections | None = None,
    updates_collections: Collections | None = None,
    name: str | None = None,
) -> Pair:
    """Returns the part of the elements predicted True that are True; 0 if none is predicted."""
    with variable_scope(name, "precision", [predictions, labels, weights]):
        return part_of_sum(
            true_positives, false_positives, labels, predictions, weights, metrics_collections, updates_collections
        )


@described(labels=_TRUTH, predictions=_TRUTH)
def recall(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Collections | None = None,
    updates_collections: Collections | None = None,
    name: str | None = None,
) -> Pair:
    """Returns the part of the elements that are True that are predicted True; 0 if none is True."""
    with variable_scope(name, "recall", [predictions, labels, weights]):
        return part_of_sum(
            true_positives, false_negatives, labels, predictions, weights, metrics_collections, updates_collections
        )
