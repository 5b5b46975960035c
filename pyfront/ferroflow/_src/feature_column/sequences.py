"""Columns of sequences: each example has a feature of each of its steps."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from ferroflow._src.base import dtypes
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.base.typing import Collections, DTypeLike
from ferroflow._src.feature_column import categorical
from ferroflow._src.feature_column.column import (
    CategoricalColumn,
    FeatureColumn,
    IdWeightPair,
    TransformedFeatures,
    bucket_count,
    check_batch_sizes,
    clean_columns,
    dense_tensor,
    parsed_features,
    scope_name,
    shape_of_numbers,
    sparse_tensors,
)
from ferroflow._src.feature_column.embedded import EmbeddingColumn, IndicatorColumn, SharedEmbeddingColumn
from ferroflow._src.feature_column.numeric import _checked_shape
from ferroflow._src.framework.composite import SparseTensor
from ferroflow._src.framework.default_graph import control_dependencies, name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array import making, shaping
from ferroflow._src.ops.array.joining import concat
from ferroflow._src.ops.flow.checking import assert_equal, assert_rank, assert_type
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.elementwise import ceil
from ferroflow._src.ops.math.reduction import reduce_prod
from ferroflow._src.ops.math.segment import segment_max
from ferroflow._src.ops.parsing.features import VarLenFeature
from ferroflow._src.ops.sparse.converting import sparse_tensor_to_dense
from ferroflow._src.ops.sparse.shaping import sparse_reshape
from ferroflow._src.variables.scope import variable_scope

__all__ = [
    "concatenate_context_input",
    "sequence_categorical_column_with_hash_bucket",
    "sequence_categorical_column_with_identity",
    "sequence_categorical_column_with_vocabulary_file",
    "sequence_categorical_column_with_vocabulary_list",
    "sequence_input_layer",
    "sequence_numeric_column",
]


class _OfSteps(NamedTuple):
    categorical_column: Any


class SequenceCategoricalColumn(CategoricalColumn, _OfSteps):
    """Column of the ids of each step."""

    @property
    def name(self) -> str:
        """The name of the ids."""
        name: str = self.categorical_column.name
        return name

    @property
    def _parse_example_spec(self) -> dict[str, Any]:
        return parsed_features(self.categorical_column)

    @property
    def _num_buckets(self) -> int:
        return bucket_count(self.categorical_column)

    def _transform_feature(self, inputs: TransformedFeatures) -> Any:
        return self.categorical_column._transform_feature(inputs)

    def _get_sparse_tensors(
        self, inputs: TransformedFeatures, weight_collections: Any = None, trainable: Any = None
    ) -> IdWeightPair:
        ids, weights = sparse_tensors(self.categorical_column, inputs)
        shape = shaping.shape(ids)
        steps = [shape[0], shape[1], reduce_prod(shape[2:])]
        return IdWeightPair(sparse_reshape(ids, steps), None if weights is None else sparse_reshape(weights, steps))


class _NumbersOfSteps(NamedTuple):
    key: str
    shape: tuple[int, ...]
    default_value: float
    dtype: dtypes.DType
    normalizer_fn: Any


class SequenceNumericColumn(FeatureColumn, _NumbersOfSteps):
    """Column of the numbers of each step."""

    @property
    def name(self) -> str:
        """The key in the features."""
        return self.key

    @property
    def _parse_example_spec(self) -> dict[str, Any]:
        return {self.key: VarLenFeature(self.dtype)}

    @property
    def _variable_shape(self) -> TensorShape:
        return TensorShape(self.shape)

    def _transform_feature(self, inputs: TransformedFeatures) -> Any:
        feature = inputs.get(self.key)
        return feature if self.normalizer_fn is None else self.normalizer_fn(feature)

    def _numbers(self, inputs: TransformedFeatures) -> tuple[Tensor, Tensor]:
        sparse = inputs.get(self)
        dense = sparse_tensor_to_dense(sparse, default_value=self.default_value)
        full = concat([shaping.shape(dense)[:1], [-1], list(self.shape)], axis=0)
        elements = self._variable_shape.num_elements() if sparse.shape.ndims == 2 else 1
        return shaping.reshape(dense, shape=full), _lengths(sparse, elements)


def _lengths(sparse: SparseTensor, elements: Any = 1) -> Tensor:
    """Returns the number of steps of each example, an int64 Tensor of shape [batch].

    Args:
        sparse: SparseTensor of shape [batch, steps, ...], or of shape [batch, values].
        elements: int, how many values belong to a step.
    """
    with name_scope(None, "sequence_length") as scope:
        rows, places = sparse.indices[:, 0], sparse.indices[:, 1]
        places += making.ones_like(places)
        counts = cast(ceil(segment_max(places, segment_ids=rows) / elements), dtypes.int64)
        # The last rows without values are in no segment.
        missing = shaping.shape(sparse)[:1] - shaping.shape(counts)[:1]
        return concat([counts, making.zeros(missing, dtype=counts.dtype)], axis=0, name=scope)


def _numbers_of_steps(column: Any, inputs: TransformedFeatures, keys: Any, trainable: bool) -> tuple[Tensor, Tensor]:
    """Returns numbers of shape [batch, steps, ...], and the number of steps of each example."""
    if isinstance(column, SequenceNumericColumn):
        return column._numbers(inputs)
    ids = column.categorical_column
    if not isinstance(ids, SequenceCategoricalColumn):
        kind = "indicator_column" if isinstance(column, IndicatorColumn) else "embedding_column"
        raise ValueError(
            f"In {kind}: {column.name}. categorical_column must be of type _SequenceCategoricalColumn to use "
            "sequence_input_layer. Suggested fix: Use one of sequence_categorical_column_with_*. "
            f"Given (type {type(ids)}): {ids}"
        )
    numbers = dense_tensor(column, inputs, weight_collections=keys, trainable=trainable)
    return numbers, _lengths(sparse_tensors(ids, inputs).id_tensor)


def sequence_input_layer(
    features: Mapping[Any, Any],
    feature_columns: Iterable[Any],
    weight_collections: Collections | None = None,
    trainable: bool = True,
) -> tuple[Tensor, Tensor]:
    """Returns the input of a recurrent network: the numbers of all columns for each step, and the number of steps.

    Args:
        features: dict from str to SparseTensor of any dtype, of shape [batch, steps, ...].
        feature_columns: iterable of columns of sequences: numeric ones, and embeddings or indicators of ids.
        weight_collections: list of keys of further collections for the variables.
        trainable: bool. If True, the variables are trained.

    Returns:
        (Tensor of float32, of shape [batch, steps, numbers of all columns]; Tensor of int64, of shape [batch]).

    Raises:
        ValueError: if a column is none of sequences, two columns have the same name, or batch sizes differ.
    """
    columns = clean_columns(feature_columns)
    kinds = (SequenceNumericColumn, EmbeddingColumn, SharedEmbeddingColumn, IndicatorColumn)
    for column in columns:
        if not isinstance(column, kinds):
            raise ValueError(
                "All feature_columns must be of type _SequenceDenseColumn. You can wrap a sequence_categorical_column "
                f"with an embedding_column or indicator_column. Given (type {type(column)}): {column}"
            )
    in_order = sorted(columns, key=lambda column: str(column.name))
    with variable_scope(None, default_name="sequence_input_layer", values=list(features.values())):
        inputs = TransformedFeatures(features)
        numbers, lengths = [], []
        for column in in_order:
            with variable_scope(None, default_name=scope_name(column)):
                of_steps, length = _numbers_of_steps(column, inputs, weight_collections, trainable)
                shape = shaping.shape(of_steps)
                width = shape_of_numbers(column).num_elements()
                numbers.append(shaping.reshape(of_steps, shape=[shape[0], shape[1], width]))
                lengths.append(length)
        check_batch_sizes(numbers, in_order)
        check_batch_sizes(lengths, in_order)
        length = _equal(lengths)
        return concat(numbers, -1), length


def _equal(lengths: list[Tensor]) -> Tensor:
    with name_scope(None, "assert_all_equal", values=lengths):
        if len(lengths) == 1:
            return lengths[0]
        with control_dependencies([assert_equal(lengths[0], other) for other in lengths[1:]]):
            return making.identity(lengths[0])


def concatenate_context_input(context_input: Tensor, sequence_input: Tensor) -> Tensor:
    """Returns sequences with the context of each joined to all its steps.

    Args:
        context_input: Tensor of float32, of shape [batch, size of the context].
        sequence_input: Tensor of float32, of shape [batch, steps, size].

    Returns:
        Tensor of float32, of shape [batch, steps, size + size of the context].

    Raises:
        ValueError: if a rank is wrong.
        TypeError: if a dtype is wrong.
    """
    checks = []
    for name, tensor, rank in (("sequence_input", sequence_input, 3), ("context_input", context_input, 2)):
        checks += [
            assert_rank(tensor, rank, message=f"{name} must have rank {rank}", data=[shaping.shape(tensor)]),
            assert_type(tensor, dtypes.float32, message=f"{name} must have dtype float32; got {tensor.dtype}."),
        ]
    with control_dependencies(checks):
        steps = shaping.shape(sequence_input)[1]
        repeated = shaping.tile(shaping.expand_dims(context_input, 1), concat([[1], [steps], [1]], 0))
    return concat([sequence_input, repeated], 2)


def sequence_categorical_column_with_identity(
    key: str, num_buckets: int, default_value: int | None = None
) -> SequenceCategoricalColumn:
    """Returns a column of ids that are the feature's own values, one or more for each step.

    Args:
        key: str, the key in the features.
        num_buckets: int, the number of ids.
        default_value: int, the id of values out of range; None if a step fails for them.

    Returns:
        column, for `embedding_column` or `indicator_column`.

    Raises:
        ValueError: if a number is out of range.
    """
    column = categorical.categorical_column_with_identity(key, num_buckets, default_value)
    return SequenceCategoricalColumn(column)


def sequence_categorical_column_with_hash_bucket(
    key: str, hash_bucket_size: int, dtype: DTypeLike = dtypes.string
) -> SequenceCategoricalColumn:
    """Returns a column of ids that are hashes of the feature's values, one or more for each step.

    Args:
        key: str, the key in the features.
        hash_bucket_size: int, the number of ids.
        dtype: dtype of the values: string or an integer dtype.

    Returns:
        column, for `embedding_column` or `indicator_column`.

    Raises:
        ValueError: if the number or the dtype is wrong.
    """
    column = categorical.categorical_column_with_hash_bucket(key, hash_bucket_size, dtype)
    return SequenceCategoricalColumn(column)


def sequence_categorical_column_with_vocabulary_file(
    key: str,
    vocabulary_file: str,
    vocabulary_size: int | None = None,
    num_oov_buckets: int = 0,
    default_value: int | None = None,
    dtype: DTypeLike = dtypes.string,
) -> SequenceCategoricalColumn:
    """Returns a column of ids that are lines of a file, one or more for each step.

    Args:
        key: str, the key in the features.
        vocabulary_file: str, the file.
        vocabulary_size: int, the number of lines to use; None for all.
        num_oov_buckets: int, the number of ids for values that are not in the file.
        default_value: int, the id of such values, if there are no such ids.
        dtype: dtype of the values: string or an integer dtype.

    Returns:
        column, for `embedding_column` or `indicator_column`.

    Raises:
        ValueError: if an argument is wrong.
    """
    column = categorical.categorical_column_with_vocabulary_file(
        key, vocabulary_file, vocabulary_size, num_oov_buckets, default_value, dtype
    )
    return SequenceCategoricalColumn(column)


def sequence_categorical_column_with_vocabulary_list(
    key: str,
    vocabulary_list: Sequence[Any],
    dtype: dtypes.DType | None = None,
    default_value: int = -1,
    num_oov_buckets: int = 0,
) -> SequenceCategoricalColumn:
    """Returns a column of ids that are places in a list, one or more for each step.

    Args:
        key: str, the key in the features.
        vocabulary_list: list of str or int.
        dtype: dtype of the values; None for that of the list.
        default_value: int, the id of values that are not in the list.
        num_oov_buckets: int, the number of ids for such values.

    Returns:
        column, for `embedding_column` or `indicator_column`.

    Raises:
        ValueError: if an argument is wrong.
    """
    column = categorical.categorical_column_with_vocabulary_list(
        key, vocabulary_list, dtype, default_value, num_oov_buckets
    )
    return SequenceCategoricalColumn(column)


def sequence_numeric_column(
    key: str,
    shape: Any = (1,),
    default_value: float = 0.0,
    dtype: DTypeLike = dtypes.float32,
    normalizer_fn: Callable[..., Any] | None = None,
) -> SequenceNumericColumn:
    """Returns a column of the numbers of each step.

    Args:
        key: str, the key in the features.
        shape: tuple of int, the shape of a step's numbers.
        default_value: float, which fills short sequences.
        dtype: float or integer dtype of the feature.
        normalizer_fn: callable of a SparseTensor that gives a SparseTensor of its shape, or None.

    Returns:
        column.

    Raises:
        TypeError: if the shape has no integers, or `normalizer_fn` is not callable.
        ValueError: if a dimension is not positive, or the dtype is no number.
    """
    kind = dtypes.as_dtype(dtype)
    if not (kind.is_integer or kind.is_floating):
        raise ValueError(f"dtype must be convertible to float. dtype: {kind}, key: {key}")
    if normalizer_fn is not None and not callable(normalizer_fn):
        raise TypeError(f"normalizer_fn must be a callable. Given: {normalizer_fn}")
    return SequenceNumericColumn(key, _checked_shape(shape, key), default_value, kind, normalizer_fn)
