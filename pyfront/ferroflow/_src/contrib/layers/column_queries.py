"""Questions about the columns of `tf.feature_column` and `tf.contrib.layers`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ferroflow._src.contrib.layers.column_base import FeatureColumnOfContrib
from ferroflow._src.feature_column.column import FeatureColumn
from ferroflow._src.feature_column.embedded import SharedEmbeddingColumn

__all__ = ["is_feature_column_v2"]


def is_feature_column_v2(feature_columns: Iterable[Any]) -> bool:
    """Returns True if layers take each column: none is of `tf.contrib.layers`, or shares its table with others.

    Args:
        feature_columns: iterable of columns.

    Returns:
        bool.
    """
    return all(
        isinstance(column, FeatureColumn)
        and not isinstance(column, (FeatureColumnOfContrib, SharedEmbeddingColumn))
        # Columns of programs have the attribute.
        and getattr(column, "_is_v2_column", True)
        for column in feature_columns
    )
