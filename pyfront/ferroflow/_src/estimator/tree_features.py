"""The features of tree models: the buckets that feature columns give."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.feature_column.column import (
    CategoricalColumn,
    DenseColumn,
    FeatureColumn,
    TransformedFeatures,
    bucket_count,
    shape_of_numbers,
)
from ferroflow._src.feature_column.embedded import IndicatorColumn
from ferroflow._src.feature_column.numeric import BucketizedColumn
from ferroflow._src.framework.apply import apply_op
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array import joining, shaping
from ferroflow._src.ops.math.cast import cast

# The fewest buckets of a feature: an id occurs or does not.
_FEWEST = 2


def sorted_columns(feature_columns: Iterable[Any]) -> list[Any]:
    """Returns feature columns in the order of their names."""
    return sorted(feature_columns, key=lambda column: column.name)


def is_float_column(column: FeatureColumn) -> bool:
    """Returns True if a column has numbers, whose buckets depend on the data.

    Raises:
        ValueError: if the column is neither categorical nor dense, or has no dtype.
    """
    if isinstance(column, (CategoricalColumn, IndicatorColumn)):
        return False
    dtype = getattr(column, "dtype", None)
    if not isinstance(column, DenseColumn) or dtype is None:
        raise ValueError(f"Encountered unexpected column {column}")
    return bool(dtype.is_floating)


def float_columns_of(columns: Iterable[FeatureColumn]) -> list[Any]:
    """Returns those columns whose buckets depend on the data."""
    return [column for column in columns if is_float_column(column)]


def _dimensions(column: DenseColumn) -> int:
    shape = shape_of_numbers(column)
    return int(shape[0]) if shape.as_list() else 1


def feature_count(column: FeatureColumn) -> int:
    """Returns the number of features that a column gives.

    Raises:
        ValueError: if it gives ids, which an indicator column must wrap, or is not dense.
    """
    if isinstance(column, IndicatorColumn):
        return bucket_count(column.categorical_column)
    if isinstance(column, BucketizedColumn):
        return 1
    if isinstance(column, CategoricalColumn):
        raise ValueError(f"CategoricalColumn must be wrapped by IndicatorColumn, got: {column}")
    if isinstance(column, DenseColumn):
        return _dimensions(column)
    raise ValueError(f"Got unexpected feature column type {column}")


def feature_names(columns: Iterable[FeatureColumn]) -> list[str]:
    """Returns the name of the column behind each feature; of an indicator column, that of its ids."""
    names: list[str] = []
    for column in columns:
        named = column.categorical_column if isinstance(column, IndicatorColumn) else column
        names += [named.name] * feature_count(column)
    return names


def features_by_buckets(columns: Iterable[FeatureColumn], num_quantiles: int) -> tuple[list[int], list[list[int]]]:
    """Returns the numbers of buckets that features have, and the features of each number.

    Args:
        columns: feature columns.
        num_quantiles: int, the number of buckets of a float feature.

    Returns:
        list of int, and list of lists of int of the same length.
    """
    groups: dict[int, list[int]] = {}
    bucketized: list[int] = []
    most = _FEWEST
    first = 0
    for column in columns:
        features = range(first, first + feature_count(column))
        first = features.stop
        if isinstance(column, BucketizedColumn):
            # All of them have as many buckets as the one with the most.
            most = max(most, len(column.boundaries) + 1)
            bucketized += features
        else:
            groups.setdefault(_FEWEST if isinstance(column, IndicatorColumn) else num_quantiles, []).extend(features)
    if bucketized:
        groups.setdefault(most, []).extend(bucketized)
    return list(groups), list(groups.values())


def boundaries_by_name(columns: Iterable[Any], boundaries: Sequence[Tensor]) -> dict[str, list[Tensor]]:
    """Returns the bucket boundaries of float columns, one tensor for each of a column's features."""
    found: dict[str, list[Tensor]] = {}
    first = 0
    for column in columns:
        end = first + _dimensions(column)
        found[column.name] = list(boundaries[first:end])
        first = end
    return found


def transformed(features: Mapping[str, Any], columns: Iterable[FeatureColumn]) -> dict[Any, Any]:
    """Returns the tensor that each column makes of the features."""
    given = TransformedFeatures(features)
    return {column: given.get(column) for column in columns}


def _vectors(column: Any, values: Any, raw: Mapping[str, Any], boundaries: Mapping[str, Any]) -> list[Tensor]:
    if isinstance(column, BucketizedColumn):
        squeezed = shaping.squeeze(values, axis=1)
        if (squeezed.get_shape().ndims or 0) > 1:
            name = column.source_column.name
            raise ValueError(
                f"For now, only supports features equivalent to rank 1 but column `{name}` got: {raw[name].shape}"
            )
        return [squeezed]
    if isinstance(column, IndicatorColumn):
        ids = cast(values, dtypes.int32)
        if (ids.get_shape().ndims or 0) > 2:
            name = column.categorical_column.name
            raise ValueError(f"Rank of indicator column must be no more than 2, but column `{name}` got: {ids.shape}")
        return joining.unstack(ids, axis=1)
    feature_count(column)
    shape = shape_of_numbers(column)
    if shape.ndims > 1:
        raise ValueError(
            f"For now, we only support Dense column with rank of 1, but column `{column.name}` got: {shape}"
        )
    vectors = joining.unstack(values, axis=1)
    if not boundaries:
        return vectors
    if column.name not in boundaries:
        raise ValueError(f"Column `{column.name}` must have a float dtype, or be wrapped by a bucketized column")
    return list(apply_op("BoostedTreesBucketize", [vectors, boundaries[column.name]]).outputs)


def feature_vectors(
    features: Mapping[str, Any],
    columns: Iterable[Any],
    boundaries: Mapping[str, Any] | None = None,
    known: Mapping[Any, Any] | None = None,
) -> list[Tensor]:
    """Returns the features that columns give, each of shape [batch].

    Args:
        features: dict of Tensors of shape [batch, ...], the raw features.
        columns: feature columns.
        boundaries: dict from the names of float columns to their boundaries; None to return their numbers.
        known: dict from columns to the tensors that they have made already, or None.

    Returns:
        list of int32 Tensors; float32 ones for float columns without boundaries.

    Raises:
        ValueError: if a column is categorical, or has more than one dimension for each feature.
    """
    columns = list(columns)
    made = dict(known or {})
    made.update(transformed(features, [column for column in columns if column not in made]))
    found: list[Tensor] = []
    for column in columns:
        found += _vectors(column, made[column], features, boundaries or {})
    return found
