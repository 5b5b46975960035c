"""`functional_rnn` and `bidirectional_functional_rnn`: recurrent networks of cells."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base import dtypes, nest
from ferroflow._src.base.typing import DTypeLike, TensorLike
from ferroflow._src.ops.array import shaping
from ferroflow._src.ops.array.making import sequence_mask
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.reduction import reduce_max
from ferroflow._src.rnn.dynamic_running import dynamic_rnn
from ferroflow._src.variables.scope import variable_scope

__all__ = ["bidirectional_functional_rnn", "functional_rnn"]


def functional_rnn(
    cell: Any,
    inputs: Any,
    sequence_length: TensorLike | None = None,
    initial_state: Any = None,
    dtype: DTypeLike | None = None,
    time_major: bool = False,
    scope: Any = None,
    use_tpu: bool = False,
    reverse: bool = False,
) -> tuple[Any, Any]:
    """Runs a cell over sequences, as `tf.nn.dynamic_rnn`.

    Args:
        cell: `tf.nn.rnn_cell.RNNCell`.
        inputs: nest of Tensors of a float dtype, of shape [batch, time, ...]; [time, batch, ...] if `time_major`.
        sequence_length: Tensor of int32 or int64, of shape [batch]; None if all sequences have all time steps.
        initial_state: nest of Tensors as the cell's state; None for zeros.
        dtype: DType of the state, if `initial_state` is None.
        time_major: bool. If True, the first axis is the time.
        scope: str or VariableScope; None for "rnn".
        use_tpu: bool, accepted.
        reverse: bool. If True, run from the last time step that a sequence has to the first. The cell then also runs
            over the time steps that shorter sequences do not have.

    Returns:
        (Tensor of the dtype of the state: the outputs, 0 beyond the end of a sequence; nest: the last state).
    """
    if not reverse:
        outputs, state = dynamic_rnn(
            cell, inputs, sequence_length, initial_state, dtype, time_major=time_major, scope=scope
        )
        return outputs, state
    axis = 0 if time_major else 1
    time = shaping.shape(nest.flatten(inputs)[0])[axis]
    steps = time if sequence_length is None else cast(reduce_max(sequence_length), dtypes.int32)

    def turned(part: Any) -> Any:
        shown = part[:steps] if time_major else part[:, :steps]
        return shaping.reverse(shown, [axis])

    outputs, state = dynamic_rnn(
        cell, nest.map_structure(turned, inputs), None, initial_state, dtype, time_major=time_major, scope=scope
    )
    outputs = shaping.reverse(outputs, [axis])
    if sequence_length is None:
        return outputs, state
    amounts: list[list[Any]] = [[0, 0], [0, 0], [0, 0]]
    amounts[axis][1] = time - steps
    outputs = shaping.pad(outputs, amounts)
    mask = sequence_mask(sequence_length, time, outputs.dtype)
    return outputs * shaping.expand_dims(shaping.transpose(mask) if time_major else mask, -1), state


def bidirectional_functional_rnn(
    cell_fw: Any,
    cell_bw: Any,
    inputs: Any,
    initial_state_fw: Any = None,
    initial_state_bw: Any = None,
    dtype: DTypeLike | None = None,
    sequence_length: TensorLike | None = None,
    time_major: bool = False,
    use_tpu: bool = False,
    fast_reverse: bool = False,
    scope: Any = None,
) -> tuple[tuple[Any, Any], tuple[Any, Any]]:
    """Runs two cells over sequences, forward and backward, as `tf.nn.bidirectional_dynamic_rnn`.

    Args:
        cell_fw: `tf.nn.rnn_cell.RNNCell` that runs forward.
        cell_bw: `tf.nn.rnn_cell.RNNCell` that runs backward.
        inputs: nest of Tensors of a float dtype, of shape [batch, time, ...]; [time, batch, ...] if `time_major`.
        initial_state_fw: nest of Tensors as the state of `cell_fw`; None for zeros.
        initial_state_bw: nest of Tensors as the state of `cell_bw`; None for zeros.
        dtype: DType of the states, if an initial state is None.
        sequence_length: Tensor of int32 or int64, of shape [batch]; None if all sequences have all time steps.
        time_major: bool. If True, the first axis is the time.
        use_tpu: bool, accepted.
        fast_reverse: bool. If True, the whole batch is reversed, as `functional_rnn` does it with `reverse`.
        scope: str or VariableScope; None for "bidirectional_rnn".

    Returns:
        ((Tensor, Tensor): the outputs forward and backward; (nest, nest): the last states).
    """
    time, batch = (0, 1) if time_major else (1, 0)

    def turned(part: Any) -> Any:
        if sequence_length is None:
            return shaping.reverse(part, [time])
        return shaping.reverse_sequence(part, sequence_length, seq_axis=time, batch_axis=batch)

    with variable_scope(scope or "bidirectional_rnn"):
        with variable_scope("fw") as forward:
            outputs_fw, state_fw = functional_rnn(
                cell_fw, inputs, sequence_length, initial_state_fw, dtype, time_major, forward
            )
        with variable_scope("bw") as backward:
            given = inputs if fast_reverse else nest.map_structure(turned, inputs)
            outputs_bw, state_bw = functional_rnn(
                cell_bw, given, sequence_length, initial_state_bw, dtype, time_major, backward, reverse=fast_reverse
            )
    return (outputs_fw, outputs_bw if fast_reverse else turned(outputs_bw)), (state_fw, state_bw)
