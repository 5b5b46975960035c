"""The column of combinations of other columns' values, hashed to ids."""

from __future__ import annotations

from typing import Any, NamedTuple

from ferroflow._src.base import dtypes
from ferroflow._src.feature_column.categorical import HashedCategoricalColumn
from ferroflow._src.feature_column.column import (
    CategoricalColumn,
    FeatureColumn,
    IdWeightPair,
    TransformedFeatures,
    parsed_features,
    sparse_tensors,
)
from ferroflow._src.framework.composite import SparseTensor
from ferroflow._src.ops.parsing.features import VarLenFeature
from ferroflow._src.ops.sparse.crossing import sparse_cross_hashed


class _CrossedFields(NamedTuple):
    keys: tuple[Any, ...]
    hash_bucket_size: int
    hash_key: int | None


class CrossedColumn(CategoricalColumn, _CrossedFields):
    """Column of combinations of values hashed to ids; `crossed_column` makes it."""

    @property
    def name(self) -> str:
        """The names of what is crossed, sorted, with `_X_` between them."""
        return "_X_".join(sorted(key.name if isinstance(key, FeatureColumn) else key for key in self._leaves()))

    def _leaves(self) -> list[Any]:
        """Returns the keys that are not crossings themselves."""
        return [leaf for key in self.keys for leaf in (key._leaves() if isinstance(key, CrossedColumn) else [key])]

    @property
    def _parse_example_spec(self) -> dict[str, Any]:
        spec: dict[str, Any] = {}
        for key in self.keys:
            of_key = parsed_features(key) if isinstance(key, FeatureColumn) else {key: VarLenFeature(dtypes.string)}
            spec.update(of_key)
        return spec

    def _transform_feature(self, inputs: TransformedFeatures) -> SparseTensor:
        crossed = []
        for key in self._leaves():
            if isinstance(key, str):
                crossed.append(inputs.get(key))
                continue
            ids, weights = sparse_tensors(key, inputs)
            if weights is not None:
                raise ValueError(
                    "crossed_column does not support weight_tensor, but the given column populates weight_tensor. "
                    f"Given column: {key.name}"
                )
            crossed.append(ids)
        return sparse_cross_hashed(crossed, num_buckets=self.hash_bucket_size, hash_key=self.hash_key)

    @property
    def _num_buckets(self) -> int:
        return self.hash_bucket_size

    def _get_sparse_tensors(
        self, inputs: TransformedFeatures, weight_collections: Any = None, trainable: Any = None
    ) -> IdWeightPair:
        return IdWeightPair(inputs.get(self), None)


def crossed_column(keys: Any, hash_bucket_size: int, hash_key: int | None = None) -> CrossedColumn:
    """Returns a column of combinations of several features' values, hashed to ids.

    Args:
        keys: iterable of two or more features: str, the key of a feature of strings, or a categorical feature column
            but a hashed one.
        hash_bucket_size: int, the number of ids.
        hash_key: int, where the hash starts from; None for TensorFlow's own.

    Returns:
        A categorical feature column.

    Raises:
        ValueError: if there are fewer than two keys, a key has a wrong type, or the number of buckets is not positive.
    """
    if not hash_bucket_size or hash_bucket_size < 1:
        raise ValueError(f"hash_bucket_size must be > 1. hash_bucket_size: {hash_bucket_size}")
    if not keys or len(keys) < 2:
        raise ValueError(f"keys must be a list with length > 1. Given: {keys}")
    for key in keys:
        if not isinstance(key, (str, CategoricalColumn)):
            raise ValueError(
                "Unsupported key type. All keys must be either string, or categorical column except "
                f"_HashedCategoricalColumn. Given: {key}"
            )
        if isinstance(key, HashedCategoricalColumn):
            raise ValueError(
                "categorical_column_with_hash_bucket is not supported for crossing. Hashing before crossing will "
                "increase probability of collision. Instead, use the feature name as a string. Given: "
                f"{key}"
            )
    return CrossedColumn(tuple(keys), hash_bucket_size, hash_key)
