"""Models of feature columns: the input of a network, a linear model, the features to parse from examples."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ferroflow._src.base.typing import Collections, DictLike
from ferroflow._src.feature_column.column import (
    CategoricalColumn,
    DenseColumn,
    FeatureColumn,
    TransformedFeatures,
    bucket_count,
    check_batch_sizes,
    clean_columns,
    dense_tensor,
    parsed_features,
    scope_name,
    shape_of_numbers,
    sparse_tensors,
)
from ferroflow._src.framework.default_graph import get_collection
from ferroflow._src.framework.graph_keys import GraphKeys
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array import joining, shaping
from ferroflow._src.ops.math.arithmetic import add_n
from ferroflow._src.ops.math.linalg import matmul
from ferroflow._src.ops.nn.activation import bias_add
from ferroflow._src.ops.nn.embedding import safe_embedding_lookup_sparse
from ferroflow._src.ops.sparse.shaping import sparse_reshape
from ferroflow._src.variables.get_variable import get_variable
from ferroflow._src.variables.initializers import Zeros
from ferroflow._src.variables.partitioned_variable import PartitionedVariable
from ferroflow._src.variables.scope import variable_scope
from ferroflow._src.variables.variable_scope import get_variable_scope


def _collections(given: Any) -> list[Any]:
    keys = list(given or [])
    return keys + [key for key in (GraphKeys.GLOBAL_VARIABLES, GraphKeys.MODEL_VARIABLES) if key not in keys]


def _variables_of_scope() -> list[Any]:
    return get_collection(GraphKeys.GLOBAL_VARIABLES, scope=get_variable_scope().name)


def _rows(column: Any, features: TransformedFeatures, weight_collections: Any, trainable: bool) -> Tensor:
    """Returns the numbers of a dense column, one row for each example."""
    numbers = dense_tensor(column, features, weight_collections=weight_collections, trainable=trainable)
    width: int = shape_of_numbers(column).num_elements()
    return shaping.reshape(numbers, (shaping.shape(numbers)[0], width))


def input_layer(
    features: Mapping[Any, Any],
    feature_columns: Iterable[Any],
    weight_collections: Collections | DictLike | None = None,
    trainable: bool = True,
    cols_to_vars: dict[Any, Any] | None = None,
    cols_to_output_tensors: dict[Any, Any] | None = None,
) -> Tensor:
    """Returns the input of a network: the numbers of dense columns, side by side in the order of the columns' names.

    Args:
        features: the features by their keys: Tensors or SparseTensors of shape [batch, ...].
        feature_columns: iterable of dense feature columns.
        weight_collections: list of keys of further collections for the variables.
        trainable: bool. If True, the variables are trained.
        cols_to_vars: dict to put the list of each column's variables into, or None.
        cols_to_output_tensors: dict to put each column's numbers into, or None.

    Returns:
        Tensor of float32, of shape [batch, numbers of all columns].

    Raises:
        ValueError: if a column is not dense, two columns have the same name, batch sizes differ, or a feature is
            missing.
    """
    columns = clean_columns(feature_columns)
    for column in columns:
        if not isinstance(column, DenseColumn):
            raise ValueError(
                "Items of feature_columns must be a _DenseColumn. You can wrap a categorical column with an "
                f"embedding_column or indicator_column. Given: {column}"
            )
    keys = _collections(weight_collections)
    in_order = sorted(columns, key=lambda column: str(column.name))
    with variable_scope(None, default_name="input_layer", values=_features(features)):
        transformed = TransformedFeatures(features)
        parts = []
        for column in in_order:
            with variable_scope(None, default_name=scope_name(column)):
                part = _rows(column, transformed, keys, trainable)
                parts.append(part)
                if cols_to_vars is not None:
                    cols_to_vars[column] = _variables_of_scope()
                if cols_to_output_tensors is not None:
                    cols_to_output_tensors[column] = part
        check_batch_sizes(parts, in_order)
        return joining.concat(parts, 1)


def _features(features: Any) -> list[Any]:
    if not isinstance(features, Mapping):
        raise TypeError(f"The features must be a dict of them by their keys, not {features!r}.")
    return list(features.values())


def linear_model(
    features: Mapping[Any, Any],
    feature_columns: Iterable[Any],
    units: int = 1,
    sparse_combiner: str = "sum",
    weight_collections: Collections | DictLike | None = None,
    trainable: bool = True,
    cols_to_vars: dict[Any, Any] | None = None,
) -> Tensor:
    """Returns a linear function of columns: a weight for each number of dense ones and each id of categorical ones, and
    a bias.

    Args:
        features: the features by their keys: Tensors or SparseTensors of shape [batch, ...].
        feature_columns: iterable of feature columns.
        units: int, the number of outputs.
        sparse_combiner: "sum", "mean" or "sqrtn", how the weights of an example's ids are combined.
        weight_collections: list of keys of further collections for the variables.
        trainable: bool. If True, the variables are trained.
        cols_to_vars: dict to put the list of each column's variables into, and that of the bias under "bias", or
            None.

    Returns:
        Tensor of float32, of shape [batch, units].

    Raises:
        ValueError: if a column is neither dense nor categorical, two columns have the same name, batch sizes differ, or
            a feature is missing.
    """
    columns = clean_columns(feature_columns)
    for column in columns:
        if not isinstance(column, (DenseColumn, CategoricalColumn)):
            raise ValueError(
                f"Items of feature_columns must be either a _DenseColumn or _CategoricalColumn. Given: {column}"
            )
    keys = _collections(weight_collections)
    in_order = sorted(columns, key=lambda column: str(column.name))

    def weights(name: str, shape: list[int]) -> Any:
        # TF 1.x: the variables of this function are behind handles.
        return get_variable(
            name, shape=shape, initializer=Zeros(), trainable=trainable, collections=keys, use_resource=True
        )

    with variable_scope(None, default_name="linear_model", values=_features(features)):
        transformed = TransformedFeatures(features)
        sums = []
        for column in in_order:
            with variable_scope(None, default_name=scope_name(column)):
                if isinstance(column, CategoricalColumn):
                    ids, id_weights = sparse_tensors(column, transformed, weight_collections=keys, trainable=trainable)
                    summed = safe_embedding_lookup_sparse(
                        weights("weights", [bucket_count(column), units]),
                        _matrix(ids),
                        sparse_weights=None if id_weights is None else _matrix(id_weights),
                        combiner=sparse_combiner,
                        name="weighted_sum",
                    )
                else:
                    # Before the column's own variables: their order is that of TensorFlow's.
                    held = weights("weights", [shape_of_numbers(column).num_elements(), units])
                    summed = matmul(_rows(column, transformed, keys, trainable), held, name="weighted_sum")
                sums.append(summed)
                if cols_to_vars is not None:
                    cols_to_vars[column] = _variables_of_scope()
        check_batch_sizes(sums, in_order)
        bias = weights("bias_weights", [units])
        if cols_to_vars is not None:
            cols_to_vars["bias"] = list(bias) if isinstance(bias, PartitionedVariable) else [bias]
        return bias_add(add_n(sums, name="weighted_sum_no_bias"), bias, name="weighted_sum")


def _matrix(values: Any) -> Any:
    return sparse_reshape(values, [shaping.shape(values)[0], -1])


def make_parse_example_spec(feature_columns: Iterable[Any]) -> dict[str, Any]:
    """Returns the features that columns need, for `tf.parse_example`.

    Args:
        feature_columns: iterable of feature columns.

    Returns:
        `tf.FixedLenFeature` or `tf.VarLenFeature` by key.

    Raises:
        ValueError: if an element is not a feature column, or two columns parse one feature in different ways.
    """
    spec: dict[str, Any] = {}
    for column in feature_columns:
        if not isinstance(column, FeatureColumn):
            raise ValueError(f"All feature_columns must be _FeatureColumn instances. Given: {column}")
        for key, feature in parsed_features(column).items():
            if spec.get(key, feature) != feature:
                raise ValueError(
                    f"feature_columns contain different parse_spec for key {key}. Given {feature} and {spec[key]}"
                )
            spec[key] = feature
    return spec
