"""A model that several processes train together: the part of each batch that one of them computes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.framework.composite import IndexedSlices
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.framework.replication import ReduceOp, current_mode
from ferroflow._src.keras.batches import Batch, part_of
from ferroflow._src.ops.array.making import placeholder_with_default
from ferroflow._src.ops.math.cast import cast


def compiling_strategy() -> Any:
    """Returns the strategy in whose scope the code runs, if it has several replicas; else None."""
    mode = current_mode()
    if mode is None or mode.strategy.num_replicas_in_sync == 1 or not mode.strategy.extended.trains_jointly:
        return None
    return mode.strategy


class ReplicaPart:
    """The part of a model's batches that this process computes.

    A replica's loss is multiplied by its share of the batch's examples. The sum over all replicas is then the mean
    over the batch, also if the replicas have different numbers of examples.

    Args:
        strategy: Strategy with several replicas.
    """

    def __init__(self, strategy: Any) -> None:
        self.strategy = strategy
        self._replicas = strategy.extended.replicas
        self.share: Tensor = placeholder_with_default(1.0 / self._replicas.size, [], name="replica_share")

    def training(self, build: Callable[[], list[Any]]) -> list[Any]:
        """Returns the result of a function in which optimizers add up the gradients of all replicas.

        Args:
            build: callable without arguments, which builds operations.
        """
        return list(self.strategy.experimental_run_v2(build))

    def of_batch(self, batch: Batch) -> tuple[Batch, float]:
        """Returns this replica's examples of a batch, and their share.

        Args:
            batch: inputs, labels and weights: arrays of shape [batch, ...].
        """
        rank, size = self._replicas
        inputs, labels, _ = batch
        count = next((len(array) for array in [*inputs, *labels]), 0)
        if count < size:
            # A mean over no examples would be no number.
            return batch, 1.0 / size
        begin, end = rank * count // size, (rank + 1) * count // size
        return part_of(batch, slice(begin, end)), (end - begin) / count

    def scaled(self, loss: Any) -> Tensor:
        """Returns a loss times this replica's share.

        Args:
            loss: Tensor of a float dtype and of shape [].
        """
        scaled: Tensor = loss * cast(self.share, loss.dtype)
        return scaled

    def together(self, values: list[Any]) -> list[Any]:
        """Returns the means over the batch of values that are means over this replica's examples.

        Args:
            values: list of Tensors of number dtypes and of shape [].
        """
        floats = [value if value.dtype.is_floating else cast(value, dtypes.float32) for value in values]
        with self.strategy.scope():
            return [self.strategy.reduce(ReduceOp.SUM, self.scaled(value)) for value in floats]


def summed_over_replicas(gradients: list[Any]) -> list[Any]:
    """Returns the sums of gradients over all replicas, in the scope of a strategy; elsewhere the gradients.

    Args:
        gradients: list of Tensors or IndexedSlices of float dtypes and any shapes.
    """
    mode = current_mode()
    if mode is None:
        return gradients
    dense = [convert_to_tensor(g) if isinstance(g, IndexedSlices) else g for g in gradients]
    if mode.replica is not None:
        return list(mode.replica.all_reduce(ReduceOp.SUM, dense))
    return list(mode.strategy.extended.batch_reduce_to(ReduceOp.SUM, [(g, g) for g in dense]))
