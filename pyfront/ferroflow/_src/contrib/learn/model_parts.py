"""Parts of the models of `tf.contrib.learn`: networks and linear models over feature columns, and their training."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from ferroflow._src.autodiff.gradients import gradients
from ferroflow._src.contrib.layers.column_base import FeatureColumnOfContrib
from ferroflow._src.contrib.layers.column_models import (
    input_from_feature_columns,
    joint_weighted_sum_from_feature_columns,
    weighted_sum_from_feature_columns,
)
from ferroflow._src.contrib.layers.embedding_columns import _EmbeddingColumn
from ferroflow._src.contrib.layers.model_layers import dropout as dropout_layer, fully_connected
from ferroflow._src.contrib.layers.optimize_loss import OPTIMIZER_CLS_NAMES, optimize_loss
from ferroflow._src.contrib.learn.learn_modes import ModeKeys
from ferroflow._src.feature_column.models import input_layer, linear_model
from ferroflow._src.framework.default_graph import colocate_with, control_dependencies, get_collection
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.flow.grouping import group
from ferroflow._src.ops.math.clipping import clip_by_global_norm
from ferroflow._src.ops.math.elementwise import sigmoid, tanh
from ferroflow._src.ops.nn.activation import relu
from ferroflow._src.ops.nn.normalization import zero_fraction
from ferroflow._src.ops.state.assigning import assign_add
from ferroflow._src.summary.values import histogram, scalar
from ferroflow._src.supervision.sync_replicas_optimizer import SyncReplicasOptimizer
from ferroflow._src.training.ftrl import FtrlOptimizer
from ferroflow._src.training.global_step import get_global_step
from ferroflow._src.variables.partitioners import min_max_variable_partitioner
from ferroflow._src.variables.scope import variable_scope

__all__ = ["combined_model_fn", "linear_model_fn", "network_model_fn"]

NETWORK: Final = "dnn"
LINEAR: Final = "linear"
NETWORK_RATE: Final = 0.05
_LINEAR_RATE: Final = 0.2
# The size in bytes that a slice of a large table of a parameter server reaches.
_SLICE: Final = 64 << 20
_ACTIVATIONS: Final[dict[str, Callable[..., Any]]] = {"relu": relu, "tanh": tanh, "sigmoid": sigmoid}


class Network(NamedTuple):
    """A network over feature columns.

    Attributes:
        columns: sequence of feature columns.
        hidden_units: sequence of int, the sizes of the hidden layers.
        activation_fn: function of a Tensor, of hidden layers, or None.
        dropout: float, the share of elements that are dropped in training, or None.
        separator: str, between a layer's name and the value in the names of summaries.
        collection: str, the collection of the variables.
        trainable: bool. If True, the variables are trained.
    """

    columns: Sequence[Any]
    hidden_units: Sequence[int]
    activation_fn: Any
    dropout: float | None
    separator: str
    collection: str = NETWORK
    trainable: bool = True

    def logits(self, features: Mapping[str, Any], size: int, mode: str, input_partitioner: Any) -> tuple[Tensor, str]:
        """Returns the logits, of shape [batch, size], and the name of the scope of the input layer."""
        values = list(features.values())
        with variable_scope("input_from_feature_columns", values=values, partitioner=input_partitioner) as input_scope:
            if _are_of_contrib(self.columns):
                net = input_from_feature_columns(
                    features, self.columns, [self.collection], trainable=self.trainable, scope=input_scope
                )
            else:
                net = input_layer(
                    features, self.columns, weight_collections=[self.collection], trainable=self.trainable
                )
        for i, units in enumerate(self.hidden_units):
            with variable_scope(f"hiddenlayer_{i}", values=[net]) as scope:
                net = self._layer(net, units, self.activation_fn, scope)
                if self.dropout is not None and mode == ModeKeys.TRAIN:
                    net = dropout_layer(net, keep_prob=1.0 - self.dropout)
            _summarize(net, scope.name, self.separator)
        with variable_scope("logits", values=[net]) as scope:
            logits = self._layer(net, size, None, scope)
        _summarize(logits, scope.name, self.separator)
        return logits, input_scope.name

    def _layer(self, net: Any, units: int, activation_fn: Any, scope: Any) -> Any:
        return fully_connected(
            net,
            units,
            activation_fn=activation_fn,
            variables_collections=[self.collection],
            trainable=self.trainable,
            scope=scope,
        )


def _are_of_contrib(columns: Sequence[Any]) -> bool:
    return all(isinstance(column, FeatureColumnOfContrib) for column in columns)


def _summarize(value: Tensor, tag: str, separator: str) -> None:
    scalar(f"{tag}{separator}fraction_of_zero_values", zero_fraction(value))
    histogram(f"{tag}{separator}activation", value)


def linear_logits(
    features: Mapping[str, Any],
    columns: Sequence[Any],
    size: int,
    is_joint: Any,
    scope: Any,
    collection: str = LINEAR,
    trainable: bool = True,
) -> Any:
    """Returns the logits of a linear model, of shape [batch, size]."""
    if not _are_of_contrib(columns):
        return linear_model(features, columns, units=size, weight_collections=[collection], trainable=trainable)
    summed = joint_weighted_sum_from_feature_columns if is_joint else weighted_sum_from_feature_columns
    return summed(features, columns, size, [collection], trainable=trainable, scope=scope)[0]


def network_scope(features: Mapping[str, Any], replicas: int, name: str = NETWORK) -> Any:
    """Opens the variable scope of a network."""
    partitioner = min_max_variable_partitioner(replicas)
    return variable_scope(name, values=list(features.values()), partitioner=partitioner)


def linear_scope(features: Mapping[str, Any], replicas: int, name: str = LINEAR) -> Any:
    """Opens the variable scope of a linear model."""
    return variable_scope(name, values=list(features.values()), partitioner=slicing_partitioner(replicas))


def slicing_partitioner(replicas: int, slice_size: int = _SLICE) -> Any:
    """Returns the partitioner of large tables, of which each parameter server gets a slice."""
    return min_max_variable_partitioner(replicas, min_slice_size=slice_size)


def dict_of(features: Any) -> dict[str, Any]:
    """Returns features as a dict; a single Tensor has the key ""."""
    return features if isinstance(features, dict) else {"": features}


def _made(optimizer: Any) -> Any:
    return optimizer() if callable(optimizer) else optimizer


def embedding_variables(column: Any, collection: str, input_scope: str) -> list[Any]:
    """Returns the variables of an embedding column, parts of one table."""
    return get_collection(collection, f"{input_scope}/{column.name}")


def _factors(multipliers: Mapping[Any, float] | None, input_scope: str) -> dict[Any, float] | None:
    """Returns the factors of the gradients of embeddings by their variables."""
    if not multipliers:
        return None
    found = {}
    for column, factor in multipliers.items():
        if not isinstance(column, _EmbeddingColumn):
            raise ValueError(
                f"learning rate multipler can only be defined for embedding columns. It is defined for {column}"
            )
        variables = embedding_variables(column, NETWORK, input_scope)
        if not variables:
            raise ValueError(f"Couldn't find a variable for column {column}")
        found.update(dict.fromkeys(variables, factor))
    return found


def _replicas(config: Any) -> int:
    return config.num_ps_replicas if config else 0


def network_model_fn(features: Any, labels: Any, mode: str, params: Mapping[str, Any], config: Any = None) -> Any:
    """Builds a network that ends in a head.

    Args:
        features: Tensor, or dict from str to Tensor, of any dtype, of shape [batch, ...].
        labels: Tensor, or dict from str to Tensor, of any dtype, of shape [batch, ...].
        mode: str, of `ModeKeys`.
        params: dict of the estimator's arguments by name, with "head".
        config: RunConfig, or None.

    Returns:
        ModelFnOps.

    Raises:
        ValueError: if the activation is a str that names no known function.
    """
    features, head = dict_of(features), params["head"]
    activation = params.get("activation_fn")
    if isinstance(activation, str):
        if activation not in _ACTIVATIONS:
            known = ", ".join(_ACTIVATIONS)
            raise ValueError(f"Activation name should be one of [{known}], you provided {activation}.")
        activation = _ACTIVATIONS[activation]
    network = Network(params["feature_columns"], params["hidden_units"], activation, params.get("dropout"), "_")
    replicas = _replicas(config)
    slice_size = params.get("input_layer_min_slice_size") or _SLICE
    with network_scope(features, replicas):
        partitioner = slicing_partitioner(replicas, slice_size)
        logits, input_scope = network.logits(features, head.logits_dimension, mode, partitioner)

        def step(loss: Any) -> Any:
            return optimize_loss(
                loss=loss,
                global_step=get_global_step(),
                learning_rate=NETWORK_RATE,
                optimizer=_made(params.get("optimizer") or "Adagrad"),
                gradient_multipliers=_factors(params.get("embedding_lr_multipliers"), input_scope),
                clip_gradients=params.get("gradient_clip_norm"),
                name=NETWORK,
                summaries=[],
            )

        return head.create_model_fn_ops(features=features, mode=mode, labels=labels, train_op_fn=step, logits=logits)


def linear_model_fn(features: Any, labels: Any, mode: str, params: Mapping[str, Any], config: Any = None) -> Any:
    """Builds a linear model that ends in a head.

    Args:
        features: Tensor, or dict from str to Tensor, of any dtype, of shape [batch, ...].
        labels: Tensor, or dict from str to Tensor, of any dtype, of shape [batch, ...].
        mode: str, of `ModeKeys`.
        params: dict of the estimator's arguments by name, with "head".
        config: RunConfig, or None.

    Returns:
        ModelFnOps.
    """
    features, head, columns = dict_of(features), params["head"], params["feature_columns"]
    optimizer = params.get("optimizer")
    if not optimizer:
        optimizer = FtrlOptimizer(learning_rate=linear_rate(columns))
    with linear_scope(features, _replicas(config)) as scope:
        logits = linear_logits(features, columns, head.logits_dimension, params.get("joint_weights"), scope)

        def step(loss: Any) -> Any:
            variables = get_collection(LINEAR)
            found = gradients(loss, variables)
            if params.get("gradient_clip_norm"):
                found, _ = clip_by_global_norm(found, params["gradient_clip_norm"])
            chosen = OPTIMIZER_CLS_NAMES[optimizer](_LINEAR_RATE) if isinstance(optimizer, str) else _made(optimizer)
            return chosen.apply_gradients(list(zip(found, variables, strict=True)), global_step=get_global_step())

        return head.create_model_fn_ops(features=features, mode=mode, labels=labels, train_op_fn=step, logits=logits)


def linear_rate(columns: Sequence[Any]) -> float:
    """Returns the usual learning rate of a linear model."""
    return min(_LINEAR_RATE, 1.0 / math.sqrt(len(columns)))


def _checked_optimizer(optimizer: Any) -> Any:
    made = _made(optimizer)
    if isinstance(made, SyncReplicasOptimizer):
        raise ValueError(
            "SyncReplicasOptimizer is not supported in DNNLinearCombined model. If you want to use this optimizer, "
            "please use either DNN or Linear model."
        )
    return made


def combined_model_fn(features: Any, labels: Any, mode: str, params: Mapping[str, Any], config: Any = None) -> Any:
    """Builds a linear model and a network, whose logits add up, with one head.

    Args:
        features: Tensor, or dict from str to Tensor, of any dtype, of shape [batch, ...].
        labels: Tensor, or dict from str to Tensor, of any dtype, of shape [batch, ...].
        mode: str, of `ModeKeys`.
        params: dict of the estimator's arguments by name, with "head".
        config: RunConfig, or None.

    Returns:
        ModelFnOps.

    Raises:
        ValueError: if an optimizer is a SyncReplicasOptimizer.
    """
    features, head, replicas = dict_of(features), params["head"], _replicas(config)
    linear_columns, network_columns = params.get("linear_feature_columns"), params.get("dnn_feature_columns")
    linear_optimizer = _checked_optimizer(params.get("linear_optimizer") or "Ftrl")
    network_optimizer = _checked_optimizer(params.get("dnn_optimizer") or "Adagrad")
    parts, input_scope = [], ""
    if network_columns:
        activation = params.get("dnn_activation_fn") or relu
        network = Network(network_columns, params["dnn_hidden_units"], activation, params.get("dnn_dropout"), "/")
        partitioner = params.get("input_layer_partitioner") or slicing_partitioner(replicas)
        with network_scope(features, replicas):
            logits, input_scope = network.logits(features, head.logits_dimension, mode, partitioner)
        parts.append(logits)
    if linear_columns:
        with linear_scope(features, replicas) as scope:
            size = head.logits_dimension
            logits = linear_logits(features, linear_columns, size, params.get("joint_linear_weights"), scope)
            _summarize(logits, scope.name, "/")
        parts.append(logits)

    def step(loss: Any) -> Any:
        global_step = get_global_step()
        counts_once = params.get("fix_global_step_increment_bug", True)
        chosen = []
        if network_columns:
            factors = _factors(params.get("embedding_lr_multipliers"), input_scope)
            chosen.append((NETWORK, network_optimizer, NETWORK_RATE, factors))
        if linear_columns:
            chosen.append((LINEAR, linear_optimizer, linear_rate(linear_columns), None))
        steps = [
            optimize_loss(
                loss=loss,
                global_step=global_step,
                learning_rate=rate,
                optimizer=optimizer,
                gradient_multipliers=factors,
                clip_gradients=params.get("gradient_clip_norm"),
                variables=get_collection(name),
                name=name,
                summaries=[],
                increment_global_step=not counts_once,
            )
            for name, optimizer, rate, factors in chosen
        ]
        trained = group(*steps)
        if not counts_once:
            return trained
        with control_dependencies([trained]), colocate_with(global_step):
            return assign_add(global_step, 1).op

    logits = parts[0] if len(parts) == 1 else parts[0] + parts[1]
    return head.create_model_fn_ops(features=features, mode=mode, labels=labels, train_op_fn=step, logits=logits)
