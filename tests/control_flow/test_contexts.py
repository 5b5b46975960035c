"""Contexts of conditionals and loops, written to messages and read from them, and gradients after that."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from golden.flow_context_programs import PROGRAMS, X, results, written

import ferroflow as tf
from ferroflow._src.base import proto
from ferroflow._src.framework.proto_functions import (
    get_collection_proto_type,
    get_from_proto_function,
    get_to_proto_function,
    register_proto_function,
)

GOLDEN = json.loads((Path(__file__).parent.parent / "golden" / "flow_contexts.json").read_text(encoding="utf-8"))
KEYS = (tf.GraphKeys.COND_CONTEXT, tf.GraphKeys.WHILE_CONTEXT)


def read(content: dict[str, Any], scope: str | None = None) -> tuple[tf.Tensor, tf.Tensor]:
    """Imports a graph with its contexts; gives x and y."""
    tf.import_graph_def(tf.GraphDef.FromString(base64.b64decode(content["graph"])), name=scope or "")
    for key in KEYS:
        message, from_proto = get_collection_proto_type(key), get_from_proto_function(key)
        for encoded in content[key]:
            tf.add_to_collection(key, from_proto(message.FromString(base64.b64decode(encoded)), import_scope=scope))
    graph = tf.get_default_graph()
    return tuple(graph.get_tensor_by_name(f"{scope}/{n}" if scope else n) for n in ("x:0", "y:0"))


def test_the_golden_programs_are_these() -> None:
    assert GOLDEN.keys() == PROGRAMS.keys()


@pytest.mark.parametrize("scope", [None, "around"])
@pytest.mark.parametrize("source", ["TensorFlow", "here"])
@pytest.mark.parametrize("program", PROGRAMS)
def test_gradients_pass_through_what_was_read(program: str, source: str, scope: str | None) -> None:
    content = GOLDEN[program] if source == "TensorFlow" else written(tf, program)
    with tf.Graph().as_default(), tf.Session() as sess:
        x, y = read(content, scope)
        got = sess.run([y, tf.gradients(y, x)[0]], {x: X})
    np.testing.assert_allclose(got, GOLDEN[program]["results"], rtol=1e-5)


@pytest.mark.parametrize("program", PROGRAMS)
def test_programs_compute_tensorflows_gradients(program: str) -> None:
    np.testing.assert_allclose(results(tf, program), GOLDEN[program]["results"], rtol=1e-5)


@pytest.mark.parametrize("program", PROGRAMS)
def test_second_derivatives_pass_through_what_was_read(program: str) -> None:
    def second(x: tf.Tensor, y: tf.Tensor) -> np.ndarray:
        with tf.Session() as sess:
            first = tf.gradients(y, x)[0]
            return sess.run(tf.gradients(tf.reduce_sum(first * first), x)[0], {x: X})

    with tf.Graph().as_default():
        read_again = second(*read(GOLDEN[program]))
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [2])
        np.testing.assert_allclose(read_again, second(x, PROGRAMS[program](tf, x)), rtol=1e-5)


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_context_read_is_written_as_it_was(program: str) -> None:
    content = written(tf, program)
    with tf.Graph().as_default():
        read(content)
        for key in KEYS:
            to_proto = get_to_proto_function(key)
            again = [to_proto(c) for c in tf.get_collection(key)]
            message = get_collection_proto_type(key)
            assert again == [message.FromString(base64.b64decode(encoded)) for encoded in content[key]]


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_context_read_into_a_scope_loses_it_on_the_way_out(program: str) -> None:
    content = written(tf, program)
    with tf.Graph().as_default():
        read(content, "around")
        for key in KEYS:
            message = get_collection_proto_type(key)
            found = [c.to_proto(export_scope="around") for c in tf.get_collection(key)]
            assert found == [message.FromString(base64.b64decode(encoded)) for encoded in content[key]]
            assert all(c.to_proto(export_scope="elsewhere") is None for c in tf.get_collection(key))


@pytest.mark.parametrize("program", PROGRAMS)
def test_gradients_pass_through_what_came_without_contexts(program: str) -> None:
    graph_def = tf.GraphDef.FromString(base64.b64decode(GOLDEN[program]["graph"]))
    with tf.Graph().as_default(), tf.Session() as sess:
        x, y = tf.import_graph_def(graph_def, return_elements=["x:0", "y:0"])
        np.testing.assert_allclose(sess.run([y, tf.gradients(y, x)[0]], {x: X}), GOLDEN[program]["results"], rtol=1e-5)


@pytest.mark.parametrize("program", PROGRAMS)
def test_gradients_pass_through_what_was_imported_into_a_branch(program: str) -> None:
    graph_def = tf.GraphDef.FromString(base64.b64decode(GOLDEN[program]["graph"]))
    with tf.Graph().as_default(), tf.Session() as sess:
        x = tf.placeholder(tf.float32, [2])
        y = tf.cond(
            tf.reduce_sum(x) > 0.0,
            lambda: tf.import_graph_def(graph_def, input_map={"x:0": x}, return_elements=["y:0"])[0],
            lambda: x,
        )
        y.set_shape([2])
        gradient = tf.gradients(y, x)[0]
        np.testing.assert_allclose(sess.run([y, gradient], {x: X}), GOLDEN[program]["results"], rtol=1e-5)
        assert sess.run(gradient, {x: [-1.0, 0.0]}).tolist() == [1.0, 1.0]


@pytest.mark.parametrize("program", PROGRAMS)
def test_imported_gradients_have_gradients(program: str) -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [2], name="x")
        first = tf.identity(tf.gradients(PROGRAMS[program](tf, x), x)[0], name="first")
        second = tf.gradients(tf.reduce_sum(first * first), x)[0]
        with tf.Session() as sess:
            want = sess.run(second, {x: X})
        graph_def = tf.graph_util.extract_sub_graph(graph.as_graph_def(), ["first"])
    with tf.Graph().as_default(), tf.Session() as sess:
        x, first = tf.import_graph_def(graph_def, return_elements=["x:0", "first:0"])
        second = tf.gradients(tf.reduce_sum(first * first), x)[0]
        np.testing.assert_allclose(sess.run(second, {x: X}), want, rtol=1e-5)


def test_two_conditionals_of_one_predicate_stay_two() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [], name="x")
        pred = x > 0.0
        y = tf.cond(pred, lambda: x * x, lambda: tf.constant(2.0) * x)
        tf.cond(pred, lambda: y * x, lambda: y * 5.0)
        tf.identity(tf.cond(pred, lambda: y * x, lambda: y * 5.0), name="y")
        graph_def = graph.as_graph_def()
    with tf.Graph().as_default(), tf.Session() as sess:
        x, y = tf.import_graph_def(graph_def, return_elements=["x:0", "y:0"])
        gradient = tf.gradients(y, x)[0]
        assert [sess.run(gradient, {x: at}) for at in (2.0, -1.0)] == [12.0, 10.0]


def test_a_loop_of_no_known_form_passes_no_gradient() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [], name="x")
        tf.identity(tf.while_loop(lambda a: a < 9.0, lambda a: a * 2.0, [x]), name="y")
        graph_def = graph.as_graph_def()
    for node in graph_def.node:
        if node.op == "Switch":
            node.input[1] = next(n.name for n in graph_def.node if n.op == "Less")
    with tf.Graph().as_default():
        x, y = tf.import_graph_def(graph_def, return_elements=["x:0", "y:0"])
        with pytest.raises(LookupError, match="No gradient defined for operation"):
            tf.gradients(y, x)


def test_a_loop_is_read_twice_into_scopes_of_their_own() -> None:
    with tf.Graph().as_default(), tf.Session() as sess:
        pairs = [read(GOLDEN["nested loops"], scope) for scope in ("a", "b")]
        total = pairs[0][1] * pairs[1][1]
        found = tf.gradients(total, [x for x, _ in pairs])
        first, second = sess.run(found, {x: X for x, _ in pairs})
    y, dy = (np.asarray(v) for v in GOLDEN["nested loops"]["results"])
    assert np.allclose(first, second)
    # Each element of the one is multiplied with the same of the other.
    assert first.shape == y.shape == dy.shape


def test_operations_can_be_added_beside_a_loop_that_was_read() -> None:
    with tf.Graph().as_default() as graph, tf.Session() as sess:
        x, y = read(GOLDEN["conditional in a loop"])
        again = PROGRAMS["conditional in a loop"](tf, x)
        assert np.allclose(*sess.run([y, again], {x: X}))
        names = [c.name for c in graph.get_collection(tf.GraphKeys.WHILE_CONTEXT)]
        assert len(set(names)) == 2


def test_a_context_of_operations_that_are_not_there_is_refused() -> None:
    message = proto.CondContextDef(context_name="c", pred_name="p:0", pivot_name="q:0", branch=1)
    with tf.Graph().as_default(), pytest.raises(KeyError, match="'p:0'"):
        get_from_proto_function(tf.GraphKeys.COND_CONTEXT)(message)


def test_a_collection_has_one_pair_of_functions() -> None:
    with pytest.raises(KeyError, match="Registering two proto functions with name 'cond_context'"):
        register_proto_function(tf.GraphKeys.COND_CONTEXT)
    with pytest.raises(TypeError, match="from_proto must be callable"):
        register_proto_function("any", from_proto=1)
    assert get_to_proto_function("any") is get_from_proto_function("any") is get_collection_proto_type("any") is None
