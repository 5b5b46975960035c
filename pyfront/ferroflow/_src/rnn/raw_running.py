"""Cells run in a loop whose inputs, states and end a function decides."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ferroflow._src.base import dtypes, nest
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.control_flow.loop import while_loop
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array import shaping
from ferroflow._src.ops.array.making import zeros
from ferroflow._src.ops.math.comparison import logical_or
from ferroflow._src.ops.math.elementwise import logical_not
from ferroflow._src.ops.math.reduction import reduce_all
from ferroflow._src.ops.tensor_array import TensorArray
from ferroflow._src.rnn.cell import assert_like_rnn_cell
from ferroflow._src.rnn.sizes import joined_shape, static_joined_shape
from ferroflow._src.rnn.steps import cache_variables, kept_where
from ferroflow._src.variables.scope import variable_scope


def raw_rnn(
    cell: Any,
    loop_fn: Callable[[Any, Any, Any, Any], Any],
    parallel_iterations: int | None = None,
    swap_memory: bool = False,
    scope: Any = None,
) -> Any:
    """Runs a cell in a loop; between steps a function makes the next input and state from the output and state.

    Args:
        cell: RNNCell.
        loop_fn: callable of the number of steps done (Tensor of int32 of shape []), the cell's output, its state and
            the loop's state. The last three are None in the first call. It returns a tuple of five. The first is
            whether sequences are finished, Tensor of bool of shape [batch]. Then follow the next input and the next
            state of the cell, in the first call its initial state. The fourth is the output to emit, or None for the
            cell's output. At first it is tensors with the structure, dtypes and shapes, without the batch. The fifth is
            the next state of the loop, or None.
        parallel_iterations: int, accepted as `tf.while_loop` does; None for 32.
        swap_memory: bool, accepted as `tf.while_loop` does.
        scope: str or VariableScope; None for "rnn".

    Returns:
        TensorArray of the emitted values, or a structure of them; the last state of the cell; the last state of the
        loop, None if it started with None. For finished sequences zeros are emitted and the state stays.

    Raises:
        TypeError: if `cell` is not an RNNCell, `loop_fn` is not callable, or structures have other types than before.
        ValueError: if structures differ from those of earlier steps.
    """
    assert_like_rnn_cell("cell", cell)
    if not callable(loop_fn):
        raise TypeError("loop_fn must be a callable")
    with variable_scope(scope or "rnn") as opened:
        cache_variables(opened)
        start = constant(0, dtype=dtypes.int32)
        finished, first_input, state, emitted, first_loop_state = loop_fn(start, None, None, None)
        loop_state = constant(0, dtype=dtypes.int32) if first_loop_state is None else first_loop_state
        flat_input = nest.flatten(first_input)
        dimension = flat_input[0].get_shape()[0]
        for tensor in flat_input:
            dimension.merge_with(tensor.get_shape()[0])
        batch_size = dimension.value
        if batch_size is None:
            batch_size = shaping.shape(flat_input[0])[0]
        nest.assert_same_structure(state, cell.state_size)
        state = nest.pack_sequence_as(state, [convert_to_tensor(x) for x in nest.flatten(state)])
        structure, sizes, kinds = _emissions(emitted, cell, state)
        arrays = [
            TensorArray(
                dtype=kind,
                dynamic_size=True,
                element_shape=static_joined_shape(TensorShape([dimension.value]), size),
                size=0,
                name=f"rnn_output_{number}",
            )
            for number, (kind, size) in enumerate(zip(kinds, sizes, strict=True))
        ]
        zero_leaves = [zeros(joined_shape(batch_size, size), kind) for size, kind in zip(sizes, kinds, strict=True)]
        zero_emission = nest.pack_sequence_as(structure, zero_leaves)

        def goes_on(_: Tensor, finished: Tensor, *_others: Any) -> Tensor:
            result: Tensor = logical_not(reduce_all(finished))
            return result

        def body(time: Any, finished: Any, given: Any, arrays: Any, state: Any, loop_state: Any) -> Any:
            output, cell_state = cell(given, state)
            nest.assert_same_structure(state, cell_state)
            nest.assert_same_structure(cell.output_size, output)
            next_time = time + 1
            now_finished, next_input, next_state, emission, next_loop_state = loop_fn(
                next_time, output, cell_state, loop_state
            )
            nest.assert_same_structure(state, next_state)
            nest.assert_same_structure(given, next_input)
            nest.assert_same_structure(arrays, emission)

            def kept(old: Any, new: Any) -> Any:
                return nest.map_structure(lambda before, after: kept_where(finished, before, after), old, new)

            emission, next_state = kept(zero_emission, emission), kept(state, next_state)
            arrays = nest.map_structure(lambda array, value: array.write(time, value), arrays, emission)
            return (
                next_time,
                logical_or(finished, now_finished),
                next_input,
                arrays,
                next_state,
                loop_state if next_loop_state is None else next_loop_state,
            )

        _, _, _, filled, final_state, final_loop_state = while_loop(
            goes_on,
            body,
            loop_vars=[start, finished, first_input, nest.pack_sequence_as(structure, arrays), state, loop_state],
            parallel_iterations=parallel_iterations or 32,
            swap_memory=swap_memory,
        )
        return filled, final_state, None if first_loop_state is None else final_loop_state


def _emissions(emitted: Any, cell: Any, state: Any) -> Any:
    """Returns the structure, the sizes and the dtypes of what is emitted."""
    if emitted is None:
        sizes = nest.flatten(cell.output_size)
        return cell.output_size, sizes, [nest.flatten(state)[0].dtype] * len(sizes)
    leaves = nest.flatten(emitted)
    sizes = [x.shape if x.shape.is_fully_defined() else shaping.shape(x) for x in leaves]
    return emitted, sizes, [x.dtype for x in leaves]
