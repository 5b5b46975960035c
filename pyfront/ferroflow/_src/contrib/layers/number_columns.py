"""Feature columns of numbers, and of buckets of numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from ferroflow._src.base import dtypes
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.contrib.layers.column_base import FeatureColumnOfContrib, reshaped_numbers, with_values
from ferroflow._src.contrib.layers.column_lookups import LinearEmbeddingLookupArguments
from ferroflow._src.feature_column.column import CategoricalColumn, DenseColumn, IdWeightPair
from ferroflow._src.framework.apply import tensor_op
from ferroflow._src.framework.composite import SparseTensor
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array import shaping
from ferroflow._src.ops.array.joining import stack
from ferroflow._src.ops.array.making import one_hot, range as number_range
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.parsing.features import FixedLenFeature, FixedLenSequenceFeature, VarLenFeature
from ferroflow._src.variables.initializers import Zeros


def _floats(tensor: Any) -> Any:
    if isinstance(tensor, SparseTensor):
        return with_values(tensor, cast(tensor.values, dtypes.float32))
    return cast(tensor, dtypes.float32)


class _VarLenFields(NamedTuple):
    column_name: str
    default_value: Any
    dtype: dtypes.DType
    normalizer: Callable[[Any], Any] | None
    is_sparse: bool


class _RealValuedVarLenColumn(FeatureColumnOfContrib, _VarLenFields):
    """A column of numbers, of another length in each example."""

    _unkeyed = ("normalizer",)

    @property
    def name(self) -> str:
        """The key of the feature."""
        return self.column_name

    @property
    def normalizer_fn(self) -> Callable[[Any], Any] | None:
        """The function of the numbers, or None."""
        return self.normalizer

    @property
    def config(self) -> dict[str, Any]:
        """The parsing configuration of the feature."""
        if self.is_sparse:
            return {self.column_name: VarLenFeature(self.dtype)}
        feature = FixedLenSequenceFeature([], self.dtype, allow_missing=True, default_value=self.default_value)
        return {self.column_name: feature}

    def _transform_feature(self, inputs: Any) -> Any:
        values = inputs.get(self.name)
        if self.normalizer is not None and self.is_sparse:
            values = with_values(values, self.normalizer(values.values))
        elif self.normalizer is not None:
            values = self.normalizer(values)
        return _floats(values)

    def _to_dnn_input_layer(
        self, input_tensor: Any, weight_collections: Any = None, trainable: bool = True, output_rank: int = 2
    ) -> Tensor:
        dense: Tensor = reshaped_numbers(self._to_dense_tensor(input_tensor), output_rank, self.name)
        return dense

    def _to_dense_tensor(self, input_tensor: Any) -> Tensor:
        if self.is_sparse:
            raise ValueError(f"Set is_sparse to False if you want a dense Tensor for column_name: {self.name}")
        dense: Tensor = input_tensor
        return dense


class _RealFields(NamedTuple):
    column_name: str
    dimension: int
    default_value: tuple[Any, ...] | None
    dtype: dtypes.DType
    normalizer: Callable[[Any], Any] | None


class _RealValuedColumn(FeatureColumnOfContrib, DenseColumn, _RealFields):
    """A column of numbers."""

    _unkeyed = ("normalizer",)

    def __new__(cls, column_name: str, dimension: int, default_value: Any, dtype: Any, normalizer: Any) -> Any:
        default = None if default_value is None else tuple(default_value)
        return super().__new__(cls, column_name, dimension, default, dtype, normalizer)

    @property
    def name(self) -> str:
        """The key of the feature."""
        return self.column_name

    @property
    def normalizer_fn(self) -> Callable[[Any], Any] | None:
        """The function of the numbers, or None."""
        return self.normalizer

    @property
    def config(self) -> dict[str, Any]:
        """The parsing configuration of the feature."""
        default = None if self.default_value is None else list(self.default_value)
        return {self.column_name: FixedLenFeature([self.dimension], self.dtype, default)}

    def _transform_feature(self, inputs: Any) -> Any:
        values = inputs.get(self.name)
        return _floats(values if self.normalizer is None else self.normalizer(values))

    def _to_dnn_input_layer(
        self, input_tensor: Any, weight_collections: Any = None, trainable: bool = True, output_rank: int = 2
    ) -> Tensor:
        floats = input_tensor if input_tensor.dtype == dtypes.float32 else _floats(input_tensor)
        dense: Tensor = reshaped_numbers(floats, output_rank, self.name)
        return dense

    def _to_dense_tensor(self, input_tensor: Any) -> Tensor:
        dense: Tensor = input_tensor
        return dense

    @property
    def _variable_shape(self) -> TensorShape:
        return TensorShape([self.dimension])

    def _get_dense_tensor(self, inputs: Any, weight_collections: Any = None, trainable: Any = None) -> Tensor:
        found: Tensor = inputs.get(self)
        return found


class _BucketizedFields(NamedTuple):
    source_column: Any
    boundaries: tuple[Any, ...]


class _BucketizedColumn(FeatureColumnOfContrib, CategoricalColumn, DenseColumn, _BucketizedFields):
    """A column of ids that are the ranges of numbers."""

    def __new__(cls, source_column: Any, boundaries: Any) -> Any:
        if not isinstance(source_column, _RealValuedColumn):
            raise TypeError(f"source_column must be an instance of _RealValuedColumn. source_column: {source_column}")
        if not isinstance(boundaries, (list, tuple)) or not boundaries:
            raise ValueError(f"boundaries must be a non-empty list or tuple. boundaries: {boundaries}")
        if list(boundaries) != sorted(boundaries):
            raise ValueError(f"boundaries must be a sorted list. boundaries: {boundaries}")
        return super().__new__(cls, source_column, tuple(dict.fromkeys(boundaries)))

    @property
    def name(self) -> str:
        """The name of the numbers, with "_bucketized"."""
        return f"{self.source_column.name}_bucketized"

    @property
    def length(self) -> int:
        """The number of ranges."""
        return len(self.boundaries) + 1

    @property
    def config(self) -> dict[str, Any]:
        """The parsing configuration of the numbers."""
        parsed: dict[str, Any] = self.source_column.config
        return parsed

    def to_sparse_tensor(self, input_tensor: Tensor) -> SparseTensor:
        """Returns the ids of ranges.

        Args:
            input_tensor: Tensor of int32, of shape [batch, dimension].

        Returns:
            SparseTensor of int32, of the same shape.
        """
        dimension = self.source_column.dimension
        batch = shaping.shape(input_tensor, name="shape")[0]
        rows = shaping.reshape(shaping.tile(number_range(0, batch)[:, None], [1, dimension]), [-1])
        columns = shaping.tile(number_range(0, dimension), [batch], name="tile")
        ids = shaping.reshape(input_tensor, [-1], name="reshape") + self.length * columns
        indices = cast(shaping.transpose(stack((rows, columns))), dtypes.int64)
        return SparseTensor(indices, ids, cast(stack([batch, dimension]), dtypes.int64))

    def _to_dnn_input_layer(
        self, input_tensor: Any, weight_collections: Any = None, trainable: bool = True, output_rank: int = 2
    ) -> Tensor:
        if output_rank != 2:
            raise ValueError("BucketizedColumn currently only supports output_rank=2")
        encoded = one_hot(cast(input_tensor, dtypes.int64), self.length, 1.0, 0.0, name="one_hot")
        return shaping.reshape(encoded, [-1, self._num_buckets], name="reshape")

    def _wide_embedding_lookup_arguments(self, input_tensor: Any) -> LinearEmbeddingLookupArguments:
        ids = self.to_sparse_tensor(input_tensor)
        return LinearEmbeddingLookupArguments(ids, None, self._num_buckets, Zeros(), "sum")

    def _transform_feature(self, inputs: Any) -> Tensor:
        numbers = inputs.get(self.source_column)
        return tensor_op("Bucketize", [numbers], {"boundaries": list(self.boundaries)}, name="bucketize")

    @property
    def _num_buckets(self) -> int:
        number: int = self.length * self.source_column.dimension
        return number

    def _get_sparse_tensors(self, inputs: Any, weight_collections: Any = None, trainable: Any = None) -> IdWeightPair:
        return IdWeightPair(self.to_sparse_tensor(inputs.get(self)), None)

    @property
    def _variable_shape(self) -> TensorShape:
        return TensorShape([self._num_buckets])

    def _get_dense_tensor(self, inputs: Any, weight_collections: Any = None, trainable: Any = None) -> Tensor:
        return self._to_dnn_input_layer(inputs.get(self))


BucketizedColumn: Final = _BucketizedColumn
RealValuedColumn = _RealValuedColumn
RealValuedVarLenColumn = _RealValuedVarLenColumn
