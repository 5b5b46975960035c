"""Cells run over a list of inputs, with the operations of each step in the graph."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base import dtypes, nest
from ferroflow._src.base.tensor_shape import TensorShape, unknown_shape
from ferroflow._src.base.typing import CellLike, DTypeLike, ListLike, NestedTensors, ScopeLike, TensorLike
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import control_dependencies
from ferroflow._src.ops.array import shaping
from ferroflow._src.ops.array.joining import concat, stack, unstack
from ferroflow._src.ops.array.making import identity
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.reduction import reduce_max, reduce_min
from ferroflow._src.rnn.cell import assert_like_rnn_cell
from ferroflow._src.rnn.sizes import static_joined_shape
from ferroflow._src.rnn.steps import Lengths, cache_variables, state_dtype, step, zero_outputs
from ferroflow._src.variables.scope import variable_scope


def _check_inputs(inputs: Any) -> None:
    if not nest.is_sequence(inputs):
        raise TypeError("inputs must be a sequence")
    if not inputs:
        raise ValueError("inputs must not be empty")


def _batch_dimension(inputs: Any) -> Any:
    """Returns the first input, and the Dimension of the batch as far as the inputs give it."""
    first = nest.flatten(inputs)[0]
    if first.get_shape().ndims == 1:
        # TF 1.x: vectors of ids, for cells that embed them.
        return first, first.get_shape().with_rank_at_least(1)[0]
    dimension = first.get_shape().with_rank_at_least(2)[0]
    for tensor in nest.flatten(inputs):
        shape = tensor.get_shape().with_rank_at_least(2)
        dimension.merge_with(shape[0])
        for position, size in enumerate(shape[1:]):
            if size.value is None:
                raise ValueError(
                    f"Input size (dimension {position} of inputs) must be accessible via shape inference, but saw "
                    "value None."
                )
    return first, dimension


def _lengths(sequence_length: Any) -> Any:
    sequence_length = convert_to_tensor(sequence_length, name="sequence_length")
    if sequence_length.get_shape().ndims not in (None, 1):
        raise ValueError("sequence_length must be a vector of length batch_size")
    return sequence_length


def static_rnn(
    cell: CellLike,
    inputs: ListLike,
    initial_state: NestedTensors | None = None,
    dtype: DTypeLike | None = None,
    sequence_length: TensorLike | None = None,
    scope: ScopeLike | None = None,
) -> Any:
    """Runs a cell over a list of inputs.

    Args:
        cell: RNNCell.
        inputs: list of Tensors of shape [batch, size], or of structures of them, one for each step.
        initial_state: the first state, as the cell's; None for zeros.
        dtype: DType of the first state and of outputs; needed if there is no `initial_state`.
        sequence_length: Tensor of int32 or int64, of shape [batch]: the number of steps of each sequence, after which
            outputs are zeros and the state stays; None for all steps.
        scope: str or VariableScope; None for "rnn".

    Returns:
        List of the outputs of the steps, and the last state.

    Raises:
        TypeError: if `cell` is not an RNNCell, or `inputs` no list.
        ValueError: if there are no inputs, a size is unknown, or neither `dtype` nor `initial_state` is given.
    """
    assert_like_rnn_cell("cell", cell)
    _check_inputs(inputs)
    outputs = []
    with variable_scope(scope or "rnn") as opened:
        cache_variables(opened)
        first, dimension = _batch_dimension(inputs)
        batch_size = dimension.value or shaping.shape(first)[0]
        if initial_state is not None:
            state: Any = initial_state
        elif not dtype:
            raise ValueError("If no initial_state is provided, dtype must be specified")
        else:
            state = cell.zero_state(batch_size, dtype)
        lengths = None
        zero_output: Any = None
        if sequence_length is not None:
            sequence_length = _lengths(sequence_length)
            zero_output = zero_outputs(cell.output_size, batch_size, lambda: state_dtype(dtype, state))
            for zero, size in zip(nest.flatten(zero_output), nest.flatten(cell.output_size), strict=True):
                zero.set_shape(static_joined_shape(TensorShape([dimension.value]), size))
            each = cast(sequence_length, dtypes.int32, name="ToInt32")
            lengths = Lengths(each, reduce_min(each), reduce_max(each))
        for time, given in enumerate(inputs):
            if time > 0:
                opened.reuse_variables()
            if lengths is None:
                output, state = cell(given, state)
            else:
                # `step` calls this before the next pass.
                output, state = step(
                    time,
                    lengths,
                    zero_output,
                    state,
                    lambda given=given, state=state: cell(given, state),  # type: ignore[misc]  # defaults of a lambda have no types
                )
            outputs.append(output)
        return outputs, state


def static_state_saving_rnn(
    cell: Any,
    inputs: ListLike,
    state_saver: Any,
    state_name: Any,
    sequence_length: TensorLike | None = None,
    scope: ScopeLike | None = None,
) -> Any:
    """Runs a cell over a list of inputs, from a state that is kept between runs.

    Args:
        cell: RNNCell.
        inputs: list of Tensors of shape [batch, size], one for each step.
        state_saver: an object with the methods `state(name)`, which gives the first state, and `save_state(name,
            value)`, which gives an operation that keeps the last one.
        state_name: str, or a structure of them as the cell's state: the names to keep it under.
        sequence_length: Tensor of int32 or int64, of shape [batch], as `static_rnn`.
        scope: str or VariableScope; None for "rnn".

    Returns:
        List of the outputs of the steps, the last of which is there once the state is kept, and the last state.

    Raises:
        TypeError: if `cell` is not an RNNCell, or `inputs` no list.
        ValueError: if there are no inputs, or the names are not as many as the parts of the state.
    """
    state_size = cell.state_size
    is_structure = nest.is_sequence(state_size)
    if is_structure != nest.is_sequence(state_name):
        raise ValueError(
            f"state_name should be the same type as cell.state_size.  state_name: {state_name!s}, cell.state_size: "
            f"{state_size!s}"
        )
    names = nest.flatten(state_name)
    if len(names) != len(nest.flatten(state_size)):
        raise ValueError(f"#elems(state_name) != #elems(state_size): {len(names)} vs. {len(nest.flatten(state_size))}")
    initial_state = nest.pack_sequence_as(state_size, [state_saver.state(name) for name in names])
    outputs, state = static_rnn(cell, inputs, initial_state=initial_state, sequence_length=sequence_length, scope=scope)
    parts = nest.flatten(state) if is_structure else [state]
    saved = [state_saver.save_state(name, part) for name, part in zip(names, parts, strict=True)]
    with control_dependencies(saved):
        outputs[-1] = nest.map_structure(identity, outputs[-1])
    return outputs, state


def _reversed(sequence: Any, lengths: Any) -> list[Any]:
    """Returns a list of steps backwards; each sequence of the batch from its own end if there are lengths."""
    if lengths is None:
        return list(reversed(sequence))
    results: list[list[Any]] = [[] for _ in sequence]
    for tensors in zip(*(nest.flatten(given) for given in sequence), strict=True):
        shape = unknown_shape(ndims=tensors[0].get_shape().ndims)
        for tensor in tensors:
            shape = shape.merge_with(tensor.get_shape())
        for tensor in tensors:
            tensor.set_shape(shape)
        backwards = unstack(shaping.reverse_sequence(stack(tensors), lengths, 0, 1))
        for result, tensor in zip(results, backwards, strict=True):
            tensor.set_shape(shape)
            result.append(tensor)
    return [nest.pack_sequence_as(given, result) for given, result in zip(sequence, results, strict=True)]


def static_bidirectional_rnn(
    cell_fw: CellLike,
    cell_bw: CellLike,
    inputs: ListLike,
    initial_state_fw: NestedTensors | None = None,
    initial_state_bw: NestedTensors | None = None,
    dtype: DTypeLike | None = None,
    sequence_length: TensorLike | None = None,
    scope: ScopeLike | None = None,
) -> Any:
    """Runs one cell forwards and one backwards over a list of inputs.

    Args:
        cell_fw: RNNCell.
        cell_bw: RNNCell.
        inputs: list of Tensors of shape [batch, size], or of structures of them, one for each step.
        initial_state_fw: the first state of `cell_fw`; None for zeros.
        initial_state_bw: the first state of `cell_bw`; None for zeros.
        dtype: DType of the first states; needed if one is not given.
        sequence_length: Tensor of int32 or int64, of shape [batch]: the number of steps of each sequence; None for all.
        scope: str or VariableScope; None for "bidirectional_rnn".

    Returns:
        List of the outputs of the steps, those of both cells joined along dimension 1, and the last state of each cell.

    Raises:
        TypeError: if a cell is not an RNNCell, or `inputs` no list.
        ValueError: if there are no inputs, a size is unknown, or neither `dtype` nor a first state is given.
    """
    assert_like_rnn_cell("cell_fw", cell_fw)
    assert_like_rnn_cell("cell_bw", cell_bw)
    _check_inputs(inputs)
    with variable_scope(scope or "bidirectional_rnn"):
        with variable_scope("fw") as forwards:
            output_fw, state_fw = static_rnn(cell_fw, inputs, initial_state_fw, dtype, sequence_length, scope=forwards)
        with variable_scope("bw") as backwards:
            last_first, state_bw = static_rnn(
                cell_bw,
                _reversed(inputs, sequence_length),
                initial_state_bw,
                dtype,
                sequence_length,
                scope=backwards,
            )
    output_bw = _reversed(last_first, sequence_length)
    pairs = zip(nest.flatten(output_fw), nest.flatten(output_bw), strict=True)
    return nest.pack_sequence_as(output_fw, [concat([fw, bw], 1) for fw, bw in pairs]), state_fw, state_bw
