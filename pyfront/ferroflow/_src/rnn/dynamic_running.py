"""Cells run over tensors of inputs, in a loop with one iteration for each step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ferroflow._src.base import dtypes, nest
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.base.typing import CellLike, DTypeLike, NestedTensors, ScopeLike, TensorLike
from ferroflow._src.control_flow.loop import while_loop
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import control_dependencies, name_scope
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.ops.array import shaping
from ferroflow._src.ops.array.joining import concat, stack
from ferroflow._src.ops.array.making import identity, range as int_range
from ferroflow._src.ops.flow.checking import Assert
from ferroflow._src.ops.math.arithmetic import maximum, minimum
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.comparison import equal
from ferroflow._src.ops.math.reduction import reduce_all, reduce_max, reduce_min
from ferroflow._src.ops.tensor_array import TensorArray
from ferroflow._src.rnn.cell import assert_like_rnn_cell
from ferroflow._src.rnn.sizes import sizes_tensor, static_joined_shape
from ferroflow._src.rnn.steps import Lengths, batch_size_of, cache_variables, state_dtype, step, zero_outputs
from ferroflow._src.variables.scope import variable_scope


def transpose_batch_time(x: Tensor) -> Tensor:
    """Swaps the first two dimensions of a tensor; a tensor of lower rank is unchanged.

    Args:
        x: Tensor of any dtype, of shape [batch, time, ...].

    Returns:
        Tensor of the dtype of `x`, of shape [time, batch, ...].
    """
    static = x.get_shape()
    if static.ndims is not None and static.ndims < 2:
        return x
    others = int_range(2, shaping.rank(x))
    result = shaping.transpose(x, concat(([1, 0], others), axis=0))
    if static.ndims is not None:
        result.set_shape(TensorShape([static[1], static[0]]).concatenate(static[2:]))
    return result


def _assert_shape(x: Tensor, shape: Any) -> Operation:
    found, wanted = shaping.shape(x), stack(shape)
    data = [f"Expected shape for Tensor {x.name} is ", wanted, " but saw shape: ", found]
    return Assert(reduce_all(equal(found, wanted)), data)


def dynamic_rnn(
    cell: CellLike,
    inputs: TensorLike,
    sequence_length: TensorLike | None = None,
    initial_state: NestedTensors | None = None,
    dtype: DTypeLike | None = None,
    parallel_iterations: int | None = None,
    swap_memory: bool = False,
    time_major: bool = False,
    scope: ScopeLike | None = None,
) -> Any:
    """Runs a cell over the steps of inputs in a loop.

    Args:
        cell: RNNCell.
        inputs: Tensor of shape [batch, time, size...], or a structure of them.
        sequence_length: Tensor of int32 or int64, of shape [batch]: the number of steps of each sequence, after which
            outputs are zeros and the state stays; None for all steps.
        initial_state: the first state, as the cell's; None for zeros.
        dtype: DType of the first state and of outputs; needed if there is no `initial_state`, or if that has several.
        parallel_iterations: int, accepted as `tf.while_loop` does; None for 32.
        swap_memory: bool, accepted as `tf.while_loop` does.
        time_major: bool. If True, the first two dimensions of inputs and outputs are time and batch in this order.
        scope: str or VariableScope; None for "rnn".

    Returns:
        The outputs, Tensor of shape [batch, time, output size...] or structure of them as the cell's output size, and
        the last state.

    Raises:
        TypeError: if `cell` is not an RNNCell.
        ValueError: if a size is unknown, lengths are not a vector, or neither `dtype` nor `initial_state` is given.
        tf.errors.InvalidArgumentError: when the step runs, if the number of lengths is not the size of the batch.

    Example:
        >>> inputs = tf.ones([2, 5, 3])
        >>> cell = tf.nn.rnn_cell.GRUCell(num_units=4)
        >>> outputs, state = tf.nn.dynamic_rnn(cell, inputs, sequence_length=[5, 2], dtype=tf.float32)
        >>> sess.run(tf.global_variables_initializer())
        >>> print(outputs.shape, state.shape)
        (2, 5, 4) (2, 4)
        >>> print(np.any(sess.run(outputs) != 0, axis=2))
        [[ True  True  True  True  True]
         [ True  True False False False]]
    """
    assert_like_rnn_cell("cell", cell)
    with variable_scope(scope or "rnn") as opened:
        cache_variables(opened)
        flat_inputs = [convert_to_tensor(x) for x in nest.flatten(inputs)]
        if not time_major:
            flat_inputs = [transpose_batch_time(x) for x in flat_inputs]
        if sequence_length is not None:
            sequence_length = cast(sequence_length, dtypes.int32, name="ToInt32")
            if sequence_length.get_shape().ndims not in (None, 1):
                raise ValueError(
                    "sequence_length must be a vector of length batch_size, but saw shape: "
                    f"{sequence_length.get_shape()}"
                )
            sequence_length = identity(sequence_length, name="sequence_length")
        batch_size = batch_size_of(flat_inputs)
        if initial_state is not None:
            state = initial_state
        elif not dtype:
            raise ValueError("If there is no initial_state, you must give a dtype.")
        else:
            state = cell.zero_state(batch_size, dtype)
        if sequence_length is not None:
            with control_dependencies([_assert_shape(sequence_length, [batch_size])]):
                sequence_length = identity(sequence_length, name="CheckSeqLen")
        outputs, final_state = _loop(
            cell,
            nest.pack_sequence_as(inputs, flat_inputs),
            state,
            parallel_iterations=parallel_iterations or 32,
            swap_memory=swap_memory,
            sequence_length=sequence_length,
            dtype=dtype,
        )
        if not time_major:
            outputs = nest.map_structure(transpose_batch_time, outputs)
        return outputs, final_state


def _checked_shapes(flat_inputs: Sequence[Tensor]) -> list[TensorShape]:
    shapes = [x.get_shape().with_rank_at_least(3) for x in flat_inputs]
    for shape in shapes:
        if not shape[2:].is_fully_defined():
            raise ValueError("Input size (depth of inputs) must be accessible via shape inference, but saw value None.")
        if shape[0].value != shapes[0][0].value:
            raise ValueError("Time steps is not the same for all the elements in the input in a batch.")
        if shape[1].value != shapes[0][1].value:
            raise ValueError("Batch_size is not the same for all the elements in the input.")
    return shapes


def _loop(
    cell: Any,
    inputs: Any,
    initial_state: Any,
    parallel_iterations: int,
    swap_memory: bool,
    sequence_length: Tensor | None,
    dtype: Any,
) -> Any:
    if not isinstance(parallel_iterations, int):
        # TF 1.x: it is an assertion.
        raise AssertionError("parallel_iterations must be int")
    flat_inputs = nest.flatten(inputs)
    sizes = nest.flatten(cell.output_size)
    time_steps = shaping.shape(flat_inputs[0])[0]
    batch_size = batch_size_of(flat_inputs)
    input_shapes = _checked_shapes(flat_inputs)
    outer_shape = input_shapes[0][:2]

    def output_dtype() -> Any:
        return state_dtype(dtype, initial_state)

    zero_output = zero_outputs(cell.output_size, batch_size, output_dtype)
    lengths = None
    if sequence_length is not None:
        lengths = Lengths(sequence_length, reduce_min(sequence_length), reduce_max(sequence_length))
    time = constant(0, dtype=dtypes.int32, name="time")
    with name_scope("dynamic_rnn") as base_name:
        pass

    def array(name: str, element_shape: TensorShape, element_dtype: Any) -> TensorArray:
        return TensorArray(
            dtype=element_dtype, size=time_steps, element_shape=element_shape, tensor_array_name=f"{base_name}{name}"
        )

    output_arrays = tuple(
        array(f"output_{number}", static_joined_shape(outer_shape[1:], size), output_dtype())
        for number, size in enumerate(sizes)
    )
    empty_arrays = [array(f"input_{number}", x.shape[1:], x.dtype) for number, x in enumerate(flat_inputs)]
    input_arrays = [empty.unstack(x) for empty, x in zip(empty_arrays, flat_inputs, strict=True)]

    def body(time: Tensor, arrays: Any, state: Any) -> Any:
        taken = [full.read(time) for full in input_arrays]
        for tensor, shape in zip(taken, input_shapes, strict=True):
            tensor.set_shape(shape[1:])
        given = nest.pack_sequence_as(inputs, taken)
        if lengths is None:
            output, new_state = cell(given, state)
        else:
            output, new_state = step(time, lengths, zero_output, state, lambda: cell(given, state), always_calls=True)
        leaves = nest.flatten(output)
        written = tuple(target.write(time, leaf) for target, leaf in zip(arrays, leaves, strict=True))
        return time + 1, written, new_state

    bound = minimum(time_steps, maximum(1, time_steps if lengths is None else lengths.most))
    _, filled, final_state = while_loop(
        cond=lambda time, *_: time < bound,
        body=body,
        loop_vars=(time, output_arrays, initial_state),
        parallel_iterations=parallel_iterations,
        maximum_iterations=time_steps,
        swap_memory=swap_memory,
    )
    outputs = [full.stack() for full in filled]
    for output, size in zip(outputs, sizes, strict=True):
        output.set_shape(static_joined_shape(outer_shape, size))
        # TensorFlow makes constants of known sizes. Their number counts for the seeds of random operations.
        for known in (outer_shape, size):
            sizes_tensor(known, "A size")
    return nest.pack_sequence_as(cell.output_size, outputs), final_state


def bidirectional_dynamic_rnn(
    cell_fw: CellLike,
    cell_bw: CellLike,
    inputs: TensorLike,
    sequence_length: TensorLike | None = None,
    initial_state_fw: NestedTensors | None = None,
    initial_state_bw: NestedTensors | None = None,
    dtype: DTypeLike | None = None,
    parallel_iterations: int | None = None,
    swap_memory: bool = False,
    time_major: bool = False,
    scope: ScopeLike | None = None,
) -> Any:
    """Runs one cell forwards and one backwards over inputs.

    Args:
        cell_fw: RNNCell.
        cell_bw: RNNCell.
        inputs: Tensor of shape [batch, time, size...].
        sequence_length: Tensor of int32 or int64, of shape [batch]: the number of steps of each sequence, from whose
            end `cell_bw` starts; None for all steps.
        initial_state_fw: the first state of `cell_fw`; None for zeros.
        initial_state_bw: the first state of `cell_bw`; None for zeros.
        dtype: DType of the first states and of outputs; needed if a first state is not given.
        parallel_iterations: int, accepted as `tf.while_loop` does; None for 32.
        swap_memory: bool, accepted as `tf.while_loop` does.
        time_major: bool. If True, the first two dimensions of inputs and outputs are time and batch in this order.
        scope: str or VariableScope; None for "bidirectional_rnn".

    Returns:
        The pair of the outputs of both cells, in the order of the inputs, and the pair of their last states.

    Raises:
        TypeError: if a cell is not an RNNCell.
        ValueError: on the same conditions as `dynamic_rnn`.

    Example:
        >>> forward, backward = tf.nn.rnn_cell.GRUCell(4), tf.nn.rnn_cell.GRUCell(4)
        >>> outputs, states = tf.nn.bidirectional_dynamic_rnn(forward, backward, tf.ones([2, 5, 3]), dtype=tf.float32)
        >>> print(tf.concat(outputs, axis=2).shape)
        (2, 5, 8)
    """
    assert_like_rnn_cell("cell_fw", cell_fw)
    assert_like_rnn_cell("cell_bw", cell_bw)
    time_axis, batch_axis = (0, 1) if time_major else (1, 0)

    def backwards(x: TensorLike) -> Any:
        if sequence_length is None:
            return shaping.reverse(x, axis=[time_axis])
        return shaping.reverse_sequence(x, sequence_length, seq_axis=time_axis, batch_axis=batch_axis)

    def run(cell: Any, given: Any, initial_state: Any, scope: Any) -> Any:
        return dynamic_rnn(
            cell,
            given,
            sequence_length=sequence_length,
            initial_state=initial_state,
            dtype=dtype,
            parallel_iterations=parallel_iterations,
            swap_memory=swap_memory,
            time_major=time_major,
            scope=scope,
        )

    with variable_scope(scope or "bidirectional_rnn"):
        with variable_scope("fw") as opened:
            output_fw, state_fw = run(cell_fw, inputs, initial_state_fw, opened)
        with variable_scope("bw") as opened:
            last_first, state_bw = run(cell_bw, backwards(inputs), initial_state_bw, opened)
    return (output_fw, backwards(last_first)), (state_fw, state_bw)
