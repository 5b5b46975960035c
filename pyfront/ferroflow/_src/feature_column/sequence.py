"""Columns of sequences: ids and numbers of several steps in each example, and their lengths."""

from __future__ import annotations

import abc
import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ferroflow._src.base import dtypes
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.base.typing import DTypeLike, IntsLike
from ferroflow._src.feature_column.categorical import (
    categorical_column_with_hash_bucket,
    categorical_column_with_identity,
    categorical_column_with_vocabulary_file,
    categorical_column_with_vocabulary_list,
)
from ferroflow._src.feature_column.column import (
    CategoricalColumn,
    FeatureColumn,
    IdWeightPair,
    TransformedFeatures,
    bucket_count,
    check_key,
    parsed_features,
    sparse_tensors,
)
from ferroflow._src.feature_column.numeric import checked_shape
from ferroflow._src.framework.composite import SparseTensor
from ferroflow._src.framework.default_graph import control_dependencies, name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array import joining, making, shaping
from ferroflow._src.ops.flow.checking import assert_equal
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.elementwise import ceil
from ferroflow._src.ops.math.reduction import reduce_prod
from ferroflow._src.ops.math.segment import segment_max
from ferroflow._src.ops.parsing.features import VarLenFeature
from ferroflow._src.ops.sparse.converting import sparse_tensor_to_dense
from ferroflow._src.ops.sparse.shaping import sparse_reshape


class TensorSequenceLengthPair(NamedTuple):
    """The numbers of all steps, and the examples' numbers of steps.

    Attributes:
        dense_tensor: Tensor of shape [batch, steps, ...].
        sequence_length: Tensor of int64, of shape [batch].
    """

    dense_tensor: Tensor
    sequence_length: Tensor


class SequenceDenseColumn(FeatureColumn):
    """A column of numbers for each step of a sequence."""

    @abc.abstractmethod
    def _get_sequence_dense_tensor(
        self, inputs: TransformedFeatures, weight_collections: Any = None, trainable: Any = None
    ) -> TensorSequenceLengthPair:
        """Returns the numbers of the steps, and the lengths of the sequences."""


def sequence_tensor(
    column: SequenceDenseColumn, inputs: TransformedFeatures, weight_collections: Any = None, trainable: Any = None
) -> TensorSequenceLengthPair:
    """Returns the numbers of the steps in a column, and the lengths of the sequences."""
    return column._get_sequence_dense_tensor(inputs, weight_collections=weight_collections, trainable=trainable)


class _SequenceCategoricalFields(NamedTuple):
    categorical_column: CategoricalColumn


class SequenceCategoricalColumn(CategoricalColumn, _SequenceCategoricalFields):
    """Column of another column's ids, where the second dimension is the step; `sequence_categorical_column_...`
    functions make it.
    """

    @property
    def name(self) -> str:
        """The name of the column of ids."""
        return self.categorical_column.name

    @property
    def _parse_example_spec(self) -> dict[str, Any]:
        return parsed_features(self.categorical_column)

    def _transform_feature(self, inputs: TransformedFeatures) -> Any:
        return self.categorical_column._transform_feature(inputs)

    @property
    def _num_buckets(self) -> int:
        return bucket_count(self.categorical_column)

    def _get_sparse_tensors(
        self, inputs: TransformedFeatures, weight_collections: Any = None, trainable: Any = None
    ) -> IdWeightPair:
        ids, weights = sparse_tensors(self.categorical_column, inputs)
        sizes = shaping.shape(ids)
        # A third dimension keeps the ids of several steps apart. Its size is not -1, which empty sequences lack.
        target = [sizes[0], sizes[1], reduce_prod(sizes[2:])]
        return IdWeightPair(sparse_reshape(ids, target), weights and sparse_reshape(weights, target))


def sequence_lengths(values: SparseTensor, num_elements: int = 1) -> Tensor:
    """Returns the numbers of steps of sequences.

    Args:
        values: SparseTensor of any dtype, of shape [batch, steps * num_elements, ...].
        num_elements: int, the number of values of a step.

    Returns:
        Tensor of int64, of shape [batch].
    """
    with name_scope(None, "sequence_length") as scope:
        rows, columns = values.indices[:, 0], values.indices[:, 1]
        columns += making.ones_like(columns)
        found = segment_max(columns, segment_ids=rows)
        found = cast(ceil(found / num_elements), dtypes.int64)
        missing = shaping.shape(values)[:1] - shaping.shape(found)[:1]
        return joining.concat([found, making.zeros(missing, dtype=found.dtype)], axis=0, name=scope)


def equal_lengths(lengths: list[Tensor]) -> Tensor:
    """Returns the lengths of sequences, after a check in the step that all columns have the same ones."""
    with name_scope("assert_all_equal"):
        if len(lengths) == 1:
            return lengths[0]
        with control_dependencies([assert_equal(lengths[0], other) for other in lengths[1:]]):
            return making.identity(lengths[0])


class _SequenceNumericFields(NamedTuple):
    key: str
    shape: tuple[int, ...]
    default_value: float
    dtype: Any
    normalizer_fn: Any


class SequenceNumericColumn(SequenceDenseColumn, _SequenceNumericFields):
    """Column of numbers for each step; `sequence_numeric_column` makes it."""

    @property
    def name(self) -> str:
        """The feature's key."""
        return self.key

    @property
    def _parse_example_spec(self) -> dict[str, Any]:
        return {self.key: VarLenFeature(self.dtype)}

    def _transform_feature(self, inputs: TransformedFeatures) -> Any:
        values = inputs.get(self.key)
        return values if self.normalizer_fn is None else self.normalizer_fn(values)

    @property
    def _variable_shape(self) -> TensorShape:
        return TensorShape(self.shape)

    def _get_sequence_dense_tensor(
        self, inputs: TransformedFeatures, weight_collections: Any = None, trainable: Any = None
    ) -> TensorSequenceLengthPair:
        values = inputs.get(self)
        dense = sparse_tensor_to_dense(values, default_value=self.default_value)
        target = joining.concat([shaping.shape(dense)[:1], [-1], list(self.shape)], axis=0)
        count = math.prod(self.shape) if values.shape.ndims == 2 else 1
        return TensorSequenceLengthPair(shaping.reshape(dense, target), sequence_lengths(values, count))


def sequence_numeric_column(
    key: str,
    shape: IntsLike = (1,),
    default_value: float = 0.0,
    dtype: DTypeLike = dtypes.float32,
    normalizer_fn: Callable[[Any], Any] | None = None,
) -> SequenceNumericColumn:
    """Returns a column of numbers for each step.

    Args:
        key: str, the feature's key, which is the column's name.
        shape: int, or tuple of ints: the shape of a step's numbers.
        default_value: float, the number of steps behind a sequence's end.
        dtype: DType of the feature, of integers or floats.
        normalizer_fn: callable of the SparseTensor that returns one, applied first, or None.

    Returns:
        A sequence column.

    Raises:
        TypeError: if a dimension is not an int, or `normalizer_fn` is not callable.
        ValueError: if `key` is no str, a dimension is not positive, or the DType is not of numbers.
    """
    check_key(key)
    dimensions = checked_shape(shape, key)
    kind = dtypes.as_dtype(dtype)
    if not (kind.is_integer or kind.is_floating):
        raise ValueError(f"dtype must be convertible to float. dtype: {dtype}, key: {key}")
    if normalizer_fn is not None and not callable(normalizer_fn):
        raise TypeError(f"normalizer_fn must be a callable. Given: {normalizer_fn}")
    return SequenceNumericColumn(key, dimensions, default_value, kind, normalizer_fn)


def sequence_categorical_column_with_identity(
    key: str, num_buckets: int, default_value: int | None = None
) -> SequenceCategoricalColumn:
    """Returns a column of integer ids of steps.

    Args:
        key: str, the feature's key, which is the column's name.
        num_buckets: int, the number of ids: values are in [0, num_buckets).
        default_value: int, the id of values outside; None to fail at them in the step.

    Returns:
        A categorical sequence column.

    Raises:
        ValueError: if the number is not positive, or the default value is not in range.
    """
    return SequenceCategoricalColumn(categorical_column_with_identity(key, num_buckets, default_value))


def sequence_categorical_column_with_hash_bucket(
    key: str, hash_bucket_size: int, dtype: DTypeLike = dtypes.string
) -> SequenceCategoricalColumn:
    """Returns a column of the values of steps, which are hashed to ids.

    Args:
        key: str, the feature's key, which is the column's name.
        hash_bucket_size: int, the number of ids.
        dtype: DType of the feature: string, or of integers.

    Returns:
        A categorical sequence column.

    Raises:
        ValueError: if `hash_bucket_size` is not positive, or `dtype` is neither string nor an integer dtype.
    """
    return SequenceCategoricalColumn(categorical_column_with_hash_bucket(key, hash_bucket_size, dtype))


def sequence_categorical_column_with_vocabulary_file(
    key: str,
    vocabulary_file: str,
    vocabulary_size: int | None = None,
    num_oov_buckets: int = 0,
    default_value: int | None = None,
    dtype: DTypeLike = dtypes.string,
) -> SequenceCategoricalColumn:
    """Returns a column of the values of steps, whose ids are their lines in a file, from 0.

    Args:
        key: str, the feature's key, which is the column's name.
        vocabulary_file: str, the file's name.
        vocabulary_size: int, the number of lines that count; None for all.
        num_oov_buckets: int, the number of ids, after those of the lines, that other values are hashed to.
        default_value: int, the id of other values; None for -1, which leaves them out.
        dtype: DType of the feature: string, or of integers.

    Returns:
        A categorical sequence column.

    Raises:
        ValueError: on the same conditions as `categorical_column_with_vocabulary_file`.
    """
    arguments = (vocabulary_file, vocabulary_size, num_oov_buckets, default_value, dtype)
    return SequenceCategoricalColumn(categorical_column_with_vocabulary_file(key, *arguments))


def sequence_categorical_column_with_vocabulary_list(
    key: str,
    vocabulary_list: Sequence[Any],
    dtype: dtypes.DType | None = None,
    default_value: int = -1,
    num_oov_buckets: int = 0,
) -> SequenceCategoricalColumn:
    """Returns a column of the values of steps, whose ids are their places in a list, from 0.

    Args:
        key: str, the feature's key, which is the column's name.
        vocabulary_list: iterable of str or int, the values.
        dtype: DType of the feature: string, or of integers; None for that of the list.
        default_value: int, the id of other values; -1 leaves them out.
        num_oov_buckets: int, the number of ids, after those of the list, that other values are hashed to.

    Returns:
        A categorical sequence column.

    Raises:
        ValueError: on the same conditions as `categorical_column_with_vocabulary_list`.
    """
    arguments = (vocabulary_list, dtype, default_value, num_oov_buckets)
    return SequenceCategoricalColumn(categorical_column_with_vocabulary_list(key, *arguments))
