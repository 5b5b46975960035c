"""Writes programs: their steps, values and functions."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

Data = Any


def ref(path: str) -> Data:
    """The value of a step, or of an attribute or position of it."""
    return {"ref": path}


def at(value: Data, *path: Any) -> Data:
    """An attribute or position of a value."""
    return {"ref": ".".join([value["ref"], *map(str, path)])}


def tf(path: str) -> Data:
    """What the module has under a path."""
    return {"tf": path}


def array(values: Any, dtype: str | None = None) -> Data:
    """An array of numbers, bools or bytes."""
    if dtype == "string":
        found = np.asarray(values, np.object_)
        return {
            "array": ["string", list(found.shape), [bytes(x).decode("latin-1") for x in found.reshape(-1).tolist()]]
        }
    found = np.asarray(values, dtype)
    if found.dtype.kind == "c":
        return {"array": [found.dtype.name, list(found.shape), [[x.real, x.imag] for x in found.reshape(-1).tolist()]]}
    return {"array": [found.dtype.name, list(found.shape), found.reshape(-1).tolist()]}


def pair(*items: Data) -> Data:
    """A tuple."""
    return {"tuple": list(items)}


class Writer:
    """The steps of a program, or of a function in it."""

    def __init__(self, names: Iterator[int] | None = None) -> None:
        self.steps: list[Data] = []
        self._names = itertools.count() if names is None else names

    def call(self, function: str, *arguments: Data, **keywords: Data) -> Data:
        """Adds a step that calls `function`; returns its result."""
        name = f"v{next(self._names)}"
        self.steps.append([name, function, list(arguments), keywords])
        return ref(name)

    def function(self, parameters: int, body: Callable[..., Data]) -> Data:
        """A function of some parameters, whose steps `body` writes: it takes a writer and the parameters."""
        names = [f"p{next(self._names)}" for _ in range(parameters)]
        inner = Writer(self._names)
        result = body(inner, *map(ref, names))
        return {"function": {"parameters": names, "steps": inner.steps, "result": result}}

    def inside(self, context: Data) -> Writer:
        """A writer of the steps in a context manager."""
        inner = Writer(self._names)
        self.steps.append(["", "with", [context, inner.steps], {}])
        return inner


def program(about: str, writer: Writer, runs: list[Data], seed: int | None = 1, **more: Data) -> dict[str, Any]:
    """A program of the writer's steps."""
    return {"about": about, "seed": seed, "exact": False, **more, "steps": writer.steps, "runs": runs}
