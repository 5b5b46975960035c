"""The global step: the variable that counts the training steps of a graph."""

from __future__ import annotations

from typing import Any

import numpy as np

from ferroflow._src.base import dtypes, tf_logging
from ferroflow._src.base.typing import SessionObject, TensorLike
from ferroflow._src.framework.default_graph import get_default_graph
from ferroflow._src.framework.graph import Graph
from ferroflow._src.framework.graph_keys import GraphKeys
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.state.assigning import assign_add
from ferroflow._src.variables.get_variable import get_variable
from ferroflow._src.variables.initializers import Zeros
from ferroflow._src.variables.variable import Variable


def global_step(sess: SessionObject, global_step_tensor: TensorLike) -> int:
    """Returns the value of the global step in a session.

    Args:
        sess: a `Session`.
        global_step_tensor: a variable or tensor of integers, of shape [] or [1], or its name.

    Returns:
        int.
    """
    # TF 1.x: a vector of one element counts as well.
    return int(np.asarray(sess.run(global_step_tensor)).item())


def get_global_step(graph: Graph | None = None) -> Any:
    """Returns the global step: the one element of the collection `GLOBAL_STEP`, or the tensor `global_step:0`.

    Args:
        graph: the graph; by default the default one.

    Returns:
        A variable or tensor of integers, of shape []; None if there is none, or more than one.

    Raises:
        TypeError: if the global step is not an integer scalar.

    Example:
        >>> print(tf.train.get_global_step())
        None
        >>> step = tf.train.create_global_step()
        >>> print(tf.train.get_global_step() is step)
        True
    """
    graph = graph or get_default_graph()
    found = graph.get_collection(GraphKeys.GLOBAL_STEP)
    if len(found) > 1:
        tf_logging.error("Multiple tensors in global_step collection.")
        return None
    if found:
        step = found[0]
    else:
        try:
            step = graph.get_tensor_by_name("global_step:0")
        except KeyError:
            return None
    assert_global_step(step)
    return step


def create_global_step(graph: Graph | None = None) -> Any:
    """Returns a new global step, int64 and initially zero, outside all name scopes.

    Args:
        graph: the graph; by default the default one.

    Returns:
        Variable of int64, of shape [].

    Raises:
        ValueError: if the graph has one.
        TypeError: if the graph has one that is not an integer scalar.
    """
    return new_global_step(graph or get_default_graph())


def new_global_step(graph: Graph, use_resource: bool | None = None) -> Any:
    """Does what `create_global_step` does; the step is behind a handle if `use_resource` is true, or the scope's is."""
    if get_global_step(graph) is not None:
        raise ValueError('"global_step" already exists.')
    with graph.as_default(), graph.name_scope(None):
        return get_variable(
            GraphKeys.GLOBAL_STEP,
            shape=[],
            dtype=dtypes.int64,
            initializer=Zeros(),
            trainable=False,
            use_resource=use_resource,
            collections=[GraphKeys.GLOBAL_VARIABLES, GraphKeys.GLOBAL_STEP],
        )


def get_or_create_global_step(graph: Graph | None = None) -> Any:
    """Returns the global step, and creates it if there is none.

    Args:
        graph: the graph; by default the default one.

    Returns:
        A variable or tensor of integers, of shape [].

    Raises:
        TypeError: if there is one that is not an integer scalar.

    Example:
        >>> step = tf.train.get_or_create_global_step()
        >>> print(step.name, tf.train.get_or_create_global_step() is step)
        global_step:0 True
    """
    graph = graph or get_default_graph()
    step = get_global_step(graph)
    return create_global_step(graph) if step is None else step


def assert_global_step(global_step_tensor: Any) -> None:
    """Checks that something can be a global step.

    Args:
        global_step_tensor: a variable or tensor of integers, of shape [].

    Raises:
        TypeError: if the argument is neither a variable nor a tensor, is not of an integer dtype, or is not a scalar.
    """
    if not isinstance(global_step_tensor, Variable | Tensor):
        raise TypeError(f'Existing "global_step" must be a Variable or Tensor: {global_step_tensor}.')
    if not global_step_tensor.dtype.base_dtype.is_integer:
        raise TypeError(f'Existing "global_step" does not have integer type: {global_step_tensor.dtype}')
    shape = global_step_tensor.get_shape()
    if shape.ndims != 0 and shape.is_fully_defined():
        raise TypeError(f'Existing "global_step" is not scalar: {shape}')


# The collection of the tensor that hooks read the global step from: one per graph.
GLOBAL_STEP_READ_KEY = "global_step_read_op_cache"


def get_or_create_global_step_read(graph: Graph | None = None) -> Tensor | None:
    """Returns the tensor that reads the global step once per step, made if there is none.

    It has the value from before the updates of the step, unless control edges order it after them.

    Args:
        graph: the graph; by default the default one.

    Returns:
        A scalar tensor; None if the graph has no global step.

    Raises:
        RuntimeError: if the graph has several.
    """
    graph = graph or get_default_graph()
    found: list[Tensor] = graph.get_collection(GLOBAL_STEP_READ_KEY)
    if len(found) > 1:
        raise RuntimeError(f"There are multiple items in collection {GLOBAL_STEP_READ_KEY}. There should be only one.")
    if found:
        return found[0]
    step = get_global_step(graph)
    if step is None:
        return None
    # At the task of the step: one number travels to the reader, not the conditional's inputs.
    with graph.as_default(), graph.name_scope(None), graph.name_scope(step.op.name + "/"), graph.device(step.device):
        # TF 1.x: the initial value stands in for a variable that has none, so that models may be built under this read.
        value = step.initialized_value() if isinstance(step, Variable) else step
        read: Tensor = value + 0
        graph.add_to_collection(GLOBAL_STEP_READ_KEY, read)
    return read


def increment_global_step(increment: Any, graph: Graph | None = None) -> Tensor:
    """Returns an operation that adds to the global step, after the read that hooks use.

    Args:
        increment: an int, or a scalar tensor of the step's dtype.
        graph: the graph; by default the default one.

    Returns:
        The new value, as `tf.assign_add` gives it.

    Raises:
        ValueError: if the graph has no global step.
    """
    graph = graph or get_default_graph()
    step = get_global_step(graph)
    if step is None:
        raise ValueError(
            "Global step tensor should be created by tf.train.get_or_create_global_step before calling increment."
        )
    read = get_or_create_global_step_read(graph)
    with (
        graph.as_default(),
        graph.name_scope(None),
        graph.name_scope(step.op.name + "/"),
        graph.control_dependencies([read]),
    ):
        added: Tensor = assign_add(step, increment)
    return added
