"""Inputs of networks and sums of linear models from the feature columns of `tf.contrib.layers`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ferroflow._src.base import dtypes, nest
from ferroflow._src.base.typing import TensorLike
from ferroflow._src.contrib.framework.model_variables import model_variable
from ferroflow._src.contrib.layers import columns as kinds
from ferroflow._src.contrib.layers.column_lookups import (
    LinearEmbeddingLookupArguments,
    restore,
    variable_parts,
)
from ferroflow._src.contrib.layers.inner_flattening import inner_flatten
from ferroflow._src.framework.composite import SparseTensor
from ferroflow._src.framework.graph_keys import GraphKeys
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array import shaping
from ferroflow._src.ops.array.joining import concat
from ferroflow._src.ops.math.arithmetic import add_n
from ferroflow._src.ops.math.linalg import matmul
from ferroflow._src.ops.nn.activation import bias_add
from ferroflow._src.ops.nn.embedding import safe_embedding_lookup_sparse
from ferroflow._src.ops.parsing.examples import parse_example, parse_single_sequence_example
from ferroflow._src.ops.parsing.features import FixedLenFeature, FixedLenSequenceFeature, VarLenFeature
from ferroflow._src.ops.sparse.shaping import sparse_concat, sparse_reshape
from ferroflow._src.variables.initializers import Zeros
from ferroflow._src.variables.scope import variable_scope

__all__ = [
    "check_feature_columns",
    "input_from_feature_columns",
    "joint_weighted_sum_from_feature_columns",
    "parse_feature_columns_from_examples",
    "parse_feature_columns_from_sequence_examples",
    "sequence_input_from_feature_columns",
    "transform_features",
    "weighted_sum_from_feature_columns",
]


class _Transformer:
    """Features, each transformed by its columns once."""

    def __init__(self, columns_to_tensors: Any) -> None:
        self._columns_to_tensors = columns_to_tensors

    def transform(self, feature_column: Any) -> Any:
        """Returns what a column makes of the features."""
        return kinds.transformed(feature_column, self._columns_to_tensors)


def check_feature_columns(feature_columns: Any) -> None:
    """Checks that columns have different keys.

    Args:
        feature_columns: list of columns.

    Raises:
        ValueError: if they are a dict, or two have one key.
    """
    if isinstance(feature_columns, Mapping):
        raise ValueError("Expected feature_columns to be iterable, found dict.")
    seen = set()
    for column in feature_columns:
        if column.key in seen:
            raise ValueError(
                f"Duplicate feature column key found for column: {column.name}. This usually means that the column is "
                "almost identical to another column, and one must be discarded."
            )
        seen.add(column.key)


def _sorted(feature_columns: Any) -> list[Any]:
    return sorted(set(feature_columns), key=lambda column: column.key)


def _with_rank(tensor: Any, column_name: str, output_rank: int) -> Any:
    """Returns a feature with a rank: a last dimension of 1 is added, or the last dimensions are joined."""
    is_sparse = isinstance(tensor, SparseTensor)
    rank = tensor.get_shape().ndims
    if rank is None and is_sparse:
        rank = tensor.dense_shape.get_shape().as_list()[0]
    if rank is None:
        raise ValueError(f"Error while processing column {column_name}. Rank of input Tensor can not be None.")
    if output_rank > rank + 1:
        raise ValueError(
            f"Error while processing column {column_name}. Rank of input Tensor ({rank}) should be the same as "
            f"output_rank ({output_rank}). For example, sequence data should typically be 3 dimensional (rank 3) while "
            "non-sequence data is typically 2 dimensional (rank 2)."
        )
    if output_rank == rank:
        return tensor
    if output_rank < rank:
        return inner_flatten(tensor, output_rank)
    if is_sparse:
        return sparse_reshape(tensor, concat([tensor.dense_shape, [1]], 0))
    return shaping.expand_dims(tensor, -1)


def _collections(keys: Any) -> Any:
    return list({*keys, GraphKeys.GLOBAL_VARIABLES}) if keys else keys


def _input(
    columns_to_tensors: Any,
    feature_columns: Any,
    weight_collections: Any,
    trainable: bool,
    scope: Any,
    output_rank: int,
    default_name: str,
    cols_to_outs: Any = None,
) -> Tensor:
    features = dict(columns_to_tensors)
    check_feature_columns(feature_columns)
    if cols_to_outs is not None and not isinstance(cols_to_outs, dict):
        raise ValueError("cols_to_outs must be a dict unless None")
    values = list(columns_to_tensors.values())
    with variable_scope(scope, default_name, values):
        outputs = []
        for column in _sorted(feature_columns):
            with variable_scope(None, column.name, values):
                tensor = kinds.transformed(column, features)
                if output_rank == 3:
                    tensor = nest.map_structure(lambda t, c=column: _with_rank(t, c.name, output_rank), tensor)
                output = kinds.dense_layer(column, tensor, _collections(weight_collections), trainable, output_rank)
            outputs.append(output)
            if cols_to_outs is not None:
                cols_to_outs[column] = output
        return concat(outputs, output_rank - 1)


def input_from_feature_columns(
    columns_to_tensors: Mapping[Any, Any],
    feature_columns: Any,
    weight_collections: Any = None,
    trainable: bool = True,
    scope: Any = None,
    cols_to_outs: dict[Any, Any] | None = None,
) -> Tensor:
    """Returns the numbers of columns side by side, in the order of the columns' keys.

    Args:
        columns_to_tensors: dict from keys to Tensors or SparseTensors of any dtypes, of shape [batch, ...].
        feature_columns: list of columns that give numbers.
        weight_collections: list of str, keys of collections that variables are put into.
        trainable: bool. If True, variables are trained.
        scope: str or VariableScope; None for "input_from_feature_columns", made unique.
        cols_to_outs: dict that receives each column's numbers, or None.

    Returns:
        Tensor of float32, of shape [batch, size].

    Raises:
        ValueError: if a column gives no numbers, or two columns have one key.
    """
    return _input(
        columns_to_tensors,
        feature_columns,
        weight_collections,
        trainable,
        scope,
        2,
        "input_from_feature_columns",
        cols_to_outs,
    )


def parent_columns(column: Any) -> tuple[Any, ...]:
    """Returns the columns that a column is made of."""
    for field in ("sparse_id_column", "source_column"):
        if hasattr(column, field):
            return (getattr(column, field),)
    return tuple(getattr(column, "columns", ()))


def _check_sequence_columns(feature_columns: Iterable[Any]) -> None:
    allowed = (
        kinds.OneHotColumn,
        kinds.EmbeddingColumn,
        kinds.RealValuedColumn,
        kinds.RealValuedVarLenColumn,
    )
    denied = (kinds.ScatteredEmbeddingColumn, kinds.BucketizedColumn, kinds.CrossedColumn)
    waiting = list(feature_columns)
    for column in waiting:
        if not isinstance(column, allowed):
            raise ValueError(
                f"FeatureColumn type {type(column).__name__} is not currently supported for sequence data."
            )
    while waiting:
        column = waiting.pop()
        if isinstance(column, denied):
            raise ValueError(
                f"Column {column.name} is of type {type(column).__name__}, which is not currently supported for "
                "sequences."
            )
        waiting.extend(parent_columns(column))


def sequence_input_from_feature_columns(
    columns_to_tensors: Mapping[Any, Any],
    feature_columns: Any,
    weight_collections: Any = None,
    trainable: bool = True,
    scope: Any = None,
) -> Tensor:
    """Returns the numbers of columns side by side, for each step of sequences.

    Args:
        columns_to_tensors: dict from keys to Tensors or SparseTensors of any dtypes, of shape [batch, steps, ...].
        feature_columns: list of columns that give numbers.
        weight_collections: list of str, keys of collections that variables are put into.
        trainable: bool. If True, variables are trained.
        scope: str or VariableScope; None for "sequence_input_from_feature_columns", made unique.

    Returns:
        Tensor of float32, of shape [batch, steps, size].

    Raises:
        ValueError: if a column does not work for sequences, or two columns have one key.
    """
    _check_sequence_columns(feature_columns)
    return _input(
        columns_to_tensors,
        feature_columns,
        weight_collections,
        trainable,
        scope,
        3,
        "sequence_input_from_feature_columns",
    )


def _lookup(
    name: str, arguments: LinearEmbeddingLookupArguments, num_outputs: int, trainable: bool, keys: Any
) -> tuple[list[Any], Tensor]:
    """Returns the weights of ids, and their joined values."""
    weights = model_variable(
        "weights",
        shape=[arguments.vocab_size, num_outputs],
        dtype=dtypes.float32,
        initializer=arguments.initializer,
        trainable=trainable,
        collections=keys,
    )
    parts = variable_parts(weights)
    joined = safe_embedding_lookup_sparse(
        parts, arguments.input_tensor, sparse_weights=arguments.weight_tensor, combiner=arguments.combiner, name=name
    )
    return parts, joined


def _bias(num_outputs: int, keys: Any, trainable: bool) -> Any:
    return model_variable(
        "bias_weight",
        shape=[num_outputs],
        initializer=Zeros(),
        trainable=trainable,
        collections=_collections(keys),
    )


def _weighted_sum(
    column: Any, tensor: Any, num_outputs: int, keys: Any, trainable: bool, values: list[Any]
) -> tuple[list[Any], Tensor]:
    try:
        arguments = kinds.wide_arguments(column, tensor)
    except NotImplementedError:
        with variable_scope(None, column.name, values):
            numbers = _with_rank(kinds.dense_numbers(column, tensor), column.name, 2)
            weight = model_variable(
                "weight",
                shape=[numbers.get_shape()[1], num_outputs],
                initializer=Zeros(),
                trainable=trainable,
                collections=keys,
            )
            return [weight], matmul(numbers, weight, name="matmul")
    with variable_scope(None, column.name, values):
        return _lookup(f"{column.name}_weights", arguments, num_outputs, trainable, keys)


def weighted_sum_from_feature_columns(
    columns_to_tensors: Mapping[Any, Any],
    feature_columns: Any,
    num_outputs: int,
    weight_collections: Any = None,
    trainable: bool = True,
    scope: Any = None,
) -> tuple[Tensor, dict[Any, list[Any]], Any]:
    """Returns the weighted sums of columns, and a bias, as linear models compute them.

    Args:
        columns_to_tensors: dict from keys to Tensors or SparseTensors of any dtypes, of shape [batch, ...].
        feature_columns: list of columns.
        num_outputs: int, how many sums there are.
        weight_collections: list of str, keys of collections that variables are put into.
        trainable: bool. If True, variables are trained.
        scope: str or VariableScope; None for "weighted_sum_from_feature_columns", made unique.

    Returns:
        (Tensor of float32, of shape [batch, num_outputs]; dict from columns to lists of variables; the bias).

    Raises:
        ValueError: if a column does not work for linear models, or two columns have one key.
    """
    features = dict(columns_to_tensors)
    check_feature_columns(feature_columns)
    values = list(columns_to_tensors.values())
    with variable_scope(scope, "weighted_sum_from_feature_columns", values):
        sums, variables = [], {}
        for column in _sorted(feature_columns):
            tensor = kinds.transformed(column, features)
            try:
                parts, found = _weighted_sum(column, tensor, num_outputs, weight_collections, trainable, values)
            except ValueError as failure:
                raise ValueError(f"Error creating weighted sum for column: {column.name}.\n{failure}") from failure
            sums.append(shaping.reshape(found, [-1, num_outputs]))
            variables[column] = parts
            restore(kinds.checkpoint_of(column), parts)
        total = add_n(sums)
        bias = _bias(num_outputs, weight_collections, trainable)
        return bias_add(total, bias), variables, bias


def joint_weighted_sum_from_feature_columns(
    columns_to_tensors: Mapping[Any, Any],
    feature_columns: Any,
    num_outputs: int,
    weight_collections: Any = None,
    trainable: bool = True,
    scope: Any = None,
) -> tuple[Tensor, list[Any], Any]:
    """Returns the weighted sums of columns of ids, with the weights of all columns in one variable, and a bias.

    Args:
        columns_to_tensors: dict from keys to Tensors or SparseTensors of any dtypes, of shape [batch, ...].
        feature_columns: list of columns of ids without weights, whose values are summed.
        num_outputs: int, how many sums there are.
        weight_collections: list of str, keys of collections that variables are put into.
        trainable: bool. If True, variables are trained.
        scope: str or VariableScope; None for "joint_weighted_sum_from_feature_columns", made unique.

    Returns:
        (Tensor of float32, of shape [batch, num_outputs]; list of the variable's parts; the bias).

    Raises:
        NotImplementedError: if a column is one of numbers.
        AssertionError: if a column has weights, or joins its values otherwise.
        ValueError: if two columns have one key.
    """
    features = dict(columns_to_tensors)
    check_feature_columns(feature_columns)
    values = list(columns_to_tensors.values())
    with variable_scope(scope, "joint_weighted_sum_from_feature_columns", values):
        arguments = []
        for column in _sorted(feature_columns):
            try:
                arguments.append(kinds.wide_arguments(column, kinds.transformed(column, features)))
            except NotImplementedError:
                raise NotImplementedError(
                    "Real-valued columns are not supported. Use weighted_sum_from_feature_columns instead, or "
                    "bucketize these columns."
                ) from None
        advice = "Please use weighted_sum_from_feature_columns instead."
        if any(one.weight_tensor is not None for one in arguments):
            raise AssertionError(f"Joint sums for weighted sparse columns are not supported. {advice}")
        if any(one.combiner != "sum" for one in arguments):
            raise AssertionError(f"Combiners other than sum are not supported for joint sums. {advice}")
        if not arguments:
            raise AssertionError("At least one column must be in the model.")
        size, ids = 0, []
        for one in arguments:
            sparse = one.input_tensor
            ids.append(SparseTensor(sparse.indices, sparse.values + size, sparse.dense_shape))
            size += one.vocab_size
        joined = LinearEmbeddingLookupArguments(sparse_concat(1, ids), None, size, Zeros(), "sum")
        with variable_scope(None, "linear_weights", values):
            parts, total = _lookup("_weights", joined, num_outputs, trainable, weight_collections)
        bias = _bias(num_outputs, weight_collections, trainable)
        return bias_add(total, bias), parts, bias


def parse_feature_columns_from_examples(
    serialized: TensorLike, feature_columns: Any, name: str | None = None, example_names: Any = None
) -> dict[Any, Any]:
    """Parses `tf.Example` messages, and transforms their features by columns.

    Args:
        serialized: Tensor of string, of shape [batch].
        feature_columns: list of columns.
        name: str, name of the operations.
        example_names: Tensor of string, of shape [batch], for messages; or None.

    Returns:
        dict from keys and columns to Tensors or SparseTensors.

    Raises:
        ValueError: if two columns have one key.
    """
    check_feature_columns(feature_columns)
    spec = kinds.create_feature_spec_for_parsing(feature_columns)
    features: dict[Any, Any] = dict(
        parse_example(serialized=serialized, features=spec, name=name, example_names=example_names)
    )
    for column in _sorted(feature_columns):
        kinds.transformed(column, features)
    return features


def transform_features(features: Mapping[Any, Any], feature_columns: Any) -> dict[Any, Any]:
    """Transforms features by columns.

    Args:
        features: dict from keys to Tensors or SparseTensors of any dtypes, of shape [batch, ...].
        feature_columns: list of columns.

    Returns:
        dict from columns to Tensors or SparseTensors.

    Raises:
        ValueError: if two columns have one key.
    """
    check_feature_columns(feature_columns)
    known = dict(features)
    for column in _sorted(feature_columns):
        kinds.transformed(column, known)
    return {key: value for key, value in known.items() if key in feature_columns}


def _create_sequence_feature_spec_for_parsing(
    sequence_feature_columns: Any, allow_missing_by_default: bool = False
) -> dict[str, Any]:
    """Returns what parses the sequences of columns: a feature of fixed length is a sequence of such features."""
    spec: dict[str, Any] = {}
    for key, feature in kinds.create_feature_spec_for_parsing(sequence_feature_columns).items():
        if isinstance(feature, VarLenFeature):
            spec[key] = feature
        elif isinstance(feature, (FixedLenFeature, FixedLenSequenceFeature)):
            may_lack = allow_missing_by_default or feature.default_value is not None
            spec[key] = FixedLenSequenceFeature(shape=feature.shape, dtype=feature.dtype, allow_missing=may_lack)
        else:
            raise TypeError(f"Unsupported feature type: {type(feature).__name__}")
    return spec


def parse_feature_columns_from_sequence_examples(
    serialized: TensorLike,
    context_feature_columns: Any,
    sequence_feature_columns: Any,
    name: str | None = None,
    example_name: Any = None,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Parses a `tf.SequenceExample` message.

    Args:
        serialized: Tensor of string, of shape [] or [1].
        context_feature_columns: list of columns of the whole example, or None.
        sequence_feature_columns: list of columns of the steps, or None.
        name: str, name of the operations.
        example_name: Tensor of string, of shape [], for messages; or None.

    Returns:
        (dict of the context's features, dict of the sequences' features).

    Raises:
        ValueError: if there are several messages, or two columns have one key.
    """
    try:
        message = shaping.reshape(serialized, [])
    except ValueError as failure:
        raise ValueError(
            "serialized must contain as single sequence example. Batching must be done after parsing for sequence "
            f"examples. Error: {failure}"
        ) from failure
    context, sequence = context_feature_columns or [], sequence_feature_columns or []
    check_feature_columns(context)
    check_feature_columns(sequence)
    found: tuple[dict[str, Any], dict[str, Any]] = parse_single_sequence_example(
        message,
        kinds.create_feature_spec_for_parsing(context),
        _create_sequence_feature_spec_for_parsing(sequence),
        example_name,
        name,
    )
    return found
