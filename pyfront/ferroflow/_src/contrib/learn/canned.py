"""Linear models and networks of `tf.contrib.learn`, which classify and regress by feature columns."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ferroflow._src.contrib.framework.arg_scope import arg_scope
from ferroflow._src.contrib.layers.feature_columns import infer_real_valued_columns
from ferroflow._src.contrib.layers.model_layers import dropout as dropout_layer, fully_connected
from ferroflow._src.contrib.layers.optimize_loss import OPTIMIZER_CLS_NAMES
from ferroflow._src.contrib.learn.array_inputs import input_fn_of
from ferroflow._src.contrib.learn.estimator import BaseEstimator
from ferroflow._src.contrib.learn.learn_modes import ModeKeys
from ferroflow._src.contrib.learn.model_ops import ModelFnOps, PredictionKey, ProblemType
from ferroflow._src.estimator.run_config import RunConfig
from ferroflow._src.feature_column.models import input_layer, linear_model
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import get_collection, name_scope
from ferroflow._src.framework.graph import Graph
from ferroflow._src.framework.graph_keys import GraphKeys
from ferroflow._src.metrics.averaging import accuracy, mean
from ferroflow._src.metrics.thresholds import auc, precision_at_thresholds, recall_at_thresholds
from ferroflow._src.ops.array import joining, making, shaping
from ferroflow._src.ops.array.making import zeros_like
from ferroflow._src.ops.flow.grouping import group
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.clipping import clip_by_global_norm
from ferroflow._src.ops.math.elementwise import sigmoid, square
from ferroflow._src.ops.math.reduction import argmax, reduce_mean
from ferroflow._src.ops.nn.activation import relu
from ferroflow._src.ops.nn.softmax import (
    sigmoid_cross_entropy_with_logits,
    softmax,
    sparse_softmax_cross_entropy_with_logits,
)
from ferroflow._src.ops.state.assigning import assign_add
from ferroflow._src.ops.string.encoding import as_string
from ferroflow._src.training.adagrad import AdagradOptimizer
from ferroflow._src.training.ftrl import FtrlOptimizer
from ferroflow._src.training.global_step import get_global_step
from ferroflow._src.variables.scope import variable_scope

__all__ = [
    "DNNClassifier",
    "DNNLinearCombinedClassifier",
    "DNNLinearCombinedRegressor",
    "DNNRegressor",
    "LinearClassifier",
    "LinearRegressor",
    "infer_real_valued_columns_from_input",
    "infer_real_valued_columns_from_input_fn",
]


def infer_real_valued_columns_from_input_fn(input_fn: Callable[..., Any]) -> list[Any]:
    """Returns a column of numbers for each of the features that an input function returns.

    Args:
        input_fn: callable of no arguments that returns features and labels.

    Returns:
        list of columns of `tf.feature_column`.
    """
    with Graph().as_default():
        features, _ = input_fn()
        return infer_real_valued_columns(features)


def infer_real_valued_columns_from_input(x: Any) -> list[Any]:
    """Returns a column of numbers for an array, of the key "", or for each of a dict of arrays.

    Args:
        x: array, or dict of arrays, of one length.

    Returns:
        list of columns of `tf.feature_column`.
    """
    return infer_real_valued_columns_from_input_fn(input_fn_of(x, None, None, 1))


class _Part(ABC):
    """A linear model or a network: its logits, and the optimizer of its variables."""

    def __init__(self, scope: str, columns: Any, optimizer: Any, clip: float | None = None) -> None:
        self.scope, self.columns, self.clip = scope, list(columns or ()), clip
        self._optimizer = optimizer

    @abstractmethod
    def logits(self, features: Any, size: int, is_training: bool) -> Any:
        """Returns the logits, of shape [batch, `size`]."""

    def optimizer(self) -> Any:
        given = self._optimizer
        if isinstance(given, str):
            return OPTIMIZER_CLS_NAMES[given](self._rate())
        if given is None:
            return self._usual()
        return given() if callable(given) and not hasattr(given, "minimize") else given

    def _rate(self) -> float:
        return 0.05

    def _usual(self) -> Any:
        return AdagradOptimizer(self._rate())

    def train(self, loss: Any) -> Any:
        """Returns the operation of a step that updates this part's variables."""
        found = get_collection(GraphKeys.TRAINABLE_VARIABLES, f"{self.scope}/")
        optimizer = self.optimizer()
        pairs = [pair for pair in optimizer.compute_gradients(loss, found) if pair[0] is not None]
        if self.clip is not None:
            clipped, _ = clip_by_global_norm([gradient for gradient, _ in pairs], self.clip)
            pairs = list(zip(clipped, [variable for _, variable in pairs], strict=True))
        return optimizer.apply_gradients(pairs)


class _Network(_Part):
    def __init__(
        self,
        hidden_units: Sequence[Any],
        columns: Any,
        optimizer: Any,
        activation_fn: Any,
        dropout: float | None,
        clip: float | None,
    ) -> None:
        super().__init__("dnn", columns, optimizer, clip)
        self.hidden_units, self.activation_fn, self.dropout = list(hidden_units), activation_fn, dropout

    def logits(self, features: Any, size: int, is_training: bool) -> Any:
        with variable_scope(self.scope):
            with variable_scope("input_from_feature_columns"):
                net = input_layer(features, self.columns)
            for i, units in enumerate(self.hidden_units):
                with variable_scope(f"hiddenlayer_{i}") as scope:
                    net = fully_connected(net, units, activation_fn=self.activation_fn, scope=scope)
                    if self.dropout is not None and is_training:
                        net = dropout_layer(net, keep_prob=1.0 - self.dropout)
            with variable_scope("logits") as scope, arg_scope([fully_connected], activation_fn=None):
                return fully_connected(net, size, scope=scope)


class _Linear(_Part):
    def __init__(self, columns: Any, optimizer: Any, clip: float | None = None) -> None:
        super().__init__("linear", columns, optimizer, clip)

    def logits(self, features: Any, size: int, is_training: bool) -> Any:
        with variable_scope(self.scope):
            return linear_model(features, self.columns, units=size)

    def _rate(self) -> float:
        return min(0.2, 1.0 / math.sqrt(len(self.columns)))

    def _usual(self) -> Any:
        return FtrlOptimizer(self._rate())


class _Model(BaseEstimator):
    """An estimator of parts, whose logits are added."""

    def __init__(
        self,
        parts: Sequence[_Part],
        n_classes: int | None,
        label_dimension: int,
        weight_column_name: str | None,
        others: tuple[str | None, RunConfig | None, Any],
    ) -> None:
        if n_classes is not None and n_classes < 2:
            raise ValueError(f"n_classes should be greater than 1. Given: {n_classes}")
        self._parts = [part for part in parts if part.columns]
        if not self._parts:
            raise ValueError("feature_columns must be given and have at least one column.")
        self._n_classes, self._label_dimension = n_classes, label_dimension
        self._weight_column_name = weight_column_name
        model_dir, config, self._feature_engineering_fn = others
        super().__init__(model_dir=model_dir, config=config)

    def _call_model_fn(self, features: Any, labels: Any, mode: str, config: Any) -> ModelFnOps:
        if self._feature_engineering_fn is not None:
            features, labels = self._feature_engineering_fn(features, labels)
        named = dict(features) if isinstance(features, Mapping) else {"": features}
        size = self._label_dimension if self._n_classes is None else (1 if self._n_classes == 2 else self._n_classes)
        logits: Any = None
        for part in self._parts:
            added = part.logits(named, size, mode == ModeKeys.TRAIN)
            logits = added if logits is None else logits + added
        predictions = self._predictions(logits)
        if mode == ModeKeys.INFER:
            return ModelFnOps(mode, predictions, output_alternatives={None: self._served(predictions)})
        weights = None if self._weight_column_name is None else _column(named[self._weight_column_name])
        losses, wanted = self._losses(logits, labels)
        loss = reduce_mean(
            losses if weights is None else losses * cast(weights, np.float32, name="ToFloat"), name="loss"
        )
        metrics = self._metrics_of(predictions, wanted, weights) if mode == ModeKeys.EVAL else {}
        train = self._train(loss) if mode == ModeKeys.TRAIN else None
        return ModelFnOps(mode, predictions, loss, train, metrics)

    def _train(self, loss: Any) -> Any:
        with name_scope("train"):
            updates = [part.train(loss) for part in self._parts]
            return group(*updates, assign_add(get_global_step(), 1))

    def _predictions(self, logits: Any) -> dict[str, Any]:
        if self._n_classes is None:
            scores = shaping.squeeze(logits, [1]) if self._label_dimension == 1 else logits
            return {PredictionKey.SCORES: scores}
        if self._n_classes == 2:
            positive = sigmoid(logits)
            pair = joining.concat([zeros_like(logits), logits], 1)
            return {
                PredictionKey.LOGITS: logits,
                PredictionKey.LOGISTIC: positive,
                PredictionKey.PROBABILITIES: softmax(pair),
                PredictionKey.CLASSES: argmax(pair, 1),
            }
        return {
            PredictionKey.LOGITS: logits,
            PredictionKey.PROBABILITIES: softmax(logits),
            PredictionKey.CLASSES: argmax(logits, 1),
        }

    def _served(self, predictions: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """Returns the problem type and what is served: of a classifier, the names of all classes for each example."""
        if self._n_classes is None:
            return ProblemType.LINEAR_REGRESSION, predictions
        probabilities = predictions[PredictionKey.PROBABILITIES]
        names = shaping.expand_dims(as_string(making.range(self._n_classes)), 0)
        classes = shaping.tile(names, [shaping.shape(probabilities)[0], 1])
        served = {PredictionKey.PROBABILITIES: probabilities, PredictionKey.CLASSES: classes}
        kind = ProblemType.LOGISTIC_REGRESSION if self._n_classes == 2 else ProblemType.CLASSIFICATION
        return kind, served

    def _losses(self, logits: Any, labels: Any) -> tuple[Any, Any]:
        if isinstance(labels, Mapping):
            (labels,) = labels.values()
        wanted = _column(labels)
        if self._n_classes is None:
            return square(logits - cast(wanted, np.float32, name="ToFloat")), wanted
        if self._n_classes == 2:
            return sigmoid_cross_entropy_with_logits(
                labels=cast(wanted, np.float32, name="ToFloat"), logits=logits
            ), wanted
        ids = shaping.squeeze(cast(wanted, np.int64), [1])
        losses = sparse_softmax_cross_entropy_with_logits(labels=ids, logits=logits)
        return shaping.expand_dims(losses, 1), wanted

    def _metrics_of(self, predictions: Mapping[str, Any], wanted: Any, weights: Any) -> dict[str, Any]:
        if self._n_classes is None:
            return {}
        classes = shaping.expand_dims(predictions[PredictionKey.CLASSES], 1)
        found = {"accuracy": accuracy(cast(wanted, np.int64), classes, weights)}
        if self._n_classes != 2:
            return found
        positive, is_wanted = predictions[PredictionKey.LOGISTIC], cast(wanted, np.float32, name="ToFloat")
        precision, recall = (
            _first(metric(is_wanted, positive, [0.5], weights))
            for metric in (precision_at_thresholds, recall_at_thresholds)
        )
        return {
            **found,
            "labels/prediction_mean": mean(positive, weights),
            "labels/actual_label_mean": mean(is_wanted, weights),
            "accuracy/baseline_label_mean": mean(is_wanted, weights),
            "auc": auc(is_wanted, positive, weights),
            "auc_precision_recall": auc(is_wanted, positive, weights, curve="PR"),
            "accuracy/threshold_0.500000_mean": accuracy(
                cast(wanted, np.int64), cast(positive >= 0.5, np.int64), weights
            ),
            "precision/positive_threshold_0.500000_mean": precision,
            "recall/positive_threshold_0.500000_mean": recall,
        }

    def _only(self, key: str, x: Any, input_fn: Any, batch_size: int | None, as_iterable: bool) -> Any:
        found = BaseEstimator.predict(self, x, input_fn, batch_size, [key], as_iterable)
        return (one[key] for one in found) if as_iterable else found[key]


def _first(metric: Any) -> Any:
    value, update = metric
    return value[0], update


def _column(values: Any) -> Any:
    """Returns values of shape [batch] as a matrix of one column; those of more dimensions as they are."""
    tensor = convert_to_tensor(values)
    return shaping.expand_dims(tensor, 1) if tensor.shape.ndims == 1 else tensor


class _Classifier(_Model):
    def predict(
        self,
        x: Any = None,
        input_fn: Callable[..., Any] | None = None,
        batch_size: int | None = None,
        outputs: Any = None,
        as_iterable: bool = True,
        iterate_batches: bool = False,
    ) -> Any:
        """Predicts the class of each example, or the outputs that `outputs` names.

        Args:
            x: array, or dict of arrays; None where `input_fn` is given.
            input_fn: function of no arguments that returns features.
            batch_size: int; None for all of `x` at once.
            outputs: list of str, of `PredictionKey`; None for the classes alone.
            as_iterable: bool. If True, an iterator is returned, and otherwise arrays.
            iterate_batches: bool. If True, the iterator gives batches.

        Returns:
            iterator of int64, or of dicts if `outputs` is given; or an array, or a dict of arrays.

        Raises:
            NotFittedError: if there is no checkpoint.
        """
        if outputs:
            return super().predict(x, input_fn, batch_size, outputs, as_iterable, iterate_batches)
        return self.predict_classes(x, input_fn, batch_size, as_iterable)

    def predict_classes(
        self, x: Any = None, input_fn: Any = None, batch_size: int | None = None, as_iterable: bool = True
    ) -> Any:
        """Predicts the class of each example.

        Args:
            x: array, or dict of arrays; None where `input_fn` is given.
            input_fn: callable of no arguments that returns features.
            batch_size: int; None for all of `x` at once.
            as_iterable: bool. If True, an iterator is returned, and otherwise an array.

        Returns:
            iterator of int64, or an array.
        """
        return self._only(PredictionKey.CLASSES, x, input_fn, batch_size, as_iterable)

    def predict_proba(
        self, x: Any = None, input_fn: Any = None, batch_size: int | None = None, as_iterable: bool = True
    ) -> Any:
        """Predicts the probabilities of the classes.

        Args:
            x: array, or dict of arrays; None where `input_fn` is given.
            input_fn: callable of no arguments that returns features.
            batch_size: int; None for all of `x` at once.
            as_iterable: bool. If True, an iterator is returned, and otherwise an array.

        Returns:
            iterator of arrays of shape [n_classes], or an array.
        """
        return self._only(PredictionKey.PROBABILITIES, x, input_fn, batch_size, as_iterable)


class _Regressor(_Model):
    def predict(
        self,
        x: Any = None,
        input_fn: Callable[..., Any] | None = None,
        batch_size: int | None = None,
        outputs: Any = None,
        as_iterable: bool = True,
        iterate_batches: bool = False,
    ) -> Any:
        """Predicts the score of each example, or the outputs that `outputs` names.

        Args:
            x: array, or dict of arrays; None where `input_fn` is given.
            input_fn: function of no arguments that returns features.
            batch_size: int; None for all of `x` at once.
            outputs: list of str, of `PredictionKey`; None for the scores alone.
            as_iterable: bool. If True, an iterator is returned, and otherwise arrays.
            iterate_batches: bool. If True, the iterator gives batches.

        Returns:
            iterator of float32, or of dicts if `outputs` is given; or an array, or a dict of arrays.

        Raises:
            NotFittedError: if there is no checkpoint.
        """
        if outputs:
            return super().predict(x, input_fn, batch_size, outputs, as_iterable, iterate_batches)
        return self.predict_scores(x, input_fn, batch_size, as_iterable)

    def predict_scores(
        self, x: Any = None, input_fn: Any = None, batch_size: int | None = None, as_iterable: bool = True
    ) -> Any:
        """Predicts the score of each example.

        Args:
            x: array, or dict of arrays; None where `input_fn` is given.
            input_fn: callable of no arguments that returns features.
            batch_size: int; None for all of `x` at once.
            as_iterable: bool. If True, an iterator is returned, and otherwise an array.

        Returns:
            iterator of float32, or an array.
        """
        return self._only(PredictionKey.SCORES, x, input_fn, batch_size, as_iterable)


class DNNClassifier(_Classifier):
    """A network that classifies.

    Args:
        hidden_units: list of int, the sizes of the hidden layers.
        feature_columns: list of feature columns.
        model_dir: str, the folder of checkpoints and summaries; None for a temporary one.
        n_classes: int, the number of classes; labels are 0 to `n_classes` - 1.
        weight_column_name: str, the key of the examples' weights, or None.
        optimizer: tf.train.Optimizer, a function that returns one, or the name of one.
        activation_fn: function of a Tensor, of hidden layers.
        dropout: float, the share of elements that are dropped in training, or None.
        gradient_clip_norm: float, the greatest norm of the gradients; None for no bound.
        enable_centered_bias: bool, accepted and not used.
        config: RunConfig; None for the usual one.
        feature_engineering_fn: function of features and labels that returns the model's.

    Raises:
        ValueError: if there are no columns, or `n_classes` is less than 2.
    """

    def __init__(
        self,
        hidden_units: Sequence[Any],
        feature_columns: Any,
        model_dir: str | None = None,
        n_classes: int = 2,
        weight_column_name: str | None = None,
        optimizer: Any = None,
        activation_fn: Callable[..., Any] | None = relu,
        dropout: float | None = None,
        gradient_clip_norm: float | None = None,
        enable_centered_bias: bool = False,
        config: RunConfig | None = None,
        feature_engineering_fn: Callable[..., Any] | None = None,
    ) -> None:
        network = _Network(hidden_units, feature_columns, optimizer, activation_fn, dropout, gradient_clip_norm)
        parts = [network]
        super().__init__(parts, n_classes, 1, weight_column_name, (model_dir, config, feature_engineering_fn))


class DNNRegressor(_Regressor):
    """A network that regresses.

    Args:
        hidden_units: list of int, the sizes of the hidden layers.
        feature_columns: list of feature columns.
        model_dir: str, the folder of checkpoints and summaries; None for a temporary one.
        weight_column_name: str, the key of the examples' weights, or None.
        optimizer: tf.train.Optimizer, a function that returns one, or the name of one.
        activation_fn: function of a Tensor, of hidden layers.
        dropout: float, the share of elements that are dropped in training, or None.
        gradient_clip_norm: float, the greatest norm of the gradients; None for no bound.
        enable_centered_bias: bool, accepted and not used.
        config: RunConfig; None for the usual one.
        feature_engineering_fn: function of features and labels that returns the model's.
        label_dimension: int, how many numbers a label has.

    Raises:
        ValueError: if there are no columns.
    """

    def __init__(
        self,
        hidden_units: Sequence[Any],
        feature_columns: Any,
        model_dir: str | None = None,
        weight_column_name: str | None = None,
        optimizer: Any = None,
        activation_fn: Callable[..., Any] | None = relu,
        dropout: float | None = None,
        gradient_clip_norm: float | None = None,
        enable_centered_bias: bool = False,
        config: RunConfig | None = None,
        feature_engineering_fn: Callable[..., Any] | None = None,
        label_dimension: int = 1,
    ) -> None:
        network = _Network(hidden_units, feature_columns, optimizer, activation_fn, dropout, gradient_clip_norm)
        parts = [network]
        super().__init__(parts, None, label_dimension, weight_column_name, (model_dir, config, feature_engineering_fn))


class LinearClassifier(_Classifier):
    """A linear model that classifies.

    Args:
        feature_columns: list of feature columns.
        model_dir: str, the folder of checkpoints and summaries; None for a temporary one.
        n_classes: int, the number of classes; labels are 0 to `n_classes` - 1.
        weight_column_name: str, the key of the examples' weights, or None.
        optimizer: tf.train.Optimizer, a function that returns one, or the name of one.
        gradient_clip_norm: float, the greatest norm of the gradients; None for no bound.
        enable_centered_bias: bool, accepted and not used.
        config: RunConfig; None for the usual one.
        feature_engineering_fn: function of features and labels that returns the model's.

    Raises:
        ValueError: if there are no columns, or `n_classes` is less than 2.
    """

    def __init__(
        self,
        feature_columns: Any,
        model_dir: str | None = None,
        n_classes: int = 2,
        weight_column_name: str | None = None,
        optimizer: Any = None,
        gradient_clip_norm: float | None = None,
        enable_centered_bias: bool = False,
        config: RunConfig | None = None,
        feature_engineering_fn: Callable[..., Any] | None = None,
    ) -> None:
        parts = [_Linear(feature_columns, optimizer, gradient_clip_norm)]
        super().__init__(parts, n_classes, 1, weight_column_name, (model_dir, config, feature_engineering_fn))


class LinearRegressor(_Regressor):
    """A linear model that regresses.

    Args:
        feature_columns: list of feature columns.
        model_dir: str, the folder of checkpoints and summaries; None for a temporary one.
        weight_column_name: str, the key of the examples' weights, or None.
        optimizer: tf.train.Optimizer, a function that returns one, or the name of one.
        gradient_clip_norm: float, the greatest norm of the gradients; None for no bound.
        enable_centered_bias: bool, accepted and not used.
        label_dimension: int, how many numbers a label has.
        config: RunConfig; None for the usual one.
        feature_engineering_fn: function of features and labels that returns the model's.

    Raises:
        ValueError: if there are no columns.
    """

    def __init__(
        self,
        feature_columns: Any,
        model_dir: str | None = None,
        weight_column_name: str | None = None,
        optimizer: Any = None,
        gradient_clip_norm: float | None = None,
        enable_centered_bias: bool = False,
        label_dimension: int = 1,
        config: RunConfig | None = None,
        feature_engineering_fn: Callable[..., Any] | None = None,
    ) -> None:
        parts = [_Linear(feature_columns, optimizer, gradient_clip_norm)]
        super().__init__(parts, None, label_dimension, weight_column_name, (model_dir, config, feature_engineering_fn))


class DNNLinearCombinedClassifier(_Classifier):
    """A linear model and a network that classify together.

    Args:
        model_dir: str, the folder of checkpoints and summaries; None for a temporary one.
        n_classes: int, the number of classes; labels are 0 to `n_classes` - 1.
        weight_column_name: str, the key of the examples' weights, or None.
        linear_feature_columns: list of feature columns of the linear model.
        linear_optimizer: tf.train.Optimizer of the linear model, a function that returns one, or a name.
        dnn_feature_columns: list of feature columns of the network.
        dnn_optimizer: tf.train.Optimizer of the network, a function that returns one, or a name.
        dnn_hidden_units: list of int, the sizes of the hidden layers.
        dnn_activation_fn: function of a Tensor, of hidden layers.
        dnn_dropout: float, the share of elements that are dropped in training, or None.
        gradient_clip_norm: float, the greatest norm of the gradients; None for no bound.
        enable_centered_bias: bool, accepted and not used.
        config: RunConfig; None for the usual one.
        feature_engineering_fn: function of features and labels that returns the model's.

    Raises:
        ValueError: if there are no columns, or `n_classes` is less than 2.
    """

    def __init__(
        self,
        model_dir: str | None = None,
        n_classes: int = 2,
        weight_column_name: str | None = None,
        linear_feature_columns: Any = None,
        linear_optimizer: Any = None,
        dnn_feature_columns: Any = None,
        dnn_optimizer: Any = None,
        dnn_hidden_units: Sequence[Any] | None = None,
        dnn_activation_fn: Callable[..., Any] | None = relu,
        dnn_dropout: float | None = None,
        gradient_clip_norm: float | None = None,
        enable_centered_bias: bool = False,
        config: RunConfig | None = None,
        feature_engineering_fn: Callable[..., Any] | None = None,
    ) -> None:
        if dnn_feature_columns and not dnn_hidden_units:
            raise ValueError("dnn_hidden_units must be defined when dnn_feature_columns is specified.")
        linear = _Linear(linear_feature_columns, linear_optimizer, gradient_clip_norm)
        sizes = dnn_hidden_units or ()
        network = _Network(
            sizes, dnn_feature_columns, dnn_optimizer, dnn_activation_fn, dnn_dropout, gradient_clip_norm
        )
        parts = [linear, network]
        super().__init__(parts, n_classes, 1, weight_column_name, (model_dir, config, feature_engineering_fn))


class DNNLinearCombinedRegressor(_Regressor):
    """A linear model and a network that regress together.

    Args:
        model_dir: str, the folder of checkpoints and summaries; None for a temporary one.
        weight_column_name: str, the key of the examples' weights, or None.
        linear_feature_columns: list of feature columns of the linear model.
        linear_optimizer: tf.train.Optimizer of the linear model, a function that returns one, or a name.
        dnn_feature_columns: list of feature columns of the network.
        dnn_optimizer: tf.train.Optimizer of the network, a function that returns one, or a name.
        dnn_hidden_units: list of int, the sizes of the hidden layers.
        dnn_activation_fn: function of a Tensor, of hidden layers.
        dnn_dropout: float, the share of elements that are dropped in training, or None.
        gradient_clip_norm: float, the greatest norm of the gradients; None for no bound.
        enable_centered_bias: bool, accepted and not used.
        config: RunConfig; None for the usual one.
        feature_engineering_fn: function of features and labels that returns the model's.
        label_dimension: int, how many numbers a label has.

    Raises:
        ValueError: if there are no columns.
    """

    def __init__(
        self,
        model_dir: str | None = None,
        weight_column_name: str | None = None,
        linear_feature_columns: Any = None,
        linear_optimizer: Any = None,
        dnn_feature_columns: Any = None,
        dnn_optimizer: Any = None,
        dnn_hidden_units: Sequence[Any] | None = None,
        dnn_activation_fn: Callable[..., Any] | None = relu,
        dnn_dropout: float | None = None,
        gradient_clip_norm: float | None = None,
        enable_centered_bias: bool = False,
        config: RunConfig | None = None,
        feature_engineering_fn: Callable[..., Any] | None = None,
        label_dimension: int = 1,
    ) -> None:
        if dnn_feature_columns and not dnn_hidden_units:
            raise ValueError("dnn_hidden_units must be defined when dnn_feature_columns is specified.")
        linear = _Linear(linear_feature_columns, linear_optimizer, gradient_clip_norm)
        sizes = dnn_hidden_units or ()
        network = _Network(
            sizes, dnn_feature_columns, dnn_optimizer, dnn_activation_fn, dnn_dropout, gradient_clip_norm
        )
        parts = [linear, network]
        super().__init__(parts, None, label_dimension, weight_column_name, (model_dir, config, feature_engineering_fn))
