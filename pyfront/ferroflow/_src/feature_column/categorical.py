"""Columns of ids: hashed, from a vocabulary, given as they are, weighted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ferroflow._src.base import dtypes, tf_logging
from ferroflow._src.base.files.file import GFile
from ferroflow._src.base.files.system import exists
from ferroflow._src.base.typing import DTypeLike
from ferroflow._src.feature_column.column import (
    CategoricalColumn,
    IdWeightPair,
    TransformedFeatures,
    check_key,
    check_string_or_int,
    to_sparse_input,
)
from ferroflow._src.framework.composite import SparseTensor, convert_to_tensor_or_sparse_tensor
from ferroflow._src.framework.default_graph import control_dependencies
from ferroflow._src.ops.array import indexing, making, shaping
from ferroflow._src.ops.flow.checking import assert_greater_equal, assert_less
from ferroflow._src.ops.lookup.vocabulary import index_table_from_file, index_table_from_tensor
from ferroflow._src.ops.math import comparison
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.parsing.features import VarLenFeature
from ferroflow._src.ops.string.encoding import as_string
from ferroflow._src.ops.string.hashing import string_to_hash_bucket_fast


def _of_one_kind(inputs: TransformedFeatures, key: str, dtype: Any) -> SparseTensor:
    """Returns the values of a feature, checked to be strings or integers as the column says."""
    values = to_sparse_input(inputs.get(key))
    check_string_or_int(values.dtype, f"column_name: {key} input_tensor")
    if dtype.is_integer != values.dtype.is_integer:
        raise ValueError(
            f"Column dtype and SparseTensors dtype must be compatible. key: {key}, column dtype: {dtype}, tensor "
            f"dtype: {values.dtype}"
        )
    return values


class _IdColumn(CategoricalColumn):
    """A column whose transformed feature is its ids, without weights."""

    key: str

    @property
    def name(self) -> str:
        """The feature's key."""
        return self.key

    def _get_sparse_tensors(
        self, inputs: TransformedFeatures, weight_collections: Any = None, trainable: Any = None
    ) -> IdWeightPair:
        return IdWeightPair(inputs.get(self), None)


class _ValueColumn(_IdColumn):
    """A column that converts strings or integers to ids."""

    dtype: Any

    @property
    def _parse_example_spec(self) -> dict[str, Any]:
        return {self.key: VarLenFeature(self.dtype)}


class _HashedFields(NamedTuple):
    key: str
    hash_bucket_size: int
    dtype: Any


class HashedCategoricalColumn(_ValueColumn, _HashedFields):
    """Column of values hashed to ids; `categorical_column_with_hash_bucket` makes it."""

    def _transform_feature(self, inputs: TransformedFeatures) -> SparseTensor:
        values = _of_one_kind(inputs, self.key, self.dtype)
        texts = values.values if self.dtype == dtypes.string else as_string(values.values)
        ids = string_to_hash_bucket_fast(texts, self.hash_bucket_size, name="lookup")
        return SparseTensor(values.indices, ids, values.dense_shape)

    @property
    def _num_buckets(self) -> int:
        return self.hash_bucket_size


class _VocabularyFileFields(NamedTuple):
    key: str
    vocabulary_file: str
    vocabulary_size: int
    num_oov_buckets: int
    dtype: Any
    default_value: int


class VocabularyFileCategoricalColumn(_ValueColumn, _VocabularyFileFields):
    """Column of values as their lines in a file; `categorical_column_with_vocabulary_file` makes it."""

    def _transform_feature(self, inputs: TransformedFeatures) -> Any:
        values, key_dtype = _table_keys(inputs, self.key, self.dtype)
        table = index_table_from_file(
            vocabulary_file=self.vocabulary_file,
            num_oov_buckets=self.num_oov_buckets,
            vocab_size=self.vocabulary_size,
            default_value=self.default_value,
            key_dtype=key_dtype,
            name=f"{self.key}_lookup",
        )
        return table.lookup(values)

    @property
    def _num_buckets(self) -> int:
        return self.vocabulary_size + self.num_oov_buckets


class _VocabularyListFields(NamedTuple):
    key: str
    vocabulary_list: tuple[Any, ...]
    dtype: Any
    default_value: int
    num_oov_buckets: int


class VocabularyListCategoricalColumn(_ValueColumn, _VocabularyListFields):
    """Column of values as their positions in a list; `categorical_column_with_vocabulary_list` makes it."""

    def _transform_feature(self, inputs: TransformedFeatures) -> Any:
        values, key_dtype = _table_keys(inputs, self.key, self.dtype)
        table = index_table_from_tensor(
            vocabulary_list=self.vocabulary_list,
            default_value=self.default_value,
            num_oov_buckets=self.num_oov_buckets,
            dtype=key_dtype,
            name=f"{self.key}_lookup",
        )
        return table.lookup(values)

    @property
    def _num_buckets(self) -> int:
        return len(self.vocabulary_list) + self.num_oov_buckets


def _table_keys(inputs: TransformedFeatures, key: str, dtype: Any) -> tuple[SparseTensor, Any]:
    """Returns a feature's values, converted for the lookup table, and their DType."""
    values = _of_one_kind(inputs, key, dtype)
    if not values.dtype.is_integer:
        return values, dtype
    return SparseTensor(values.indices, cast(values.values, dtypes.int64), values.dense_shape), dtypes.int64


class _IdentityFields(NamedTuple):
    key: str
    num_buckets: int
    default_value: int | None


class IdentityCategoricalColumn(_IdColumn, _IdentityFields):
    """Column of values that are ids; `categorical_column_with_identity` makes it."""

    @property
    def _parse_example_spec(self) -> dict[str, Any]:
        return {self.key: VarLenFeature(dtypes.int64)}

    def _transform_feature(self, inputs: TransformedFeatures) -> SparseTensor:
        given = to_sparse_input(inputs.get(self.key))
        if not given.dtype.is_integer:
            raise ValueError(f"Invalid input, not integer. key: {self.key} dtype: {given.dtype}")
        ids = cast(given.values, dtypes.int64, name="values")
        count = cast(self.num_buckets, dtypes.int64, name="num_buckets")
        zero = cast(0, dtypes.int64, name="zero")
        if self.default_value is None:
            checks = [
                assert_less(
                    ids,
                    count,
                    data=(ids, count),
                    message=f'Bucket index for categorical column "{self.name}" exceeds number of buckets',
                    name="assert_less_than_num_buckets",
                ),
                assert_greater_equal(
                    ids,
                    zero,
                    data=(ids,),
                    message=f'Negative bucket index for categorical column "{self.name}"',
                    name="assert_greater_or_equal_0",
                ),
            ]
            with control_dependencies(checks):
                ids = making.identity(ids)
        else:
            is_outside = comparison.logical_or(ids < zero, ids >= count, name="out_of_range")
            default = making.fill(shaping.shape(ids), cast(self.default_value, dtypes.int64), name="default_values")
            ids = indexing.where(is_outside, default, ids)
        return SparseTensor(given.indices, ids, given.dense_shape)

    @property
    def _num_buckets(self) -> int:
        return self.num_buckets


class _WeightedFields(NamedTuple):
    categorical_column: Any
    weight_feature_key: str
    dtype: Any


class WeightedCategoricalColumn(CategoricalColumn, _WeightedFields):
    """Column of another column's ids with weights; `weighted_categorical_column` makes it."""

    @property
    def name(self) -> str:
        """The name of the ids with `_weighted_by_` and the key of the weights."""
        return f"{self.categorical_column.name}_weighted_by_{self.weight_feature_key}"

    @property
    def _parse_example_spec(self) -> dict[str, Any]:
        spec: dict[str, Any] = self.categorical_column._parse_example_spec
        if self.weight_feature_key in spec:
            raise ValueError(
                f"Parse config {spec[self.weight_feature_key]} already exists for {self.weight_feature_key}."
            )
        return {**spec, self.weight_feature_key: VarLenFeature(self.dtype)}

    @property
    def _num_buckets(self) -> int:
        count: int = self.categorical_column._num_buckets
        return count

    def _transform_feature(self, inputs: TransformedFeatures) -> Any:
        weights = inputs.get(self.weight_feature_key)
        if weights is None:
            raise ValueError(f"Missing weights {self.weight_feature_key}.")
        weights = convert_to_tensor_or_sparse_tensor(weights)
        if self.dtype != weights.dtype.base_dtype:
            raise ValueError(f"Bad dtype, expected {self.dtype}, but got {weights.dtype}.")
        # A weight of 0 leaves its value out, as the value that stands for none does.
        weights = to_sparse_input(weights, ignore_value=0.0)
        if not weights.dtype.is_floating:
            weights = SparseTensor(weights.indices, cast(weights.values, dtypes.float32), weights.dense_shape)
        return inputs.get(self.categorical_column), weights

    def _get_sparse_tensors(
        self, inputs: TransformedFeatures, weight_collections: Any = None, trainable: Any = None
    ) -> IdWeightPair:
        ids, weights = inputs.get(self)
        return IdWeightPair(ids, weights)


def categorical_column_with_hash_bucket(
    key: str, hash_bucket_size: int, dtype: DTypeLike = dtypes.string
) -> HashedCategoricalColumn:
    """Returns a column of values that are hashed to ids.

    Args:
        key: str, the feature's key, which is the column's name.
        hash_bucket_size: int, the number of ids.
        dtype: DType of the feature: string, or of integers.

    Returns:
        A categorical feature column.

    Raises:
        ValueError: if `key` is no str, `hash_bucket_size` is not positive, or `dtype` is neither string nor an integer
            dtype.
    """
    check_key(key)
    if hash_bucket_size is None:
        raise ValueError(f"hash_bucket_size must be set. key: {key}")
    if hash_bucket_size < 1:
        raise ValueError(f"hash_bucket_size must be at least 1. hash_bucket_size: {hash_bucket_size}, key: {key}")
    check_string_or_int(dtype, f"column_name: {key}")
    return HashedCategoricalColumn(key, hash_bucket_size, dtype)


def categorical_column_with_vocabulary_file(
    key: str,
    vocabulary_file: str,
    vocabulary_size: int | None = None,
    num_oov_buckets: int | None = 0,
    default_value: int | None = None,
    dtype: DTypeLike = dtypes.string,
) -> VocabularyFileCategoricalColumn:
    """Returns a column of values whose ids are their lines in a file, from 0.

    Args:
        key: str, the feature's key, which is the column's name.
        vocabulary_file: str, the file's name.
        vocabulary_size: int, the number of lines that count; None for all.
        num_oov_buckets: int, the number of ids, after those of the lines, that other values are hashed to.
        default_value: int, the id of other values; None for -1, which leaves them out.
        dtype: DType of the feature: string, or of integers.

    Returns:
        A categorical feature column.

    Raises:
        ValueError: if there is no file, or a number is out of its range. Also if both `num_oov_buckets` and
            `default_value` are given, `key` is no str, or `dtype` is neither string nor an integer dtype.
    """
    check_key(key)
    if not vocabulary_file:
        raise ValueError(f"Missing vocabulary_file in {key}.")
    if vocabulary_size is None:
        if not exists(vocabulary_file):
            raise ValueError(f"vocabulary_file in {key} does not exist.")
        with GFile(vocabulary_file, "rb") as file:
            vocabulary_size = sum(1 for _ in file)
        tf_logging.info(
            "vocabulary_size = %d in %s is inferred from the number of elements in the vocabulary_file %s.",
            vocabulary_size,
            key,
            vocabulary_file,
        )
    if vocabulary_size < 1:
        raise ValueError(f"Invalid vocabulary_size in {key}.")
    if num_oov_buckets and default_value is not None:
        raise ValueError(f"Can't specify both num_oov_buckets and default_value in {key}.")
    _check_spare_ids(key, num_oov_buckets)
    check_string_or_int(dtype, f"column_name: {key}")
    return VocabularyFileCategoricalColumn(
        key,
        vocabulary_file,
        vocabulary_size,
        num_oov_buckets or 0,
        dtype,
        -1 if default_value is None else default_value,
    )


def categorical_column_with_vocabulary_list(
    key: str,
    vocabulary_list: Sequence[Any] | np.ndarray[Any, Any],
    dtype: dtypes.DType | None = None,
    default_value: int = -1,
    num_oov_buckets: int = 0,
) -> VocabularyListCategoricalColumn:
    """Returns a column of values whose ids are their places in a list, from 0.

    Args:
        key: str, the feature's key, which is the column's name.
        vocabulary_list: iterable of str or int, the values.
        dtype: DType of the feature: string, or of integers; None for that of the list.
        default_value: int, the id of other values; -1 leaves them out.
        num_oov_buckets: int, the number of ids, after those of the list, that other values are hashed to.

    Returns:
        A categorical feature column.

    Raises:
        ValueError: if the list is empty or has duplicates, or a number is out of its range. Also if both
            `num_oov_buckets` and `default_value` are given, `key` is no str, or a dtype is not string or integer.
    """
    check_key(key)
    if vocabulary_list is None or len(vocabulary_list) < 1:
        raise ValueError(f"vocabulary_list {vocabulary_list} must be non-empty, column_name: {key}")
    if len(set(vocabulary_list)) != len(vocabulary_list):
        raise ValueError(f"Duplicate keys in vocabulary_list {vocabulary_list}, column_name: {key}")
    own = dtypes.as_dtype(np.array(vocabulary_list).dtype)
    if num_oov_buckets and default_value != -1:
        raise ValueError(f"Can't specify both num_oov_buckets and default_value in {key}.")
    _check_spare_ids(key, num_oov_buckets)
    check_string_or_int(own, f"column_name: {key} vocabulary")
    if dtype is None:
        dtype = own
    elif dtype.is_integer != own.is_integer:
        raise ValueError(f"dtype {dtype} and vocabulary dtype {own} do not match, column_name: {key}")
    check_string_or_int(dtype, f"column_name: {key}")
    return VocabularyListCategoricalColumn(key, tuple(vocabulary_list), dtype, default_value, num_oov_buckets)


def _check_spare_ids(key: str, num_oov_buckets: int | None) -> None:
    if num_oov_buckets is not None and num_oov_buckets < 0:
        raise ValueError(f"Invalid num_oov_buckets {num_oov_buckets} in {key}.")


def categorical_column_with_identity(
    key: str, num_buckets: int, default_value: int | None = None
) -> IdentityCategoricalColumn:
    """Returns a column of integer ids.

    Args:
        key: str, the feature's key, which is the column's name.
        num_buckets: int, the number of ids: values are in [0, num_buckets).
        default_value: int, the id of values outside; None to fail at them in the step.

    Returns:
        A categorical feature column.

    Raises:
        ValueError: if `key` is no str, the number is not positive, or the default value is not in range.
    """
    check_key(key)
    if num_buckets < 1:
        raise ValueError(f"num_buckets {num_buckets} < 1, column_name {key}")
    if default_value is not None and not 0 <= default_value < num_buckets:
        raise ValueError(f"default_value {default_value} not in range [0, {num_buckets}), column_name {key}")
    return IdentityCategoricalColumn(key, num_buckets, default_value)


def weighted_categorical_column(
    categorical_column: Any, weight_feature_key: str, dtype: Any = dtypes.float32
) -> WeightedCategoricalColumn:
    """Returns a column of the ids of another, each with a weight that another feature gives.

    Args:
        categorical_column: a categorical feature column.
        weight_feature_key: str, the key of the feature of the weights, which has the places of the values.
        dtype: DType of the weights.

    Returns:
        A categorical feature column.

    Raises:
        ValueError: if the DType is not of numbers.
    """
    if dtype is None or not (dtype.is_integer or dtype.is_floating):
        raise ValueError(f"dtype {dtype} is not convertible to float.")
    return WeightedCategoricalColumn(categorical_column, weight_feature_key, dtype)
