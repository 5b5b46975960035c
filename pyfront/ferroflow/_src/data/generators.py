"""Datasets of Python generators: their open iterators, and the functions that read them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ferroflow._src.base import dtypes
from ferroflow._src.base.fork_locks import RenewedLock
from ferroflow._src.base.typing import NestedDTypes
from ferroflow._src.data import element_nest as nest
from ferroflow._src.data.structure import Structure
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.script.py_func import py_func


class GeneratorState:
    """Iterators by number, because a dataset may be read several times at once."""

    def __init__(self, generator: Callable[..., Any]) -> None:
        self._generator = generator
        self._lock = RenewedLock()
        self._next = 0
        self._arguments: dict[int, tuple[Any, ...]] = {}
        self._iterators: dict[int, Iterator[Any]] = {}

    def start(self, *arguments: Any) -> np.ndarray[Any, Any]:
        """Returns the number of a new iterator, over what the generator gives for some arguments."""
        with self._lock:
            number = self._next
            self._next += 1
        self._arguments[number] = arguments
        return np.array(number, dtype=np.int64)

    def next(self, number: Any) -> Any:
        """Returns the next element.

        Raises:
            StopIteration: if there are no more elements.
        """
        number = int(number)
        iterator = self._iterators.get(number)
        if iterator is None:
            iterator = self._iterators[number] = iter(self._generator(*self._arguments[number]))
        return next(iterator)

    def finish(self, number: Any) -> np.ndarray[Any, Any]:
        """Drops an iterator."""
        self._iterators.pop(int(number), None)
        self._arguments.pop(int(number), None)
        return np.array(0, dtype=np.int64)


class GeneratorFunctions:
    """The functions of a dataset's GeneratorDataset: each adds the operations that call the generator.

    Args:
        generator: called for each pass; returns an iterable of elements.
        structure: of the elements.
        arguments: Tensors whose values `generator` is called with.
    """

    def __init__(self, generator: Callable[..., Any], structure: Structure, arguments: tuple[Tensor, ...]) -> None:
        self._state = GeneratorState(generator)
        self._structure = structure
        self._arguments = arguments

    def start(self, dummy: Tensor) -> Tensor:
        """Returns the number of a new iterator, an int64 scalar."""
        del dummy
        number: Tensor = py_func(self._state.start, list(self._arguments), dtypes.int64)
        return number

    def next(self, number: Tensor) -> Any:
        """Returns the next element of an iterator, given its number."""
        types, shapes = self._structure.flat_types(), self._structure.flat_shapes()

        def next_values(iterator: Any) -> list[Any]:
            return _flat_values(self._state.next(iterator), self._structure.types, types, shapes)

        values = py_func(next_values, [number], types)
        for value, shape in zip(values, shapes, strict=True):
            value.set_shape(shape)
        return nest.pack_sequence_as(self._structure.types, values)

    def finish(self, number: Tensor) -> Tensor:
        """Drops an iterator, given its number; returns 0."""
        done: Tensor = py_func(self._state.finish, [number], dtypes.int64)
        return done


def _flat_values(element: Any, types: NestedDTypes, flat_types: list[Any], flat_shapes: list[Any]) -> list[Any]:
    """Returns the arrays of an element.

    Raises:
        TypeError, ValueError: if the values do not have the declared structure, types or shapes.
    """
    arrays = []
    for value, dtype, shape in zip(nest.flatten_up_to(types, element), flat_types, flat_shapes, strict=True):
        array = np.asarray(value, dtype=dtype.as_numpy_dtype, order="C")
        if not shape.is_compatible_with(array.shape):
            raise ValueError(
                f"`generator` yielded an element of shape {array.shape} where an element of shape {shape} was expected."
            )
        arrays.append(array)
    return arrays
