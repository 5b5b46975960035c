"""Metrics that keep all values: their concatenation, and areas under curves that need every prediction."""

from __future__ import annotations

from typing import Any, NamedTuple

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import Collections, DictLike, TensorLike
from ferroflow._src.control_flow.conditional import cond
from ferroflow._src.distributions.normal import Normal
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import add_to_collections, control_dependencies
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.metrics.accumulation import Pair, match_ranks, match_weights, metric_variable
from ferroflow._src.metrics.description import described
from ferroflow._src.ops.array import shaping
from ferroflow._src.ops.array.indexing import gather, unique, where
from ferroflow._src.ops.array.joining import concat, stack
from ferroflow._src.ops.array.making import ones_like, zeros, zeros_like
from ferroflow._src.ops.flow.checking import assert_greater_equal, assert_less_equal
from ferroflow._src.ops.flow.grouping import group, no_op
from ferroflow._src.ops.math import comparison
from ferroflow._src.ops.math.arithmetic import minimum, truediv
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.elementwise import abs as absolute, ceil, exp, log, sqrt, square
from ferroflow._src.ops.math.reduction import reduce_max, reduce_min, reduce_sum
from ferroflow._src.ops.math.segment import cumsum, segment_sum
from ferroflow._src.ops.nn.ranking import top_k
from ferroflow._src.ops.state.assigning import assign
from ferroflow._src.variables.scope import variable_scope

__all__ = ["auc_with_confidence_intervals", "streaming_concat", "streaming_dynamic_auc"]

_EPSILON = 1e-7


def _next_array_size(required_size: TensorLike, growth_factor: float = 1.5) -> Tensor:
    """Returns the least power of the growth factor, rounded up, that is at least the required size."""
    required = log(cast(required_size, dtypes.float32))
    exponent = ceil(required / log(cast(growth_factor, dtypes.float32)))
    return cast(ceil(growth_factor**exponent), dtypes.int32)


@described(
    result="Tensor of `values`' dtype, as long along `axis` as all batches; and an int32 Tensor, that length",
    fails="the rank, or a length along another axis, is not known",
    values="Tensor of any dtype, of a known shape but for the axis.",
    axis="int, the axis along which the batches are joined.",
    max_size="int, the greatest length along the axis; what goes beyond is left out. None for no bound.",
)
def streaming_concat(
    values: TensorLike,
    axis: int = 0,
    max_size: int | None = None,
    metrics_collections: Collections | DictLike | None = None,
    updates_collections: Collections | DictLike | None = None,
    name: str | None = None,
) -> Pair:
    """Joins the values of all batches along an axis."""
    with variable_scope(name, "streaming_concat", (values,)):
        batch: Tensor = convert_to_tensor(values)
        if batch.shape.dims is None:
            raise ValueError("`values` must have known statically known rank")
        lengths = batch.shape.as_list()
        rank = len(lengths)
        if not -rank <= axis < rank:
            raise ValueError(f"axis = {axis} not in [0, {rank})")
        axis %= rank
        others = [*lengths[:axis], *lengths[axis + 1 :]]
        if None in others:
            raise ValueError(
                "all dimensions of `values` other than the dimension to concatenate along must have statically known "
                "size"
            )
        # The axis comes first in the variable, so that a batch goes into one piece of it.
        array = metric_variable([max_size or 0, *others], batch.dtype, validate_shape=False, name="array")
        size = metric_variable([], dtypes.int32, name="size")
        used: Tensor = array[:size]
        used.set_shape([None, *others])
        back = [*range(1, axis + 1), 0, *range(axis + 1, rank)]
        value = shaping.transpose(used, back, name="concat")
        added = shaping.shape(batch)[axis]
        if max_size is not None:
            added = minimum(added, max_size - size)
        front = [axis, *range(axis), *range(axis + 1, rank)]
        rows = shaping.transpose(batch, front)[:added]
        new_size = size + added

        def reallocate() -> Operation:
            room = zeros(stack([_next_array_size(new_size) - size, *others]), dtype=batch.dtype)
            with control_dependencies([assign(array, concat([array[:size], room], 0), validate_shape=False)]):
                return no_op()

        capacity = shaping.shape_internal(array, optimize=False)[0]
        has_room = cond(new_size > capacity, reallocate, no_op)
        with control_dependencies([has_room]):
            place: Any = array[size:new_size]
            appended = place.assign(rows)
        with control_dependencies([appended]):
            update = size.assign(new_size)
        if metrics_collections:
            add_to_collections(metrics_collections, value)
        if updates_collections:
            add_to_collections(updates_collections, update)
        return value, update


def _flat(labels: Any, predictions: Any) -> tuple[Tensor, Tensor, list[Any]]:
    """Returns labels as int64 and predictions as float64, of one dimension, and the checks of the labels."""
    flat = shaping.reshape(cast(predictions, dtypes.float64), [-1])
    truth = shaping.reshape(cast(labels, dtypes.int64), [-1])
    checks = [
        assert_greater_equal(truth, zeros_like(truth), message="labels must be 0 or 1, at least one is <0"),
        assert_less_equal(truth, ones_like(truth), message="labels must be 0 or 1, at least one is >1"),
    ]
    return truth, flat, checks


def _area(labels: Tensor, predictions: Tensor, weights: Tensor, curve: str) -> Tensor:
    """Returns the area under the curve whose points are at each value of the predictions."""
    positive = reduce_sum(cast(labels, dtypes.float64) * weights)
    total = reduce_sum(weights)

    def compute() -> Tensor:
        ordered, order = top_k(predictions, k=shaping.size(predictions))
        mass = gather(weights, order)
        true_mass = mass * cast(gather(labels, order), dtypes.float64)
        _, groups = unique(ordered)
        start = zeros([1], dtypes.float64)
        found = concat([start, cumsum(segment_sum(mass, groups))], 0)
        true = concat([start, cumsum(segment_sum(true_mass, groups))], 0)
        recall = truediv(true, positive)
        if curve == "ROC":
            x, y = truediv(found - true, total - positive), recall
        else:
            x, y = recall, where(comparison.greater(found, 0.0), truediv(true, found), ones_like(true))
        return reduce_sum((y[1:] + y[:-1]) / 2.0 * absolute(x[1:] - x[:-1]))

    is_trivial = comparison.logical_or(comparison.equal(positive, 0), comparison.equal(positive, total))
    area: Tensor = cond(is_trivial, lambda: constant(0, dtypes.float64), compute)
    return area


@described(
    result="Tensor of float64, of shape []; and an Operation",
    fails='`curve` is neither "ROC" nor "PR"',
    labels="Tensor of the shape of `predictions`, of 0 and 1.",
    predictions="Tensor of a float dtype, of any shape.",
    curve='str, "ROC" or "PR".',
    weights="Tensor that broadcasts to `labels`; None for 1.",
)
def streaming_dynamic_auc(
    labels: TensorLike,
    predictions: TensorLike,
    curve: str = "ROC",
    metrics_collections: Collections | DictLike | None = (),
    updates_collections: Collections | DictLike | None = (),
    name: str | None = None,
    weights: TensorLike | None = None,
) -> tuple[Tensor, Any]:
    """Returns the area under a curve with each prediction as a threshold; it keeps all labels and predictions."""
    if curve not in ("PR", "ROC"):
        raise ValueError(f"curve must be either ROC or PR, {curve} unknown")
    with variable_scope(name, "dynamic_auc"):
        truth: Tensor = convert_to_tensor(labels)
        given: Tensor = convert_to_tensor(predictions)
        truth.shape.assert_is_compatible_with(given.shape)
        mass = None
        if weights is not None:
            mass = cast(weights, dtypes.float64) * ones_like(given, dtype=dtypes.float64)
            mass = shaping.reshape(mass, [-1])
        truth, given, checks = _flat(truth, given)
        with control_dependencies(checks):
            all_predictions, update_predictions = streaming_concat(given, name="concat_preds")
            all_labels, update_labels = streaming_concat(truth, name="concat_labels")
            updates = [update_labels, update_predictions]
            if mass is None:
                all_weights = ones_like(all_predictions)
            else:
                all_weights, update_weights = streaming_concat(mass, name="concat_weights")
                updates.append(update_weights)
            update = group(*updates)
            value = _area(all_labels, all_predictions, all_weights, curve)
            if updates_collections:
                add_to_collections(updates_collections, update)
            if metrics_collections:
                add_to_collections(metrics_collections, value)
            return value, update


class AucData(NamedTuple):
    """The area under a curve and the ends of its confidence interval: Tensors of shape []."""

    auc: Tensor
    lower: Tensor
    upper: Tensor


def _ratio(numerator: Any, denominator: Any) -> Tensor:
    return truediv(numerator, denominator + _EPSILON)


def _with_confidence(labels: Tensor, predictions: Tensor, weights: Tensor, alpha: float, logit: bool) -> list[Tensor]:
    """Returns the area under the ROC curve and its confidence interval (DeLong's placement values)."""
    descending, order = top_k(predictions, k=shaping.size(predictions))
    ordered, order = shaping.reverse(descending, [0]), shaping.reverse(order, [0])
    mass = gather(weights, order)
    is_true = cast(gather(labels, order), weights.dtype)
    masses = (mass * (1.0 - is_true), mass * is_true)
    totals = tuple(reduce_sum(one) for one in masses)
    _, groups = unique(ordered)

    def placements(other: Tensor) -> Tensor:
        """Returns for each prediction which part of the other class is below it; equal ones count half."""
        mass_there = segment_sum(other, groups)
        below = cumsum(mass_there, exclusive=True)
        return gather(_ratio(below + mass_there / 2.0, reduce_sum(mass_there)), groups)

    # Each prediction of a class has a score: the part of the other class that it is on the right side of.
    scores = ((1.0 - placements(masses[1])) * (1.0 - is_true), placements(masses[0]) * is_true)
    areas = [_ratio(reduce_sum(m * s), n) for m, s, n in zip(masses, scores, totals, strict=True)]
    area: Tensor = where(comparison.less(totals[0], totals[1]), areas[1], areas[0])
    variances = [
        _ratio(reduce_sum(m * square(s - a)), n - 1.0) for m, s, a, n in zip(masses, scores, areas, totals, strict=True)
    ]
    deviation = sqrt(_ratio(variances[0], totals[0]) + _ratio(variances[1], totals[1]))
    quantile = Normal(loc=0.0, scale=1.0).quantile((1.0 - alpha) / 2.0)
    if logit:
        center = log(_ratio(area, 1.0 - area))
        width = quantile * deviation / (area * (1.0 - area + _EPSILON))
        ends = [truediv(1.0, 1.0 + exp(-end) + _EPSILON) for end in (center + width, center - width)]
    else:
        ends = [area + quantile * deviation, area - quantile * deviation]
    # Without variance there is no interval.
    is_sure = comparison.logical_or(comparison.equal(area, ones_like(area)), comparison.equal(area, zeros_like(area)))
    return [area, *(where(is_sure, area, end) for end in ends)]


@described(
    result="(auc, lower, upper), Tensors of float32, of shape []; and an Operation",
    fails="`alpha` is not in (0, 1)",
    labels="Tensor of the shape of `predictions`, of 0 and 1.",
    predictions="Tensor of a float dtype, of any shape.",
    alpha="float in (0, 1), the level of the confidence interval.",
    logit_transformation="bool. If True, the interval is computed of the logit, and stays in [0, 1].",
)
def auc_with_confidence_intervals(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike | None = None,
    alpha: float = 0.95,
    logit_transformation: bool = True,
    metrics_collections: Collections | DictLike | None = (),
    updates_collections: Collections | DictLike | None = (),
    name: str | None = None,
) -> tuple[AucData, Any]:
    """Returns the area under the ROC curve and its confidence interval; it keeps all labels and predictions."""
    if not 0 < alpha < 1:
        raise ValueError(f"alpha must be between 0 and 1; currently {alpha:.02f}")
    if weights is None:
        weights = ones_like(predictions)
    with variable_scope(name, "auc_with_confidence_intervals", [labels, predictions, weights]):
        given, truth, _ = match_ranks(predictions, labels, None)
        mass: Tensor = match_weights(given, weights)
        total = reduce_sum(mass)
        mass = shaping.reshape(mass, [-1])
        truth, given, checks = _flat(truth, given)
        with control_dependencies(checks):
            all_predictions, update_predictions = streaming_concat(given, name="concat_preds")
            all_labels, update_labels = streaming_concat(truth, name="concat_labels")
            all_weights, update_weights = streaming_concat(mass, name="concat_weights")
            updates = group(update_labels, update_predictions, update_weights)
            has_weight = comparison.greater_equal(total, 1.0)
            has_both = comparison.logical_and(
                comparison.equal(reduce_min(truth), 0), comparison.equal(reduce_max(truth), 1)
            )
            update = cond(has_weight, lambda: updates, no_op)
            found = _with_confidence(all_labels, all_predictions, all_weights, alpha, logit_transformation)
            trivial = constant(0.0)
            is_valid = comparison.logical_and(has_both, has_weight)
            value = AucData(*cond(is_valid, lambda: list(found), lambda: [trivial] * 3))
            if updates_collections:
                add_to_collections(updates_collections, update)
            if metrics_collections:
                add_to_collections(metrics_collections, value)
            return value, update
