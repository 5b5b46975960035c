"""State of Keras models: the session, the learning phase, variables and their values."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import numpy as np

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import DTypeLike
from ferroflow._src.framework.default_graph import get_default_graph, init_scope, name_scope, reset_default_graph
from ferroflow._src.framework.default_stacks import default_graph_stack
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.framework.per_graph import PerGraph
from ferroflow._src.layers.sessions import (
    batch_get_value,
    batch_set_value,
    end_session,
    get_session,
    get_value,
    manual_variable_initialization,
    set_session,
    set_value,
    track_variable,
)
from ferroflow._src.ops.array.making import placeholder_with_default
from ferroflow._src.variables.variable import Variable

__all__ = [
    "batch_get_value",
    "batch_set_value",
    "clear_session",
    "get_session",
    "get_value",
    "int_shape",
    "learning_phase",
    "learning_phase_scope",
    "manual_variable_initialization",
    "set_learning_phase",
    "set_session",
    "set_value",
]

_phases = PerGraph[Any]()


def learning_phase() -> Any:
    """Returns True if models train: a Tensor of bool that is fed, false by default; or what `set_learning_phase` has
    set.
    """
    graph = get_default_graph()
    if graph not in _phases:
        with init_scope(), name_scope(""):
            _phases[graph] = placeholder_with_default(False, shape=[], name="keras_learning_phase")
    return _phases[graph]


def known_learning_phase() -> Any:
    """Returns the learning phase of the default graph if it has been requested or set before; else None."""
    return _phases.get(get_default_graph())


@contextlib.contextmanager
def learning_phase_scope(value: Any) -> Iterator[Any]:
    """Opens a context with a learning phase, and restores the phase at its end.

    Args:
        value: 0 or False to test, 1 or True to train.

    Returns:
        Context manager of `value`.

    Raises:
        ValueError: if `value` is neither 0 nor 1.
    """
    graph = get_default_graph()
    before = _phases.get(graph)
    set_learning_phase(value)
    try:
        yield value
    finally:
        if before is None:
            _phases.pop(graph)
        else:
            _phases[graph] = before


def set_learning_phase(value: Any) -> None:
    """Sets the learning phase of the default graph.

    Args:
        value: 0 or False to test, 1 or True to train.

    Raises:
        ValueError: if `value` is neither 0 nor 1.
    """
    if value not in (0, 1):
        raise ValueError("Expected learning phase to be 0 or 1.")
    _phases[get_default_graph()] = bool(value)


def clear_session() -> None:
    """Closes the session of the default graph and drops its models; outside `tf.Graph.as_default`, a new graph
    follows.
    """
    graph = get_default_graph()
    end_session(graph)
    _phases.pop(graph)
    if default_graph_stack.is_cleared():
        reset_default_graph()
        # TF 1.x: the new graph begins with the learning phase.
        learning_phase()


def number(value: float, name: str, dtype: DTypeLike = dtypes.float32) -> Variable:
    """Returns a variable of one number that is not trained."""
    return tracked_variable(np.asarray(value, dtypes.as_dtype(dtype).as_numpy_dtype), trainable=False, name=name)


def tracked_variable(initial_value: Any, **options: Any) -> Variable:
    """Returns a resource variable that the session of models initializes.

    Args:
        initial_value: Tensor or array of any dtype and shape, or callable that returns one.
        **options: further arguments of `tf.Variable`.

    Returns:
        Variable of the dtype and shape of the value.
    """
    variable = Variable(initial_value, use_resource=True, **options)
    track_variable(variable)
    return variable


def int_shape(x: Tensor) -> tuple[int | None, ...] | None:
    """Returns the shape of a tensor or variable, with None for unknown sizes.

    Args:
        x: Tensor or Variable of any dtype and shape.

    Returns:
        tuple; None if the rank is not known.
    """
    shape = x.get_shape()
    return None if shape.ndims is None else tuple(shape.as_list())
