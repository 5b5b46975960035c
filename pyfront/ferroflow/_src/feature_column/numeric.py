"""Columns of numbers, and of the buckets that they fall in."""

from __future__ import annotations

import itertools
from typing import Any, NamedTuple

from ferroflow._src.base import dtypes, nest
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.base.typing import Activation, ListLike, ShapeLike, TensorLike
from ferroflow._src.feature_column.column import (
    CategoricalColumn,
    DenseColumn,
    IdWeightPair,
    TransformedFeatures,
    check_key,
    parsed_features,
)
from ferroflow._src.framework.apply import tensor_op
from ferroflow._src.framework.composite import SparseTensor
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array import joining, making, shaping
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.parsing.features import FixedLenFeature


class _NumericFields(NamedTuple):
    key: str
    shape: tuple[int, ...]
    default_value: Any
    dtype: Any
    normalizer_fn: Any


class NumericColumn(DenseColumn, _NumericFields):
    """Column of numbers as they are; `numeric_column` makes it."""

    @property
    def name(self) -> str:
        """The feature's key."""
        return self.key

    @property
    def _parse_example_spec(self) -> dict[str, Any]:
        return {self.key: FixedLenFeature(self.shape, self.dtype, self.default_value)}

    def _transform_feature(self, inputs: TransformedFeatures) -> Tensor:
        values = inputs.get(self.key)
        if isinstance(values, SparseTensor):
            raise ValueError(
                "The corresponding Tensor of numerical column must be a Tensor. SparseTensor is not supported. key: "
                f"{self.key}"
            )
        if self.normalizer_fn is not None:
            values = self.normalizer_fn(values)
        numbers: Tensor = cast(values, dtypes.float32, name="ToFloat")
        return numbers

    @property
    def _variable_shape(self) -> TensorShape:
        return TensorShape(self.shape)

    def _get_dense_tensor(
        self, inputs: TransformedFeatures, weight_collections: Any = None, trainable: Any = None
    ) -> Tensor:
        numbers: Tensor = inputs.get(self)
        return numbers


class _BucketizedFields(NamedTuple):
    source_column: NumericColumn
    boundaries: tuple[float, ...]


class BucketizedColumn(DenseColumn, CategoricalColumn, _BucketizedFields):
    """Column of the buckets that contain the numbers; `bucketized_column` makes it."""

    @property
    def name(self) -> str:
        """The name of the numbers with `_bucketized`."""
        return f"{self.source_column.name}_bucketized"

    @property
    def _parse_example_spec(self) -> dict[str, Any]:
        return parsed_features(self.source_column)

    def _transform_feature(self, inputs: TransformedFeatures) -> Tensor:
        return tensor_op("Bucketize", [inputs.get(self.source_column)], {"boundaries": list(self.boundaries)})

    @property
    def _variable_shape(self) -> TensorShape:
        return TensorShape((*self.source_column.shape, len(self.boundaries) + 1))

    def _get_dense_tensor(
        self, inputs: TransformedFeatures, weight_collections: Any = None, trainable: Any = None
    ) -> Tensor:
        buckets = cast(inputs.get(self), dtypes.int64)
        return making.one_hot(buckets, depth=len(self.boundaries) + 1, on_value=1.0, off_value=0.0)

    @property
    def _num_buckets(self) -> int:
        return (len(self.boundaries) + 1) * self.source_column.shape[0]

    def _get_sparse_tensors(
        self, inputs: TransformedFeatures, weight_collections: Any = None, trainable: Any = None
    ) -> IdWeightPair:
        # Each of an example's numbers has buckets of its own.
        buckets = inputs.get(self)
        batch, width = shaping.shape(buckets)[0], self.source_column.shape[0]
        rows = shaping.reshape(shaping.tile(shaping.expand_dims(making.range(0, batch), 1), [1, width]), [-1])
        columns = shaping.tile(making.range(0, width), [batch])
        ids = shaping.reshape(buckets, [-1]) + (len(self.boundaries) + 1) * columns
        indices = cast(shaping.transpose(joining.stack([rows, columns])), dtypes.int64)
        return IdWeightPair(SparseTensor(indices, ids, cast(joining.stack([batch, width]), dtypes.int64)), None)


def numeric_column(
    key: str,
    shape: ShapeLike = (1,),
    default_value: TensorLike | None = None,
    dtype: dtypes.DType = dtypes.float32,
    normalizer_fn: Activation | None = None,
) -> NumericColumn:
    """Returns a column of numbers.

    Args:
        key: str, the feature's key, which is the column's name.
        shape: int or iterable of int, the shape of an example's numbers.
        default_value: a number, or numbers of that shape, for examples in parsing that lack the feature; None to fail.
        dtype: DType of integers or floats, that of the feature in parsing.
        normalizer_fn: callable of the feature's Tensor that returns the Tensor to use, of the same dtype and shape;
            None to use the feature unchanged.

    Returns:
        A feature column whose numbers are float32.

    Raises:
        TypeError: if a dimension is not an int, the default value is not of `dtype`, or `normalizer_fn` is not
            callable.
        ValueError: if `key` is no str, a dimension is not positive, the default value has another shape, or `dtype` is
            not a number dtype.

    Example:
        >>> columns = [tf.feature_column.numeric_column("age"), tf.feature_column.numeric_column("size", shape=[2])]
        >>> features = {"age": [[30.0], [40.0]], "size": [[1.0, 2.0], [3.0, 4.0]]}
        >>> print(sess.run(tf.feature_column.input_layer(features, columns)))
        [[30.  1.  2.]
         [40.  3.  4.]]
    """
    check_key(key)
    checked = checked_shape(shape, key)
    if not (dtype.is_integer or dtype.is_floating):
        raise ValueError(f"dtype must be convertible to float. dtype: {dtype}, key: {key}")
    default_value = _checked_default(checked, default_value, dtype, key)
    if normalizer_fn is not None and not callable(normalizer_fn):
        raise TypeError(f"normalizer_fn must be a callable. Given: {normalizer_fn}")
    return NumericColumn(key, checked, default_value, dtype, normalizer_fn)


def bucketized_column(source_column: object, boundaries: ListLike) -> BucketizedColumn:
    """Returns a column of the buckets that numbers fall in: below the first boundary, from each to the next, from the
    last on.

    Args:
        source_column: result of `numeric_column`, of one dimension.
        boundaries: list or tuple of numbers, each greater than the one before.

    Returns:
        A feature column that is dense (one number for each bucket) and categorical.

    Raises:
        ValueError: if `source_column` is not a numeric column of one dimension, or the boundaries are missing or not
            sorted.
    """
    if not isinstance(source_column, NumericColumn):
        raise ValueError(f"source_column must be a column generated with numeric_column(). Given: {source_column}")
    if len(source_column.shape) > 1:
        raise ValueError(f"source_column must be one-dimensional column. Given: {source_column}")
    if not isinstance(boundaries, (list, tuple)) or not boundaries:
        raise ValueError("boundaries must be a sorted list.")
    if any(a >= b for a, b in itertools.pairwise(boundaries)):
        raise ValueError("boundaries must be a sorted list.")
    return BucketizedColumn(source_column, tuple(boundaries))


def checked_shape(shape: Any, key: str) -> tuple[int, ...]:
    """Returns a shape as a tuple.

    Raises:
        TypeError: if a dimension is not an int.
        ValueError: if a dimension is not positive.
    """
    dimensions = tuple(shape) if nest.is_sequence(shape) else (shape,)
    for dimension in dimensions:
        if not isinstance(dimension, int):
            raise TypeError(f"shape dimensions must be integer. shape: {dimensions}, key: {key}")
        if dimension < 1:
            raise ValueError(f"shape dimensions must be greater than 0. shape: {dimensions}, key: {key}")
    return dimensions


def _filled(shape: tuple[int, ...], value: Any) -> Any:
    return tuple(_filled(shape[1:], value) for _ in range(shape[0])) if shape else value


def _as_tuple(value: Any) -> Any:
    return tuple(_as_tuple(v) for v in value) if nest.is_sequence(value) else value


def _is_of_shape(value: Any, shape: tuple[int, ...]) -> bool:
    if not shape or not nest.is_sequence(value):
        return not shape and not nest.is_sequence(value)
    return len(value) == shape[0] and all(_is_of_shape(v, shape[1:]) for v in value)


def _checked_default(shape: tuple[int, ...], value: Any, dtype: Any, key: str) -> Any:
    if value is None:
        return None
    if isinstance(value, int) or (isinstance(value, float) and dtype.is_floating):
        return _filled(shape, value)
    if callable(getattr(value, "tolist", None)):
        value = value.tolist()
    if nest.is_sequence(value):
        if not _is_of_shape(value, shape):
            raise ValueError(
                f"The shape of default_value must be equal to given shape. default_value: {value}, shape: {shape}, "
                f"key: {key}"
            )
        flat = nest.flatten(value)
        if all(isinstance(v, int) for v in flat) or (
            dtype.is_floating and all(isinstance(v, (int, float)) for v in flat)
        ):
            return _as_tuple(value)
    raise TypeError(f"default_value must be compatible with dtype. default_value: {value}, dtype: {dtype}, key: {key}")
