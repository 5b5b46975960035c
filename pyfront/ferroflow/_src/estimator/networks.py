"""Estimators of networks, linear models and both together over feature columns."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ferroflow._src.base.typing import Activation, ListLike, Partitioner
from ferroflow._src.estimator.estimator import Estimator, WarmStartSettings
from ferroflow._src.estimator.heads import Head, classification_head, regression_head, train_op
from ferroflow._src.estimator.modes import ModeKeys
from ferroflow._src.estimator.optimizers import optimizer_of
from ferroflow._src.estimator.run_config import RunConfig
from ferroflow._src.estimator.spec import EstimatorSpec
from ferroflow._src.feature_column.models import input_layer, linear_model
from ferroflow._src.framework.default_graph import control_dependencies, get_collection
from ferroflow._src.framework.graph_keys import GraphKeys
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.layers.batch_normalization import batch_normalization
from ferroflow._src.layers.dense import dense
from ferroflow._src.layers.dropout import dropout as dropout_layer
from ferroflow._src.losses.weighting import Reduction
from ferroflow._src.ops.array import joining, shaping
from ferroflow._src.ops.flow.grouping import group
from ferroflow._src.ops.nn.activation import relu
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


class _Network:
    """Layers over feature columns, whose last one gives the head's logits."""

    def __init__(
        self,
        columns: Any,
        hidden_units: Any,
        activation_fn: Any,
        dropout: float | None,
        partitioner: Any,
        batch_norm: bool,
    ) -> None:
        self._columns = tuple(columns or ())
        self._hidden_units = hidden_units
        self._activation_fn = activation_fn
        self._dropout = dropout
        self._partitioner = partitioner
        self._batch_norm = batch_norm

    def logits(self, features: Mapping[str, Any], units: int, mode: str, config: Any) -> Tensor:
        """Returns the logits, of shape [batch, units], with variables in the scope "dnn"."""
        servers = config.num_ps_replicas if config else 0
        values = list(features.values())
        own = min_max_variable_partitioner(max_partitions=max(servers, 1))
        with variable_scope("dnn", values=values, partitioner=own if servers else None):
            inputs = self._partitioner
            if inputs is None and servers:
                inputs = min_max_variable_partitioner(max_partitions=servers, min_slice_size=_SMALLEST_SLICE)
            with variable_scope("input_from_feature_columns", values=values, partitioner=inputs):
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


def _linear_logits(
    features: Mapping[str, Any], columns: Sequence[Any], units: int, partitioner: Any, config: Any
) -> Tensor:
    """Returns the logits of a linear model, of shape [batch, units], with variables in the scope "linear"."""
    servers = config.num_ps_replicas if config else 0
    if partitioner is None and servers:
        partitioner = min_max_variable_partitioner(max_partitions=servers, min_slice_size=_SMALLEST_SLICE)
    with variable_scope("linear", values=list(features.values()), partitioner=partitioner):
        made: dict[Any, Any] = {}
        logits = linear_model(features, columns, units=units, cols_to_vars=made)
        bias = made.pop("bias")
        if units > 1:
            histogram("bias", joining.concat(bias, 0))
        else:
            scalar("bias", bias[0][0])
        weights = [shaping.reshape(v, [-1]) for variables in made.values() for v in variables]
        scalar("fraction_of_zero_weights", zero_fraction(joining.concat(weights, 0)))
    return logits


def _network_model(head: Head, network: _Network, optimizer: Any) -> Callable[..., EstimatorSpec]:
    def model_fn(features: Any, labels: Any, mode: str, config: Any) -> EstimatorSpec:
        _check_features(features)
        chosen = optimizer_of(optimizer, _NETWORK_RATE)
        logits = network.logits(features, head.logits_dimension, mode, config)
        return head.create_estimator_spec(features, mode, logits, labels, lambda loss: train_op(chosen, loss))

    return model_fn


def _linear_model(head: Head, feature_columns: Any, optimizer: Any, partitioner: Any) -> Callable[..., EstimatorSpec]:
    columns = tuple(feature_columns or ())

    def model_fn(features: Any, labels: Any, mode: str, config: Any) -> EstimatorSpec:
        _check_features(features)
        given = optimizer or FtrlOptimizer(min(_LARGEST_LINEAR_RATE, 1 / math.sqrt(len(columns))))
        chosen = optimizer_of(given, _LARGEST_LINEAR_RATE)
        logits = _linear_logits(features, columns, head.logits_dimension, partitioner, config)
        return head.create_estimator_spec(features, mode, logits, labels, lambda loss: train_op(chosen, loss))

    return model_fn


def _combined_model(
    head: Head,
    linear_columns: Any,
    linear_optimizer: Any,
    network: _Network | None,
    dnn_optimizer: Any,
    partitioner: Any,
) -> Callable[..., EstimatorSpec]:
    columns = tuple(linear_columns or ())

    def model_fn(features: Any, labels: Any, mode: str, config: Any) -> EstimatorSpec:
        _check_features(features)
        parts: list[tuple[str, Any, Tensor]] = []
        if network is not None:
            chosen = optimizer_of(dnn_optimizer, _NETWORK_RATE)
            parts.append(("dnn", chosen, network.logits(features, head.logits_dimension, mode, config)))
        if columns:
            chosen = optimizer_of(linear_optimizer, min(_COMBINED_LINEAR_RATE, 1 / math.sqrt(len(columns))))
            logits = _linear_logits(features, columns, head.logits_dimension, partitioner, config)
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
        return head.create_estimator_spec(features, mode, total, labels, train_op_fn)

    return model_fn


class DNNClassifier(Estimator):
    """A classifier that is a network over feature columns.

    Args:
        hidden_units: list of int, the widths of the hidden layers.
        feature_columns: iterable of dense feature columns.
        model_dir: as `Estimator`.
        n_classes: int, the number of classes, whose labels are 0 to n - 1 or those of `label_vocabulary`.
        weight_column: str, the key of the feature that weighs examples, or a numeric feature column, or None.
        label_vocabulary: list of str, the labels; None if they are numbers.
        optimizer: Optimizer, the name of one ("Adagrad", "Adam", "Ftrl", "RMSProp", "SGD"), or a callable that makes
            it.
        activation_fn: callable, the activation of the hidden layers.
        dropout: float, the fraction of the units that is dropped in training, or None.
        input_layer_partitioner: callable, partitioner of the input layer's variables, or None.
        config: RunConfig.
        warm_start_from: as `Estimator`.
        loss_reduction: one of `tf.losses.Reduction`: how the losses of a batch are combined.
        batch_norm: bool. If True, the hidden layers' outputs are normalized over the batch.

    Raises:
        ValueError: if there are fewer than two classes; also on the same conditions as `Estimator`.

    Example:
        >>> columns = [tf.feature_column.numeric_column("x")]
        >>> classifier = tf.estimator.DNNClassifier([8], columns, model_dir="model", n_classes=2)
        >>> input_fn = lambda: ({"x": tf.constant([[-1.0], [1.0]])}, tf.constant([[0], [1]]))
        >>> classifier = classifier.train(input_fn, steps=100)
        >>> print(classifier.evaluate(input_fn, steps=1)["accuracy"])
        1.0
    """

    def __init__(
        self,
        hidden_units: ListLike,
        feature_columns: Iterable[Any],
        model_dir: str | None = None,
        n_classes: int = 2,
        weight_column: str | None = None,
        label_vocabulary: ListLike | None = None,
        optimizer: object = "Adagrad",
        activation_fn: Activation = relu,
        dropout: float | None = None,
        input_layer_partitioner: Partitioner | None = None,
        config: RunConfig | None = None,
        warm_start_from: str | WarmStartSettings | None = None,
        loss_reduction: str = Reduction.SUM,
        batch_norm: bool = False,
    ) -> None:
        head = classification_head(n_classes, weight_column, label_vocabulary, loss_reduction)
        network = _Network(feature_columns, hidden_units, activation_fn, dropout, input_layer_partitioner, batch_norm)
        super().__init__(_network_model(head, network, optimizer), model_dir, config, warm_start_from=warm_start_from)


class DNNRegressor(Estimator):
    """A regression that is a network over feature columns.

    Args:
        hidden_units: as `DNNClassifier`.
        feature_columns: as `DNNClassifier`.
        model_dir: as `Estimator`.
        label_dimension: int, the number of numbers of a label.
        weight_column: as `DNNClassifier`.
        optimizer: as `DNNClassifier`.
        activation_fn: as `DNNClassifier`.
        dropout: as `DNNClassifier`.
        input_layer_partitioner: as `DNNClassifier`.
        config: RunConfig.
        warm_start_from: as `Estimator`.
        loss_reduction: as `DNNClassifier`.
        batch_norm: as `DNNClassifier`.

    Raises:
        ValueError: if `label_dimension` is not positive; also on the same conditions as `Estimator`.
    """

    def __init__(
        self,
        hidden_units: ListLike,
        feature_columns: object,
        model_dir: str | None = None,
        label_dimension: int = 1,
        weight_column: object = None,
        optimizer: object = "Adagrad",
        activation_fn: Activation = relu,
        dropout: float | None = None,
        input_layer_partitioner: Partitioner | None = None,
        config: RunConfig | None = None,
        warm_start_from: str | WarmStartSettings | None = None,
        loss_reduction: str = Reduction.SUM,
        batch_norm: bool = False,
    ) -> None:
        head = regression_head(label_dimension, weight_column, loss_reduction)
        network = _Network(feature_columns, hidden_units, activation_fn, dropout, input_layer_partitioner, batch_norm)
        super().__init__(_network_model(head, network, optimizer), model_dir, config, warm_start_from=warm_start_from)


class LinearClassifier(Estimator):
    """A classifier that is a linear model over feature columns.

    Args:
        feature_columns: iterable of feature columns.
        model_dir: as `Estimator`.
        n_classes: as `DNNClassifier`.
        weight_column: as `DNNClassifier`.
        label_vocabulary: as `DNNClassifier`.
        optimizer: as `DNNClassifier`.
        config: RunConfig.
        partitioner: callable, partitioner of the variables, or None.
        warm_start_from: as `Estimator`.
        loss_reduction: as `DNNClassifier`.

    Raises:
        ValueError: on the same conditions as `DNNClassifier`.
    """

    def __init__(
        self,
        feature_columns: Iterable[Any],
        model_dir: str | None = None,
        n_classes: int = 2,
        weight_column: object = None,
        label_vocabulary: ListLike | None = None,
        optimizer: object = "Ftrl",
        config: RunConfig | None = None,
        partitioner: Partitioner | None = None,
        warm_start_from: str | WarmStartSettings | None = None,
        loss_reduction: str = Reduction.SUM,
    ) -> None:
        head = classification_head(n_classes, weight_column, label_vocabulary, loss_reduction)
        model_fn = _linear_model(head, feature_columns, optimizer, partitioner)
        super().__init__(model_fn, model_dir, config, warm_start_from=warm_start_from)


class LinearRegressor(Estimator):
    """A regression that is a linear model over feature columns.

    Args:
        feature_columns: iterable of feature columns.
        model_dir: as `Estimator`.
        label_dimension: int, the number of numbers of a label.
        weight_column: as `DNNClassifier`.
        optimizer: as `DNNClassifier`.
        config: RunConfig.
        partitioner: callable, partitioner of the variables, or None.
        warm_start_from: as `Estimator`.
        loss_reduction: as `DNNClassifier`.

    Raises:
        ValueError: on the same conditions as `DNNRegressor`.
    """

    def __init__(
        self,
        feature_columns: Iterable[Any],
        model_dir: str | None = None,
        label_dimension: int = 1,
        weight_column: object = None,
        optimizer: object = "Ftrl",
        config: RunConfig | None = None,
        partitioner: Partitioner | None = None,
        warm_start_from: str | WarmStartSettings | None = None,
        loss_reduction: str = Reduction.SUM,
    ) -> None:
        head = regression_head(label_dimension, weight_column, loss_reduction)
        model_fn = _linear_model(head, feature_columns, optimizer, partitioner)
        super().__init__(model_fn, model_dir, config, warm_start_from=warm_start_from)


def _combined_network(
    linear_columns: Any,
    dnn_columns: Any,
    hidden_units: Any,
    activation_fn: Any,
    dropout: Any,
    partitioner: Any,
    batch_norm: bool,
) -> _Network | None:
    if not linear_columns and not dnn_columns:
        raise ValueError("Either linear_feature_columns or dnn_feature_columns must be defined.")
    if not dnn_columns:
        return None
    if not hidden_units:
        raise ValueError("dnn_hidden_units must be defined when dnn_feature_columns is specified.")
    return _Network(dnn_columns, hidden_units, activation_fn, dropout, partitioner, batch_norm)


class DNNLinearCombinedClassifier(Estimator):
    """A classifier that adds the logits of a network and a linear model.

    Args:
        model_dir: as `Estimator`.
        linear_feature_columns: iterable of feature columns of the linear model, or None.
        linear_optimizer: as the optimizer of `DNNClassifier`, for the linear model.
        dnn_feature_columns: iterable of dense feature columns of the network, or None.
        dnn_optimizer: as the optimizer of `DNNClassifier`, for the network.
        dnn_hidden_units: list of int, the widths of the network's hidden layers.
        dnn_activation_fn: callable, their activation.
        dnn_dropout: float, the part of their units that is left out in training, or None.
        n_classes: as `DNNClassifier`.
        weight_column: as `DNNClassifier`.
        label_vocabulary: as `DNNClassifier`.
        input_layer_partitioner: as `DNNClassifier`.
        config: RunConfig.
        warm_start_from: as `Estimator`.
        loss_reduction: as `DNNClassifier`.
        batch_norm: as `DNNClassifier`.

    Raises:
        ValueError: if there are no columns, or no widths for a network; also on the same conditions as `DNNClassifier`.

    Source: Cheng et al., Wide & Deep Learning for Recommender Systems, 2016.
    """

    def __init__(
        self,
        model_dir: Any = None,
        linear_feature_columns: Iterable[Any] | None = None,
        linear_optimizer: Any = "Ftrl",
        dnn_feature_columns: Iterable[Any] | None = None,
        dnn_optimizer: Any = "Adagrad",
        dnn_hidden_units: ListLike | None = None,
        dnn_activation_fn: Callable[..., Any] = relu,
        dnn_dropout: float | None = None,
        n_classes: int = 2,
        weight_column: Any = None,
        label_vocabulary: Any = None,
        input_layer_partitioner: Partitioner | None = None,
        config: Any = None,
        warm_start_from: Any = None,
        loss_reduction: str = Reduction.SUM,
        batch_norm: bool = False,
    ) -> None:
        network = _combined_network(
            linear_feature_columns,
            dnn_feature_columns,
            dnn_hidden_units,
            dnn_activation_fn,
            dnn_dropout,
            input_layer_partitioner,
            batch_norm,
        )
        head = classification_head(n_classes, weight_column, label_vocabulary, loss_reduction)
        model_fn = _combined_model(
            head, linear_feature_columns, linear_optimizer, network, dnn_optimizer, input_layer_partitioner
        )
        super().__init__(model_fn, model_dir, config, warm_start_from=warm_start_from)


class DNNLinearCombinedRegressor(Estimator):
    """A regression that adds the predictions of a network and a linear model.

    Args:
        model_dir: as `Estimator`.
        linear_feature_columns: as `DNNLinearCombinedClassifier`.
        linear_optimizer: as `DNNLinearCombinedClassifier`.
        dnn_feature_columns: as `DNNLinearCombinedClassifier`.
        dnn_optimizer: as `DNNLinearCombinedClassifier`.
        dnn_hidden_units: as `DNNLinearCombinedClassifier`.
        dnn_activation_fn: as `DNNLinearCombinedClassifier`.
        dnn_dropout: as `DNNLinearCombinedClassifier`.
        label_dimension: int, the number of numbers of a label.
        weight_column: as `DNNClassifier`.
        input_layer_partitioner: as `DNNClassifier`.
        config: RunConfig.
        warm_start_from: as `Estimator`.
        loss_reduction: as `DNNClassifier`.
        batch_norm: as `DNNClassifier`.

    Raises:
        ValueError: if there are no columns, or no widths for a network; also on the same conditions as `DNNRegressor`.
    """

    def __init__(
        self,
        model_dir: Any = None,
        linear_feature_columns: Any = None,
        linear_optimizer: Any = "Ftrl",
        dnn_feature_columns: Any = None,
        dnn_optimizer: Any = "Adagrad",
        dnn_hidden_units: Any = None,
        dnn_activation_fn: Any = relu,
        dnn_dropout: float | None = None,
        label_dimension: int = 1,
        weight_column: Any = None,
        input_layer_partitioner: Partitioner | None = None,
        config: Any = None,
        warm_start_from: Any = None,
        loss_reduction: str = Reduction.SUM,
        batch_norm: bool = False,
    ) -> None:
        network = _combined_network(
            linear_feature_columns,
            dnn_feature_columns,
            dnn_hidden_units,
            dnn_activation_fn,
            dnn_dropout,
            input_layer_partitioner,
            batch_norm,
        )
        head = regression_head(label_dimension, weight_column, loss_reduction)
        model_fn = _combined_model(
            head, linear_feature_columns, linear_optimizer, network, dnn_optimizer, input_layer_partitioner
        )
        super().__init__(model_fn, model_dir, config, warm_start_from=warm_start_from)
