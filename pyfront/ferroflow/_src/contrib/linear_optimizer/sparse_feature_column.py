"""`SparseFeatureColumn`: features of examples as lists of numbers."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import TensorLike
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Tensor


class SparseFeatureColumn:
    """The sparse features of a batch of examples.

    Args:
        example_indices: Tensor of int64, of shape [n]: the examples that have the features, sorted.
        feature_indices: Tensor of int64, of shape [n]: the features.
        feature_values: Tensor of float32, of shape [n]; None if all values are 1.

    Example:
        Example 0 has feature 5, and example 2 has feature 6 with the value 0.5.

        >>> column = tf.contrib.linear_optimizer.SparseFeatureColumn([0, 2], [5, 6], [1.0, 0.5])
        >>> print(column.feature_indices.dtype.name, column.feature_values.dtype.name)
        int64 float32
    """

    def __init__(self, example_indices: TensorLike, feature_indices: TensorLike, feature_values: Any) -> None:
        with name_scope(None, "SparseFeatureColumn", [example_indices, feature_indices]):
            self._example_indices = convert_to_tensor(example_indices, dtypes.int64, name="example_indices")
            self._feature_indices = convert_to_tensor(feature_indices, dtypes.int64, name="feature_indices")
        self._feature_values = None
        if feature_values is not None:
            with name_scope(None, "SparseFeatureColumn", [feature_values]):
                self._feature_values = convert_to_tensor(feature_values, dtypes.float32, name="feature_values")

    @property
    def example_indices(self) -> Tensor:
        """The examples that have the features, int64 [n]."""
        return self._example_indices

    @property
    def feature_indices(self) -> Tensor:
        """The features, int64 [n]."""
        return self._feature_indices

    @property
    def feature_values(self) -> Tensor | None:
        """The values of the features, float32 [n]; None if all values are 1."""
        return self._feature_values
