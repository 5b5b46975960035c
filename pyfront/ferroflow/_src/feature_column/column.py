"""Base of the feature columns, and the features that they compute from raw ones."""

from __future__ import annotations

import abc
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from ferroflow._src.base import dtypes, tf_logging
from ferroflow._src.control_flow.conditional import cond
from ferroflow._src.framework.composite import SparseTensor, convert_to_tensor_or_sparse_tensor
from ferroflow._src.framework.default_graph import control_dependencies, name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array import indexing, shaping
from ferroflow._src.ops.flow.checking import assert_positive
from ferroflow._src.ops.math import comparison
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.sparse.shaping import sparse_reshape


class FeatureColumn(abc.ABC):
    """Conversion of one or more raw features to a model's input."""

    @property
    @abc.abstractmethod
    def name(self) -> str:
        """Its name, by which columns are ordered and their variables are named."""

    @property
    def _var_scope_name(self) -> str:
        """The name of the scope of its variables."""
        return self.name

    @abc.abstractmethod
    def _transform_feature(self, inputs: TransformedFeatures) -> Any:
        """Returns the column's input computed from the features without variables; computed once in a model."""

    @property
    @abc.abstractmethod
    def _parse_example_spec(self) -> dict[str, Any]:
        """The features to parse from `tf.Example` messages, by their keys."""


class AnyDenseColumn(FeatureColumn):
    """Base of the columns that layers take; programs derive columns from this class and from `DenseColumn`."""


class DenseColumn(AnyDenseColumn):
    """A column of numbers, of one shape in all examples."""

    @property
    @abc.abstractmethod
    def _variable_shape(self) -> Any:
        """TensorShape, the shape of an example's numbers."""

    @abc.abstractmethod
    def _get_dense_tensor(
        self, inputs: TransformedFeatures, weight_collections: Any = None, trainable: Any = None
    ) -> Tensor:
        """Returns tensor of shape [batch] + `_variable_shape`."""


class IdWeightPair(NamedTuple):
    """The ids of examples, and the weight of each, None for 1.

    Attributes:
        id_tensor: SparseTensor of int32 or int64, of shape [batch, ...].
        weight_tensor: SparseTensor of a float dtype with the indices of `id_tensor`, or None.
    """

    id_tensor: SparseTensor
    weight_tensor: SparseTensor | None


class CategoricalColumn(FeatureColumn):
    """A column of ids below a known number."""

    @property
    @abc.abstractmethod
    def _num_buckets(self) -> int:
        """The number of ids that there are."""

    @abc.abstractmethod
    def _get_sparse_tensors(
        self, inputs: TransformedFeatures, weight_collections: Any = None, trainable: Any = None
    ) -> IdWeightPair:
        """Returns the ids of the examples and their weights."""


def bucket_count(column: CategoricalColumn) -> int:
    """Returns the number of ids that a column can have."""
    return column._num_buckets


def sparse_tensors(
    column: CategoricalColumn, features: TransformedFeatures, weight_collections: Any = None, trainable: Any = None
) -> IdWeightPair:
    """Returns the ids of the examples and their weights, in a column."""
    return column._get_sparse_tensors(features, weight_collections=weight_collections, trainable=trainable)


def dense_tensor(
    column: DenseColumn, features: TransformedFeatures, weight_collections: Any = None, trainable: Any = None
) -> Tensor:
    """Returns the numbers of the examples in a column: a tensor of shape [batch] + `shape_of_numbers(column)`."""
    return column._get_dense_tensor(features, weight_collections=weight_collections, trainable=trainable)


def has_state(column: FeatureColumn) -> bool:
    """Returns True if a column keeps variables or resources in a StateManager, as columns of programs may."""
    return hasattr(column, "create_state")


def shape_of_numbers(column: DenseColumn) -> Any:
    """Returns the TensorShape of an example's numbers in a column."""
    return column._variable_shape


def parsed_features(column: FeatureColumn) -> dict[str, Any]:
    """Returns the features that a column parses from `tf.Example` messages, by their keys."""
    return column._parse_example_spec


def scope_name(column: FeatureColumn) -> str:
    """Returns the name of the scope of a column's variables."""
    return column._var_scope_name


class TransformedFeatures:
    """Features, each transformed by its columns at first use and cached.

    Args:
        features: the raw features by their keys: Tensors or SparseTensors of shape [batch, ...], or values of them.
    """

    def __init__(self, features: Mapping[Any, Any]) -> None:
        self._features = dict(features)
        self._tensors: dict[Any, Any] = {}

    def get(self, key: Any, state_manager: Any = None) -> Any:
        """Returns a raw feature, of rank 2 at least, or what a column makes of the features.

        Args:
            key: str, or a feature column.
            state_manager: StateManager, passed to columns with the method `transform_feature`; or None.

        Returns:
            Tensor or SparseTensor, or what the column makes.

        Raises:
            ValueError: if the feature does not exist, or is one value for all examples.
            TypeError: if the key is neither a str nor a feature column.
        """
        if key not in self._tensors:
            self._tensors[key] = self._made(key, state_manager)
        return self._tensors[key]

    def _made(self, key: Any, state_manager: Any) -> Any:
        if key in self._features:
            return _at_least_a_matrix(key, self._features[key])
        if isinstance(key, str):
            raise ValueError(f"Feature {key} is not in features dictionary.")
        if not isinstance(key, FeatureColumn):
            raise TypeError(f'"key" must be either a "str" or "_FeatureColumn". Provided: {key}')
        tf_logging.debug("Transforming feature_column %s.", key)
        if state_manager is not None and has_state(key):
            transformed = key.transform_feature(self, state_manager)  # type: ignore[attr-defined]
        else:
            transformed = key._transform_feature(self)
        if transformed is None:
            raise ValueError(f"Column {key.name} is not supported.")
        return transformed


def _at_least_a_matrix(key: Any, raw: Any) -> Any:
    feature = convert_to_tensor_or_sparse_tensor(raw)

    def expanded() -> Any:
        if isinstance(feature, SparseTensor):
            return sparse_reshape(feature, [shaping.shape(feature)[0], -1])
        return shaping.expand_dims(feature, -1)

    rank = feature.get_shape().ndims
    if rank == 0:
        raise ValueError(f"Feature (key: {key}) cannot have rank 0. Give: {feature}")
    if rank is not None:
        return expanded() if rank == 1 else feature
    check = assert_positive(shaping.rank(feature), message=f"Feature (key: {key}) cannot have rank 0. Given: {feature}")
    with control_dependencies([check]):
        return cond(comparison.equal(1, shaping.rank(feature)), expanded, lambda: feature)


def to_sparse_input(values: Any, ignore_value: Any = None) -> SparseTensor:
    """Returns a feature as a SparseTensor: of a dense one, those values that are not to be ignored.

    Args:
        values: SparseTensor, which is returned, or Tensor.
        ignore_value: the value that stands for none; None for "" of strings, -1 of integers and 0 of floats.

    Returns:
        SparseTensor.
    """
    values = convert_to_tensor_or_sparse_tensor(values)
    if isinstance(values, SparseTensor):
        return values
    with name_scope(None, "to_sparse_input", [values, ignore_value]):
        if ignore_value is None:
            ignore_value = "" if values.dtype == dtypes.string else -1 if values.dtype.is_integer else 0.0
        ignore_value = cast(ignore_value, values.dtype, name="ignore_value")
        indices = indexing.where(comparison.not_equal(values, ignore_value), name="indices")
        return SparseTensor(
            indices=indices,
            values=indexing.gather_nd(values, indices, name="values"),
            dense_shape=shaping.shape(values, out_type=dtypes.int64, name="dense_shape"),
        )


def clean_columns(feature_columns: Any) -> list[Any]:
    """Returns the columns that a model is given, as a list.

    Args:
        feature_columns: a feature column, or an iterable of them but a dict.

    Raises:
        ValueError: if `feature_columns` is a dict or empty, an element is not a feature column, or two columns have the
            same name.
    """
    if isinstance(feature_columns, FeatureColumn):
        feature_columns = [feature_columns]
    if isinstance(feature_columns, Iterator):
        feature_columns = list(feature_columns)
    if isinstance(feature_columns, dict):
        raise ValueError("Expected feature_columns to be iterable, found dict.")
    for column in feature_columns:
        if not isinstance(column, FeatureColumn):
            raise ValueError(
                f"Items of feature_columns must be a _FeatureColumn. Given (type {type(column)}): {column}."
            )
    if not feature_columns:
        raise ValueError("feature_columns must not be empty.")
    by_name: dict[str, Any] = {}
    for column in feature_columns:
        if column.name in by_name:
            raise ValueError(
                f"Duplicate feature column name found for columns: {column} and {by_name[column.name]}. This usually "
                "means that these columns refer to same base feature. Either one must be discarded or a duplicated but "
                "renamed item must be inserted in features dict."
            )
        by_name[column.name] = column
    return list(feature_columns)


def check_batch_sizes(tensors: Iterable[Tensor], columns: Iterable[FeatureColumn]) -> None:
    """Checks that the batch sizes that are known are one.

    Raises:
        ValueError: if the batch sizes differ.
    """
    first: tuple[Any, str] | None = None
    for tensor, column in zip(tensors, columns, strict=True):
        size = tensor.get_shape()[0]
        if size.value is None:
            continue
        if first is None:
            first = size, column.name
        elif not first[0].is_compatible_with(size):
            raise ValueError(
                "Batch size (first dimension) of each feature must be same. Batch size of columns "
                f"({first[1]}, {column.name}): ({first[0]}, {size})"
            )


def check_key(key: Any) -> None:
    """Checks that a feature's key can name a column.

    Raises:
        ValueError: if it is no str.
    """
    if not isinstance(key, str):
        raise ValueError(f"key must be a string. Got: type {type(key)}. Given key: {key}.")


def check_string_or_int(dtype: Any, prefix: str) -> None:
    """Checks that values can be ids or be made ids.

    Raises:
        ValueError: if the dtype is neither string nor an integer dtype.
    """
    if dtype != dtypes.string and not dtype.is_integer:
        raise ValueError(f"{prefix} dtype must be string or integer. dtype: {dtype}.")
