"""Feature columns of combinations of other columns' ids."""

from __future__ import annotations

from typing import Any, NamedTuple

from ferroflow._src.contrib.layers.column_base import IdColumn, check_checkpoint, feature_config
from ferroflow._src.contrib.layers.column_lookups import LinearEmbeddingLookupArguments
from ferroflow._src.contrib.layers.feature_crossing import sparse_feature_cross
from ferroflow._src.contrib.layers.number_columns import BucketizedColumn
from ferroflow._src.contrib.layers.sparse_columns import SparseColumn
from ferroflow._src.framework.composite import SparseTensor
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.variables.initializers import Zeros


class _CrossedFields(NamedTuple):
    columns: tuple[Any, ...]
    hash_bucket_size: int
    hash_key: int | None
    combiner: str
    ckpt_to_load_from: str | None
    tensor_name_in_ckpt: str | None


class _CrossedColumn(IdColumn, _CrossedFields):
    """A column of ids that are the hashes of combinations of values."""

    def __new__(
        cls,
        columns: Any,
        hash_bucket_size: int,
        hash_key: int | None,
        combiner: str = "sum",
        ckpt_to_load_from: str | None = None,
        tensor_name_in_ckpt: str | None = None,
    ) -> Any:
        for column in columns:
            if not isinstance(column, (SparseColumn, _CrossedColumn, BucketizedColumn)):
                raise TypeError(
                    "columns must be a set of SparseColumn, _CrossedColumn, or BucketizedColumn instances. "
                    f"(column {column} is a {type(column).__name__})"
                )
        if len(columns) < 2:
            raise ValueError(f"columns must contain at least 2 elements. columns: {columns}")
        if hash_bucket_size < 2:
            raise ValueError(f"hash_bucket_size must be at least 2. hash_bucket_size: {hash_bucket_size}")
        check_checkpoint(ckpt_to_load_from, tensor_name_in_ckpt)
        ordered = tuple(sorted(columns, key=lambda column: column.name))
        return super().__new__(
            cls, ordered, hash_bucket_size, hash_key, combiner, ckpt_to_load_from, tensor_name_in_ckpt
        )

    @property
    def name(self) -> str:
        """The sorted names of the columns, joined by "_X_"."""
        return "_X_".join(sorted(column.name for column in self.columns))

    @property
    def length(self) -> int:
        """The number of ids."""
        return self.hash_bucket_size

    @property
    def config(self) -> dict[str, Any]:
        """The parsing configurations of the features of all columns."""
        return {key: feature for column in self.columns for key, feature in feature_config(column).items()}

    def _to_dnn_input_layer(
        self, input_tensor: Any, weight_collections: Any = None, trainable: bool = True, output_rank: int = 2
    ) -> Tensor:
        raise self._unfit("CrossedColumn", "embedding_column")

    def _checkpoint_path(self) -> tuple[str, str] | None:
        if self.ckpt_to_load_from is None or self.tensor_name_in_ckpt is None:
            return None
        return self.ckpt_to_load_from, self.tensor_name_in_ckpt

    def _wide_embedding_lookup_arguments(self, input_tensor: Any) -> LinearEmbeddingLookupArguments:
        return LinearEmbeddingLookupArguments(input_tensor, None, self.length, Zeros(), self.combiner)

    def _leaves(self) -> list[Any]:
        """Returns the columns, and for a crossed one the columns of that."""
        parts = [column._leaves() if isinstance(column, _CrossedColumn) else [column] for column in self.columns]
        return [leaf for part in parts for leaf in part]

    def _transform_feature(self, inputs: Any) -> SparseTensor:
        tensors = []
        for leaf in self._leaves():
            if isinstance(leaf, BucketizedColumn):
                tensors.append(leaf.to_sparse_tensor(inputs.get(leaf)))
            else:
                tensors.append(inputs.get(leaf.name))  # values, not the ids that the column maps them to
        return sparse_feature_cross(
            tensors, hashed_output=True, num_buckets=self.hash_bucket_size, hash_key=self.hash_key, name="cross"
        )


CrossedColumn = _CrossedColumn
