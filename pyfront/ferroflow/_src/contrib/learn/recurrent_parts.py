"""Cells, sequences and predictions of the recurrent estimators of `tf.contrib.learn`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from ferroflow._src.base import dtypes, nest
from ferroflow._src.contrib.feature_column.sequence_input import concatenate_context_input
from ferroflow._src.contrib.layers.column_models import (
    input_from_feature_columns,
    sequence_input_from_feature_columns,
    transform_features,
)
from ferroflow._src.contrib.layers.optimize_loss import OPTIMIZER_SUMMARIES, optimize_loss
from ferroflow._src.contrib.layers.target_columns import classification, regression
from ferroflow._src.contrib.learn.model_ops import PredictionKey, ProblemType
from ferroflow._src.framework.default_graph import control_dependencies, name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.metrics.averaging import accuracy
from ferroflow._src.ops.array import making, shaping
from ferroflow._src.ops.array.indexing import boolean_mask, gather
from ferroflow._src.ops.array.joining import concat
from ferroflow._src.ops.array.making import sequence_mask
from ferroflow._src.ops.flow.checking import assert_equal, assert_rank
from ferroflow._src.ops.math.reduction import argmax
from ferroflow._src.rnn.basic_cells import BasicRNNCell, GRUCell
from ferroflow._src.rnn.cell import RNNCell
from ferroflow._src.rnn.dropout_wrapper import DropoutWrapper
from ferroflow._src.rnn.lstm_cells import LSTMCell
from ferroflow._src.rnn.multi_cell import MultiRNNCell
from ferroflow._src.training.momentum import MomentumOptimizer

__all__ = [
    "PredictionType",
    "RNNKeys",
    "Training",
    "build_sequence_input",
    "check_problem",
    "construct_rnn_cell",
    "dict_to_state_tuple",
    "get_eval_metric_ops",
    "mask_activations_and_labels",
    "masked_loss",
    "multi_value_predictions",
    "optimizer_of",
    "select_last_activations",
    "state_part_name",
    "state_tuple_to_dict",
    "target_of",
]


class RNNKeys:
    """Keys of features."""

    FINAL_STATE_KEY: Final = "final_state"
    LABELS_KEY: Final = "__labels__"
    SEQUENCE_LENGTH_KEY: Final = "sequence_length"
    STATE_PREFIX: Final = "rnn_cell_state"


class PredictionType:
    """Numbers of values of a sequence: one, or one for each step."""

    SINGLE_VALUE: Final = 1
    MULTIPLE_VALUE: Final = 2


_CELLS: Final[dict[str, Any]] = {"basic_rnn": BasicRNNCell, "lstm": LSTMCell, "gru": GRUCell}


def construct_rnn_cell(num_units: Any, cell_type: Any = "basic_rnn", dropout_keep_probabilities: Any = None) -> Any:
    """Returns a cell of one layer or several.

    Args:
        num_units: int, or list of int, the sizes of the layers.
        cell_type: str, of "basic_rnn", "lstm" and "gru", or a class of RNNCell.
        dropout_keep_probabilities: list of float, the share of elements that is kept of each layer's input, and of
            the last layer's output; None for all.

    Raises:
        ValueError: if the type is unknown, or the number of probabilities does not fit.
    """
    sizes = list(num_units) if isinstance(num_units, (list, tuple)) else [num_units]
    kind = _CELLS.get(cell_type, cell_type)
    if not isinstance(kind, type) or not issubclass(kind, RNNCell):
        raise ValueError(f"The supported cell types are {list(_CELLS)}; got {cell_type}")
    cells: list[Any] = [kind(num_units=size) for size in sizes]
    kept: Sequence[float] = list(dropout_keep_probabilities or ())
    if kept:
        if len(kept) != len(cells) + 1:
            raise ValueError(
                "The number of dropout probabilities must be one greater than the number of cells. Got "
                f"{len(cells)} cells and {len(kept)} dropout probabilities."
            )
        outputs = [1.0] * (len(cells) - 1) + [kept[-1]]
        cells = [DropoutWrapper(*parts) for parts in zip(cells, kept[:-1], outputs, strict=True)]
    return cells[0] if len(cells) == 1 else MultiRNNCell(cells)


def state_part_name(i: int) -> str:
    """Returns the name of a part of a state."""
    return f"{RNNKeys.STATE_PREFIX}_{i}"


def state_tuple_to_dict(state: Any) -> dict[str, Any]:
    """Returns the Tensors of a state by their names."""
    with name_scope("state_tuple_to_dict"):
        return {
            state_part_name(i): None if part is None else making.identity(part, name=state_part_name(i))
            for i, part in enumerate(nest.flatten(state))
        }


def dict_to_state_tuple(input_dict: Mapping[str, Any], cell: Any) -> Any:
    """Returns the state of a cell that is among features, or None.

    Raises:
        ValueError: if only a part of the state is there.
    """
    sizes = nest.flatten(cell.state_size)
    parts = []
    with name_scope("dict_to_state_tuple"):
        for i, size in enumerate(sizes):
            part = input_dict.get(state_part_name(i))
            if part is None:
                continue
            checks = [
                assert_rank(part, 2, name=f"check_state_{i}_rank"),
                assert_equal(shaping.shape(part)[1], size, name=f"check_state_{i}_shape"),
            ]
            with control_dependencies(checks):
                parts.append(making.identity(part, name=state_part_name(i)))
        if not parts:
            return None
        if len(parts) != len(sizes):
            raise ValueError(
                f"RNN state was partially specified.Expected zero or {len(sizes)} state Tensors; got {len(parts)}"
            )
        return nest.pack_sequence_as(cell.zero_state(batch_size=1, dtype=dtypes.bool), parts)


def build_sequence_input(
    features: Mapping[str, Any],
    sequence_feature_columns: Any,
    context_feature_columns: Any,
    weight_collections: Any = None,
    scope: Any = None,
) -> Tensor:
    """Returns the numbers of columns for each step.

    Args:
        features: dict from str to Tensor or SparseTensor of any dtype.
        sequence_feature_columns: list of feature columns of the steps.
        context_feature_columns: list of feature columns of whole sequences, or None.
        weight_collections: list of str, collections of the variables.
        scope: str or VariableScope, the scope of the variables.

    Returns:
        Tensor of float32, of shape [batch, steps, size].
    """
    found = dict(features)
    found.update(transform_features(found, [*sequence_feature_columns, *(context_feature_columns or ())]))
    sequence = sequence_input_from_feature_columns(found, sequence_feature_columns, weight_collections, scope=scope)
    if context_feature_columns is None:
        return sequence
    context = input_from_feature_columns(found, context_feature_columns, weight_collections, scope=scope)
    return concatenate_context_input(context, sequence)


def select_last_activations(activations: Any, sequence_lengths: Any) -> Tensor:
    """Returns the activations of each sequence's last step.

    Args:
        activations: Tensor of float32, of shape [batch, steps, size].
        sequence_lengths: Tensor of int32, of shape [batch]; None for `steps`.
    """
    with name_scope("select_last_activations", values=[activations, sequence_lengths]):
        shape = shaping.shape(activations)
        batch, steps, size = shape[0], shape[1], shape[2]
        lengths = steps if sequence_lengths is None else sequence_lengths
        flat = shaping.reshape(activations, [-1, size])
        last = gather(flat, making.range(batch) * steps + lengths - 1)
        static = activations.get_shape()
        last.set_shape([static[0], static[2]])
        return last


def mask_activations_and_labels(activations: Any, labels: Any, sequence_lengths: Any) -> tuple[Any, Any]:
    """Returns the activations and labels of all steps that belong to sequences, of shapes [n, size] and [n].

    Args:
        activations: Tensor of float32, of shape [batch, steps, size].
        labels: Tensor of any dtype, of shape [batch, steps].
        sequence_lengths: Tensor of int32, of shape [batch]; None for `steps`.
    """
    with name_scope("mask_activations_and_labels", values=[activations, labels, sequence_lengths]):
        shape = shaping.shape(labels)
        batch, steps = shape[0], shape[1]
        if sequence_lengths is None:
            count = steps * batch
            return shaping.reshape(activations, [count, -1]), shaping.reshape(labels, [count])
        mask = sequence_mask(sequence_lengths, steps)
        return boolean_mask(activations, mask), boolean_mask(labels, mask)


def multi_value_predictions(
    activations: Any, target_column: Any, problem_type: int, predict_probabilities: bool
) -> dict[str, Any]:
    """Returns the predictions of each step by their keys.

    Args:
        activations: Tensor of float32, of shape [batch, steps, columns of the target].
        target_column: TargetColumn.
        problem_type: int, of `ProblemType`.
        predict_probabilities: bool. If True, there are probabilities, too.
    """
    with name_scope("MultiValuePrediction"):
        shape = shaping.shape(activations)
        flat = shaping.reshape(activations, [-1, shape[2]])
        found: dict[str, Any] = {}
        if predict_probabilities:
            flat_probabilities = target_column.logits_to_predictions(flat, proba=True)
            chosen = argmax(flat_probabilities, 1)
            full = concat([shape[:2], [2]], 0) if target_column.num_label_columns == 1 else shape
            key = PredictionKey.PROBABILITIES
            found[key] = shaping.reshape(flat_probabilities, full, name=key)
        else:
            chosen = target_column.logits_to_predictions(flat, proba=False)
        key = PredictionKey.CLASSES if problem_type == ProblemType.CLASSIFICATION else PredictionKey.SCORES
        found[key] = shaping.reshape(chosen, [shape[0], shape[1]], name=key)
        return found


def masked_loss(activations: Any, labels: Any, sequence_lengths: Any, target_column: Any, features: Any) -> Any:
    """Returns the loss of all steps that belong to sequences, a Tensor of float32, of shape [].

    Args:
        activations: Tensor of float32, of shape [batch, steps, columns of the target].
        labels: Tensor of any dtype, of shape [batch, steps].
        sequence_lengths: Tensor of int32, of shape [batch]; None for `steps`.
        target_column: TargetColumn.
        features: dict from str to Tensor of any dtype.
    """
    with name_scope("MultiValueLoss"):
        masked = mask_activations_and_labels(activations, labels, sequence_lengths)
        return target_column.loss(*masked, features)


def get_eval_metric_ops(
    problem_type: int, prediction_type: int, sequence_length: Any, prediction_dict: Mapping[str, Any], labels: Any
) -> dict[str, Any]:
    """Returns the metrics of predictions by name: the accuracy of classes.

    Args:
        problem_type: int, of `ProblemType`.
        prediction_type: int, of `PredictionType`.
        sequence_length: Tensor of int32, of shape [batch]; None for all steps.
        prediction_dict: dict of the predictions by their keys.
        labels: Tensor of any dtype, of shape [batch] or [batch, steps].

    Returns:
        dict of pairs of a value and an update.
    """
    if problem_type != ProblemType.CLASSIFICATION:
        return {}
    classes = prediction_dict[PredictionKey.CLASSES]
    if prediction_type == PredictionType.MULTIPLE_VALUE:
        classes, labels = mask_activations_and_labels(classes, labels, sequence_length)
    return {"accuracy": accuracy(labels, classes)}


class Training(NamedTuple):
    """The training of a recurrent estimator.

    Attributes:
        optimizer: str, the name of an optimizer; or tf.train.Optimizer.
        learning_rate: float, or None.
        gradient_clipping_norm: float, the greatest norm of the gradients; None for no bound.
    """

    optimizer: Any
    learning_rate: float | None
    gradient_clipping_norm: float | None

    def step(self, loss: Any) -> Any:
        """Returns the Operation of a step."""
        return optimize_loss(
            loss=loss,
            global_step=None,
            learning_rate=self.learning_rate,
            optimizer=self.optimizer,
            clip_gradients=self.gradient_clipping_norm,
            summaries=OPTIMIZER_SUMMARIES,
        )


def optimizer_of(name: Any, learning_rate: float, momentum: float | None) -> Any:
    """Returns the optimizer that an estimator gets: the one with momentum for its name."""
    return MomentumOptimizer(learning_rate, momentum) if name == "Momentum" else name  # type: ignore[arg-type]  # raises for None


def target_of(problem_type: int, num_classes: int | None) -> tuple[str, Any]:
    """Returns the end of an estimator's name, and the target column, of a kind of problem.

    Raises:
        ValueError: if the type is unknown, or the number of classes is missing.
    """
    if problem_type == ProblemType.LINEAR_REGRESSION:
        return "Regressor", regression()
    if problem_type != ProblemType.CLASSIFICATION:
        raise ValueError(
            "problem_type must be either ProblemType.LINEAR_REGRESSION or ProblemType.CLASSIFICATION; "
            f"got {problem_type}"
        )
    if not num_classes:
        raise ValueError("For CLASSIFICATION problem_type, num_classes must be specified.")
    return "Classifier", classification(num_classes)


def check_problem(problem_type: int, predict_probabilities: bool) -> None:
    """Raises a ValueError for an unknown type, or probabilities of a regression."""
    if problem_type not in (ProblemType.CLASSIFICATION, ProblemType.LINEAR_REGRESSION):
        raise ValueError(
            f"problem_type must be ProblemType.LINEAR_REGRESSION or ProblemType.CLASSIFICATION; got {problem_type}"
        )
    if predict_probabilities and problem_type != ProblemType.CLASSIFICATION:
        raise ValueError(
            "predict_probabilities can only be set to True for problem_type ProblemType.CLASSIFICATION; "
            f"got {problem_type}."
        )
