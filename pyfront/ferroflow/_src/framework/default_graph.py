"""The default graph of a thread, and the functions that act on it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from ferroflow._src.base import tf_logging
from ferroflow._src.base.typing import Device, ListLike, StringLike
from ferroflow._src.framework import default_stacks
from ferroflow._src.framework.graph import Graph
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.framework.scopes import Colocation, ControlDependencies, DeviceScope


def get_default_graph() -> Graph:
    """Returns the default graph of this thread.

    Example:
        >>> x = tf.constant(1.0, name="x")
        >>> print(x.graph is tf.get_default_graph())
        True
        >>> print([op.name for op in tf.get_default_graph().get_operations()])
        ['x']
    """
    graph: Graph = default_stacks.default_graph_stack.get_default()
    return graph


def reset_default_graph() -> None:
    """Replaces the global default graph with a new, empty graph.

    Raises:
        AssertionError: if called inside a `with graph.as_default()` block.

    Example:
        >>> x = tf.constant(1.0, name="x")
        >>> tf.reset_default_graph()
        >>> print(tf.get_default_graph().get_operations())
        []
    """
    if not default_stacks.default_graph_stack.is_cleared():
        raise AssertionError("Do not use tf.reset_default_graph() to clear nested graphs.")
    default_stacks.reset_global_graph()


class name_scope:  # noqa: N801  # TF1's spelling
    """Context manager that opens a name scope on the graph of its values, and makes that graph the default.

    Args:
        name: str, the scope's name, or None for `default_name`.
        default_name: str, used when `name` is None.
        values: list of tensors of any dtype and shape, all of one graph, which becomes the default one.

    Raises:
        ValueError: if both names are None though values are given, or the values belong to several graphs.

    Example:
        >>> with tf.name_scope("loss"):
        ...     total = tf.add(1.0, 2.0, name="total")
        >>> print(total.name)
        loss/total:0
    """

    def __init__(self, name: str | None, default_name: str | None = None, values: ListLike | None = None) -> None:
        self._name = default_name if name is None else name
        self._default_name = default_name
        self._values = values

    @property
    def name(self) -> Any:
        """The requested name."""
        return self._name

    def __enter__(self) -> str:
        if self._name is None and self._values is not None:
            raise ValueError(
                f"At least one of name ({self._name}) and default_name ({self._default_name}) must be provided."
            )
        self._graph = graph = graph_of(self._values or ())
        self._scope = graph.name_scope(self._name)
        entered = self._scope.__enter__()
        default_stacks.default_graph_stack.push(graph)
        return entered

    def __exit__(self, *exc: Any) -> None:
        self._scope.__exit__(*exc)
        default_stacks.default_graph_stack.pop(self._graph)


def op_scope(values: Any, name: Any, default_name: Any = None) -> name_scope:
    """Deprecated: use `name_scope(name, default_name, values)`.

    Args:
        values: as for `name_scope`.
        name: str, the scope's name, or None for `default_name`.
        default_name: str, used when `name` is None.

    Returns:
        `name_scope`, a context manager.
    """
    tf_logging.warn(
        "tf.op_scope(values, name, default_name) is deprecated, use tf.name_scope(name, default_name, values)"
    )
    return name_scope(name, default_name=default_name, values=values)


# A union would be made anew at each test.
_HANDLES = (Operation, Tensor)


def graph_of(values: Iterable[Any], graph: Graph | None = None) -> Graph:
    """Returns the graph of the given values; the default graph if none of them has a graph.

    Raises:
        TypeError: if `graph` is not a Graph.
        ValueError: if the values belong to several graphs, or not to `graph`.
    """
    if graph is not None and not isinstance(graph, Graph):
        raise TypeError(f"Input graph needs to be a Graph: {graph}")
    first = None
    function = default_stacks.default_graph_stack.get_function()
    if function is not None:
        # A function takes what it reads from the graphs around.
        body: Graph = function
        return body
    for value in values:
        if isinstance(value, _HANDLES):
            found = value.graph
        else:
            of_value = getattr(value, "graph", None)
            if not isinstance(of_value, Graph):
                continue
            found = of_value
        if graph is None:
            graph, first = found, value
        elif found is not graph:
            if first is not None:
                raise ValueError(f"{value} must be from the same graph as {first}.")
            raise ValueError(f"{value} is not from the passed-in graph.")
    return graph or get_default_graph()


@contextmanager
def init_scope() -> Iterator[None]:
    """Creates operations in a `with` block without control dependencies and outside of any function being built."""
    inner = get_default_graph()
    scope = inner.get_name_scope()
    outer = default_stacks.default_graph_stack.get_outside_functions()
    with outer.as_default(), outer.name_scope(f"{scope}/" if scope else None), outer.control_dependencies(None):
        yield


def device(device_name_or_function: Device | None) -> DeviceScope:
    """Calls `Graph.device` of the default graph.

    Args:
        device_name_or_function: str, `DeviceSpec`, a function of the operation that gives one, or None, which hides the
            contexts outside.

    Returns:
        A context manager.

    Raises:
        ValueError: on entering, for a str that is not a device name.

    Example:
        >>> with tf.device("/cpu:0"):
        ...     x = tf.constant(1.0)
        >>> print(x.device)
        /device:CPU:0
    """
    return get_default_graph().device(device_name_or_function)


def container(container_name: str) -> AbstractContextManager[str]:
    """Calls `Graph.container` of the default graph.

    Args:
        container_name: str; `""` is the default container.

    Returns:
        A context manager; on entry, the name.
    """
    return get_default_graph().container(container_name)


def control_dependencies(control_inputs: Iterable[Any] | None) -> ControlDependencies:
    """Calls `Graph.control_dependencies` of the default graph.

    Args:
        control_inputs: iterable of operations, and of tensors of any dtype and shape; None hides the contexts outside.

    Returns:
        A context manager.

    Raises:
        TypeError: if an element of `control_inputs` is neither an operation nor a tensor.
        ValueError: if an operation belongs to another graph.

    Example:
        >>> v = tf.Variable(1.0)
        >>> with tf.control_dependencies([v.assign(10.0)]):
        ...     after = v + 1.0
        >>> sess.run(v.initializer)
        >>> print(sess.run(after))
        11.0
    """
    return get_default_graph().control_dependencies(control_inputs)


def colocate_with(op: Any, ignore_existing: bool = False) -> Colocation:
    """Calls `Graph.colocate_with` of the default graph.

    Args:
        op: operation, or tensor of any dtype and shape; None (with `ignore_existing`) places operations freely.
        ignore_existing: bool. If True, the colocation contexts outside are hidden.

    Returns:
        A context manager.

    Raises:
        TypeError: if `op` is not one of these.
        ValueError: if `op` is None without `ignore_existing`.
    """
    return get_default_graph().colocate_with(op, ignore_existing)


def add_to_collection(name: StringLike, value: object) -> None:
    """Calls `Graph.add_to_collection` of the default graph.

    Args:
        name: str or other hashable object, the collection.
        value: any object.

    Raises:
        RuntimeError: if the graph is finalized.

    Example:
        >>> loss = tf.constant(0.5)
        >>> tf.add_to_collection("losses", loss)
        >>> print(tf.get_collection("losses") == [loss])
        True
    """
    get_default_graph().add_to_collection(name, value)


def add_to_collections(names: Any, value: object) -> None:
    """Calls `Graph.add_to_collections` of the default graph.

    Args:
        names: str, or iterable of collections.
        value: any object.

    Raises:
        RuntimeError: if the graph is finalized.
    """
    get_default_graph().add_to_collections(names, value)


def get_collection(key: StringLike, scope: str | None = None) -> list[Any]:
    """Calls `Graph.get_collection` of the default graph.

    Args:
        key: str or other hashable object, the collection.
        scope: str, a regular expression: keeps only items whose `name` matches it from its start.

    Returns:
        A new list, in the order of adding; empty if there is no such collection.

    Example:
        >>> w = tf.get_variable("w", [3], regularizer=tf.nn.l2_loss, initializer=tf.ones_initializer())
        >>> losses = tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)
        >>> sess.run(w.initializer)
        >>> print(sess.run(tf.add_n(losses)))
        1.5
    """
    return get_default_graph().get_collection(key, scope)


def get_collection_ref(key: StringLike) -> list[Any]:
    """Calls `Graph.get_collection_ref` of the default graph.

    Args:
        key: str or other hashable object, the collection.

    Returns:
        The list of the collection itself: items added to it are in the collection.
    """
    return get_default_graph().get_collection_ref(key)


def get_all_collection_keys() -> list[str]:
    """Calls `Graph.get_all_collection_keys` of the default graph.

    Returns:
        List of str.
    """
    return get_default_graph().get_all_collection_keys()
