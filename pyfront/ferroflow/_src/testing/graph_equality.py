"""`assert_equal_graph_def`: the check that two GraphDefs describe one graph."""

from __future__ import annotations

import re
from typing import Any

from ferroflow._src.base import proto

# Names of temporary files of sharded checkpoints hold random digits.
_RANDOM_NAME = re.compile(r"_temp_[0-9a-z]{32}/part")


def assert_equal_graph_def(actual: Any, expected: Any, checkpoint_v2: bool = False) -> None:
    """Checks that two graphs are the same, whatever the order of nodes, attributes and control inputs.

    Args:
        actual: GraphDef.
        expected: GraphDef.
        checkpoint_v2: bool. If True, the random names in the nodes of checkpoints are left out.

    Raises:
        AssertionError: if the graphs differ.
        TypeError: if an argument is not a GraphDef.
    """
    for what, message in (("actual", actual), ("expected", expected)):
        if not isinstance(message, proto.GraphDef):
            raise TypeError(f"Expected tf.GraphDef for {what}, got {type(message).__name__}")
    difference = _difference(actual, expected, checkpoint_v2)
    if difference is not None:
        raise AssertionError(difference)


def graph_def_difference(actual: bytes, expected: bytes) -> bytes:
    """Returns the first difference between two GraphDefs, whatever the order of nodes, attributes and control inputs.

    Args:
        actual: bytes, a serialized GraphDef.
        expected: bytes, a serialized GraphDef.

    Returns:
        bytes, text; empty if there is none.
    """
    found = _difference(proto.GraphDef.FromString(actual), proto.GraphDef.FromString(expected), False)
    return (found or "").encode()


def _difference(actual: Any, expected: Any, checkpoint_v2: bool) -> str | None:
    wanted = {node.name: node for node in expected.node}
    for node in actual.node:
        other = wanted.pop(node.name, None)
        if other is None:
            return f"Found unexpected node '{_summary(node)}'"
        found = _node_difference(node, other, checkpoint_v2)
        if found is not None:
            return found
    for node in wanted.values():
        return f"Could not find expected node '{_summary(node)}'"
    return None


def _node_difference(actual: Any, expected: Any, checkpoint_v2: bool) -> str | None:
    name = actual.name
    for field in ("op", "device"):
        a, b = getattr(actual, field), getattr(expected, field)
        if a != b:
            return f"Node named '{name}' has {field} '{a}' that does not match expected '{b}'"
    a_data, a_control = _inputs(actual)
    b_data, b_control = _inputs(expected)
    if len(a_data) != len(b_data):
        return f"Node named '{name}' has {len(a_data)} inputs, that does not match expected {len(b_data)}"
    for i, (a, b) in enumerate(zip(a_data, b_data, strict=True)):
        if a != b:
            return f"Node named '{name}' has input {i} '{a}' that doesn't match expected '{b}'"
    for a in sorted(a_control - b_control):
        return f"Node named '{name}' has unexpected control input '^{a}'"
    for b in sorted(b_control - a_control):
        return f"Node named '{name}' missing expected control input '^{b}'"
    a_attrs, b_attrs = _attrs(actual, checkpoint_v2), _attrs(expected, checkpoint_v2)
    for key in sorted(a_attrs.keys() - b_attrs.keys()):
        return f"Node named '{name}' has unexpected attr '{key}' with value: {_text(a_attrs[key])}"
    for key in sorted(b_attrs.keys() - a_attrs.keys()):
        return f"Node named '{name}' missing expected attr '{key}' with value: {_text(b_attrs[key])}"
    for key, value in a_attrs.items():
        if value != b_attrs[key]:
            return (
                f"Node named '{name}' has attr '{key}' with value: {_text(value)} that does not match expected: "
                f"{_text(b_attrs[key])}"
            )
    return None


def _inputs(node: Any) -> tuple[list[str], set[str]]:
    """Returns the data inputs in their order, each with its number, and the control inputs."""
    data = [name if ":" in name else f"{name}:0" for name in node.input if not name.startswith("^")]
    return data, {name[1:] for name in node.input if name.startswith("^")}


def _attrs(node: Any, checkpoint_v2: bool) -> dict[str, Any]:
    """Returns the attributes except for internal ones, whose names begin with an underscore."""
    kept = {}
    for key, value in node.attr.items():
        strings = value.tensor.string_val
        is_random = checkpoint_v2 and len(strings) == 1 and _RANDOM_NAME.search(str(strings[0])) is not None
        if not key.startswith("_") and not is_random:
            kept[key] = value
    return kept


def _text(value: Any) -> str:
    return " ".join(str(value).split())


def _summary(node: Any) -> str:
    """Returns `name = Op[attributes](inputs)`, as TensorFlow writes nodes in messages."""
    attrs = ", ".join(f"{key}={_text(value)}" for key, value in sorted(_attrs(node, False).items()))
    return f"{node.name} = {node.op}[{attrs}]({', '.join(node.input)})"
