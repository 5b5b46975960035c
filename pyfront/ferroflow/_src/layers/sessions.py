"""The session in which layers and models read and set the values of their variables."""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary, WeakSet

import numpy as np

from ferroflow._src.base.typing import ListLike, SessionObject, TensorLike
from ferroflow._src.framework.composite import is_tensor
from ferroflow._src.framework.default_graph import get_default_graph
from ferroflow._src.framework.default_stacks import get_default_session
from ferroflow._src.framework.graph import Graph
from ferroflow._src.framework.graph_keys import GraphKeys
from ferroflow._src.framework.per_graph import PerGraph
from ferroflow._src.ops.array.making import placeholder
from ferroflow._src.ops.state.assigning import is_variable_initialized
from ferroflow._src.session.session import Session
from ferroflow._src.variables.collections import global_variables
from ferroflow._src.variables.initialization import variables_initializer
from ferroflow._src.variables.partitioned_variable import PartitionedVariable

_sessions = PerGraph[Any]()
_initialized: WeakSet[Any] = WeakSet()
# By variable, the placeholder of a value and the operation that assigns it.
_assigners: WeakKeyDictionary[Any, tuple[Any, Any]] = WeakKeyDictionary()
_program_initializes = False


# Variables that the session of models initializes: those of `tf.keras`, which may be in no collection.
_tracked: PerGraph[list[Any]] = PerGraph()

# The graph's version and numbers of variables when all of them were known to have values.
_seen: PerGraph[tuple[int, int, int]] = PerGraph()


def manual_variable_initialization(value: bool) -> None:
    """Sets who initializes variables: the session of models at its first use, or the program.

    Args:
        value: bool. If True, the program initializes its variables, as `tf.global_variables_initializer` does.
    """
    global _program_initializes
    _program_initializes = bool(value)


def get_session(op_input_list: object = ()) -> Any:
    """Returns the default session, or that of the default graph's models, with all variables initialized unless the
    program does it.

    Args:
        op_input_list: accepted; all operations of a graph have one session.

    Returns:
        Session.
    """
    session = _session_of_models()
    if not _program_initializes:
        _initialize_new(session)
    return session


def _initialize_new(session: Any) -> None:
    """Initializes the global variables, and those of `tf.keras`, unless there are none since the last call."""
    graph = session.graph
    seen = (graph.version, len(graph.get_collection(GraphKeys.GLOBAL_VARIABLES)), len(_tracked.get(graph) or ()))
    if _seen.get(graph) == seen:
        return
    with graph.as_default():
        # Initializing adds operations, and another thread could add variables meanwhile.
        if not _initialize(session, global_variables()):
            _seen[graph] = seen


def _session_of_models() -> Any:
    """Returns the default session, or that of the default graph's models."""
    session = get_default_session()
    if session is None:
        graph = get_default_graph()
        session = _sessions.get(graph)
        if session is None:
            session = _sessions[graph] = Session(graph=graph)
    return session


def set_session(session: SessionObject) -> None:
    """Makes a session that of its graph's models.

    Args:
        session: Session.
    """
    _sessions[session.graph] = session


def end_session(graph: Graph) -> None:
    """Closes the session of a graph's models, if there is one."""
    session = _sessions.pop(graph)
    if session is not None:
        session.close()


def track_variable(v: Any) -> None:
    """Makes sessions of models initialize a variable, although it may be in no collection.

    Args:
        v: Variable of any dtype and shape.
    """
    for one in v if isinstance(v, PartitionedVariable) else [v]:
        if one.graph not in _tracked:
            _tracked[one.graph] = []
        _tracked[one.graph].append(one)


def _initialize(session: Any, others: list[Any]) -> bool:
    """Initializes the variables of `tf.keras` and others that are uninitialized in the session.

    Returns:
        bool, True if any was not known to be initialized.
    """
    variables = dict.fromkeys([*others, *(_tracked.get(session.graph) or ())])
    unknown = [v for v in variables if v not in _initialized]
    if not unknown:
        return False
    flags = session.run([is_variable_initialized(v) for v in unknown])
    without = [v for v, is_there in zip(unknown, flags, strict=True) if not is_there]
    _initialized.update(unknown)
    if without:
        session.run(variables_initializer(without))
    return True


def get_value(x: TensorLike) -> Any:
    """Reads the value of a variable.

    Args:
        x: Variable, or Tensor, of any dtype and shape; a number or an array is returned as it is.

    Returns:
        numpy.ndarray of its dtype and shape.
    """
    return get_session().run(x) if is_tensor(x) else x


def batch_get_value(tensors: ListLike) -> list[Any]:
    """Reads the values of variables.

    Args:
        tensors: list of Variables, or Tensors, of any dtype and shape.

    Returns:
        list of numpy.ndarrays of their dtypes and shapes.
    """
    return list(get_session().run(list(tensors))) if tensors else []


def set_value(x: TensorLike, value: TensorLike) -> None:
    """Assigns a value to a variable.

    Args:
        x: Variable of any dtype and shape.
        value: array of its dtype and shape.

    Raises:
        AttributeError: if `x` is not a variable.
    """
    batch_set_value([(x, value)])


def batch_set_value(tuples: ListLike) -> None:
    """Assigns values to variables.

    Args:
        tuples: list of pairs: a variable, and a value of its shape.

    Raises:
        AttributeError: if the first of a pair is not a variable.
    """
    feeds = {}
    steps = []
    for variable, value in tuples:
        if not hasattr(variable, "load"):
            raise AttributeError(f"The value of {variable!r} cannot be set, because it is not a variable.")
        array = np.asarray(value, variable.dtype.base_dtype.as_numpy_dtype)
        given, step = assigner(variable, array.ndim)
        feeds[given] = array
        steps.append(step)
    if steps:
        get_session().run(steps, feeds)


def assigner(variable: Any, rank: int) -> tuple[Any, Any]:
    """Returns a placeholder and the operation that assigns it to a variable; made at the first call.

    Args:
        variable: Variable of any dtype and shape.
        rank: int, the number of its dimensions.

    Returns:
        Tensor of the dtype of `variable` and of that rank, and Operation.
    """
    made = _assigners.get(variable)
    if made is None:
        # A finished graph gets no more operations, but each variable has one that takes its first value.
        if variable.graph.finalized:
            return variable.initializer.inputs[1], variable.initializer
        with variable.graph.as_default():
            given = placeholder(variable.dtype.base_dtype, shape=[None] * rank)
            made = _assigners[variable] = given, variable.assign(given).op
    return made


def session_to_use(session: Any) -> Any:
    """Returns a session, or the default one for None, or that of models if there is no default one.

    The session of models initializes the variables of `tf.keras` alone. The program initializes the others.

    Args:
        session: Session or None.

    Returns:
        Session.
    """
    if session is None:
        session = get_default_session()
    if session is not None:
        return session
    session = _session_of_models()
    if not _program_initializes:
        with session.graph.as_default():
            _initialize(session, [])
    return session
