"""Parts of all metrics: their variables, the collections of their results, and matching weights."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base.typing import Collections, DictLike, DTypeLike, ShapeLike, TensorLike
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import add_to_collections
from ferroflow._src.framework.graph_keys import GraphKeys
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array.making import identity, zeros
from ferroflow._src.ops.math.arithmetic import div_no_nan, maximum
from ferroflow._src.ops.math.confusion_matrix import remove_squeezable_dimensions
from ferroflow._src.ops.math.rank_matching import match_rank
from ferroflow._src.variables.synchronization import VariableAggregation, VariableSynchronization
from ferroflow._src.variables.variable import Variable

Pair = tuple[Tensor, Tensor]


def metric_variable(
    shape: ShapeLike, dtype: DTypeLike, validate_shape: bool = True, name: str | None = None
) -> Variable:
    """Makes a variable of zeros in `GraphKeys.LOCAL_VARIABLES` and `GraphKeys.METRIC_VARIABLES`.

    Args:
        shape: its shape.
        dtype: its DType.
        validate_shape: bool, as `tf.Variable`.
        name: str, its name.

    Returns:
        Variable, not trained.
    """
    made: Variable = Variable(
        lambda: zeros(shape, dtype),
        trainable=False,
        collections=[GraphKeys.LOCAL_VARIABLES, GraphKeys.METRIC_VARIABLES],
        validate_shape=validate_shape,
        synchronization=VariableSynchronization.ON_READ,
        aggregation=VariableAggregation.SUM,
        name=name,
    )
    return made


def collected(
    value: Tensor,
    update: Tensor,
    metrics_collections: Collections | DictLike | None,
    updates_collections: Collections | DictLike | None,
) -> Pair:
    """Adds the results of a metric to their collections and returns them."""
    if metrics_collections:
        add_to_collections(metrics_collections, value)
    if updates_collections:
        add_to_collections(updates_collections, update)
    return value, update


def aggregated(variable: Any, metrics_collections: Collections | DictLike | None) -> Tensor:
    """Returns the value of a metric's variable, which is added to collections."""
    value = identity(variable)
    if metrics_collections:
        add_to_collections(metrics_collections, value)
    return value


def quotient(numerator: Any, denominator: Any, name: str | None) -> Tensor:
    """Divides, with 0 if the denominator is 0 or below."""
    return div_no_nan(numerator, maximum(denominator, 0), name=name)


def match_weights(values: Tensor, weights: TensorLike | None) -> Any:
    """Removes or adds a last dimension of weights if their rank differs by one from that of the values."""
    if weights is None:
        return None
    return match_rank(convert_to_tensor(weights), values)


def match_ranks(predictions: Any, labels: Any, weights: Any) -> tuple[Tensor, Tensor, Tensor | None]:
    """Removes a last dimension of predictions or labels if their ranks differ by one, and makes weights match.

    Args:
        predictions: Tensor of any dtype and shape.
        labels: Tensor of any dtype and shape; None to match only the weights, as libraries do at TensorFlow's path.
        weights: Tensor of any dtype and shape, or None.

    Returns:
        (predictions, labels, weights).

    Raises:
        ValueError: if predictions and labels are known to have different shapes.
    """
    if labels is None:
        predictions = convert_to_tensor(predictions)
    else:
        labels, predictions = remove_squeezable_dimensions(labels, predictions)
        predictions.get_shape().assert_is_compatible_with(labels.get_shape())
    return predictions, labels, match_weights(predictions, weights)
