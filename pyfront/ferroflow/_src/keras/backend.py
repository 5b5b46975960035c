"""State of Keras models: the session, the learning phase, variables and their values."""

from __future__ import annotations

from typing import Any

import numpy as np

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import DTypeLike
from ferroflow._src.framework.default_graph import get_default_graph, reset_default_graph
from ferroflow._src.framework.default_stacks import default_graph_stack
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.layers.learning_phase import (
    forget_learning_phase,
    learning_phase,
    learning_phase_scope,
    set_learning_phase,
)
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


def clear_session() -> None:
    """Closes the session of the default graph and drops its models; outside `tf.Graph.as_default`, a new graph
    follows.
    """
    graph = get_default_graph()
    end_session(graph)
    forget_learning_phase(graph)
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
