"""Models of `tf.contrib.learn` to build estimators from: logits of feature columns, and the step that trains them."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, Final

from ferroflow._src.autodiff.gradients import gradients
from ferroflow._src.checkpoint.reader import list_variables, load_variable
from ferroflow._src.contrib.layers.optimize_loss import OPTIMIZER_CLS_NAMES
from ferroflow._src.contrib.learn.learn_modes import ModeKeys
from ferroflow._src.contrib.learn.model_parts import (
    LINEAR,
    NETWORK,
    NETWORK_RATE,
    Network,
    linear_logits,
    linear_rate,
    linear_scope,
    network_scope,
    slicing_partitioner,
)
from ferroflow._src.framework.default_graph import get_collection
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.math.clipping import clip_by_global_norm
from ferroflow._src.ops.nn.activation import relu

__all__ = ["DNNComposableModel", "LinearComposableModel"]

_BIAS: Final = "bias_weight"


class _ComposableModel(ABC):
    """A part of an estimator's model, with variables in a collection of its scope's name."""

    def __init__(
        self,
        num_label_columns: int,
        optimizer: Any,
        gradient_clip_norm: float | None,
        num_ps_replicas: int,
        scope: str,
        trainable: bool,
    ) -> None:
        self._size, self._optimizer, self._clip_norm = num_label_columns, optimizer, gradient_clip_norm
        self._replicas, self._scope, self._trainable = num_ps_replicas, scope, trainable
        self._columns: Sequence[Any] = ()

    def get_scope_name(self) -> str:
        """Returns the name of the scope of the variables, a str."""
        return self._scope

    @abstractmethod
    def build_model(self, features: Mapping[str, Any], feature_columns: Any, is_training: bool) -> Tensor:
        """Adds the model to the graph.

        Args:
            features: dict from str to Tensor of any dtype, of shape [batch, ...].
            feature_columns: list of feature columns.
            is_training: bool. If True, elements are dropped.

        Returns:
            Tensor of float32, of shape [batch, num_label_columns]: the logits.
        """

    @abstractmethod
    def _optimizer_of(self, name: str | None) -> Any:
        """Returns the optimizer of a name, or the usual one."""

    def get_train_step(self, loss: Any) -> list[Any]:
        """Adds the step that trains the model's variables.

        Args:
            loss: Tensor of float32, of shape [].

        Returns:
            list of Operations; without feature columns an empty one.
        """
        if not self._columns:
            return []
        variables = get_collection(self._scope)
        found = gradients(loss, variables)
        if self._clip_norm:
            found, _ = clip_by_global_norm(found, self._clip_norm)
        return [self._chosen_optimizer().apply_gradients(list(zip(found, variables, strict=True)))]

    def _chosen_optimizer(self) -> Any:
        if self._optimizer is None or isinstance(self._optimizer, str):
            return self._optimizer_of(self._optimizer)
        return self._optimizer() if callable(self._optimizer) else self._optimizer


class LinearComposableModel(_ComposableModel):
    """A linear model of feature columns.

    Args:
        num_label_columns: int, the number of logits.
        optimizer: tf.train.Optimizer, a function that returns one, or the name of one; None for "Ftrl".
        _joint_weights: bool. If True, all columns share one variable.
        gradient_clip_norm: float, the greatest norm of the gradients; None for no bound.
        num_ps_replicas: int, the number of parameter servers.
        scope: str, the scope of the variables; None for "linear".
        trainable: bool. If True, the variables are trained.
    """

    def __init__(
        self,
        num_label_columns: int,
        optimizer: Any = None,
        _joint_weights: bool = False,
        gradient_clip_norm: float | None = None,
        num_ps_replicas: int = 0,
        scope: str | None = None,
        trainable: bool = True,
    ) -> None:
        super().__init__(num_label_columns, optimizer, gradient_clip_norm, num_ps_replicas, scope or LINEAR, trainable)
        self._is_joint = _joint_weights

    def get_weights(self, model_dir: str) -> Any:
        """Returns the weights of a checkpoint, without those of the optimizer.

        Args:
            model_dir: str, the folder of the checkpoint.

        Returns:
            dict from names to arrays of float32; a single array is returned without the dict.
        """
        of_optimizer = re.compile(rf".*/{self._chosen_optimizer().get_name()}(_\d)?$")
        names = [name for name, _ in list_variables(model_dir) if name.startswith(f"{self._scope}/")]
        weights = {
            name: load_variable(model_dir, name)
            for name in names
            if name != f"{self._scope}/{_BIAS}" and not of_optimizer.match(name)
        }
        return next(iter(weights.values())) if len(weights) == 1 else weights

    def get_bias(self, model_dir: str) -> Any:
        """Returns the bias of a checkpoint.

        Args:
            model_dir: str, the folder of the checkpoint.

        Returns:
            array of float32, of shape [num_label_columns].
        """
        return load_variable(model_dir, f"{self._scope}/{_BIAS}")

    def build_model(self, features: Mapping[str, Any], feature_columns: Any, is_training: bool) -> Tensor:
        """Adds the model to the graph, as `_ComposableModel` describes it."""
        self._columns = list(feature_columns)
        with linear_scope(features, self._replicas, self._scope) as scope:
            made: Tensor = linear_logits(
                features, self._columns, self._size, self._is_joint, scope, self._scope, self._trainable
            )
            return made

    def _optimizer_of(self, name: str | None) -> Any:
        return OPTIMIZER_CLS_NAMES[name or "Ftrl"](learning_rate=linear_rate(self._columns))


class DNNComposableModel(_ComposableModel):
    """A network of feature columns.

    Args:
        num_label_columns: int, the number of logits.
        hidden_units: list of int, the sizes of the hidden layers.
        optimizer: tf.train.Optimizer, a function that returns one, or the name of one; None for "Adagrad".
        activation_fn: function of a Tensor, the activation of hidden layers, or None.
        dropout: float, the share of elements that are dropped in training, or None.
        gradient_clip_norm: float, the greatest norm of the gradients; None for no bound.
        num_ps_replicas: int, the number of parameter servers.
        scope: str, the scope of the variables; None for "dnn".
        trainable: bool. If True, the variables are trained.
    """

    def __init__(
        self,
        num_label_columns: int,
        hidden_units: Sequence[int],
        optimizer: Any = None,
        activation_fn: Any = relu,
        dropout: float | None = None,
        gradient_clip_norm: float | None = None,
        num_ps_replicas: int = 0,
        scope: str | None = None,
        trainable: bool = True,
    ) -> None:
        super().__init__(num_label_columns, optimizer, gradient_clip_norm, num_ps_replicas, scope or NETWORK, trainable)
        self._hidden_units, self._activation_fn, self._dropout = hidden_units, activation_fn, dropout

    def get_weights(self, model_dir: str) -> list[Any]:
        """Returns the weights of a checkpoint.

        Args:
            model_dir: str, the folder of the checkpoint.

        Returns:
            list of arrays of float32, one for each layer, of shape [inputs, units].
        """
        return self._of_layers(model_dir, "weights")

    def get_bias(self, model_dir: str) -> list[Any]:
        """Returns the biases of a checkpoint.

        Args:
            model_dir: str, the folder of the checkpoint.

        Returns:
            list of arrays of float32, one for each layer, of shape [units].
        """
        return self._of_layers(model_dir, "biases")

    def _of_layers(self, model_dir: str, name: str) -> list[Any]:
        layers = [*(f"hiddenlayer_{i}" for i in range(len(self._hidden_units))), "logits"]
        return [load_variable(model_dir, f"{self._scope}/{layer}/{name}") for layer in layers]

    def build_model(self, features: Mapping[str, Any], feature_columns: Any, is_training: bool) -> Tensor:
        """Adds the model to the graph, as `_ComposableModel` describes it."""
        self._columns = list(feature_columns)
        network = Network(
            self._columns, self._hidden_units, self._activation_fn, self._dropout, "/", self._scope, self._trainable
        )
        mode = ModeKeys.TRAIN if is_training else ModeKeys.EVAL
        with network_scope(features, self._replicas, self._scope):
            logits, _ = network.logits(features, self._size, mode, slicing_partitioner(self._replicas))
        return logits

    def _optimizer_of(self, name: str | None) -> Any:
        return OPTIMIZER_CLS_NAMES[name or "Adagrad"](learning_rate=NETWORK_RATE)
