"""Losses of a replica, scaled so that their sum over all replicas is the loss of the whole batch."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import TensorLike
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import control_dependencies
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.framework.replication import current_mode
from ferroflow._src.ops.array.shaping import shape
from ferroflow._src.ops.flow.checking import assert_rank_at_least
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.rank_matching import match_rank
from ferroflow._src.ops.math.reduction import reduce_sum


def compute_average_loss(
    per_example_loss: TensorLike, sample_weight: TensorLike | None = None, global_batch_size: Any = None
) -> Any:
    """Returns the sum of the examples' losses, divided by the number of examples of all replicas.

    Args:
        per_example_loss: Tensor of a float dtype, of shape [batch, ...].
        sample_weight: Tensor of numbers, of a shape that broadcasts to the losses; None for 1.
        global_batch_size: int or float, the number of examples of all replicas; None for those of this replica times
            the number of replicas.

    Returns:
        Tensor of the dtype of `per_example_loss`, of shape [].

    Raises:
        ValueError: if the losses are known to be a scalar.
        RuntimeError: if it is called in the scope of a strategy, but not by a replica.
    """
    losses: Any = convert_to_tensor(per_example_loss)
    rank, dtype = losses.shape.ndims, losses.dtype
    if rank == 0:
        raise ValueError(
            f"Invalid value passed for `per_example_loss`. Expected a tensor with at least rank 1, received: {losses}"
        )
    message = "Invalid value passed for `per_example_loss`. Expected a tensor with at least rank 1."
    with control_dependencies([] if rank else [assert_rank_at_least(losses, 1, message=message)]):
        if sample_weight is not None:
            weights = cast(sample_weight, dtypes.float32)
            wide = cast(losses, dtypes.float32)
            losses = wide * match_rank(weights, wide)
        losses = cast(losses, dtype)
        if global_batch_size is None:
            count = shape(losses)[0] * _replicas("compute_average_loss")
            global_batch_size = cast(count, dtype)
        return reduce_sum(losses) / global_batch_size


def scale_regularization_loss(regularization_loss: TensorLike) -> Any:
    """Returns the sum of losses of weights, divided by the number of replicas.

    Args:
        regularization_loss: Tensor of a float dtype and any shape, or list of them.

    Returns:
        Tensor of a float dtype, of shape [].

    Raises:
        RuntimeError: if it is called in the scope of a strategy, but not by a replica.
    """
    replicas = _replicas("scale_regularization_loss")
    total: Tensor = reduce_sum(regularization_loss) / replicas
    return total


def _replicas(function: str) -> int:
    mode = current_mode()
    if mode is None:
        return 1
    if mode.replica is None:
        raise RuntimeError(
            f"You are calling `{function}` in cross replica context, while it was expected to be called in replica "
            "context."
        )
    return int(mode.strategy.num_replicas_in_sync)
