"""Model functions of networks, linear models and both together, and the functions that compute their logits."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ferroflow._src.base.typing import Activation, DictLike, ListLike, NestedTensors, Partitioner
from ferroflow._src.estimator.heads import BaseHead
from ferroflow._src.estimator.modes import ModeKeys, argument_names
from ferroflow._src.estimator.optimizers import optimizer_of
from ferroflow._src.estimator.spec import EstimatorSpec
from ferroflow._src.feature_column.models import input_layer, linear_model
from ferroflow._src.framework.default_graph import control_dependencies, get_collection
from ferroflow._src.framework.graph_keys import GraphKeys
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.layers.batch_normalization import batch_normalization
from ferroflow._src.layers.dense import dense
from ferroflow._src.layers.dropout import dropout as dropout_layer
from ferroflow._src.ops.array import joining, shaping
from ferroflow._src.ops.flow.grouping import group
from ferroflow._src.ops.nn.normalization import zero_fraction
from ferroflow._src.ops.state.assigning import assign_add
from ferroflow._src.summary.values import histogram, scalar
from ferroflow._src.training.ftrl import FtrlOptimizer
from ferroflow._src.training.global_step import get_global_step
from ferroflow._src.variables.initializers import GlorotUniform
from ferroflow._src.variables.partitioners import min_max_variable_partitioner
from ferroflow._src.variables.scope import variable_scope

_NETWORK_RATE = 0.05
_LARGEST_LINEAR_RATE = 0.2
_COMBINED_LINEAR_RATE = 0.005
_SMALLEST_SLICE = 64 << 20


def _check_features(features: Any) -> None:
    if not isinstance(features, dict):
        raise ValueError(f"features should be a dictionary of `Tensor`s. Given type: {type(features)}")


def _summarize(values: Tensor, tag: str) -> None:
    scalar(f"{tag}/fraction_of_zero_values", zero_fraction(values))
    histogram(f"{tag}/activation", values)


def _between_servers(config: Any, min_slice_size: int = 256 << 10) -> Partitioner:
    """Returns a partitioner that makes at most one slice for each parameter server, and one if there are none."""
    servers = config.num_ps_replicas if config else 0
    return min_max_variable_partitioner(max_partitions=servers, min_slice_size=min_slice_size)


class Network:
    """Layers over feature columns, whose last one gives the head's logits."""

    def __init__(
        self,
        columns: Any,
        hidden_units: Any,
        activation_fn: Any,
        dropout: float | None,
        partitioner: Partitioner | None,
        batch_norm: bool,
    ) -> None:
        self._columns = tuple(columns or ())
        self._hidden_units = hidden_units
        self._activation_fn = activation_fn
        self._dropout = dropout
        self._partitioner = partitioner
        self._batch_norm = batch_norm

    def scope(self, features: Mapping[str, Any], config: Any) -> variable_scope:
        """Returns the scope "dnn", whose variables are divided between the parameter servers."""
        return variable_scope("dnn", values=list(features.values()), partitioner=_between_servers(config))

    def logits(self, features: Mapping[str, Any], units: int, mode: str, config: Any) -> Tensor:
        """Returns the logits, of shape [batch, units], with variables in the open scope."""
        return self.layers(features, units, mode, self._partitioner or _between_servers(config, _SMALLEST_SLICE))

    def layers(self, features: Mapping[str, Any], units: int, mode: str, partitioner: Any) -> Tensor:
        """Returns the logits, of shape [batch, units], with variables in the open scope."""
        values = list(features.values())
        with variable_scope("input_from_feature_columns", values=values, partitioner=partitioner):
            net = input_layer(features, self._columns)
        for i, width in enumerate(self._hidden_units):
            with variable_scope(f"hiddenlayer_{i}", values=[net]) as scope:
                net = dense(
                    net,
                    units=width,
                    activation=self._activation_fn,
                    kernel_initializer=GlorotUniform(),
                    name=scope,
                )
                if self._dropout is not None and mode == ModeKeys.TRAIN:
                    net = dropout_layer(net, rate=self._dropout, training=True)
                if self._batch_norm:
                    is_training = mode == ModeKeys.TRAIN
                    net = batch_normalization(net, momentum=0.999, training=is_training, name=f"batchnorm_{i}")
            _summarize(net, scope.name)
        with variable_scope("logits", values=[net]) as scope:
            outputs = dense(net, units=units, activation=None, kernel_initializer=GlorotUniform(), name=scope)
        _summarize(outputs, scope.name)
        logits: Tensor = outputs
        return logits


def _linear_scope(features: Mapping[str, Any], partitioner: Any, config: Any) -> variable_scope:
    """Returns the scope "linear", whose variables are divided by the partitioner or between the parameter servers."""
    chosen = partitioner or _between_servers(config, _SMALLEST_SLICE)
    return variable_scope("linear", values=list(features.values()), partitioner=chosen)


def _linear_logits(features: Mapping[str, Any], columns: Sequence[Any], units: int, combiner: str) -> Tensor:
    """Returns the logits of a linear model, of shape [batch, units], with variables in the open scope."""
    made: dict[Any, Any] = {}
    logits = linear_model(features, columns, units=units, sparse_combiner=combiner, cols_to_vars=made)
    bias = made.pop("bias")
    if units > 1:
        histogram("bias", joining.concat(bias, 0))
    else:
        scalar("bias", bias[0][0])
    weights = [shaping.reshape(v, [-1]) for variables in made.values() for v in variables]
    scalar("fraction_of_zero_weights", zero_fraction(joining.concat(weights, 0)))
    return logits


def network_model(head: BaseHead, network: Network, optimizer: Any) -> Callable[..., EstimatorSpec]:
    """Returns the model function of a network with a head."""

    def model_fn(features: Any, labels: Any, mode: str, config: Any) -> EstimatorSpec:
        _check_features(features)
        chosen = optimizer_of(optimizer, _NETWORK_RATE)
        with network.scope(features, config):
            logits = network.logits(features, head.logits_dimension, mode, config)
            return head.create_estimator_spec(
                features=features, mode=mode, logits=logits, labels=labels, optimizer=chosen
            )

    return model_fn


def linear_model_of(
    head: BaseHead, feature_columns: Any, optimizer: Any, partitioner: Any, sparse_combiner: str
) -> Callable[..., EstimatorSpec]:
    """Returns the model function of a linear model with a head."""
    columns = tuple(feature_columns or ())

    def model_fn(features: Any, labels: Any, mode: str, config: Any) -> EstimatorSpec:
        _check_features(features)
        given = optimizer or FtrlOptimizer(min(_LARGEST_LINEAR_RATE, 1 / math.sqrt(len(columns))))
        chosen = optimizer_of(given, _LARGEST_LINEAR_RATE)
        with _linear_scope(features, partitioner, config):
            logits = _linear_logits(features, columns, head.logits_dimension, sparse_combiner)
            return head.create_estimator_spec(
                features=features, mode=mode, logits=logits, labels=labels, optimizer=chosen
            )

    return model_fn


def combined_model(
    head: BaseHead,
    linear_columns: Any,
    linear_optimizer: Any,
    network: Network | None,
    dnn_optimizer: Any,
    partitioner: Any,
    sparse_combiner: str,
) -> Callable[..., EstimatorSpec]:
    """Returns the model function of a network and a linear model with a head."""
    columns = tuple(linear_columns or ())

    def model_fn(features: Any, labels: Any, mode: str, config: Any) -> EstimatorSpec:
        _check_features(features)
        parts: list[tuple[str, Any, Tensor]] = []
        if network is not None:
            chosen = optimizer_of(dnn_optimizer, _NETWORK_RATE)
            with network.scope(features, config):
                logits = network.logits(features, head.logits_dimension, mode, config)
            parts.append(("dnn", chosen, logits))
        if columns:
            chosen = optimizer_of(linear_optimizer, min(_COMBINED_LINEAR_RATE, 1 / math.sqrt(len(columns))))
            with _linear_scope(features, partitioner, config):
                logits = _linear_logits(features, columns, head.logits_dimension, sparse_combiner)
                _summarize(logits, "linear")
            parts.append(("linear", chosen, logits))

        def train_op_fn(loss: Tensor) -> Any:
            steps = [
                optimizer.minimize(loss, var_list=get_collection(GraphKeys.TRAINABLE_VARIABLES, scope=scope))
                for scope, optimizer, _ in parts
            ]
            with control_dependencies([group(*steps)]):
                return assign_add(get_global_step(), 1).op

        total = parts[0][2] if len(parts) == 1 else parts[0][2] + parts[1][2]
        return head.create_estimator_spec(
            features=features, mode=mode, logits=total, labels=labels, train_op_fn=train_op_fn
        )

    return model_fn


def combined_network(
    linear_columns: Any,
    dnn_columns: Any,
    hidden_units: Any,
    activation_fn: Any,
    dropout: Any,
    partitioner: Any,
    batch_norm: bool,
) -> Network | None:
    """Returns the network beside a linear model, or None; raises ValueError if there are no columns or widths."""
    if not linear_columns and not dnn_columns:
        raise ValueError("Either linear_feature_columns or dnn_feature_columns must be defined.")
    if not dnn_columns:
        return None
    if not hidden_units:
        raise ValueError("dnn_hidden_units must be defined when dnn_feature_columns is specified.")
    return Network(dnn_columns, hidden_units, activation_fn, dropout, partitioner, batch_norm)


def dnn_logit_fn_builder(
    units: int,
    hidden_units: ListLike,
    feature_columns: Iterable[Any],
    activation_fn: Activation,
    dropout: float | None,
    input_layer_partitioner: Partitioner | None,
    batch_norm: bool,
) -> Callable[..., Tensor]:
    """Returns a function of `features` and `mode` that adds a network to the graph.

    Args:
        units: int, the number of outputs of an example.
        hidden_units: list of int, the widths of the hidden layers.
        feature_columns: iterable of dense feature columns.
        activation_fn: callable, the activation of the hidden layers.
        dropout: float, the fraction of the units that is dropped in training, or None.
        input_layer_partitioner: callable, partitioner of the input layer's variables, or None.
        batch_norm: bool. If True, the hidden layers' outputs are normalized over the batch.

    Returns:
        callable that returns the logits: a float32 Tensor of shape [batch, units].

    Raises:
        ValueError: if `units` is no int.
    """
    if not isinstance(units, int):
        raise ValueError(f"units must be an int. Given type: {type(units)}")
    network = Network(feature_columns, hidden_units, activation_fn, dropout, None, batch_norm)

    def dnn_logit_fn(features: Any, mode: str) -> Tensor:
        return network.layers(features, units, mode, input_layer_partitioner)

    return dnn_logit_fn


def linear_logit_fn_builder(
    units: int, feature_columns: Iterable[Any], sparse_combiner: str = "sum"
) -> Callable[..., Tensor]:
    """Returns a function of `features` that adds a linear model to the graph.

    Args:
        units: int, the number of outputs of an example.
        feature_columns: iterable of feature columns.
        sparse_combiner: "sum", "mean" or "sqrtn": how the weights of several values of a feature are combined.

    Returns:
        callable that returns the logits: a float32 Tensor of shape [batch, units].
    """
    columns = tuple(feature_columns)

    def linear_logit_fn(features: Any) -> Tensor:
        return _linear_logits(features, columns, units, sparse_combiner)

    return linear_logit_fn


def call_logit_fn(
    logit_fn: Callable[..., Any], features: NestedTensors, mode: str, params: DictLike | None, config: Any
) -> Any:
    """Calls a function that computes logits with those of the arguments that it takes.

    Args:
        logit_fn: callable of `features`, and of `mode`, `params` and `config` if it takes them.
        features: dict of Tensors of any dtypes and shapes, or what else the function takes.
        mode: one of `ModeKeys`.
        params: dict, or None.
        config: RunConfig, or None.

    Returns:
        Logits: float Tensor of shape [batch, n], or dict of them.

    Raises:
        ValueError: if the function returns neither a Tensor nor a dict of Tensors.
    """
    names = argument_names(logit_fn)
    given = {"mode": mode, "params": params, "config": config}
    logits = logit_fn(features=features, **{name: value for name, value in given.items() if name in names})
    parts = list(logits.values()) if isinstance(logits, dict) else [logits]
    if not parts or not all(isinstance(part, Tensor) for part in parts):
        raise ValueError(
            f"logit_fn should return a Tensor or a dictionary mapping strings to Tensors.  logit_fn returned: {logits}"
        )
    return logits
