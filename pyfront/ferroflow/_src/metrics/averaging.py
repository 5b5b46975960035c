"""Metrics that are means: of values, of errors, of conditions."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import Collections, DictLike, TensorLike
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import control_dependencies
from ferroflow._src.metrics.accumulation import Pair, collected, match_ranks, match_weights, metric_variable, quotient
from ferroflow._src.metrics.description import described
from ferroflow._src.ops.array import indexing, making, shaping
from ferroflow._src.ops.math import arithmetic, comparison
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.confusion_matrix import remove_squeezable_dimensions
from ferroflow._src.ops.math.elementwise import abs as absolute, sqrt
from ferroflow._src.ops.math.reduction import reduce_sum
from ferroflow._src.ops.math.weights_broadcast import broadcast_weights
from ferroflow._src.ops.state.assigning import assign_add
from ferroflow._src.variables.scope import variable_scope


@described()
def mean(
    values: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Collections | None = None,
    updates_collections: Collections | None = None,
    name: str | None = None,
) -> Pair:
    """Returns the weighted mean of all values; 0 before any."""
    with variable_scope(name, "mean", [values, weights]):
        values = cast(values, dtypes.float32)
        total = metric_variable([], dtypes.float32, name="total")
        count = metric_variable([], dtypes.float32, name="count")
        if weights is None:
            number = cast(shaping.size(values), dtypes.float32)
        else:
            weights = broadcast_weights(cast(match_weights(values, weights), dtypes.float32), values)
            values = arithmetic.multiply(values, weights)
            number = reduce_sum(weights)
        update_total = assign_add(total, reduce_sum(values))
        with control_dependencies([values]):
            update_count = assign_add(count, number)
        value = quotient(total, count, "value")
        update = quotient(update_total, update_count, "update_op")
        return collected(value, update, metrics_collections, updates_collections)


@described("Tensors of float32, of the shape of `values`", values="Tensor of a real number dtype, of a known shape.")
def mean_tensor(
    values: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Pair:
    """Returns the weighted mean of each element over the batches; 0 before any."""
    with variable_scope(name, "mean", [values, weights]):
        values = cast(values, dtypes.float32)
        total = metric_variable(values.get_shape(), dtypes.float32, name="total_tensor")
        count = metric_variable(values.get_shape(), dtypes.float32, name="count_tensor")
        number = making.ones_like(values)
        if weights is not None:
            weights = broadcast_weights(cast(match_weights(values, weights), dtypes.float32), values)
            values = arithmetic.multiply(values, weights)
            number = arithmetic.multiply(number, weights)
        update_total = assign_add(total, values)
        with control_dependencies([values]):
            update_count = assign_add(count, number)
        value = quotient(total, count, "value")
        update = quotient(update_total, update_count, "update_op")
        return collected(value, update, metrics_collections, updates_collections)


@described(predictions="Tensor of any dtype and shape.")
def accuracy(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Collections | DictLike | None = None,
    updates_collections: Collections | DictLike | None = None,
    name: str | None = None,
) -> Pair:
    """Returns the fraction of predictions that equal their labels.

    Example:
        >>> labels, predictions = tf.placeholder(tf.int32, [None]), tf.placeholder(tf.int32, [None])
        >>> accuracy, update = tf.metrics.accuracy(labels, predictions)
        >>> sess.run(tf.local_variables_initializer())
        >>> print(sess.run(update, {labels: [1, 0], predictions: [1, 1]}))
        0.5
        >>> print(sess.run(update, {labels: [2, 2], predictions: [2, 2]}))
        0.75
    """
    predictions, labels, weights = match_ranks(predictions, labels, weights)
    if labels.dtype != predictions.dtype:
        predictions = cast(predictions, labels.dtype)
    is_correct = cast(comparison.equal(predictions, labels), dtypes.float32)
    return mean(is_correct, weights, metrics_collections, updates_collections, name or "accuracy")


@described()
def mean_absolute_error(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Collections | DictLike | None = None,
    updates_collections: Collections | DictLike | None = None,
    name: str | None = None,
) -> Pair:
    """Returns the mean of `|predictions - labels|`."""
    predictions, labels, weights = match_ranks(predictions, labels, weights)
    errors = absolute(predictions - labels)
    return mean(errors, weights, metrics_collections, updates_collections, name or "mean_absolute_error")


@described(dim="int, the dimension of the vectors.")
def mean_cosine_distance(
    labels: TensorLike,
    predictions: TensorLike,
    dim: int,
    weights: TensorLike | None = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Pair:
    """Returns the mean of `1 - sum(labels * predictions)` along a dimension: the cosine distance of vectors of length
    1.
    """
    predictions, labels, weights = match_ranks(predictions, labels, weights)
    products = arithmetic.multiply(predictions, labels)
    similarities = reduce_sum(products, axis=[dim], keepdims=True)
    similarity, update = mean(similarities, weights, None, None, name or "mean_cosine_distance")
    distance = arithmetic.subtract(1.0, similarity)
    return collected(distance, arithmetic.subtract(1.0, update), metrics_collections, updates_collections)


@described(normalizer="Tensor of the dtype and shape of `predictions`: what errors are divided by; 0 makes no error.")
def mean_relative_error(
    labels: TensorLike,
    predictions: TensorLike,
    normalizer: Any,
    weights: TensorLike | None = None,
    metrics_collections: Collections | DictLike | None = None,
    updates_collections: Collections | DictLike | None = None,
    name: str | None = None,
) -> Pair:
    """Returns the mean of `|labels - predictions| / normalizer`."""
    predictions, labels, weights = match_ranks(predictions, labels, weights)
    predictions, normalizer = remove_squeezable_dimensions(predictions, normalizer)
    predictions.get_shape().assert_is_compatible_with(normalizer.get_shape())
    errors = indexing.where(
        comparison.equal(normalizer, 0.0),
        making.zeros_like(labels),
        arithmetic.div(absolute(labels - predictions), normalizer),
    )
    return mean(errors, weights, metrics_collections, updates_collections, name or "mean_relative_error")


@described()
def mean_squared_error(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Collections | DictLike | None = None,
    updates_collections: Collections | DictLike | None = None,
    name: str | None = None,
) -> Pair:
    """Returns the mean of `(labels - predictions) ** 2`."""
    predictions, labels, weights = match_ranks(predictions, labels, weights)
    errors = arithmetic.squared_difference(labels, predictions)
    return mean(errors, weights, metrics_collections, updates_collections, name or "mean_squared_error")


@described()
def root_mean_squared_error(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike | None = None,
    metrics_collections: Collections | None = None,
    updates_collections: Collections | None = None,
    name: str | None = None,
) -> Pair:
    """Returns the square root of the mean of `(labels - predictions) ** 2`."""
    predictions, labels, weights = match_ranks(predictions, labels, weights)
    squares, update = mean_squared_error(labels, predictions, weights, name=name or "root_mean_squared_error")
    return collected(sqrt(squares), sqrt(update), metrics_collections, updates_collections)


@described(threshold="float.")
def percentage_below(
    values: TensorLike,
    threshold: Any,
    weights: TensorLike | None = None,
    metrics_collections: Collections | DictLike | None = None,
    updates_collections: Collections | DictLike | None = None,
    name: str | None = None,
) -> Pair:
    """Returns the part of the values that are below a threshold, in [0, 1]."""
    is_below = cast(comparison.less(convert_to_tensor(values), threshold), dtypes.float32)
    return mean(is_below, weights, metrics_collections, updates_collections, name or "percentage_below_threshold")
