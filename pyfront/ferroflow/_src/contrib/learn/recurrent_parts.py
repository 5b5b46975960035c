"""Cells, sequences and predictions of the recurrent estimators of `tf.contrib.learn`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from ferroflow._src.base import dtypes, nest
from ferroflow._src.contrib.feature_column.sequence_input import concatenate_context_input
from ferroflow._src.contrib.layers.column_models import (
    input_from_feature_columns,
    sequence_input_from_feature_columns,
    transform_features,
)
from ferroflow._src.contrib.learn.model_ops import PredictionKey, ProblemType
from ferroflow._src.framework.default_graph import control_dependencies, name_scope
from ferroflow._src.framework.handles import Tensor
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

__all__ = [
    "PredictionType",
    "RNNKeys",
    "construct_rnn_cell",
    "dict_to_state_tuple",
    "mask_activations_and_labels",
    "select_last_activations",
    "sequence_input",
    "state_tuple_to_dict",
    "step_predictions",
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


def _state_name(i: int) -> str:
    return f"{RNNKeys.STATE_PREFIX}_{i}"


def state_tuple_to_dict(state: Any) -> dict[str, Any]:
    """Returns the Tensors of a state by their names."""
    with name_scope("state_tuple_to_dict"):
        return {
            _state_name(i): None if part is None else making.identity(part, name=_state_name(i))
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
            part = input_dict.get(_state_name(i))
            if part is None:
                continue
            checks = [
                assert_rank(part, 2, name=f"check_state_{i}_rank"),
                assert_equal(shaping.shape(part)[1], size, name=f"check_state_{i}_shape"),
            ]
            with control_dependencies(checks):
                parts.append(making.identity(part, name=_state_name(i)))
        if not parts:
            return None
        if len(parts) != len(sizes):
            raise ValueError(
                f"RNN state was partially specified.Expected zero or {len(sizes)} state Tensors; got {len(parts)}"
            )
        return nest.pack_sequence_as(cell.zero_state(batch_size=1, dtype=dtypes.bool), parts)


def sequence_input(features: Mapping[str, Any], sequence_columns: Any, context_columns: Any) -> Tensor:
    """Returns the numbers of columns for each step, a Tensor of float32 of shape [batch, steps, size]."""
    found = dict(features)
    found.update(transform_features(found, [*sequence_columns, *(context_columns or ())]))
    sequence = sequence_input_from_feature_columns(found, sequence_columns)
    if context_columns is None:
        return sequence
    return concatenate_context_input(input_from_feature_columns(found, context_columns), sequence)


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


def step_predictions(activations: Any, target: Any, problem_type: int, has_probabilities: bool) -> dict[str, Any]:
    """Returns the predictions of each step by their keys.

    Args:
        activations: Tensor of float32, of shape [batch, steps, columns of the target].
        target: TargetColumn.
        problem_type: int, of `ProblemType`.
        has_probabilities: If True, there are probabilities, too.
    """
    with name_scope("MultiValuePrediction"):
        shape = shaping.shape(activations)
        flat = shaping.reshape(activations, [-1, shape[2]])
        found: dict[str, Any] = {}
        if has_probabilities:
            flat_probabilities = target.logits_to_predictions(flat, proba=True)
            chosen = argmax(flat_probabilities, 1)
            full = concat([shape[:2], [2]], 0) if target.num_label_columns == 1 else shape
            key = PredictionKey.PROBABILITIES
            found[key] = shaping.reshape(flat_probabilities, full, name=key)
        else:
            chosen = target.logits_to_predictions(flat, proba=False)
        key = PredictionKey.CLASSES if problem_type == ProblemType.CLASSIFICATION else PredictionKey.SCORES
        found[key] = shaping.reshape(chosen, [shape[0], shape[1]], name=key)
        return found
