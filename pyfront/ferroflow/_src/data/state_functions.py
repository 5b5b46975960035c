"""Functions of a state and an element, as `Dataset.reduce` and scans take them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.data import element_nest as nest
from ferroflow._src.data.element_function import ElementFunction
from ferroflow._src.data.structure import Structure, converted, serialized
from ferroflow._src.framework.handles import Tensor


def state_and_output(result: Any) -> tuple[Any, Any]:
    """Returns the state and the output that a scanning function returned.

    Raises:
        TypeError: if `result` is not a pair.
    """
    if not isinstance(result, Sequence) or len(result) != 2:
        raise TypeError("The scan function must return a pair comprising the new state and the output value.")
    return result[0], result[1]


def only_state(result: Any) -> tuple[Any, Any]:
    """Returns the state that a reducing function returned, and no output."""
    return result, ()


def state_function(
    elements: Structure, state: Any, function: Callable[..., Any], name: str, split: Callable[[Any], tuple[Any, Any]]
) -> tuple[ElementFunction, Structure]:
    """Returns a function from a state and an element to the next state, and the structure of states.

    It is traced again until the shapes of the states that it takes and returns are equal.

    Args:
        elements: structure of the elements.
        state: the first state, a structure of tensors.
        function: called with a state and an element.
        name: str, the function's name in the graph, after `tf_`.
        split: makes a pair of the next state and the output from a result of `function`.

    Raises:
        TypeError: if the next state has other dtypes than the first.
    """
    return reducing_function(elements, Structure.of(state), function, name, split)


def reducing_function(
    elements: Structure,
    states: Structure,
    function: Callable[..., Any],
    name: str,
    split: Callable[[Any], tuple[Any, Any]],
) -> tuple[ElementFunction, Structure]:
    """Returns `state_function` for states of a structure.

    Args:
        elements: structure of the elements.
        states: structure of the first state.
        function: called with a state and an element.
        name: str, the function's name in the graph, after `tf_`.
        split: makes a pair of the next state and the output from a result of `function`.

    Raises:
        TypeError: if the next state has other dtypes than the first.
    """
    new_shapes: list[TensorShape] = []

    def finish(result: Any) -> tuple[list[Tensor], Structure]:
        new_state, output = (converted(part) for part in split(result))
        flat = nest.flatten(new_state)
        new_shapes[:] = [t.shape for t in flat]
        if [t.dtype.base_dtype for t in flat] != nest.flatten(states.types):
            got = nest.pack_sequence_as(new_state, [t.dtype.base_dtype for t in flat])
            raise TypeError(
                f"The element types for the new state must match the initial state. Expected {states.types}; got {got}."
            )
        return [*flat, *serialized(output)], Structure.of(output)

    while True:
        f = ElementFunction(function, [states, elements], f"tf_{name}", finish)
        old_shapes = nest.flatten(states.shapes)
        weaker = [a.most_specific_compatible_shape(b) for a, b in zip(old_shapes, new_shapes, strict=True)]
        if all(_as_known(a, b) for a, b in zip(old_shapes, weaker, strict=True)):
            return f, states
        states = states._replace(shapes=nest.pack_sequence_as(states.shapes, weaker))


def _as_known(old: TensorShape, new: TensorShape) -> bool:
    return old.ndims is None or (new.ndims is not None and old.as_list() == new.as_list())
