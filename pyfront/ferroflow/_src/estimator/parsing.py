"""Feature specifications with which an estimator calls `tf.parse_example`: features, labels and weights."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import DTypeLike
from ferroflow._src.feature_column.column import parsed_features
from ferroflow._src.feature_column.models import make_parse_example_spec
from ferroflow._src.feature_column.numeric import NumericColumn, numeric_column
from ferroflow._src.ops.parsing.features import FixedLenFeature


def classifier_parse_example_spec(
    feature_columns: Iterable[Any],
    label_key: str,
    label_dtype: DTypeLike = dtypes.int64,
    label_default: Any = None,
    weight_column: str | None = None,
) -> dict[str, Any]:
    """Returns the features to parse from `tf.Example` messages for a classifier.

    Args:
        feature_columns: iterable of feature columns.
        label_key: str, the key of the label.
        label_dtype: DType of the label: int64, string with a vocabulary, or float32 for two classes.
        label_default: the label of examples that have none; None if all must have one.
        weight_column: str, the key of the feature that weighs examples, or a numeric feature column, or None.

    Returns:
        `tf.FixedLenFeature` or `tf.VarLenFeature` by key, the label's of shape [1].

    Raises:
        ValueError: if the label or the weight is also a feature, or `weight_column` is neither a str nor a numeric
            column.
    """
    return _with_label(
        feature_columns, label_key, FixedLenFeature((1,), dtypes.as_dtype(label_dtype), label_default), weight_column
    )


def regressor_parse_example_spec(
    feature_columns: Iterable[Any],
    label_key: str,
    label_dtype: DTypeLike = dtypes.float32,
    label_default: Any = None,
    label_dimension: int = 1,
    weight_column: str | None = None,
) -> dict[str, Any]:
    """Returns the features to parse from `tf.Example` messages for a regression.

    Args:
        feature_columns: iterable of feature columns.
        label_key: str, the key of the label.
        label_dtype: DType of the label.
        label_default: the label of examples that have none; None if all must have one.
        label_dimension: int, the number of numbers of a label.
        weight_column: str, the key of the feature that weighs examples, or a numeric feature column, or None.

    Returns:
        `tf.FixedLenFeature` or `tf.VarLenFeature` by key, the label's of shape [`label_dimension`].

    Raises:
        ValueError: if the label or the weight is also a feature, or `weight_column` is neither a str nor a numeric
            column.
    """
    label = FixedLenFeature((label_dimension,), dtypes.as_dtype(label_dtype), label_default)
    return _with_label(feature_columns, label_key, label, weight_column)


def _with_label(feature_columns: Iterable[Any], label_key: str, label: Any, weight_column: Any) -> dict[str, Any]:
    spec = make_parse_example_spec(feature_columns)
    if label_key in spec:
        raise ValueError(f"label should not be used as feature. label_key: {label_key}, features: {list(spec)}")
    spec[label_key] = label
    if weight_column is None:
        return spec
    if isinstance(weight_column, str):
        weight_column = numeric_column(weight_column)
    if not isinstance(weight_column, NumericColumn):
        raise ValueError(
            "weight_column should be an instance of tf.feature_column.numeric_column. Given type: "
            f"{type(weight_column)} value: {weight_column}"
        )
    if weight_column.key in spec:
        raise ValueError(
            f"weight_column should not be used as feature. weight_column: {weight_column.key}, features: {list(spec)}"
        )
    return {**spec, **parsed_features(weight_column)}
