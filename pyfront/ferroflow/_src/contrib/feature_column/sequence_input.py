"""`sequence_input_layer`: the input of a recurrent network."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import Collections, DictLike
from ferroflow._src.feature_column.column import (
    TransformedFeatures,
    check_batch_sizes,
    clean_columns,
    scope_name,
    shape_of_numbers,
)
from ferroflow._src.feature_column.sequence import SequenceDenseColumn, equal_lengths, sequence_tensor
from ferroflow._src.framework.default_graph import control_dependencies
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array import joining, shaping
from ferroflow._src.ops.flow.checking import assert_rank, assert_type
from ferroflow._src.variables.scope import variable_scope


def sequence_input_layer(
    features: Mapping[Any, Any],
    feature_columns: Iterable[Any],
    weight_collections: Collections | DictLike | None = None,
    trainable: bool = True,
) -> tuple[Tensor, Tensor]:
    """Returns the input of a recurrent network: the numbers of sequence columns, in the order of the columns' names.

    Args:
        features: the features by their keys: SparseTensors of shape [batch, steps, ...].
        feature_columns: iterable of dense sequence columns.
        weight_collections: list of keys of further collections for the variables.
        trainable: bool. If True, the variables are trained.

    Returns:
        Tensor of float32, of shape [batch, steps, numbers of all columns], and Tensor of int64, of shape [batch], the
        lengths of the sequences.

    Raises:
        ValueError: if a column is not a dense sequence column, two columns have the same name, batch sizes differ, or a
            feature is missing.
        tf.errors.InvalidArgumentError: when the step runs, if columns have different lengths.
    """
    columns = sorted(clean_columns(feature_columns), key=lambda column: str(column.name))
    for column in columns:
        if not isinstance(column, SequenceDenseColumn):
            raise ValueError(
                "All feature_columns must be of type _SequenceDenseColumn. You can wrap a sequence_categorical_column "
                f"with an embedding_column or indicator_column. Given (type {type(column)}): {column}"
            )
    with variable_scope(None, default_name="sequence_input_layer", values=list(features.values())):
        transformed = TransformedFeatures(features)
        parts, lengths = [], []
        for column in columns:
            with variable_scope(None, default_name=scope_name(column)):
                numbers, length = sequence_tensor(column, transformed, weight_collections, trainable)
                sizes, width = shaping.shape(numbers), shape_of_numbers(column).num_elements()
                parts.append(shaping.reshape(numbers, [sizes[0], sizes[1], width]))
                lengths.append(length)
        check_batch_sizes(parts, columns)
        check_batch_sizes(lengths, columns)
        steps = equal_lengths(lengths)
        return joining.concat(parts, -1), steps


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
        repeated = shaping.tile(shaping.expand_dims(context_input, 1), joining.concat([[1], [steps], [1]], 0))
    return joining.concat([sequence_input, repeated], 2)
