"""`rnn`: a step function of a program, run over the steps of sequences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ferroflow._src.base import dtypes, nest
from ferroflow._src.base.typing import NestedTensors
from ferroflow._src.control_flow.loop import while_loop
from ferroflow._src.framework.constant import constant
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
        input_length: int, the largest number of steps that run, or None; the number of steps is that of `inputs`.
        time_major: bool. If True, inputs, mask and outputs have the shape [steps, batch, ...].
        zero_output_for_mask: bool. If True, the output is 0 at steps that do not count.

    Returns:
        (Tensor of shape [batch, ...], the last output; Tensor of shape [batch, steps, ...], all outputs; list of the
        last states).

    Raises:
        ValueError: if `unroll` is True and the number of steps is unknown.
    """
    inputs = nest.map_structure(convert_to_tensor, inputs)
    if not time_major:
        inputs = nest.map_structure(_with_axes_swapped, inputs)
    first = nest.flatten(inputs)[0]
    count = shaping.shape(first)[0]
    if mask is not None:
        mask = cast(mask, dtypes.bool)
        mask = expand_dims(mask, -1) if mask.get_shape().ndims == 2 else mask
        mask = mask if time_major else _with_axes_swapped(mask)
    extra = tuple(constants or ())

    def step(x: Any, before: tuple[Any, ...]) -> tuple[Any, tuple[Any, ...]]:
        output, new = step_function(x, before + extra)
        return output, tuple(nest.flatten(new))

    run = _Run(step, inputs, mask, go_backwards, zero_output_for_mask)
    last, made, ends = (
        run.unrolled(tuple(initial_states)) if unroll else run.looped(tuple(initial_states), count, input_length)
    )
    made = nest.map_structure(lambda x: _with_known_sizes(x, first), made)
    if not time_major:
        made = nest.map_structure(_with_axes_swapped, made)
    return last, made, list(ends)


def _with_known_sizes(x: Any, like: Any) -> Any:
    """Returns a tensor whose first two dimensions are those of another one."""
    x.set_shape([*like.get_shape()[:2], *x.get_shape()[2:]])
    return x


def _with_axes_swapped(x: Any) -> Tensor:
    rank = x.get_shape().ndims
    if rank is None:
        raise ValueError(f"The rank of {x} is not known.")
    return transpose(x, [1, 0, *range(2, rank)])


def _widened(counts: Any, like: Any, fixed: int = 1) -> Any:
    """Returns a mask, of shape [batch, 1] for one step, repeated to the shape of a tensor."""
    sizes = like.get_shape().as_list()
    if len(sizes) == 1:
        return counts[:, 0]
    for _ in range(counts.get_shape().ndims, len(sizes)):
        counts = expand_dims(counts, -1)
    inner: Any = sizes[fixed:]
    if None in inner:
        return tile(counts, shaping.shape(like) // shaping.shape(counts))
    return tile(counts, [1] * fixed + inner)


def _chosen(counts: Any, now: Any, otherwise: Any) -> Any:
    return where(_widened(counts, now), now, otherwise)


class _Run:
    """A step function with its inputs and their mask, by steps.

    Args:
        step: callable of the inputs of a step and a tuple of states, which gives the output and a tuple of states.
        inputs: structure of Tensors of shape [steps, batch, ...].
        mask: Tensor of bool, of shape [steps, batch, 1], or None.
        backwards: bool. If True, the steps run from the last to the first.
        zeros_output: bool. If True, the output is 0 at steps that do not count.
    """

    def __init__(self, step: Any, inputs: Any, mask: Any, backwards: bool, zeros_output: bool) -> None:
        self._step, self._inputs, self._mask = step, inputs, mask
        self._backwards, self._zeros_output = backwards, zeros_output

    def unrolled(self, states: tuple[Any, ...]) -> tuple[Any, Any, tuple[Any, ...]]:
        """Returns the last output, all outputs and the last states, from operations for each step.

        Raises:
            ValueError: if the number of steps is not known.
        """
        if not nest.flatten(self._inputs)[0].get_shape()[0].value:
            raise ValueError("Unrolling requires a fixed number of timesteps.")
        order = slice(None, None, -1) if self._backwards else slice(None)
        parts = [joining.unstack(x)[order] for x in nest.flatten(self._inputs)]
        masks = None if self._mask is None else joining.unstack(self._mask)[order]
        outputs: list[Any] = []
        for i in range(len(parts[0])):
            output, new = self._step(nest.pack_sequence_as(self._inputs, [part[i] for part in parts]), states)
            if masks is not None:
                last = outputs[-1] if outputs else nest.map_structure(zeros_like, output)
                output = nest.map_structure(lambda now, then, i=i: _chosen(masks[i], now, then), output, last)
                new = tuple(_chosen(masks[i], now, then) for now, then in zip(new, states, strict=False))
            outputs.append(output)
            states = new
        last, made = outputs[-1], nest.map_structure(lambda *one: joining.stack(one), *outputs)
        if masks is not None and self._zeros_output:
            last = nest.map_structure(lambda x: _chosen(masks[-1], x, zeros_like(x)), last)
            made = nest.map_structure(lambda x: where(_widened(self._mask, x, 2), x, zeros_like(x)), made)
        return last, made, states

    def looped(self, states: tuple[Any, ...], count: Any, most_steps: Any) -> tuple[Any, Any, tuple[Any, ...]]:
        """Returns the last output, all outputs and the last states, from a loop over the steps."""
        flat = nest.flatten(self._inputs)
        arrays_in = [TensorArray(x.dtype, size=count, tensor_array_name=f"input_ta_{i}") for i, x in enumerate(flat)]
        arrays_in = [
            array.unstack(reverse(x, [0]) if self._backwards else x) for array, x in zip(arrays_in, flat, strict=True)
        ]
        # TF 1.x: a step outside of the loop gives the dtypes and shapes of the outputs.
        example, _ = self._step(nest.pack_sequence_as(self._inputs, [x[0] for x in flat]), states)
        leaves = nest.flatten(example)
        arrays = tuple(
            TensorArray(x.dtype, size=count, element_shape=x.get_shape(), tensor_array_name=f"output_ta_{i}")
            for i, x in enumerate(leaves)
        )
        time = constant(0, dtypes.int32, name="time")
        masks: Any = None
        first_outputs: tuple[Any, ...] = ()
        if self._mask is not None:
            mask = reverse(self._mask, [0]) if self._backwards else self._mask
            masks = TensorArray(dtypes.bool, size=count, tensor_array_name="mask_ta").unstack(mask)
            first_outputs = tuple(zeros_like(x) for x in leaves)

        def body(time: Any, arrays: Any, last: Any, *states: Any) -> Any:
            x = nest.pack_sequence_as(self._inputs, [array.read(time) for array in arrays_in])
            counts = None if masks is None else masks.read(time)
            output, new = self._step(x, states)
            made = nest.flatten(output)
            if counts is not None:
                otherwise = first_outputs if self._zeros_output else last
                made = [_chosen(counts, now, then) for now, then in zip(made, otherwise, strict=True)]
            for now, then in zip(new, states, strict=False):
                now.set_shape(
                    then.get_shape().merge_with(now.get_shape()) if then.get_shape().ndims else now.get_shape()
                )
            if counts is not None:
                new = tuple(_chosen(counts, now, then) for now, then in zip(new, states, strict=False))
            written = tuple(array.write(time, x) for array, x in zip(arrays, made, strict=True))
            return time + 1, written, tuple(made) if masks is not None else (), *new

        _, arrays, _, *ends = while_loop(
            lambda time, *_: time < count,
            body,
            (time, arrays, first_outputs, *states),
            parallel_iterations=32,
            swap_memory=True,
            maximum_iterations=most_steps,
        )
        outputs = [array.stack() for array in arrays]
        last = [made[-1] for made in outputs]
        return nest.pack_sequence_as(example, last), nest.pack_sequence_as(example, outputs), tuple(ends)
