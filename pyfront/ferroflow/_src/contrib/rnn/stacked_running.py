"""Bidirectional networks one above the other: each layer gets the joined outputs of both cells of the one below."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ferroflow._src.base.typing import ListLike
from ferroflow._src.ops.array.joining import concat
from ferroflow._src.rnn.dynamic_running import bidirectional_dynamic_rnn
from ferroflow._src.rnn.static_running import static_bidirectional_rnn
from ferroflow._src.variables.scope import variable_scope


def _layers(cells_fw: Any, cells_bw: Any, states_fw: Any, states_bw: Any) -> Iterator[tuple[Any, Any, Any, Any]]:
    for cells, what in ((cells_fw, "fw"), (cells_bw, "bw")):
        if not cells:
            raise ValueError(f"Must specify at least one {what} cell for BidirectionalRNN.")
    for cells, what in ((cells_fw, "fw"), (cells_bw, "bw")):
        if not isinstance(cells, list):
            raise ValueError(f"cells_{what} must be a list of RNNCells (one per layer).")
    if len(cells_fw) != len(cells_bw):
        raise ValueError("Forward and Backward cells must have the same depth.")
    for states, what in ((states_fw, "fw"), (states_bw, "bw")):
        if states is not None and (not isinstance(states, list) or len(states) != len(cells_fw)):
            raise ValueError(f"initial_states_{what} must be a list of state tensors (one per layer).")
    none = [None] * len(cells_fw)
    return zip(cells_fw, cells_bw, states_fw or none, states_bw or none, strict=True)


def stack_bidirectional_rnn(
    cells_fw: ListLike,
    cells_bw: ListLike,
    inputs: Any,
    initial_states_fw: ListLike | None = None,
    initial_states_bw: ListLike | None = None,
    dtype: Any = None,
    sequence_length: Any = None,
    scope: Any = None,
) -> Any:
    """Runs layers over a list of inputs; each layer has one cell that runs forwards and one that runs backwards.

    Args:
        cells_fw: list of RNNCells, one for each layer.
        cells_bw: list of RNNCells, one for each layer.
        inputs: list of Tensors of shape [batch, size], one for each step.
        initial_states_fw: list of the first states of `cells_fw`; None for zeros.
        initial_states_bw: list of the first states of `cells_bw`; None for zeros.
        dtype: DType of the first states; needed if they are not given.
        sequence_length: Tensor of int32 or int64, of shape [batch]: the number of steps of each sequence; None for all.
        scope: str or VariableScope; None for "stack_bidirectional_rnn".

    Returns:
        List of the last layer's outputs, and two tuples: the last states of the cells in each list.

    Raises:
        ValueError: if cells or states are not lists, or not as many as layers; also on the same conditions as
            `tf.nn.static_bidirectional_rnn`.
    """
    layers = _layers(cells_fw, cells_bw, initial_states_fw, initial_states_bw)
    last_fw, last_bw = [], []
    with variable_scope(scope or "stack_bidirectional_rnn"):
        for number, (cell_fw, cell_bw, state_fw, state_bw) in enumerate(layers):
            with variable_scope(f"cell_{number}") as opened:
                inputs, after_fw, after_bw = static_bidirectional_rnn(
                    cell_fw, cell_bw, inputs, state_fw, state_bw, dtype, sequence_length, scope=opened
                )
            last_fw.append(after_fw)
            last_bw.append(after_bw)
    return inputs, tuple(last_fw), tuple(last_bw)


def stack_bidirectional_dynamic_rnn(
    cells_fw: ListLike,
    cells_bw: ListLike,
    inputs: Any,
    initial_states_fw: ListLike | None = None,
    initial_states_bw: ListLike | None = None,
    dtype: Any = None,
    sequence_length: Any = None,
    parallel_iterations: int | None = None,
    time_major: bool = False,
    scope: Any = None,
) -> Any:
    """Runs layers of two cells over inputs in loops, one cell forwards and one backwards.

    Args:
        cells_fw: list of RNNCells, one for each layer.
        cells_bw: list of RNNCells, one for each layer.
        inputs: Tensor of shape [batch, time, size].
        initial_states_fw: list of the first states of `cells_fw`; None for zeros.
        initial_states_bw: list of the first states of `cells_bw`; None for zeros.
        dtype: DType of the first states; needed if they are not given.
        sequence_length: Tensor of int32 or int64, of shape [batch]: the number of steps of each sequence; None for all.
        parallel_iterations: int, accepted as `tf.while_loop` does; None for 32.
        time_major: bool. If True, the first two dimensions of inputs and outputs are time and batch in this order.
        scope: str or VariableScope; None for "stack_bidirectional_rnn".

    Returns:
        The outputs of the last layer, Tensor of shape [batch, time, outputs of both cells], and the tuples of the last
        states of the cells of both lists.

    Raises:
        ValueError: if cells or states are not lists, or not as many as layers; also on the same conditions as
            `tf.nn.bidirectional_dynamic_rnn`.
    """
    layers = _layers(cells_fw, cells_bw, initial_states_fw, initial_states_bw)
    last_fw, last_bw = [], []
    with variable_scope(scope or "stack_bidirectional_rnn"):
        for number, (cell_fw, cell_bw, state_fw, state_bw) in enumerate(layers):
            with variable_scope(f"cell_{number}"):
                outputs, (after_fw, after_bw) = bidirectional_dynamic_rnn(
                    cell_fw,
                    cell_bw,
                    inputs,
                    sequence_length=sequence_length,
                    initial_state_fw=state_fw,
                    initial_state_bw=state_bw,
                    dtype=dtype,
                    parallel_iterations=parallel_iterations,
                    time_major=time_major,
                )
                inputs = concat(outputs, 2)
            last_fw.append(after_fw)
            last_bw.append(after_bw)
    return inputs, tuple(last_fw), tuple(last_bw)
