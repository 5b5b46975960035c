"""`rnn._rnn_step`: a step of `dynamic_rnn`, for loops that programs define."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ferroflow._src.base.typing import IntLike, TensorLike
from ferroflow._src.rnn.steps import Lengths, step


def rnn_step(
    time: IntLike,
    sequence_length: Any,
    min_sequence_length: Any,
    max_sequence_length: Any,
    zero_output: TensorLike,
    state: TensorLike,
    call_cell: Callable[[], Any],
    state_size: Any,
    skip_conditionals: bool = False,
) -> Any:
    """Computes a step for the sequences that are not over; the others give zeros and keep their state.

    Args:
        time: int, or Tensor of int32 of shape [].
        sequence_length: Tensor of int32, of shape [batch].
        min_sequence_length: Tensor of int32 of shape [], the least of these lengths.
        max_sequence_length: Tensor of int32 of shape [], the greatest.
        zero_output: Tensor of shape [batch, ...], or structure of them: zeros like an output.
        state: Tensor of shape [batch, ...], or structure of them.
        call_cell: computes output and next state for all sequences.
        state_size: not used: the state has its size.
        skip_conditionals: bool. If True, the cell runs even where all sequences are over.

    Returns:
        Output and next state.

    Raises:
        TypeError: if the next state has a structure of other types than the state.
        ValueError: if the next state's structure differs from the state's.
    """
    lengths = Lengths(sequence_length, min_sequence_length, max_sequence_length)
    return step(time, lengths, zero_output, state, call_cell, always_calls=skip_conditionals)
