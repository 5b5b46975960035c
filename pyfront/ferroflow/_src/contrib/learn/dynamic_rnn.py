"""`DynamicRnnEstimator`: a recurrent network over sequences of any length."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import ListLike
from ferroflow._src.contrib.layers.model_layers import fully_connected
from ferroflow._src.contrib.layers.optimize_loss import OPTIMIZER_SUMMARIES, optimize_loss
from ferroflow._src.contrib.layers.target_columns import classification, regression
from ferroflow._src.contrib.learn.estimator import Estimator
from ferroflow._src.contrib.learn.learn_modes import ModeKeys
from ferroflow._src.contrib.learn.model_ops import ModelFnOps, PredictionKey, ProblemType
from ferroflow._src.contrib.learn.recurrent_parts import (
    PredictionType,
    RNNKeys,
    construct_rnn_cell,
    dict_to_state_tuple,
    mask_activations_and_labels,
    select_last_activations,
    sequence_input,
    state_tuple_to_dict,
    step_predictions,
)
from ferroflow._src.estimator.run_config import RunConfig
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.metrics.averaging import accuracy
from ferroflow._src.ops.math.reduction import argmax
from ferroflow._src.rnn.dynamic_running import dynamic_rnn
from ferroflow._src.training.momentum import MomentumOptimizer

__all__ = ["DynamicRnnEstimator"]


def _last_predictions(last: Any, target: Any, problem_type: int, has_probabilities: bool) -> dict[str, Any]:
    key = PredictionKey.CLASSES if problem_type == ProblemType.CLASSIFICATION else PredictionKey.SCORES
    if not has_probabilities:
        return {key: target.logits_to_predictions(last, proba=False)}
    probabilities = target.logits_to_predictions(last, proba=True)
    return {PredictionKey.PROBABILITIES: probabilities, key: argmax(probabilities, 1)}


class _Network:
    """The model function of a recurrent network."""

    def __init__(
        self,
        name: str,
        target: Any,
        problem_type: int,
        prediction_type: int,
        cell: tuple[Any, Any, Any],
        columns: tuple[Any, Any],
        has_probabilities: bool,
        training: tuple[Any, Any, Any],
    ) -> None:
        self._name, self._target, self._problem_type = name, target, problem_type
        self._is_single = prediction_type == PredictionType.SINGLE_VALUE
        self._cell, self._columns, self._has_probabilities = cell, columns, has_probabilities
        self._training = training

    def build(self, features: Any, labels: Any, mode: str) -> ModelFnOps:
        """Builds the network for a mode."""
        with name_scope(self._name):
            lengths = features.get(RNNKeys.SEQUENCE_LENGTH_KEY)
            sequence = sequence_input(features, *self._columns)
            num_units, cell_type, kept = self._cell
            cell = construct_rnn_cell(num_units, cell_type, kept if mode == ModeKeys.TRAIN else None)
            state = dict_to_state_tuple(features, cell)
            with name_scope("RNN"):
                outputs, final_state = dynamic_rnn(
                    cell=cell,
                    inputs=sequence,
                    initial_state=state,
                    dtype=dtypes.float32,
                    parallel_iterations=None,
                    swap_memory=True,
                )
                size = self._target.num_label_columns
                activations = fully_connected(inputs=outputs, num_outputs=size, activation_fn=None)
            is_known = mode != ModeKeys.INFER
            predictions, loss = self._predictions_and_loss(activations, features, labels if is_known else None, lengths)
            predictions.update(state_tuple_to_dict(final_state))
            metrics = self._metrics(predictions, labels, lengths) if is_known else None
            train_op = self._train_op(loss) if mode == ModeKeys.TRAIN else None
        exported = None
        if self._is_single:
            own = {key: value for key, value in predictions.items() if RNNKeys.STATE_PREFIX not in key}
            exported = {"dynamic_rnn_output": (self._problem_type, own)}
        return ModelFnOps(mode, predictions, loss, train_op, metrics, exported)

    def _predictions_and_loss(self, activations: Any, features: Any, labels: Any, lengths: Any) -> tuple[Any, Any]:
        target, loss = self._target, None
        options = (target, self._problem_type, self._has_probabilities)
        if not self._is_single:
            predictions = step_predictions(activations, *options)
            if labels is not None:
                with name_scope("MultiValueLoss"):
                    masked = mask_activations_and_labels(activations, labels, lengths)
                    loss = target.loss(*masked, features)
            return predictions, loss
        with name_scope("SingleValuePrediction"):
            predictions = _last_predictions(select_last_activations(activations, lengths), *options)
        if labels is not None:
            with name_scope("SingleValueLoss"):
                loss = target.loss(select_last_activations(activations, lengths), labels, features)
        return predictions, loss

    def _metrics(self, predictions: Any, labels: Any, lengths: Any) -> dict[str, Any]:
        if self._problem_type != ProblemType.CLASSIFICATION:
            return {}
        classes = predictions[PredictionKey.CLASSES]
        if not self._is_single:
            classes, labels = mask_activations_and_labels(classes, labels, lengths)
        return {"accuracy": accuracy(labels, classes)}

    def _train_op(self, loss: Any) -> Any:
        optimizer, rate, clip = self._training
        return optimize_loss(
            loss=loss,
            global_step=None,
            learning_rate=rate,
            optimizer=optimizer,
            clip_gradients=clip,
            summaries=OPTIMIZER_SUMMARIES,
        )


class DynamicRnnEstimator(Estimator):
    """A recurrent network that classifies or regresses sequences, or each of their steps.

    Args:
        problem_type: int, `ProblemType.CLASSIFICATION` or `ProblemType.LINEAR_REGRESSION`.
        prediction_type: int, 1 for one value of a sequence, 2 for one of each step.
        sequence_feature_columns: list of feature columns of the steps.
        context_feature_columns: list of feature columns of whole sequences, or None.
        num_classes: int, the number of classes, if it classifies.
        num_units: int, or list of int, the sizes of the layers.
        cell_type: str, of "basic_rnn", "lstm" and "gru", or a class of RNNCell.
        optimizer: str, the name of an optimizer; or tf.train.Optimizer.
        learning_rate: float.
        predict_probabilities: bool. If True, predictions have the probabilities of the classes.
        momentum: float, if the optimizer is "Momentum".
        gradient_clipping_norm: float, the greatest norm of the gradients; None for no bound.
        dropout_keep_probabilities: list of float, the share of elements that is kept of each layer's input, and of
            the last layer's output; None for all.
        model_dir: str, the folder of checkpoints and summaries; None for a temporary one.
        feature_engineering_fn: function of features and labels that returns the model's.
        config: RunConfig; None for the usual one.

    Raises:
        ValueError: if a type is unknown, or the number of classes is missing.
    """

    def __init__(
        self,
        problem_type: int,
        prediction_type: int,
        sequence_feature_columns: Any,
        context_feature_columns: Any = None,
        num_classes: int | None = None,
        num_units: Any = None,
        cell_type: Any = "basic_rnn",
        optimizer: Any = "SGD",
        learning_rate: float = 0.1,
        predict_probabilities: bool = False,
        momentum: float | None = None,
        gradient_clipping_norm: float | None = 5.0,
        dropout_keep_probabilities: ListLike | None = None,
        model_dir: str | None = None,
        feature_engineering_fn: Callable[..., Any] | None = None,
        config: RunConfig | None = None,
    ) -> None:
        prefixes = {PredictionType.MULTIPLE_VALUE: "MultiValue", PredictionType.SINGLE_VALUE: "SingleValue"}
        if prediction_type not in prefixes:
            raise ValueError(
                "prediction_type must be one of PredictionType.MULTIPLE_VALUE or PredictionType.SINGLE_VALUE; "
                f"got {prediction_type}"
            )
        name = f"{prefixes[prediction_type]}DynamicRNN"
        if problem_type == ProblemType.LINEAR_REGRESSION:
            name, target = f"{name}Regressor", regression()
        elif problem_type == ProblemType.CLASSIFICATION:
            if not num_classes:
                raise ValueError("For CLASSIFICATION problem_type, num_classes must be specified.")
            name, target = f"{name}Classifier", classification(num_classes)
        else:
            raise ValueError(
                "problem_type must be either ProblemType.LINEAR_REGRESSION or ProblemType.CLASSIFICATION; "
                f"got {problem_type}"
            )
        if predict_probabilities and problem_type != ProblemType.CLASSIFICATION:
            raise ValueError(
                "predict_probabilities can only be set to True for problem_type ProblemType.CLASSIFICATION; "
                f"got {problem_type}."
            )
        if optimizer == "Momentum":
            optimizer = MomentumOptimizer(learning_rate, momentum)  # type: ignore[arg-type]  # raises for None
        network = _Network(
            name,
            target,
            problem_type,
            prediction_type,
            (num_units, cell_type, dropout_keep_probabilities),
            (sequence_feature_columns, context_feature_columns),
            predict_probabilities,
            (optimizer, learning_rate, gradient_clipping_norm),
        )
        build = network.build

        def model_fn(features: Any, labels: Any, mode: str) -> ModelFnOps:
            return build(features, labels, mode)

        super().__init__(model_fn, model_dir, config, None, feature_engineering_fn)
