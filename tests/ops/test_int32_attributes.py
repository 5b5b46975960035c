"""Law of integer attributes: those that TensorFlow 1.15.5 keeps in 32 bits refuse 2**31, when built or before a run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import ferroflow as tf
from ferroflow import _core
from ferroflow._src.base import errors

GOLDEN = Path(__file__).parents[1] / "golden"
# By op, the attributes for which TensorFlow 1.15.5 says "out of range for an int32".
INT32: dict[str, list[str]] = json.loads((GOLDEN / "int32_attributes.json").read_text(encoding="utf-8"))
# Attributes without an effect here: hints for reading, and limits of threads that are not made.
_WITHOUT_EFFECT = {
    ("Restore", "preferred_shard"),
    ("RestoreSlice", "preferred_shard"),
    ("SdcaOptimizer", "num_inner_iterations"),
    ("SdcaOptimizerV2", "num_inner_iterations"),
}
_FLOAT, _RESOURCE = tf.float32.as_datatype_enum, tf.resource.as_datatype_enum
_TOO_GREAT = 2**31
_HERE = set(_core.op_names())


def test_most_ops_of_tensorflow_are_here() -> None:
    assert len(_HERE & INT32.keys()) > 100


def _type(attr: dict[str, Any]) -> int:
    allowed = attr["allowed_types"]
    preferred = [_FLOAT, tf.int32.as_datatype_enum, tf.int64.as_datatype_enum, *allowed]
    return int(next(number for number in preferred if not allowed or number in allowed))


def _set(value: Any, attr: dict[str, Any]) -> None:
    """Sets an attribute without a default to a value that its type allows."""
    kind = attr["type"]
    if kind == "type":
        value.type = _type(attr)
    elif kind == "int":
        value.i = max(attr["minimum"] or 1, 1)
    elif kind == "float":
        value.f = 1.0
    elif kind == "bool":
        value.b = True
    elif kind == "string":
        value.s = (attr["allowed_strings"] or [""])[0].encode()
    elif kind == "list(int)":
        value.list.i.extend([1, 1, 1, 1])
    elif kind == "list(type)":
        value.list.type.append(_FLOAT)
    elif kind == "list(shape)":
        value.list.shape.add().unknown_rank = True
    elif kind == "list(float)":
        value.list.f.append(1.0)
    else:
        value.list.SetInParent()


def _graph_def(op: str, name: str) -> tf.GraphDef:
    """Returns a graph with a node of `op` behind placeholders, whose attribute `name` is 2**31."""
    info, made = _core.op_info(op), tf.GraphDef()
    node = made.node.add(name="node", op=op)
    for attr in info["attrs"]:
        if attr["name"] == name:
            if attr["type"] == "int":
                node.attr[name].i = _TOO_GREAT
            else:
                node.attr[name].list.i.extend([1, _TOO_GREAT, 1, 1])
        elif not attr["has_default"]:
            _set(node.attr[attr["name"]], attr)
        elif attr["type"] == "type":
            node.attr[attr["name"]].type = attr["default"]
    for place, given in enumerate(info["inputs"]):
        dtype = node.attr[given["type_attr"]].type if "type_attr" in given else given.get("type")
        source = made.node.add(name=f"input_{place}", op="VariableV2" if given["is_ref"] else "Placeholder")
        source.attr["dtype"].type = dtype or _FLOAT
        source.attr["shape"].shape.unknown_rank = True
        node.input.append(source.name)
    return made


def _run(graph_def: tf.GraphDef) -> None:
    with tf.Graph().as_default() as graph, tf.Session() as session:
        tf.import_graph_def(graph_def, name="")
        session.run(graph.get_operation_by_name("node"))


@pytest.mark.parametrize(("op", "name"), [(op, name) for op in sorted(_HERE & INT32.keys()) for name in INT32[op]])
def test_an_attribute_of_32_bits_refuses_more(op: str, name: str) -> None:
    if (op, name) in _WITHOUT_EFFECT:
        pytest.skip("nothing reads it")
    with pytest.raises((ValueError, errors.InvalidArgumentError)) as found:
        _run(_graph_def(op, name))
    assert "must feed a value" not in str(found.value)
