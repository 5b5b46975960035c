"""Columns that make numbers of ids: rows of a table that is trained, or counts."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.base.typing import Initializer, ListLike
from ferroflow._src.checkpoint.init_from_checkpoint import init_from_checkpoint
from ferroflow._src.feature_column.categorical import WeightedCategoricalColumn
from ferroflow._src.feature_column.column import (
    CategoricalColumn,
    DenseColumn,
    TransformedFeatures,
    bucket_count,
    parsed_features,
    sparse_tensors,
)
from ferroflow._src.feature_column.sequence import (
    SequenceCategoricalColumn,
    SequenceDenseColumn,
    TensorSequenceLengthPair,
    sequence_lengths,
)
from ferroflow._src.framework.default_graph import get_default_graph, name_scope
from ferroflow._src.framework.graph_keys import GraphKeys
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.framework.per_graph import PerGraph
from ferroflow._src.ops.array import making
from ferroflow._src.ops.array.indexing import scatter_nd
from ferroflow._src.ops.math.reduction import reduce_sum
from ferroflow._src.ops.nn.embedding import safe_embedding_lookup_sparse
from ferroflow._src.ops.sparse.converting import sparse_merge, sparse_tensor_to_dense
from ferroflow._src.ops.sparse.shaping import sparse_slice
from ferroflow._src.variables.get_variable import get_variable
from ferroflow._src.variables.initializers import TruncatedNormal


class _IndicatorFields(NamedTuple):
    categorical_column: CategoricalColumn


class IndicatorColumn(DenseColumn, SequenceDenseColumn, _IndicatorFields):
    """Column of the counts or weights of each id; `indicator_column` makes it."""

    @property
    def name(self) -> str:
        """The name of the ids with `_indicator`."""
        return f"{self.categorical_column.name}_indicator"

    @property
    def _parse_example_spec(self) -> dict[str, Any]:
        return parsed_features(self.categorical_column)

    def _transform_feature(self, inputs: TransformedFeatures) -> Tensor:
        ids, weights = sparse_tensors(self.categorical_column, inputs)
        count = bucket_count(self.categorical_column)
        if weights is not None:
            merged = sparse_merge(sp_ids=ids, sp_values=weights, vocab_size=count)
            # Removes ids of -1.
            kept = sparse_slice(merged, [0, 0], merged.dense_shape)
            return scatter_nd(kept.indices, kept.values, kept.dense_shape)
        dense = sparse_tensor_to_dense(ids, default_value=-1)
        return reduce_sum(making.one_hot(dense, depth=count, on_value=1.0, off_value=0.0), axis=[-2])

    @property
    def _variable_shape(self) -> TensorShape:
        return TensorShape([1, bucket_count(self.categorical_column)])

    def _get_dense_tensor(
        self, inputs: TransformedFeatures, weight_collections: Any = None, trainable: Any = None
    ) -> Tensor:
        _check_no_sequence(self, "indicator_column")
        counts: Tensor = inputs.get(self)
        return counts

    def _get_sequence_dense_tensor(
        self, inputs: TransformedFeatures, weight_collections: Any = None, trainable: Any = None
    ) -> TensorSequenceLengthPair:
        ids = ids_of_sequence(self, "indicator_column", inputs)
        return TensorSequenceLengthPair(inputs.get(self), sequence_lengths(ids))


class _EmbeddingFields(NamedTuple):
    categorical_column: CategoricalColumn
    dimension: int
    combiner: str
    initializer: Any
    ckpt_to_load_from: str | None
    tensor_name_in_ckpt: str | None
    max_norm: float | None
    trainable: bool


class EmbeddingColumn(DenseColumn, SequenceDenseColumn, _EmbeddingFields):
    """Column of rows of its own table; `embedding_column` makes it."""

    @property
    def name(self) -> str:
        """The name of the ids with `_embedding`."""
        return f"{self.categorical_column.name}_embedding"

    @property
    def _parse_example_spec(self) -> dict[str, Any]:
        return parsed_features(self.categorical_column)

    def _transform_feature(self, inputs: TransformedFeatures) -> Any:
        return inputs.get(self.categorical_column)

    @property
    def _variable_shape(self) -> TensorShape:
        return TensorShape([self.dimension])

    def _get_dense_tensor(
        self, inputs: TransformedFeatures, weight_collections: Any = None, trainable: Any = None
    ) -> Tensor:
        _check_no_sequence(self, "embedding_column")
        return self._rows(inputs, weight_collections, trainable)

    def _rows(self, inputs: TransformedFeatures, weight_collections: Any, trainable: Any) -> Tensor:
        # TF 1.x: the table is made after the ids, for its seed.
        ids = sparse_tensors(self.categorical_column, inputs, weight_collections, trainable)
        return _looked_up(self, _new_table(self, trainable, weight_collections), ids)

    def _get_sequence_dense_tensor(
        self, inputs: TransformedFeatures, weight_collections: Any = None, trainable: Any = None
    ) -> TensorSequenceLengthPair:
        ids = ids_of_sequence(self, "embedding_column", inputs)
        return TensorSequenceLengthPair(self._rows(inputs, weight_collections, trainable), sequence_lengths(ids))


class _SharedFields(NamedTuple):
    categorical_column: CategoricalColumn
    dimension: int
    combiner: str
    initializer: Any
    var_scope_name: str
    ckpt_to_load_from: str | None
    tensor_name_in_ckpt: str | None
    max_norm: float | None
    trainable: bool


class SharedEmbeddingColumn(DenseColumn, SequenceDenseColumn, _SharedFields):
    """Column of rows of a table shared with other columns; `shared_embedding_columns` makes it."""

    # The table of each graph, of all columns that share.
    _tables: PerGraph[Any]

    @property
    def name(self) -> str:
        """The ids' name followed by `_shared_embedding`."""
        return f"{self.categorical_column.name}_shared_embedding"

    @property
    def _var_scope_name(self) -> str:
        return self.var_scope_name

    @property
    def _parse_example_spec(self) -> dict[str, Any]:
        return parsed_features(self.categorical_column)

    def _transform_feature(self, inputs: TransformedFeatures) -> Any:
        return inputs.get(self.categorical_column)

    @property
    def _variable_shape(self) -> TensorShape:
        return TensorShape([self.dimension])

    def _get_dense_tensor(
        self, inputs: TransformedFeatures, weight_collections: Any = None, trainable: Any = None
    ) -> Tensor:
        _check_no_sequence(self, "embedding_column")
        return self._rows(inputs, weight_collections, trainable)

    def _get_sequence_dense_tensor(
        self, inputs: TransformedFeatures, weight_collections: Any = None, trainable: Any = None
    ) -> TensorSequenceLengthPair:
        ids = ids_of_sequence(self, "embedding_column", inputs)
        return TensorSequenceLengthPair(self._rows(inputs, weight_collections, trainable), sequence_lengths(ids))

    def _rows(self, inputs: TransformedFeatures, weight_collections: Any, trainable: Any) -> Tensor:
        with name_scope(None, default_name=self.name):
            ids = sparse_tensors(self.categorical_column, inputs, weight_collections, trainable)
            graph = get_default_graph()
            if graph not in self._tables:
                self._tables[graph] = _new_table(self, trainable, weight_collections)
            return _looked_up(self, self._tables[graph], ids)


def _check_no_sequence(column: Any, maker: str) -> None:
    """Raises ValueError if a column's ids are those of sequences."""
    ids = column.categorical_column
    if isinstance(ids, SequenceCategoricalColumn):
        raise ValueError(
            f"In {maker}: {column.name}. categorical_column must not be of type _SequenceCategoricalColumn. Suggested "
            "fix A: If you wish to use input_layer, use a non-sequence categorical_column_with_*. Suggested fix B: If "
            "you wish to create sequence input, use sequence_input_layer instead of input_layer. Given (type "
            f"{type(ids)}): {ids}"
        )


def ids_of_sequence(column: Any, maker: str, inputs: TransformedFeatures) -> Any:
    """Returns the ids of sequences; raises ValueError if a column's ids are not those of sequences."""
    ids = column.categorical_column
    if not isinstance(ids, SequenceCategoricalColumn):
        raise ValueError(
            f"In {maker}: {column.name}. categorical_column must be of type _SequenceCategoricalColumn to use "
            f"sequence_input_layer. Suggested fix: Use one of sequence_categorical_column_with_*. Given (type "
            f"{type(ids)}): {ids}"
        )
    return sparse_tensors(ids, inputs).id_tensor


def looked_up_in(column: Any, table: Any, inputs: TransformedFeatures) -> Tensor:
    """Returns the combined rows of a table for the ids of a column that `embedding_column` made."""
    return _looked_up(column, table, sparse_tensors(column.categorical_column, inputs))


def _new_table(column: Any, trainable: Any, weight_collections: Any) -> Any:
    table = get_variable(
        "embedding_weights",
        shape=(bucket_count(column.categorical_column), column.dimension),
        initializer=column.initializer,
        trainable=column.trainable and trainable is not False,
        collections=list(dict.fromkeys((GraphKeys.GLOBAL_VARIABLES, *(weight_collections or ())))),
    )
    if column.ckpt_to_load_from is not None:
        init_from_checkpoint(column.ckpt_to_load_from, {column.tensor_name_in_ckpt: table})
    return table


def _looked_up(column: Any, table: Any, ids_and_weights: Any) -> Tensor:
    ids, weights = ids_and_weights
    return safe_embedding_lookup_sparse(
        table, ids, weights, combiner=column.combiner, name=f"{column.name}_weights", max_norm=column.max_norm
    )


def indicator_column(categorical_column: CategoricalColumn) -> IndicatorColumn:
    """Returns a column of how often each id occurs in an example, or of the sum of its weights.

    Args:
        categorical_column: a categorical feature column.

    Returns:
        A dense feature column, of one number for each id.
    """
    return IndicatorColumn(categorical_column)


def _checked_initializer(
    dimension: Any, initializer: Any, ckpt_to_load_from: Any, tensor_name_in_ckpt: Any, where: str
) -> Callable[..., Any]:
    if dimension is None or dimension < 1:
        raise ValueError(f"Invalid dimension {dimension}.")
    if (ckpt_to_load_from is None) != (tensor_name_in_ckpt is None):
        raise ValueError("Must specify both `ckpt_to_load_from` and `tensor_name_in_ckpt` or none of them.")
    if initializer is None:
        return TruncatedNormal(mean=0.0, stddev=1 / math.sqrt(dimension))
    if not callable(initializer):
        raise ValueError(f"initializer must be callable if specified.{where}")
    given: Callable[..., Any] = initializer
    return given


def embedding_column(
    categorical_column: CategoricalColumn,
    dimension: int,
    combiner: str = "mean",
    initializer: Initializer | None = None,
    ckpt_to_load_from: str | None = None,
    tensor_name_in_ckpt: str | None = None,
    max_norm: float | None = None,
    trainable: bool = True,
) -> EmbeddingColumn:
    """Returns a column of rows of a table, one row for each id; those of an example are combined.

    Args:
        categorical_column: a categorical feature column.
        dimension: int, the number of columns of the table.
        combiner: "mean", "sum" or "sqrtn", how the rows of an example are combined, as `tf.nn.embedding_lookup_sparse`.
        initializer: callable, an initializer of the table; None for a truncated normal one of standard deviation
            1 / sqrt(dimension).
        ckpt_to_load_from: str, the checkpoint that the table is initialized from, or None.
        tensor_name_in_ckpt: str, its name there.
        max_norm: float, the Euclidean norm that longer rows are scaled down to; None for no limit.
        trainable: bool. If True, the table is trained.

    Returns:
        A dense feature column.

    Raises:
        ValueError: if the dimension is not positive, one of the arguments of checkpoints is given without the other, or
            the initializer is not callable.
    """
    where = f" Embedding of column_name: {categorical_column.name}"
    initializer = _checked_initializer(dimension, initializer, ckpt_to_load_from, tensor_name_in_ckpt, where)
    return EmbeddingColumn(
        categorical_column,
        dimension,
        combiner,
        initializer,
        ckpt_to_load_from,
        tensor_name_in_ckpt,
        max_norm,
        trainable,
    )


def shared_embedding_columns(
    categorical_columns: ListLike,
    dimension: int,
    combiner: str = "mean",
    initializer: Initializer | None = None,
    shared_embedding_collection_name: str | None = None,
    ckpt_to_load_from: str | None = None,
    tensor_name_in_ckpt: str | None = None,
    max_norm: float | None = None,
    trainable: bool = True,
) -> list[SharedEmbeddingColumn]:
    """Returns columns of rows of one table, as `embedding_column` makes them.

    Args:
        categorical_columns: list of categorical feature columns, all of one kind and with the same number of ids.
        dimension: int, the number of columns of the table.
        combiner: as `embedding_column`.
        initializer: as `embedding_column`.
        shared_embedding_collection_name: str, the name of the table's scope; None for the names of the columns, sorted,
            with `_shared_embedding`.
        ckpt_to_load_from: as `embedding_column`.
        tensor_name_in_ckpt: as `embedding_column`.
        max_norm: as `embedding_column`.
        trainable: as `embedding_column`.

    Returns:
        List of dense feature columns, in the order given.

    Raises:
        ValueError: on the same conditions as `embedding_column`, or if there are no columns, or the columns have
            different kinds or numbers of ids.
    """
    initializer = _checked_initializer(dimension, initializer, ckpt_to_load_from, tensor_name_in_ckpt, "")
    in_order = sorted(categorical_columns, key=lambda column: str(column.name))
    if not in_order:
        raise ValueError("shared_embedding_columns needs one column or more.")
    first = in_order[0]
    if not isinstance(first, CategoricalColumn):
        raise ValueError(
            f"All categorical_columns must be subclasses of _CategoricalColumn. Given: {first}, of type: {type(first)}"
        )
    for column in in_order[1:]:
        kind, expected = type(_unweighted(column)), type(_unweighted(first))
        if not issubclass(kind, expected):
            raise ValueError(
                "To use shared_embedding_column, all categorical_columns must have the same type, or be "
                f"weighted_categorical_column of the same type. Given column: {first} of type: {expected} does not "
                f"match given column: {column} of type: {kind}"
            )
        if bucket_count(column) != bucket_count(first):
            raise ValueError(
                "To use shared_embedding_column, all categorical_columns must have the same number of buckets. Given "
                f"column: {first} with buckets: {bucket_count(first)} does  not match column: {column} with buckets: "
                f"{bucket_count(column)}"
            )
    scope = shared_embedding_collection_name or "_".join([*(c.name for c in in_order), "shared_embedding"])
    tables = PerGraph[Any]()
    shared = []
    for column in categorical_columns:
        made = SharedEmbeddingColumn(
            column,
            dimension,
            combiner,
            initializer,
            scope,
            ckpt_to_load_from,
            tensor_name_in_ckpt,
            max_norm,
            trainable,
        )
        made._tables = tables
        shared.append(made)
    return shared


def _unweighted(column: Any) -> Any:
    return column.categorical_column if isinstance(column, WeightedCategoricalColumn) else column
