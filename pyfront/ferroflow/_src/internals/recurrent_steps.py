"""`rnn._rnn_step`: a step of `dynamic_rnn`, for loops that programs define."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.base.typing import IntLike, TensorLike
from ferroflow._src.framework.constant import constant_value_as_shape
from ferroflow._src.framework.handles import Tensor
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


def is_keras_rnn_cell(rnn_cell: object) -> bool:
    """Returns True for a cell of `tf.keras`, which has no `zero_state`.

    Args:
        rnn_cell: a cell of `tf.nn.rnn_cell` or of `tf.keras.layers`.
    """
    return hasattr(rnn_cell, "call") and hasattr(rnn_cell, "get_initial_state") and not hasattr(rnn_cell, "zero_state")


def shape_from_tensor(shape: Any) -> TensorShape:
    """Returns the shape that a tensor holds, as far as it is known when the graph is built.

    Args:
        shape: Tensor of int32 or int64, of shape [rank], or anything that TensorShape takes.
    """
    return constant_value_as_shape(shape) if isinstance(shape, Tensor) else TensorShape(shape)


def should_cache() -> bool:
    """Returns True: reads of variables in a loop are cached, as outside of loops."""
    return True
