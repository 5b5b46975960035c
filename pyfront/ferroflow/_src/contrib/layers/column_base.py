"""The base of all feature columns of `tf.contrib.layers`, and columns of ids."""

from __future__ import annotations

import abc
from collections.abc import MutableMapping
from typing import Any, Final, NamedTuple

from ferroflow._src.contrib.layers.column_lookups import (
    DeepEmbeddingLookupArguments,
    LinearEmbeddingLookupArguments,
)
from ferroflow._src.contrib.layers.inner_flattening import inner_flatten
from ferroflow._src.feature_column.column import CategoricalColumn, FeatureColumn, IdWeightPair
from ferroflow._src.framework.composite import SparseTensor
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array import shaping
from ferroflow._src.ops.string.encoding import as_string


class _LazyBuilderByColumnsToTensor:
    """The features of a dict, and those that columns compute from them and add to it."""

    def __init__(self, columns_to_tensors: MutableMapping[Any, Any]) -> None:
        self._columns_to_tensors = columns_to_tensors

    def get(self, key: Any) -> Any:
        """Returns a feature, or what a column makes of the features."""
        if key not in self._columns_to_tensors:
            if isinstance(key, str):
                raise ValueError(f"features dictionary doesn't contain key ({key})")
            if not isinstance(key, _FeatureColumn):
                raise TypeError(f'"key" must be either a "str" or "_FeatureColumn". Provided: {key}')
            key.insert_transformed_feature(self._columns_to_tensors)
        return self._columns_to_tensors[key]


class _FeatureColumn(FeatureColumn):
    """Base of these columns."""

    # Fields that are not part of the key.
    _unkeyed: tuple[str, ...] = ()

    @property
    @abc.abstractmethod
    def config(self) -> dict[str, Any]:
        """The parsing configurations of the column's features, by their keys."""

    @property
    def key(self) -> str:
        """A text that identifies the column; columns are sorted by it."""
        fields: tuple[str, ...] = getattr(self, "_fields", ())
        shown = [f"{field}={getattr(self, field)!r}" for field in fields if field not in self._unkeyed]
        return f"{type(self).__name__}({', '.join(shown)})"

    def insert_transformed_feature(self, columns_to_tensors: MutableMapping[Any, Any]) -> None:
        """Adds what the column makes of the features.

        Args:
            columns_to_tensors: dict from keys and columns to Tensors or SparseTensors.
        """
        builder: Any = _LazyBuilderByColumnsToTensor(columns_to_tensors)
        columns_to_tensors[self] = self._transform_feature(builder)

    @property
    def _parse_example_spec(self) -> dict[str, Any]:
        return self.config

    def _to_dnn_input_layer(
        self, input_tensor: Any, weight_collections: Any = None, trainable: bool = True, output_rank: int = 2
    ) -> Tensor:
        raise ValueError("Calling an abstract method.")

    def _deep_embedding_lookup_arguments(self, input_tensor: Any) -> DeepEmbeddingLookupArguments:
        raise NotImplementedError(f"No deep embedding lookup arguments for column {self}.")

    def _wide_embedding_lookup_arguments(self, input_tensor: Any) -> LinearEmbeddingLookupArguments:
        raise NotImplementedError(f"No wide embedding lookup arguments for column {self}.")

    def _to_dense_tensor(self, input_tensor: Any) -> Tensor:
        raise NotImplementedError(f"No dense tensor representation for column {self}.")

    def _checkpoint_path(self) -> tuple[str, str] | None:
        return None


class _SparseIdLookupConfig(NamedTuple):
    """A vocabulary: a file, or keys."""

    vocabulary_file: str | None = None
    keys: tuple[Any, ...] | None = None
    num_oov_buckets: int = 0
    vocab_size: int | None = None
    default_value: int = -1


class _Ids(_FeatureColumn, CategoricalColumn):
    """A column of ids."""

    @property
    @abc.abstractmethod
    def length(self) -> int:
        """The number of ids."""

    def id_tensor(self, input_tensor: Any) -> Any:
        """Returns the ids of a transformed feature."""
        return input_tensor

    def weight_tensor(self, input_tensor: Any) -> Any:
        """Returns the weights of a transformed feature, or None."""
        del input_tensor
        return None

    @property
    def _num_buckets(self) -> int:
        return self.length

    def _get_sparse_tensors(self, inputs: Any, weight_collections: Any = None, trainable: Any = None) -> IdWeightPair:
        transformed = inputs.get(self)
        return IdWeightPair(self.id_tensor(transformed), self.weight_tensor(transformed))

    def _unfit(self, kind: str, advice: str) -> ValueError:
        return ValueError(f"{kind} is not supported in DNN. Please use {advice}. column: {self}")


def _with_values(sparse: SparseTensor, values: Tensor) -> SparseTensor:
    return SparseTensor(sparse.indices, values, sparse.dense_shape)


def _texts(sparse: SparseTensor) -> Tensor:
    return as_string(sparse.values) if sparse.values.dtype.base_dtype.is_integer else sparse.values


def feature_config(column: Any) -> dict[str, Any]:
    """Returns what parses a column's features.

    Raises:
        TypeError: if it is none of these columns.
    """
    if not isinstance(column, _FeatureColumn):
        raise TypeError(f"feature_columns should only contain instances of _FeatureColumn. Given column is {column}")
    return column.config


def reshaped_numbers(tensor: Any, output_rank: int, column_name: str | None = None) -> Any:
    """Returns a feature with a rank: a last dimension of 1 is added, or the last dimensions are joined.

    Args:
        tensor: Tensor of any dtype.
        output_rank: int.
        column_name: str, for messages.

    Returns:
        Tensor of rank `output_rank`.

    Raises:
        ValueError: if more than one dimension lacks.
    """
    rank = tensor.get_shape().ndims
    if rank is not None:
        if output_rank > rank + 1:
            at = "" if column_name is None else f"Error while processing column {column_name}."
            raise ValueError(
                f"{at}Rank of input Tensor ({rank}) should be the same as output_rank ({output_rank}). For example, "
                "sequence data should typically be 3 dimensional (rank 3) while non-sequence data is typically 2 "
                "dimensional (rank 2)."
            )
        if output_rank == rank + 1:
            return shaping.expand_dims(tensor, -1, name="expand_dims")
        if output_rank == rank:
            return tensor
    return inner_flatten(tensor, output_rank)


def check_checkpoint(path: str | None, tensor: str | None) -> None:
    if (path is None) != (tensor is None):
        raise ValueError("Must specify both `ckpt_to_load_from` and `tensor_name_in_ckpt` or none of them.")


FeatureColumnOfContrib = _FeatureColumn
IdColumn = _Ids
LazyBuilder = _LazyBuilderByColumnsToTensor
SparseIdLookupConfig: Final = _SparseIdLookupConfig
texts_of = _texts
with_values = _with_values
