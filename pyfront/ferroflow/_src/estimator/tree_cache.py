"""The state that a training in memory keeps for each example: its features, its place in the trees and its logits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.control_flow.conditional import cond
from ferroflow._src.framework.default_graph import control_dependencies
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.ops.array import making
from ferroflow._src.ops.flow.grouping import group
from ferroflow._src.variables.variable import Variable

# The node of an example that is in no tree yet.
NO_NODE = -1


def tree_variable(initial_value: Any, name: str) -> Any:
    """Returns a variable behind a handle that is not trained and may have any shape."""
    return Variable(initial_value, trainable=False, validate_shape=False, name=name, use_resource=True)


class Places:
    """The tree and the node of each example, and its logits so far.

    Attributes:
        tree_ids: int32 Tensor of shape [batch].
        node_ids: int32 Tensor of shape [batch], -1 for none.
        logits: float32 Tensor of shape [batch, n].
    """

    def __init__(self, batch: Tensor, dimension: int) -> None:
        self.tree_ids: Any = making.zeros([batch], dtype=dtypes.int32)
        self.node_ids: Any = NO_NODE * making.ones([batch], dtype=dtypes.int32)
        self.logits: Any = making.zeros([batch, dimension], dtype=dtypes.float32)


class CachedPlaces(Places):
    """Places that variables keep between steps, whose batches have the same examples."""

    def __init__(self, batch: Tensor, dimension: int) -> None:
        super().__init__(batch, dimension)
        values = {"tree_ids": self.tree_ids, "node_ids": self.node_ids, "logits": self.logits}
        self._variables = [tree_variable(value, f"{name}_cache") for name, value in values.items()]
        self.tree_ids, self.node_ids, self.logits = (variable.read_value() for variable in self._variables)

    def update(self, tree_ids: Tensor, node_ids: Tensor, logits: Tensor) -> Operation:
        """Returns the operation that stores new places."""
        new = zip(self._variables, (tree_ids, node_ids, logits), strict=True)
        return group(*(variable.assign(value) for variable, value in new), name="cache_insert")


def cached_features(
    count: int, batch: Tensor, are_boundaries_ready: Any, transform: Callable[[], list[Tensor]]
) -> list[Tensor]:
    """Returns the features of a batch that is the whole data, as TensorFlow caches them.

    TensorFlow uses its cache as long as the boundaries are not ready; these features have the same values.

    Args:
        count: int, the number of features.
        batch: int32 Tensor of shape [], the number of examples.
        are_boundaries_ready: bool variable.
        transform: callable that returns the features, int32 Tensors of shape [batch].

    Returns:
        list of int32 Tensors of shape [batch].
    """
    zeros = making.zeros([batch], dtype=dtypes.int32)
    kept = [tree_variable(zeros, f"cached_feature_{i}") for i in range(count)]
    are_cached = tree_variable(False, "are_features_cached")

    def cache() -> list[Tensor]:
        features = transform()
        with control_dependencies([v.assign(feature) for v, feature in zip(kept, features, strict=True)]):
            is_set = are_cached.assign(True)
        with control_dependencies([is_set]):
            return [making.identity(feature) for feature in features]

    def with_cache() -> list[Tensor]:
        found: list[Tensor] = cond(are_cached.read_value(), lambda: [v.read_value() for v in kept], cache, strict=True)
        return found

    features: list[Tensor] = cond(are_boundaries_ready.read_value(), transform, with_cache, strict=True)
    return features
