"""Feature columns of rows for ids: one-hot, learned, and shared by hashes."""

from __future__ import annotations

import math
from collections.abc import MutableMapping
from typing import Any, NamedTuple

from ferroflow._src.base import dtypes
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.contrib.layers.column_base import (
    FeatureColumnOfContrib,
    LazyBuilder,
    check_checkpoint,
    feature_config,
)
from ferroflow._src.contrib.layers.column_lookups import (
    DeepEmbeddingLookupArguments,
    LinearEmbeddingLookupArguments,
    embeddings_of,
)
from ferroflow._src.contrib.layers.inner_flattening import inner_flatten
from ferroflow._src.feature_column.column import DenseColumn
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array.making import one_hot
from ferroflow._src.ops.math.reduction import reduce_sum
from ferroflow._src.ops.parsing.features import VarLenFeature
from ferroflow._src.ops.sparse.converting import sparse_merge, sparse_tensor_to_dense
from ferroflow._src.ops.sparse.shaping import sparse_slice
from ferroflow._src.variables.initializers import TruncatedNormal


class _OneHotFields(NamedTuple):
    sparse_id_column: Any


class _OfIds(FeatureColumnOfContrib, DenseColumn):
    """A column of numbers that are computed from ids."""

    sparse_id_column: Any

    @property
    def config(self) -> dict[str, Any]:
        """The parsing configurations of the features of the ids."""
        return feature_config(self.sparse_id_column)

    def insert_transformed_feature(self, columns_to_tensors: MutableMapping[Any, Any]) -> None:
        """Adds the ids.

        Args:
            columns_to_tensors: dict from keys and columns to Tensors or SparseTensors.
        """
        columns_to_tensors[self] = LazyBuilder(columns_to_tensors).get(self.sparse_id_column)


class _OneHotColumn(_OfIds, _OneHotFields):
    """A column that counts ids."""

    @property
    def name(self) -> str:
        """The name of the ids, with "_one_hot"."""
        return f"{self.sparse_id_column.name}_one_hot"

    @property
    def length(self) -> int:
        """The number of ids."""
        size: int = self.sparse_id_column.length
        return size

    def _to_dnn_input_layer(
        self, input_tensor: Any, weight_collections: Any = None, trainable: bool = False, output_rank: int = 2
    ) -> Tensor:
        ids = inner_flatten(self.sparse_id_column.id_tensor(input_tensor), output_rank)
        weights = self.sparse_id_column.weight_tensor(input_tensor)
        if weights is not None:
            merged = sparse_merge(sp_ids=ids, sp_values=weights, vocab_size=self.length)
            return sparse_tensor_to_dense(sparse_slice(merged, [0, 0], merged.dense_shape))
        dense = sparse_tensor_to_dense(ids, default_value=-1)
        return reduce_sum(one_hot(dense, depth=self.length, on_value=1.0, off_value=0.0), axis=[output_rank - 1])

    @property
    def _variable_shape(self) -> TensorShape:
        return TensorShape([self.length])

    def _get_dense_tensor(self, inputs: Any, weight_collections: Any = None, trainable: Any = None) -> Tensor:
        found: Tensor = inputs.get(self)
        return found

    def _transform_feature(self, inputs: Any) -> Tensor:
        return self._to_dnn_input_layer(inputs.get(self.sparse_id_column))


class _EmbeddingFields(NamedTuple):
    sparse_id_column: Any
    dimension: int
    combiner: str
    initializer: Any
    ckpt_to_load_from: str | None
    tensor_name_in_ckpt: str | None
    shared_embedding_name: str | None
    shared_vocab_size: int | None
    max_norm: float | None
    trainable: bool


def _check_initializer(initializer: Any, where: str) -> None:
    if initializer is not None and not callable(initializer):
        raise ValueError(f"initializer must be callable if specified. {where}")


class _EmbeddingColumn(_OfIds, _EmbeddingFields):
    """A column of learned vectors of ids."""

    _unkeyed = ("initializer",)

    def __new__(
        cls,
        sparse_id_column: Any,
        dimension: int,
        combiner: str = "mean",
        initializer: Any = None,
        ckpt_to_load_from: str | None = None,
        tensor_name_in_ckpt: str | None = None,
        shared_embedding_name: str | None = None,
        shared_vocab_size: int | None = None,
        max_norm: float | None = None,
        trainable: bool = True,
    ) -> Any:
        _check_initializer(initializer, f"Embedding of column_name: {sparse_id_column.name}")
        check_checkpoint(ckpt_to_load_from, tensor_name_in_ckpt)
        start = initializer or TruncatedNormal(mean=0.0, stddev=1 / math.sqrt(sparse_id_column.length))
        return super().__new__(
            cls,
            sparse_id_column,
            dimension,
            combiner,
            start,
            ckpt_to_load_from,
            tensor_name_in_ckpt,
            shared_embedding_name,
            shared_vocab_size,
            max_norm,
            trainable,
        )

    @property
    def name(self) -> str:
        """The name of the ids, with "_embedding" or "_shared_embedding"."""
        ending = "embedding" if self.shared_embedding_name is None else "shared_embedding"
        return f"{self.sparse_id_column.name}_{ending}"

    @property
    def length(self) -> int:
        """The number of ids."""
        size: int = self.sparse_id_column.length if self.shared_vocab_size is None else self.shared_vocab_size
        return size

    def _deep_embedding_lookup_arguments(self, input_tensor: Any) -> DeepEmbeddingLookupArguments:
        return DeepEmbeddingLookupArguments(
            input_tensor=self.sparse_id_column.id_tensor(input_tensor),
            weight_tensor=self.sparse_id_column.weight_tensor(input_tensor),
            vocab_size=self.length,
            initializer=self.initializer,
            combiner=self.combiner,
            dimension=self.dimension,
            shared_embedding_name=self.shared_embedding_name,
            hash_key=None,
            max_norm=self.max_norm,
            trainable=self.trainable,
        )

    def _checkpoint_path(self) -> tuple[str, str] | None:
        if self.ckpt_to_load_from is None or self.tensor_name_in_ckpt is None:
            return None
        return self.ckpt_to_load_from, self.tensor_name_in_ckpt

    def _wide_embedding_lookup_arguments(self, input_tensor: Any) -> LinearEmbeddingLookupArguments:
        raise ValueError(f"Column {self} is not supported in linear models. Please use sparse_column.")

    @property
    def _variable_shape(self) -> TensorShape:
        return TensorShape([self.dimension])

    def _get_dense_tensor(self, inputs: Any, weight_collections: Any = None, trainable: Any = None) -> Tensor:
        arguments = self._deep_embedding_lookup_arguments(inputs.get(self))
        return embeddings_of(self.name, self._checkpoint_path(), arguments, weight_collections, trainable)

    def _transform_feature(self, inputs: Any) -> Any:
        return inputs.get(self.sparse_id_column)


class _ScatteredFields(NamedTuple):
    column_name: str
    size: int
    dimension: int
    hash_key: int | None
    combiner: str
    initializer: Any


class _ScatteredEmbeddingColumn(FeatureColumnOfContrib, DenseColumn, _ScatteredFields):
    """A column of vectors whose elements are at hashes of (value, number of the element) in one vector."""

    _unkeyed = ("initializer",)

    def __new__(
        cls,
        column_name: str,
        size: int,
        dimension: int,
        hash_key: int | None,
        combiner: str = "sqrtn",
        initializer: Any = None,
    ) -> Any:
        _check_initializer(initializer, f"column_name: {column_name}")
        start = initializer or TruncatedNormal(mean=0.0, stddev=0.1)
        return super().__new__(cls, column_name, size, dimension, hash_key, combiner, start)

    @property
    def name(self) -> str:
        """The key of the feature, with "_scattered_embedding"."""
        return f"{self.column_name}_scattered_embedding"

    @property
    def config(self) -> dict[str, Any]:
        """The parsing configuration of the feature."""
        return {self.column_name: VarLenFeature(dtypes.string)}

    def _deep_embedding_lookup_arguments(self, input_tensor: Any) -> DeepEmbeddingLookupArguments:
        return DeepEmbeddingLookupArguments(
            input_tensor=input_tensor,
            weight_tensor=None,
            vocab_size=self.size,
            initializer=self.initializer,
            combiner=self.combiner,
            dimension=self.dimension,
            shared_embedding_name=None,
            hash_key=self.hash_key,
            max_norm=None,
            trainable=True,
        )

    @property
    def _variable_shape(self) -> TensorShape:
        return TensorShape([self.dimension])

    def _get_dense_tensor(self, inputs: Any, weight_collections: Any = None, trainable: Any = None) -> Tensor:
        arguments = self._deep_embedding_lookup_arguments(inputs.get(self))
        return embeddings_of(self.name, self._checkpoint_path(), arguments, weight_collections, trainable)

    def _transform_feature(self, inputs: Any) -> Any:
        return inputs.get(self.column_name)


EmbeddingColumn = _EmbeddingColumn
OneHotColumn = _OneHotColumn
ScatteredEmbeddingColumn = _ScatteredEmbeddingColumn
