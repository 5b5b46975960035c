"""`Recurrent`: a loop over time of a function of parameters, state and input."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ferroflow._src.autodiff.custom_gradient import custom_gradient
from ferroflow._src.base import dtypes, nest
from ferroflow._src.control_flow.loop import while_loop
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.ops.array import shaping
from ferroflow._src.ops.array.joining import concat
from ferroflow._src.ops.array.making import identity, zeros
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.tensor_array import TensorArray

__all__ = ["Recurrent"]

_Cell = Callable[[Any, Any, Any], tuple[Any, Any]]


def _with_gradient(cell_fn: _Cell, cell_grad: Callable[..., Any]) -> Callable[[Any, Any, Any], Any]:
    """Returns a function of the cell's arguments that gives the next state and has the given gradient."""

    def state_of(theta: Any, state0: Any, inputs: Any) -> Any:
        arguments = (theta, state0, inputs)

        @custom_gradient
        def step(*flat: Any) -> Any:
            packed = nest.pack_sequence_as(arguments, list(flat))
            state1, extras = cell_fn(*packed)

            def gradient(*flat_gradients: Any) -> Any:
                dstate1 = nest.pack_sequence_as(state1, list(flat_gradients))
                # Tensors of the backward loop, so that `cell_grad` can take gradients with respect to them.
                given = nest.map_structure(identity, (*packed, extras))
                return nest.flatten(cell_grad(*given, dstate1))

            return nest.flatten(state1), gradient

        return nest.pack_sequence_as(state0, nest.flatten(step(*nest.flatten(arguments))))

    return state_of


def Recurrent(  # noqa: N802  # TF's spelling
    theta: Any,
    state0: Any,
    inputs: Any,
    cell_fn: _Cell,
    cell_grad: Callable[..., Any] | None = None,
    extras: Any = None,
    max_input_length: Any = None,
    use_tpu: bool = False,
    aligned_end: bool = False,
) -> tuple[Any, Any]:
    """Applies a function to the inputs of each time step and the state of the step before.

    Args:
        theta: nest of Tensors of any dtype and shape: the parameters.
        state0: nest of Tensors of any dtype and shape: the first state.
        inputs: nest of Tensors of any dtype, of shape [time, ...].
        cell_fn: callable of `theta`, a state and the inputs of a time step. It returns the next state, and a nest of
            Tensors for `cell_grad`.
        cell_grad: callable of the arguments of `cell_fn`, its second result and the gradient of the next state. It
            returns the gradients of the arguments. None for the gradients of the operations of `cell_fn`.
        extras: nest as the second result of `cell_fn`; accepted.
        max_input_length: int, or Tensor of int32, of shape []: the number of time steps; None for all.
        use_tpu: bool, accepted.
        aligned_end: bool. If True, the time steps are the last ones of the inputs.

    Returns:
        (nest as `state0`, of Tensors of shape [time, ...]: the state after each time step, and 0 for those that were
        left out; nest as `state0`: the last state).
    """
    time = shaping.shape(nest.flatten(inputs)[0])[0]
    steps = time if max_input_length is None else cast(convert_to_tensor(max_input_length), dtypes.int32)
    start = time - steps if aligned_end else 0
    state_of = _with_gradient(cell_fn, cell_grad) if cell_grad else lambda *arguments: cell_fn(*arguments)[0]
    first = nest.map_structure(convert_to_tensor, state0)
    # Arrays, because gradients of gathered rows would be IndexedSlices.
    used = [convert_to_tensor(part)[start : start + steps] for part in nest.flatten(inputs)]
    sources = [TensorArray(part.dtype, steps, element_shape=part.shape[1:]).unstack(part) for part in used]
    arrays = [TensorArray(part.dtype, steps, element_shape=part.shape) for part in nest.flatten(first)]

    def body(i: Any, state: Any, kept: Any) -> Any:
        now = nest.pack_sequence_as(inputs, [source.read(i) for source in sources])
        state = nest.pack_sequence_as(first, nest.flatten(state_of(theta, state, now)))
        return i + 1, state, [array.write(i, part) for array, part in zip(kept, nest.flatten(state), strict=True)]

    _, last, kept = while_loop(lambda i, *_: i < steps, body, (0, first, arrays))
    left_out = time - steps

    def with_zeros(array: Any) -> Any:
        found = array.stack()
        empty = zeros(concat([[left_out], shaping.shape(found)[1:]], 0), found.dtype)
        return concat([empty, found] if aligned_end else [found, empty], 0)

    return nest.pack_sequence_as(first, [with_zeros(array) for array in kept]), last
