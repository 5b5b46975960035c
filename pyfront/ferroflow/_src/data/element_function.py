"""`ElementFunction`: a program's function of elements, traced once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ferroflow._src.base.shown import shown
from ferroflow._src.data import element_nest as nest
from ferroflow._src.data.structure import Structure, converted, serialized
from ferroflow._src.framework.default_graph import get_default_graph
from ferroflow._src.framework.function import Function
from ferroflow._src.framework.handles import Tensor


def called(function: Callable[..., Any], element: Any) -> Any:
    """Calls a function with an element; the parts of a tuple, but not of a namedtuple, are separate arguments.

    Raises:
        ValueError: if `function` cannot be called.
    """
    if not callable(function):
        raise ValueError(f"Argument must be callable, got {shown(function)} of type {type(function).__name__}.")
    return function(*element) if type(element) is tuple else function(element)


class ElementFunction:
    """A function traced in a graph of its own.

    Args:
        function: called with one element of tensors for each of `arguments`.
        arguments: the structures of what it is called with.
        name: first part of its name in the graph.
        results: turns what `function` gives into the flat results and their structure; by default a list becomes a
            tuple, and every leaf a tensor.

    Attributes:
        structure: of the results.
    """

    structure: Any

    def __init__(
        self,
        function: Callable[..., Any],
        arguments: list[Structure],
        name: str,
        results: Callable[[Any], tuple[list[Tensor], Any]] | None = None,
    ) -> None:
        finish = results or _tensors

        def body(*tensors: Tensor) -> list[Tensor]:
            elements = []
            at = 0
            for structure in arguments:
                count = len(structure.flat_types())
                elements.append(structure.element(tensors[at : at + count]))
                at += count
            flat, self.structure = finish(function(*elements))
            return flat

        types = [t for a in arguments for t in a.flat_types()]
        shapes = [s for a in arguments for s in a.flat_shapes()]
        self.function = Function.traced(name, body, types, shapes, get_default_graph(), counts_functional_flow=True)

    @property
    def name(self) -> str:
        """Its name in the graph."""
        return self.function.name

    @property
    def captured_inputs(self) -> list[Tensor]:
        """The tensors that it captures from outside."""
        return self.function.captured_inputs


def _tensors(result: Any) -> tuple[list[Tensor], Structure]:
    given = tuple(result) if isinstance(result, list) else result
    if any(leaf is None for leaf in nest.flatten(given)):
        raise TypeError(f"Unsupported return value from the function of a dataset: {result}. It must return tensors.")
    element = converted(given)
    return serialized(element), Structure.of(element)
