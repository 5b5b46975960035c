"""`rnn`: a step function of a program, run over the steps of sequences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ferroflow._src.base import dtypes, nest
from ferroflow._src.base.typing import NestedTensors
from ferroflow._src.control_flow.loop import while_loop
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array import joining, shaping
from ferroflow._src.ops.array.indexing import where
from ferroflow._src.ops.array.making import zeros_like
from ferroflow._src.ops.array.shaping import expand_dims, reverse, tile, transpose
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.tensor_array import TensorArray


def rnn(
    step_function: Callable[..., Any],
    inputs: NestedTensors,
    initial_states: Sequence[Any],
    go_backwards: bool = False,
    mask: Any = None,
    constants: Sequence[Any] | None = None,
    unroll: bool = False,
    input_length: int | None = None,
    time_major: bool = False,
    zero_output_for_mask: bool = False,
) -> tuple[Any, Any, list[Any]]:
    """Runs a step function over the steps of sequences.

    Args:
        step_function: callable of a step's inputs, Tensors of shape [batch, ...], and a list of the states and
            constants. It returns an output, Tensor of shape [batch, ...], and a list of the new states.
        inputs: Tensor of any dtype, of shape [batch, steps, ...], or structure of them.
        initial_states: list of Tensors of shape [batch, ...].
        go_backwards: bool. If True, the steps run from the last to the first.
        mask: Tensor of bool, of shape [batch, steps] or [batch, steps, 1]: the steps that count; None for all. At the
            others the states stay, and the output is that of the step before.
        constants: list of Tensors of any dtype and shape, given to each step after the states, or None.
        unroll: bool. If True, each step has operations of its own; the number of steps must be known.
        input_length: int, accepted; the number of steps is that of `inputs`.
        time_major: bool. If True, inputs, mask and outputs have the shape [steps, batch, ...].
        zero_output_for_mask: bool. If True, the output is 0 at steps that do not count.

    Returns:
        (Tensor of shape [batch, ...], the last output; Tensor of shape [batch, steps, ...], all outputs; list of the
        last states).

    Raises:
        ValueError: if `unroll` is True and the number of steps is unknown.
    """
    del input_length
    inputs = nest.map_structure(convert_to_tensor, inputs)
    if not time_major:
        inputs = nest.map_structure(_with_axes_swapped, inputs)
    first = nest.flatten(inputs)[0]
    if mask is not None:
        mask = cast(mask, dtypes.bool)
        mask = expand_dims(mask, -1) if mask.get_shape().ndims == 2 else mask
        mask = mask if time_major else _with_axes_swapped(mask)
    if go_backwards:
        inputs = nest.map_structure(lambda x: reverse(x, [0]), inputs)
        mask = None if mask is None else reverse(mask, [0])
    states, extra = tuple(initial_states), tuple(constants or ())

    def step(x: Any, before: tuple[Any, ...], last: Any, counts: Any) -> tuple[Any, tuple[Any, ...]]:
        """Computes a step; where it does not count, the outputs and states are those of the step before."""
        output, new = step_function(x, before + extra)
        new = tuple(nest.flatten(new))
        if counts is None:
            return output, new
        if last is None or zero_output_for_mask:
            last = nest.map_structure(zeros_like, output)
        output = nest.map_structure(lambda now, then: where(_widened(counts, now), now, then), output, last)
        kept = nest.flatten(before)
        return output, tuple(
            where(_widened(counts, now), now, then) for now, then in zip(new, kept[: len(new)], strict=True)
        )

    if unroll:
        last, made, ends = _unrolled(step, inputs, states, mask)
    else:
        last, made, ends = _looped(step, inputs, states, mask, first)
    if not time_major:
        made = nest.map_structure(_with_axes_swapped, made)
    return last, made, list(ends)


def _with_axes_swapped(x: Any) -> Tensor:
    rank = x.get_shape().ndims
    if rank is None:
        raise ValueError(f"The rank of {x} is not known.")
    return transpose(x, [1, 0, *range(2, rank)])


def _widened(counts: Any, like: Any) -> Any:
    """Returns the mask of a step, of shape [batch, 1], repeated to the shape of a tensor."""
    if like.get_shape().ndims == 1:
        return counts[:, 0]
    for _ in range(counts.get_shape().ndims, like.get_shape().ndims):
        counts = expand_dims(counts, -1)
    return tile(counts, shaping.shape(like) // shaping.shape(counts))


def _as_array(x: Any) -> TensorArray:
    return TensorArray(x.dtype, size=shaping.shape(x)[0], element_shape=x.get_shape()[1:]).unstack(x)


def _unrolled(step: Any, inputs: Any, states: tuple[Any, ...], mask: Any) -> tuple[Any, Any, tuple[Any, ...]]:
    count = nest.flatten(inputs)[0].get_shape()[0].value
    if not count:
        raise ValueError("Unrolling requires a fixed number of timesteps.")
    last: Any = None
    outputs = []
    for i in range(count):
        x = nest.map_structure(lambda one, i=i: one[i], inputs)
        last, states = step(x, states, last, None if mask is None else mask[i])
        outputs.append(last)
    return last, nest.map_structure(lambda *one: joining.stack(one), *outputs), states


def _looped(step: Any, inputs: Any, states: tuple[Any, ...], mask: Any, first: Any) -> tuple[Any, Any, tuple[Any, ...]]:
    count = shaping.shape(first)[0]
    # TF 1.x: a step outside of the loop gives the dtypes and shapes of the outputs.
    example, _ = step(nest.map_structure(lambda one: one[0], inputs), states, None, None)
    leaves = nest.flatten(example)
    # Reads of arrays have gradients of one step; those of slices would be as large as the sequence.
    sequences = nest.map_structure(_as_array, inputs)
    counted = None if mask is None else _as_array(mask)
    arrays = tuple(TensorArray(x.dtype, size=count, element_shape=x.get_shape()) for x in leaves)

    def body(i: Any, arrays: Any, last: Any, states: Any) -> Any:
        x = nest.map_structure(lambda one: one.read(i), sequences)
        counts = None if counted is None else counted.read(i)
        output, new = step(x, states, nest.pack_sequence_as(example, list(last)), counts)
        for old, now in zip(states, new, strict=True):
            now.set_shape(old.get_shape().merge_with(now.get_shape()) if old.get_shape().ndims else now.get_shape())
        flat = nest.flatten(output)
        written = tuple(array.write(i, x) for array, x in zip(arrays, flat, strict=True))
        return i + 1, written, tuple(flat), new

    start = (0, arrays, tuple(zeros_like(x) for x in leaves), states)
    _, arrays, _, ends = while_loop(lambda i, *_: i < count, body, start, parallel_iterations=32)
    steps = first.get_shape()[0]
    outputs = []
    for array, x in zip(arrays, leaves, strict=True):
        made = array.stack()
        made.set_shape([steps, *x.get_shape()])
        outputs.append(made)
    last = [made[-1] for made in outputs]
    return nest.pack_sequence_as(example, last), nest.pack_sequence_as(example, outputs), ends
