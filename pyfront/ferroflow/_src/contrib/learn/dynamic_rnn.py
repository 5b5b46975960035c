"""`DynamicRnnEstimator`: a recurrent network over sequences of any length."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import ListLike
from ferroflow._src.contrib.layers.model_layers import fully_connected
from ferroflow._src.contrib.learn.estimator import Estimator
from ferroflow._src.contrib.learn.learn_modes import ModeKeys
from ferroflow._src.contrib.learn.model_ops import ModelFnOps, PredictionKey, ProblemType
from ferroflow._src.contrib.learn.recurrent_parts import (
    PredictionType,
    RNNKeys,
    Training,
    build_sequence_input,
    check_problem,
    construct_rnn_cell,
    dict_to_state_tuple,
    get_eval_metric_ops,
    masked_loss,
    multi_value_predictions,
    optimizer_of,
    select_last_activations,
    state_tuple_to_dict,
    target_of,
)
from ferroflow._src.estimator.run_config import RunConfig
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.ops.math.reduction import argmax
from ferroflow._src.rnn.dynamic_running import dynamic_rnn

__all__ = ["DynamicRnnEstimator", "construct_rnn"]


def construct_rnn(
    initial_state: Any,
    sequence_input: Any,
    cell: Any,
    num_label_columns: int,
    dtype: Any = dtypes.float32,
    parallel_iterations: int | None = 32,
    swap_memory: bool = True,
) -> tuple[Any, Any]:
    """Adds a recurrent network and a layer on its outputs.

    Args:
        initial_state: nest of Tensors of `dtype`, the state before the first step; None for zeros.
        sequence_input: Tensor of `dtype`, of shape [batch, steps, size].
        cell: RNNCell.
        num_label_columns: int, the size of the layer.
        dtype: DType of the state.
        parallel_iterations: int, accepted as by `tf.nn.dynamic_rnn`.
        swap_memory: bool, accepted as by `tf.nn.dynamic_rnn`.

    Returns:
        Tensor of `dtype`, of shape [batch, steps, num_label_columns]; and the last state, a nest of Tensors.
    """
    with name_scope("RNN"):
        outputs, final_state = dynamic_rnn(
            cell=cell,
            inputs=sequence_input,
            initial_state=initial_state,
            dtype=dtype,
            parallel_iterations=parallel_iterations,
            swap_memory=swap_memory,
        )
        return fully_connected(inputs=outputs, num_outputs=num_label_columns, activation_fn=None), final_state


def output_alternatives_of(prediction_type: int, problem_type: int, prediction_dict: Mapping[str, Any]) -> Any:
    """Returns the output alternatives of predictions, without the state: a dict, or None if each step has a value."""
    if prediction_type == PredictionType.MULTIPLE_VALUE:
        return None
    own = {key: value for key, value in prediction_dict.items() if RNNKeys.STATE_PREFIX not in key}
    return {"dynamic_rnn_output": (problem_type, own)}


def _last_predictions(last: Any, target: Any, problem_type: int, has_probabilities: bool) -> dict[str, Any]:
    key = PredictionKey.CLASSES if problem_type == ProblemType.CLASSIFICATION else PredictionKey.SCORES
    if not has_probabilities:
        return {key: target.logits_to_predictions(last, proba=False)}
    probabilities = target.logits_to_predictions(last, proba=True)
    return {PredictionKey.PROBABILITIES: probabilities, key: argmax(probabilities, 1)}


def dynamic_rnn_model_fn(
    cell_type: Any,
    num_units: Any,
    target_column: Any,
    problem_type: int,
    prediction_type: int,
    optimizer: Any,
    sequence_feature_columns: Any,
    context_feature_columns: Any = None,
    predict_probabilities: bool = False,
    learning_rate: float | None = None,
    gradient_clipping_norm: float | None = None,
    dropout_keep_probabilities: ListLike | None = None,
    name: str = "DynamicRNNModel",
) -> Callable[..., ModelFnOps]:
    """Returns the model function of a `DynamicRnnEstimator`, whose arguments these are; `name` is its name scope.

    Raises:
        ValueError: if a type is unknown, or there are no classes for probabilities.
    """
    check_problem(problem_type, predict_probabilities)
    if prediction_type not in (PredictionType.SINGLE_VALUE, PredictionType.MULTIPLE_VALUE):
        raise ValueError(
            "prediction_type must be one of PredictionType.MULTIPLE_VALUE or PredictionType.SINGLE_VALUE; "
            f"got {prediction_type}"
        )
    is_single = prediction_type == PredictionType.SINGLE_VALUE
    training = Training(optimizer, learning_rate, gradient_clipping_norm)
    options = (target_column, problem_type, predict_probabilities)

    def predictions_of(activations: Any, lengths: Any) -> dict[str, Any]:
        if not is_single:
            return multi_value_predictions(activations, *options)
        with name_scope("SingleValuePrediction"):
            return _last_predictions(select_last_activations(activations, lengths), *options)

    def loss_of(activations: Any, labels: Any, lengths: Any, features: Any) -> Any:
        if not is_single:
            return masked_loss(activations, labels, lengths, target_column, features)
        with name_scope("SingleValueLoss"):
            return target_column.loss(select_last_activations(activations, lengths), labels, features)

    def model_fn(features: Any, labels: Any, mode: str) -> ModelFnOps:
        with name_scope(name):
            lengths = features.get(RNNKeys.SEQUENCE_LENGTH_KEY)
            sequence = build_sequence_input(features, sequence_feature_columns, context_feature_columns)
            kept = dropout_keep_probabilities if mode == ModeKeys.TRAIN else None
            cell = construct_rnn_cell(num_units, cell_type, kept)
            state = dict_to_state_tuple(features, cell)
            activations, final_state = construct_rnn(
                state, sequence, cell, target_column.num_label_columns, parallel_iterations=None
            )
            predictions = predictions_of(activations, lengths)
            loss = metrics = None
            if mode != ModeKeys.INFER:
                loss = loss_of(activations, labels, lengths, features)
            predictions.update(state_tuple_to_dict(final_state))
            if mode != ModeKeys.INFER:
                metrics = get_eval_metric_ops(problem_type, prediction_type, lengths, predictions, labels)
            train_op = training.step(loss) if mode == ModeKeys.TRAIN else None
        exported = output_alternatives_of(prediction_type, problem_type, predictions)
        return ModelFnOps(mode, predictions, loss, train_op, metrics, exported)

    return model_fn


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
        kind, target = target_of(problem_type, num_classes)
        model_fn = dynamic_rnn_model_fn(
            cell_type,
            num_units,
            target,
            problem_type,
            prediction_type,
            optimizer_of(optimizer, learning_rate, momentum),
            sequence_feature_columns,
            context_feature_columns,
            predict_probabilities,
            learning_rate,
            gradient_clipping_norm,
            dropout_keep_probabilities,
            f"{prefixes[prediction_type]}DynamicRNN{kind}",
        )
        super().__init__(model_fn, model_dir, config, None, feature_engineering_fn)
