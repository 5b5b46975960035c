"""Decoders over lists of inputs, and models with an encoder and such a decoder."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable
from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import CellLike, DTypeLike, ListLike, ScopeLike, TensorLike
from ferroflow._src.rnn.static_running import static_rnn
from ferroflow._src.variables.scope import variable_scope
from ferroflow._src.variables.variable_scope import get_variable_scope

# Of the output before and the number of the step; gives the inputs.
LoopFunction = Callable[[Any, int], Any]


def looped_input(loop_function: LoopFunction | None, before: TensorLike | None, step: int, given: TensorLike) -> Any:
    """Returns the inputs of a step: those given, or what the function makes of the output before, if there is one.

    Args:
        loop_function: of the output before and the number of the step; or None.
        before: Tensor, the output before; None at the first step.
        step: int, the number of the step.
        given: Tensor, the inputs given for the step.
    """
    if loop_function is None or before is None:
        return given
    with variable_scope("loop_function", reuse=True):
        return loop_function(before, step)


def rnn_decoder(
    decoder_inputs: Iterable[Any],
    initial_state: TensorLike,
    cell: CellLike,
    loop_function: LoopFunction | None = None,
    scope: ScopeLike | None = None,
) -> tuple[list[Any], Any]:
    """Runs a cell over a list of inputs, or feeds its outputs back.

    Args:
        decoder_inputs: list of Tensors of a float dtype, of shape [batch, size].
        initial_state: Tensor of shape [batch, state size], or nest of them as the cell's `state_size`.
        cell: RNNCell.
        loop_function: callable of the output before and the number of the step that gives the inputs from the second
            step on; None for the given inputs.
        scope: str or VariableScope; None for "rnn_decoder".

    Returns:
        List of the outputs, of shape [batch, output size], and the last state.
    """
    with variable_scope(scope or "rnn_decoder"):
        state = initial_state
        outputs: list[Any] = []
        for step, given in enumerate(decoder_inputs):
            given = looped_input(loop_function, outputs[-1] if outputs else None, step, given)
            if step > 0:
                get_variable_scope().reuse_variables()
            output, state = cell(given, state)
            outputs.append(output)
    return outputs, state


def basic_rnn_seq2seq(
    encoder_inputs: Any, decoder_inputs: Any, cell: Any, dtype: Any = dtypes.float32, scope: Any = None
) -> tuple[list[Any], Any]:
    """Runs a copy of a cell over the encoder's inputs, and the cell from the last state over the decoder's.

    Args:
        encoder_inputs: list of Tensors of a float dtype, of shape [batch, size].
        decoder_inputs: list of Tensors of a float dtype, of shape [batch, size].
        cell: RNNCell.
        dtype: DType of the first state.
        scope: str or VariableScope; None for "basic_rnn_seq2seq".

    Returns:
        List of the decoder's outputs, of shape [batch, output size], and its last state.
    """
    with variable_scope(scope or "basic_rnn_seq2seq"):
        _, state = static_rnn(copy.deepcopy(cell), encoder_inputs, dtype=dtype)
        return rnn_decoder(decoder_inputs, state, cell)


def tied_rnn_seq2seq(
    encoder_inputs: ListLike,
    decoder_inputs: Any,
    cell: Any,
    loop_function: LoopFunction | None = None,
    dtype: DTypeLike = dtypes.float32,
    scope: Any = None,
) -> tuple[list[Any], Any]:
    """Runs a cell over the encoder's inputs, and, with the same variables, from the last state over the decoder's.

    Args:
        encoder_inputs: list of Tensors of a float dtype, of shape [batch, size].
        decoder_inputs: list of Tensors of a float dtype, of shape [batch, size].
        cell: RNNCell.
        loop_function: as `rnn_decoder`.
        dtype: DType of the first state.
        scope: str or VariableScope; None for "tied_rnn_seq2seq".

    Returns:
        List of the decoder's outputs, of shape [batch, output size], and its last state.
    """
    with variable_scope("combined_tied_rnn_seq2seq"):
        scope = scope or "tied_rnn_seq2seq"
        _, state = static_rnn(cell, encoder_inputs, dtype=dtype, scope=scope)
        get_variable_scope().reuse_variables()
        return rnn_decoder(decoder_inputs, state, cell, loop_function=loop_function, scope=scope)
