"""What Keras models share: the session, the learning phase, variables and their values."""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary, WeakSet

import numpy as np

from ferroflow._src.base import dtypes
from ferroflow._src.framework.default_graph import get_default_graph, init_scope, reset_default_graph
from ferroflow._src.framework.default_stacks import default_graph_stack, get_default_session
from ferroflow._src.framework.graph import Graph
from ferroflow._src.framework.tensor import Tensor
from ferroflow._src.ops.array.making import placeholder_with_default
from ferroflow._src.ops.state.assigning import is_variable_initialized
from ferroflow._src.session.session import Session
from ferroflow._src.variables.collections import global_variables
from ferroflow._src.variables.initialization import variables_initializer
from ferroflow._src.variables.variable import Variable

__all__ = [
    "batch_get_value",
    "batch_set_value",
    "clear_session",
    "get_session",
    "get_value",
    "int_shape",
    "learning_phase",
    "set_learning_phase",
    "set_session",
    "set_value",
]

_sessions: WeakKeyDictionary[Graph, Any] = WeakKeyDictionary()
_phases: WeakKeyDictionary[Graph, Any] = WeakKeyDictionary()
_initialized: WeakSet[Any] = WeakSet()


def learning_phase() -> Any:
    """Whether models train: a Tensor of bool that is fed, false by default; or what `set_learning_phase` has set."""
    graph = get_default_graph()
    if graph not in _phases:
        with init_scope():
            _phases[graph] = placeholder_with_default(False, shape=[], name="keras_learning_phase")
    return _phases[graph]


def set_learning_phase(value: Any) -> None:
    """Fixes the learning phase of the default graph.

    Args:
        value: 0 or False to test, 1 or True to train.

    Raises:
        ValueError: it is something else.
    """
    if value not in (0, 1):
        raise ValueError("Expected learning phase to be 0 or 1.")
    _phases[get_default_graph()] = bool(value)


def get_session() -> Any:
    """The default session, or that of the default graph's models, with all variables initialized."""
    graph = get_default_graph()
    session = get_default_session()
    if session is None:
        session = _sessions.get(graph)
        if session is None:
            session = _sessions[graph] = Session(graph=graph)
    with session.graph.as_default():
        _initialize(session)
    return session


def set_session(session: Any) -> None:
    """Makes a session that of its graph's models.

    Args:
        session: Session.
    """
    _sessions[session.graph] = session


def clear_session() -> None:
    """Ends the models of the default graph, and their session: outside `tf.Graph.as_default` a fresh graph follows."""
    graph = get_default_graph()
    session = _sessions.pop(graph, None)
    if session is not None:
        session.close()
    _phases.pop(graph, None)
    if default_graph_stack.is_cleared():
        reset_default_graph()


def _initialize(session: Any) -> None:
    """Initializes the variables that have no value in the session."""
    unknown = [v for v in global_variables() if v not in _initialized]
    if not unknown:
        return
    flags = session.run([is_variable_initialized(v) for v in unknown])
    without = [v for v, is_there in zip(unknown, flags, strict=True) if not is_there]
    _initialized.update(unknown)
    if without:
        session.run(variables_initializer(without))


def number(value: float, name: str, dtype: Any = dtypes.float32) -> Variable:
    """A variable of one number that is not trained."""
    return Variable(np.asarray(value, dtypes.as_dtype(dtype).as_numpy_dtype), trainable=False, name=name)


def get_value(x: Any) -> Any:
    """Reads the value of a variable.

    Args:
        x: Variable, or Tensor, of any dtype and shape.

    Returns:
        numpy.ndarray of its dtype and shape.
    """
    return get_session().run(x)


def batch_get_value(tensors: Any) -> list[Any]:
    """Reads the values of variables.

    Args:
        tensors: list of Variables, or Tensors, of any dtype and shape.

    Returns:
        list of numpy.ndarrays of their dtypes and shapes.
    """
    return list(get_session().run(list(tensors))) if tensors else []


def set_value(x: Any, value: Any) -> None:
    """Gives a variable a value.

    Args:
        x: Variable of any dtype and shape.
        value: array of its dtype and shape.
    """
    batch_set_value([(x, value)])


def batch_set_value(tuples: Any) -> None:
    """Gives variables values.

    Args:
        tuples: list of pairs of a variable and a value of its shape.
    """
    session = get_session()
    for variable, value in tuples:
        variable.load(np.asarray(value, variable.dtype.base_dtype.as_numpy_dtype), session)


def int_shape(x: Tensor) -> tuple[int | None, ...] | None:
    """The shape of a tensor or variable, with None for what is not known.

    Args:
        x: Tensor or Variable of any dtype and shape.

    Returns:
        tuple; None where the rank is not known.
    """
    shape = x.get_shape()
    return None if shape.ndims is None else tuple(shape.as_list())
