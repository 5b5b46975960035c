"""Feature columns of words and ids, and ids with weights."""

from __future__ import annotations

import abc
from typing import Any, Final, NamedTuple

from ferroflow._src.base import dtypes, tf_logging
from ferroflow._src.contrib.layers.column_base import (
    IdColumn,
    SparseIdLookupConfig,
    feature_config,
    reshaped_numbers,
    texts_of,
    with_values,
)
from ferroflow._src.contrib.layers.column_lookups import LinearEmbeddingLookupArguments
from ferroflow._src.contrib.layers.sparse_values import dense_to_sparse_tensor
from ferroflow._src.framework.composite import SparseTensor
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.lookup.vocabulary import index_table_from_file, index_table_from_tensor
from ferroflow._src.ops.math.arithmetic import floormod
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.parsing.features import VarLenFeature
from ferroflow._src.ops.sparse.shaping import sparse_concat
from ferroflow._src.ops.string.encoding import as_string
from ferroflow._src.ops.string.hashing import string_to_hash_bucket_fast, string_to_hash_bucket_strong
from ferroflow._src.variables.initializers import Zeros


class _SparseFields(NamedTuple):
    column_name: str
    is_integerized: bool
    bucket_size: int | None
    lookup_config: Any
    combiner: str
    dtype: dtypes.DType


class _SparseColumn(IdColumn, _SparseFields):
    """A column of ids that values are mapped to."""

    def __new__(
        cls,
        column_name: str,
        is_integerized: bool = False,
        bucket_size: int | None = None,
        lookup_config: Any = None,
        combiner: str = "sum",
        dtype: Any = dtypes.string,
    ) -> Any:
        at = f"column_name: {column_name}"
        if is_integerized and bucket_size is None:
            raise ValueError(f"bucket_size must be set if is_integerized is True. {at}")
        if is_integerized and not dtype.is_integer:
            raise ValueError(f"dtype must be an integer if is_integerized is True. dtype: {dtype}, {at}.")
        if dtype != dtypes.string and not dtype.is_integer:
            raise ValueError(f"dtype must be string or integer. dtype: {dtype}, {at}")
        if bucket_size is None and lookup_config is None:
            raise ValueError(f"one of bucket_size or lookup_config must be set. {at}")
        if bucket_size is not None and lookup_config:
            raise ValueError(f"one and only one of bucket_size or lookup_config must be set. {at}")
        if bucket_size is not None and bucket_size < 1:
            raise ValueError(f"bucket_size must be at least 1. bucket_size: {bucket_size}, {at}")
        if lookup_config and not isinstance(lookup_config, SparseIdLookupConfig):
            raise TypeError(
                "lookup_config must be an instance of SparseIdLookupConfig. Given one is in type "
                f"{type(lookup_config)} for {at}"
            )
        if lookup_config and lookup_config.vocabulary_file and lookup_config.vocab_size is None:
            raise ValueError(f"vocab_size must be defined. {at}")
        return super().__new__(cls, column_name, is_integerized, bucket_size, lookup_config, combiner, dtype)

    @property
    def name(self) -> str:
        """The key of the feature."""
        return self.column_name

    @property
    def length(self) -> int:
        """The number of ids."""
        if self.bucket_size is not None:
            return int(self.bucket_size)
        if self.lookup_config is None or self.lookup_config.vocab_size is None:
            raise ValueError(f"vocab_size must be defined. column_name: {self.column_name}")
        size: int = self.lookup_config.vocab_size + self.lookup_config.num_oov_buckets
        return size

    @property
    def config(self) -> dict[str, Any]:
        """The parsing configuration of the feature."""
        return {self.column_name: VarLenFeature(self.dtype)}

    def is_compatible(self, other_column: Any) -> bool:
        """Returns True if another column may share embeddings."""
        if self.lookup_config and other_column.lookup_config:
            return bool(self.lookup_config == other_column.lookup_config)
        are_alike = self.dtype == other_column.dtype or (self.dtype.is_integer and other_column.dtype.is_integer)
        if self.length == other_column.length and are_alike:
            tf_logging.warn(f"Column {self.name} and {other_column.name} may not have the same vocabulary.")
            return True
        return False

    def _to_dnn_input_layer(
        self, input_tensor: Any, weight_collections: Any = None, trainable: bool = True, output_rank: int = 2
    ) -> Tensor:
        raise self._unfit("SparseColumn", "embedding_column or one_hot_column")

    def _wide_embedding_lookup_arguments(self, input_tensor: Any) -> LinearEmbeddingLookupArguments:
        return LinearEmbeddingLookupArguments(
            self.id_tensor(input_tensor), self.weight_tensor(input_tensor), self.length, Zeros(), self.combiner
        )

    def _transform_feature(self, inputs: Any) -> SparseTensor:
        values = inputs.get(self.name)
        if not isinstance(values, SparseTensor):
            ignored = "" if values.dtype == dtypes.string else -1
            values = dense_to_sparse_tensor(reshaped_numbers(values, 2, self.name), ignore_value=ignored)
        return self._do_transform(values)

    @abc.abstractmethod
    def _do_transform(self, input_tensor: SparseTensor) -> SparseTensor:
        """Returns the ids of values."""


class _SparseColumnIntegerized(_SparseColumn):
    """A column of numbers that are ids, modulo a number."""

    def _do_transform(self, input_tensor: SparseTensor) -> SparseTensor:
        size = cast(self.length, input_tensor.values.dtype.base_dtype)
        return with_values(input_tensor, floormod(input_tensor.values, size, name="mod"))


class _SparseColumnHashed(_SparseColumn):
    """A column of ids that are hashes of values."""

    hash_keys: list[list[int]] | None

    def __new__(
        cls,
        column_name: str,
        is_integerized: bool = False,
        bucket_size: int | None = None,
        lookup_config: Any = None,
        combiner: str = "sum",
        dtype: Any = dtypes.string,
        hash_keys: Any = None,
    ) -> Any:
        if hash_keys is not None:
            if not isinstance(hash_keys, list) or not hash_keys:
                raise ValueError("hash_keys must be a non-empty list.")
            if not all(
                isinstance(pair, list) and len(pair) == 2 and all(isinstance(key, int) for key in pair)
                for pair in hash_keys
            ):
                raise ValueError("Each element of hash_keys must be a pair of integers.")
        made = super().__new__(cls, column_name, is_integerized, bucket_size, lookup_config, combiner, dtype)
        made.hash_keys = hash_keys
        return made

    def _do_transform(self, input_tensor: SparseTensor) -> SparseTensor:
        texts = as_string(input_tensor.values) if self.dtype.is_integer else input_tensor.values
        if not self.hash_keys:
            return with_values(input_tensor, string_to_hash_bucket_fast(texts, self.length, name="lookup"))
        hashed = [
            with_values(input_tensor, string_to_hash_bucket_strong(texts, self.length, key)) for key in self.hash_keys
        ]
        return sparse_concat(axis=1, sp_inputs=hashed, name="lookup")


class _SparseColumnKeys(_SparseColumn):
    """A column of ids that are the places of values in a list."""

    def _do_transform(self, input_tensor: SparseTensor) -> SparseTensor:
        config: Any = self.lookup_config
        table = index_table_from_tensor(
            tuple(config.keys), default_value=config.default_value, dtype=self.dtype, name="lookup"
        )
        found: SparseTensor = table.lookup(input_tensor)
        return found


class _SparseColumnVocabulary(_SparseColumn):
    """A column of ids that are the lines of values in a file."""

    def _do_transform(self, input_tensor: SparseTensor) -> SparseTensor:
        config: Any = self.lookup_config
        table = index_table_from_file(
            vocabulary_file=config.vocabulary_file,
            num_oov_buckets=config.num_oov_buckets,
            vocab_size=config.vocab_size,
            default_value=config.default_value,
            name=f"{self.name}_lookup",
        )
        found: SparseTensor = table.lookup(with_values(input_tensor, texts_of(input_tensor)))
        return found


class _WeightedFields(NamedTuple):
    sparse_id_column: Any
    weight_column_name: str
    dtype: dtypes.DType


class _WeightedSparseColumn(IdColumn, _WeightedFields):
    """A column of ids with weights."""

    @property
    def name(self) -> str:
        """The names of both features."""
        return f"{self.sparse_id_column.name}_weighted_by_{self.weight_column_name}"

    @property
    def length(self) -> int:
        """The number of ids."""
        size: int = self.sparse_id_column.length
        return size

    @property
    def config(self) -> dict[str, Any]:
        """The parsing configurations of both features."""
        return {**feature_config(self.sparse_id_column), self.weight_column_name: VarLenFeature(self.dtype)}

    @property
    def lookup_config(self) -> Any:
        """The vocabulary of the ids."""
        return self.sparse_id_column.lookup_config

    def id_tensor(self, input_tensor: Any) -> Any:
        """Returns the ids of a transformed feature."""
        return input_tensor[0]

    def weight_tensor(self, input_tensor: Any) -> Any:
        """Returns the weights of a transformed feature."""
        return input_tensor[1]

    def is_compatible(self, other_column: Any) -> bool:
        """Returns True if another column may share embeddings."""
        other = other_column.sparse_id_column if isinstance(other_column, _WeightedSparseColumn) else other_column
        return bool(self.sparse_id_column.is_compatible(other))

    def _to_dnn_input_layer(
        self, input_tensor: Any, weight_collections: Any = None, trainable: bool = True, output_rank: int = 2
    ) -> Tensor:
        raise self._unfit("WeightedSparseColumn", "embedding_column or one_hot_column")

    def _wide_embedding_lookup_arguments(self, input_tensor: Any) -> LinearEmbeddingLookupArguments:
        ids, weights = self.id_tensor(input_tensor), self.weight_tensor(input_tensor)
        return LinearEmbeddingLookupArguments(ids, weights, self.length, Zeros(), self.sparse_id_column.combiner)

    def _transform_feature(self, inputs: Any) -> tuple[Any, Any]:
        ids, weights = inputs.get(self.sparse_id_column), inputs.get(self.weight_column_name)
        if not isinstance(weights, SparseTensor):
            weights = dense_to_sparse_tensor(weights)
        if not self.dtype.is_floating:
            weights = with_values(weights, cast(weights.values, dtypes.float32))
        return ids, weights


SparseColumn: Final = _SparseColumn
SparseColumnHashed = _SparseColumnHashed
SparseColumnIntegerized = _SparseColumnIntegerized
SparseColumnKeys = _SparseColumnKeys
SparseColumnVocabulary = _SparseColumnVocabulary
WeightedSparseColumn = _WeightedSparseColumn
