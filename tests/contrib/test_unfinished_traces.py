"""A Python function that fails half-way leaves its graph as it was: scopes, contexts, dependencies and collections."""

from __future__ import annotations

from typing import Any

import pytest

import ferroflow as tf

SPEC = [tf.TensorSpec([], tf.float32)]


class Stopped(Exception):
    """Raised in the middle of a function."""


def stop(*_: Any) -> Any:
    with (
        tf.name_scope("inner"),
        tf.device("/cpu:0"),
        tf.control_dependencies([tf.no_op()]),
        tf.variable_scope("variables", reuse=tf.AUTO_REUSE),
        tf.get_default_graph().gradient_override_map({}),
    ):
        x = tf.get_variable("x", [2])
        tf.add_to_collection("mine", x)
        with tf.colocate_with(x.op):
            tf.square(x)
            raise Stopped


def placeholder() -> Any:
    return tf.placeholder_with_default(True, [])


def custom(x: Any) -> Any:
    return tf.custom_gradient(lambda x: (x * 2.0, stop))(x)


LIBRARY = {
    "function": lambda x: tf.function(stop)(x),
    "concrete function": lambda x: tf.function(stop).get_concrete_function(x),
    "wrapped function": lambda x: tf.compat.v1.wrap_function(stop, SPEC),
    "nested function": lambda x: tf.function(lambda y: tf.function(lambda z: tf.cond(placeholder(), stop, stop))(y))(x),
    "function in a conditional": lambda x: tf.cond(placeholder(), lambda: tf.function(stop)(x), lambda: x),
    "dataset": lambda x: tf.data.Dataset.range(3).map(stop),
}
SAME_GRAPH = {
    "conditional": lambda x: tf.cond(placeholder(), stop, lambda: x),
    "loop": lambda x: tf.while_loop(lambda y: y < 3.0, stop, [x]),
    "condition of a loop": lambda x: tf.while_loop(stop, lambda y: y, [x]),
    "map": lambda x: tf.map_fn(stop, tf.ones([3])),
    "gradient": lambda x: tf.gradients(custom(x), x),
    "gradient of a loop": lambda x: tf.gradients(tf.while_loop(lambda y: y < 3.0, custom, [x]), x),
    "gradient of a call": lambda x: tf.gradients(tf.function(custom)(x), x),
    "layer": lambda x: tf.keras.layers.Lambda(stop)(x),
}


def described(graph: Any) -> Any:
    """Returns what the graph and its scopes would give a new operation."""
    op = tf.identity(tf.constant(1.0), name="probe").op
    return (
        op.name,
        op.device,
        op.control_inputs,
        op.colocation_groups(),
        op._get_control_flow_context(),
        tf.get_default_graph() is graph,
        graph.get_name_scope(),
        tf.get_variable_scope().name,
        tf.get_variable_scope().reuse,
    )


@pytest.mark.parametrize("kind", [*LIBRARY, *SAME_GRAPH])
def test_a_failure_leaves_no_scope_open(kind: str) -> None:
    graph, x = tf.get_default_graph(), tf.constant(1.0)
    with pytest.raises(Stopped):
        {**LIBRARY, **SAME_GRAPH}[kind](x)
    groups = [b"loc:@probe"]
    assert described(graph) == ("probe", "", [], groups, None, True, "", "", False)
    assert tf.function(lambda y: y * 2.0)(x).op.type == "PartitionedCall"


@pytest.mark.parametrize("kind", LIBRARY)
def test_a_failure_adds_no_function(kind: str) -> None:
    with pytest.raises(Stopped):
        LIBRARY[kind](tf.constant(1.0))
    graph = tf.get_default_graph()
    assert not graph.as_graph_def().library.function
    assert graph.get_collection("mine") == []
