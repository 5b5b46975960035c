"""The feature columns of `tf.contrib.layers`.

A model sorts its columns by their keys: texts of the classes and fields, so that both have TensorFlow's names.
The columns are also columns of `tf.feature_column`, and can be used in its models.
"""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping, Sequence
from typing import Any

from ferroflow._src.contrib.layers.column_base import (
    SparseIdLookupConfig as SparseIdLookupConfig,
    feature_config,
    reshaped_numbers as reshaped_numbers,
)
from ferroflow._src.contrib.layers.column_lookups import (
    LinearEmbeddingLookupArguments,
    embeddings_of,
)
from ferroflow._src.contrib.layers.crossed_columns import CrossedColumn as CrossedColumn
from ferroflow._src.contrib.layers.embedding_columns import (
    EmbeddingColumn as EmbeddingColumn,
    OneHotColumn as OneHotColumn,
    ScatteredEmbeddingColumn as ScatteredEmbeddingColumn,
)
from ferroflow._src.contrib.layers.number_columns import (
    BucketizedColumn as BucketizedColumn,
    RealValuedColumn as RealValuedColumn,
    RealValuedVarLenColumn as RealValuedVarLenColumn,
)
from ferroflow._src.contrib.layers.sparse_columns import (
    SparseColumn as SparseColumn,
    SparseColumnHashed as SparseColumnHashed,
    SparseColumnIntegerized as SparseColumnIntegerized,
    SparseColumnKeys as SparseColumnKeys,
    SparseColumnVocabulary as SparseColumnVocabulary,
    WeightedSparseColumn as WeightedSparseColumn,
)
from ferroflow._src.framework.handles import Tensor


def transformed(column: Any, columns_to_tensors: MutableMapping[Any, Any]) -> Any:
    """Returns what a column makes of features, which is added to them once."""
    if column not in columns_to_tensors:
        column.insert_transformed_feature(columns_to_tensors)
        if column not in columns_to_tensors:
            raise ValueError(f"Column {column.name} is not supported.")
    return columns_to_tensors[column]


def dense_layer(column: Any, tensor: Any, weight_collections: Any, trainable: bool, output_rank: int) -> Tensor:
    """Returns the input of a network that a column makes of a transformed feature."""
    try:
        arguments = column._deep_embedding_lookup_arguments(tensor)
    except NotImplementedError as failure:
        try:
            layer: Tensor = column._to_dnn_input_layer(tensor, weight_collections, trainable, output_rank=output_rank)
            return layer
        except ValueError as error:
            message = f"Error creating input layer for column: {column.name}.\n{error}, {failure}"
            raise ValueError(message) from error
    path = checkpoint_of(column)
    return embeddings_of(column.name, path, arguments, weight_collections, trainable, output_rank)


def wide_arguments(column: Any, tensor: Any) -> LinearEmbeddingLookupArguments:
    """Returns what a linear model looks up for a transformed feature; raises NotImplementedError for numbers."""
    arguments: LinearEmbeddingLookupArguments = column._wide_embedding_lookup_arguments(tensor)
    return arguments


def dense_numbers(column: Any, tensor: Any) -> Tensor:
    """Returns the numbers of a transformed feature."""
    numbers: Tensor = column._to_dense_tensor(tensor)
    return numbers


def checkpoint_of(column: Any) -> tuple[str, str] | None:
    """Returns (checkpoint, name of the tensor) that a column's variables start from, or None."""
    path: tuple[str, str] | None = column._checkpoint_path()
    return path


def create_feature_spec_for_parsing(feature_columns: Any) -> dict[str, Any]:
    """Returns what parses the examples of columns.

    Args:
        feature_columns: list of columns, or dict of them.

    Returns:
        dict from keys to FixedLenFeature or VarLenFeature.

    Raises:
        TypeError: if one is none of these columns.
    """
    columns = feature_columns.values() if isinstance(feature_columns, Mapping) else feature_columns
    return {key: feature for column in columns for key, feature in feature_config(column).items()}


def shared_name(columns: Sequence[Any]) -> str:
    """Returns the name of embeddings that columns share, from the names of the first three."""
    plain = sorted(column for column in columns if isinstance(column, SparseColumn))
    weighted = sorted((column for column in columns if not isinstance(column, SparseColumn)), key=lambda c: c.name)
    ordered = [*plain, *weighted]
    name = "_".join(column.name for column in ordered[:3])
    return f"{name}_plus_{len(ordered) - 3}_others_shared_embedding" if len(ordered) > 3 else f"{name}_shared_embedding"


# The classes have TensorFlow's names, because these are parts of the columns' keys.
