"""`import_graph_def`: the nodes of a GraphDef message, added to the default graph."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ferroflow import _core
from ferroflow._src.base import compat, errors, proto
from ferroflow._src.framework import function_calls
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import get_default_graph, name_scope
from ferroflow._src.framework.function import Function, FunctionGraph, graphs_around
from ferroflow._src.framework.function_def import body_of, called, check_library, renamed
from ferroflow._src.framework.graph import Graph
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.framework.scopes import DeviceStack

_VERSION = 134
_MIN_PRODUCER = 0
# The TensorFlow whose graphs we read and write, for messages.
_TENSORFLOW = "TensorFlow 1.15"

# The start of the engine's message about ops that are not registered.
_UNKNOWN = "Op type not registered"


def import_graph_def(
    graph_def: proto.GraphDef,
    input_map: dict[Any, Any] | None = None,
    return_elements: Iterable[Any] | None = None,
    name: str | None = None,
    op_dict: object = None,
    producer_op_list: proto.OpList | None = None,
) -> list[Any] | None:
    """Adds the nodes of a GraphDef to the default graph.

    Args:
        graph_def: a GraphDef message.
        input_map: from names of inputs in `graph_def` (`"a:0"`, `"a"`, `"^a"`) to the tensors that nodes read instead.
        return_elements: list of str: the names of operations (`"a"`) and of their outputs (`"a:0"`) to return.
        name: prefix of all names, by default `"import"`; `""` is none.
        op_dict: accepted for compatibility.
        producer_op_list: OpList message of the program that made `graph_def`: attributes unknown here that have their
            default there are left out.

    Returns:
        List of the Operations and Tensors of `return_elements`, of whatever dtypes and shapes, or None without them.

    Raises:
        TypeError: if an argument has the wrong type.
        ValueError: if the graph is malformed, does not fit the ops' schemas, or lacks a requested element.
        tf.errors.NotFoundError: if the graph has ops that are not registered.

    Example:
        >>> with tf.Graph().as_default() as graph:
        ...     x = tf.placeholder(tf.float32, name="x")
        ...     y = tf.multiply(x, 2.0, name="y")
        >>> x, y = tf.import_graph_def(graph.as_graph_def(), return_elements=["x:0", "y:0"], name="copy")
        >>> print(y.name, sess.run(y, {x: 21.0}))
        copy/y:0 42.0
    """
    del op_dict
    graph_def = _checked_message(graph_def)
    wanted = _checked_names(return_elements)
    sources = _checked_input_map(input_map)
    _check_versions(graph_def.versions)
    with name_scope(name, "import", list(sources.values())) as scope:
        if not all(isinstance(v, Operation | Tensor) for v in sources.values()):
            if not scope:
                raise ValueError(
                    "tf.import_graph_def() requires a non-empty `name` if `input_map` contains non-Tensor values. Try "
                    "calling tf.convert_to_tensor() on `input_map` values before calling tf.import_graph_def()."
                )
            with name_scope("_inputs"):
                sources = {
                    k: v if isinstance(v, Operation) else convert_to_tensor(v, as_ref=False) for k, v in sources.items()
                }
        graph = get_default_graph()
        graph_def = _with_functions(graph, graph_def)
        producer = None if producer_op_list is None else producer_op_list.SerializeToString()
        found = _nodes_added(graph, graph_def, scope, sources, producer, [_parsed(e)[0] for e in wanted or ()])
    versions = graph._graph_def_versions
    versions.producer = min(versions.producer, graph_def.versions.producer)
    versions.min_consumer = max(versions.min_consumer, graph_def.versions.min_consumer)
    if wanted is None:
        return None
    return [_element(graph, name, node, sources) for name, node in zip(wanted, found, strict=True)]


def _nodes_added(
    graph: Graph, graph_def: Any, scope: str, sources: dict[str, Any], producer: bytes | None, wanted: list[str]
) -> list[int | None]:
    """Adds the nodes of a message to a graph; returns which nodes those of the names `wanted` are."""
    if graph_def.node:
        graph._check_not_finalized()
    inside = {k: graph.capture(v) if isinstance(v, Tensor) else v for k, v in sources.items()}
    scopes = graph._scopes.current
    names = graph._scopes.names
    outer = (scopes.colocation, scopes.devices)
    # TF 1.x: imported nodes are colocated as their attributes say, not with what is around.
    scopes.colocation = []
    around = _Around(graph)
    state = graph._scopes
    watches = state.changes_operations or state.original_op is not None or (sources and graph._flow_contexts)
    watcher = around if watches else None
    with graph._lock:
        try:
            found, loops, gradients, flow = _core.import_graph_def(
                graph._core, graph_def.SerializeToString(), scope, inside, producer, wanted, around.device, watcher
            )
        except _core.StatusError as failure:
            code, message, _ = failure.args
            raise errors.make_exception(None, None, _with_nodes(message, graph_def), code) from None
        finally:
            scopes.colocation, scopes.devices = outer
            names.mark_all(graph._adopt_later())
        for name in loops:
            # A loop made later must not take the name.
            names.mark(name)
        graph._imported_sources.update(gradients)
        if flow:
            graph._without_contexts.append((flow, graph._get_control_flow_context()))
    return found


class _Around:
    """The scopes around an import, as its nodes get them."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._outer = graph._scopes.current.devices
        # By the device that a node requests; None: the device of another node.
        self._stacks: dict[str | None, DeviceStack] = {}

    def device(self, asked: str | None) -> str:
        """Returns the device requests around the import with a node's own on top."""
        stack = self._stacks[asked] = self._outer if asked == "" else self._outer.push(asked)
        return stack.static or ""

    def admit(
        self, op_type: str, name: str, asked: str | None, inputs: list[tuple[int, int]], control_inputs: list[int]
    ) -> tuple[list[Tensor], list[Operation]]:
        """Returns the inputs and control inputs that a node gets in these scopes."""
        graph = self._graph
        graph._scopes.current.devices = self._stacks[asked]
        tensors = [graph.tensor(node, index) for node, index in inputs]
        tensors, before = graph._admit(op_type, name, tensors, [graph.operation(c) for c in control_inputs])
        return tensors, before or []

    def added(self, node: int, outputs: int, asked: str | None) -> None:
        """Calls the scopes with a new node."""
        op = self._graph._adopt(node, outputs)
        self._graph._scopes.names.mark(op.name)
        self._graph._apply_scopes(op, self._stacks[asked].static is None)


def _element(graph: Graph, name: str, node: int | None, sources: dict[str, Any]) -> Any:
    """Returns an element of `return_elements`, given the node of its name.

    Raises:
        ValueError: if the message has no node or output of that name.
    """
    if ":" not in name:
        if node is None:
            raise ValueError(f"Requested return node '{name}' not found in graph def")
        return graph.operation(node)
    old, number = _parsed(name)
    mapped = sources.get(f"{old}:{number}")
    if mapped is not None:
        return mapped
    if node is None:
        raise ValueError(f"Requested return tensor '{name}' not found in graph def")
    outputs = graph.operation(node).outputs
    if number >= len(outputs):
        raise ValueError(f"Invalid return output {number} of node '{old}', which has {len(outputs)} output(s)")
    return outputs[number]


def _with_functions(graph: Graph, graph_def: Any) -> Any:
    """Returns the message without its functions, which are in the graph afterwards, renamed where their names are
    taken.
    """
    if not graph_def.library.function:
        return graph_def
    check_library(graph_def.library)
    gradients: dict[str, str] = {}
    if function_calls.has_calls_by_name(graph_def):
        graph_def, gradients = function_calls.with_plain_calls(graph_def)
    _check_ops(graph_def)
    root = [graph, *graphs_around(graph)][-1]
    names: dict[str, str] = {}
    fresh = _fresh(root, graph_def.library.function)
    taken = set(root.functions)
    for message in fresh:
        name = message.signature.name
        names[name] = name
        while names[name] in taken:
            names[name] += "_1"
        taken.add(names[name])
    rest = proto.GraphDef()
    rest.CopyFrom(graph_def)
    rest.ClearField("library")
    # A gradient is made when the function is there, and a function that calls gradients after them.
    for message in sorted(fresh, key=lambda m: any(name in gradients for name in called(m))):
        for name in called(message) & gradients.keys() - names.keys():
            names[name] = function_calls.gradient_of(root, names.get(gradients[name], gradients[name]))
        body = proto.FunctionDef()
        body.CopyFrom(message)
        renamed(body, names)
        _define(root, names[message.signature.name], body)
    for name in called(rest) & gradients.keys() - names.keys():
        names[name] = function_calls.gradient_of(root, names.get(gradients[name], gradients[name]))
    renamed(rest, names)
    return rest


def _fresh(root: Graph, functions: Sequence[Any]) -> list[Any]:
    """Returns the functions that a graph lacks, in their order."""
    callers: dict[str, list[str]] = {}
    waiting = []
    for message in functions:
        name = message.signature.name
        known = root.functions.get(name)
        if known is None or not _same(known.to_function_def(), message):
            waiting.append(name)
        for other in called(message):
            callers.setdefault(other, []).append(name)
    # Two functions of one text are not the same where they call different functions of one name.
    fresh: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name not in fresh:
            fresh.add(name)
            waiting += callers.get(name, ())
    return [message for message in functions if message.signature.name in fresh]


def _check_ops(graph_def: Any) -> None:
    """Raises an error for a graph with ops that are not registered, in nodes or in functions."""
    try:
        _core.check_ops(graph_def.SerializeToString())
    except _core.StatusError as failure:
        code, message, _ = failure.args
        raise errors.make_exception(None, None, _with_nodes(message, graph_def), code) from None


def _with_nodes(message: str, graph_def: Any) -> str:
    """Returns the error about unknown ops, which names one node of each, with all nodes of those that have several."""
    if not message.startswith(_UNKNOWN):
        return message
    bodies = [graph_def.node, *(function.node_def for function in graph_def.library.function)]
    nodes: dict[str, list[str]] = {}
    for node in (node for body in bodies for node in body):
        if f"'{node.op}' (node " in message:
            nodes.setdefault(node.op, []).append(node.name)
    several = [f"'{op}' is in {', '.join(names)}." for op, names in sorted(nodes.items()) if len(names) > 1]
    return " ".join([message, *several])


def _same(one: Any, other: Any) -> bool:
    return bool(one.SerializeToString(deterministic=True) == other.SerializeToString(deterministic=True))


def _define(root: Graph, name: str, message: Any) -> None:
    """Adds a function of a FunctionDef."""
    nodes, arguments, results = body_of(message)
    graph = FunctionGraph(root)
    with graph.as_default():
        found = import_graph_def(nodes, return_elements=[*(f"{a}:0" for a in arguments), *results], name="") or []
    Function(name, graph, found[: len(arguments)], found[len(arguments) :])


def _checked_message(graph_def: Any) -> Any:
    if isinstance(graph_def, proto.GraphDef):
        return graph_def
    descriptor = getattr(graph_def, "DESCRIPTOR", None)
    if descriptor is None or descriptor.full_name != "tensorflow.GraphDef":
        raise TypeError("graph_def must be a GraphDef proto.")
    # Another program's message class.
    return proto.GraphDef.FromString(graph_def.SerializeToString())


def _checked_input_map(input_map: Any) -> dict[str, Any]:
    if input_map is None:
        return {}
    if not isinstance(input_map, dict) or not all(isinstance(k, str | bytes) for k in input_map):
        raise TypeError("input_map must be a dictionary mapping strings to Tensor objects.")
    sources = {}
    for key, value in input_map.items():
        key = compat.as_str(key)
        if key.startswith("^"):
            sources[key] = value if isinstance(value, Operation) else value.op
        else:
            node, index = _parsed(key)
            sources[f"{node}:{index}"] = value
    return sources


def _checked_names(return_elements: Any) -> list[str] | None:
    if return_elements is None:
        return None
    names = list(return_elements)
    if not all(isinstance(e, str | bytes) for e in names):
        raise TypeError("return_elements must be a list of strings.")
    names = [compat.as_str(e) for e in names]
    for e in names:
        _parsed(e)
    return names


def _parsed(tensor_name: str) -> tuple[str, int]:
    """Returns (node, output) of a tensor name; `a` is `a:0`."""
    node, colon, index = tensor_name.partition(":")
    if not colon:
        return node, 0
    if not index.isdigit():
        raise ValueError(f"Cannot convert {tensor_name!r} to a tensor name.")
    return node, int(index)


def _check_versions(versions: Any) -> None:
    if versions.producer < _MIN_PRODUCER:
        raise ValueError(
            f"GraphDef producer version {versions.producer} below min producer {_MIN_PRODUCER} supported by "
            f"{_TENSORFLOW}.  Please regenerate your graph."
        )
    if versions.min_consumer > _VERSION:
        raise ValueError(
            f"GraphDef min consumer version {versions.min_consumer} above current version {_VERSION} for "
            f"{_TENSORFLOW}.  Please upgrade TensorFlow."
        )
    if _VERSION in versions.bad_consumers:
        raise ValueError(
            f"GraphDef disallows consumer version {_VERSION}.  Please upgrade TensorFlow: this version is likely buggy."
        )
