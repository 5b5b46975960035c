"""`compute_weighted_loss`: the losses of elements times their weights, reduced to one number, and how."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import TensorLike
from ferroflow._src.control_flow.weights_broadcast import assert_broadcastable, broadcast_weights
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import control_dependencies, name_scope
from ferroflow._src.framework.graph_keys import GraphKeys
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.framework.replication import note_loss_reduction
from ferroflow._src.losses.collections import add_loss
from ferroflow._src.ops.array import indexing, making, shaping
from ferroflow._src.ops.math import comparison
from ferroflow._src.ops.math.arithmetic import div_no_nan, multiply
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.reduction import reduce_sum


class Reduction:
    """Ways to combine the weighted losses of elements.

    `NONE`: they stay as they are. `SUM`: their sum. `MEAN`: the sum divided by the sum of the weights.
    `SUM_OVER_BATCH_SIZE`: the sum divided by the number of elements. `SUM_BY_NONZERO_WEIGHTS` and
    `SUM_OVER_NONZERO_WEIGHTS`: the sum divided by the number of elements whose weight is not 0.
    """

    NONE = "none"
    SUM = "weighted_sum"
    SUM_OVER_BATCH_SIZE = "weighted_sum_over_batch_size"
    MEAN = "weighted_mean"
    SUM_BY_NONZERO_WEIGHTS = "weighted_sum_by_nonzero_weights"
    SUM_OVER_NONZERO_WEIGHTS = SUM_BY_NONZERO_WEIGHTS

    @classmethod
    def all(cls) -> tuple[str, ...]:
        """Returns the values, one of which an argument `reduction` is."""
        return (
            cls.NONE,
            cls.SUM,
            cls.MEAN,
            cls.SUM_OVER_BATCH_SIZE,
            cls.SUM_OVER_NONZERO_WEIGHTS,
            cls.SUM_BY_NONZERO_WEIGHTS,
        )

    @classmethod
    def validate(cls, key: str) -> None:
        """Checks that a key is one of the values.

        Args:
            key: str, the key.

        Raises:
            ValueError: if `key` is not one of them.
        """
        if key not in cls.all():
            raise ValueError(f"Invalid ReductionKey {key}.")


def number_present(losses: Tensor, weights: TensorLike, per_batch: bool = False) -> Tensor:
    """Counts the elements whose weight is not 0.

    Args:
        losses: Tensor of float32.
        weights: Tensor or number that broadcasts to the shape of `losses`.
        per_batch: bool. If True, each element of the first dimension gets a count of its own.

    Returns:
        Tensor of float32, of shape []; with `per_batch` of shape [batch, 1, ...].
    """
    if isinstance(weights, float) and weights != 0.0:
        return _number_of_elements(losses)
    with name_scope(None, "num_present", [losses, weights]) as scope:
        weights = cast(weights, dtypes.float32)
        is_absent = comparison.equal(weights, 0.0)
        present = indexing.where(is_absent, making.zeros_like(weights), making.ones_like(weights))
        present = broadcast_weights(present, losses)
        if per_batch:
            inner = making.range(1, shaping.rank(present))
            return reduce_sum(present, axis=inner, keepdims=True, name=scope)
        return reduce_sum(present, name=scope)


def _number_of_elements(losses: Tensor) -> Tensor:
    with name_scope(None, "num_elements", [losses]) as scope:
        count: Tensor = cast(shaping.size(losses, name=scope), losses.dtype)
        return count


def _mean(total: Tensor, count: Tensor) -> Tensor:
    # A plain quotient would bring NaN into the gradient of a batch without weights.
    return div_no_nan(reduce_sum(total), count, name="value")


def compute_weighted_loss(
    losses: Any,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """Returns weights the losses of elements and reduces them; the result is put into a collection.

    Args:
        losses: Tensor of a real number dtype, of shape [batch, ...].
        weights: Tensor of shape [], or of the rank of `losses` with each dimension 1 or that of `losses`. Gradients
            flow to it too.
        scope: str, name scope of the operations.
        loss_collection: str, key of the collection, or None.
        reduction: str, of `Reduction`.

    Returns:
        Tensor of the dtype of `losses`, computed in float32: of shape [], for `Reduction.NONE` of the shape of
        `losses`. A step raises `InvalidArgumentError` for weights that do not broadcast.

    Raises:
        ValueError: if the weights are None or known not to broadcast, or `reduction` is not a
            `Reduction`.
    """
    Reduction.validate(reduction)
    with (
        name_scope(scope, "weighted_loss", [losses, weights]),
        control_dependencies([assert_broadcastable(weights, losses)]),
    ):
        losses = convert_to_tensor(losses)
        input_dtype = losses.dtype
        losses = cast(losses, dtypes.float32)
        weights = cast(weights, dtypes.float32)
        loss: Tensor = multiply(losses, weights)
        if reduction != Reduction.NONE:
            loss = reduce_sum(loss)
        if reduction == Reduction.MEAN:
            loss = _mean(loss, reduce_sum(making.ones_like(losses) * weights))
        elif reduction == Reduction.SUM_BY_NONZERO_WEIGHTS:
            loss = _mean(loss, number_present(losses, weights))
        elif reduction == Reduction.SUM_OVER_BATCH_SIZE:
            loss = _mean(loss, _number_of_elements(losses))
        loss = cast(loss, input_dtype)
        note_loss_reduction(reduction)
        add_loss(loss, loss_collection)
        return loss
