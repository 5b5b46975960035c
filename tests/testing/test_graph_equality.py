"""GraphDefs are equal where they describe one graph, and the difference is named where they do not."""

from __future__ import annotations

from typing import Any

import pytest

import ferroflow as tf


def _graph(build: Any) -> Any:
    with tf.Graph().as_default() as graph:
        build()
        return graph.as_graph_def()


def _sum() -> None:
    a, b = tf.constant(1.0, name="a"), tf.constant(2.0, name="b")
    with tf.control_dependencies([a, b]):
        tf.add(a, b, name="sum")


def test_order_of_nodes_and_control_inputs_does_not_count() -> None:
    first, second = _graph(_sum), _graph(_sum)
    nodes = list(second.node)[::-1]
    del second.node[:]
    second.node.extend(nodes)
    inputs = list(second.node[0].input)
    del second.node[0].input[:]
    second.node[0].input.extend([*inputs[:2], *inputs[2:][::-1]])
    tf.test.assert_equal_graph_def(first, second)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda g: g.node.pop(), "Could not find expected node 'sum = Add"),
        (lambda g: g.node.add(name="more", op="NoOp"), "Found unexpected node 'more = NoOp"),
        (lambda g: setattr(g.node[2], "op", "Sub"), "has op 'Sub' that does not match expected 'Add'"),
        (lambda g: setattr(g.node[2], "device", "/cpu:0"), "has device '/cpu:0'"),
        (lambda g: g.node[2].input.__setitem__(0, "b"), "has input 0 'b:0' that doesn't match expected 'a:0'"),
        (lambda g: g.node[0].attr["more"].CopyFrom(g.node[0].attr["dtype"]), "has unexpected attr 'more'"),
        (lambda g: g.node[0].attr["value"].tensor.ClearField("tensor_shape"), "has attr 'value' with value"),
    ],
)
def test_a_difference_is_named(change: Any, message: str) -> None:
    graph_def = _graph(_sum)
    change(graph_def)
    with pytest.raises(AssertionError, match=message):
        tf.test.assert_equal_graph_def(graph_def, _graph(_sum))


def test_internal_attributes_do_not_count() -> None:
    graph_def = _graph(_sum)
    graph_def.node[0].attr["_internal"].CopyFrom(graph_def.node[0].attr["dtype"])
    tf.test.assert_equal_graph_def(graph_def, _graph(_sum))


def test_only_graph_defs_are_compared() -> None:
    with pytest.raises(TypeError, match=r"Expected tf\.GraphDef for expected, got str"):
        tf.test.assert_equal_graph_def(_graph(_sum), "")
