"""`StateSavingRnnEstimator`: a recurrent network over segments of sequences, whose states are saved between them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ferroflow._src.base import dtypes, nest
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.base.typing import ListLike
from ferroflow._src.contrib.layers.column_models import parent_columns, sequence_input_from_feature_columns
from ferroflow._src.contrib.layers.model_layers import fully_connected
from ferroflow._src.contrib.learn.estimator import Estimator
from ferroflow._src.contrib.learn.learn_modes import ModeKeys
from ferroflow._src.contrib.learn.model_ops import ModelFnOps
from ferroflow._src.contrib.learn.recurrent_parts import (
    PredictionType,
    RNNKeys,
    Training,
    check_problem,
    construct_rnn_cell,
    get_eval_metric_ops,
    masked_loss,
    multi_value_predictions,
    optimizer_of,
    state_part_name,
    state_tuple_to_dict,
    target_of,
)
from ferroflow._src.contrib.training.state_saving import batch_sequences_with_states
from ferroflow._src.estimator.run_config import RunConfig
from ferroflow._src.framework.composite import SparseTensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array import making, shaping
from ferroflow._src.ops.array.joining import concat, stack, unstack
from ferroflow._src.rnn.lstm_cells import LSTMStateTuple
from ferroflow._src.rnn.static_running import static_state_saving_rnn

__all__ = ["StateSavingRnnEstimator", "construct_state_saving_rnn"]


def construct_state_saving_rnn(
    cell: Any, inputs: Sequence[Any], num_label_columns: int, state_saver: Any, state_name: Any, scope: str = "rnn"
) -> tuple[Any, Any]:
    """Adds a recurrent network whose states are saved, and a layer on its outputs.

    Args:
        cell: RNNCell.
        inputs: list of Tensors of float32, of shape [batch, size], one for each step.
        num_label_columns: int, the size of the layer.
        state_saver: object with the methods `state` and `save_state`.
        state_name: str, the name of the state, or nest of str, those of its parts.
        scope: str, the scope of the network.

    Returns:
        Tensor of float32, of shape [batch, steps, num_label_columns]; and the last state, a Tensor.
    """
    with name_scope(scope):
        outputs, final_state = static_state_saving_rnn(
            cell=cell, inputs=inputs, state_saver=state_saver, state_name=state_name, scope=scope
        )
        activations = fully_connected(inputs=stack(outputs, axis=1), num_outputs=num_label_columns, activation_fn=None)
        return activations, making.identity(final_state, name=RNNKeys.FINAL_STATE_KEY)


def prepare_features_for_sqss(
    features: Mapping[str, Any],
    labels: Any,
    mode: str,
    sequence_feature_columns: Sequence[Any],
    context_feature_columns: Sequence[Any] | None,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Returns the features of the steps, with the labels, and those of whole sequences, that columns need.

    Raises:
        ValueError: if a feature is missing, or a column has no sequences.
    """
    names = [column.name for given in sequence_feature_columns for column in parent_columns(given) or (given,)]
    sequences = _chosen(features, names, "sequence")
    context = _chosen(features, [column.name for column in context_feature_columns or ()], "context")
    if mode != ModeKeys.INFER:
        sequences[RNNKeys.LABELS_KEY] = labels
    return sequences, context


def _chosen(features: Mapping[str, Any], names: Sequence[str], kind: str) -> dict[str, Any]:
    for name in names:
        if features.get(name) is None:
            raise ValueError(f"No key in features for {kind} feature: {name}")
    return {name: features[name] for name in names}


def prepare_inputs_for_rnn(
    sequence_features: Mapping[str, Any],
    context_features: Mapping[str, Any] | None,
    sequence_feature_columns: Any,
    num_unroll: int,
) -> Any:
    """Returns the numbers of columns of each step, a list of Tensors of float32, of shape [batch, size].

    Features of whole sequences are added to each step.
    """
    for feature in sequence_features.values():
        if isinstance(feature, SparseTensor):
            feature.dense_shape.set_shape([3])
    inputs = sequence_input_from_feature_columns(dict(sequence_features), sequence_feature_columns)
    inputs.set_shape([None, num_unroll, None])
    if context_features:
        tiled = [_tiled(context_features[name], num_unroll) for name in sorted(context_features)]
        inputs = concat([inputs, stack(tiled, 2)], axis=2)
    return unstack(inputs, axis=1)


def _tiled(feature: Any, steps: int) -> Tensor:
    return shaping.squeeze(shaping.tile(shaping.expand_dims(feature, 1), [1, steps, 1]), axis=[2])


def _state_names(cell: Any) -> Any:
    """Returns the names of the parts of a cell's state, in the structure that `static_state_saving_rnn` takes."""
    size = cell.state_size
    if isinstance(size, TensorShape):
        raise TypeError("cell.state_size of type TensorShape is not supported.")
    if isinstance(size, int):
        return state_part_name(0)
    if isinstance(size, LSTMStateTuple):
        return [f"{state_part_name(0)}_{part}" for part in "ch"]
    if isinstance(size[0], LSTMStateTuple):
        return [[f"{state_part_name(i)}_{part}" for part in "ch"] for i in range(len(size))]
    return [state_part_name(i) for i in range(len(size))]


def _initial_states(cell: Any) -> dict[str, Any]:
    values = nest.flatten(cell.zero_state(1, dtype=dtypes.float32))
    names = nest.flatten(_state_names(cell))
    return {name: shaping.squeeze(value, axis=[0]) for name, value in zip(names, values, strict=True)}


def state_saving_rnn_model_fn(
    cell_type: Any,
    target_column: Any,
    problem_type: int,
    optimizer: Any,
    num_unroll: int,
    num_units: Any,
    num_threads: int,
    queue_capacity: int,
    batch_size: int,
    sequence_feature_columns: Any,
    context_feature_columns: Any = None,
    predict_probabilities: bool = False,
    learning_rate: float | None = None,
    gradient_clipping_norm: float | None = None,
    dropout_keep_probabilities: ListLike | None = None,
    name: str = "StateSavingRNNModel",
    seed: int | None = None,
) -> Callable[..., ModelFnOps]:
    """Returns the model function of a `StateSavingRnnEstimator`, whose arguments these are; `name` is its name scope.

    Raises:
        ValueError: if a type is unknown, there are no classes for probabilities, or `num_unroll` is not positive.
    """
    check_problem(problem_type, predict_probabilities)
    if num_unroll <= 0:
        raise ValueError(f"num_unroll must be positive; got {num_unroll}.")
    training = Training(optimizer, learning_rate, gradient_clipping_norm)

    def batch_of(cell: Any, features: Any, labels: Any, mode: str) -> Any:
        states = _initial_states(cell)
        sequences, context = prepare_features_for_sqss(
            features, labels, mode, sequence_feature_columns, context_feature_columns
        )
        return batch_sequences_with_states(
            input_key="key",
            input_sequences=sequences,
            input_context=context,
            input_length=None,
            initial_states=states,
            num_unroll=num_unroll,
            batch_size=batch_size,
            pad=True,
            make_keys_unique=True,
            make_keys_unique_seed=seed,
            num_threads=num_threads,
            capacity=queue_capacity,
        )

    def model_fn(features: Any, labels: Any, mode: str) -> ModelFnOps:
        with name_scope(name):
            kept = dropout_keep_probabilities if mode == ModeKeys.TRAIN else None
            cell = construct_rnn_cell(num_units, cell_type, kept)
            batch = batch_of(cell, features, labels, mode)
            sequences = dict(batch.sequences)
            labels = sequences.pop(RNNKeys.LABELS_KEY, None)
            inputs = prepare_inputs_for_rnn(sequences, batch.context, sequence_feature_columns, num_unroll)
            activations, final_state = construct_state_saving_rnn(
                cell, inputs, target_column.num_label_columns, batch, _state_names(cell)
            )
            predictions = multi_value_predictions(activations, target_column, problem_type, predict_probabilities)
            loss = metrics = None
            if mode != ModeKeys.INFER:
                kind = PredictionType.MULTIPLE_VALUE
                loss = masked_loss(activations, labels, batch.length, target_column, features)
                metrics = get_eval_metric_ops(problem_type, kind, batch.length, predictions, labels)
            predictions.update(state_tuple_to_dict(final_state))
            train_op = training.step(loss) if mode == ModeKeys.TRAIN else None
        return ModelFnOps(mode, predictions, loss, train_op, metrics)

    return model_fn


class StateSavingRnnEstimator(Estimator):
    """A recurrent network that classifies or regresses each step of sequences, which it reads in segments.

    Args:
        problem_type: int, `ProblemType.CLASSIFICATION` or `ProblemType.LINEAR_REGRESSION`.
        num_unroll: int, the number of steps of a segment.
        batch_size: int, the number of segments of a batch.
        sequence_feature_columns: list of feature columns of the steps.
        context_feature_columns: list of feature columns of whole sequences, or None.
        num_classes: int, the number of classes, if it classifies.
        num_units: int, or list of int, the sizes of the layers.
        cell_type: str, of "basic_rnn", "lstm" and "gru", or a class of RNNCell.
        optimizer_type: str, the name of an optimizer; or tf.train.Optimizer.
        learning_rate: float.
        predict_probabilities: bool. If True, predictions have the probabilities of the classes.
        momentum: float, if the optimizer is "Momentum".
        gradient_clipping_norm: float, the greatest norm of the gradients; None for no bound.
        dropout_keep_probabilities: list of float, the share of elements that is kept of each layer's input, and of
            the last layer's output; None for all.
        model_dir: str, the folder of checkpoints and summaries; None for a temporary one.
        config: RunConfig; None for the usual one.
        feature_engineering_fn: function of features and labels that returns the model's.
        num_threads: int, the threads that fill the queue of sequences.
        queue_capacity: int, the most sequences that wait in it.
        seed: int, the seed of the sequences' keys, or None.

    Raises:
        ValueError: if a type is unknown, the number of classes is missing, or `num_unroll` is not positive.
    """

    def __init__(
        self,
        problem_type: int,
        num_unroll: int,
        batch_size: int,
        sequence_feature_columns: Any,
        context_feature_columns: Any = None,
        num_classes: int | None = None,
        num_units: Any = None,
        cell_type: Any = "basic_rnn",
        optimizer_type: Any = "SGD",
        learning_rate: float = 0.1,
        predict_probabilities: bool = False,
        momentum: float | None = None,
        gradient_clipping_norm: float | None = 5.0,
        dropout_keep_probabilities: ListLike | None = None,
        model_dir: str | None = None,
        config: RunConfig | None = None,
        feature_engineering_fn: Callable[..., Any] | None = None,
        num_threads: int = 3,
        queue_capacity: int = 1000,
        seed: int | None = None,
    ) -> None:
        kind, target = target_of(problem_type, num_classes)
        model_fn = state_saving_rnn_model_fn(
            cell_type,
            target,
            problem_type,
            optimizer_of(optimizer_type, learning_rate, momentum),
            num_unroll,
            num_units,
            num_threads,
            queue_capacity,
            batch_size,
            sequence_feature_columns,
            context_feature_columns,
            predict_probabilities,
            learning_rate,
            gradient_clipping_norm,
            dropout_keep_probabilities,
            f"MultiValueStateSavingRNN{kind}",
            seed,
        )
        super().__init__(model_fn, model_dir, config, None, feature_engineering_fn)
