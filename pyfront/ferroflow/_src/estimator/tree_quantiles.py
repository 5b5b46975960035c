"""`QuantileAccumulator`: the bucket boundaries of float features, a resource that checkpoints contain."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ferroflow._src.framework.apply import apply_op, tensor_op
from ferroflow._src.framework.default_graph import add_to_collection, control_dependencies, name_scope
from ferroflow._src.framework.graph_keys import GraphKeys
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.framework.saveable import SaveableObject, SaveSpec
from ferroflow._src.framework.trackable import Trackable
from ferroflow._src.variables.resources import register_resource

_OP = "BoostedTreesQuantileStreamResource"


class _BoundariesSaveable(SaveableObject):
    """The bucket boundaries of each stream."""

    def __init__(self, handle: Tensor, create: Operation, boundaries: list[Tensor], name: str) -> None:
        specs = [SaveSpec(tensor, "", f"{name}_bucket_boundaries_{i}") for i, tensor in enumerate(boundaries)]
        super().__init__(handle, specs, name)
        self._handle = handle
        self._create = create

    def restore(self, restored_tensors: Sequence[Any], restored_shapes: Sequence[Any] | None) -> Operation:
        """Sets the boundaries of the streams, which are created before."""
        del restored_shapes
        with control_dependencies([self._create]):
            return apply_op(f"{_OP}Deserialize", [self._handle, list(restored_tensors)])


class QuantileAccumulator(Trackable):
    """Streams of numbers, of which bucket boundaries are made: quantiles with a limited error.

    Args:
        epsilon: float, the greatest error of a rank, as a part of the total weight.
        num_streams: int, the number of streams.
        num_quantiles: int, the number of buckets.
        name: str, the name of the resource.
        max_elements: accepted; a stream's length has no limit.
    """

    def __init__(
        self,
        epsilon: float,
        num_streams: int,
        num_quantiles: int,
        name: str | None = None,
        max_elements: int | None = None,
    ) -> None:
        del max_elements
        self._epsilon = epsilon
        self._num_streams = num_streams
        self._num_quantiles = num_quantiles
        with name_scope(name, "QuantileAccumulator") as scope:
            attrs = {"container": "", "shared_name": scope}
            self._resource_handle = tensor_op(f"{_OP}HandleOp", [], attrs, name=scope)
            values = [self._resource_handle, epsilon, num_streams]
            self._initializer = apply_op("BoostedTreesCreateQuantileStreamResource", values)
            is_initialized = self.is_initialized()
        register_resource(self._resource_handle, self._initializer, is_initialized)
        handle = self._resource_handle
        self._saveable = _BoundariesSaveable(handle, self._initializer, self.get_bucket_boundaries(), handle.name)
        add_to_collection(GraphKeys.SAVEABLE_OBJECTS, self._saveable)

    @property
    def resource_handle(self) -> Tensor:
        """The handle, resource []."""
        return self._resource_handle

    @property
    def initializer(self) -> Operation:
        """The operation that creates the streams; those that exist stay as they are."""
        return self._initializer

    @property
    def saveable(self) -> SaveableObject:
        """The object that savers save."""
        return self._saveable

    def is_initialized(self) -> Tensor:
        """Returns True if the streams have been created, bool []."""
        return tensor_op(f"Is{_OP}Initialized", [self._resource_handle])

    def _gather_saveables_for_checkpoint(self) -> dict[str, Any]:
        return {"quantile_accumulator": lambda name: self._saveable}

    def add_summaries(self, float_columns: Sequence[Any], example_weights: Any) -> Operation:
        """Adds the numbers of a batch to the streams.

        Args:
            float_columns: list of float32 Tensors of shape [batch], one for each stream.
            example_weights: float32 Tensor of shape [batch] or [1], the weights of the examples.

        Returns:
            Operation.
        """
        values = [list(float_columns), example_weights, self._epsilon]
        summaries = list(apply_op("BoostedTreesMakeQuantileSummaries", values).outputs)
        return apply_op(f"{_OP}AddSummaries", [self._resource_handle, summaries])

    def flush(self) -> Operation:
        """Makes boundaries of the numbers in the streams, and empties these.

        Returns:
            Operation.
        """
        return apply_op(f"{_OP}Flush", [self._resource_handle, self._num_quantiles])

    def get_bucket_boundaries(self) -> list[Tensor]:
        """Returns the boundaries of each stream: float32 vectors, empty before they are made."""
        attrs = {"num_features": self._num_streams}
        return list(apply_op(f"{_OP}GetBucketBoundaries", [self._resource_handle], attrs).outputs)
