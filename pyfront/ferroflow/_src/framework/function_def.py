"""Functions as FunctionDef messages, and those as GraphDefs that can be imported."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any, Protocol

from ferroflow import _core
from ferroflow._src.base import proto
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.framework.op_schema import op_schema

# TF 1.15: attribute of a function with the shapes of its arguments.
INPUT_SHAPES = "_input_shapes"
# Op that represents an argument in a graph.
ARGUMENT = "Placeholder"


class TracedFunction(Protocol):
    """A function with its body, a graph."""

    name: str
    graph: Any
    all_arguments: list[Tensor]
    results: list[Tensor]

    @property
    def operations(self) -> list[Operation]:
        """The operations of the body that belong to the function."""


def _output_counts(op_type: str, value: Any) -> list[tuple[str, int]]:
    """Returns the output arguments of a node and how many tensors each stands for; `value` gives its attributes by
    name.
    """
    counts = []
    for arg in op_schema(op_type)["outputs"]:
        if arg["number_attr"]:
            count = int(value(arg["number_attr"]))
        elif arg["is_type_list"]:
            count = len(value(arg["type_attr"]))
        else:
            count = 1
        counts.append((arg["name"], count))
    return counts


def _spelling(op: Operation, index: int) -> str:
    """Returns an output within a function: `node:argument:number`."""
    for name, count in _output_counts(op.type, op.get_attr):
        if index < count:
            return f"{op.name}:{name}:{index}"
        index -= count
    raise ValueError(f"{op.name} has no output {index}")


def to_function_def(function: TracedFunction) -> Any:
    """Returns the FunctionDef message of a function."""
    message = proto.FunctionDef()
    signature = message.signature
    signature.name = function.name
    names: dict[Tensor, str] = {}
    for tensor in function.all_arguments:
        name = tensor.op.name.replace("/", "_")
        while name in names.values():
            name += "_"
        names[tensor] = name
        signature.input_arg.add(name=name, type=tensor.dtype.as_datatype_enum)
    operations = function.operations
    own = set(operations)

    def source(tensor: Tensor) -> str:
        return names.get(tensor) or _spelling(tensor.op, tensor.value_index)

    for op in operations:
        node = op.node_def
        del node.input[:]
        node.input.extend(source(t) for t in op.inputs)
        node.input.extend(f"^{c.name}" for c in op.control_inputs if c in own)
        message.node_def.append(node)
        signature.is_stateful = signature.is_stateful or bool(op_schema(op.type)["is_stateful"])
    for i, tensor in enumerate(function.results):
        signature.output_arg.add(name=f"output_{i}", type=tensor.dtype.base_dtype.as_datatype_enum)
        message.ret[f"output_{i}"] = source(tensor)
    return message


def function_def_with_shapes(function: TracedFunction) -> Any:
    """Returns the FunctionDef message of a function, with the shapes of its arguments as an attribute."""
    message = to_function_def(function)
    shapes = message.attr[INPUT_SHAPES].list.shape
    shapes.extend(tensor.shape.as_proto() for tensor in function.all_arguments)
    return message


def body_of(message: Any) -> tuple[Any, list[str], list[str]]:
    """Returns a FunctionDef as (GraphDef, names of the arguments' nodes, names of the results' tensors).

    Raises:
        ValueError: if the body refers to a node or argument that it does not have.
    """
    graph = proto.GraphDef()
    graph.versions.producer = 134
    taken = {node.name for node in message.node_def}
    arguments: dict[str, str] = {}
    shapes = list(message.attr[INPUT_SHAPES].list.shape) if INPUT_SHAPES in message.attr else []
    for i, arg in enumerate(message.signature.input_arg):
        name = arg.name
        while name in taken:
            name += "_"
        taken.add(name)
        arguments[arg.name] = name
        node = graph.node.add(name=name, op=ARGUMENT)
        node.attr["dtype"].type = arg.type
        if len(shapes) == len(message.signature.input_arg):
            node.attr["shape"].shape.CopyFrom(shapes[i])
        else:
            node.attr["shape"].shape.unknown_rank = True
    starts: dict[tuple[str, str], int] = {}
    for node in message.node_def:
        at = 0
        for name, count in _output_counts(node.op, lambda key, node=node: _plain(node.attr[key])):
            starts[node.name, name] = at
            at += count

    def tensor(text: str) -> str:
        if text in arguments:
            return f"{arguments[text]}:0"
        node, _, rest = text.partition(":")
        name, _, number = rest.partition(":")
        start = starts.get((node, name))
        if start is None or not (number or "0").isdigit():
            raise ValueError(f"Function {message.signature.name}: '{text}' is neither an argument nor a node's output")
        return f"{node}:{start + int(number or 0)}"

    for node in message.node_def:
        copy = graph.node.add()
        copy.CopyFrom(node)
        del copy.input[:]
        for text in node.input:
            control = text.removeprefix("^")
            copy.input.append(f"^{arguments.get(control, control)}" if text.startswith("^") else tensor(text))
    missing = [arg.name for arg in message.signature.output_arg if arg.name not in message.ret]
    if missing:
        raise ValueError(f"Function {message.signature.name}: no node computes its results {', '.join(missing)}")
    results = [tensor(message.ret[arg.name]) for arg in message.signature.output_arg]
    return graph, list(arguments.values()), results


def _plain(value: Any) -> Any:
    """Returns a number, or a list of types."""
    return value.list.type if value.WhichOneof("value") == "list" else value.i


def renamed(message: Any, names: dict[str, str]) -> None:
    """Renames the functions that the nodes of a GraphDef or FunctionDef call."""
    for call in _calls(message):
        call.name = names.get(call.name, call.name)


def called(message: Any) -> set[str]:
    """Returns the names of the functions that the nodes of a GraphDef or FunctionDef call."""
    return {call.name for call in _calls(message)}


def _calls(message: Any) -> Iterator[Any]:
    for node in message.node if hasattr(message, "node") else message.node_def:
        for value in node.attr.values():
            field = value.WhichOneof("value")
            if field == "func":
                yield value.func
            elif field == "list":
                yield from value.list.func


def check_library(library: Any) -> None:
    """Refuses a library whose names do not determine one function each.

    Args:
        library: FunctionDefLibrary message.

    Raises:
        ValueError: if two functions of one name differ, or a function has the name of an op. If a gradient names a
            function that the library lacks, or a function has two gradients.
    """
    functions: dict[str, bytes] = {}
    for function in library.function:
        name = function.signature.name
        if name in op_names():
            raise ValueError(f"Cannot add function '{name}' because an op with the same name already exists.")
        if functions.setdefault(name, text := function.SerializeToString(deterministic=True)) != text:
            raise ValueError(
                f"Cannot add function '{name}' because a different function with the same name already exists."
            )
    gradients: dict[str, str] = {}
    for pair in library.gradient:
        for name in (pair.function_name, pair.gradient_func):
            if name not in functions:
                raise ValueError(f"FunctionDefLibrary missing '{name}' FunctionDef")
        known = gradients.setdefault(pair.function_name, pair.gradient_func)
        if known != pair.gradient_func:
            raise ValueError(
                f"Cannot assign gradient function '{pair.gradient_func}' to '{pair.function_name}' because it already "
                f"has gradient function '{known}'"
            )


@functools.cache
def op_names() -> frozenset[str]:
    """Returns the names of all ops."""
    return frozenset(_core.op_names())
