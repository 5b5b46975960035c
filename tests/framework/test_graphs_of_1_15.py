"""Graphs that TensorFlow 1.15.5 wrote run as they ran there: functions called by nodes, and quantized models."""

from __future__ import annotations

import base64
import json
import lzma
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ferroflow as tf

_FILE = Path(__file__).parents[1] / "golden" / "graphs_of_1_15.json.xz"
GOLDEN: dict[str, Any] = json.loads(lzma.decompress(_FILE.read_bytes()))
CALLS, QUANTIZED = GOLDEN["calls"], GOLDEN["quantized"]


def _imported(graph: str) -> tf.Graph:
    message = tf.GraphDef.FromString(base64.b64decode(graph))
    with tf.Graph().as_default() as made:
        tf.import_graph_def(message, name="")
    return made


@pytest.mark.parametrize("number", CALLS["cases"])
@pytest.mark.parametrize("threads", [1, 4])
def test_functions_that_nodes_call_give_tensorflows_values(number: str, threads: int) -> None:
    graph, want = _imported(CALLS["graph"]), CALLS["cases"][number]
    config = tf.ConfigProto(intra_op_parallelism_threads=threads, inter_op_parallelism_threads=threads)
    with tf.Session(graph=graph, config=config) as session:
        for _ in range(2):
            got = session.run({name: f"{name}:0" for name in want}, {"x:0": CALLS["x"], "n:0": int(number)})
            for name, value in want.items():
                np.testing.assert_allclose(got[name], value, rtol=1e-6, err_msg=name)


@pytest.mark.parametrize("name", ["if_", "if_int_1", "stateless_if_", "call", "stateful_call", "remote"])
@pytest.mark.parametrize("number", CALLS["cases"])
def test_gradients_pass_through_functions(name: str, number: str) -> None:
    graph = _imported(CALLS["graph"])
    with graph.as_default(), tf.Session() as session:
        x, y = graph.get_tensor_by_name("x:0"), graph.get_tensor_by_name(f"{name}:0")
        (gradient,) = tf.gradients(y, x)
        at = np.array(CALLS["x"], np.float32)
        feeds = {"x:0": at, "n:0": int(number)}
        got = session.run(gradient, feeds)
        if name in CALLS["gradients"][number]:
            np.testing.assert_allclose(got, CALLS["gradients"][number][name], rtol=1e-6)
        step = 1e-2
        for i in range(3):
            moved = np.zeros(3, np.float32)
            moved[i] = step
            above, below = (session.run(y, {**feeds, "x:0": at + s * moved}) for s in (1, -1))
            np.testing.assert_allclose(got[i], (above - below).sum() / (2 * step), rtol=1e-2, atol=1e-2)


def test_a_loop_of_functions_has_no_gradient() -> None:
    graph = _imported(CALLS["graph"])
    with graph.as_default(), pytest.raises(LookupError, match="While"):
        tf.gradients(graph.get_tensor_by_name("while_:0"), graph.get_tensor_by_name("x:0"))


def test_imported_functions_are_exported_again() -> None:
    graph = _imported(CALLS["graph"])
    again = tf.Graph()
    with again.as_default():
        tf.import_graph_def(graph.as_graph_def(), name="")
    feeds = {"x:0": CALLS["x"], "n:0": 4}
    with tf.Session(graph=graph) as first, tf.Session(graph=again) as second:
        for name in CALLS["cases"]["4"]:
            np.testing.assert_array_equal(first.run(f"{name}:0", feeds), second.run(f"{name}:0", feeds), name)


def test_a_loop_of_functions_ends_with_its_session() -> None:
    graph = _imported(CALLS["graph"])
    with graph.as_default(), tf.Session() as session:
        x = graph.get_tensor_by_name("x:0")
        assert session.run("while_count:0", {x: CALLS["x"], "n:0": 1}) == 5
        with pytest.raises(tf.errors.InvalidArgumentError, match="Invalid start/limit/delta"):
            session.run("for_:0", {x: CALLS["x"], "n:0": -1})


def test_quantized_ops_have_tensorflows_bits() -> None:
    graph, want = _imported(QUANTIZED["graph"]), QUANTIZED["fetches"]
    feed = np.array(QUANTIZED["x"], np.float32).reshape(2, 5, 5, 3)
    with tf.Session(graph=graph) as session:
        got = session.run({name: f"{name}:0" for name in want}, {"x:0": feed})
    for name, value in want.items():
        expected = np.array(value["values"], value["dtype"]).reshape(value["shape"])
        assert got[name].dtype == expected.dtype, name
        np.testing.assert_array_equal(got[name], expected, name)
